"""Does what was published come out again? Each figure is compared at the decimals it has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeVar

from iolai.records import (
    ArchivedEntry,
    BoardLine,
    Difference,
    ItemScore,
    PublishedTask,
    Score,
    SplitScore,
    TaskScore,
    canonical_id,
)

T = TypeVar("T")

__all__ = [
    "ITEM_TOLERANCE",
    "PUBLISHED_TOLERANCE",
    "published_figures",
    "verify",
    "verify_line",
]

#: Half of the last of 4 published decimals, and a little for binary fractions.
PUBLISHED_TOLERANCE = 0.5e-4 + 1e-9
#: Item and task scores are published with 6 decimals.
ITEM_TOLERANCE = 1e-6


def verify(entry: ArchivedEntry, score: Score) -> tuple[Difference, ...]:
    """Compare every figure published for an entry with the score computed from its predictions.

    Fields of ``metrics.json`` at 4 decimals; then, per task, the items as they were read, the
    number of items read, whether it is a JSON list, and the scores to 1e-6. A figure that is on
    one side only is a difference too.
    """
    return (
        *_metrics(entry.metrics, published_figures(score)),
        *_tasks(entry.published, score.tasks),
    )


def verify_line(line: BoardLine, score: Score) -> tuple[Difference, ...]:
    """Compare an entry's line of the published board; fields are named ``leaderboard.X``."""
    public = _means(score.splits.get("public"))
    pairs: list[tuple[str, float, float | None]] = [
        ("score", line.score, score.overall.score),
        ("exact_match", line.exact_match, score.overall.exact_match),
        ("chrf", line.chrf, score.overall.chrf),
    ]
    if line.public_score_scored_run is not None:
        pairs.append(("public_score_scored_run", line.public_score_scored_run, public["score"]))
    found = [
        Difference(f"leaderboard.{name}", published, computed)
        for name, published, computed in pairs
        if not _close(published, computed, PUBLISHED_TOLERANCE)
    ]
    # The board states this rate in percent with 2 decimals, metrics.json with 4.
    rate = score.rates.explanation_rate
    if line.explanation_rate is not None and not _close(line.explanation_rate, rate, 0.5e-2 + 1e-9):
        found.append(Difference("leaderboard.explanation_rate", line.explanation_rate, rate))
    return tuple(found)


def published_figures(score: Score) -> dict[str, float | None]:
    """Return the figures that a release publishes of an entry, by their names in metrics.json."""
    splits = {
        "public_": score.splits.get("public"),
        "private_split_": score.splits.get("private"),
        "": score.overall,
    }
    figures: dict[str, float | None] = {}
    for prefix, split in splits.items():
        figures |= {f"{prefix}{name}": value for name, value in _means(split).items()}
    rates = score.rates
    return figures | {
        "total": len(score.tasks),
        "public_total": sum(task.split == "public" for task in score.tasks),
        "private_total": sum(task.split == "private" for task in score.tasks),
        "format_clean_rate": rates.format_clean_rate,
        "format_line_match_rate": rates.format_line_match_rate,
        "empty_predictions": rates.empty_predictions,
        "empty_prediction_rate": rates.empty_prediction_rate,
        "explanations": rates.explanations,
        "explanation_rate": rates.explanation_rate,
    }


def _means(split: SplitScore | None) -> dict[str, float | None]:
    if split is None:
        return dict.fromkeys(("score", "exact_match", "chrf"))
    return {"score": split.score, "exact_match": split.exact_match, "chrf": split.chrf}


def _metrics(
    published: Mapping[str, float], computed: Mapping[str, float | None]
) -> Iterator[Difference]:
    for name in dict.fromkeys((*computed, *published)):
        if not _close(published.get(name), computed.get(name), PUBLISHED_TOLERANCE):
            yield Difference(name, published.get(name), computed.get(name))


def _tasks(
    published: tuple[PublishedTask, ...], computed: tuple[TaskScore, ...]
) -> Iterator[Difference]:
    ours = {canonical_id(task.id): task for task in computed}
    theirs = {canonical_id(task.id): task for task in published}
    for task_id in dict.fromkeys((*ours, *theirs)):
        one, other = theirs.get(task_id), ours.get(task_id)
        if one is None or other is None:
            yield Difference(f"tasks.{task_id}", one and "present", other and "present")
        else:
            yield from _task(f"tasks.{one.id}", one, other)


def _task(name: str, published: PublishedTask, computed: TaskScore) -> Iterator[Difference]:
    exact = (
        ("n_items", len(published.items), len(computed.items)),
        ("n_read", published.n_read, computed.n_read),
        ("is_json_list", published.is_json_list, computed.is_json_list),
    )
    for field, one, other in exact:
        if one != other:
            yield Difference(f"{name}.{field}", one, other)
    for field, mean, our_mean in (
        ("exact_match", published.exact_match, computed.exact_match),
        ("chrf", published.chrf, computed.chrf),
    ):
        if not _close(mean, our_mean, ITEM_TOLERANCE):
            yield Difference(f"{name}.{field}", mean, our_mean)
    for index, item in enumerate(computed.items):
        yield from _item(f"{name}.items.{index + 1}", index, published, item)


def _item(
    name: str, index: int, published: PublishedTask, computed: ItemScore
) -> Iterator[Difference]:
    read = _at(published.items, index)
    if read != computed.predicted:
        yield Difference(f"{name}.text", read, computed.predicted)
    for field, one, other in (
        ("exact_match", _at(published.item_exact_match, index), computed.exact_match),
        ("chrf", _at(published.item_chrf, index), computed.chrf),
    ):
        if not _close(one, other, ITEM_TOLERANCE):
            yield Difference(f"{name}.{field}", one, other)


def _at(values: tuple[T, ...], index: int) -> T | None:
    return values[index] if index < len(values) else None


def _close(published: float | None, computed: float | None, tolerance: float) -> bool:
    """Say whether two figures agree; one that is not a number agrees with nothing."""
    if published is None or computed is None:
        return published is computed
    return abs(published - computed) <= tolerance
