"""A solver's answers to a call: the whole problem solved within the call's budget."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from iolai.evaluation.solving import seed_of, solve
from iolai.evaluation.workers import worker_context
from iolai.records import ProblemSet, TaskAnswer
from iolai.solvers import Budget, ModelSolver, get_solver
from iolai.solvers.hybrid.config import HybridConfig, load_hybrid
from iolai.solvers.hybrid.solver import Hybrid
from iolai.solvers.llm.backends.base import Backend
from iolai.solvers.llm.backends.registry import open_backend
from iolai.solvers.llm.config import LlmConfig
from iolai.solvers.llm.config_file import load_config
from iolai.solvers.llm.solver import Llm
from iolai.study.journal import Answered
from iolai.study.question import Question

__all__ = ["SolverCaller", "SolverReply"]


@dataclass(frozen=True, slots=True)
class SolverReply:
    """What a solver gave for the tasks that were asked, and how it ended."""

    answers: tuple[Answered, ...]
    state: str = "answered"
    detail: str = ""
    n_tokens_in: int = 0
    n_tokens_out: int = 0


class SolverCaller:
    """Holds a solver, and its model where it has one, between calls."""

    def __init__(self, name: str) -> None:
        """Raise UnknownNameError for a solver that does not exist."""
        self._name = name
        self._holds_model = isinstance(get_solver(name), ModelSolver)
        self._backends: dict[str, Backend] = {}

    def prepare(self, question: Question) -> None:
        """Load what the solver needs before a call's time begins: its models, or the server that
        its processes come from. Raises whatever the loading of a model raises.
        """
        if not self._holds_model:
            worker_context()
            return
        config = self._solver(question.tokens).config
        for model in config.models if isinstance(config, HybridConfig) else (config,):
            self._open(model)

    def answer(self, question: Question) -> SolverReply:
        """Solve the question's problem; a solver that ran out of time gives what it had."""
        if self._holds_model:
            return self._with_model(question)
        alone = ProblemSet((question.problem,))
        *_, last = solve(alone, self._name, seed=question.seed, time_limit=question.seconds)
        state, detail = "answered", ""
        if last.out_of_time:
            state, detail = "timeout", f"out of time after {question.seconds:g} s"
        for _, reason in last.failed:
            state, detail = "error", reason
        return SolverReply(_chosen(last.answers, question), state, detail)

    def _with_model(self, question: Question) -> SolverReply:
        solver = self._solver(question.tokens)
        deadline = time.monotonic() + question.seconds
        budget = Budget(seed_of(question.problem, question.seed), deadline)
        answers: tuple[TaskAnswer, ...] = ()
        for better in solver.solve(question.problem, budget):
            answers = better
        cost = solver.records.get(question.problem.id, {})
        return SolverReply(
            _chosen(answers, question),
            n_tokens_in=_whole(cost.get("n_prompt_tokens")),
            n_tokens_out=_whole(cost.get("n_tokens")),
        )

    def _solver(self, n_tokens: int) -> Llm | Hybrid:
        """Return the solver with an allowance of so many tokens for the problem."""
        family, _, name = self._name.partition(":")
        if family == "llm":
            return Llm(_allowed(load_config(name), n_tokens), self._open)
        hybrid = load_hybrid(name)
        models = tuple(_allowed(model, n_tokens) for model in hybrid.models)
        return Hybrid(replace(hybrid, models=models), self._open)

    def _open(self, config: LlmConfig) -> Backend:
        """Load a model once, however many solvers are made of it."""
        if config.name not in self._backends:
            self._backends[config.name] = open_backend(config)
        return self._backends[config.name]

    def close(self) -> None:
        """Free the models."""
        for backend in self._backends.values():
            backend.close()
        self._backends.clear()


def _allowed(config: LlmConfig, n_tokens: int) -> LlmConfig:
    most = min(config.allowance.call_most, n_tokens)
    least = min(config.allowance.call_least, most)
    allowance = replace(config.allowance, n_tokens=n_tokens, call_most=most, call_least=least)
    return replace(config, allowance=allowance)


def _whole(value: object) -> int:
    return int(value) if isinstance(value, int | float) else 0


def _chosen(answers: tuple[TaskAnswer, ...], question: Question) -> tuple[Answered, ...]:
    """Return the answers to the tasks that were asked, each with its confidence where all have."""
    asked = {task.id for task in question.tasks}
    chosen = []
    for answer in answers:
        if answer.id not in asked:
            continue
        sure = [item.confidence for item in answer.items]
        known = tuple(value for value in sure if value is not None)
        chosen.append(
            Answered(
                answer.id,
                text=answer.prediction.text,
                explanation=answer.explanation,
                confidence=known if len(known) == len(sure) else (),
                consistency=answer.verified,
            )
        )
    return tuple(chosen)
