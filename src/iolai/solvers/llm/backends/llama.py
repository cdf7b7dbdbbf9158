"""llama.cpp in this process, through xllamacpp: any GGUF file.

Two traps are closed here. The prompt cache changes greedy output, so it is off. llama.cpp's
penalty is called ``repeat_penalty`` and another name is ignored in silence, so the settings in
effect are read back from each answer and compared with those that were sent.
"""

from __future__ import annotations

import json
import math
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from iolai.errors import InputError, MissingPartError
from iolai.solvers.llm.backends.base import require_equal
from iolai.solvers.llm.config import LlmConfig
from iolai.solvers.llm.request import BackendError, Completion, Request

__all__ = ["LlamaBackend", "open_llama"]

#: Our names for settings -> llama.cpp's.
_NAMES = {
    "temperature": "temperature",
    "top_p": "top_p",
    "top_k": "top_k",
    "min_p": "min_p",
    "repetition_penalty": "repeat_penalty",
    "presence_penalty": "presence_penalty",
    "frequency_penalty": "frequency_penalty",
}
#: How many of the likeliest first tokens are asked for when choices are scored.
_N_PROBABILITIES = 2000


def open_llama(config: LlmConfig) -> LlamaBackend:
    """Load a GGUF file; ``options`` may give n_ctx, n_threads, n_gpu_layers.

    Raises MissingPartError without xllamacpp, InputError without the file.
    """
    path = Path(config.model)
    if not path.is_file():
        raise InputError(
            f"there is no model file {config.model}",
            hint="Set `model` in the configuration to the path of a .gguf file.",
        )
    try:
        import xllamacpp
    except ImportError as error:
        raise MissingPartError(
            "xllamacpp is not installed", hint="Install it: pip install 'iolai[llama]'"
        ) from error
    options = {"n_ctx": 8192, "n_threads": 1, "n_gpu_layers": 0, **config.options}
    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.n_ctx = options["n_ctx"]
    params.n_parallel = 1
    params.n_gpu_layers = options["n_gpu_layers"]
    params.cpuparams.n_threads = options["n_threads"]
    params.cpuparams_batch.n_threads = options["n_threads"]
    params.warmup = False
    params.verbosity = -1
    try:
        server = xllamacpp.Server(params)
    except (RuntimeError, ValueError) as error:
        raise InputError(
            f"{path} cannot be loaded as a model: {error}",
            hint="It must be a whole GGUF file that this llama.cpp knows.",
        ) from error
    return LlamaBackend(server, path, options)


