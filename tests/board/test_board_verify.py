"""Every published figure is compared: change any one of them and it is named."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import pytest

from iolai.board import verify, verify_line
from iolai.metrics import score_predictions
from iolai.records import (
    AnswerKey,
    ArchivedEntry,
    BoardLine,
    Prediction,
    PredictionSet,
    PublishedTask,
    Reference,
    Score,
    TaskKey,
)

KEY = AnswerKey(
    (
        TaskKey("12026010100", (Reference(("ama",)), Reference(("ata",))), "public", 1.0),
        TaskKey("12026010200", (Reference(("uka",)),), "private", 2.0),
        TaskKey("12026010300", (Reference(("why",)),), "private", 0.0),
    )
)
PREDICTIONS = PredictionSet(
    (
        Prediction("12026010100", '["ama", "aka"]', "because"),
        Prediction("12026010200", "1. uka\n2. more"),
        Prediction("12026010300", ""),
    )
)


@pytest.fixture
def score() -> Score:
    return score_predictions(PREDICTIONS, KEY)


@pytest.fixture
def entry(score: Score) -> ArchivedEntry:
    """The record as an organiser publishes it: rounded figures, nothing else."""
    metrics: dict[str, float] = {}
    splits = (("public_", score.splits["public"]), ("private_split_", score.splits["private"]),
              ("", score.overall))  # fmt: skip
    for prefix, split in splits:
        assert split.score is not None
        assert split.exact_match is not None
        assert split.chrf is not None
        metrics[f"{prefix}score"] = round(split.score, 4)
        metrics[f"{prefix}exact_match"] = round(split.exact_match, 4)
        metrics[f"{prefix}chrf"] = round(split.chrf, 4)
    metrics |= {
        "total": 3, "public_total": 1, "private_total": 2, "format_clean_rate": 33.3333,
        "format_line_match_rate": 33.3333, "empty_predictions": 1,
        "empty_prediction_rate": 33.3333, "explanations": 1, "explanation_rate": 33.3333,
    }  # fmt: skip
    published = tuple(
        PublishedTask(
            id=task.id,
            items=tuple(item.predicted for item in task.items),
            item_exact_match=tuple(item.exact_match for item in task.items),
            item_chrf=tuple(round(item.chrf, 6) for item in task.items),
            exact_match=round(task.exact_match, 6),
            chrf=round(task.chrf, 6),
            n_read=task.n_read,
            is_json_list=task.is_json_list,
        )
        for task in score.tasks
    )
    return ArchivedEntry("x", "x", {}, metrics, PREDICTIONS, published)


def test_an_honest_record_is_equal(entry: ArchivedEntry, score: Score) -> None:
    assert verify(entry, score) == ()


METRICS = (
    "public_score", "public_exact_match", "public_chrf", "private_split_score",
    "private_split_exact_match", "private_split_chrf", "score", "exact_match", "chrf", "total",
    "public_total", "private_total", "format_clean_rate", "format_line_match_rate",
    "empty_predictions", "empty_prediction_rate", "explanations", "explanation_rate",
)  # fmt: skip


def test_the_list_of_metrics_is_whole(entry: ArchivedEntry) -> None:
    assert set(entry.metrics) == set(METRICS)


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("step", [0.0001, -0.0001, math.nan])
def test_each_figure_counts_to_its_last_decimal(
    entry: ArchivedEntry, score: Score, name: str, step: float
) -> None:
    changed = replace(entry, metrics={**entry.metrics, name: entry.metrics[name] + step})
    (found,) = verify(changed, score)
    assert found.field == name
    assert found.published is changed.metrics[name]
    assert found.computed == pytest.approx(entry.metrics[name], abs=5e-5)


def test_a_missing_and_an_unknown_figure_are_differences(
    entry: ArchivedEntry, score: Score
) -> None:
    metrics = {name: value for name, value in entry.metrics.items() if name != "chrf"}
    found = verify(replace(entry, metrics=metrics | {"elegance": 1.0}), score)
    assert [(item.field, item.published is None, item.computed is None) for item in found] == [
        ("chrf", True, False), ("elegance", False, True),
    ]  # fmt: skip


def _first(entry: ArchivedEntry, change: Callable[[PublishedTask], PublishedTask]) -> ArchivedEntry:
    return replace(entry, published=(change(entry.published[0]), *entry.published[1:]))


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("n_read", lambda task: replace(task, n_read=3)),
        ("is_json_list", lambda task: replace(task, is_json_list=False)),
        ("exact_match", lambda task: replace(task, exact_match=0.500002)),
        ("chrf", lambda task: replace(task, chrf=task.chrf + 2e-6)),
        ("items.2.text", lambda task: replace(task, items=("ama", "aka "))),
        (
            "items.1.exact_match",
            lambda task: replace(task, item_exact_match=(0.0, task.item_exact_match[1])),
        ),
        (
            "items.2.chrf",
            lambda task: replace(task, item_chrf=(1.0, task.item_chrf[1] - 2e-6)),
        ),
    ],
)
def test_each_item_and_task_counts(
    entry: ArchivedEntry,
    score: Score,
    field: str,
    change: Callable[[PublishedTask], PublishedTask],
) -> None:
    found = verify(_first(entry, change), score)
    assert [item.field for item in found] == [f"tasks.12026010100.{field}"]


def test_item_scores_may_be_off_by_their_last_decimal(entry: ArchivedEntry, score: Score) -> None:
    chrf = entry.published[0].item_chrf
    near = _first(entry, lambda task: replace(task, item_chrf=(chrf[0], chrf[1] + 4e-7)))
    assert verify(near, score) == ()


def test_an_item_too_few_is_named(entry: ArchivedEntry, score: Score) -> None:
    short = _first(
        entry, lambda task: replace(task, items=("ama",), item_exact_match=(1.0,), item_chrf=(1.0,))
    )
    assert [item.field.rsplit("12026010100.")[1] for item in verify(short, score)] == [
        "n_items", "items.2.text", "items.2.exact_match", "items.2.chrf",
    ]  # fmt: skip


def test_a_task_on_one_side_only_is_named(entry: ArchivedEntry, score: Score) -> None:
    other = replace(entry.published[2], id="99")
    found = verify(replace(entry, published=(*entry.published[:2], other)), score)
    assert [(item.field, item.published, item.computed) for item in found] == [
        ("tasks.12026010300", None, "present"), ("tasks.99", "present", None),
    ]  # fmt: skip


def test_leading_zeros_of_an_id_do_not_count(entry: ArchivedEntry, score: Score) -> None:
    assert verify(_first(entry, lambda task: replace(task, id="0" + task.id)), score) == ()


def _line(score: Score) -> BoardLine:
    overall, public = score.overall, score.splits["public"]
    assert overall.score is not None
    assert overall.exact_match is not None
    assert overall.chrf is not None
    assert public.score is not None
    return BoardLine(
        rank=1, team="x", account_type="external", score=round(overall.score, 4),
        exact_match=round(overall.exact_match, 4), chrf=round(overall.chrf, 4), submitted_at="",
        explanation_rate=33.33, public_score_best_run=0.99,
        public_score_scored_run=round(public.score, 4),
    )  # fmt: skip


def test_an_honest_line_is_equal(score: Score) -> None:
    assert verify_line(_line(score), score) == ()
    blank = replace(_line(score), explanation_rate=None, public_score_scored_run=None)
    assert verify_line(blank, score) == ()


@pytest.mark.parametrize(
    ("name", "step"),
    [("score", 1e-4), ("exact_match", -1e-4), ("chrf", 1e-4), ("public_score_scored_run", 1e-4),
     ("explanation_rate", 0.01)],
)  # fmt: skip
def test_each_cell_of_the_line_counts(score: Score, name: str, step: float) -> None:
    line = _line(score)
    changed = replace(line, **{name: getattr(line, name) + step})
    assert [item.field for item in verify_line(changed, score)] == [f"leaderboard.{name}"]
