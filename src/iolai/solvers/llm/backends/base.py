"""What every backend is: a model that answers requests and says how it was set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from iolai.solvers.llm.request import Completion, Decoding, Request, SettingError

__all__ = ["Backend", "require_equal"]

#: Settings that came back may differ from those sent by the rounding of 32-bit numbers.
_ROUNDING = 1e-6


class Backend(Protocol):
    """A language model behind one small interface. Not shared between threads unless it says so.

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
        """Answer one request before its deadline; raises BackendError where there is no answer."""
        ...

    def generate_all(self, requests: Sequence[Request]) -> list[Completion | None]:
        """Answer several requests, each independent; None stands where one got no answer."""
        ...

    def score(self, request: Request, choices: Sequence[str]) -> list[float] | None:
        """Return the natural log-probability of each choice as what comes next.

        None where this backend cannot tell, or the deadline is over.
        """
        ...

    def close(self) -> None:
        """Free what it holds."""
        ...


def require_equal(asked: Decoding, effective: Mapping[str, float], backend: str) -> None:
    """Raise SettingError where a setting in effect is not the one that was asked for.

    A setting that the backend does not report is one that it may have ignored, so it counts as
    different; that is how ``repetition_penalty`` under a name unknown to a server is found.
    """
    for name, value in asked.as_dict().items():
        if name not in effective:
            raise SettingError(
                f"{backend} does not say which {name} it used",
                hint=f"Leave {name} out of [decoding.required], or use a backend that reports it.",
            )
        if abs(effective[name] - value) > _ROUNDING * max(1.0, abs(value)):
            raise SettingError(
                f"{backend} decoded with {name} {effective[name]:g} where {value:g} was asked for",
                hint="Look for a default in the model's generation_config.json or the server's "
                "command line.",
            )
