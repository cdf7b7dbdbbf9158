"""The search for definitions: for each word the shortest that hold for all that is said with it.

Sets of pairs of persons are whole numbers whose bits stand for kinds of pairs: pairs that are
related in the very same ways are of one kind.
"""

from __future__ import annotations

import heapq
import random
from collections import Counter
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

__all__ = ["Choice", "Kind", "Needs", "Option", "Space", "choose", "make_space", "rivals"]

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
#: A near kind of pair without a word, which the sheet may just not show.
_GAP_BITS = 0.1
_NEAR_STEPS = 3
_N_OPTIONS = 24
_N_CLAUSES, _N_PARTIAL, _N_BRANCHES = 40, 5, 60
_FUEL = 400
_ROUNDS = 6
_RESTARTS = 6
#: A definition of so many bits more is no rival.
_FAR_BITS = 8.0


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

    def near(self) -> int:
        """Return the kinds that are near relatives by blood."""
        return self.mask(
            kind for kind in self.kinds
            if any("P" not in r.steps and len(r.steps) <= _NEAR_STEPS for r in kind)
        )  # fmt: skip

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
    return Space(tuple(kinds), _as_cases(best, of_kind, is_over))


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


def _as_cases(
    best: Mapping[int, tuple[float, Clause]], of_kind: Sequence[int], is_over: IsOver
) -> tuple[Case, ...]:
    """Turn sets of relations into sets of kinds of pairs, the cheapest clause of each."""
    cases: dict[int, Case] = {}
    for mask, (bits, clause) in best.items():
        if is_over():
            break
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
    useful = _useful(cases, said, never)
    ties = count()
    heap: list[tuple[float, int, int, int, tuple[Clause, ...]]] = [(0.0, next(ties), said, 0, ())]
    found: dict[int, Option] = {}
    by_first: dict[int, list[Case]] = {}
    for _ in range(_FUEL):
        if not heap or len(found) >= _N_OPTIONS:
            break
        bits, _, left, mask, clauses = heapq.heappop(heap)
        if not left:
            found.setdefault(mask, Option(clauses, mask, bits))
            continue
        first = left & -left
        if first not in by_first:
            by_first[first] = [case for case in useful if case.mask & first][:_N_BRANCHES]
        more = _CASE_BITS if clauses else 0.0
        for case in by_first[first]:
            row = (*clauses, case.clause)
            new = (bits + case.bits + more, next(ties), left & ~case.mask, mask | case.mask)
            heapq.heappush(heap, (*new, row))
    return list(found.values())


def _useful(cases: Sequence[Case], said: int, never: int) -> list[Case]:
    """Return the cases that hold for something said and nothing forbidden, the cheapest first.

    Of those that hold for the same things said only some are kept, more where that is all of them.
    """
    n_kept: Counter[int] = Counter()
    useful = []
    for case in cases:
        cover = case.mask & said
        if cover and not case.mask & never:
            n_kept[cover] += 1
            if n_kept[cover] <= (_N_CLAUSES if cover == said else _N_PARTIAL):
                useful.append(case)
    return useful


# --- all words together ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Needs:
    """Kinds of pairs that want a word: those ``asked`` for, and near relatives by blood."""

    asked: int
    near: int

    def bits(self, reached: int) -> float:
        """Return the bits of what no word reaches."""
        n_gaps = (self.near & ~reached).bit_count()
        return _ASKED_BITS * (self.asked & ~reached).bit_count() + _GAP_BITS * n_gaps


@dataclass(frozen=True, slots=True)
class Choice:
    """One option for each word, and the bits of all with what is said twice or not at all."""

    options: Mapping[str, Option]
    bits: float


def choose(
    options: Mapping[str, Sequence[Option]],
    together: frozenset[frozenset[str]],
    needs: Needs,
    is_over: IsOver,
) -> Choice:
    """Choose an option per word: short ones that share few kinds and reach those of ``needs``.

    Words that are said ``together`` may reach the same kinds. Coordinate descent from the
    shortest options and from the narrowest, in several orders of the words.
    """
    words = sorted(word for word, found in options.items() if found)
    starts: list[Callable[[Option], float]] = [lambda o: o.bits, lambda o: o.mask.bit_count()]
    rng = random.Random(0)  # noqa: S311 - orders of a search
    results: list[Choice] = []
    for start in starts * _RESTARTS:
        if is_over() and results:
            break
        chosen = {word: min(options[word], key=start) for word in words}
        rng.shuffle(words)
        for _ in range(_ROUNDS):
            before = dict(chosen)
            for word in words:
                if is_over():
                    break
                chosen[word] = _best_beside(word, chosen, options[word], together, needs)
            if chosen == before:
                break
        results.append(Choice(chosen, _total(chosen, together, needs)))
    return min(results, key=lambda choice: choice.bits)


def rivals(
    chosen: Mapping[str, Option],
    options: Mapping[str, Sequence[Option]],
    together: frozenset[frozenset[str]],
    needs: Needs,
) -> dict[str, tuple[tuple[Option, float], ...]]:
    """Return other options of each word, with their bits over the chosen one beside all others.

    Only such as reach other kinds of pairs, and cost less than 8 bits more.
    """
    found = {}
    for word, option in chosen.items():
        cost = _cost_beside(word, chosen, together, needs)
        least = cost(option)
        more = [(o, max(0.0, cost(o) - least)) for o in options[word] if o.mask != option.mask]
        found[word] = tuple((o, bits) for o, bits in more if bits < _FAR_BITS)
    return found


def _best_beside(
    word: str,
    chosen: Mapping[str, Option],
    options: Sequence[Option],
    together: frozenset[frozenset[str]],
    needs: Needs,
) -> Option:
    return min(options, key=_cost_beside(word, chosen, together, needs))


def _cost_beside(
    word: str,
    chosen: Mapping[str, Option],
    together: frozenset[frozenset[str]],
    needs: Needs,
) -> Callable[[Option], float]:
    """Return what an option of a word costs beside those chosen for the others, in bits."""
    others = {w: o.mask for w, o in chosen.items() if w != word}
    rivals = [m for w, m in others.items() if frozenset((w, word)) not in together]
    used = {c.kin for w, o in chosen.items() if w != word for c in o.clauses}
    reached = 0
    for mask in others.values():
        reached |= mask

    def cost(option: Option) -> float:
        shared = sum((option.mask & mask).bit_count() for mask in rivals)
        again = _saved(option, used)
        return option.bits - again + _OVERLAP_BITS * shared + needs.bits(reached | option.mask)

    return cost


def _saved(option: Option, used: set[str]) -> float:
    """Return the bits that sets of relations named before need no more."""
    return sum(max(0.0, kin_cost(c.kin) - _AGAIN_BITS) for c in option.clauses if c.kin in used)


def _total(
    chosen: Mapping[str, Option], together: frozenset[frozenset[str]], needs: Needs
) -> float:
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
    reached = 0
    for option in chosen.values():
        reached |= option.mask
    return bits + needs.bits(reached)
