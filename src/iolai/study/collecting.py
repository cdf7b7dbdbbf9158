"""From the journal to the long table: each finished call of the plan as outcomes, one a task."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from iolai.records import TaskKey
from iolai.records.study import Outcome
from iolai.study.comparing import plain_scores
from iolai.study.journal import Answered, CallResult
from iolai.study.languages import iso_code
from iolai.study.outcomes import scored, task_grid
from iolai.study.plan import FORMAT, Call, Plan
from iolai.study.probes import probe_outcome
from iolai.study.prompting import split_reply

__all__ = ["best_formats", "call_outcomes", "format_scores", "plan_outcomes"]


def plan_outcomes(plan: Plan, results: Mapping[str, CallResult]) -> tuple[Outcome, ...]:
    """Return the outcomes of the calls that are finished, in the plan's order."""
    return tuple(
        outcome
        for call in plan.calls
        if call.id in results
        for outcome in call_outcomes(call, results[call.id])
    )


def call_outcomes(call: Call, result: CallResult) -> tuple[Outcome, ...]:
    """Return what a call came to, one outcome a task; tokens and seconds are shared out evenly."""
    found = {answer.task: answer for answer in result.answers}
    n = len(call.keys)
    return tuple(
        _outcome(call, result, key, found.get(key.id, Answered(key.id)), place, n)
        for place, key in enumerate(call.keys)
    )


def _outcome(
    call: Call, result: CallResult, key: TaskKey, answer: Answered, place: int, n: int
) -> Outcome:
    model = call.model
    tokens_in, tokens_out = (
        whole // n + (place < whole % n) for whole in (result.tokens_in, result.tokens_out)
    )
    common: dict[str, Any] = {
        "model": model.name,
        "seed": call.seed,
        "detail": result.detail,
        "tokens_in": tokens_in,
        "tokens_out": tokens_out,
        "seconds": result.seconds / n,
        "cost": (tokens_in * model.dollars_in + tokens_out * model.dollars_out) / 1e6,
        "synthetic": model.planted is not None,
        "call": call.id,
    }
    if call.probe is not None:
        return probe_outcome(call.probe, answer.reply, state=result.state, **common)
    text, explanation = answer.text, answer.explanation
    if text is None:
        reply = split_reply(answer.reply, explanation=call.condition.explanation)
        text, explanation = reply.text, reply.explanation
    state = result.state
    if state == "answered" and not text.strip():
        state = "unreadable"
    return scored(
        key,
        text,
        condition=call.condition,
        problem=call.problem.id,
        state=state,
        kind=call.kind,
        language=_language(call),
        explanation=explanation,
        reply=answer.reply,
        confidence=answer.confidence,
        consistency=answer.consistency,
        **common,
    )


def _language(call: Call) -> str:
    """Return the language's code, which an ablated task does not say itself."""
    return iso_code(call.tasks[0]) or call.language


def format_scores(
    plan: Plan, results: Mapping[str, CallResult]
) -> dict[str, dict[str, tuple[float, int]]]:
    """Return each prompt's score on the left-out tasks by model, with the number of tasks.

    The score is the official one, over the tasks that were answered.
    """
    tried: dict[str, dict[str, list[Outcome]]] = {}
    for call in plan.of_kind(FORMAT):
        if call.id in results:
            prompts = tried.setdefault(call.model.name, {})
            made = call_outcomes(call, results[call.id])
            prompts.setdefault(call.condition.prompt, []).extend(made)
    scores: dict[str, dict[str, tuple[float, int]]] = {}
    for model, by_prompt in tried.items():
        outcomes = [outcome for members in by_prompt.values() for outcome in members]
        plain = plain_scores(task_grid(outcomes, lambda outcome: outcome.condition.prompt))
        scores[model] = {prompt: (plain[prompt], len(by_prompt[prompt])) for prompt in by_prompt}
    return scores


def best_formats(plan: Plan, results: Mapping[str, CallResult]) -> dict[str, str]:
    """Return the prompt that scored best by model, for models whose search is finished.

    A tie goes to the prompt that the study names first.
    """
    open_models = {call.model.name for call in plan.of_kind(FORMAT) if call.id not in results}
    return {
        model: max(prompts, key=lambda prompt: prompts[prompt][0])
        for model, prompts in format_scores(plan, results).items()
        if model not in open_models
    }
