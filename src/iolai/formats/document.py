"""What any file is read into, and what a format must say of itself to be found by content."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from iolai.records import AnswerKey, PredictionSet, ProblemSet, Rubric

__all__ = ["CERTAIN", "NO", "PERHAPS", "Document", "Notes", "TextFormat"]

#: How sure a format is that a text is its own.
NO, PERHAPS, CERTAIN = 0, 1, 2


@dataclass(frozen=True)
class Document:
    """What a file or folder holds. ``warnings`` says what was forgiven while reading it."""

    format: str
    problems: ProblemSet | None = None
    key: AnswerKey | None = None
    predictions: PredictionSet | None = None
    rubrics: tuple[Rubric, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def holdings(self) -> tuple[str, ...]:
        """What it holds, in words for a message."""
        parts = {
            "problems": self.problems is not None,
            "references": self.key is not None,
            "predictions": self.predictions is not None,
            "a rubric": bool(self.rubrics),
        }
        return tuple(name for name, present in parts.items() if present)


@dataclass(frozen=True)
class TextFormat:
    """One line of the registry: a format that is one text.

    ``claims`` says how sure the format is that a text is its own (``NO``, ``PERHAPS``,
    ``CERTAIN``), from the first lines alone; ``parse`` takes the text and the name to use in
    messages. A format that may have to make ids has ``parse_numbered``, which also takes the
    number of the first problem.
    """

    name: str
    starts_with: str
    claims: Callable[[str], int]
    parse: Callable[[str, Path | str], Document]
    parse_numbered: Callable[[str, Path | str, int], Document] | None = None


class Notes:
    """Collects what is forgiven while a file is read: one warning a kind, however many rows."""

    def __init__(self, path: Path | str) -> None:
        self._path = path
        self._rows: dict[str, list[int]] = {}

    def add(self, what: str, row: int) -> None:
        """Note ``what`` at line ``row``; only the first line and the count are kept."""
        first_and_count = self._rows.setdefault(what, [row, 0])
        first_and_count[1] += 1

    @property
    def warnings(self) -> tuple[str, ...]:
        """The warnings, in the order in which they first came up."""
        return tuple(
            f"{self._path}, line {row}: {what}" + (f" (and {n - 1} more)" if n > 1 else "")
            for what, (row, n) in self._rows.items()
        )
