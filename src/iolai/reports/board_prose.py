"""What a board's page says in sentences, made from its figures."""

from __future__ import annotations

from iolai.records import Board
from iolai.reports.figures import count, hundredfold, interval_text
from iolai.text import visible

__all__ = [
    "CAPTION",
    "chance_text",
    "deck",
    "entries_text",
    "explanations_text",
    "facts",
    "findings",
    "notes",
    "reading",
    "similar_text",
]

CAPTION = (
    "Scores are ×100, best first. EM: exact match. chrF: agreement of character sequences. "
    "Score: the root of EM times chrF. Above chance: EM less what guessing is expected to reach."
)

_NO_INTERVALS = {
    "no entry": "No entry was scored here, so there are no intervals and no bands.",
    "no points": "No task has points, so there are no scores, no intervals and no bands.",
    "one task": "Only one task has points. Drawing it again gives the same task every time, so "
    "there are no intervals and no bands.",
}


def entries_text(board: Board) -> str:
    """Say how many entries a board has, and how many baselines beside them."""
    summary = board.summary
    said = count(summary.n_entries, "entry", "entries")
    more = summary.n_baselines
    return f"{said} and {count(more, 'baseline')}" if more else said


def deck(board: Board) -> str:
    """Say in one breath what the board holds and how far it was checked."""
    summary = board.summary
    said = f"{entries_text(board)}, ranked by the official score."
    n_compared = summary.n_equal + summary.n_differ
    if n_compared:
        said += f" {summary.n_recomputed} were scored again from their predictions: "
        said += (
            "every figure came out as published."
            if not summary.n_differ
            else f"{summary.n_equal} of {n_compared} came out as published."
        )
    if summary.n_published_only:
        said += (
            f" {summary.n_published_only} stand with their published figures, "
            "because no record of them is at hand."
        )
    return said


def facts(board: Board) -> list[dict[str, str]]:
    """Return what was scored and by what, as names and texts."""
    with_points = [task for task in board.tasks if task.points > 0]
    n_items = sum(task.n_items for task in with_points)
    made = board.resampling
    intervals = (
        "none"
        if made.reason
        else f"{100 * made.level:g}%, {made.n_resamples:,} draws, seed {made.seed}"
    )
    named = [
        (
            "Scored",
            f"{len(with_points)} of {count(len(board.tasks), 'task')}, {count(n_items, 'item')}, "
            f"{count(len(board.problems), 'problem')}",
        ),
        ("Intervals", intervals),
        ("Signature", board.signature or "nothing was scored"),
    ]
    return [{"name": name, "text": visible(text)} for name, text in named]


def notes(board: Board) -> list[str]:
    """Return the legend of the marks that the table uses."""
    found = []
    if board.summary.n_equal:
        found.append(
            "Recomputed: scored again from the predictions; all published figures came out equal."
        )
    if board.summary.n_published_only:
        found.append(
            "† Published only: the figures are those of the published board. There is no record "
            "to score again, hence no interval, no band and no figures by task."
        )
    if board.summary.n_differ:
        found.append("‡ Differs: scored again, and not every published figure came out.")
    if board.summary.n_unscored:
        found.append("* Not scored: there is no score to rank by; such entries stand last.")
    return found


def reading(board: Board) -> list[str]:
    """Explain ranks, intervals and bands to somebody who has never met a bootstrap."""
    ranks = (
        "All entries are ranked together by score, at the two decimals shown. Where two are equal "
        "the one handed in earlier comes first."
    )
    if board.summary.n_baselines:
        ranks += (
            " Baselines are there to compare with: they stand where their score puts them, without "
            "a rank and outside the bands, and nobody loses a place by them."
        )
    made = board.resampling
    if made.reason:
        return [ranks, _NO_INTERVALS[made.reason]]
    first = next(row for row in board.rows if row.interval is not None)
    example = (
        f"The score of {visible(first.team)} is {hundredfold(first.score)}, with an interval of "
        f"{interval_text(first.interval)}."
    )
    said = [
        ranks,
        f"A score depends on which tasks happened to be set. The interval shows by how much: from "
        f"the {made.n_tasks} tasks with points, {made.n_tasks} are drawn at random, some twice and "
        f"some not at all, and the score is taken over the draw; after {made.n_resamples:,} draws "
        f"the interval holds the middle {100 * made.level:g}% of those scores. {example}",
        "A band gathers neighbours whose order could have come out the other way. Every entry is "
        "measured on the same draws, so that a task which is hard for all does not count as a "
        "difference. A band begins with its best entry and goes on as long as zero lies in the "
        f"{100 * made.level:g}% interval of the difference to that entry; the first entry that is "
        "clearly behind begins the next. Within a band, do not read much into ranks. The last of "
        "one band and the first of the next may still be close.",
    ]
    points = [row.team for row in board.rows if row.interval and row.interval.is_point]
    if points:
        said.append(
            f"An interval without width, as for {visible(points[0])}, is no sign of certainty: all "
            "tasks came out alike. An entry with no exact match at all scores 0 on every draw."
        )
    return said


def findings(board: Board) -> list[dict[str, str]]:
    """Return what a reader of the ranks should know, each led by its number."""
    summary = board.summary
    found: list[tuple[int, str, str]] = [
        (
            summary.n_wrong_count,
            f"{summary.n_wrong_count} of {summary.n_predictions}",
            "predictions for tasks with points have another number of items than the task, and are "
            f"padded or cut. {summary.n_entries_wrong_count} of {summary.n_recomputed} entries "
            "have at least one.",
        ),
        (
            summary.n_not_selected,
            str(summary.n_not_selected),
            "of the scored entries were not selected by their team.",
        ),
        (
            summary.n_other_run,
            str(summary.n_other_run),
            "rows reached their best public score with another run than the one scored here.",
        ),
        (
            summary.n_repeating,
            str(summary.n_repeating),
            "entries put one and the same explanation under several tasks.",
        ),
        (
            summary.n_shared_texts,
            str(summary.n_shared_texts),
            "explanations stand, the same to the letter, in the entries of several teams.",
        ),
        (
            summary.n_half_unfinished,
            str(summary.n_half_unfinished),
            "entries have explanations that end mid-sentence in at least half of their tasks.",
        ),
    ]
    return [{"lead": lead, "text": text} for number, lead, text in found if number]


def chance_text(board: Board) -> str:
    """Explain the chance level, and what it is for the whole set."""
    said = (
        "The chance level is the exact match that guessing among the legal answers is expected to "
        "reach: one in n where every item has one right option of n, nothing for free text. "
    )
    if board.chance is None:
        return said + "No task has points, so there is no chance level of the whole."
    return said + f"Over all tasks with points it is {hundredfold(board.chance)}."


def similar_text(board: Board) -> str:
    """Explain the table of similar outputs, or say that there is none to show."""
    threshold = f"{100 * board.similar_threshold:g}%"
    if not board.similar:
        return f"No two scored entries give the same answer to {threshold} of their items or more."
    return (
        f"These pairs give the same answer, right or wrong, to at least {threshold} of the items "
        "that either of them answers. Entries built on the same model often agree; agreement alone "
        "does not show that one was copied."
    )


def explanations_text(board: Board) -> str:
    """Explain the table of explanations, or say that there are none."""
    if not board.explanations:
        return "No scored entry gives explanations."
    return (
        "An explanation that stands under several tasks explains none of them, and one that stops "
        "mid-sentence was most likely cut off by a limit on its length."
    )
