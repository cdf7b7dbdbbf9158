"""Any server that speaks the OpenAI chat protocol: vLLM, llama.cpp, Ollama, a hosted service.

Several requests run at the same time. A request that fails in a way that may pass (429, 503, a
stall, a stream that breaks off, nonsense) is made again, with growing waits that honour
``Retry-After`` and never reach past the deadline. Settings go by the names that the server knows;
one that it does not report back is an error, unless the configuration says to trust it. What the
tries of a request have used is counted with its answer, or with its failure.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from iolai.errors import InputError
from iolai.solvers.llm.backends.base import TokenCount, require_equal
from iolai.solvers.llm.backends.choices import are_told_apart, score_choices
from iolai.solvers.llm.backends.dialects import DIALECTS, Dialect
from iolai.solvers.llm.backends.replies import Reply
from iolai.solvers.llm.backends.servers import Server, key_in
from iolai.solvers.llm.backends.spending import Bounds, Spending, new_tokens
from iolai.solvers.llm.backends.streaming import Failure, Stop, post
from iolai.solvers.llm.config import LlmConfig
from iolai.solvers.llm.options import Option, checked
from iolai.solvers.llm.request import (
    BackendError,
    Completion,
    Failed,
    Request,
    Scores,
    SettingError,
)

__all__ = ["OpenAiBackend", "open_openai"]

_OPTIONS = {
    "base_url": Option("http://127.0.0.1:8000/v1", may_be_secret=True),
    "dialect": Option("vllm", names=tuple(DIALECTS)),
    "api_key_env": Option("", may_be_secret=True),
    "concurrency": Option(4, 1, 256),
    "max_tries": Option(5, 1, 100),
    "stall_s": Option(30.0, 0.05, 3600),
    "request_s": Option(600.0, 1, 86_400),
    "give_up_s": Option(300.0, 0, 86_400),
    "trust_settings": Option(False),
    "max_total_tokens": Option(0, 0),
    "price_per_million_in": Option(0.0, 0),
    "price_per_million_out": Option(0.0, 0),
    "max_cost": Option(0.0, 0),
}
_FIRST_WAIT_S, _LONGEST_WAIT_S = 0.5, 16.0
#: A server that wants to be left alone for longer than this gives no answer to a request.
_LONGEST_RETRY_AFTER_S = 120.0
_TOP_LOGPROBS = 20  # more than that is refused by most servers


def open_openai(config: LlmConfig) -> OpenAiBackend:
    """Return a backend that asks a server; ``model`` is the name the server knows it by.

    Options: ``base_url``, ``dialect`` (vllm, llama.cpp, ollama, openai: what settings are called),
    ``api_key_env`` (the environment variable that holds the key), ``concurrency`` (requests at
    the same time), ``max_tries``, ``stall_s`` (seconds without a byte after which a try is given
    up), ``request_s`` (seconds for a request with all its tries, where no deadline is sooner),
    ``give_up_s`` (seconds for which no request is answered, after which the server is asked no
    more), ``trust_settings``, ``max_total_tokens`` (prompt and new tokens of the whole run; 0:
    no bound), ``price_per_million_in``, ``price_per_million_out`` and ``max_cost`` (in one
    currency; 0: no bound).

    Raises InputError for an option that is none, for an address that holds a secret and for a key
    that is not there, SettingError where the dialect cannot send a setting of the configuration.
    """
    options = checked("[options] of the backend openai", config.options, _OPTIONS)
    has_price = options["price_per_million_in"] or options["price_per_million_out"]
    if options["max_cost"] and not has_price:
        raise InputError(
            "max_cost without a price bounds nothing",
            hint="Set price_per_million_in and price_per_million_out in [options], too.",
        )
    dialect = DIALECTS[options["dialect"]]
    for decoding in (config.anchor, config.sampling):
        dialect.body(decoding, trusts=options["trust_settings"])
    return OpenAiBackend(config.model, options, dialect)


class OpenAiBackend:
    """A model on a server."""

    def __init__(self, model: str, options: Mapping[str, Any], dialect: Dialect) -> None:
        self.concurrency: int = options["concurrency"]
        self._model = model
        self._options = dict(options)
        self._dialect = dialect
        self._server = Server.at(options["base_url"], key_in(options["api_key_env"]))
        self._count = TokenCount()
        self._spent = Spending(
            Bounds(
                options["max_total_tokens"],
                options["max_cost"],
                options["price_per_million_in"],
                options["price_per_million_out"],
            )
        )
        self._stop = Stop()
        self._silence = _Silence(options["give_up_s"])

    def describe(self) -> Mapping[str, object]:
        """Return the server, the model's name there, the options, and what was spent so far."""
        return {
            "backend": "openai",
            "library": f"dialect {self._options['dialect']}",
            "model": self._model,
            **self._options,
            "spent": {
                "n_prompt_tokens": self._spent.n_prompt,
                "n_tokens": self._spent.n_new,
                "n_tries": self._spent.n_tries,
                "cost": round(self._spent.cost, 6),
            },
        }

    def count_tokens(self, text: str) -> int:
        """Return an estimate on the safe side, which the prompts so far have made better."""
        return self._count(text)

    def generate(self, request: Request) -> Completion:
        """Answer one request, trying again while there is time.

        A text that broke off is returned, as cut, where no later try brought a whole one.
        """
        found = self._answered(request)
        if isinstance(found, Failed):
            raise found.error
        return found

    def _answered(self, request: Request) -> Completion | Failed:
        start, used = time.monotonic(), _Used()
        try:
            body = self._body(request) | {"max_tokens": request.max_tokens}
            reply = self._ask(body, request, used)
        except (BackendError, SettingError) as error:
            return Failed(error, used.n_prompt, used.n_new)
        n_prompt, n_new = reply.n_prompt_tokens or self._count(request.text), new_tokens(reply)
        return Completion(
            text=self._server.hide(reply.text),
            finish=reply.finish,
            n_prompt_tokens=n_prompt,
            n_tokens=n_new,
            seconds=time.monotonic() - start,
            settings=self._dialect.settings_of(reply.verbose),
            n_lost_prompt_tokens=max(0, used.n_prompt - n_prompt),
            n_lost_tokens=max(0, used.n_new - n_new),
        )

    def _unconfirmed(self, request: Request, reply: Reply) -> Failure | None:
        """Return why a whole answer cannot be taken: decoded otherwise, or nobody knows how.

        Where a kind of server that reports its settings did not, another try may help.
        """
        # Trust is for what is not reported: a difference that is stays an error.
        trusted = request.decoding.as_dict() if self._options["trust_settings"] else {}
        settings = self._dialect.settings_of(reply.verbose)
        name = f"the server at {self._server.address}"
        try:
            require_equal(request.decoding, {**trusted, **settings}, name)
        except SettingError as error:
            is_missing = not set(request.decoding.as_dict()) <= set(settings)
            return Failure(error.message, self._dialect.reports and is_missing, error=error)
        return None

    def generate_all(self, requests: Sequence[Request]) -> list[Completion | Failed]:
        """Answer requests at the same time; what is finished stays, whatever becomes of others."""
        if not requests:
            return []
        pool = ThreadPoolExecutor(min(self.concurrency, len(requests)))
        try:
            return list(pool.map(self._answered, requests))
        except BaseException:  # an interrupt: nobody waits for what is under way
            self._stop.now()
            raise
        finally:
            pool.shutdown(cancel_futures=True)

    def score(self, request: Request, choices: Sequence[str]) -> Scores | Failed:
        """Return the log-probability of each choice by the first token; see ``choices``.

        There is none where the server lists no tokens.
        """
        if time.monotonic() >= request.deadline or not are_told_apart(choices):
            return Scores(None)
        more = {"max_tokens": 1, "logprobs": True, "top_logprobs": _TOP_LOGPROBS}
        used = _Used()
        try:
            reply = self._ask(self._body(request) | more, request, used, checks_settings=False)
        except (BackendError, SettingError) as error:
            return Failed(error, used.n_prompt)
        return Scores(score_choices(reply.top, choices), used.n_prompt)

    def close(self) -> None:
        """Nothing is held between requests."""

    def _body(self, request: Request) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self._model,
            "messages": [{"role": m.role, "content": m.text} for m in request.messages],
            "seed": request.seed % 2**31,
            "stream": True,
            "stream_options": {"include_usage": True},
            **self._dialect.body(request.decoding, trusts=self._options["trust_settings"]),
        }
        if request.stop:
            body["stop"] = list(request.stop)
        if request.grammar:
            if not self._dialect.grammar:
                raise SettingError(
                    "this dialect takes no grammar",
                    hint="Use the backend llama, or a server of the dialects llama.cpp or vllm.",
                )
            body[self._dialect.grammar] = request.grammar
        return body

    def _ask(
        self,
        body: Mapping[str, Any],
        request: Request,
        used: _Used,
        *,
        checks_settings: bool = True,
    ) -> Reply:
        """Make a request until it is answered, the tries, the tokens or the time are used up.

        A whole answer whose settings are not confirmed is a failed try, too. Raises BackendError
        with the reason of the last failure, SettingError where that was the settings.
        """
        self._silence.require_hope()
        best, last = Reply(), Failure("there is no time left")
        chance = random.Random(request.seed)  # noqa: S311 - waits, no secrets
        deadline = min(request.deadline, time.monotonic() + self._options["request_s"])
        for n_try in range(self._options["max_tries"]):
            wanted = used.bounded(body["max_tokens"], request.most_tokens)
            if time.monotonic() >= deadline or wanted < 1:
                break
            reply, failure = self._try({**body, "max_tokens": wanted}, request, used, deadline)
            if failure is None and checks_settings and reply.finish in ("stop", "length"):
                failure = self._unconfirmed(request, reply)
                reply = reply if failure is None else Reply()
            if failure is None:
                return reply
            last = failure
            best = max(best, reply, key=lambda r: len(r.text))
            if not failure.may_pass or not self._wait(n_try, failure, deadline, chance):
                break
        if last.error is not None:
            raise last.error
        if best.text and best.finish == "deadline":  # slow, and not silent
            self._silence.end()
        else:
            self._silence.go_on(last.reason)
        if best.text:
            return best
        raise BackendError(
            f"the server at {self._server.address} gave no answer: {last.reason}",
            hint=last.hint or "See whether it runs, and whether it is overloaded.",
        )

    def _try(
        self, body: Mapping[str, Any], request: Request, used: _Used, deadline: float
    ) -> tuple[Reply, Failure | None]:
        """Make a request once and count what it has used; raises BackendError without budget."""
        left = max(0.0, deadline - time.monotonic())
        # Time for a second try.
        stall_s = min(self._options["stall_s"], max(min(1.0, left), left / 2))
        n_prompt = self._count(request.text)
        n_new = self._spent.keep(n_prompt, body["max_tokens"])
        bounded = {**body, "max_tokens": n_new}
        reply, failure = post(self._server, bounded, deadline, stall_s, self._stop)
        used.add(*self._spent.settle(n_prompt, n_new, reply))
        self._count.learn(request.text, reply.n_prompt_tokens)
        if failure is None:
            self._silence.end()
        return reply, failure

    def _wait(self, n_try: int, failure: Failure, deadline: float, chance: random.Random) -> bool:
        """Wait before the next try; return False at once where it would come too late."""
        wait = min(_LONGEST_WAIT_S, _FIRST_WAIT_S * 2**n_try) * chance.uniform(0.5, 1.0)
        wait = max(wait, failure.retry_after_s)
        is_last = n_try + 1 >= self._options["max_tries"] or wait > _LONGEST_RETRY_AFTER_S
        if is_last or time.monotonic() + wait >= deadline:
            return False
        return not self._stop.wait(wait)


