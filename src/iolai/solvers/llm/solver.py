"""The recipe as a solver: placeholders at once, then what each stage makes better."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from iolai.errors import UnknownNameError
from iolai.records import Problem
from iolai.solvers.base import Budget, ProblemAnswer
from iolai.solvers.llm.backends.base import Backend
from iolai.solvers.llm.config import LlmConfig
from iolai.solvers.llm.draft import Draft, begin
from iolai.solvers.llm.meter import Meter
from iolai.solvers.llm.prompts import Prompt, load_prompt
from iolai.solvers.llm.stages import STAGES, Context

__all__ = ["Llm"]


class Llm:
    """Answers with one language model; the model is loaded when the first problem needs it.

    ``records`` holds, for each problem solved, what it cost and what was noted on the way.
    """

    def __init__(self, config: LlmConfig, open_backend: Callable[[LlmConfig], Backend]) -> None:
        unknown = [name for name in config.stages if name not in STAGES]
        if unknown:
            raise UnknownNameError("stage of the recipe", unknown[0], STAGES)
        self.config = config
        self.records: dict[str, dict[str, object]] = {}
        self._open = open_backend
        self._backend: Backend | None = None
        self._prompts = _prompts(config)

    @property
    def backend(self) -> Backend:
        """The model, loaded at the first call."""
        if self._backend is None:
            self._backend = self._open(self.config)
        return self._backend

    def solve(self, problem: Problem, budget: Budget) -> Iterator[ProblemAnswer]:
        """Yield placeholders before the model is loaded, then better answers stage by stage."""
        draft = begin(problem)
        yield draft.answers()
        context = self._context(budget)
        for name in self.config.stages:
            for better in STAGES[name](draft, context):
                draft = better
                self._record(draft, context)
                yield draft.answers()
        self._record(draft, context)

    def _context(self, budget: Budget) -> Context:
        backend = self.backend
        meter = Meter(self.config.allowance, budget.deadline, budget.clock)
        left = meter.seconds_left
        explains = "explanation" in self.config.stages and left != float("inf")
        reserve = left * self.config.explain_share if explains else 0.0
        return Context(backend, self.config, meter, self._prompts, budget.seed, reserve)

    def _record(self, draft: Draft, context: Context) -> None:
        self.records[draft.problem.id] = {
            "cost": context.meter.as_dict(),
            "notes": list(draft.notes),
        }

    def close(self) -> None:
        """Free the model."""
        if self._backend is not None:
            self._backend.close()
            self._backend = None


def _prompts(config: LlmConfig) -> dict[str, Prompt]:
    names = (config.prompt, "repair", "letter", "explanation")
    return {name: load_prompt(name) for name in names}
