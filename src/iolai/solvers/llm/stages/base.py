"""What every stage is, and what all of them work with."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from iolai.solvers.llm.backends.base import Backend
from iolai.solvers.llm.config import LlmConfig
from iolai.solvers.llm.draft import Draft, TaskDraft
from iolai.solvers.llm.meter import Meter
from iolai.solvers.llm.prompts import Prompt, fitted
from iolai.solvers.llm.received import log_probability
from iolai.solvers.llm.request import (
    BackendError,
    Completion,
    Decoding,
    Failed,
    Message,
    Request,
)
from iolai.text import printable

__all__ = ["Context", "Stage"]

#: Cutting goes by letters, the limit by tokens: more than one cut may be needed.
_MOST_CUTS = 8


@dataclass(slots=True)
class Context:
    """One problem's run of the recipe: the model, what it may cost, the prompts, the seed.

    ``reserve_s`` is held back for the explanation, ``first_pass_s`` is what the greedy answers to
    all tasks cost.
    """

    backend: Backend
    config: LlmConfig
    meter: Meter
    prompts: Mapping[str, Prompt]
    seed: int
    reserve_s: float = 0.0
    first_pass_s: float = 0.0

    def messages(self, prompt: str, task: TaskDraft, **values: str) -> tuple[Message, ...]:
        """Fill a prompt for a task; where that is too long, what is longest loses lines.

        They go from the middle. Mostly it is the context that is cut; a query (or the answers to
        be explained) of thousands of lines is, too, since the limit holds for every prompt.
        """
        filled = {
            "context": task.task.context,
            "query": task.task.query,
            "n_items": str(len(task.items)),
            "labels": ", ".join(task.labels),
            **values,
        }
        for _ in range(_MOST_CUTS):
            messages = self.prompts[prompt].fill(filled)
            n_tokens = self.backend.count_tokens("\n".join(message.text for message in messages))
            n_over = n_tokens - self.meter.allowance.n_prompt_tokens
            longest = max(filled, key=lambda name: len(filled[name]))
            if n_over <= 0 or not filled[longest]:
                break
            n_longest = self.backend.count_tokens(filled[longest])
            filled[longest] = fitted(filled[longest], n_over, n_longest)
        return self.prompts[prompt].fill(filled)

    def ask(
        self, stage: str, messages: tuple[Message, ...], decoding: Decoding, seed: int
    ) -> Completion | None:
        """Ask the model once within what is left; None where nothing is left or it failed."""
        ((_, completion),) = self.ask_all(stage, [(messages, seed)], decoding)
        return completion

    def ask_all(
        self,
        stage: str,
        calls: Sequence[tuple[tuple[Message, ...], int]],
        decoding: Decoding,
    ) -> Iterator[tuple[int, Completion | None]]:
        """Make calls of (messages, seed), as many at a time as the backend can.

        Yields (place, completion); None stands for one that failed, or for which nothing was left.
        """
        size = max(1, self.backend.concurrency)
        for first in range(0, len(calls), size):
            yield from enumerate(self._ask(stage, calls[first : first + size], decoding), first)

    def _ask(
        self, stage: str, calls: Sequence[tuple[tuple[Message, ...], int]], decoding: Decoding
    ) -> list[Completion | None]:
        reserve = 0.0 if stage == "explanation" else self.reserve_s
        n_tokens = self.meter.call_tokens(reserve, len(calls))
        most = self.meter.tokens_left // len(calls)
        if n_tokens <= 0:
            return [None] * len(calls)
        end = self.meter.end_in_real_time(reserve)
        requests = [
            Request(messages, decoding, n_tokens, seed, end, most_tokens=most)
            for messages, seed in calls
        ]
        start = time.monotonic()
        found = self.backend.generate_all(requests)
        self.meter.spend(stage, found, time.monotonic() - start)
        return [None if isinstance(done, Failed) else _readable(done) for done in found]

    def score(self, stage: str, request: Request, choices: Sequence[str]) -> list[float] | None:
        """Score choices as what comes next; None where the backend cannot, or failed."""
        start = time.monotonic()
        found = self.backend.score(request, choices)
        seconds = time.monotonic() - start
        n_prompt = found.n_prompt_tokens
        values = None if isinstance(found, Failed) else found.values
        if values is not None and None in map(log_probability, values):
            values = None  # a model whose numbers overflowed knows nothing
        if values is not None:
            self.meter.spend(stage, [Completion("", "stop", n_prompt, 0, seconds)], seconds)
            return values
        unknown = BackendError(
            "the choices could not be scored", hint="One may begin another, or the time was over."
        )
        error = found.error if isinstance(found, Failed) else unknown
        self.meter.spend(stage, [Failed(error, n_prompt)], seconds)
        return None


def _readable(completion: Completion) -> Completion:
    """Return a completion whose text may stand in an answer, a file and on a terminal.

    All text of all models comes through here.
    """
    return replace(completion, text=printable(completion.text))


#: A stage takes the draft and yields better ones, each complete; it may yield none.
Stage = Callable[[Draft, Context], Iterator[Draft]]
