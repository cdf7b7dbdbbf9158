"""The counts that a reader should know before reading a rank."""

from __future__ import annotations

from collections.abc import Sequence

from iolai.board.entry import BoardEntry
from iolai.records import (
    BoardLine,
    ExplanationUse,
    Score,
    SharedExplanation,
    Summary,
)

__all__ = ["summarise_board"]


def summarise_board(
    entries: Sequence[BoardEntry],
    explanations: Sequence[ExplanationUse],
    shared: Sequence[SharedExplanation],
) -> Summary:
    """Count over the entries of a board; see ``records.Summary`` for what is counted."""
    states = [entry.state for entry in entries]
    scores = [entry.score for entry in entries if entry.score is not None]
    wrong = [_wrong_counts(score) for score in scores]
    return Summary(
        n_entries=sum(not entry.is_baseline for entry in entries),
        n_baselines=sum(entry.is_baseline for entry in entries),
        n_recomputed=len(scores),
        n_equal=states.count("recomputed"),
        n_differ=states.count("differs"),
        n_published_only=states.count("published"),
        n_unscored=states.count("unscored"),
        n_predictions=sum(task.points > 0 for score in scores for task in score.tasks),
        n_wrong_count=sum(wrong),
        n_entries_wrong_count=sum(count > 0 for count in wrong),
        n_not_selected=sum(entry.selected is False for entry in entries),
        n_other_run=sum(_is_other_run(entry.published) for entry in entries),
        n_repeating=sum(bool(use.repeated) for use in explanations),
        n_shared_texts=len(shared),
        n_half_unfinished=sum(2 * use.n_unfinished >= use.n_explanations for use in explanations),
    )


def _wrong_counts(score: Score) -> int:
    return sum(task.points > 0 and task.n_read != len(task.items) for task in score.tasks)


def _is_other_run(line: BoardLine | None) -> bool:
    if line is None or line.public_score_scored_run is None:
        return False
    return line.public_score_best_run != line.public_score_scored_run
