"""The part solver for number names: facts in, a grammar out, and the items answered from it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from iolai.records import Candidate
from iolai.solvers.base import Budget
from iolai.solvers.induction.grammar import Grammar, Proposal, Slot, ranked
from iolai.solvers.induction.numerals.arithmetic import State
from iolai.solvers.induction.numerals.equations import (
    Equation,
    Fact,
    Term,
    bound_of,
    equation_of,
    facts_of,
    figures_within,
    number_in_words,
    number_of,
    solved_for,
)
from iolai.solvers.induction.numerals.exploring import explored
from iolai.solvers.induction.numerals.grammar import NumberGrammar
from iolai.solvers.induction.numerals.meter import Meter
from iolai.solvers.induction.numerals.reach import numbers_section
from iolai.solvers.induction.numerals.search import search
from iolai.solvers.induction.numerals.words import Segmentation, segmentations
from iolai.solvers.induction.reader import Sheet, SheetItem, TaskSheet

__all__ = ["Numerals"]

_WIDTHS = (30, 150)
#: Where no value is given every value is to be tried: a wide beam over few segmentations.
_OPEN_WIDTHS = (300, 1500)
_FUELS, _OPEN_FUELS = (80_000, 100_000), (80_000, 300_000)
_N_GRAMMARS = 4
#: Segmentations enumerated and searched, lexicons tried, and how many of them are proved.
_N_ENUMERATED, _N_SEARCHED = 10, 10
_N_PROVED, _PROOF = 6, (8, 4000)
#: Steps of work for one proof and for one proposal.
_PROOF_STEPS, _PROPOSAL_STEPS = 3e5, 1.2e6
#: Steps for the lexicons tried first, for both searches, and for lexicons tried for long.
_TRIED_STEPS, _SEARCH_STEPS, _LONG_STEPS = 7e6, 8e6, 36e6
#: What share of the time left trying for long takes at most.
_LONG_SHARE = 0.7
#: What share of the steps left each search takes at most.
_SHARES = (0.4, 1.0)
_BLANK_STEPS = 5.0
_CONFLICT_BITS = 6.0
_N_SEGMENTATIONS = 3
#: More facts than the second say little that is new, and each is looked at many times.
_MIN_FACTS, _MAX_FACTS, _MAX_COUNTED = 3, 120, 1000
_UNSAID_BITS = 4.0
_TEMPERATURE = 4.0
_MAX_BLANK = 2000
_N_VALUES = 3
#: What is longer is text; the names of some thousand words would take the time of a whole sheet.
_MAX_LETTERS = 500


@dataclass(frozen=True, slots=True)
class _Solution:
    """A lexicon with the segmentation it belongs to; ``bits`` is the cost of both."""

    bits: float
    state: State
    segmentation: Segmentation
    n_missed: int = 1


class Numerals:
    """Finds the number system that explains a sheet's numerals, and answers from it."""

    def propose(self, sheet: Sheet, budget: Budget) -> Iterator[Proposal]:
        """Yield a proposal from enumerated lexicons; where they fall short, search, and go on."""
        facts = facts_of(sheet)[:_MAX_FACTS]
        if sum(not fact.is_open for fact in facts) < _MIN_FACTS or not _is_about_numbers(sheet):
            return
        names = [name for fact in facts for name in fact.names()]
        names += [item.text for task in sheet.tasks for item in task.items if _is_name(item)]
        names = list(dict.fromkeys(names))
        options = _cheapest(segmentations(names), names)
        likely, top = options[:_N_ENUMERATED], bound_of(sheet)
        best = _enumerated(facts, likely, names, top, Meter(_TRIED_STEPS, budget))
        if best:
            yield _proposal(sheet, facts, best, Meter(_PROPOSAL_STEPS, budget))
        if best and _is_sure(best[0]):
            return
        best = yield from self._searched(sheet, facts, options, Meter(_SEARCH_STEPS, budget), best)
        more = _enumerated(facts, likely, names, top, Meter(_LONG_STEPS, _part_of(budget)))
        if more and (not best or more[0].bits < best[0].bits):
            yield _proposal(sheet, facts, more, Meter(_PROPOSAL_STEPS, budget))

    def _searched(
        self,
        sheet: Sheet,
        facts: Sequence[Fact],
        options: Sequence[Segmentation],
        meter: Meter,
        best: list[_Solution],
    ) -> Generator[Proposal, None, list[_Solution]]:
        """Yield a proposal after a quick search, and one after a wider search; return the best."""
        is_open = not any(_gives_value(fact) for fact in facts)
        options = options[: _N_SEGMENTATIONS if is_open else _N_SEARCHED]
        widths = _OPEN_WIDTHS if is_open else _WIDTHS
        fuels = _OPEN_FUELS if is_open else _FUELS
        for width, fuel, share in zip(widths, fuels, _SHARES, strict=True):
            part = meter.part(share * meter.left)
            best = _widened(facts, options, (width, fuel // len(options)), part, best)
            if not best:
                break
            proposal = _proposal(sheet, facts, best, Meter(_PROPOSAL_STEPS, meter.budget))
            if proposal.answers:
                yield proposal
            options = _distinct(solution.segmentation for solution in best)[:_N_SEGMENTATIONS]
        return best


def _part_of(budget: Budget) -> Budget:
    """Return a budget that leaves some of the time to the part solvers that come after."""
    return replace(budget, deadline=budget.clock() + _LONG_SHARE * budget.seconds_left)


def _cheapest(options: Sequence[Segmentation], names: Sequence[str]) -> list[Segmentation]:
    """Sort segmentations by what some names cost under them."""
    for option in options:
        for name in names:
            option.morphs(name)
    return sorted(options, key=lambda option: option.bits())


def _enumerated(
    facts: Sequence[Fact],
    options: Sequence[Segmentation],
    names: Sequence[str],
    top: int,
    meter: Meter,
) -> list[_Solution]:
    """Return the cheapest of the lexicons enumerated, each proved and mended on the facts."""
    found: dict[object, _Solution] = {}
    for each in explored(facts, options, names, top, meter)[:_N_PROVED]:
        start = State()
        for morph, meaning in each.seed.lexicon.items():
            start = start.with_morph(morph, meaning) or start
        proof = Meter(_PROOF_STEPS, meter.budget)
        for state in search(facts, each.segmentation, _PROOF, proof, start)[:1]:
            bits = state.cost + each.segmentation.bits()
            solution = _Solution(bits, state, each.segmentation, each.seed.n_missed)
            found.setdefault(_key(solution), solution)
    return sorted(found.values(), key=lambda s: s.bits)[: 2 * _N_GRAMMARS]


def _is_sure(solution: _Solution) -> bool:
    """Say whether a lexicon explains every fact, and no two of its morphs are the same number."""
    numbers = [m for m in solution.state.lexicon.values() if isinstance(m, int)]
    return not solution.n_missed and len(set(numbers)) == len(numbers)


def _distinct(segmentations: Iterable[Segmentation]) -> list[Segmentation]:
    return list({id(each): each for each in segmentations}.values())


def _is_about_numbers(sheet: Sheet) -> bool:
    asked = any(item.layout == "number" for task in sheet.tasks for item in task.items)
    return asked or bool(sheet.equations)


def _gives_value(fact: Fact) -> bool:
    if fact.equation is None:
        return bool(fact.options)
    return any(term.value is not None for term in fact.equation.terms())


def _is_name(item: SheetItem) -> bool:
    if item.source != "form" or not 0 < len(item.text) <= _MAX_LETTERS:
        return False
    return equation_of(item.text) is None


def _widened(
    facts: Sequence[Fact],
    options: Sequence[Segmentation],
    effort: tuple[int, int],
    meter: Meter,
    best: Sequence[_Solution],
) -> list[_Solution]:
    """Return the cheapest solutions over some segmentations, old ones among them."""
    found = {_key(solution): solution for solution in best}
    budget = meter.budget
    for n_left, segmentation in zip(range(len(options), 0, -1), options, strict=True):
        share = budget.clock() + budget.seconds_left / n_left
        limit = replace(budget, deadline=min(budget.deadline, share))
        part = meter.part(meter.left / n_left, limit)
        for state in search(facts, segmentation, effort, part)[:_N_GRAMMARS]:
            solution = _Solution(state.cost + segmentation.bits(), state, segmentation)
            old = found.get(_key(solution))
            if old is None or solution.bits < old.bits:
                found[_key(solution)] = solution
    return sorted(found.values(), key=lambda s: s.bits)[: 2 * _N_GRAMMARS]


def _key(solution: _Solution) -> object:
    return id(solution.segmentation), frozenset(solution.state.lexicon.items())


# --- answers --------------------------------------------------------------------------------


def _proposal(
    sheet: Sheet, facts: Sequence[Fact], best: Sequence[_Solution], meter: Meter
) -> Proposal:
    asked = [item.text for task in sheet.tasks for item in task.items if _is_name(item)]
    best = best[: 2 * _N_GRAMMARS]
    parts = [meter.part(meter.left / len(best)) for _ in best]
    grammars = [
        (s.bits, _grammar(s, facts, asked, part)) for s, part in zip(best, parts, strict=True)
    ]
    grammars = [pair for pair in grammars if pair[1].known]
    if not grammars:
        return Proposal(Grammar("numerals", ()))
    grammars = [
        (bits + _UNSAID_BITS * grammar.n_unsaid() + _CONFLICT_BITS * grammar.n_conflicts(), grammar)
        for bits, grammar in grammars
    ]
    grammars.sort(key=lambda pair: pair[0])
    answers: dict[Slot, tuple[Candidate, ...]] = {}
    least = min(bits for bits, _ in grammars)
    for t, task in enumerate(sheet.tasks):
        for i, item in enumerate(task.items):
            votes: dict[str, float] = defaultdict(float)
            for bits, grammar in grammars:
                weight = 2.0 ** (-(bits - least) / _TEMPERATURE)
                for rank, text in enumerate(_answers(grammar, task, item)[:4]):
                    votes[text] += weight / (1 + 3 * rank)
            if votes:
                answers[t, i] = ranked(votes)
    first = grammars[0][1]
    verified = first.verified()
    counted = facts_of(sheet)[:_MAX_COUNTED]
    section = numbers_section(first.rules(), counted, first.known, _answered(sheet, answers))
    verified = min(verified, section.share)
    found = Grammar("numerals", first.rules(), least, verified, verified, (section,))
    return Proposal(found, answers)


def _answered(
    sheet: Sheet, answers: Mapping[Slot, tuple[Candidate, ...]]
) -> list[tuple[str, str, str]]:
    """Return (label, name, value) of the answers that say what a name is worth."""
    found = []
    for (t, i), candidates in answers.items():
        item = sheet.tasks[t].items[i]
        given, text = item.text, candidates[0].text if candidates else ""
        value = number_of(given) if given else None
        label = item.label or str(i + 1)
        if value is not None:
            found.append((label, text, str(value)))
        elif _is_name(item):
            found.append((label, given, text))
    return found


def _grammar(
    solution: _Solution, facts: Sequence[Fact], asked: Sequence[str], meter: Meter
) -> NumberGrammar:
    """Return the grammar of a solution with every name whose value it settles."""
    state = _completed(solution, asked).metered(meter)
    bare = NumberGrammar(state, solution.segmentation, ())
    known: dict[str, int] = {}
    for fact in facts:
        if fact.equation is None:
            values = [v for v in bare.values(fact.name) if v in fact.options]
            if values:
                known[fact.name] = values[0]
            continue
        known.update(_settled(bare, fact.equation))
    return NumberGrammar(state, solution.segmentation, tuple(known.items()))


def _completed(solution: _Solution, asked: Sequence[str]) -> State:
    """Give the one digit that is missing to the one morph that only the items have."""
    state = solution.state
    rows = [solution.segmentation.morphs(name) for name in asked]
    unknown = {morph for row in rows for morph in row if morph not in state.lexicon}
    numbers = {meaning for meaning in state.lexicon.values() if isinstance(meaning, int)}
    run = next(n for n in range(1, _MAX_BLANK) if n not in numbers and n + 1 not in numbers)
    gaps = [n for n in range(1, run) if n not in numbers]
    if len(unknown) != 1 or len(gaps) != 1:
        return state
    return state.with_morph(unknown.pop(), gaps[0]) or state


def _settled(grammar: NumberGrammar, equation: Equation) -> dict[str, int]:
    """Return the values of an equation's names that make it true."""
    names = [term for term in dict.fromkeys(equation.terms()) if term.name]
    for values in _valuations(names, grammar):
        if equation.holds(values):
            return {term.name: value for term, value in values.items()}
    return {}


def _valuations(terms: Sequence[Term], grammar: NumberGrammar) -> Iterator[dict[Term, int]]:
    if not terms:
        yield {}
        return
    for value in grammar.values(terms[0].name)[:_N_VALUES]:
        if not grammar.state.fuel.meter.take(_BLANK_STEPS):
            return
        for rest in _valuations(terms[1:], grammar):
            yield {terms[0]: value, **rest}


def _answers(grammar: NumberGrammar, task: TaskSheet, item: SheetItem) -> list[str]:
    """Return the answers of one grammar to an item, best first."""
    equation = equation_of(item.text) if item.text else None
    if equation is not None:
        if any(term.blank is not None for term in equation.terms()):
            return [
                text
                for found in _filled(grammar, task, equation)
                for text in _said(grammar, found, item.target)
            ]
        rewritten = _in_words if item.target == "form" else _in_figures
        return rewritten(grammar, equation)
    if not item.text:
        return _blank(grammar, task, item)
    value = number_of(item.text)
    if value is None and item.source in ("value", "gloss"):
        value = figures_within(item.text) or number_in_words(item.text)
    if value is not None:
        return grammar.names(value)
    return [str(n) for n in grammar.values(item.text)]


def _said(grammar: NumberGrammar, value: int, target: str) -> list[str]:
    return [str(value)] if target == "value" else grammar.names(value)


def _in_figures(grammar: NumberGrammar, equation: Equation) -> list[str]:
    """Write an equation's names in figures."""
    values = _settled(grammar, equation)
    if not values:
        return []
    text = equation.text
    for name in sorted(values, key=lambda name: -len(name)):
        text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", str(values[name]), text)
    return [re.sub(r"\{(\d+)\}", r"\1", text)]


def _in_words(grammar: NumberGrammar, equation: Equation) -> list[str]:
    """Write an equation's figures in names."""
    figures = {term.value for term in equation.terms() if term.value is not None}
    names = {str(n): found[0] for n in figures if (found := grammar.names(n))}
    if len(names) < len(figures) or not figures:
        return []
    return [re.sub(r"(?<!\d)\d+(?!\d)", lambda m: names[m[0]], equation.text)]


def _filled(
    grammar: NumberGrammar, task: TaskSheet, equation: Equation, depth: int = 0
) -> list[int]:
    """Return the numbers that may stand in the blank asked for, the likeliest first.

    Other blanks of the equation get the values that their own equations give them.
    """
    blanks = [term for term in dict.fromkeys(equation.terms()) if term.blank is not None]
    asked = next((term for term in blanks if not term.blank), blanks[0])
    known: dict[Term, int] = {}
    for term in blanks:
        if term != asked:
            other = _item_labelled(task, term.blank or "")
            values = _filled(grammar, task, other, depth + 1) if other and depth < 2 else []
            if not values:
                return []
            known[term] = values[0]
    names = [term for term in dict.fromkeys(equation.terms()) if term.name]
    found: dict[int, None] = {}
    for values_of_names in _valuations(names, grammar):
        value = solved_for(equation, asked, {**known, **values_of_names})
        if value is not None:
            found.setdefault(value)
    return list(found)[:_N_VALUES]


def _item_labelled(task: TaskSheet, label: str) -> Equation | None:
    """Return the equation of the item with a label, its own blank written as the one asked for."""
    for item in task.items:
        if item.label == label and (found := equation_of(item.text)) is not None:
            return found
    return None


def _blank(grammar: NumberGrammar, task: TaskSheet, item: SheetItem) -> list[str]:
    """Fill a blank of a table by the other cells of its row."""
    if item.place is None:
        return []
    t, r, c = item.place
    table = task.tables[t]
    texts = [cell.text for k, cell in enumerate(table.rows[r].cells) if cell.text and k != c]
    values = [n for text in texts if (n := number_of(text)) is not None]
    values += [n for text in texts if number_of(text) is None for n in grammar.values(text)[:1]]
    if not values:
        return []
    return [str(values[0])] if table.columns[c].role == "value" else grammar.names(values[0])
