"""Number names: what each morph is worth, and how values are joined; applied by arithmetic."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the number solver prints by way of this module, which it must not wait for
    from iolai.solvers.induction.numerals.arithmetic import Construction, State
    from iolai.solvers.induction.numerals.equations import Equation

__all__ = ["TRUE", "Numbers"]

#: What the rules make of an equation that is true for the values they give.
TRUE = "true"

_WORDS = "number words: "
_IDLE = "without a value of their own: "
_JOINT = re.compile(
    r'"(?P<first>N|A|B|base)(?: (?P<link>\S+))? (?P<second>N|A|B|base)" = (?P<formula>[^,]+)'
)
_RELATION = re.compile(r"[=<>]")
_MAX_WAYS = 40


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

        state = self._state()
        values: dict[str, str] = {}

        def value(name: str) -> str:
            if name not in values:
                values[name] = _value(name, state)
            return values[name]

        equations = [equation_of(text) if _RELATION.search(text) else None for text in inputs]
        return [
            value(text) if equation is None else _truth(equation, value)
            for text, equation in zip(inputs, equations, strict=True)
        ]

    def _state(self) -> State:
        from iolai.solvers.induction.numerals.arithmetic import State

        lexicon: dict[str, int | str] = {}
        joints: list[Construction] = []
        for rule in self.rules:
            if rule.startswith(_WORDS):
                for entry in rule.removeprefix(_WORDS).split(", "):
                    morphs, _, value = entry.rpartition(" ")
                    lexicon.update(dict.fromkeys(morphs.split("/"), int(value)))
            elif rule.startswith(_IDLE):
                lexicon.update(dict.fromkeys(rule.removeprefix(_IDLE).split(", "), "0"))
            elif match := _JOINT.match(rule):
                made = _construction(match)
                joints.append(made)
                if made.link:
                    lexicon[made.link] = made.op
        return State(lexicon, frozenset(joints))


def _truth(equation: Equation, value: Callable[[str], str]) -> str:
    names = {term: value(term.name) for term in equation.terms() if term.name}
    if not all(names.values()):
        return ""
    return TRUE if equation.holds({term: int(said) for term, said in names.items()}) else "false"


def _construction(match: re.Match[str]) -> Construction:
    from iolai.solvers.induction.numerals.arithmetic import Construction

    formula = match["formula"]
    op, step = "+", 0
    if "×" in formula:
        op = "*"
    elif "−" in formula:
        op = ">" if "+" in formula else "-"
        found = re.search(r"− (\d+) \+", formula)
        step = int(found[1]) if found else 0
    return Construction(op, match["first"] in ("N", "A"), match["link"] or "", step)


def _value(name: str, state: State) -> str:
    """Return the value of the reading that needs no joint but those of the grammar."""
    from iolai.solvers.induction.numerals.arithmetic import readings

    for morphs in filter(None, _cuts(name, state.lexicon)):
        good = [
            reading.value
            for reading in readings(morphs, state)
            if all(part in state.constructions for part in reading.parts)
        ]
        if good:
            return str(good[0])
    return ""


def _cuts(name: str, lexicon: Mapping[str, int | str]) -> Iterator[tuple[str, ...]]:
    """Yield the ways to cut a name into known morphs, the longest morphs first."""
    text = re.sub(r"[\s-]+", "", name)
    known = sorted(
        {re.sub(r"[\s-]+", "", morph): morph for morph in lexicon}.items(),
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
