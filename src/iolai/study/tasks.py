"""Problem sets as inspect-ai tasks, registered by entry point.

    inspect eval iolai/builtin --model openai/gpt-4o -T prompt=json -T context=ablated --epochs 3
    inspect eval iolai/problems -T path=problems.jsonl --model iolai/induction
    inspect eval iolai/probes --model hf/some/model

Seeds are set call by call: that of epoch n is ``seed + n - 1``, where inspect-ai's own ``--seed``
would be the same in every epoch. ``iolai bench`` asks through the same task and keeps a journal.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig, ModelOutput, get_model
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver

from iolai.records.study import Condition
from iolai.study.asking import Patience, ask
from iolai.study.collecting import call_outcomes
from iolai.study.journal import CallResult
from iolai.study.plan import Call, make_plan
from iolai.study.study_file import BUILTIN, Spending, Study, StudyModel

__all__ = ["AskCall", "builtin", "calls_task", "probes", "problems"]

#: Makes one call; None where it was decided not to make it.
AskCall = Callable[[Call, Callable[[GenerateConfig], Awaitable[ModelOutput]]], Awaitable[Any]]
_RESULT = "iolai_result"


def calls_task(name: str, calls: Sequence[Call], ask_call: AskCall) -> Task:
    """Return an inspect-ai task of calls, one sample each, asked by ``ask_call``."""
    by_id = {call.id: call for call in calls}

    @solver(name="iolai_ask")
    def asking() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001
            call = by_id[str(state.sample_id)]
            if state.epoch > 1:
                call = replace(call, seed=call.seed + state.epoch - 1)
            model = get_model()

            async def answer(config: GenerateConfig) -> ModelOutput:
                output = await model.generate(state.messages, config=config)
                state.output = output
                return output

            result = await ask_call(call, answer)
            if isinstance(result, CallResult):
                state.store.set(_RESULT, _figures(call, result))
            return state

        return solve

    return Task(
        dataset=MemoryDataset([_sample(call) for call in calls], name=name),
        solver=asking(),
        scorer=official(),
        name=name,
    )


def _sample(call: Call) -> Sample:
    text = call.prompt
    if not text:
        contexts = dict.fromkeys(task.context for task in call.tasks)
        text = "\n\n".join((*contexts, *(task.query for task in call.tasks)))
    return Sample(
        input=text,
        id=call.id,
        target=[str(key.references) for key in call.keys],
        metadata={
            "call": call.name,
            "model": call.model.name,
            "condition": call.condition.name,
            "problem": call.problem.id,
            "tasks": [task.id for task in call.tasks],
        },
    )


def _figures(call: Call, result: CallResult) -> dict[str, Any]:
    outcomes = call_outcomes(call, result)
    n = max(1, len(outcomes))
    return {
        "exact_match": sum(outcome.exact_match for outcome in outcomes) / n,
        "chrf": sum(outcome.chrf for outcome in outcomes) / n,
        "answer": "\n".join(outcome.text for outcome in outcomes),
        "explanation": f"{result.state} {result.detail}".strip(),
    }


@scorer(metrics={"exact_match": [mean(), stderr()], "chrf": [mean(), stderr()]}, name="official")
def official() -> Scorer:
    """Score by the official rule: exact match and chrF, means over a call's tasks."""

    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001
        figures: Mapping[str, Any] = state.store.get(_RESULT, {})
        return Score(
            value={name: float(figures.get(name, 0.0)) for name in ("exact_match", "chrf")},
            answer=figures.get("answer", ""),
            explanation=figures.get("explanation", "not asked"),
        )

    return score


_ANY = StudyModel("the model", "any/model", sends=("seed",))


def _of(study: Study, kind: str, seconds: float, tokens: int) -> Task:
    spending = Spending(tokens=tokens, seconds=seconds)
    plan = make_plan(replace(study, spending=spending, models=(_ANY,)))

    async def once(call: Call, answer: Callable[[GenerateConfig], Awaitable[ModelOutput]]) -> Any:
        return await ask(call, get_model(), answer, spending, Patience())

    return calls_task(f"iolai_{kind}", plan.of_kind(kind), once)


@task
def builtin(
    prompt: str = "lines",
    explanation: bool = False,
    context: str = "whole",
    seed: int = 0,
    tokens: int = 512,
    seconds: float = 120.0,
) -> Task:
    """The problems that come with iolai, a sample a task; ``context`` is whole or ablated."""
    study = Study(
        folder=Path.cwd(),
        conditions=(Condition(prompt, explanation, context),),
        seeds=(seed,),
    )
    return _of(study, "task", seconds, tokens)


@task
def problems(
    path: str,
    prompt: str = "lines",
    explanation: bool = False,
    context: str = "whole",
    seed: int = 0,
    tokens: int = 512,
    seconds: float = 120.0,
) -> Task:
    """The problems of a file of yours that carries its references, a sample a task."""
    study = Study(
        folder=Path.cwd(),
        problems=path,
        conditions=(Condition(prompt, explanation, context),),
        seeds=(seed,),
    )
    return _of(study, "task", seconds, tokens)


@task
def probes(
    path: str = BUILTIN,
    words: int = 3,
    seed: int = 0,
    tokens: int = 64,
    seconds: float = 120.0,
) -> Task:
    """Four-way choices about the languages of a problem set; chance level 1/4."""
    study = Study(folder=Path.cwd(), problems=path, conditions=(), seeds=(seed,), n_words=words)
    return _of(study, "probe", seconds, tokens)
