"""One prediction with all that is known of its task: what the checks look at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from iolai.reading.findings import KINDS, Cost, Finding
from iolai.reading.items import is_count_known, read_items, read_options
from iolai.reading.lenient import MAX_TEXT, LenientReading, read_lenient
from iolai.reading.official import OfficialReading, read_official
from iolai.records import Item, Task, TaskKey
from iolai.text import normalise_answer

__all__ = ["Answer", "Case", "ScoreItem", "make_case", "shortened"]

#: The metric, handed in: prediction and alternatives to (exact match, chrF).
ScoreItem = Callable[[str, tuple[str, ...]], tuple[float, float]]

_MAX_SHOWN = 80
_MAX_LOOKED_AT = 2000


def shortened(text: str) -> str:
    """Return ``text`` on one line, cut where it is long."""
    line = " ".join(text[:_MAX_LOOKED_AT].split())
    return line if len(line) <= _MAX_SHOWN else line[: _MAX_SHOWN - 1] + "…"


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer as it was meant: its item, its text, its references and what it scores.

    ``references`` and ``score`` are None without a key.
    """

    item: Item
    text: str
    references: tuple[str, ...] | None = None
    score: tuple[float, float] | None = None

    @property
    def is_right(self) -> bool:
        return self.score is not None and self.score[0] >= 1

    @property
    def plain(self) -> str:
        """The text as the official score compares it."""
        return normalise_answer(self.text)


@dataclass(frozen=True)
class Case:
    """A prediction, read both ways, with its task's items, options, key and metric.

    ``has_labels`` says that the items' labels are the query's own, not numbers given here;
    ``knows_count`` that the key or the query shows how many items there are.
    """

    text: str
    items: tuple[Item, ...]
    options: tuple[str, ...]
    sheet: str
    official: OfficialReading
    lenient: LenientReading
    key: TaskKey | None
    score_item: ScoreItem | None
    has_labels: bool = False
    knows_count: bool = True

    @property
    def n(self) -> int:
        return len(self.items)

    @property
    def is_too_long(self) -> bool:
        """Whether the text is no prediction but pages of something else, which nothing reads."""
        return self.lenient.status == "unreadable" and len(self.text) > MAX_TEXT

    @cached_property
    def answers(self) -> tuple[Answer, ...]:
        """The answers as they were meant: by the lenient reading, unless the key belies it."""
        if self.lenient.items == self.official.items or self.is_belied:
            return self.official_answers
        return self._answers(self.lenient.items)

    @cached_property
    def is_belied(self) -> bool:
        """Whether the lenient reading scores less: then what it took off was part of answers."""
        if self.lenient.items == self.official.items:
            return False
        official = self.mean(self.official_answers)
        lenient = self.mean(self._answers(self.lenient.items))
        if official is None or lenient is None:
            return False
        return (lenient.exact_match, lenient.chrf) < (official.exact_match, official.chrf)

    @cached_property
    def official_answers(self) -> tuple[Answer, ...]:
        return self._answers(self.official.items)

    def _answers(self, texts: Sequence[str]) -> tuple[Answer, ...]:
        if self.key is None or self.score_item is None:
            return tuple(Answer(i, text) for i, text in zip(self.items, texts, strict=True))
        return tuple(
            Answer(i, text, r.alternatives, self.score_item(text, r.alternatives))
            for i, text, r in zip(self.items, texts, self.key.references, strict=True)
        )

    @cached_property
    def gain(self) -> Cost | None:
        """What the lenient reading scores more than the official one; None without a key."""
        official, lenient = self.mean(self.official_answers), self.mean(self.answers)
        if official is None or lenient is None:
            return None
        return Cost(lenient.exact_match - official.exact_match, lenient.chrf - official.chrf)

    @staticmethod
    def mean(answers: Sequence[Answer]) -> Cost | None:
        """Return the task's exact match and chrF; None without a key."""
        scores = [answer.score for answer in answers if answer.score is not None]
        if not scores or len(scores) != len(answers):
            return None
        n_items = len(scores)
        return Cost(sum(em for em, _ in scores) / n_items, sum(f for _, f in scores) / n_items)

    def cost_of(self, answers: Sequence[Answer]) -> Cost | None:
        """Return what right answers there would add to the task; None without a key."""
        scores = [answer.score for answer in answers if answer.score is not None]
        if not scores:
            return None
        return Cost(
            sum(1 - em for em, _ in scores) / self.n, sum(1 - chrf for _, chrf in scores) / self.n
        )

    def about(self, kind: str, answer: Answer, hint: str = "") -> Finding:
        """Make a finding about one answer."""
        return Finding(
            kind,
            answer.item.label,
            shortened(answer.text),
            hint or KINDS[kind].hint,
            self.cost_of([answer]),
        )

    def about_all(self, kind: str, text: str, cost: Cost | None, detail: str = "") -> Finding:
        """Make a finding about the whole task, with what was seen before the hint."""
        hint = f"{detail}. {KINDS[kind].hint}" if detail else KINDS[kind].hint
        return Finding(kind, "", shortened(text), hint, cost)


def make_case(
    task: Task | Sequence[Item], text: str, key: TaskKey | None, score_item: ScoreItem | None
) -> Case:
    """Read a prediction both ways for a task, or for items that are known already.

    Items without labels are numbered from 1, so that findings can name them; these numbers are no
    labels to the lenient reading.
    """
    items = read_items(task) if isinstance(task, Task) else tuple(task)
    options = read_options(task) if isinstance(task, Task) else ()
    knows_count = key is not None or not isinstance(task, Task) or is_count_known(task, items)
    if key is not None:
        if key.n_items != len(items):
            items = (Item(""),) * key.n_items  # the key is right, so the labels were misread
        legal = {normalise_answer(option) for option in options}
        given = {normalise_answer(text) for r in key.references for text in r.alternatives}
        options = options if given <= legal else ()
    labels, texts = [item.label for item in items], [item.text for item in items]
    if not any(labels):
        items = tuple(Item(str(n + 1), item.text) for n, item in enumerate(items))
    return Case(
        text=text,
        items=items,
        options=options,
        sheet=f"{task.context}\n{task.query}" if isinstance(task, Task) else "",
        official=read_official(text, len(items)),
        lenient=read_lenient(text, labels, options=options, texts=texts),
        key=key,
        score_item=score_item,
        has_labels=any(labels),
        knows_count=knows_count,
    )
