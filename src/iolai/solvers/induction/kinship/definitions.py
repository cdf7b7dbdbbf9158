"""The search for definitions: for each word the shortest that hold for all that is said with it.

Sets of pairs of persons are whole numbers whose bits stand for kinds of pairs: pairs that are
related in the very same ways are of one kind.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count

from iolai.solvers.induction.printed.kin_relations import (
    KIN_SETS,
    Relation,
    is_member,
    kin_cost,
)
from iolai.solvers.induction.printed.kinship import CONDITIONS, Clause

__all__ = ["Choice", "Kind", "Option", "Space", "choose", "make_space"]

#: A kind of pair: all the ways in which the relative is related to ego.
Kind = tuple[Relation, ...]
IsOver = Callable[[], bool]

_MAX_CONDITIONS = 4
_CASE_BITS = 2.5
_BROAD_BITS = 0.02
_OVERLAP_BITS = 1.5
#: Naming a set of relations that another word is defined by already costs no more than this.
_AGAIN_BITS = 1.5
_ASKED_BITS = 8.0
_N_OPTIONS = 24
_N_CLAUSES = 40
_FUEL = 1500
_ROUNDS = 6


@dataclass(frozen=True, slots=True)
class Case:
    """A clause with the kinds of pairs it holds for and its bits."""

    clause: Clause
    mask: int
    bits: float


@dataclass(frozen=True, slots=True)
class Option:
    """One way to define a word: its cases, whom they reach, the bits of them."""

    clauses: tuple[Clause, ...]
    mask: int
    bits: float


@dataclass
class Space:
    """All cases that differ over the kinds of pairs of a family, and what was searched in it."""

    kinds: tuple[Kind, ...]
    cases: tuple[Case, ...]
    found: dict[tuple[int, int], list[Option]] = field(default_factory=dict)

    def mask(self, kinds: Iterable[Kind]) -> int:
        """Return the set of some kinds."""
        wanted = set(kinds)
        return sum(1 << i for i, kind in enumerate(self.kinds) if kind in wanted)

    def options(self, said: int, never: int) -> list[Option]:
        """Return definitions that hold for all kinds ``said`` and none ``never``, cheapest first.

        Kinds that are in both are not held against a definition. Empty where there is none.
        """
        key = (said, never & ~said)
        if key not in self.found:
            self.found[key] = _covers(self.cases, *key)
        return self.found[key]


def make_space(kinds: Sequence[Kind], is_over: IsOver) -> Space:
    """Return the space over some kinds of pairs."""
    relations = tuple(dict.fromkeys(relation for kind in kinds for relation in kind))
    place = {relation: i for i, relation in enumerate(relations)}
    literals = {
        name: sum(1 << i for i, r in enumerate(relations) if r.traits().get(trait) in values)
        for name, (trait, values, _) in CONDITIONS.items()
    }
    best: dict[int, tuple[float, Clause]] = {}
    for key in KIN_SETS:
        if is_over():
            break
        base = sum(1 << i for i, r in enumerate(relations) if is_member(key, r))
        if base:
            _narrow(key, base, literals, best)
    of_kind = [sum(1 << place[relation] for relation in kind) for kind in kinds]
    return Space(tuple(kinds), _as_cases(best, of_kind))


def _narrow(
    key: str, base: int, literals: Mapping[str, int], best: dict[int, tuple[float, Clause]]
) -> None:
    """Add the cheapest clause of each set that conditions carve out of a set of relations."""
    here: dict[int, tuple[float, tuple[str, ...]]] = {base: (kin_cost(key), ())}
    latest = dict(here)
    for _ in range(_MAX_CONDITIONS):
        made: dict[int, tuple[float, tuple[str, ...]]] = {}
        for mask, (bits, names) in latest.items():
            for name, literal in literals.items():
                fewer = mask & literal
                cost = bits + CONDITIONS[name][2]
                if fewer and fewer != mask and cost < made.get(fewer, (1e9,))[0]:
                    made[fewer] = (cost, (*names, name))
        latest = {m: v for m, v in made.items() if v[0] < here.get(m, (1e9,))[0]}
        here.update(latest)
    for mask, (bits, names) in here.items():
        if bits < best.get(mask, (1e9, None))[0]:
            ordered = tuple(name for name in CONDITIONS if name in names)
            best[mask] = (bits, Clause(key, ordered))


def _as_cases(best: Mapping[int, tuple[float, Clause]], of_kind: Sequence[int]) -> tuple[Case, ...]:
    """Turn sets of relations into sets of kinds of pairs, the cheapest clause of each."""
    cases: dict[int, Case] = {}
    for mask, (bits, clause) in best.items():
        reach = 0
        for i, relations in enumerate(of_kind):
            if mask & relations:
                reach |= 1 << i
        old = cases.get(reach)
        if reach and (old is None or bits < old.bits):
            cases[reach] = Case(clause, reach, bits + _BROAD_BITS * reach.bit_count())
    return tuple(sorted(cases.values(), key=lambda case: (case.bits, str(case.clause))))


def _covers(cases: Sequence[Case], said: int, never: int) -> list[Option]:
    """Search the cheapest unions of cases first; counted work, so that it ends."""
    by_cover: dict[int, list[Case]] = {}
    for case in cases:
        if case.mask & said and not case.mask & never:
            kept = by_cover.setdefault(case.mask & said, [])
            if len(kept) < _N_CLAUSES:
                kept.append(case)
    ties = count()
    heap: list[tuple[float, int, int, int, tuple[Clause, ...]]] = [(0.0, next(ties), said, 0, ())]
    found: dict[int, Option] = {}
    for _ in range(_FUEL):
        if not heap or len(found) >= _N_OPTIONS:
            break
        bits, _, left, mask, clauses = heapq.heappop(heap)
        if not left:
            found.setdefault(mask, Option(clauses, mask, bits))
            continue
        first = left & -left
        more = _CASE_BITS if clauses else 0.0
        for cover, kept in by_cover.items():
            if cover & first:
                for case in kept:
                    row = (*clauses, case.clause)
                    new = (bits + case.bits + more, next(ties), left & ~cover, mask | case.mask)
                    heapq.heappush(heap, (*new, row))
    return list(found.values())


# --- all words together ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Choice:
    """One option for each word, and the bits of all with what is said twice or not at all."""

    options: Mapping[str, Option]
    bits: float


def choose(
    options: Mapping[str, Sequence[Option]],
    together: frozenset[frozenset[str]],
    asked: int,
    is_over: IsOver,
) -> Choice:
    """Choose an option per word: short, of few kinds in common, and all kinds ``asked`` reached.

    Words that are said ``together`` may reach the same kinds. Coordinate descent from the
    shortest options and from the narrowest.
    """
    words = sorted(word for word, found in options.items() if found)
    starts: list[Callable[[Option], float]] = [lambda o: o.bits, lambda o: o.mask.bit_count()]
    results = []
    for start in starts:
        chosen = {word: min(options[word], key=start) for word in words}
        for _ in range(_ROUNDS):
            before = dict(chosen)
            for word in words:
                if is_over():
                    break
                chosen[word] = _best_beside(word, chosen, options[word], together, asked)
            if chosen == before:
                break
        results.append(Choice(chosen, _total(chosen, together, asked)))
    return min(results, key=lambda choice: choice.bits)


def _best_beside(
    word: str,
    chosen: Mapping[str, Option],
    options: Sequence[Option],
    together: frozenset[frozenset[str]],
    asked: int,
) -> Option:
    others = {w: o.mask for w, o in chosen.items() if w != word}
    rivals = [m for w, m in others.items() if frozenset((w, word)) not in together]
    used = {c.kin for w, o in chosen.items() if w != word for c in o.clauses}
    unreached = asked
    for mask in others.values():
        unreached &= ~mask

    def cost(option: Option) -> float:
        shared = sum((option.mask & mask).bit_count() for mask in rivals)
        missing = (unreached & ~option.mask).bit_count()
        again = _saved(option, used)
        return option.bits - again + _OVERLAP_BITS * shared + _ASKED_BITS * missing

    return min(options, key=cost)


def _saved(option: Option, used: set[str]) -> float:
    """Return the bits that sets of relations named before need no more."""
    return sum(max(0.0, kin_cost(c.kin) - _AGAIN_BITS) for c in option.clauses if c.kin in used)


def _total(chosen: Mapping[str, Option], together: frozenset[frozenset[str]], asked: int) -> float:
    bits, used = 0.0, set[str]()
    words = sorted(chosen)
    for word in words:
        bits += chosen[word].bits - _saved(chosen[word], used)
        used |= {clause.kin for clause in chosen[word].clauses}
    for i, one in enumerate(words):
        for other in words[i + 1 :]:
            if frozenset((one, other)) not in together:
                shared = chosen[one].mask & chosen[other].mask
                bits += _OVERLAP_BITS * shared.bit_count()
    for option in chosen.values():
        asked &= ~option.mask
    return bits + _ASKED_BITS * asked.bit_count()
