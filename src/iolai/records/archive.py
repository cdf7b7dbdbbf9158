"""The archived records of a finished challenge, as its organisers released them.

The published figures stand as they were published; nothing here is computed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from iolai.records.key import AnswerKey
from iolai.records.prediction import PredictionSet

__all__ = ["ArchivedEntry", "BoardLine", "PublishedTask", "Records"]


@dataclass(frozen=True, slots=True)
class BoardLine:
    """One row of the published board. Scores are in [0, 1] (the file states them x100).

    ``record`` is the entry's folder, empty where the release holds no record of it. ``None``
    stands for a blank cell: a baseline may stand between the ranks without one of its own.
    """

    rank: int | None
    team: str
    account_type: str
    score: float
    exact_match: float
    chrf: float
    submitted_at: str
    explanation_rate: float | None = None
    public_score_best_run: float | None = None
    public_score_scored_run: float | None = None
    model: str = ""
    record: str = ""


@dataclass(frozen=True, slots=True)
class PublishedTask:
    """What was published for one task of an entry: how it was read, and its item scores."""

    id: str
    items: tuple[str, ...]
    item_exact_match: tuple[float, ...]
    item_chrf: tuple[float, ...]
    exact_match: float
    chrf: float
    n_read: int
    is_json_list: bool


@dataclass(frozen=True)
class ArchivedEntry:
    """One entry: what it is (``metadata``), its predictions, and the figures published for it.

    ``metrics`` holds the fields of ``metrics.json`` by their published names; ``raw_tasks`` the
    rows of ``predictions.json`` with all their fields, so that writing loses nothing.
    """

    folder: str
    team: str
    metadata: Mapping[str, object]
    metrics: Mapping[str, float]
    predictions: PredictionSet
    published: tuple[PublishedTask, ...]
    raw_tasks: tuple[Mapping[str, object], ...] = ()


@dataclass(frozen=True)
class Records:
    """A release: the whole board, the answer key, and the entries whose records it holds."""

    board: tuple[BoardLine, ...]
    key: AnswerKey
    entries: tuple[ArchivedEntry, ...]
    name: str = field(default="", compare=False)

    def entry(self, line: BoardLine) -> ArchivedEntry | None:
        """Return the record behind a row of the board, or None where it holds none."""
        folder = line.record.rsplit("/", 1)[-1]
        return next(
            (entry for entry in self.entries if line.record and entry.folder == folder), None
        )
