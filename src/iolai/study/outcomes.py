"""The long table: every finished call as one row, from which every figure is worked out.

Written as JSON lines (one outcome a line, all of it) and as CSV for other tools (one item a row,
without the model's whole reply). The unit of all statistics is the task: seeds are repeats of one
task and are averaged before tasks are compared.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from iolai.errors import FormatError, Place
from iolai.files import read_text, write_whole
from iolai.metrics import score_task
from iolai.records import (
    CALL_STATES,
    AnswerKey,
    Condition,
    ItemScore,
    Outcome,
    Prediction,
    PredictionSet,
    TaskKey,
    problem_id,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = [
    "Grid",
    "grouped",
    "item_csv",
    "of_kind",
    "outcome_line",
    "parse_outcome",
    "predicted",
    "read_outcomes",
    "scored",
    "task_grid",
    "write_outcomes",
]

_Key = TypeVar("_Key", bound=Hashable)

_HINT = "An outcomes file is written by `iolai bench`; take it from a study's folder unchanged."
_NAMES = {field.name for field in fields(Outcome)}


def scored(
    key: TaskKey,
    text: str,
    *,
    model: str,
    condition: Condition,
    seed: int,
    problem: str,
    **rest: Any,
) -> Outcome:
    """Score a prediction by the official rule and return its outcome.

    ``rest`` are further fields of ``Outcome``. Whatever ``state`` it has, the text is scored.
    """
    task = score_task(Prediction(key.id, text), key)
    return Outcome(
        model=model,
        condition=condition,
        seed=seed,
        problem=problem,
        task=key.id,
        items=task.items,
        task_type=key.task_type,
        split=key.split,
        points=key.points,
        text=text,
        n_read=task.n_read,
        is_json_list=task.is_json_list,
        **rest,
    )


def predicted(
    predictions: PredictionSet, key: AnswerKey, *, model: str, condition: Condition, **rest: Any
) -> tuple[Outcome, ...]:
    """Return a prediction set (an entry's, a solver's) as outcomes, one a task of the key.

    A task without a row is a blank one. ``rest`` are further fields of ``Outcome``.
    """
    found = []
    for task in key:
        row = predictions.get(task.id)
        found.append(
            scored(
                task,
                row.text if row else "",
                model=model,
                condition=condition,
                seed=0,
                problem=problem_id(task.id) or task.id,
                explanation=row.explanation if row else "",
                **rest,
            )
        )
    return tuple(found)


def outcome_line(outcome: Outcome) -> str:
    """Write an outcome as one line of JSON, without the line's end."""
    return json.dumps(asdict(outcome), ensure_ascii=False, separators=(",", ":"))


def parse_outcome(line: str, place: Place) -> Outcome:
    """Read one line of an outcomes file; raises FormatError that names ``place``."""
    try:
        data = json.loads(line)
        if not isinstance(data, dict) or set(data) - _NAMES:
            raise ValueError("it is no object, or has fields that an outcome has not")
        data["condition"] = Condition(**data["condition"])
        data["items"] = tuple(ItemScore(**item) for item in data["items"])
        data["confidence"] = tuple(data.get("confidence", ()))
        outcome = Outcome(**data)
    except (ValueError, TypeError, KeyError) as error:
        raise FormatError(f"this is no outcome: {error}", place=place, hint=_HINT) from error
    if outcome.state not in CALL_STATES:
        raise FormatError(f"there is no state {outcome.state!r}", place=place, hint=_HINT)
    return outcome


def read_outcomes(path: Path) -> tuple[Outcome, ...]:
    """Read an outcomes file (JSON lines); raises InputError, FormatError with file and line."""
    lines = read_text(path).split("\n")
    return tuple(
        parse_outcome(line, Place(path, number))
        for number, line in enumerate(lines, start=1)
        if line.strip()
    )


def write_outcomes(path: Path, outcomes: Iterable[Outcome]) -> None:
    """Write an outcomes file (JSON lines), whole or not at all."""
    write_whole(path, "".join(f"{outcome_line(outcome)}\n" for outcome in outcomes))


_CSV_FIELDS = (
    *("model", "seed", "kind", "problem", "task", "task_type", "split", "points", "language"),
    *("state", "n_read", "is_json_list", "consistency", "chance", "tokens_in", "tokens_out"),
    *("seconds", "cost", "synthetic", "call"),
)


