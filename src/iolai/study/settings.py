"""Which decoding settings reach which provider; one that cannot be sent is refused.

A setting that is dropped in silence makes two studies differ that say they are the same. The
table follows what inspect-ai 0.3.285 says of its generation settings, provider by provider. Our
own backends send every setting and read back what was in effect.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields
from typing import Any

from iolai.solvers.llm.request import Decoding, SettingError
from iolai.study.study_file import StudyModel

__all__ = ["OURS", "require_sendable", "sendable"]

#: Our own language models, asked with a study's prompts.
OURS = "iolai-lm"
_EVERYWHERE = ("temperature", "top_p")
_PENALTIES = ("openai", "google", "grok", "groq", "vllm", "sglang")
_SENT: dict[str, tuple[str, ...]] = {
    "top_k": ("anthropic", "google", "hf", "vllm", "sglang"),
    "presence_penalty": _PENALTIES,
    "frequency_penalty": _PENALTIES,
    "seed": ("openai", "google", "mistral", "groq", "hf", "vllm"),
    # Sent in the body of the request, beside what inspect-ai itself knows.
    "repetition_penalty": ("vllm", "sglang"),
}


def sendable(provider: str) -> frozenset[str]:
    """Return the settings that reach a provider, ``seed`` among them."""
    if provider == OURS:
        return frozenset((*(spec.name for spec in fields(Decoding)), "seed"))
    if provider == "iolai":
        return frozenset(("seed",))
    named = (name for name, providers in _SENT.items() if provider in providers)
    return frozenset((*_EVERYWHERE, *named))


def require_sendable(model: StudyModel, seeds: Sequence[int]) -> None:
    """Raise SettingError where a model's settings, or its seeds, cannot be sent to it."""
    if model.planted is not None:
        return
    provider = model.target.split("/")[0]
    known = sendable(provider) | set(model.sends)
    for name in _asked(model, seeds):
        if name not in known:
            raise SettingError(
                f"{name} of {model.name} cannot be sent to {model.target}",
                hint=_hint(name, provider),
            )
    values: dict[str, Any] = dict(model.settings)
    Decoding(**values)  # they must be legal too


def _asked(model: StudyModel, seeds: Sequence[int]) -> Iterable[str]:
    yield from model.settings
    if len(seeds) > 1:
        yield "seed"


def _hint(name: str, provider: str) -> str:
    if provider == "iolai":
        return "A solver has settings of its own; take the setting out, or change its file."
    if name == "seed":
        return (
            "Ask with one seed; or, where the answers differ by themselves, write "
            'sends = ["seed"]: then the seeds only count the repeats.'
        )
    return (
        f"Take it out; ask the model through {OURS}/CONFIG, which sends every setting; or, where "
        f'you know that the server obeys, write sends = ["{name}"].'
    )
