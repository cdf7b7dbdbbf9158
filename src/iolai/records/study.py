"""A study's records: what a call came to, and the tables and charts that are worked out from it.

Scores are in [0, 1]. A figure that does not exist is a cell with a reason, never a nan. The rules
that fill these records are in ``iolai.study``; ``iolai.reports`` shows them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from iolai.records.score import ItemScore
from iolai.stats import Interval

__all__ = [
    "CALL_STATES",
    "CONTEXTS",
    "Cell",
    "Chart",
    "ChartKind",
    "Column",
    "ColumnKind",
    "Condition",
    "Dot",
    "Outcome",
    "Series",
    "Table",
]

#: How a call ended. ``answered``: a whole reply came. ``timeout``: its time was over. ``error``:
#: the model or its server failed. ``truncated``: the reply stops at the limit of tokens.
#: ``refused``: the model declined to answer. ``unreadable``: a reply came, and no answer in it.
#: What text there is is scored by the official rule in every state; no text scores 0.
CALL_STATES = ("answered", "timeout", "error", "truncated", "refused", "unreadable")
#: ``ablated``: the language's name, family, place and notes are removed.
CONTEXTS = ("whole", "ablated")

ColumnKind = Literal["text", "score", "difference", "share", "number", "count", "p"]
ChartKind = Literal["dots", "strip", "texts", "scatter", "lines"]


@dataclass(frozen=True, slots=True, order=True)
class Condition:
    """One way to ask: a prompt by name, with an explanation or without, a context whole or not."""

    prompt: str = "lines"
    explanation: bool = False
    context: str = "whole"

    @property
    def name(self) -> str:
        """Write it in short: ``lines``, ``lines+explanation``, ``lines+ablated``."""
        parts = [self.prompt]
        parts += ["explanation"] if self.explanation else []
        parts += [self.context] if self.context != "whole" else []
        return "+".join(parts)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one call came to: one row of the long table.

    ``kind`` is ``task``, or ``probe`` for a four-way choice (then ``task`` is the probe's id, and
    ``task_type`` says what it asks). ``reply`` is all that the model wrote, ``text`` the
    prediction taken from it. ``n_read`` counts the prediction's own items (for the line-format
    match rate). ``confidence`` has one value in [0, 1] an item where the model gives any.
    ``consistency`` is the share of the problem's examples that the answer's rules give again.
    ``chance`` is the exact match of a blind choice. ``seconds`` are of the clock, ``cost`` in US
    dollars. ``synthetic`` marks what comes of a simulated model.
    """

    model: str
    condition: Condition
    seed: int
    problem: str
    task: str
    items: tuple[ItemScore, ...]
    state: str = "answered"
    kind: str = "task"
    task_type: str = ""
    split: str = ""
    points: float = 1.0
    language: str = ""
    text: str = ""
    explanation: str = ""
    reply: str = ""
    detail: str = ""
    n_read: int = 0
    is_json_list: bool = False
    confidence: tuple[float, ...] = ()
    consistency: float | None = None
    chance: float = 0.0
    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float = 0.0
    cost: float = 0.0
    synthetic: bool = False
    call: str = ""

    @property
    def exact_match(self) -> float:
        """The mean over the items; 0 where there is none."""
        return sum(item.exact_match for item in self.items) / max(1, len(self.items))

    @property
    def chrf(self) -> float:
        """The mean over the items; 0 where there is none."""
        return sum(item.chrf for item in self.items) / max(1, len(self.items))

    @property
    def has_right_count(self) -> bool:
        """Whether the prediction's own number of items is the key's."""
        return self.n_read == len(self.items)


@dataclass(frozen=True, slots=True)
class Cell:
    """A figure with what it rests on, or the ``reason`` why there is none.

    ``n`` counts what the table says it counts (tasks, mostly), ``n_seeds`` the seeds that were
    averaged. ``p`` is corrected where the table says so. ``synthetic``: simulated models had a
    part in it.
    """

    value: float | str | None = None
    n: int | None = None
    n_seeds: int | None = None
    interval: Interval | None = None
    p: float | None = None
    reason: str = ""
    synthetic: bool = False

    def __post_init__(self) -> None:
        if self.value is None and not self.reason:
            raise ValueError("a cell has neither a value nor a reason why there is none")
        if isinstance(self.value, float) and self.value != self.value:
            raise ValueError("a cell's value is no number; give the reason why there is none")


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name in files, its title for readers, and how its figures are written.

    ``score``, ``difference`` and ``share`` are in [0, 1] or [-1, 1] here and x100 in reports.
    """

    name: str
    title: str
    kind: ColumnKind = "text"


@dataclass(frozen=True, slots=True)
class Table:
    """A table of cells; ``reason`` says why it has no rows where it has none.

    ``name`` is the stem of its files. ``notes`` say what n counts, what the intervals are, which
    comparisons were corrected together.
    """

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...] = ()
    notes: tuple[str, ...] = ()
    reason: str = ""

    def __post_init__(self) -> None:
        widths = {len(row) for row in self.rows} - {len(self.columns)}
        if widths:
            raise ValueError(
                f"table {self.name}: rows of {widths} cells, {len(self.columns)} named"
            )
        if not self.rows and not self.reason:
            raise ValueError(f"table {self.name} has neither rows nor a reason why there are none")

    @property
    def synthetic(self) -> bool:
        """Whether simulated models had a part in any figure of it."""
        return any(cell.synthetic for row in self.rows for cell in row)

    def column(self, name: str) -> tuple[Cell, ...]:
        """Return the cells of one column, by its name in files; raises KeyError."""
        for place, column in enumerate(self.columns):
            if column.name == name:
                return tuple(row[place] for row in self.rows)
        raise KeyError(name)

    def row(self, first: str) -> Mapping[str, Cell]:
        """Return the first row whose first cell says ``first``, by column; raises KeyError."""
        for row in self.rows:
            if row[0].value == first:
                return {column.name: cell for column, cell in zip(self.columns, row, strict=True)}
        raise KeyError(first)


@dataclass(frozen=True, slots=True)
class Dot:
    """One point of a chart. ``x`` is a category's name, or a number; ``y`` in the chart's unit."""

    x: str | float
    y: float
    low: float | None = None
    high: float | None = None
    label: str = ""


@dataclass(frozen=True, slots=True)
class Series:
    """Dots of one kind: one colour and one shape."""

    name: str
    dots: tuple[Dot, ...]
    synthetic: bool = False


@dataclass(frozen=True, slots=True)
class Chart:
    """What a figure shows, without how it is drawn; ``reason`` where there is nothing to show.

    ``dots``: categories below each other, with intervals. ``strip``: values over categories side
    by side. ``scatter``: two measures, with the line where they are equal. ``lines``: values over
    time. ``texts``: two texts side by side, ``texts`` holding (title, text).
    """

    name: str
    title: str
    kind: ChartKind
    series: tuple[Series, ...] = ()
    x_title: str = ""
    y_title: str = ""
    notes: tuple[str, ...] = ()
    reason: str = ""
    texts: tuple[tuple[str, str], ...] = ()
    reference: float | None = None
    text_synthetic: bool = False

    def __post_init__(self) -> None:
        if not self.texts and not any(s.dots for s in self.series) and not self.reason:
            raise ValueError(f"chart {self.name} shows nothing and does not say why")

    @property
    def synthetic(self) -> bool:
        """Whether any of it comes of simulated models."""
        return self.text_synthetic or any(series.synthetic for series in self.series)
