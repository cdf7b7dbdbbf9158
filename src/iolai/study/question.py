"""What a provider of ours is asked: more than a chat's messages hold.

A solver needs the problem itself, a simulated model the key and the truth planted in it. Both are
handed over beside the messages, in a variable of the task at hand.
"""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass

from iolai.records import Problem, Task, TaskKey
from iolai.records.study import Condition
from iolai.study.plan import Call
from iolai.study.study_file import Spending

__all__ = ["QUESTION", "Question", "question_of"]


@dataclass(frozen=True, slots=True)
class Question:
    """One call as a provider of ours sees it; ``keys`` are for simulated models alone.

    ``seconds`` and ``tokens`` are what the whole call may take.
    """

    problem: Problem
    tasks: tuple[Task, ...]
    condition: Condition
    seed: int
    seconds: float
    tokens: int
    kind: str = "task"
    keys: tuple[TaskKey, ...] = ()


#: The question at hand; None where somebody else's inspect-ai task is asking.
QUESTION: ContextVar[Question | None] = ContextVar("iolai_question", default=None)


def question_of(call: Call, spending: Spending) -> Question:
    """Return a call as a question, with the budget of all its tasks together."""
    condition = call.condition
    if call.asked_with:
        condition = Condition(call.asked_with, condition.explanation, condition.context)
    return Question(
        problem=call.problem,
        tasks=call.tasks,
        condition=condition,
        seed=call.seed,
        seconds=spending.seconds * len(call.tasks),
        tokens=spending.tokens * len(call.tasks),
        kind=call.kind,
        keys=call.keys if call.model.planted is not None else (),
    )
