"""llama.cpp in this process, through xllamacpp: any GGUF file.

Two traps are closed here. The prompt cache changes greedy output, so it is off. llama.cpp's
penalty is called ``repeat_penalty`` and another name is ignored in silence, so the settings in
effect are read back from each answer and compared with those that were sent.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from iolai.errors import InputError, MissingPartError
from iolai.solvers.llm.backends.aside import Aside
from iolai.solvers.llm.backends.base import TokenCount, one_by_one, require_equal
from iolai.solvers.llm.backends.choices import are_told_apart, score_choices
from iolai.solvers.llm.backends.dialects import LLAMA_NAMES, renamed
from iolai.solvers.llm.backends.files import model_path
from iolai.solvers.llm.config import LlmConfig
from iolai.solvers.llm.options import Option, checked
from iolai.solvers.llm.request import BackendError, Completion, Failed, Finish, Request, Scores

__all__ = ["LlamaBackend", "llama_options", "open_llama"]

#: How many of the likeliest first tokens are asked for when choices are scored.
_N_PROBABILITIES = 2000
_OPTIONS = {
    "n_ctx": Option(8192, 1, 1 << 20),
    "n_threads": Option(1, 1, 512),  # llama.cpp's own bound
    "n_gpu_layers": Option(0, -1, 10_000),
    "n_batch": Option(0, 0, 8192),
    "cache_prompt": Option(False),
}
#: With progress there is a look at the clock while the prompt is read, too.
_STREAMED: dict[str, Any] = {
    "stream": True,
    "return_progress": True,
    "stream_options": {"include_usage": True},
}
#: How long after the deadline llama.cpp may take to stop by itself, and a batch at the very end.
_GRACE_S, _LAST_BATCH_S = 0.2, 5.0
#: Tokens of a prompt that are worked on between two looks at the clock.
_BATCH_ON_CPU, _BATCH_ON_GPU = 32, 512


def open_llama(config: LlmConfig) -> LlamaBackend:
    """Load a GGUF file.

    Options: ``n_ctx`` (tokens of prompt and answer together), ``n_threads``, ``n_gpu_layers``,
    ``n_batch`` (tokens of a prompt between two looks at the clock; 0: 32 on a CPU, else 512),
    ``cache_prompt`` (faster, and greedy answers then depend on what was asked before).

    Raises MissingPartError without xllamacpp, InputError without the file, for an option's value
    that is none, and where ``n_ctx`` is too small for the allowance.
    """
    options = llama_options(config)
    path = model_path(config.model)
    if not path.is_file():
        raise InputError(f"{path} is no file", hint="Name a GGUF file as `model`.")
    try:
        import xllamacpp
    except ImportError as error:
        raise MissingPartError(
            "xllamacpp is not installed", hint="Install it: pip install xllamacpp"
        ) from error
    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.n_ctx = options["n_ctx"]
    params.n_parallel = 1
    params.n_batch = params.n_ubatch = options["n_batch"]
    params.n_gpu_layers = options["n_gpu_layers"]
    params.cpuparams.n_threads = options["n_threads"]
    params.cpuparams_batch.n_threads = options["n_threads"]
    params.warmup = False
    params.verbosity = -1
    try:
        server = Aside(lambda: xllamacpp.Server(params)).result()
    except (RuntimeError, ValueError) as error:
        raise InputError(
            f"{path} cannot be loaded as a model: {error}",
            hint="It must be a whole GGUF file that this llama.cpp knows.",
        ) from error
    return LlamaBackend(server, path, options)


def llama_options(config: LlmConfig) -> dict[str, Any]:
    """Return the value of every option; raises InputError where one is none, as ``open_llama``."""
    options = checked("[options] of the backend llama", config.options, _OPTIONS)
    options["n_batch"] = options["n_batch"] or (
        _BATCH_ON_GPU if options["n_gpu_layers"] else _BATCH_ON_CPU
    )
    needed = config.allowance.n_prompt_tokens + config.allowance.call_most
    if options["n_ctx"] < needed:
        raise InputError(
            f"n_ctx is {options['n_ctx']}, and a prompt with its answer may take {needed} tokens",
            hint="Give [options] a larger n_ctx, or [allowance] a smaller n_prompt_tokens.",
        )
    return options


class LlamaBackend:
    """One model, one request at a time."""

    concurrency = 1

    def __init__(self, server: Any, path: Path, options: Mapping[str, Any]) -> None:
        self._server = server
        self._path = path
        self._options = dict(options)
        self._count = TokenCount()
        self._work: Aside[None] | None = None

    def describe(self) -> Mapping[str, object]:
        """Return the library's version, the file and its size in bytes, and the options."""
        from importlib.metadata import version

        return {
            "backend": "llama",
            "library": f"xllamacpp {version('xllamacpp')}",
            "model": self._path.name,
            "n_bytes": self._path.stat().st_size,
            **self._options,
        }

    def count_tokens(self, text: str) -> int:
        """Return an estimate on the safe side, which the prompts so far have made better."""
        return self._count(text)

    def generate(self, request: Request) -> Completion:
        """Answer one request; the stream is left when the deadline is over."""
        start = time.monotonic()
        if start >= request.deadline:
            raise BackendError("there is no time left", hint="Give the problem more time.")
        stream = _Stream(request.deadline)
        body = self._body(request) | {
            **_STREAMED,
            "max_tokens": request.max_tokens,
        }
        self._send(body, stream)
        stream.require_no_error()
        if stream.finish != "deadline":
            require_equal(request.decoding, stream.settings, "llama.cpp")
        self._count.learn(request.text, stream.n_prompt_tokens)
        return Completion(
            text="".join(stream.parts),
            finish=stream.finish,
            n_prompt_tokens=stream.n_prompt_tokens or self._count(request.text),
            n_tokens=stream.n_tokens or len(stream.parts),
            seconds=time.monotonic() - start,
            settings=stream.settings,
        )

    def generate_all(self, requests: Sequence[Request]) -> list[Completion | Failed]:
        """Answer requests one after another."""
        return one_by_one(self.generate, requests)

    def score(self, request: Request, choices: Sequence[str]) -> Scores | Failed:
        """Return the log-probability of each choice by the first token; see ``choices``."""
        if time.monotonic() >= request.deadline or not are_told_apart(choices):
            return Scores(None)
        stream = _Stream(request.deadline)
        body = self._body(request) | {
            **_STREAMED,
            "max_tokens": 1,
            "logprobs": True,
            "top_logprobs": _N_PROBABILITIES,
        }
        try:
            self._send(body, stream)
            stream.require_no_error()
        except BackendError as error:
            return Failed(error)
        self._count.learn(request.text, stream.n_prompt_tokens)
        n_prompt = stream.n_prompt_tokens or self._count(request.text)
        pairs = ((t["token"], t["logprob"]) for t in stream.top)
        return Scores(score_choices(pairs, choices), n_prompt)

    def _send(self, body: Mapping[str, Any], stream: _Stream) -> None:
        """Let llama.cpp work in a thread of its own, so that this one hears signals and the clock.

        An interrupt that came while llama.cpp calls back would be lost there; and a batch of a
        long prompt may take until after the deadline, which is then not waited for.
        """
        if not self._is_idle(stream.seconds_left):
            raise BackendError(
                "llama.cpp is at its last batch still", hint="Set a smaller n_batch in [options]."
            )
        server = self._server
        self._work = Aside(lambda: server.handle_chat_completions(dict(body), stream.take))
        try:
            if not self._is_idle(stream.seconds_left + _GRACE_S):
                stream.leave("deadline")
                return
            self._work.result()
        except Exception as error:  # whatever the library raises is a call that failed
            raise BackendError(
                f"llama.cpp failed: {type(error).__name__}: {error}",
                hint="A prompt longer than n_ctx needs a larger n_ctx in [options].",
            ) from error
        except BaseException:
            stream.leave("cut")
            raise

    def _is_idle(self, seconds: float) -> bool:
        """Wait for the work under way, for so many seconds at most; return whether it is done."""
        return self._work is None or self._work.is_done(seconds)

    def _body(self, request: Request) -> dict[str, Any]:
        settings = request.decoding.as_dict()
        body: dict[str, Any] = {LLAMA_NAMES[name]: value for name, value in settings.items()}
        body["top_k"] = int(body["top_k"])
        messages = [{"role": m.role, "content": m.text} for m in request.messages]
        body |= {
            "messages": messages,
            "seed": request.seed % (2**32 - 1),  # the last number means a seed by chance
            "cache_prompt": self._options["cache_prompt"],
            "verbose": True,
            "dry_multiplier": 0.0,
            "xtc_probability": 0.0,
            "typical_p": 1.0,
            "stop": list(request.stop),
        }
        if request.grammar:
            body["grammar"] = request.grammar
        return body

    def close(self) -> None:
        """Free the model; one that is at work is left to its thread, which ends with its batch."""
        if self._is_idle(_LAST_BATCH_S):
            self._work = None  # it holds the model, too
        self._server = None


