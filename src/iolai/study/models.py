"""Our own models for inspect-ai: solvers, language models asked with a prompt, simulated ones.

    iolai/SOLVER        a solver by its name: induction, nearest, llm:CONFIG, hybrid:CONFIG...
    iolai-lm/CONFIG     the language model of a configuration, asked as any provider's
    iolai-sim/NAME      a simulated model; its truth is handed over as ``planted`` and ``world``

A solver and a simulated model answer only iolai's own tasks: a chat's messages do not hold what
they need. Each works on one call at a time, in a thread, and keeps to the call's seconds itself.
"""

from __future__ import annotations

import functools
import hashlib
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any, TypeVar

import anyio
import anyio.to_thread
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    modelapi,
)
from inspect_ai.tool import ToolChoice, ToolInfo

from iolai.errors import InputError
from iolai.solvers.llm.backends.base import Backend
from iolai.solvers.llm.config import LlmConfig
from iolai.solvers.llm.request import Completion, Decoding, Message, Request
from iolai.study.journal import Answered
from iolai.study.probes import LETTERS
from iolai.study.question import QUESTION, Question
from iolai.study.simulating import PlantedModel, PlantedWorld, simulated_answers
from iolai.study.solver_calls import SolverCaller

__all__ = ["LanguageModelAPI", "OurModelAPI", "SimulatedAPI", "SolverAPI", "answers_of"]

_Result = TypeVar("_Result")
_ANSWERS = "iolai_answers"
_STATE = "iolai_state"


async def _in_thread(work: Callable[[], _Result]) -> _Result:
    """Run in a thread; one that stalls is left behind when the call's time is over."""
    return await anyio.to_thread.run_sync(work, abandon_on_cancel=True)


def _draw(*names: object) -> random.Random:
    """Return a generator that depends on the names alone."""
    digest = hashlib.sha256("\x1f".join(map(str, names)).encode()).digest()
    return random.Random(digest)  # noqa: S311 -- no secret: it must give the same again


def _asked(name: str) -> Question:
    question = QUESTION.get()
    if question is None:
        raise InputError(
            f"{name} answers only iolai's own tasks",
            hint="Ask it with `inspect eval iolai/builtin` or with `iolai bench`.",
        )
    return question


def _output(
    model: str,
    text: str,
    *,
    answers: tuple[Answered, ...] = (),
    state: str = "answered",
    detail: str = "",
    n_in: int = 0,
    n_out: int = 0,
) -> ModelOutput:
    reason = "max_tokens" if state == "truncated" else "stop"
    choice = ChatCompletionChoice(
        message=ChatMessageAssistant(content=text, source="generate"),
        stop_reason=reason,  # type: ignore[arg-type]
    )
    metadata: dict[str, Any] = {_STATE: state, "detail": detail}
    if answers:
        metadata[_ANSWERS] = [asdict(answer) for answer in answers]
    usage = ModelUsage(input_tokens=n_in, output_tokens=n_out, total_tokens=n_in + n_out)
    return ModelOutput(model=model, choices=[choice], usage=usage, metadata=metadata)


def answers_of(output: ModelOutput) -> tuple[str, str, tuple[Answered, ...]]:
    """Return what a provider of ours says beside its text: state, detail and answers by task.

    The state is empty where somebody else's provider answered.
    """
    metadata: Mapping[str, Any] = output.metadata or {}
    answers = tuple(
        Answered(**{**answer, "confidence": tuple(answer["confidence"])})
        for answer in metadata.get(_ANSWERS, ())
    )
    return str(metadata.get(_STATE, "")), str(metadata.get("detail", "")), answers


class OurModelAPI(ModelAPI):
    """What our providers share: one connection, no tool, and getting ready on no call's time."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig | None = None,
        **model_args: Any,
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config or GenerateConfig())
        self.model_args = model_args

    async def prepare(self, question: Question) -> None:
        """Load what a call needs, before its time begins; here nothing."""

    def max_connections(self) -> int:
        """Return 1: this process has one of it, and its seconds are measured."""
        return 1


@modelapi(name="iolai")
class SolverAPI(OurModelAPI):
    """A solver as a model. Asked for some tasks of a problem it solves the whole, once."""

    def __init__(self, model_name: str, *args: Any, **rest: Any) -> None:
        super().__init__(model_name, *args, **rest)
        self._caller = SolverCaller(model_name)

    async def prepare(self, question: Question) -> None:
        """Load the solver's model, or begin the server of its processes."""
        await _in_thread(functools.partial(self._caller.prepare, question))

    async def generate(
        self,
        input: list[ChatMessage],  # noqa: A002, ARG002 -- the name that inspect-ai gives it
        tools: list[ToolInfo],  # noqa: ARG002
        tool_choice: ToolChoice,  # noqa: ARG002
        config: GenerateConfig,  # noqa: ARG002
    ) -> ModelOutput:
        """Solve the problem of the question at hand."""
        question = _asked(f"iolai/{self.model_name}")
        done = await _in_thread(functools.partial(self._caller.answer, question))
        text = "\n\n".join(answer.text or "" for answer in done.answers)
        return _output(
            self.model_name,
            text,
            answers=done.answers,
            state=done.state,
            detail=done.detail,
            n_in=done.n_tokens_in,
            n_out=done.n_tokens_out,
        )

    async def aclose(self) -> None:
        """Free a model that the solver holds."""
        self._caller.close()