def item_csv(outcomes: Iterable[Outcome]) -> str:
    """Return the long table as CSV: one item a row, numbered from 1; no replies, no texts."""
    stream = io.StringIO()
    writer = csv.writer(stream)
    own = ("condition", "prompt", "explanation", "context", "item")
    writer.writerow((*_CSV_FIELDS, *own, "predicted", "exact_match", "chrf", "confidence"))
    for outcome in outcomes:
        whole = [getattr(outcome, name) for name in _CSV_FIELDS]
        asked = outcome.condition
        whole += [asked.name, asked.prompt, asked.explanation, asked.context]
        for number, item in enumerate(outcome.items, start=1):
            sure = outcome.confidence[number - 1] if outcome.confidence else ""
            writer.writerow((*whole, number, item.predicted, item.exact_match, item.chrf, sure))
    return stream.getvalue()


def of_kind(outcomes: Iterable[Outcome], kind: str) -> tuple[Outcome, ...]:
    """Return the outcomes of tasks, or those of probes."""
    return tuple(outcome for outcome in outcomes if outcome.kind == kind)


def grouped(
    outcomes: Iterable[Outcome], by: Callable[[Outcome], _Key]
) -> dict[_Key, tuple[Outcome, ...]]:
    """Group outcomes, in order of first appearance."""
    groups: dict[_Key, list[Outcome]] = {}
    for outcome in outcomes:
        groups.setdefault(by(outcome), []).append(outcome)
    return {key: tuple(members) for key, members in groups.items()}


@dataclass(frozen=True)
class Grid:
    """Figures by row (a model, a condition...) and task, the seeds averaged.

    ``values`` has shape (n_rows, n_tasks, 2): exact match and chrF, nan where a row lacks a task;
    ``points`` (n_tasks,); ``n_seeds`` (n_rows, n_tasks); ``synthetic`` one truth a row.
    """

    rows: tuple[str, ...]
    tasks: tuple[str, ...]
    problems: tuple[str, ...]
    values: Floats
    points: Floats
    n_seeds: NDArray[np.int64]
    synthetic: tuple[bool, ...]

    def chosen(self, keep: NDArray[np.bool_]) -> Grid:
        """Return the tasks where ``keep``, shape (n_tasks,), is true."""
        return Grid(
            self.rows,
            tuple(t for t, kept in zip(self.tasks, keep, strict=True) if kept),
            tuple(p for p, kept in zip(self.problems, keep, strict=True) if kept),
            self.values[:, keep],
            self.points[keep],
            self.n_seeds[:, keep],
            self.synthetic,
        )

    @property
    def common(self) -> Grid:
        """The tasks with points that every row has: what rows can be compared on."""
        import numpy as np

        return self.chosen(~np.isnan(self.values).any(axis=(0, 2)) & (self.points > 0))

    def of(self, row: str) -> Grid:
        """Return one row, with the tasks that carry points and that it has."""
        import numpy as np

        place = self.rows.index(row)
        one = Grid(
            (row,),
            self.tasks,
            self.problems,
            self.values[place : place + 1],
            self.points,
            self.n_seeds[place : place + 1],
            (self.synthetic[place],),
        )
        return one.chosen(~np.isnan(one.values[0, :, 0]) & (self.points > 0))

    @property
    def fewest_seeds(self) -> int:
        """The fewest seeds that any figure averages; 0 where there is no figure."""
        return int(self.n_seeds.min()) if self.n_seeds.size else 0


def task_grid(
    outcomes: Sequence[Outcome], row: Callable[[Outcome], str] = lambda outcome: outcome.model
) -> Grid:
    """Average the seeds: figures by row and task, rows and tasks in order of appearance.

    Two outcomes of one row, task and seed are averaged as two seeds are: let ``row`` tell
    conditions apart where they should not be pooled.
    """
    import numpy as np

    rows = tuple(dict.fromkeys(row(outcome) for outcome in outcomes))
    facts = {outcome.task: (outcome.problem, outcome.points) for outcome in outcomes}
    places = {name: place for place, name in enumerate(rows)}
    columns = {name: place for place, name in enumerate(facts)}
    sums = np.zeros((len(rows), len(facts), 2))
    counts = np.zeros((len(rows), len(facts)), dtype=np.int64)
    synthetic = [False] * len(rows)
    for outcome in outcomes:
        place, column = places[row(outcome)], columns[outcome.task]
        sums[place, column] += (outcome.exact_match, outcome.chrf)
        counts[place, column] += 1
        synthetic[place] |= outcome.synthetic
    with np.errstate(invalid="ignore"):
        values = sums / counts[:, :, None]
    return Grid(
        rows,
        tuple(facts),
        tuple(problem for problem, _ in facts.values()),
        values,
        np.array([points for _, points in facts.values()], dtype=np.float64),
        counts,
        tuple(synthetic),
    )
