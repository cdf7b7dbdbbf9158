"""Letter by letter: each letter's chunks in their contexts; the first context that fits holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from iolai.solvers.induction.printed.contexts import counts_as, is_plain
from iolai.solvers.induction.segments import INHERENT, segments, with_inherent_vowels

__all__ = ["Letters"]

_INHERENT = f"A letter without a vowel sign has a vowel of its own: {INHERENT}"
_REST = "Every other letter stands for itself."
#: What a letter gives, between which neighbours (``""`` any).
Choice = tuple[str, str, str]


@dataclass(frozen=True)
class Letters:
    """``choices`` of each letter in their order: (what it gives, left, right)."""

    choices: Mapping[str, tuple[Choice, ...]]
    has_inherent: bool = False

    def lines(self) -> tuple[str, ...]:
        """Return a line for each letter that does not always stand for itself."""
        rows = [_INHERENT] if self.has_inherent else []
        for letter, choices in sorted(self.choices.items()):
            kept = [c for c in choices if all(map(_is_printable, c))]
            if not is_plain(letter) or not kept or kept == [(letter, "", "")]:
                continue
            rows.append(f"{letter} → {'; '.join(map(_printed, kept))}")
        return (*rows, _REST)

    @staticmethod
    def parse(lines: Sequence[str]) -> Letters:
        """Read the rules back."""
        choices: dict[str, tuple[Choice, ...]] = {}
        for line in lines:
            letter, arrow, rest = line.partition(" → ")
            if arrow:
                choices[letter] = tuple(map(_parsed, rest.split("; ")))
        return Letters(choices, _INHERENT in lines)

    def regenerate(self, inputs: Sequence[str], options: Sequence[str]) -> list[str]:
        """Return each word written the other way."""
        return [self._written(word) for word in inputs]

    def without_idle(self, words: Sequence[str]) -> Letters:
        """Leave out choices without which all words come out the same, the most special first."""
        wanted = self.regenerate(words, ())
        kept = dict(self.choices)
        for letter, choices in self.choices.items():
            with_letter = [(w, out) for w, out in zip(words, wanted, strict=True) if letter in w]
            if self.has_inherent and letter == INHERENT:
                with_letter = list(zip(words, wanted, strict=True))
            for choice in sorted(choices, key=lambda c: -bool(c[1]) - bool(c[2])):
                fewer = {**kept, letter: tuple(c for c in kept[letter] if c != choice)}
                theory = Letters(fewer, self.has_inherent)
                if all(theory._written(word) == out for word, out in with_letter):
                    kept = fewer
        return Letters({k: v for k, v in kept.items() if v}, self.has_inherent)

    def _written(self, word: str) -> str:
        split = with_inherent_vowels(word) if self.has_inherent else segments(word)
        padded = ("#", *split, "#")
        return "".join(
            self._given(letter, padded[i], padded[i + 2]) for i, letter in enumerate(split)
        )

    def _given(self, letter: str, left: str, right: str) -> str:
        lefts, rights = counts_as(left), counts_as(right)
        for after, one, other in self.choices.get(letter, ()):
            if one in lefts and other in rights:
                return after
        return "" if letter == INHERENT else letter


def _is_printable(text: str) -> bool:
    return text == "#" or (text[:1] == "[" and text[-1:] == "]") or is_plain(text)


def _printed(choice: Choice) -> str:
    after, left, right = choice
    context = f" / {left}_{right}" if left or right else ""
    return f"{after or '∅'}{context}"


def _parsed(text: str) -> Choice:
    after, _, context = text.partition(" / ")
    left, _, right = context.partition("_")
    return ("" if after == "∅" else after, left, right)
