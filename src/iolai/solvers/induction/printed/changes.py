"""Changes of words: the first line that applies to a word holds for it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from iolai.solvers.induction.changes import Change, ChangeRules
from iolai.solvers.induction.printed.allomorphs import Place, conditions
from iolai.solvers.induction.printed.contexts import is_plain
from iolai.solvers.induction.programs import Found, Program, place_of
from iolai.solvers.induction.segments import segments

__all__ = ["Changes", "find_changes"]

_REST = "Any other word stays as it is."
_CLASS_NAMES = {"<V>": "[vowel]", "<C>": "[consonant]", "<->": "[other]", "<M>": "[mark]"}
_CLASS_SIGNS = {name: sign for sign, name in _CLASS_NAMES.items()}
_PART = re.compile(r"\[(?:vowel|consonant|other|mark)\]|.", re.DOTALL)
_PROGRAM = re.compile(
    r"(?:the first (?P<first>letter is|\d letters are) dropped, )?"
    r"(?:the last (?P<last>letter is|\d letters are) dropped, )?"
    r"(?:(?P<nothing>nothing)|(?P<piece>.+?)) is put (?:at )?(?P<at>.+?)"
    r"(?: in place of (?P<cut>\d) letters?)?"
)
_EXCHANGE = re.compile(r"the letters that meet (?P<at>.+?) change places")
_COPY = re.compile(r"(?:(?P<before>[^ ]+) \+ )?a copy from (?P<start>.+?) to (?P<end>[^+]+?)"
                   r"(?: \+ (?P<after>[^ ]+))?")  # fmt: skip
_MAX_RULES = 12
_MAX_PAIRS = 80


@dataclass(frozen=True, slots=True)
class Ending:
    """An end of a word (``is_suffix``) or a beginning, dropped and another set in its place."""

    dropped: str
    added: str
    is_suffix: bool

    def __str__(self) -> str:
        left, right = ("-", "") if self.is_suffix else ("", "-")
        return " → ".join(f"{left}{part or '∅'}{right}" for part in (self.dropped, self.added))

    def run(self, word: tuple[str, ...]) -> tuple[str, ...] | None:
        """Return the word with its end changed; None where it has another end."""
        text = "".join(word)
        if self.is_suffix:
            fits = text.endswith(self.dropped)
            return (text[: len(text) - len(self.dropped)] + self.added,) if fits else None
        fits = text.startswith(self.dropped)
        return (self.added + text[len(self.dropped) :],) if fits else None


@dataclass(frozen=True, slots=True)
class Rule:
    """A change of a word, and the condition under which it is made (``""`` for none)."""

    change: Change | Program | Ending
    condition: str = ""


@dataclass(frozen=True)
class Changes:
    """Rules in their order; ``rest_stays`` says whether what none applies to stays as it is."""

    rules: tuple[Rule, ...]
    rest_stays: bool = True

    def lines(self) -> tuple[str, ...]:
        """Return the rules, a line each."""
        return (*map(_printed, self.rules), *((_REST,) if self.rest_stays else ()))

    @staticmethod
    def parse(lines: Sequence[str]) -> Changes:
        """Read the rules back."""
        rules = tuple(_parsed(line) for line in lines if line != _REST)
        return Changes(rules, _REST in lines)

    def regenerate(self, inputs: Sequence[str], options: Sequence[str]) -> list[str]:
        """Return what becomes of each word, ``""`` where nothing is said of it."""
        return [self._changed(word) for word in inputs]

    def is_rest(self, word: str) -> bool:
        """Say whether no rule applies to a word."""
        split = segments(word)
        return all(_applied(rule, split) is None for rule in self.rules)

    def _changed(self, word: str) -> str:
        split = segments(word)
        made = (_applied(rule, split) for rule in self.rules)
        rest = word if self.rest_stays else ""
        return next((text for text in made if text is not None), rest)


def find_changes(pairs: Sequence[tuple[str, str]]) -> Changes:
    """Return the few rules that together give most pairs, the most special first.

    Greedy, from the general to the special: the rule set before those already there is the one
    that rights most words more than it spoils; it has to right two or more (the elsewhere
    condition: Kiparsky 1973).
    """
    pairs = list(dict.fromkeys(pairs))[:_MAX_PAIRS]
    rules, results = _candidates(pairs, [segments(one) for one, _ in pairs])
    right = [one == other for one, other in pairs]
    taken: list[Rule] = []
    while len(taken) < _MAX_RULES:
        best, best_gain = -1, 1
        for k, made in enumerate(results):
            gain = sum(
                (text == pairs[i][1]) - right[i] for i, text in enumerate(made) if text is not None
            )
            if gain > best_gain:
                best, best_gain = k, gain
        if best < 0:
            break
        taken.insert(0, rules[best])
        for i, text in enumerate(results[best]):
            right[i] = text == pairs[i][1] if text is not None else right[i]
    theory = Changes(tuple(taken))
    stays = any(one == other and theory.is_rest(one) for one, other in pairs)
    return Changes(tuple(taken), stays or not taken)


def _candidates(
    pairs: Sequence[tuple[str, str]], words: Sequence[tuple[str, ...]]
) -> tuple[list[Rule], list[list[str | None]]]:
    """Return rules that give two pairs or more, and what each makes of every word."""
    endings = dict.fromkeys(ending for one, other in pairs for ending in _endings(one, other))
    bare: list[Change | Program | Ending] = [
        *sorted(endings, key=lambda ending: len(ending.dropped + ending.added))
    ]
    bare += [rule for rule, _, _ in ChangeRules(pairs).rules]
    bare += [program for program, _, _ in Found(pairs).programs]
    known = [_conditions(word) for word in words]
    rules, results = [], []
    for change in filter(_is_printable, bare):
        made = [_applied(Rule(change), word) for word in words]
        hits = [i for i, text in enumerate(made) if text == pairs[i][1]]
        if len(hits) < 2:
            continue
        shared = Counter(name for i in hits for name in known[i])
        for condition in ("", *sorted((n for n, k in shared.items() if k > 1), key=_generality)):
            rules.append(Rule(change, condition))
            results.append(
                [
                    text if not condition or condition in known[i] else None
                    for i, text in enumerate(made)
                ]
            )
    return rules, results


def _generality(condition: str) -> tuple[bool, bool, str]:
    """Order conditions: classes before single letters, the last vowel before the last letter."""
    return not condition.endswith("]"), "vowel" not in condition, condition


def _endings(one: str, other: str) -> Iterator[Ending]:
    """Yield the change of the end, and of the beginning, that turns one word into the other."""
    same = _n_shared(one, other)
    if same:
        yield Ending(one[same:], other[same:], is_suffix=True)
    same = _n_shared(one[::-1], other[::-1])
    if same:
        yield Ending(one[: len(one) - same], other[: len(other) - same], is_suffix=False)


def _n_shared(one: str, other: str) -> int:
    """Return the length of the common beginning."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((i for i, (mine, theirs) in pairs if mine != theirs), min(len(one), len(other)))


