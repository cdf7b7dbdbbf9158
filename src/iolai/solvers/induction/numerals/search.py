"""The search for a lexicon: facts one after another, the most constrained first, in a beam."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from iolai.solvers.induction.numerals.arithmetic import State, solve, values_of
from iolai.solvers.induction.numerals.equations import Equation, Fact, Term, value_of
from iolai.solvers.induction.numerals.meter import Meter
from iolai.solvers.induction.numerals.words import Segmentation

__all__ = ["Hypothesis", "search"]

_MISS_BITS = 14.0
_EXPANSIONS = 4000
_UNKNOWN_VALUES = range(1, 41)
_MAX_NAME = 9
_N_MENDED, _MAX_MENDED, _MENDING_FUEL = 4, 2, 3000
_MIN_FUEL = 100
#: Steps of work for each hypothesis kept.
_KEPT_STEPS = 20.0
#: Steps of work for one value of one name of an equation, with what is done for it.
_VALUE_STEPS = 30.0
#: What a fact may cost: so much, and so much for each new morph.
_SLACK_BITS = 13.0
_MORPH_BITS = 5.5

#: A state and, for each group of names with shared values, the values given away.
Hypothesis = tuple[State, frozenset[tuple[int, int]]]


def search(
    facts: Sequence[Fact],
    segmentation: Segmentation,
    effort: tuple[int, int],
    meter: Meter,
    start: State | None = None,
) -> list[State]:
    """Return lexicons that explain the facts, the cheapest first.

    ``effort`` is the beam's width, and how many names may be solved in all: a fact takes at most
    a third of what is left, so that the result depends on no clock while there is time. ``start``
    is a lexicon to begin with. Where the meter is spent, the facts left are missed.
    """
    width, tank = effort
    beam: list[Hypothesis] = [((start or State()).metered(meter), frozenset())]
    ordered = _ordered(facts, segmentation)
    for n_done, fact in enumerate(ordered):
        if meter.is_spent:
            beam = [_missed(each, len(ordered) - n_done) for each in beam]
            break
        morphs = {m for name in fact.names() for m in segmentation.morphs(name)}
        found: dict[object, Hypothesis] = {}
        fuel = max(_MIN_FUEL, tank // (3 * len(beam)))
        for state, taken in beam:
            if tank <= 0:
                fuel = 1  # what is known already is still checked
            bits = _SLACK_BITS + _MORPH_BITS * len(morphs - state.lexicon.keys())
            limited = state.limited(bits, fuel)
            for made, given in islice(_extended(fact, segmentation, limited, taken), _EXPANSIONS):
                _keep(found, made, given)
            tank -= fuel - max(0, limited.fuel.left)
            _keep(found, *_missed((state, taken), 1))
        meter.take(_KEPT_STEPS * len(found))
        beam = heapq.nsmallest(width, found.values(), key=lambda entry: entry[0].cost)
    return [_mended(*each, facts, segmentation) for each in beam[:_N_MENDED]]


def _missed(each: Hypothesis, n_facts: int) -> Hypothesis:
    """Make a hypothesis dearer by some facts that it does not explain."""
    return replace(each[0], cost=each[0].cost + _MISS_BITS * n_facts), each[1]


def _mended(
    state: State, taken: frozenset[tuple[int, int]], facts: Sequence[Fact], cut: Segmentation
) -> State:
    """Try the facts with unknown morphs again, now that the rest of the lexicon is known."""
    open_facts = [fact for fact in facts if not fact.is_open]
    for _ in range(2):
        for fact in list(open_facts):
            morphs = {m for name in fact.names() for m in cut.morphs(name)}
            n_unknown = len(morphs - state.lexicon.keys())
            if not n_unknown:
                open_facts.remove(fact)
            elif n_unknown <= _MAX_MENDED:
                limited = state.limited(_MISS_BITS + _MORPH_BITS * n_unknown, _MENDING_FUEL)
                options = islice(_extended(fact, cut, limited, taken), _EXPANSIONS)
                best = min(options, key=lambda option: option[0].cost, default=None)
                if best is not None:
                    state, taken = best
                    state = replace(state, cost=state.cost - _MISS_BITS)
    return state


def _keep(found: dict[object, Hypothesis], state: State, taken: frozenset[tuple[int, int]]) -> None:
    key = (frozenset(state.lexicon.items()), state.constructions, taken)
    old = found.get(key)
    if old is None or state.cost < old[0].cost:
        found[key] = (state, taken)


def _ordered(facts: Sequence[Fact], segmentation: Segmentation) -> list[Fact]:
    """Order facts so that each brings as few new morphs as can be, short ones first."""
    facts = [fact for fact in facts if not fact.is_open]
    left = [
        (fact, [segmentation.morphs(name) for name in fact.names()], repr(fact)) for fact in facts
    ]
    left = [each for each in left if all(len(morphs) <= _MAX_NAME for morphs in each[1])]
    known: set[str] = set()
    ordered = []
    while left:
        best = min(left, key=lambda each: _difficulty(each[0], each[1], each[2], known))
        left.remove(best)
        ordered.append(best[0])
        known.update(morph for morphs in best[1] for morph in morphs)
    return ordered


def _difficulty(
    fact: Fact, names: Sequence[tuple[str, ...]], text: str, known: set[str]
) -> tuple[float, int, int, str]:
    new = {morph for morphs in names for morph in morphs} - known
    open_values = 0.0 if fact.equation is None else 0.7 * max(0, len(fact.names()) - 1)
    options = 0.5 if fact.options else 0.0
    size = (
        max((term.value or 0 for term in fact.equation.terms()), default=0) if fact.equation else 0
    )
    return (
        len(new) + (open_values if new else 0) + options,
        sum(map(len, names)),
        size,
        text,
    )


# --- one fact -------------------------------------------------------------------------------


def _extended(
    fact: Fact, segmentation: Segmentation, state: State, taken: frozenset[tuple[int, int]]
) -> Iterator[Hypothesis]:
    if fact.equation is not None:
        for made in _balanced(fact.equation, segmentation, state):
            yield made, taken
        return
    morphs = segmentation.morphs(fact.name)
    for option in dict.fromkeys(fact.options):
        if (fact.group, option) not in taken:
            for _, made in solve(morphs, option, state):
                yield made, taken | {(fact.group, option)}


def _balanced(equation: Equation, segmentation: Segmentation, state: State) -> Iterator[State]:
    """Extend a state so that an equation holds: the side that is one name is solved last."""
    left, right = equation.left, equation.right
    if isinstance(left, Term) and left.name:
        left, right = right, left
    last = right if isinstance(right, Term) and right.name else None
    open_terms = [term for term in dict.fromkeys(equation.terms()) if term.name and term != last]
    open_terms.sort(key=lambda term: _n_unknown(term, segmentation, state))
    for values, made in _valued(open_terms, segmentation, state, {}):
        if last is None or last in values:
            if equation.holds(values):
                yield made
            continue
        target = value_of(left, values)
        if target is not None and target > 0:
            for _, solved in solve(segmentation.morphs(last.name), target, made):
                yield solved


def _n_unknown(term: Term, segmentation: Segmentation, state: State) -> tuple[int, int]:
    morphs = segmentation.morphs(term.name)
    return sum(morph not in state.lexicon for morph in morphs), len(morphs)


def _valued(
    terms: Sequence[Term], segmentation: Segmentation, state: State, values: dict[Term, int]
) -> Iterator[tuple[dict[Term, int], State]]:
    """Yield values for every term, one by one, unknown ones over a range."""
    if not terms:
        yield values, state
        return
    morphs = segmentation.morphs(terms[0].name)
    for value, _, made in values_of(morphs, state, _UNKNOWN_VALUES):
        if not state.fuel.meter.take(_VALUE_STEPS):
            return
        yield from _valued(terms[1:], segmentation, made, {**values, terms[0]: value})
