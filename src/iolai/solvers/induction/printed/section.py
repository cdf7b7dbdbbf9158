"""A section of a printed grammar: a title, rules a line each, and how many examples they give.

A section reads::

    Letter by letter, spelling to sound:
      d → ɟ / #_; t / _#; d
      These rules give 40 of 46 examples; not explained: “hoch”, “kůň”.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from typing import Protocol, cast

from iolai.solvers.induction.segments import Sounds, sounds_in_force, taken_for
from iolai.text import squeeze

__all__ = ["Section", "Theory", "make_section", "parse_sections", "shown"]

Pair = tuple[str, str]

_REACH = re.compile(r"These rules give \d+ of (?P<all>\d+) examples")
_VOWELS, _CONSONANTS = "Vowels here: ", "consonants: "
_PARTLY = "Known in part only: what the examples do not support is left out."
_AGREEING = "Answers in accord with them: "
#: How lines begin that say more of what the rules do not give, or give without an example.
_REMARKS = ("At odds ", "Left open ", "Used beyond ")
_QUOTED = re.compile(r"“([^“”]*)”")
#: The dotted circle, on which Unicode's charts show combining marks.
_CARRIER = "\u25cc"
_KINDS = {
    "Letter by letter": "letters:Letters",
    "Changes": "changes:Changes",
    "Word by word": "words:Words",
    "Side by side": "pairing:Pairing",
    "Sign by sign": "pairing:Signs",
    "Numbers": "numbers:Numbers",
    "Kinship": "kinship:Kinship",
}


class Theory(Protocol):
    """Rules of one kind that can be printed, read back and applied."""

    def lines(self) -> tuple[str, ...]:
        """Return the rules, a line each."""
        ...

    def regenerate(self, inputs: Sequence[str], options: Sequence[str]) -> list[str]:
        """Return what the rules make of each input, ``""`` where they say nothing.

        ``options`` are all outputs of the examples in an order that tells nothing; only rules that
        choose between given answers look at them.
        """
        ...


@dataclass(frozen=True, slots=True)
class Section:
    """``title`` is the kind of rules, a comma, and what they turn into what.

    ``unexplained`` are the inputs of the examples that the rules do not give, as printed;
    ``remarks`` are lines that say why. ``is_partial`` says that lines which no example supports
    were left out.
    """

    title: str
    lines: tuple[str, ...]
    n_examples: int = 0
    unexplained: tuple[str, ...] = ()
    agreeing: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    is_partial: bool = False

    @property
    def kind(self) -> str:
        """The kind of rules."""
        return self.title.partition(",")[0]

    @property
    def share(self) -> float:
        """The share of the examples that the rules give, in [0, 1]."""
        n = self.n_examples
        return (n - len(self.unexplained)) / n if n else 0.0

    def theory(self) -> Theory:
        """Return the rules read back from their lines."""
        reader = _reader(self.kind)
        lines = tuple(map(without_carriers, self.lines))
        if lines and lines[0].startswith(_VOWELS):
            return _Heard(reader(lines[1:]), _parsed_sounds(lines[0]))
        return reader(lines)

    def rules(self) -> Theory:
        """Return the rules read back, for where letters are already taken for what they are."""
        theory = self.theory()
        return theory.theory if isinstance(theory, _Heard) else theory

    def with_items(
        self, items: Sequence[tuple[str, str, str]], bare: Callable[[str], str] = squeeze
    ) -> Section:
        """Return the section naming those of other answers that its lines give too.

        For rules that do not choose between given outputs.
        """
        return replace(self, agreeing=_agreeing(self.theory(), items, (), bare))

    def __str__(self) -> str:
        rows = [f"{self.title}:"]
        if self.is_partial:
            rows.append(f"  {_PARTLY}")
        rows += [f"  {line}" for line in self.lines]
        if self.n_examples:
            rows.append(f"  {self._reach()}")
        rows += [f"  {remark}" for remark in self.remarks]
        if self.agreeing:
            rows.append(f"  {_AGREEING}{', '.join(self.agreeing)}.")
        return "\n".join(rows)

    def _reach(self) -> str:
        n = self.n_examples - len(self.unexplained)
        said = f"These rules give {n} of {self.n_examples} examples"
        if not self.unexplained:
            return f"{said}."
        return f"{said}; not explained: {', '.join(f'“{text}”' for text in self.unexplained)}."


@dataclass(frozen=True, slots=True)
class _Heard:
    """Rules for letters that are other sounds here than they are known as."""

    theory: Theory
    sounds: Sounds

    def lines(self) -> tuple[str, ...]:
        """Return what the letters are, and the rules."""
        return (_printed_sounds(self.sounds), *self.theory.lines())

    def regenerate(self, inputs: Sequence[str], options: Sequence[str]) -> list[str]:
        """Return what the rules make of each input."""
        with taken_for(self.sounds):
            return self.theory.regenerate(inputs, options)


def _printed_sounds(sounds: Sounds) -> str:
    sides = (" ".join(sorted(side)) for side in (sounds.vowels, sounds.consonants))
    return f"; {_CONSONANTS}".join((_VOWELS + next(sides), next(sides)))


def _parsed_sounds(line: str) -> Sounds:
    vowels, _, consonants = line.removeprefix(_VOWELS).partition(f"; {_CONSONANTS}")
    return Sounds(frozenset(vowels.split()), frozenset(consonants.split()))


def shown(text: str) -> str:
    """Return an input as it is printed between quotation marks: on one line, without such marks."""
    return squeeze(text).replace("“", "‘").replace("”", "’")


def with_carriers(line: str) -> str:
    """Set each combining mark that no letter carries on a dotted circle, so that it can be read."""
    out: list[str] = []
    for sign in line:
        before = unicodedata.category(out[-1][-1])[0] if out else ""
        is_bare = unicodedata.category(sign)[0] == "M" and before not in ("L", "M", "N")
        out.append(_CARRIER + sign if is_bare and out[-1:] != [_CARRIER] else sign)
    return "".join(out)


def without_carriers(line: str) -> str:
    """Take the dotted circles that carry marks off again."""
    signs = zip(line, [*line[1:], ""], strict=True)
    return "".join(
        sign
        for sign, after in signs
        if not (sign == _CARRIER and after and unicodedata.category(after)[0] == "M")
    )


@cache
def _reader(kind: str) -> Callable[[Sequence[str]], Theory]:
    module, _, name = _KINDS[kind].partition(":")
    made = getattr(import_module(f"iolai.solvers.induction.printed.{module}"), name)
    return cast("Callable[[Sequence[str]], Theory]", made.parse)


def make_section(
    title: str,
    theory: Theory,
    examples: Sequence[Pair],
    *,
    items: Sequence[tuple[str, str, str]] = (),
    bare: Callable[[str], str] = squeeze,
) -> Section:
    """Print a theory and say which examples (input, output) its printed lines give.

    ``items`` are (label, input, output) of answers, of which those that the lines give too are
    named. ``bare`` is applied to outputs before they are compared.
    """
    sounds = sounds_in_force()
    bare_lines = (_Heard(theory, sounds) if sounds else theory).lines()
    lines = tuple(map(with_carriers, bare_lines))
    reread = Section(title, lines).theory()
    options = sorted({output for _, output in examples})
    given = reread.regenerate([one for one, _ in examples], options)
    missed = [
        shown(one)
        for (one, output), made in zip(examples, given, strict=True)
        if not made or bare(made) != bare(output)
    ]
    agreeing = _agreeing(reread, items, options, bare)
    return Section(title, lines, len(examples), tuple(missed), agreeing)


def _agreeing(
    theory: Theory,
    items: Sequence[tuple[str, str, str]],
    options: Sequence[str],
    bare: Callable[[str], str],
) -> tuple[str, ...]:
    """Return the labels of the items (label, input, output) whose outputs the rules give too."""
    made = theory.regenerate([one for _, one, _ in items], options)
    return tuple(
        label
        for (label, _, output), text in zip(items, made, strict=True)
        if text and bare(text) == bare(output)
    )


def parse_sections(text: str) -> tuple[Section, ...]:
    """Read the sections of a printed grammar; whatever else stands in the text is passed over."""
    found: list[tuple[str, list[str]]] = []
    inside = False
    for line in text.split("\n"):
        title = line.strip().removesuffix(":")
        if not line.startswith(" ") and title.partition(",")[0] in _KINDS:
            found.append((title, []))
            inside = True
        elif line.startswith("  ") and inside:
            found[-1][1].append(line.strip())
        else:
            inside = False
    return tuple(_parsed(title, rows) for title, rows in found)


def _parsed(title: str, rows: Sequence[str]) -> Section:
    said = next((row for row in rows if _REACH.match(row)), "")
    other = (_AGREEING, _PARTLY, *_REMARKS)
    is_partial = any(row.startswith(_PARTLY) for row in rows)
    lines = [row for row in rows if row != said and not row.startswith(other)]
    missed = _QUOTED.findall(said.partition("; not explained: ")[2])
    reach = _REACH.match(said)
    return Section(
        title, tuple(lines), int(reach["all"]) if reach else 0, tuple(missed), is_partial=is_partial
    )
