"""What a solver answers, before it is written as predictions: texts, confidence, alternatives."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from iolai.records.prediction import Prediction

__all__ = ["Candidate", "ItemAnswer", "TaskAnswer"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A possible answer with its weight; the weights of an item's candidates sum to at most 1."""

    text: str
    weight: float


@dataclass(frozen=True, slots=True)
class ItemAnswer:
    """The answer to one item.

    ``confidence`` is the solver's own estimate, in [0, 1], that the answer is right; None where
    the solver makes none. ``candidates`` are its best alternatives, the answer among them.
    ``is_placeholder`` says that the text only fills the place: nobody has worked on the item.
    ``asked`` is the row and column of the cell that is filled, ``""`` where the item is no cell.
    """

    text: str
    confidence: float | None = None
    candidates: tuple[Candidate, ...] = ()
    is_placeholder: bool = False
    asked: str = ""


@dataclass(frozen=True, slots=True)
class TaskAnswer:
    """The answers to one task, one per item in the order of the query, and why they are right.

    ``understood`` says what the solver made of the layout of the whole sheet, a line each, and
    what it did not understand; it is no part of the prediction. ``verified`` is the share, in
    [0, 1], of the problem's examples that the rules behind the answers give again, a mean over the
    items in which one without a measured rule counts 0; None where no item has one.
    """

    id: str
    items: tuple[ItemAnswer, ...]
    explanation: str = ""
    understood: str = ""
    verified: float | None = None

    @classmethod
    def of_texts(cls, task_id: str, texts: Iterable[str], explanation: str = "") -> TaskAnswer:
        """Answers without confidence or alternatives."""
        return cls(task_id, tuple(ItemAnswer(text) for text in texts), explanation)

    @property
    def prediction(self) -> Prediction:
        """The answers as a row of a predictions file."""
        return Prediction.of_items(self.id, (item.text for item in self.items), self.explanation)
