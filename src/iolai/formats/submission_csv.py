"""``submission.csv``: predictions, one task a row, with or without explanations."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from iolai.formats.csv_table import claims_columns, parse_table, render_table
from iolai.formats.document import Document, Notes, TextFormat
from iolai.formats.values import IdCheck
from iolai.records import Prediction, PredictionSet

__all__ = ["FORMAT", "note_odd_ids", "parse_submission_csv", "render_submission_csv"]

COLUMNS = ("id", "pred")
EXPLANATION = "explanation"


def parse_submission_csv(text: str, path: Path | str = "submission.csv") -> Document:
    """Read predictions; raises FormatError naming row and column.

    Every row is kept: of two with one id the later counts (rule 1 of the official score).
    """
    notes = Notes(path)
    rows = parse_table(text, path, COLUMNS, (EXPLANATION,), notes)
    predictions = tuple(
        Prediction(row["id"], row["pred"], row[EXPLANATION], row=row.line) for row in rows
    )
    note_odd_ids(predictions, path, notes)
    return Document(
        FORMAT.name,
        predictions=PredictionSet(predictions, name=Path(path).name),
        warnings=notes.warnings,
    )


def render_submission_csv(predictions: PredictionSet) -> str:
    """Write predictions, with the column of explanations."""
    return render_table(
        (*COLUMNS, EXPLANATION), ((row.id, row.text, row.explanation) for row in predictions)
    )


def note_odd_ids(predictions: Iterable[Prediction], path: Path | str, notes: Notes) -> None:
    """Warn of blank and repeated ids: scoring allows for both, their author should know."""
    ids = IdCheck(path)
    for prediction in predictions:
        if not prediction.id.strip():
            notes.add("the id is blank, so that the row counts for no task", prediction.row)
        elif ids.first_row(prediction.id, prediction.row) is not None:
            notes.add(
                "the id was there before; of rows with one id the last counts", prediction.row
            )


FORMAT = TextFormat(
    name="submission.csv",
    starts_with="id,pred",
    claims=lambda text: claims_columns(text, COLUMNS, ("pred",)),
    parse=parse_submission_csv,
)
