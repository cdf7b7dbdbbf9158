"""The engine reasons over structure: order of examples and letters of forms do not matter."""

from __future__ import annotations

from collections import Counter

import pytest
from disguised import MODES, disguised

from iolai.evaluation import evaluate, read_builtin
from iolai.metrics import score_predictions
from iolai.reading import read_items
from iolai.records import Prediction, PredictionSet
from iolai.solvers.induction.reader import read_sheet
from iolai.stats import geometric_mean, paired_difference, resampled_scores, spans_zero

PROBLEMS, KEY = read_builtin()


@pytest.mark.parametrize("mode", MODES)
def test_a_disguise_keeps_items_layouts_and_references_together(mode: str) -> None:
    problems, key = disguised(PROBLEMS, KEY, mode, 0)
    n_changed = 0
    for before, after in zip(PROBLEMS, problems, strict=True):
        n_changed += before != after
        for one, other in zip(before.tasks, after.tasks, strict=True):
            assert len(read_items(one)) == len(read_items(other))
        kinds = [
            [(t.layout, len(t.items)) for t in read_sheet(problem).tasks]
            for problem in (before, after)
        ]
        assert kinds[0] == kinds[1]
    assert n_changed >= 9
    perfect = PredictionSet(
        tuple(Prediction.of_items(t.id, [r.alternatives[0] for r in t.references]) for t in key)
    )
    assert score_predictions(perfect, key).overall.exact_match == 1


def test_only_the_order_changes_where_examples_are_shuffled() -> None:
    problems, key = disguised(PROBLEMS, KEY, "shuffled", 0)
    assert key == KEY
    for before, after in zip(PROBLEMS.tasks, problems.tasks, strict=True):
        assert Counter(before.context) == Counter(after.context)
        assert before.query == after.query


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("mode", MODES)
def test_no_disguise_changes_what_a_column_or_an_item_is_taken_for(mode: str, seed: int) -> None:
    problems, _ = disguised(PROBLEMS, KEY, mode, seed)
    for before, after in zip(PROBLEMS, problems, strict=True):
        read = [
            (
                [[c.role for c in table.columns] for table in sheet.tables],
                [(i.layout, i.source, i.target) for task in sheet.tasks for i in task.items],
            )
            for sheet in (read_sheet(before), read_sheet(after))
        ]
        assert read[0] == read[1]


@pytest.mark.parametrize("mode", MODES[1:])
def test_a_form_is_renamed_alike_wherever_it_stands(mode: str) -> None:
    problems, _ = disguised(PROBLEMS, KEY, mode, 0)
    (before,) = (p for p in PROBLEMS if p.id == "1000110")
    (after,) = (p for p in problems if p.id == "1000110")
    pairs = [
        {r.cells[1].text: r.cells[0].text for t in read_sheet(p).tables for r in t.rows}
        for p in (before, after)
    ]
    assert pairs[0].keys() == pairs[1].keys()
    letters: dict[str, set[str]] = {}
    for gloss, form in pairs[0].items():
        assert len(form) == len(pairs[1][gloss])
        for one, other in zip(form, pairs[1][gloss], strict=True):
            letters.setdefault(one, set()).add(other)
    assert all(len(found) == 1 for found in letters.values())
    assert len({min(found) for found in letters.values()}) == len(letters)


@pytest.mark.parametrize("mode", MODES[1:])
def test_equations_and_options_are_renamed_and_their_glosses_are_not(mode: str) -> None:
    problems, _ = disguised(PROBLEMS, KEY, mode, 0)
    (sums,) = (p for p in problems if p.id == "1000111")
    (plain,) = (p for p in PROBLEMS if p.id == "1000111")
    equations = set(sums.tasks[0].context.partition("(A)")[2].split())
    words = [word for item in read_items(sums.tasks[0]) for word in item.text.split()]
    assert equations.issuperset(words)
    assert not set(plain.tasks[0].query.split("\n")[1].split()[1:]) <= equations
    assert "All numbers are positive whole numbers." in sums.tasks[0].context
    (script,) = (p for p in problems if p.id == "1000105")
    assert "'tongue'" in script.tasks[1].query
    assert "(ear)" in script.tasks[0].query
    assert "kādu (ear)" not in script.tasks[0].query


#: Any letter for any other makes consonants of vowels, which the engine's sound classes rest on:
#: three problems lose by it (docs/induction-history.md). Strict: the day it holds, this says so.
_KNOWN_LOSS = pytest.mark.xfail(strict=True, reason="letters exchanged across vowels: a known loss")


@pytest.mark.slow
@pytest.mark.parametrize(
    "mode", [pytest.param(m, marks=_KNOWN_LOSS if m == "permuted" else ()) for m in MODES]
)
def test_scores_in_disguise_are_within_noise(mode: str) -> None:
    limit = 120.0 * len(PROBLEMS)
    plain = evaluate(PROBLEMS, KEY, "induction", jobs=2, time_limit=limit).score
    problems, key = disguised(PROBLEMS, KEY, mode, 0)
    made = evaluate(problems, key, "induction", jobs=2, time_limit=limit).score
    values = [[(t.exact_match, t.chrf) for t in score.tasks] for score in (plain, made)]
    scores = resampled_scores(values, [t.points for t in plain.tasks], geometric_mean)
    assert spans_zero(paired_difference(scores[:, 0], scores[:, 1], level=0.95))
