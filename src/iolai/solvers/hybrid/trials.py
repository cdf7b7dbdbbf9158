"""A problem's own examples, left out one at a time: what nobody needs an answer key for.

How often a model gets them right says how far to believe it here, and which of several models to
ask. The induction engine's confidence begins in the same way, so the two can be weighed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from iolai.records import Problem, Task
from iolai.solvers.examples import similarity
from iolai.solvers.induction.reader import Row, Sheet, SheetItem, Table
from iolai.solvers.llm.draft import begin
from iolai.solvers.llm.stages.anchor import read_answer
from iolai.solvers.llm.stages.base import Context
from iolai.text import normalise_answer

__all__ = ["Rate", "Trial", "run_trials", "trials_of", "without_example"]

_LABEL = re.compile(r"^\s*\(?(?:\d{1,3}|[A-Za-z])[.)]\s+")
#: Layouts whose items ask for the other side of what examples show.
_PAIRED = ("translate", "number")
_GAP = "____"


@dataclass(frozen=True, slots=True)
class Trial:
    """A task with one item, made of an example that its context lacks, and the right answer."""

    task: Task
    wanted: str


@dataclass(frozen=True, slots=True)
class Rate:
    """How a model fared: trials, those exactly right, and how alike its answers were on average.

    ``likeness`` is the mean Dice coefficient of letter pairs, in [0, 1].
    """

    n_trials: int = 0
    n_right: int = 0
    likeness: float = 0.0

    def trust(self, prior: float) -> float:
        """Return the expected rate of right answers, with a prior that counts as one trial."""
        return (self.n_right + prior) / (self.n_trials + 1)

    @property
    def rank(self) -> tuple[float, float]:
        """What models are compared by: right answers first, likeness where those are equal."""
        return self.n_right / max(1, self.n_trials), self.likeness


def trials_of(problem: Problem, sheet: Sheet, n_trials: int, seed: int) -> tuple[Trial, ...]:
    """Return up to ``n_trials`` trials, taken in turn from each thing that the tasks ask for.

    A problem whose items ask for something of which no example is given has fewer, or none.
    """
    rng = np.random.default_rng(seed)
    kinds = []
    for trials in _kinds(problem, sheet):
        found = list(trials)
        kinds.append([found[k] for k in rng.permutation(len(found))])
    chosen: list[Trial] = []
    for nth in range(n_trials):
        chosen += [kind[nth] for kind in kinds if nth < len(kind)]
    return tuple(chosen[:n_trials])


def _kinds(problem: Problem, sheet: Sheet) -> Iterator[Iterator[Trial]]:
    """Yield for each task and direction all trials that can be made."""
    done: set[tuple[str, str, str, str, str]] = set()
    for task, read in zip(problem.tasks, sheet.tasks, strict=True):
        for item in read.items:
            key = (item.layout, item.source, item.target, item.source_name, item.target_name)
            if key in done:
                continue
            done.add(key)
            if item.layout in _PAIRED:
                yield _translations(task, sheet, item)
            elif item.layout == "blank" and item.place is not None:
                yield _blanks(task, read.tables[item.place[0]])


def _translations(task: Task, sheet: Sheet, item: SheetItem) -> Iterator[Trial]:
    way = f" into {item.target_name}" if item.target_name else ""
    for table in sheet.tables:
        source = _column(table, item.source, item.source_name)
        target = _column(table, item.target, item.target_name)
        if source is None or target is None or source == target:
            continue
        for row in table.rows:
            given, wanted = row.cells[source].text, row.cells[target].text
            context = without_example(task.context, given, wanted)
            if context is not None:
                query = f"Translate{way}:\n1. {given}"
                yield Trial(_task(task, context, query), wanted)


def _column(table: Table, role: str, name: str) -> int | None:
    places = table.places(role)
    named = [k for k in places if name and table.columns[k].name.lower() == name.lower()]
    return next(iter((*named, *places)), None)


def _blanks(task: Task, table: Table) -> Iterator[Trial]:
    asked = {c for _, c, _ in table.blanks()}
    for row in table.rows:
        if not all(cell.text for cell in row.cells):
            continue
        for column in sorted(asked):
            wanted = row.cells[column].text
            others = [cell.text for k, cell in enumerate(row.cells) if k != column]
            context = without_example(task.context, *others, wanted)
            if context is not None and others:
                query = f"Fill in the gap:\n1. {_with_gap(row, column)}"
                yield Trial(_task(task, context, query), wanted)


def _with_gap(row: Row, column: int) -> str:
    return " | ".join(_GAP if k == column else cell.text for k, cell in enumerate(row.cells))


def _task(task: Task, context: str, query: str) -> Task:
    return Task(f"{task.id}-trial", context, query, task.task_type, work_lang=task.work_lang)


def without_example(context: str, *texts: str) -> str | None:
    """Take the lines of an example out of a context; None where it cannot be found or stays.

    Its texts stand in one line, or each is a line of its own.
    """
    if not all(text.strip() for text in texts):
        return None
    lines = context.split("\n")
    words = [re.compile(rf"(?<!\w){re.escape(text.strip())}(?!\w)") for text in texts]
    kept = [line for line in lines if not all(word.search(line) for word in words)]
    if len(kept) == len(lines):
        kept = [line for line in lines if _LABEL.sub("", line).strip() not in texts]
    if len(lines) - len(kept) not in range(1, 2 * len(texts) + 1):
        return None
    left = {part.strip() for line in kept for part in re.split(r"[\t|]|\s[–—=-]\s|\s{2,}", line)}
    return None if texts[-1].strip() in left else "\n".join(kept)


def run_trials(trials: tuple[Trial, ...], context: Context) -> Rate:
    """Ask a model for every trial, greedily; one without an answer counts as wrong."""
    drafts = [begin(Problem("trial", (trial.task,))).tasks[0] for trial in trials]
    calls = [(context.messages(context.config.prompt, draft), context.seed) for draft in drafts]
    n_asked = n_right = 0
    likeness = 0.0
    for place, completion in context.ask_all("trial", calls, context.config.anchor):
        n_asked += 1
        if completion is None:
            continue
        (text, *_), _ = read_answer(completion.text, drafts[place])
        wanted = trials[place].wanted
        n_right += normalise_answer(text) == normalise_answer(wanted)
        likeness += similarity(text, wanted)
    return Rate(n_asked, n_right, likeness / n_asked if n_asked else 0.0)