class _Stream:
    """Collects the pieces of one answer; asks to stop when the deadline is over."""

    def __init__(self, deadline: float) -> None:
        self.parts: list[str] = []
        self.finish: Finish = "stop"
        self.settings: dict[str, float] = {}
        self.n_tokens = 0
        self.n_prompt_tokens = 0
        self.error = ""
        self.is_over = False
        self.is_left = False
        self.top: list[dict[str, Any]] = []
        self._deadline = deadline
        self._lock = threading.Lock()

    @property
    def seconds_left(self) -> float:
        """Seconds until the deadline, never below 0."""
        return max(0.0, self._deadline - time.monotonic())

    def require_no_error(self) -> None:
        """Raise BackendError where llama.cpp answered with an error."""
        if self.error:
            raise BackendError(
                f"llama.cpp answered: {self.error}",
                hint="A prompt longer than n_ctx needs a larger n_ctx in [options].",
            )

    def leave(self, finish: Finish) -> None:
        """Take nothing more and ask to stop, for this reason."""
        with self._lock:
            self.is_left = True
            if not self.is_over:
                self.finish = finish

    def take(self, piece: Any) -> bool:
        """Take a piece; return whether to stop."""
        with self._lock:
            if self.is_left:
                return True
            for part in piece if isinstance(piece, list) else [piece]:
                self._take_one(json.loads(part) if isinstance(part, str) else part)
            if time.monotonic() >= self._deadline and not self.is_over:
                self.finish = "deadline"
                return True
        return False

    def _take_one(self, part: Mapping[str, Any]) -> None:
        if "error" in part:
            self.error = str(part["error"].get("message", part["error"]))
            return
        for choice in part.get("choices", ()):
            text = choice.get("delta", {}).get("content") or ""
            if text:
                self.parts.append(text)
            content = (choice.get("logprobs") or {}).get("content") or ()
            if content and not self.top:
                self.top = content[0]["top_logprobs"]
            if choice.get("finish_reason"):
                self.is_over = True
                self.finish = "length" if choice["finish_reason"] == "length" else "stop"
        progress = part.get("prompt_progress") or {}
        self.n_prompt_tokens = progress.get("total", self.n_prompt_tokens)
        usage = part.get("usage") or {}
        self.n_tokens = usage.get("completion_tokens", self.n_tokens)
        self.n_prompt_tokens = usage.get("prompt_tokens", self.n_prompt_tokens)
        effective = (part.get("__verbose") or {}).get("generation_settings")
        if effective:
            self.settings = renamed(effective)
