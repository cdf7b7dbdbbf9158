"""Predictions as they were handed in: raw text, read into items only by ``iolai.reading``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from iolai.records.problem import canonical_id

__all__ = ["MAX_ANSWER", "Prediction", "PredictionSet"]

#: How many characters of an answer (one cell of the column ``pred``) a challenge takes. The longest
#: that answer a question have some thousands; scoring and showing much longer ones takes seconds.
MAX_ANSWER = 100_000


@dataclass(frozen=True, slots=True)
class Prediction:
    """A solver's output for one task: ``text`` exactly as in the file's ``pred`` cell.

    ``row`` is the line of the file it was read from, 0 where there is none.
    """

    id: str
    text: str
    explanation: str = ""
    row: int = field(default=0, compare=False)

    @classmethod
    def of_items(cls, task_id: str, items: Iterable[str], explanation: str = "") -> Prediction:
        """Write answers, one text an item, the way the challenge asks: as a JSON list."""
        return cls(task_id, json.dumps(list(items), ensure_ascii=False), explanation)


@dataclass(frozen=True)
class PredictionSet:
    """All rows of a predictions file, in its order, repeated ids included."""

    predictions: tuple[Prediction, ...]
    name: str = field(default="", compare=False)

    @cached_property
    def _by_id(self) -> dict[str, Prediction]:
        return {canonical_id(row.id): row for row in self.predictions}

    def get(self, task_id: str) -> Prediction | None:
        """Return the row that counts for a task: matched by id, the last of several."""
        return self._by_id.get(canonical_id(task_id))

    def __iter__(self) -> Iterator[Prediction]:
        return iter(self.predictions)

    def __len__(self) -> int:
        return len(self.predictions)
