"""The hybrid as a solver: the engine's answers first, then a vote with the model chosen."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from iolai.records import Problem, TaskAnswer
from iolai.solvers.base import Budget, ProblemAnswer, Solver, Step
from iolai.solvers.hybrid.checking import check_answers, check_rules, opinions_of
from iolai.solvers.hybrid.checks import Checker
from iolai.solvers.hybrid.config import HybridConfig
from iolai.solvers.hybrid.joining import engine_ballots, joined
from iolai.solvers.hybrid.trials import Rate, run_trials, trials_of
from iolai.solvers.induction import Induction
from iolai.solvers.induction.reader import Sheet, read_sheet
from iolai.solvers.llm.backends.base import Backend
from iolai.solvers.llm.config import LlmConfig
from iolai.solvers.llm.draft import Draft, begin
from iolai.solvers.llm.meter import Meter
from iolai.solvers.llm.prompts import load_prompt
from iolai.solvers.llm.request import BackendError, Failed
from iolai.solvers.llm.solver import Llm
from iolai.solvers.llm.stages import STAGES, Context

__all__ = ["Hybrid"]

#: After which stage of the recipe what it made is checked, and what that is.
_CHECKED = {"repair": "check", "explanation": "rules"}
#: Of the time, for all models to speak for the first time.
_OPENING_SHARE = 0.5


@dataclass(slots=True)
class _Run:
    """One problem under way: what the engine says of it, and how each model fared."""

    problem: Problem
    sheet: Sheet
    engine: ProblemAnswer
    checker: Checker
    rates: dict[str, Rate] = field(default_factory=dict)
    trust: float = 0.0


class Hybrid:
    """Answers with the induction engine and one of several models, chosen for each problem.

    ``records`` holds, for each problem begun, what its models have cost, how they fared with the
    problem's own examples, which of them was chosen, and how many answers it changed.
    """

    def __init__(
        self,
        config: HybridConfig,
        open_backend: Callable[[LlmConfig], Backend],
        engine: Callable[[], Solver] = Induction,
    ) -> None:
        self.config = config
        self.records: dict[str, dict[str, object]] = {}
        self._engine = engine
        self._models = {model.name: Llm(model, open_backend) for model in config.models}
        self._prompts = {name: load_prompt(name) for name in _CHECKED.values()}
        self._absent: dict[str, str] = {}

    def open(self, deadline: float = float("inf")) -> None:
        """Load every model before a reading of ``time.monotonic``; raises as ``Llm.open`` does.

        A model that is there and does not speak, such as one on a server that is down, is left
        out and noted: the others go on, and without any the engine's answers stand. Waiting for
        models takes half of the time at most.
        """
        start = time.monotonic()
        part = _OPENING_SHARE * (deadline - start) / len(self._models)
        for k, (name, model) in enumerate(self._models.items(), 1):
            try:
                model.open(start + k * part)
            except BackendError as error:
                self._absent[name] = error.message

    def describe(self) -> dict[str, object]:
        """Return the configuration and every model's own description, as data for JSON."""
        return {
            "solver": "hybrid",
            "n_trials": self.config.n_trials,
            "prior": self.config.prior,
            "engine_share": self.config.engine_share,
            "prompts": {name: prompt.text for name, prompt in self._prompts.items()},
            "models": {name: model.describe() for name, model in self._models.items()},
            "absent": dict(self._absent),
        }

    def solve(self, problem: Problem, budget: Budget) -> Iterator[ProblemAnswer]:
        """Yield the engine's answers, then those of the vote as the model is asked."""
        answer: ProblemAnswer = ()
        for step in self.steps(problem, budget):
            if step.answer != answer:
                answer = step.answer
                yield answer

    def steps(self, problem: Problem, budget: Budget) -> Iterator[Step]:
        """Yield as ``solve`` does, and once as each stage begins, with the stage's number.

        The engine is stage 0, the trials of the models are the next stages, one each, then come
        the stages of the model that was chosen.
        """
        engine: ProblemAnswer = ()
        limit = replace(budget, deadline=_share(budget, self.config.engine_share))
        for engine in self._engine().solve(problem, limit):
            yield Step(0, engine)
        if len(self._absent) == len(self._models):
            self._record_absent(problem)
            return
        if not engine:
            return
        run = _Run(problem, read_sheet(problem), engine, Checker(read_sheet(problem), budget))
        contexts = self._contexts(budget)
        for number, (name, context) in enumerate(contexts.items(), 1):
            yield Step(number, engine)
            trials = trials_of(problem, run.sheet, self.config.n_trials, budget.seed)
            run.rates[name] = run_trials(trials, context)
        chosen = max(run.rates, key=lambda name: run.rates[name].rank)
        run.trust = run.rates[chosen].trust(self.config.prior)
        yield from self._recipe(run, chosen, contexts[chosen], len(contexts) + 1)

    def _contexts(self, budget: Budget) -> dict[str, Context]:
        """Return what each model works with; all spend from the first one's allowance."""
        contexts: dict[str, Context] = {}
        for name, model in self._models.items():
            if name in self._absent:
                continue
            context = model.context(budget)
            context.prompts = {**context.prompts, **self._prompts}
            first = next(iter(contexts.values()), context)
            context.meter = first.meter
            contexts[name] = context
        return contexts

    def _recipe(self, run: _Run, chosen: str, context: Context, number: int) -> Iterator[Step]:
        """Yield the joined answers as the stages of the chosen model go on."""
        draft = _begin(run)
        answer = run.engine
        self._record(run, draft, answer, chosen, context)
        for name in context.config.stages:
            for stage in (name, _CHECKED.get(name, "")):
                yield Step(number, answer)
                for better in _stage(stage, run, draft, context):
                    draft = better
                    answer = _answers(run, draft)
                    self._record(run, draft, answer, chosen, context)
                    yield Step(number, answer)
                number += 1
            self._record(run, draft, answer, chosen, context)

    def _record(
        self, run: _Run, draft: Draft, answer: ProblemAnswer, chosen: str, context: Context
    ) -> None:
        changed = [
            (task.id, place + 1)
            for task, before in zip(answer, run.engine, strict=True)
            for place, (one, other) in enumerate(zip(task.items, before.items, strict=True))
            if one.text != other.text
        ]
        self.records[run.problem.id] = {
            **context.meter.as_dict(),
            "chosen": chosen,
            "trust": round(run.trust, 4),
            "trials": {
                name: {
                    "n_trials": rate.n_trials,
                    "n_right": rate.n_right,
                    "likeness": round(rate.likeness, 4),
                }
                for name, rate in run.rates.items()
            },
            "changed": [f"{task_id} item {place}" for task_id, place in changed],
            "notes": [
                *(f"{name} is left out: {why}" for name, why in self._absent.items()),
                *draft.notes,
            ],
        }

    def _record_absent(self, problem: Problem) -> None:
        """Record a problem to which the engine alone has spoken; each model's first call failed."""
        meter = Meter(self.config.models[0].allowance)
        hint = "See whether it runs."
        lost = [Failed(BackendError(why, hint=hint)) for why in self._absent.values()]
        meter.spend("open", lost, 0.0)
        notes = [f"{name} is left out: {why}" for name, why in self._absent.items()]
        self.records[problem.id] = {**meter.as_dict(), "chosen": "", "trust": 0.0, "notes": notes}

    def close(self) -> None:
        """Free every model."""
        for model in self._models.values():
            model.close()


