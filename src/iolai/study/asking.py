"""One call, from asking to a result with a name: budgets, rate limits, failures.

A call has the seconds of its budget for each try. A try that a provider sends back for its rate
limit, or for a fault that passes, is made again after a pause which doubles; that wait is not on
the call's time, and neither is what a model of ours takes to load: that is kept apart. Whatever
happens, a call ends in one of the states of an outcome.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import anyio
from inspect_ai.model import GenerateConfig, Model, ModelOutput
from tenacity import RetryError

from iolai.solvers.llm.request import SettingError
from iolai.study.journal import Answered, CallResult
from iolai.study.models import OurModelAPI, answers_of
from iolai.study.plan import Call
from iolai.study.question import QUESTION, question_of
from iolai.study.study_file import Spending

__all__ = ["Patience", "ask"]

Generate = Callable[[GenerateConfig], Awaitable[ModelOutput]]
#: A provider of ours keeps its time itself; it is given so long to come back with what it has.
_GRACE_S = 5.0
_DETAIL = 500


@dataclass(frozen=True, slots=True)
class Patience:
    """How often a call is tried at most, and the first pause between two tries, in seconds."""

    n_tries: int = 6
    pause_s: float = 2.0


async def ask(
    call: Call, model: Model, generate: Generate, spending: Spending, patience: Patience
) -> CallResult:
    """Make a call; never raises for what a model or its server does.

    Raises SettingError where a backend did not obey a setting: that is no result of the model.
    """
    config = GenerateConfig(
        max_tokens=spending.tokens, seed=call.seed, max_retries=0, cache_prompt=False
    )
    question = question_of(call, spending)
    token = QUESTION.set(question)
    ready = 0.0
    try:
        if isinstance(model.api, OurModelAPI):
            begun = time.monotonic()
            try:
                await model.api.prepare(question)
            except SettingError:
                raise
            except Exception as error:
                return _ended(call, "error", _described(error), time.monotonic() - begun, 1)
            ready = round(time.monotonic() - begun, 3)
        for n_try in range(1, patience.n_tries + 1):
            begun = time.monotonic()
            try:
                with anyio.fail_after(question.seconds + _GRACE_S * _is_ours(call)):
                    output = await generate(config)
                result = _result(call, output, time.monotonic() - begun, n_try)
                return replace(result, ready_seconds=ready)
            except TimeoutError:
                detail = f"no answer within {question.seconds:g} s"
                result = _ended(call, "timeout", detail, time.monotonic() - begun, n_try)
                return replace(result, ready_seconds=ready)
            except SettingError:
                raise
            except Exception as error:
                cause = _cause(error)
                if n_try == patience.n_tries or not _passes(model, cause):
                    seconds = time.monotonic() - begun
                    return _ended(call, "error", _described(cause), seconds, n_try)
            await anyio.sleep(patience.pause_s * 2 ** (n_try - 1))
    finally:
        QUESTION.reset(token)
    raise AssertionError("the last try returns")


def _is_ours(call: Call) -> bool:
    return call.model.planted is not None or call.model.target.startswith("iolai")


def _passes(model: Model, error: Exception) -> bool:
    """Say whether a provider calls an error one that passes: a rate limit, an overload."""
    decision = model.api.should_retry(error)
    return decision if isinstance(decision, bool) else bool(decision.retry)


def _cause(error: Exception) -> Exception:
    """Return what a provider raised: inspect-ai wraps what might be tried again."""
    cause = error.last_attempt.exception() if isinstance(error, RetryError) else error
    return cause if isinstance(cause, Exception) else error


def _described(error: Exception) -> str:
    said = " ".join(str(error).split()) or "nothing was said"
    return f"{type(error).__name__}: {said}"[:_DETAIL]


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _ended(call: Call, state: str, detail: str, seconds: float, n_tries: int) -> CallResult:
    return CallResult(
        call.id, state, detail=detail, seconds=round(seconds, 3), n_tries=n_tries, at=_now()
    )


def _result(call: Call, output: ModelOutput, seconds: float, n_tries: int) -> CallResult:
    state, detail, answers = answers_of(output)
    usage = output.usage
    return CallResult(
        call=call.id,
        state=state or _state(output),
        answers=answers or (Answered(call.tasks[0].id, reply=output.completion),),
        detail=detail or (output.error or "")[:_DETAIL],
        tokens_in=usage.input_tokens if usage is not None else 0,
        tokens_out=usage.output_tokens if usage is not None else 0,
        seconds=round(seconds, 3),
        n_tries=n_tries,
        at=_now(),
    )


def _state(output: ModelOutput) -> str:
    states = {"max_tokens": "truncated", "model_length": "truncated", "content_filter": "refused"}
    return states.get(output.stop_reason, "answered") if output.choices else "error"
