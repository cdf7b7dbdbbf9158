"""What is printed is what was used: examples made again from what ``solve --explain`` prints.

Only the printed text is read; the examples come from the sheet. The share and the exceptions that
the text states must be those found here.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

import pytest

from command_line import run
from iolai.evaluation import read_builtin
from iolai.evaluation.solving import seed_of
from iolai.formats import builtin_path
from iolai.records import Problem
from iolai.solvers import Budget
from iolai.solvers.induction.kinship import kin_examples, read_kin
from iolai.solvers.induction.matching import match_lists
from iolai.solvers.induction.numerals.equations import equation_of, value_of
from iolai.solvers.induction.printed import Section, parse_sections
from iolai.solvers.induction.printed.kinship import Kinship
from iolai.solvers.induction.printed.section import shown
from iolai.solvers.induction.printed.words import Words
from iolai.solvers.induction.reader import Sheet, read_sheet
from iolai.solvers.induction.transcription import collect_pairs
from iolai.solvers.induction.translation.corpus import bare_form
from iolai.solvers.induction.translation.pairs import example_pairs
from iolai.text import squeeze

Pair = tuple[str, str]
PROBLEMS = read_builtin()[0].problems
QUICK = ("1000108", "1000109")


def table_pairs(section: Section, sheet: Sheet) -> list[Pair]:
    """Return the pairs of the two columns that a title names, wherever a table has them."""
    names = section.title.partition(", ")[2]
    found: list[Pair] = []
    for table in sheet.tables:
        titles = [shown(c.name) or f"column {k + 1}" for k, c in enumerate(table.columns)]
        for k, n in permutations(range(len(titles)), 2):
            if f"{titles[k]} to {titles[n]}" == names:
                rows = [(row.cells[k].text, row.cells[n].text) for row in table.rows]
                found += [pair for pair in rows if all(pair)]
    return list(dict.fromkeys(found))


def examples_of(section: Section, sheet: Sheet, budget: Budget) -> list[Pair]:
    """Return the examples (input, output) that a section speaks about, from the sheet alone."""
    kind, subject = section.kind, section.title.partition(", ")[2]
    if kind == "Word by word":
        pairs = example_pairs(sheet, subject.partition(" to ")[2])
        for lists in sheet.lists:
            if matched := match_lists(lists, sheet, budget):
                pairs += matched.pairs()
        return [(gloss, form) for form, gloss in pairs]
    if kind == "Letter by letter":
        found = collect_pairs(sheet, budget)
        return list(found) if subject == "spelling to sound" else [p[::-1] for p in found]
    if kind == "Changes":
        return table_pairs(section, sheet)
    if kind == "Kinship":
        return family_pairs(section, sheet)
    for lists in sheet.lists:
        ends = [f"{e[0].label}–{e[-1].label}" for e in (lists.forms, lists.glosses)]
        if " with ".join(ends) == subject and (m := match_lists(lists, sheet, budget)):
            return list(m.pairs())
    return []


def family_pairs(section: Section, sheet: Sheet) -> list[Pair]:
    """Return how the persons of each statement are related, and the term, by the names printed."""
    data = read_kin(sheet)
    assert data is not None
    theory = section.theory()
    assert isinstance(theory, Kinship)
    order = next(line for line in section.lines if line.startswith("Statements: "))
    return kin_examples(data, dict(theory.names), is_first="that X is" in order)


def missed(section: Section, pairs: Sequence[Pair]) -> set[str]:
    options = sorted({output for _, output in pairs})
    made = section.theory().regenerate([one for one, _ in pairs], options)
    bare = bare_form if section.kind == "Word by word" else squeeze
    return {
        shown(one)
        for (one, other), text in zip(pairs, made, strict=True)
        if not text or bare(text) != bare(other)
    }


def true_equations(section: Section, sheet: Sheet) -> list[bool]:
    """Say of each equation of names whether it is true for the values that the text gives."""
    said = []
    for entry in sheet.equations:
        equation = equation_of(entry.text)
        terms = [t for t in equation.terms() if t.name] if equation else []
        if equation is None or any(t.blank is not None for t in equation.terms()):
            continue
        values = section.theory().regenerate([t.name for t in terms], ())
        known = {t: int(v) for t, v in zip(terms, values, strict=True) if v}
        if len(known) == len(set(terms)):
            said.append(value_of(equation.left, known) == value_of(equation.right, known))
    assert len(said) >= 0.8 * len(sheet.equations)  # prose with a sign in it is no equation
    return said


def explained(problem: Problem) -> str:
    """Return the explanation as the command prints it."""
    (folder,) = builtin_path().glob(f"{problem.id[-2:]}-*")
    out = run("solve", folder / "problem.txt", "--explain")
    assert out.code == 0, out.err
    return out.out


def check(problem: Problem) -> list[Section]:
    text = explained(problem)
    sheet = read_sheet(problem)
    sections = list(dict.fromkeys(parse_sections(text)))
    for section in sections:
        if section.kind == "Numbers":
            assert not section.unexplained
            pairs = [
                (row.cells[f].text, row.cells[v].text)
                for table in sheet.tables
                for f in table.places("form")[:1]
                for v in table.places("value")[:1]
                for row in table.rows
            ]
            assert not missed(section, [pair for pair in pairs if all(pair)])
            assert all(true_equations(section, sheet))
            continue
        pairs = examples_of(section, sheet, Budget(seed_of(problem, 0)))
        assert len(pairs) == section.n_examples, section.title
        assert missed(section, pairs) == set(section.unexplained), section.title
        assert_nothing_spelt_out(section, pairs)
    return sections


def assert_nothing_spelt_out(section: Section, pairs: Sequence[Pair]) -> None:
    """No line holds the whole of an example of more than one word or morph, both sides of it.

    Nor is a morph that is chosen by the meaning the whole form of an example of several words.
    """
    theory = section.theory()
    if isinstance(theory, Words):
        wholes = {other for one, other in pairs if " " in one and " " not in other}
        for name, alternatives in theory.lexicon.items():
            for morph, condition in alternatives.choices:
                assert not condition.startswith("with ") or morph.strip("-") not in wholes, name
    for one, other in pairs:
        if len(other.split()) > 1 or len(one.split()) > 1:
            for line in section.lines:
                assert not (shown(one) in line and other in line), line


@pytest.mark.parametrize("problem", [p for p in PROBLEMS if p.id in QUICK], ids=lambda p: p.id)
def test_examples_come_back_from_the_printed_text(problem: Problem) -> None:
    assert check(problem)


@pytest.mark.slow
@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda p: p.id)
def test_every_builtin_problem_prints_a_grammar_that_gives_what_it_says(problem: Problem) -> None:
    sections = check(problem)
    if any(task.layout == "kin" for task in read_sheet(problem).tasks):
        assert [s.title for s in sections] == ["Kinship"]
    assert sections, "no grammar is printed"
    reach = [f"{s.title}: {s.share:.0%} of {s.n_examples}" for s in sections]
    print(problem.id, *reach, sep="\n  ")