def _share(budget: Budget, share: float) -> float:
    """Return the deadline after a share of what is left of a budget."""
    if budget.seconds_left == float("inf"):
        return budget.deadline
    return budget.clock() + share * budget.seconds_left


def _begin(run: _Run) -> Draft:
    """Return a draft whose placeholders are the engine's answers, and whose votes its n-best.

    A task in which the engine and the reader of items see different items has no votes.
    """
    draft = begin(run.problem)
    for place, (task, engine) in enumerate(zip(draft.tasks, run.engine, strict=True)):
        if len(task.items) != len(engine.items):
            draft = draft.noting(f"engine: {task.task.id} keeps its answers, items were unclear")
            continue
        others = tuple(engine_ballots(item, len(task.options)) for item in engine.items)
        texts = tuple(item.text for item in engine.items)
        draft = draft.with_task(place, replace(task, placeholder=texts, others=others))
    return draft


def _stage(name: str, run: _Run, draft: Draft, context: Context) -> Iterator[Draft]:
    if name == "check":
        return check_answers(draft, context, run.checker)
    if name == "rules":
        return check_rules(draft, context, run.sheet)
    return STAGES[name](draft, context) if name else iter(())


def _answers(run: _Run, draft: Draft) -> ProblemAnswer:
    """Return the joined answers; the explanation is the model's where it is trusted more."""
    scores = [item.confidence or 0.0 for task in run.engine for item in task.items]
    mean = sum(scores) / len(scores) if scores else 0.0
    is_the_models = bool(draft.explanation) and run.trust > mean
    found = []
    for place, engine in enumerate(run.engine):
        explanation = draft.explanation if is_the_models else engine.explanation
        found.append(_answer(run, task_place=place, draft=draft, explanation=explanation))
    return tuple(found)


def _answer(run: _Run, task_place: int, draft: Draft, explanation: str) -> TaskAnswer:
    task, engine = draft.tasks[task_place], run.engine[task_place]
    if not task.others or not (task.anchor or task.samples):
        return replace(engine, explanation=explanation)
    opinions = opinions_of(task, task_place, run.checker)
    answer = joined(task, run.trust, opinions).answer(explanation)
    return replace(answer, understood=engine.understood)