@modelapi(name="iolai-lm")
class LanguageModelAPI(OurModelAPI):
    """The language model of one of our configurations; every decoding setting is sent.

    ``decoding`` overrides settings of the configuration's anchor, by the names of ``Decoding``.
    """

    def __init__(
        self, model_name: str, *args: Any, decoding: Mapping[str, float] | None = None, **rest: Any
    ) -> None:
        from iolai.solvers.llm.config_file import load_config

        super().__init__(model_name, *args, **rest)
        self._config: LlmConfig = load_config(model_name)
        own = self._config.anchor.as_dict()
        values: dict[str, Any] = {**own, **(decoding or {})}
        self.decoding = Decoding(**{**values, "top_k": int(values["top_k"])})
        self._backend: Backend | None = None

    async def prepare(self, question: Question) -> None:  # noqa: ARG002
        """Load the model."""
        await _in_thread(lambda: self.backend)

    async def generate(
        self,
        input: list[ChatMessage],  # noqa: A002
        tools: list[ToolInfo],  # noqa: ARG002
        tool_choice: ToolChoice,  # noqa: ARG002
        config: GenerateConfig,
    ) -> ModelOutput:
        """Answer a chat; raises BackendError, or SettingError where a setting was not obeyed."""
        question = QUESTION.get()
        seconds = question.seconds if question is not None else float(config.timeout or 3600)
        request = Request(
            tuple(Message(message.role, message.text) for message in input),
            self.decoding,
            max_tokens=config.max_tokens or 512,
            seed=config.seed or 0,
            deadline=time.monotonic() + seconds,
        )
        done = await _in_thread(functools.partial(self._generate, request))
        states = {"length": "truncated", "deadline": "timeout", "cut": "truncated"}
        return _output(
            self.model_name,
            done.text,
            state=states.get(done.finish, "answered"),
            detail="" if done.finish == "stop" else f"the text ended by: {done.finish}",
            n_in=done.n_prompt_tokens,
            n_out=done.n_tokens,
        )

    def _generate(self, request: Request) -> Completion:
        return self.backend.generate(request)

    @property
    def backend(self) -> Backend:
        """The model, loaded at the first call."""
        if self._backend is None:
            from iolai.solvers.llm.backends.registry import open_backend

            self._backend = open_backend(self._config)
        return self._backend

    async def aclose(self) -> None:
        """Free the model."""
        if self._backend is not None:
            self._backend.close()
            self._backend = None


@modelapi(name="iolai-sim")
class SimulatedAPI(OurModelAPI):
    """A simulated model: right with the planted chance, by the key of the question at hand."""

    def __init__(
        self,
        model_name: str,
        *args: Any,
        planted: Mapping[str, Any] | None = None,
        world: Mapping[str, Any] | None = None,
        **rest: Any,
    ) -> None:
        super().__init__(model_name, *args, **rest)
        self._planted = PlantedModel(**{**(planted or {}), "name": model_name})
        self._world = PlantedWorld(**(world or {}))

    async def generate(
        self,
        input: list[ChatMessage],  # noqa: A002, ARG002
        tools: list[ToolInfo],  # noqa: ARG002
        tool_choice: ToolChoice,  # noqa: ARG002
        config: GenerateConfig,  # noqa: ARG002
    ) -> ModelOutput:
        """Answer as was planted."""
        question = _asked(f"iolai-sim/{self.model_name}")
        (key,) = question.keys
        if question.kind == "probe":
            draw = _draw("probe", self._world.seed, self.model_name, key.id, question.seed)
            knows = draw.random() < self._planted.knows
            guess = draw.choice(LETTERS)
            right = key.references[0].alternatives[0]
            return _output(self.model_name, right if knows else guess)
        answers = simulated_answers(
            self._planted, key, question.condition, question.seed, self._world
        )
        lines = list(answers)
        names = ("clean", self._world.seed, self.model_name, key.id, question.seed)
        if _draw(*names, question.condition.name).random() >= self._planted.clean:
            lines.append("These are all the answers.")
        if question.condition.explanation:
            lines += ["EXPLANATION", "A simulated model has no rules to tell."]
        return _output(self.model_name, "\n".join(lines))
