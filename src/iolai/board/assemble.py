"""A whole board from its entries: rows, tasks, and what repeats."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from iolai.board.entry import BoardEntry
from iolai.board.ranking import Summarise, in_order, rank
from iolai.board.similarity import explanation_uses, shared_explanations, similar_pairs
from iolai.board.summary import summarise_board
from iolai.board.tasks import overall_chance, task_lines
from iolai.errors import InputError
from iolai.records import AnswerKey, Board, Score
from iolai.stats import DEFAULT_LEVEL, DEFAULT_RESAMPLES

__all__ = ["make_board"]


def make_board(
    entries: Iterable[BoardEntry],
    key: AnswerKey,
    summarise: Summarise,
    *,
    name: str = "",
    level: float = DEFAULT_LEVEL,
    n_resamples: int = DEFAULT_RESAMPLES,
    seed: int = 0,
    similar_threshold: float = 0.5,
    n_options: Mapping[str, int] | None = None,
) -> Board:
    """Rank the entries and find out what a reader of the ranks should know.

    ``n_options`` gives the number of options of matching tasks, by task id, where it is known.
    Raises InputError where the scores were not made against one key or by one signature.
    """
    ordered = in_order(entries)
    scores = [entry.score for entry in ordered if entry.score is not None]
    _check_comparable(scores)
    rows, resampling = rank(ordered, summarise, level=level, n_resamples=n_resamples, seed=seed)
    tasks = task_lines(key, scores, n_options)
    uses, shared = explanation_uses(ordered), shared_explanations(ordered)
    return Board(
        rows=rows,
        tasks=tasks,
        summary=summarise_board(ordered, uses, shared),
        resampling=resampling,
        signature=str(scores[0].signature) if scores else "",
        chance=overall_chance(tasks),
        similar=similar_pairs(ordered, similar_threshold),
        similar_threshold=similar_threshold,
        explanations=uses,
        shared_explanations=shared,
        name=name,
    )


def _check_comparable(scores: list[Score]) -> None:
    made_by = {str(score.signature) for score in scores}
    if len(made_by) > 1:
        raise InputError(
            f"the scores were made in {len(made_by)} ways: {', '.join(sorted(made_by))}",
            hint="Score all entries by the same metric and reading, then rank them.",
        )
    shapes = {
        tuple((task.id, task.points, len(task.items)) for task in score.tasks) for score in scores
    }
    if len(shapes) > 1:
        raise InputError(
            "the scores were made against different answer keys",
            hint="Score all entries against the same key, then rank them.",
        )
