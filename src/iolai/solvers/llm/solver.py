"""The recipe as a solver: placeholders at once, then what each stage makes better."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import asdict

from iolai.errors import UnknownNameError
from iolai.records import Problem
from iolai.solvers.base import Budget, ProblemAnswer, Step
from iolai.solvers.llm.backends.base import Backend
from iolai.solvers.llm.config import LlmConfig
from iolai.solvers.llm.draft import Draft, begin
from iolai.solvers.llm.meter import Meter
from iolai.solvers.llm.prompts import Prompt, load_prompt
from iolai.solvers.llm.request import BackendError, Message, Request
from iolai.solvers.llm.stages import STAGES, Context

__all__ = ["Llm"]

#: When the first tokens must be there: a model that is that slow solves nothing.
_FIRST_TOKENS_S = 120.0


class Llm:
    """Answers with one language model, which is loaded once for all problems.

    ``records`` holds, for each problem begun, what it has cost and what was noted on the way.
    """

    def __init__(self, config: LlmConfig, open_backend: Callable[[LlmConfig], Backend]) -> None:
        unknown = [name for name in config.stages if name not in STAGES]
        if unknown:
            raise UnknownNameError("stage of the recipe", unknown[0], STAGES)
        self.config = config
        self.records: dict[str, dict[str, object]] = {}
        self._open = open_backend
        self._backend: Backend | None = None
        self._in_effect: dict[str, dict[str, float]] = {}
        self._prompts = _prompts(config)

    @property
    def backend(self) -> Backend:
        """The model, loaded at the first call."""
        if self._backend is None:
            self._backend = self._open(self.config)
        return self._backend

    def open(self, deadline: float = float("inf")) -> None:
        """Load the model and let it decode one token each way, to see that it obeys.

        ``deadline`` is a reading of ``time.monotonic``: when the set's time is over.

        Raises MissingPartError or InputError where it cannot be loaded, SettingError where the
        settings in effect are not those of the configuration, BackendError where it is silent.
        """
        backend = self.backend
        end = min(deadline, time.monotonic() + _FIRST_TOKENS_S)
        for name in ("anchor", "sampling"):
            decoding = getattr(self.config, name)
            request = Request((Message("user", "1, 2, 3,"),), decoding, 1, deadline=end)
            completion = backend.generate(request)
            if completion.finish in ("deadline", "cut"):
                raise BackendError(
                    f"the model {self.config.name} did not write one token to its end",
                    hint="Give it more time with --time-limit, or take a smaller model.",
                )
            self._in_effect[name] = dict(completion.settings)

    def describe(self) -> dict[str, object]:
        """Return the configuration, the backend and the settings in effect, as data for JSON."""
        config = asdict(self.config)
        settings = {
            name: {
                "asked for": config.pop(name),
                "in effect": self._in_effect.get(name) or "not confirmed",
            }
            for name in ("anchor", "sampling")
        }
        return {
            "solver": "llm",
            "configuration": config | {"stages": list(self.config.stages)},
            "prompts": {name: prompt.text for name, prompt in self._prompts.items()},
            "backend": dict(self._backend.describe()) if self._backend is not None else {},
            "settings": settings,
        }

    def solve(self, problem: Problem, budget: Budget) -> Iterator[ProblemAnswer]:
        """Yield placeholders before the model is loaded, then better answers stage by stage."""
        answer: ProblemAnswer = ()
        for step in self.steps(problem, budget):
            if step.answer != answer:
                answer = step.answer
                yield answer

    def steps(self, problem: Problem, budget: Budget) -> Iterator[Step]:
        """Yield as ``solve`` does, and once as each stage begins, with the stage's number."""
        draft = begin(problem)
        yield Step(0, draft.answers())
        context = self.context(budget)
        for number, name in enumerate(self.config.stages, 1):
            yield Step(number, draft.answers())
            for better in STAGES[name](draft, context):
                draft = better
                self.record(draft, context)
                yield Step(number, draft.answers())
            self.record(draft, context)

    def context(self, budget: Budget) -> Context:
        """Return what the stages work with for one problem; loads the model where it is not."""
        backend = self.backend
        meter = Meter(self.config.allowance, budget.deadline, budget.clock)
        left = meter.seconds_left
        explains = "explanation" in self.config.stages and left != float("inf")
        reserve = left * self.config.explain_share if explains else 0.0
        return Context(backend, self.config, meter, self._prompts, budget.seed, reserve)

    def record(self, draft: Draft, context: Context) -> None:
        """Keep what a problem has cost so far and what was noted."""
        self.records[draft.problem.id] = {
            **context.meter.as_dict(),
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
