"""``predictions.json`` of an archived entry: predictions, how they were read, and their scores."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from iolai.errors import FormatError, Place
from iolai.formats.document import NO, PERHAPS, Document, Notes, TextFormat
from iolai.formats.fields import Fields
from iolai.formats.json_text import json_elements
from iolai.formats.source import storable
from iolai.formats.submission_csv import note_odd_ids
from iolai.formats.values import short
from iolai.records import ArchivedEntry, Prediction, PredictionSet, PublishedTask

__all__ = [
    "FORMAT",
    "parse_predictions_json",
    "predictions_of",
    "published_rows",
    "published_tasks",
    "render_json",
    "render_predictions_json",
]

REQUIRED = ("id", "pred")


def parse_predictions_json(text: str, path: Path | str = "predictions.json") -> Document:
    """Read the predictions; raises FormatError naming line and field."""
    notes = Notes(path)
    predictions = predictions_of(published_rows(text, path, notes), path)
    note_odd_ids(predictions, path, notes)
    return Document(FORMAT.name, predictions=predictions, warnings=notes.warnings)


def published_rows(text: str, path: Path | str, notes: Notes | None = None) -> list[Fields]:
    """Return the rows of the file, at least one, each an object with an id and a prediction.

    An object that names a field twice is noted in ``notes``, and refused where there are none.
    """

    def note_repeated(name: str, line: int) -> None:
        if notes is not None:
            notes.add(f"the field {short(name)} stands there twice; the last counts", line)

    rows = [
        Fields.of(value, Place(path, line), REQUIRED)
        for line, value in json_elements(text, path, None if notes is None else note_repeated)
    ]
    if not rows:
        raise FormatError(
            "the list has no rows",
            place=Place(path, 1),
            hint="Check that the file was written completely.",
        )
    return rows


def predictions_of(rows: Iterable[Fields], path: Path | str) -> PredictionSet:
    """Return what was predicted, without the figures."""
    return PredictionSet(
        tuple(
            Prediction(
                row.text("id"),
                row.text("pred", ""),
                row.text("explanation", ""),
                row=row.place.row or 0,
            )
            for row in rows
        ),
        name=Path(path).name,
    )


def published_tasks(rows: Iterable[Fields]) -> tuple[PublishedTask, ...]:
    """Return the figures published for each task; raises FormatError where one is absent."""
    return tuple(map(_published_task, rows))


def render_predictions_json(entry: ArchivedEntry) -> str:
    """Write an entry's predictions with all their published fields.

    An entry made without ``raw_tasks`` gets the fields that its other parts give.
    """
    rows = entry.raw_tasks or tuple(
        _raw_task(prediction, published)
        for prediction, published in zip(entry.predictions, entry.published, strict=True)
    )
    return render_json([dict(row) for row in rows])


def render_json(value: object) -> str:
    """Write a JSON document as the organisers' release does: indented by one space."""
    return storable(json.dumps(value, ensure_ascii=False, indent=1))


def _published_task(row: Fields) -> PublishedTask:
    scores, form = row.fields("scores"), row.fields("format")
    exact, chrf = _figures(scores, "item_em"), _figures(scores, "item_chrf")
    if len(exact) != len(chrf):
        raise FormatError(
            f"item_em has {len(exact)} figures, item_chrf {len(chrf)}",
            place=row.at("scores"),
            hint="Each item needs one figure of both; take the file from the release again.",
        )
    return PublishedTask(
        id=row.text("id"),
        items=tuple(_text_of(item, row) for item in row.list("predicted_items")),
        item_exact_match=exact,
        item_chrf=chrf,
        exact_match=scores.number("em"),
        chrf=scores.number("chrf"),
        n_read=int(form.number("n_items_parsed", 0)),
        is_json_list=form.flag("clean_json_list"),
    )


def _text_of(item: object, row: Fields) -> str:
    if not isinstance(item, str):
        raise FormatError(
            "predicted_items must be texts",
            place=row.at("predicted_items"),
            hint="Take the file from the release again.",
        )
    return item


def _figures(scores: Fields, name: str) -> tuple[float, ...]:
    figures = []
    for value in scores.list(name):
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
            raise FormatError(
                "a score must be a number from 0 to 1",
                place=scores.at(name),
                hint="Take the file from the release again.",
            )
        figures.append(float(value))
    return tuple(figures)


def _raw_task(prediction: Prediction, published: PublishedTask) -> Mapping[str, object]:
    n_items = len(published.item_exact_match)
    return {
        "id": prediction.id,
        "pred": prediction.text,
        "predicted_items": list(published.items),
        "scores": {
            "em": published.exact_match,
            "chrf": published.chrf,
            "item_em": list(published.item_exact_match),
            "item_chrf": list(published.item_chrf),
        },
        "explanation": prediction.explanation,
        "has_explanation": bool(prediction.explanation.strip()),
        "n_expected_items": n_items,
        "format": {
            "empty": not prediction.text.strip(),
            "clean_json_list": published.is_json_list,
            "n_items_parsed": published.n_read,
            "item_count_matches": published.n_read == n_items,
        },
    }


def _claims(text: str) -> int:
    return PERHAPS if text[:1] == "[" else NO


FORMAT = TextFormat(
    name="predictions.json",
    starts_with='[{"id": ..., "pred":',
    claims=_claims,
    parse=parse_predictions_json,
)