class LlamaBackend:
    """One model, one request at a time."""

    concurrency = 1

    def __init__(self, server: Any, path: Path, options: Mapping[str, Any]) -> None:
        self._server = server
        self._path = path
        self._options = dict(options)

    def describe(self) -> Mapping[str, object]:
        """Return the library's version, the file and its size in bytes, and the options."""
        from importlib.metadata import version

        return {
            "backend": "llama",
            "library": f"xllamacpp {version('xllamacpp')}",
            "model": self._path.name,
            "bytes": self._path.stat().st_size,
            **self._options,
        }

    def count_tokens(self, text: str) -> int:
        """Return a cautious estimate: three bytes a token, at most one token a byte."""
        return math.ceil(len(text.encode()) / 3)

    def generate(self, request: Request) -> Completion:
        """Answer one request; the stream is left when the deadline is over."""
        start = time.monotonic()
        if start >= request.deadline:
            raise BackendError("there is no time left", hint="Give the problem more time.")
        stream = _Stream(request.deadline)
        body = self._body(request) | {"stream": True, "max_tokens": request.max_tokens}
        self._server.handle_chat_completions(body, stream.take)
        if stream.error:
            raise BackendError(
                f"llama.cpp answered: {stream.error}",
                hint="A prompt longer than n_ctx needs a larger n_ctx in [options].",
            )
        require_equal(request.decoding, stream.settings, "llama.cpp") if stream.settings else None
        return Completion(
            text="".join(stream.parts),
            finish=stream.finish,
            n_prompt_tokens=stream.n_prompt_tokens or self.count_tokens(_text_of(request)),
            n_tokens=stream.n_tokens or len(stream.parts),
            seconds=time.monotonic() - start,
            settings=stream.settings,
        )

    def generate_all(self, requests: Sequence[Request]) -> list[Completion | None]:
        """Answer requests one after another."""
        found: list[Completion | None] = []
        for request in requests:
            try:
                found.append(self.generate(request))
            except BackendError:
                found.append(None)
        return found

    def score(self, request: Request, choices: Sequence[str]) -> list[float] | None:
        """Return the log-probability of each choice's first token that tells it from the others.

        None where two choices begin alike, since then one token cannot tell them apart.
        """
        if time.monotonic() >= request.deadline:
            return None
        body = self._body(request) | {
            "max_tokens": 1,
            "logprobs": True,
            "top_logprobs": _N_PROBABILITIES,
        }
        answer = self._server.handle_chat_completions(body)
        if "error" in answer:
            return None
        content = answer["choices"][0].get("logprobs", {}).get("content", [])
        return _scores(content[0]["top_logprobs"], choices) if content else None

    def _body(self, request: Request) -> dict[str, Any]:
        settings = request.decoding.as_dict()
        body: dict[str, Any] = {_NAMES[name]: value for name, value in settings.items()}
        body["top_k"] = int(body["top_k"])
        messages = [{"role": m.role, "content": m.text} for m in request.messages]
        if request.prefix:
            messages.append({"role": "assistant", "content": request.prefix})
        body |= {
            "messages": messages,
            "seed": request.seed % 2**32,
            "cache_prompt": False,
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
        """Free the model."""
        self._server = None


class _Stream:
    """Collects the pieces of one answer; asks to stop when the deadline is over."""

    def __init__(self, deadline: float) -> None:
        self.parts: list[str] = []
        self.finish: Any = "stop"
        self.settings: dict[str, float] = {}
        self.n_tokens = 0
        self.n_prompt_tokens = 0
        self.error = ""
        self._deadline = deadline
        self._lock = threading.Lock()

    def take(self, piece: Any) -> bool:
        """Take a piece; return whether to stop."""
        with self._lock:
            for part in piece if isinstance(piece, list) else [piece]:
                self._take_one(json.loads(part) if isinstance(part, str) else part)
            if time.monotonic() >= self._deadline:
                self.finish = "deadline"
                return True
        return False

    def _take_one(self, part: Mapping[str, Any]) -> None:
        if "error" in part:
            self.error = str(part["error"].get("message", part["error"]))
            return
        for choice in part.get("choices", ()):
            self.parts.append(choice.get("delta", {}).get("content") or "")
            if choice.get("finish_reason") == "length":
                self.finish = "length"
        usage = part.get("usage") or {}
        self.n_tokens = usage.get("completion_tokens", self.n_tokens)
        self.n_prompt_tokens = usage.get("prompt_tokens", self.n_prompt_tokens)
        effective = (part.get("__verbose") or {}).get("generation_settings")
        if effective:
            self.settings = settings_of(effective)


def settings_of(effective: Mapping[str, Any]) -> dict[str, float]:
    """Return llama.cpp's settings by our names."""
    return {
        ours: float(effective[theirs]) for ours, theirs in _NAMES.items() if theirs in effective
    }


def _scores(top: Sequence[Mapping[str, Any]], choices: Sequence[str]) -> list[float] | None:
    """Return for each choice the log-probability mass of the tokens that begin it and no other."""
    floor = min((entry["logprob"] for entry in top), default=-30.0)
    mass = [0.0] * len(choices)
    for entry in top:
        token = entry["token"].strip()
        begun = [k for k, choice in enumerate(choices) if token and choice.startswith(token)]
        exact = [k for k in begun if choices[k] == token]
        for k in exact or (begun if len(begun) == 1 else ()):
            mass[k] += math.exp(entry["logprob"])
    return [math.log(share) if share > 0 else floor for share in mass]


def _text_of(request: Request) -> str:
    return "\n".join(message.text for message in request.messages)
