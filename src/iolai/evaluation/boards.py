"""Score entries and rank them: archived records, or any named prediction sets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from iolai.board import BoardEntry, make_board, verify, verify_line
from iolai.metrics import score_predictions, summarise
from iolai.records import (
    AnswerKey,
    ArchivedEntry,
    Board,
    BoardLine,
    PredictionSet,
    Records,
    Score,
)

__all__ = ["Scorer", "board_of_predictions", "board_of_records"]

Scorer = Callable[[PredictionSet, AnswerKey], Score]


def _nothing(name: str) -> None:
    """Tell nobody."""


def board_of_records(
    records: Records,
    score: Scorer = score_predictions,
    *,
    seed: int = 0,
    on_entry: Callable[[str], None] = _nothing,
) -> Board:
    """Score every archived entry again and rank the whole published board.

    Rows whose record the release does not hold keep their published figures, in the state
    ``published``; a record that the published board does not list is ranked with the others.
    ``on_entry`` is told the team of each row when it is done.
    """
    entries = []
    for line in records.board:
        archived = records.entry(line)
        entries.append(_entry(line, archived, records.key, score))
        on_entry(line.team)
    listed = {entry.folder for line in records.board if (entry := records.entry(line))}
    for archived in records.entries:
        if archived.folder not in listed:
            entries.append(_entry(None, archived, records.key, score))
            on_entry(archived.team)
    return make_board(entries, records.key, summarise, name=records.name, seed=seed)


def board_of_predictions(
    predictions: dict[str, PredictionSet],
    key: AnswerKey,
    score: Scorer = score_predictions,
    *,
    name: str = "",
    seed: int = 0,
) -> Board:
    """Score and rank prediction sets, by the name of their team or solver."""
    entries = [
        BoardEntry(team=team, score=score(rows, key), predictions=rows)
        for team, rows in predictions.items()
    ]
    return make_board(entries, key, summarise, name=name, seed=seed)


def _entry(
    line: BoardLine | None, archived: ArchivedEntry | None, key: AnswerKey, score: Scorer
) -> BoardEntry:
    entry = BoardEntry(team="")
    if line is not None:
        entry = BoardEntry(
            team=line.team,
            submitted_at=line.submitted_at,
            account_type=line.account_type,
            model=line.model,
            published=line,
        )
    return entry if archived is None else _recomputed(entry, archived, key, score)


def _recomputed(
    entry: BoardEntry, archived: ArchivedEntry, key: AnswerKey, score: Scorer
) -> BoardEntry:
    computed = score(archived.predictions, key)
    differences = verify(archived, computed)
    if entry.published is not None:
        differences += verify_line(entry.published, computed)
    selected = archived.metadata.get("selected_for_private")
    return replace(
        entry,
        team=entry.team or archived.team,
        submitted_at=entry.submitted_at or _text(archived, "timestamp"),
        account_type=entry.account_type or _text(archived, "account_type"),
        model=entry.model or _text(archived, "model"),
        score=computed,
        predictions=archived.predictions,
        differences=differences,
        selected=selected if isinstance(selected, bool) else None,
    )


def _text(archived: ArchivedEntry, name: str) -> str:
    value = archived.metadata.get(name)
    return value if isinstance(value, str) else ""
