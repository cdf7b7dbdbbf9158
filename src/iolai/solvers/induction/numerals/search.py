"""Finding what each morph means: equations with one unknown are solved, else the search branches.

Each example is an equation: the value of its morphs is given, or is one of several (unordered
values), or equals that of another row of morphs. The equation with the fewest unknown morphs is
taken first, and the simplest meanings are tried first; the cheapest solution found is kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from iolai.solvers.base import Budget
from iolai.solvers.induction.numerals.arithmetic import NOTHING, Meaning, value_of

__all__ = ["Equation", "Search"]

Morphs = tuple[str, ...]
_LINKS = (0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 20, 100)
_DIGITS = 12
_REPEATED = 3.0


@dataclass(frozen=True, slots=True)
class Equation:
    """A numeral's morphs and its value; None where the value is one of the search's pool."""

    morphs: Morphs
    value: int | None


class Search:
    """Searches the meanings of morphs that make all equations true."""

    def __init__(
        self,
        equations: Sequence[Equation],
        pool: Sequence[int],
        budget: Budget,
        n_nodes: int = 150_000,
    ) -> None:
        self._equations = list(equations)
        self._pool = tuple(pool)
        self._budget = budget
        self._left = n_nodes
        known = [e.value for e in equations if e.value is not None]
        self._top = max([*known, *pool, 10])
        self._ends = {e.morphs[-1] for e in equations if e.morphs}
        self._begins = {e.morphs[0] for e in equations if e.morphs}
        self.found: list[tuple[float, dict[str, Meaning]]] = []
        self._walk({}, 0.0)

    def best(self) -> dict[str, Meaning] | None:
        """Return the cheapest solution found, None where there is none."""
        return self.found[-1][1] if self.found else None

    def _walk(self, meanings: dict[str, Meaning], cost: float) -> None:
        if self._left <= 0 or self._budget.seconds_left <= 0:
            return
        if self.found and cost >= self.found[-1][0]:
            return
        self._left -= 1
        open_equations = []
        for place, equation in enumerate(self._equations):
            unknown = {m for m in equation.morphs if m not in meanings}
            if unknown:
                open_equations.append((len(unknown), len(equation.morphs), place, unknown))
            elif not self._holds(equation, meanings):
                return
        if not self._pool_is_possible(meanings):
            return
        if not open_equations:
            self.found.append((cost, dict(meanings)))
            return
        n_unknown, _, place, unknown = min(open_equations, key=lambda entry: entry[:3])
        morph = max(sorted(unknown), key=lambda m: (self._final(m), self._frequency(m)))
        taken = {(m.kind, m.size) for m in meanings.values() if m.size and m.kind != "link"}
        for meaning in self._options(self._equations[place], morph, meanings, n_unknown == 1):
            extra = _REPEATED if (meaning.kind, meaning.size) in taken else 0.0
            self._walk({**meanings, morph: meaning}, cost + meaning.cost + extra)

    def _holds(self, equation: Equation, meanings: dict[str, Meaning]) -> bool:
        self._left -= 1
        value = value_of(equation.morphs, meanings)
        if value is None or value <= 0:
            return False
        return value == equation.value if equation.value is not None else value in self._pool

    def _pool_is_possible(self, meanings: dict[str, Meaning]) -> bool:
        """Say whether the numerals whose value is from the pool have different values so far."""
        values = [
            value_of(e.morphs, meanings)
            for e in self._equations
            if e.value is None and all(m in meanings for m in e.morphs)
        ]
        return all(values.count(v) <= self._pool.count(v) for v in set(values) if v is not None)

    def _final(self, morph: str) -> int:
        """Count the numerals that a morph ends: digits do, bases and links seldom."""
        return sum(equation.morphs[-1] == morph for equation in self._equations)

    def _frequency(self, morph: str) -> int:
        return sum(morph in equation.morphs for equation in self._equations)

    def _options(
        self, equation: Equation, morph: str, meanings: dict[str, Meaning], is_last: bool
    ) -> Iterator[Meaning]:
        """Yield meanings of a morph, the simplest first; only true ones where it is the last."""
        alone = len(equation.morphs) == 1
        inner = morph not in self._ends and morph not in self._begins
        options: list[Meaning] = []
        if not alone:
            if morph not in self._begins:
                options += [Meaning("link", size) for size in _LINKS]
                options.append(Meaning("times"))
            options.append(NOTHING)
        top = self._top if is_last else _DIGITS
        numbers = [Meaning("digit", size) for size in range(1, min(top, _DIGITS) + 1)]
        numbers += [Meaning("number", size) for size in range(2, top + 1)]
        bases = [Meaning("base", size) for size in range(2, top + 1)]
        options = [*options, *numbers, *bases] if inner else [*numbers, *bases, *options]
        fitting = (
            option
            for option in options
            if not is_last or self._holds(equation, {**meanings, morph: option})
        )
        yield from sorted(fitting, key=lambda meaning: meaning.cost)
