"""What printed number rules give of a sheet: every fact counted, what they do not give said why."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from iolai.solvers.induction.numerals.equations import Equation, Fact, Term, terms_of
from iolai.solvers.induction.printed import Section
from iolai.solvers.induction.printed.numbers import TRUE, Numbers
from iolai.solvers.induction.printed.section import make_section, shown

__all__ = ["numbers_section"]

_OPEN = "?"
#: Facts that a remark names; more are counted.
_MAX_NAMED = 6


def numbers_section(
    rules: Sequence[str],
    facts: Sequence[Fact],
    known: Sequence[tuple[str, int]],
    answered: Sequence[tuple[str, str, str]] = (),
) -> Section:
    """Print a number grammar and say which of a sheet's facts its lines give.

    ``known`` are names of lists without order, with the values settled for them. ``answered`` are
    (label, name, value) of answers; those that use a rule beyond the parts seen with it are named.
    """
    facts = [fact for fact in facts if not fact.is_open]
    settled = dict(known)
    pairs = [_example(fact, settled) for fact in facts]
    section = make_section("Numbers, name to value", Numbers(tuple(rules)), pairs)
    theory = section.theory()
    made = theory.regenerate([one for one, _ in pairs], ())
    missed = [f for f, (_, wanted), text in zip(facts, pairs, made, strict=True) if text != wanted]
    names = list(dict.fromkeys(name for fact in missed for name in fact.names()))
    values = dict(zip(names, theory.regenerate(names, ()), strict=True))
    remarks = [*_remarks(facts, missed, values), *_beyond(Numbers(tuple(rules)), answered)]
    return replace(section, remarks=tuple(remarks))


def _beyond(rules: Numbers, answered: Sequence[tuple[str, str, str]]) -> list[str]:
    labels: dict[str, list[str]] = defaultdict(list)
    for label, name, value in answered:
        for what in dict.fromkeys(rules.beyond(name, value)):
            labels[what].append(label)
    said = [
        f"{what} (answer{'s' if len(found) > 1 else ''} {', '.join(found)})"
        for what, found in labels.items()
    ]
    return [f"Used beyond what is seen: {_listed(said)}."] if said else []


def _example(fact: Fact, settled: dict[str, int]) -> tuple[str, str]:
    """Return a fact as an example: a name and its value, or an equation that is true."""
    stated = fact.stated()
    if stated is not None:
        return stated[0], str(stated[1])
    if fact.equation is None:
        value = settled.get(fact.name)
        return fact.name, _OPEN if value is None else str(value)
    return fact.equation.text, TRUE


def _remarks(facts: Sequence[Fact], missed: Sequence[Fact], values: dict[str, str]) -> list[str]:
    against = [fact for fact in missed if all(values[name] for name in fact.names())]
    unknown = [fact for fact in missed if fact not in against]
    found = []
    if against:
        said = [f"“{_text(fact)}”, where {_worked_out(fact, values)}" for fact in against]
        found.append(f"At odds with these rules ({len(against)}): {_listed(said)}.")
    if clashes := _clashes(facts, missed):
        found.append(f"At odds with each other ({len(clashes)}): {_listed(clashes)}.")
    if unknown:
        said = [f"“{_text(fact)}”" for fact in unknown]
        found.append(f"Left open ({len(unknown)}): {_listed(said)}.")
    return found


def _listed(texts: Sequence[str]) -> str:
    more = len(texts) - _MAX_NAMED
    return "; ".join([*texts[:_MAX_NAMED], *([f"and {more} more"] if more > 0 else [])])


def _text(fact: Fact) -> str:
    stated = fact.stated()
    if stated is not None:
        return shown(f"{stated[0]} = {stated[1]}")
    return shown(fact.equation.text if fact.equation is not None else fact.name)


def _worked_out(fact: Fact, values: dict[str, str]) -> str:
    """Say what the rules make of the names of a fact."""
    names = dict.fromkeys(fact.names())
    return ", ".join(f"{shown(name)} is {values[name]}" for name in names)


def _clashes(facts: Sequence[Fact], missed: Sequence[Fact]) -> list[str]:
    """Name the lines that cannot be true together, whatever the words mean."""
    given: dict[str, dict[int, Fact]] = defaultdict(dict)
    worth: dict[object, dict[int, Fact]] = defaultdict(dict)
    for fact in facts:
        if stated := fact.stated():
            given[stated[0]].setdefault(stated[1], fact)
        elif fact.equation is not None and fact.equation.sign == "=":
            for side, value in _plain_sides(fact.equation):
                worth[side].setdefault(value, fact)
    found = [
        " and ".join(f"“{_text(fact)}”" for fact in rivals.values())
        for rivals in (*given.values(), *worth.values())
        if len(rivals) > 1
    ]
    for fact in missed:
        equation, names = fact.equation, list(dict.fromkeys(fact.names()))
        if equation is None or fact.stated() or not all(len(given[name]) == 1 for name in names):
            continue
        values = {Term(name): next(iter(given[name])) for name in names}
        if not equation.holds(values):
            others = [f"“{_text(given[name][values[Term(name)]])}”" for name in names]
            found.append(f"“{_text(fact)}” and {', '.join(others)}")
    return found


def _plain_sides(equation: Equation) -> list[tuple[object, int]]:
    """Return a side with names and what it is said to be worth, where the other is figures."""
    sides = ((equation.left, equation.right), (equation.right, equation.left))
    return [
        (repr(one), other.value)
        for one, other in sides
        if isinstance(other, Term) and other.value is not None
        if any(term.name for term in terms_of(one))
    ]
