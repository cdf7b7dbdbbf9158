"""A backend without a model: it answers by a function, so that what the recipe does is known."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from iolai.solvers import Budget, ProblemAnswer
from iolai.solvers.llm import Llm
from iolai.solvers.llm.backends.base import one_by_one
from iolai.solvers.llm.config import LlmConfig
from iolai.solvers.llm.request import BackendError, Completion, Failed, Finish, Request, Scores
from sample import PROBLEMS

__all__ = ["Scripted", "answer_of", "config", "recipe", "user_text"]

#: What to answer to a request: the text, and why it ended; None for a failure.
Say = Callable[[Request], "str | tuple[str, Finish] | None"]


@dataclass
class Scripted:
    """Keeps what it was asked; a word is a token, and takes ``seconds_per_token``."""

    say: Say
    row: Callable[[Request, Sequence[str]], list[float] | None] = lambda request, choices: None
    concurrency: int = 1
    seconds_per_token: float = 0.0
    requests: list[Request] = field(default_factory=list)
    n_closed: int = 0

    def describe(self) -> Mapping[str, object]:
        return {"backend": "scripted"}

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    def generate(self, request: Request) -> Completion:
        self.requests.append(request)
        said = self.say(request)
        if said is None:
            raise BackendError("it failed", hint="none")
        text, finish = (said, "stop") if isinstance(said, str) else said
        words = text.splitlines(keepends=True)
        if len(words) > request.max_tokens:
            words, finish = words[: request.max_tokens], "length"
        time.sleep(self.seconds_per_token * len(words))
        n_prompt = self.count_tokens(request.text)
        done: Finish = finish  # type: ignore[assignment]
        settings = request.decoding.as_dict()
        return Completion("".join(words), done, n_prompt, len(words), 0.0, settings)

    def generate_all(self, requests: Sequence[Request]) -> list[Completion | Failed]:
        return one_by_one(self.generate, requests)

    def score(self, request: Request, choices: Sequence[str]) -> Scores:
        self.requests.append(request)
        return Scores(self.row(request, choices), self.count_tokens(request.text))

    def close(self) -> None:
        self.n_closed += 1


def config(**more: Any) -> LlmConfig:
    return LlmConfig("scripted", "scripted", "none", **more)


def recipe(backend: Scripted, **more: Any) -> Llm:
    return Llm(config(**more), lambda _: backend)


def answer_of(solver: Llm, place: int = 0, **budget: Any) -> ProblemAnswer:
    """Return the last answers to one of the sample's problems."""
    *_, last = solver.solve(PROBLEMS.problems[place], Budget(**budget))
    return last


def user_text(request: Request) -> str:
    return request.messages[-1].text