def _conditions(word: tuple[str, ...]) -> frozenset[str]:
    """Return the conditions on its last vowel and its last letter that a word meets."""
    return frozenset(
        name for name in conditions(Place("".join(word), "", frozenset())) if "after" in name
    )


def _applied(rule: Rule, word: tuple[str, ...]) -> str | None:
    """Return the word changed at the first place where the rule applies; None where it does not."""
    if rule.condition and rule.condition not in _conditions(word):
        return None
    change = rule.change
    made = next(change.apply(word), None) if isinstance(change, Change) else change.run(word)
    return None if made is None else "".join(made)


def _is_printable(change: Change | Program | Ending) -> bool:
    if isinstance(change, Change):
        parts = (*change.before, *change.after, *change.left, *change.right)
    elif isinstance(change, Ending):
        parts = (change.dropped, change.added)
    else:
        parts = (*change.before, *change.after)
    plain = (part for part in parts if part != "#" and part not in _CLASS_NAMES)
    return all(is_plain(part.replace(" ", "x")) for part in plain)


def _printed(rule: Rule) -> str:
    text = _printed_change(rule.change)
    return f"{text}, {rule.condition}" if rule.condition else text


def _printed_change(change: Change | Program | Ending) -> str:
    if not isinstance(change, Change):
        return str(change).replace("  ", " ") if isinstance(change, Program) else str(change)
    sides = (change.before, change.after, change.left, change.right)
    before, after, left, right = (
        "".join(_CLASS_NAMES.get(s, s) for s in side).replace(" ", "␣") for side in sides
    )
    context = f" / {left}_{right}" if left or right else ""
    return f"{before or '∅'} → {after or '∅'}{context}"


def _parsed(line: str) -> Rule:
    text, comma, condition = line.rpartition(", after ")
    if comma:
        return Rule(_parsed_change(text), f"after {condition}")
    return Rule(_parsed_change(line))


def _parsed_change(line: str) -> Change | Program | Ending:
    before, arrow, rest = line.partition(" → ")
    if not arrow:
        return _parsed_program(line)
    if before.startswith("-") and len(before) > 1:
        return Ending(_bare(before[1:]), _bare(rest[1:]), is_suffix=True)
    if before.endswith("-") and len(before) > 1:
        return Ending(_bare(before[:-1]), _bare(rest[:-1]), is_suffix=False)
    after, _, context = rest.partition(" / ")
    left, _, right = context.partition("_")
    return Change(*(_split(part) for part in (before, after, left, right)))


def _bare(part: str) -> str:
    return "" if part == "∅" else part


def _split(text: str) -> tuple[str, ...]:
    """Return the segments and classes of a part of a rule."""
    if text == "∅":
        return ()
    out: list[str] = []
    for part in _PART.findall(text.replace("␣", " ")):
        if part in _CLASS_SIGNS:
            out.append(_CLASS_SIGNS[part])
        elif out and len(segments(out[-1] + part)) == 1:
            out[-1] += part
        else:
            out.append(part)
    return tuple(out)


def _parsed_program(line: str) -> Program:
    exchange = _EXCHANGE.fullmatch(line)
    if exchange is not None:
        return Program(place_of(exchange["at"]), 0, exchanged=True)
    match = _PROGRAM.fullmatch(line)
    if match is None:
        return Program("nowhere", 0)
    trim = (_number(match["first"]), _number(match["last"]))
    at, cut = place_of(match["at"]), _number(match["cut"])
    copy = _COPY.fullmatch(match["piece"] or "")
    if copy is None:
        constant = segments((match["piece"] or "").replace(" + ", ""))
        return Program(at, cut, constant, trim=trim)
    before, after = segments(copy["before"] or ""), segments(copy["after"] or "")
    start, end = place_of(copy["start"]), place_of(copy["end"])
    return Program(at, cut, before, start, end, after, trim)


def _number(said: str | None) -> int:
    """Return how many letters are said: ``2 letters are``; one where no number is."""
    if not said:
        return 0
    return int(said[0]) if said[0].isdigit() else 1