@dataclass(slots=True)
class _Used:
    """The tokens of all tries at one request."""

    n_prompt: int = 0
    n_new: int = 0

    def add(self, n_prompt: int, n_new: int) -> None:
        """Count a try."""
        self.n_prompt += n_prompt
        self.n_new += n_new

    def bounded(self, wanted: int, most: int) -> int:
        """Return how many new tokens the next try may have; ``most`` 0 is no bound."""
        return min(wanted, most - self.n_new) if most else wanted


class _Silence:
    """How long a server has answered no request; several threads ask.

    A run without a time limit would wait for a dead server through every stage of every problem.
    """

    def __init__(self, longest_s: float) -> None:
        self._longest_s = longest_s
        self._since: float | None = None
        self._reason = ""
        self._lock = threading.Lock()

    def end(self) -> None:
        """Take note of an answer."""
        with self._lock:
            self._since = None

    def go_on(self, reason: str) -> None:
        """Take note of a request that got no whole answer in all its tries."""
        with self._lock:
            self._since = time.monotonic() if self._since is None else self._since
            self._reason = reason

    def require_hope(self) -> None:
        """Raise BackendError where the silence has lasted too long to ask again."""
        with self._lock:
            lasted = 0.0 if self._since is None else time.monotonic() - self._since
            if self._since is not None and lasted >= self._longest_s:
                raise BackendError(
                    f"the server is asked no more: no answer for {lasted:.0f} s, at last "
                    f"{self._reason}",
                    hint="See whether it runs; give_up_s in [options] is how long to hope for it.",
                )
