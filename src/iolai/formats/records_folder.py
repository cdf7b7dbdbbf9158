"""The archived records of a finished challenge: a folder in the layout of its release.

    leaderboard.csv                                  the whole board
    task/solution.csv                                the answer key
    submissions/NAME/{metadata,metrics,predictions}.json    one folder an entry

Scores of the board are x100 in the file and in [0, 1] in the records; its explanation rate stays
in percent, as it is in ``metrics.json``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from decimal import Decimal
from pathlib import Path

from iolai.errors import FormatError, InputError, Place
from iolai.files import write_whole
from iolai.formats.csv_table import Row, parse_table, render_table
from iolai.formats.document import Document, Notes
from iolai.formats.fields import Fields
from iolai.formats.json_text import parse_json_file
from iolai.formats.predictions_json import (
    predictions_of,
    published_rows,
    published_tasks,
    render_json,
    render_predictions_json,
)
from iolai.formats.solution_csv import parse_solution_csv, render_solution_csv
from iolai.formats.source import exists, list_folder, load_text
from iolai.formats.values import parse_number, short
from iolai.records import BASELINE, AnswerKey, ArchivedEntry, BoardLine, Records

__all__ = [
    "NAME",
    "is_records_folder",
    "parse_board_csv",
    "read_records",
    "read_records_document",
    "render_board_csv",
    "write_records",
]

NAME = "archived records"
BOARD = Path("leaderboard.csv")
KEY = Path("task", "solution.csv")
ENTRIES = "submissions"
ENTRY_FILES = ("metadata.json", "metrics.json", "predictions.json")

BOARD_COLUMNS = (
    "rank",
    "team",
    "account_type",
    "score",
    "exact_match",
    "chrf",
    "explanation_rate_pct",
    "public_score_best_run",
    "public_score_scored_run",
    "model",
    "record",
    "submitted_at_utc",
)
_RANK = re.compile(r"[1-9][0-9]{0,8}")
_DECIMAL = re.compile(r"[0-9]{1,3}(?:\.[0-9]{0,400})?")


def is_records_folder(folder: Path) -> bool:
    """Say whether a folder holds archived records: it has a ``leaderboard.csv``."""
    return exists(folder / BOARD)


def read_records(path: Path | str, *, on_warning: Callable[[str], None] | None = None) -> Records:
    """Read archived records.

    ``on_warning`` is told what is odd about the board and forgiven, in words for people.
    Raises InputError where ``path`` is no such folder or one of its files is missing, FormatError
    where one is not what it should be, or two rows of the board name the same record.
    """
    folder = Path(path)
    if not is_records_folder(folder):
        raise InputError(
            f"{folder} is no folder of archived records: it has no {BOARD}",
            hint=f"Name the folder that holds {BOARD}, {KEY} and {ENTRIES}.",
        )
    notes = Notes(folder / BOARD)
    board = parse_board_csv(load_text(folder / BOARD), folder / BOARD, notes)
    _note_odd_teams(board, notes)
    entries = tuple(map(_read_entry, _entry_folders(folder / ENTRIES)))
    _check_records(board, {entry.folder for entry in entries}, folder)
    if on_warning is not None:
        for warning in notes.warnings:
            on_warning(warning)
    return Records(
        tuple(line for line, _ in board), _read_key(folder), entries, name=folder.resolve().name
    )


def _check_records(board: Iterable[tuple[BoardLine, int]], known: set[str], folder: Path) -> None:
    """Refuse a row whose record is not there, or is that of an earlier row."""
    rows: dict[str, int] = {}
    for line, row in board:
        place = Place(folder / BOARD, row, "record")
        name = line.record.rsplit("/", 1)[-1]
        if not line.record:
            continue
        if name not in known:
            raise FormatError(
                f"there is no record {line.record!r}",
                place=place,
                hint=f"Each record named here is a folder in {folder / ENTRIES}; leave the cell "
                "blank where there is none.",
            )
        if name in rows:
            raise FormatError(
                f"the record {line.record!r} was already named in line {rows[name]}",
                place=place,
                hint="Name each record in one row; leave the cell blank where there is none.",
            )
        rows[name] = row


def _note_odd_teams(board: Iterable[tuple[BoardLine, int]], notes: Notes) -> None:
    seen: set[str] = set()
    for line, row in board:
        team = line.team.strip()
        if not team:
            notes.add("the team is blank", row)
        elif team in seen:
            notes.add(f"the team {short(team)} was there before", row)
        seen.add(team)


def read_records_document(folder: Path) -> Document:
    """Read what archived records hold for scoring: their answer key."""
    document = parse_solution_csv(load_text(folder / KEY), folder / KEY)
    return Document(NAME, key=document.key, warnings=document.warnings)


def write_records(folder: Path | str, records: Records) -> None:
    """Write archived records in the layout of a release; each file is written whole.

    What else is in the folder stays, so that a copy wants a folder of its own.
    Raises InputError for an entry whose folder is no plain name, OutputError where a file cannot
    be written.
    """
    target = Path(folder)
    for entry in records.entries:
        name = entry.folder
        if name in {"", ".", ".."} or any(mark in name for mark in "/\\\0"):
            raise InputError(
                f"an entry cannot have the folder {name!r}",
                hint="Give each entry a plain name for its folder.",
            )
    write_whole(target / BOARD, render_board_csv(records.board))
    write_whole(target / KEY, render_solution_csv(records.key))
    for entry in records.entries:
        place = target / ENTRIES / entry.folder
        write_whole(place / ENTRY_FILES[0], render_json(dict(entry.metadata)))
        write_whole(place / ENTRY_FILES[1], render_json(dict(entry.metrics)))
        write_whole(place / ENTRY_FILES[2], render_predictions_json(entry))


def parse_board_csv(
    text: str, path: Path | str = BOARD, notes: Notes | None = None
) -> list[tuple[BoardLine, int]]:
    """Read the published board: its rows, each with the line of the file where it starts.

    What is forgiven goes into ``notes``.
    """
    rows = parse_table(text, path, BOARD_COLUMNS, (), notes or Notes(path))
    return [(_board_line(row, path), row.line) for row in rows]


def render_board_csv(board: Iterable[BoardLine]) -> str:
    """Write the published board."""
    return render_table(
        BOARD_COLUMNS,
        (
            (
                "" if line.rank is None else str(line.rank),
                line.team,
                line.account_type,
                _decimal(line.score, 2),
                _decimal(line.exact_match, 2),
                _decimal(line.chrf, 2),
                _decimal(line.explanation_rate, 0),
                _decimal(line.public_score_best_run, 2),
                _decimal(line.public_score_scored_run, 2),
                line.model,
                line.record,
                line.submitted_at,
            )
            for line in board
        ),
    )


def _board_line(row: Row, path: Path | str) -> BoardLine:
    def place(column: str) -> Place:
        return Place(path, row.line, column)

    def score(column: str) -> float:
        value = _share(row[column], place(column))
        if value is None:
            raise FormatError("the score is blank", place=place(column), hint="Give a number.")
        return value

    rate = row["explanation_rate_pct"]
    return BoardLine(
        rank=_rank(row["rank"], row["account_type"], place("rank")),
        team=row["team"],
        account_type=row["account_type"],
        score=score("score"),
        exact_match=score("exact_match"),
        chrf=score("chrf"),
        submitted_at=row["submitted_at_utc"],
        explanation_rate=parse_number(rate, place("explanation_rate_pct"), low=0, high=100)
        if rate.strip()
        else None,
        public_score_best_run=_share(row["public_score_best_run"], place("public_score_best_run")),
        public_score_scored_run=_share(
            row["public_score_scored_run"], place("public_score_scored_run")
        ),
        model=row["model"],
        record=row["record"],
    )


def _rank(text: str, account_type: str, place: Place) -> int | None:
    """Read a rank; blank, it is none, which only a baseline may have."""
    if not text.strip() and account_type == BASELINE:
        return None
    if not _RANK.fullmatch(text.strip()):
        raise FormatError(f"{text[:40]!r} is no rank", place=place, hint="Ranks are 1, 2, 3, ...")
    return int(text)


def _share(text: str, place: Place) -> float | None:
    """Read a score stated x100 as a share, without the error of a division; blank is None."""
    cell = text.strip()
    if not cell:
        return None
    if not _DECIMAL.fullmatch(cell) or Decimal(cell) > 100:
        raise FormatError(
            f"{text[:40]!r} is no score",
            place=place,
            hint="Scores are from 0 to 100, such as 12.5.",
        )
    return float(Decimal(cell).scaleb(-2))


def _decimal(value: float | None, shift: int) -> str:
    """Write a figure as a decimal number, exactly ``shift`` powers of ten larger."""
    return "" if value is None else f"{Decimal(repr(value + 0.0)).scaleb(shift):f}"


def _read_key(folder: Path) -> AnswerKey:
    key = parse_solution_csv(load_text(folder / KEY), folder / KEY).key
    if key is None:  # parse_solution_csv returns a key or raises
        raise InputError(f"{folder / KEY} holds no key", hint="Name another folder.")
    return key


def _entry_folders(parent: Path) -> list[Path]:
    if not exists(parent):  # a release without any record; the board must then name none
        return []
    return [folder for folder in list_folder(parent) if folder.is_dir()]


def _read_entry(folder: Path) -> ArchivedEntry:
    missing = [name for name in ENTRY_FILES if not exists(folder / name)]
    if missing:
        raise InputError(
            f"the entry {folder} lacks {', '.join(missing)}",
            hint=f"Each entry's folder holds {', '.join(ENTRY_FILES)}.",
        )
    metadata, metrics, predictions = (folder / name for name in ENTRY_FILES)
    about = Fields.of(parse_json_file(load_text(metadata), metadata), Place(metadata), ("team",))
    figures = Fields.of(parse_json_file(load_text(metrics), metrics), Place(metrics))
    rows = published_rows(load_text(predictions), predictions)
    return ArchivedEntry(
        folder=folder.name,
        team=about.text("team"),
        metadata=about.values,
        metrics={name: figures.number(name) for name in figures.values},
        predictions=predictions_of(rows, predictions),
        published=published_tasks(rows),
        raw_tasks=tuple(row.values for row in rows),
    )
