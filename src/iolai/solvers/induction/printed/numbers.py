"""Number names: what each morph is worth, and how values are joined; applied by arithmetic.

A grammar reads::

    number words: pe 1, kani 2, sul 3, mik 8, hano 12, zeri 144
    bases: 12 (hano), 144 (zeri)
    joined in this order, the first rule innermost:
    "N base" = N × base (seen with N from 2 to 8)
    "A fa B" = B − A (seen with A from 1 to 3 before multiples of 12)
    "B ut A" = B + A (seen with A from 5 to 141)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the number solver prints by way of this module, which it must not wait for
    from iolai.solvers.induction.numerals.equations import Equation

__all__ = ["IN_ORDER", "TRUE", "Joint", "Numbers", "print_lexicon"]

#: What the rules make of an equation that is true for the values they give.
TRUE = "true"

#: The line before rules whose order says which parts are joined first.
IN_ORDER = "joined in this order, the first rule innermost:"
_WORDS, _BASES = "number words: ", "bases: "
_IDLE = "without a value of their own: "
_JOINT = re.compile(
    r'"(?P<first>N|A|B|base)(?: (?P<link>\S+))? (?P<second>N|A|B|base)" = (?P<formula>[^(:]+)'
)
_SHORT = re.compile(r'"(?P<link>\S+) A" = (?P<whole>\d+) − A')
_SPAN = re.compile(r"(?P<low>\d+)(?: to (?P<high>\d+))?(?: before multiples of (?P<unit>\d+))?")
_RELATION = re.compile(r"[=<>]")
_MAX_WAYS, _MAX_MORPHS, _MAX_KEPT = 40, 16, 12
_MAX_VALUE = 10**7


@dataclass(frozen=True)
class Joint:
    """A way to join two parts: its sign, order and link, and which smaller parts are met with it.

    ``sign`` is ``*``, ``+``, ``-`` or ``>``, the last with the ``step`` that is counted in (0 for
    the unit of the bigger part). ``spans`` are (least, greatest) by the unit of the bigger part, 0
    for whatever unit.
    """

    sign: str
    small_first: bool
    link: str = ""
    step: int = 0
    spans: Mapping[int, tuple[int, int]] = field(default_factory=dict)

    def __str__(self) -> str:
        """Print the rule as a line."""
        small, big = ("N", "base") if self.sign == "*" else ("A", "B")
        first, second = (small, big) if self.small_first else (big, small)
        middle = f" {self.link} " if self.link else " "
        step = self.step or "unit of B"
        formula = {"*": "N × base", "+": "B + A", "-": "B − A", ">": f"B − {step} + A"}[self.sign]
        way = ": A counted on the way to B" if self.sign == ">" else ""
        return f'"{first}{middle}{second}" = {formula}{way}{self._printed_spans(small)}'

    def _printed_spans(self, small: str) -> str:
        if not self.spans:
            return ""
        said = []
        for unit, (low, high) in sorted(self.spans.items()):
            span = f"from {low} to {high}" if low != high else f"= {low}"
            said.append(f"{span} before multiples of {unit}" if unit else span)
        return f" (seen with {small} {', '.join(said)})"

    @staticmethod
    def parse(line: str) -> Joint | None:
        """Read a rule back; None where the line is no such rule."""
        match = _JOINT.match(line)
        if match is None:
            return None
        formula, sign, step = match["formula"], "+", 0
        if "×" in formula:
            sign = "*"
        elif "−" in formula:
            sign = ">" if "+" in formula else "-"
            found = re.search(r"− (\d+) \+", formula)
            step = int(found[1]) if found else 0
        spans = {}
        for found in _SPAN.finditer(line.rpartition(" (")[2] if line.endswith(")") else ""):
            low, high = int(found["low"]), int(found["high"] or found["low"])
            spans[int(found["unit"] or 0)] = (low, high)
        return Joint(sign, match["first"] in ("N", "A"), match["link"] or "", step, spans)

    def pattern(self) -> str:
        """Return how the two parts stand, as the rule begins."""
        return str(self).partition('" = ')[0].removeprefix('"')

    def said_beyond(self, small: int, unit: int) -> str:
        """Return what a smaller part that is none of those met is, as the spans say theirs."""
        before = f" before multiples of {unit}" if any(self.spans) else ""
        return f"“{self.pattern()}” with {'N' if self.sign == '*' else 'A'} = {small}{before}"

    def oddity(self, small: int, unit: int) -> int:
        """Return 1 where the smaller part is none of those met, else 0."""
        span = self.spans.get(unit, self.spans.get(0))
        return int(not span[0] <= small <= span[1]) if span else int(bool(self.spans))


@dataclass(frozen=True)
class _Worth:
    """A value, the unit it is counted in, and how much of it is unlike the names known.

    ``place`` is that of its outermost joint among the rules, -1 where it has none. ``beyond``
    says of each joint in it where a part is none of those seen.
    """

    value: int
    unit: int
    oddity: int = 0
    place: int = -1
    beyond: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Row:
    """The morphs of a name, and the readings found so far of its stretches by (start, end)."""

    morphs: tuple[str, ...]
    found: dict[tuple[int, int], list[_Worth]] = field(default_factory=dict)


def print_lexicon(
    words: Mapping[int, Sequence[str]], bases: Iterable[int], idle: Sequence[str]
) -> tuple[list[str], list[str]]:
    """Return the lines that stand before the joints, and those after them."""
    said = ", ".join(f"{'/'.join(words[n])} {n}" for n in sorted(words))
    lines = [f"{_WORDS}{said}"]
    named = [f"{n} ({'/'.join(words[n])})" if n in words else f"{n}" for n in sorted(bases)]
    if named:
        lines.append(_BASES + ", ".join(named))
    return lines, [_IDLE + ", ".join(idle)] if idle else []


@dataclass(frozen=True)
class Numbers:
    """The printed rules of a number grammar."""

    rules: tuple[str, ...]

    def lines(self) -> tuple[str, ...]:
        """Return the rules, a line each."""
        return self.rules

    @staticmethod
    def parse(lines: Sequence[str]) -> Numbers:
        """Read the rules back."""
        return Numbers(tuple(lines))

    def regenerate(self, inputs: Sequence[str], options: Sequence[str]) -> list[str]:
        """Return the value of each name, in figures, and ``true`` for each equation that is."""
        from iolai.solvers.induction.numerals.equations import equation_of

        reader = _Reader(self.rules)
        value = cache(reader.value)
        equations = [equation_of(text) if _RELATION.search(text) else None for text in inputs]
        return [
            value(text) if equation is None else _truth(equation, value)
            for text, equation in zip(inputs, equations, strict=True)
        ]

    def beyond(self, name: str, value: str) -> tuple[str, ...]:
        """Say where a name's reading takes parts that no example has, if it is read as a value."""
        worth = _Reader(self.rules).worth(name)
        return worth.beyond if worth is not None and str(worth.value) == value else ()


