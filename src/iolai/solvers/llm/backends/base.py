"""What every backend is: a model that answers requests and says how it was set."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from iolai.solvers.llm.request import (
    BackendError,
    Completion,
    Decoding,
    Failed,
    Request,
    Scores,
    SettingError,
)

__all__ = ["Backend", "TokenCount", "one_by_one", "require_equal"]

#: Settings that came back may differ from those sent by the rounding of 32-bit numbers.
_ROUNDING = 1e-6


class Backend(Protocol):
    """A language model behind one small interface. Not shared between threads.

    ``concurrency`` is how many requests ``generate_all`` works on at a time.
    """

    concurrency: int

    def describe(self) -> Mapping[str, object]:
        """Return what runs here: library, model, quantisation, context length, device."""
        ...

    def count_tokens(self, text: str) -> int:
        """Return how many tokens a text is, or a cautious estimate where that is unknown."""
        ...

    def generate(self, request: Request) -> Completion:
        """Answer one request before its deadline.

        Raises BackendError where there is no answer, SettingError where the settings in effect
        were not those of the request.
        """
        ...

    def generate_all(self, requests: Sequence[Request]) -> list[Completion | Failed]:
        """Answer several requests, each independent: what one lacks costs no other its answer."""
        ...

    def score(self, request: Request, choices: Sequence[str]) -> Scores | Failed:
        """Return how likely each choice is as what comes next; see ``Scores``."""
        ...

    def close(self) -> None:
        """Free what it holds."""
        ...


def one_by_one(
    generate: Callable[[Request], Completion], requests: Sequence[Request]
) -> list[Completion | Failed]:
    """Answer requests one after another, for a backend that can do no more than one at a time."""
    found: list[Completion | Failed] = []
    for request in requests:
        try:
            found.append(generate(request))
        except (BackendError, SettingError) as error:
            found.append(Failed(error))
    return found


def require_equal(asked: Decoding, effective: Mapping[str, float], backend: str) -> None:
    """Raise SettingError where a setting in effect is not the one that was asked for.

    A setting that the backend does not report is one that it may have ignored, so it counts as
    different; that is how ``repetition_penalty`` under a name unknown to a server is found.
    """
    for name, value in asked.as_dict().items():
        if name not in effective:
            raise SettingError(
                f"{backend} does not say which {name} it used",
                hint="Use a backend that reports its settings. Where you know that the server "
                "obeys, trust_settings = true in [options] runs it and records the setting as "
                "not confirmed.",
            )
        # Asked for in this way, a value that is no number is different, too.
        if not abs(effective[name] - value) <= _ROUNDING * max(1.0, abs(value)):
            raise SettingError(
                f"{backend} decoded with {name} {effective[name]:g} where {value:g} was asked for",
                hint="Look for a default in the model's generation_config.json or the server's "
                "command line.",
            )


class TokenCount:
    """Estimates the tokens of texts, on the safe side, for a backend without a tokenizer.

    It begins with three bytes a token and learns from the prompts that were counted: from then on
    it takes the densest of them and a tenth more. In short prompts what a chat template adds
    would weigh too much, so they teach nothing.
    """

    _MARGIN = 1.1
    _LEAST_BYTES = 1000

    def __init__(self) -> None:
        self._per_byte = 1 / 3
        self._has_seen = False

    def __call__(self, text: str) -> int:
        """Return an estimate, at most one token a byte."""
        n_bytes = _n_bytes(text)
        return min(n_bytes, int(n_bytes * self._per_byte) + 1)

    def learn(self, text: str, n_tokens: int) -> None:
        """Take note of a prompt's true number of tokens."""
        n_bytes = _n_bytes(text)
        if n_tokens <= 0 or n_bytes < self._LEAST_BYTES:
            return
        seen = self._MARGIN * n_tokens / n_bytes
        self._per_byte = max(self._per_byte, seen) if self._has_seen else seen
        self._has_seen = True


def _n_bytes(text: str) -> int:
    """Count the bytes of UTF-8; half of a surrogate pair, which has none, counts as if it had."""
    return len(text.encode("utf-8", "surrogatepass"))
