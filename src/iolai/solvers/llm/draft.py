"""What is known of a problem's answers while the recipe runs: complete after every step."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from iolai.reading import read_items, read_options, read_options_text
from iolai.records import Candidate, Item, ItemAnswer, Problem, Task, TaskAnswer
from iolai.solvers.llm.voting import Ballot, Choice

__all__ = ["Draft", "TaskDraft", "begin", "options_listed"]


@dataclass(frozen=True, slots=True)
class TaskDraft:
    """One task: what it asks, and the answers so far, one text per item (``""``: none yet).

    ``anchor`` is the greedy answer, ``samples`` the sampled ones, ``choices`` what the vote made
    of them. ``is_final`` says that no vote may change it (letters assigned one-to-one).
    ``others`` are votes from elsewhere, per item, such as the induction engine's candidates, with
    the probability of being right that each is given.
    """

    task: Task
    items: tuple[Item, ...]
    options: tuple[str, ...]
    placeholder: tuple[str, ...]
    anchor: tuple[str, ...] = ()
    samples: tuple[tuple[str, ...], ...] = ()
    choices: tuple[Choice, ...] = ()
    others: tuple[tuple[Ballot, ...], ...] = ()
    is_final: bool = False
    n_read: int = 0

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of the items, in order."""
        return tuple(item.label for item in self.items)

    @property
    def missing(self) -> tuple[int, ...]:
        """The places of the items that the anchor leaves blank; all where there is no anchor."""
        if not self.anchor:
            return tuple(range(len(self.items)))
        return tuple(place for place, text in enumerate(self.anchor) if not text.strip())

    def answer(self, explanation: str) -> TaskAnswer:
        """Return the answers as they stand."""
        return TaskAnswer(
            self.task.id,
            tuple(self._item(place) for place in range(len(self.items))),
            explanation,
        )

    def _item(self, place: int) -> ItemAnswer:
        choice = self.choices[place] if self.choices else None
        if choice is not None and choice.form.strip():
            total = sum(ballot.weight for ballot in choice.ranked)
            ranked = tuple(Candidate(b.form, b.weight / total) for b in choice.ranked[:5])
            return ItemAnswer(choice.form, round(choice.share, 4), ranked)
        anchor = self.anchor[place] if self.anchor else ""
        if anchor.strip():
            return ItemAnswer(anchor)
        # What another solver has said may stand here; then it is an answer.
        return ItemAnswer(self.placeholder[place], is_placeholder=not self.others)


@dataclass(frozen=True, slots=True)
class Draft:
    """The tasks of one problem, and one explanation for all of them."""

    problem: Problem
    tasks: tuple[TaskDraft, ...]
    explanation: str = ""
    notes: tuple[str, ...] = field(default=())

    def with_task(self, place: int, task: TaskDraft) -> Draft:
        """Return the draft with one task replaced."""
        return replace(self, tasks=(*self.tasks[:place], task, *self.tasks[place + 1 :]))

    def noting(self, note: str) -> Draft:
        """Return the draft with a further note for the run's record."""
        return replace(self, notes=(*self.notes, note))

    def answers(self) -> tuple[TaskAnswer, ...]:
        """Return complete answers to the whole problem."""
        return tuple(task.answer(self.explanation) for task in self.tasks)


def begin(problem: Problem) -> Draft:
    """Return the draft before any model has spoken: letters in order, else the item's own text."""
    return Draft(problem, tuple(_begin_task(task) for task in problem.tasks))


def _begin_task(task: Task) -> TaskDraft:
    items = read_items(task) or (Item(label="", text=task.query),)
    options = read_options(task)
    placeholder = tuple(
        options[place % len(options)] if options else item.text or item.label or "-"
        for place, item in enumerate(items)
    )
    return TaskDraft(task, items, options, placeholder)


def options_listed(task: Task) -> str:
    """Return the options of a matching task as one line for a prompt."""
    return ", ".join(option.letter for option in read_options_text(task))