def _truth(equation: Equation, value: Callable[[str], str]) -> str:
    names = {term: value(term.name) for term in equation.terms() if term.name}
    if not all(names.values()):
        return ""
    return TRUE if equation.holds({term: int(said) for term, said in names.items()}) else "false"


class _Reader:
    """The rules read back, and names read by them."""

    def __init__(self, rules: Sequence[str]) -> None:
        self._words: dict[str, int] = {}
        self._bases: set[int] = set()
        self._idle: set[str] = set()
        self._short: dict[str, int] = {}
        self._joints: list[Joint] = []
        self._is_ordered = IN_ORDER in rules
        for rule in rules:
            if rule.startswith(_WORDS):
                for entry in rule.removeprefix(_WORDS).split(", "):
                    morphs, _, value = entry.rpartition(" ")
                    self._words.update(dict.fromkeys(morphs.split("/"), int(value)))
            elif rule.startswith(_BASES):
                self._bases.update(map(int, re.findall(r"(?:^|, )(\d+)", rule[len(_BASES) :])))
            elif rule.startswith(_IDLE):
                self._idle.update(rule.removeprefix(_IDLE).split(", "))
            elif match := _SHORT.match(rule):
                self._short[match["link"]] = int(match["whole"])
            elif joint := Joint.parse(rule):
                self._joints.append(joint)
        links = {joint.link for joint in self._joints if joint.link}
        self._morphs = [*self._words, *links, *self._idle, *self._short]

    def value(self, name: str) -> str:
        """Return the value of a name, ``""`` where it cannot be read."""
        worth = self.worth(name)
        return str(worth.value) if worth is not None else ""

    def worth(self, name: str) -> _Worth | None:
        """Return the reading of a name that is least unlike the names known."""
        best: _Worth | None = None
        for morphs in filter(None, _cuts(name, self._morphs)):
            for worth in self._read(morphs) if len(morphs) <= _MAX_MORPHS else ():
                if best is None or worth.oddity < best.oddity:
                    best = worth
        return best

    def _read(self, morphs: tuple[str, ...]) -> list[_Worth]:
        """Return the readings of a row of morphs, every stretch read once."""
        row = _Row(morphs)
        for size in range(1, len(morphs) + 1):
            for start in range(len(morphs) - size + 1):
                row.found[start, start + size] = self._stretch(row, start, start + size)
        return row.found[0, len(morphs)]

    def _stretch(self, row: _Row, start: int, end: int) -> list[_Worth]:
        kept: dict[tuple[int, int, int], _Worth] = {}
        for worth in self._ways(row, start, end):
            key = worth.value, worth.unit, worth.place
            old = kept.get(key)
            if 0 < worth.value <= _MAX_VALUE and (old is None or worth.oddity < old.oddity):
                kept[key] = worth
        return sorted(kept.values(), key=lambda worth: worth.oddity)[:_MAX_KEPT]

    def _ways(self, row: _Row, start: int, end: int) -> Iterator[_Worth]:
        first, found = row.morphs[start], row.found
        if end - start == 1:
            if first in self._words:
                yield _Worth(self._words[first], self._words[first])
            return
        if first in self._idle:
            yield from found[start + 1, end]
        if row.morphs[end - 1] in self._idle:
            yield from found[start, end - 1]
        whole = self._short.get(first, 0)
        for rest in found[start + 1, end] if whole else ():
            less = whole - rest.value
            yield _Worth(less, less, rest.oddity, beyond=rest.beyond)
        yield from self._joints_of(row, start, end)

    def _joints_of(self, row: _Row, start: int, end: int) -> Iterator[_Worth]:
        for place, joint in enumerate(self._joints):
            width = 1 if joint.link else 0
            for cut in range(start + 1, end - width):
                if width and row.morphs[cut] != joint.link:
                    continue
                sides = (start, cut), (cut + width, end)
                small, big = sides if joint.small_first else sides[::-1]
                for one in row.found[small]:
                    for other in row.found[big]:
                        yield from self._joined(place, one, other, big[1] - big[0])

    def _joined(self, place: int, small: _Worth, big: _Worth, n_big: int) -> Iterator[_Worth]:
        from iolai.solvers.induction.numerals.valuation import ROOM

        joint = self._joints[place]
        own = joint.oddity(small.value, big.unit)
        said = (joint.said_beyond(small.value, big.unit),) if own else ()
        beyond = (*small.beyond, *big.beyond, *said)
        oddity = small.oddity + big.oddity + own
        oddity += self._is_ordered * sum(part.place > place for part in (small, big))
        if joint.sign == "*":
            if n_big == 1 and big.value in self._bases and small.value < big.value**2:
                yield _Worth(small.value * big.value, big.value, oddity, place, beyond)
        elif joint.sign == "+":
            if small.value < ROOM * big.unit:
                yield _Worth(big.value + small.value, small.unit, oddity, place, beyond)
        elif joint.sign == "-":
            if small.value < big.unit:
                yield _Worth(big.value - small.value, small.unit, oddity, place, beyond)
        else:
            size = joint.step or big.unit
            if small.value < size and size > 1 and big.value % size == 0:
                yield _Worth(big.value - size + small.value, small.unit, oddity, place, beyond)


def _cuts(name: str, morphs_known: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """Yield the ways to cut a name into known morphs, the longest morphs first."""
    text = re.sub(r"[\s-]+", "", name)
    known = sorted(
        {re.sub(r"[\s-]+", "", morph): morph for morph in morphs_known}.items(),
        key=lambda pair: (-len(pair[0]), pair[0]),
    )

    @cache
    def from_place(place: int) -> tuple[tuple[str, ...], ...]:
        if place == len(text):
            return ((),)
        ways = (
            (morph, *rest)
            for spelt, morph in known
            if spelt and text.startswith(spelt, place)
            for rest in from_place(place + len(spelt))
        )
        return tuple(way for way, _ in zip(ways, range(_MAX_WAYS), strict=False))

    yield from from_place(0)
