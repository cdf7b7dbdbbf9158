"""What servers call the decoding settings, which they cannot take, and which they report back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from iolai.solvers.llm.received import number
from iolai.solvers.llm.request import Decoding, SettingError

__all__ = ["DIALECTS", "LLAMA_NAMES", "Dialect", "renamed"]

#: Our names for settings -> llama.cpp's. Another name is ignored there in silence.
LLAMA_NAMES: Mapping[str, str] = {
    "temperature": "temperature",
    "top_p": "top_p",
    "top_k": "top_k",
    "min_p": "min_p",
    "repetition_penalty": "repeat_penalty",
    "presence_penalty": "presence_penalty",
    "frequency_penalty": "frequency_penalty",
}
_SAME: Mapping[str, str] = {name: name for name in LLAMA_NAMES}
_COMMON: Mapping[str, str] = {
    name: name for name in ("temperature", "top_p", "presence_penalty", "frequency_penalty")
}


@dataclass(frozen=True, slots=True)
class Dialect:
    """One kind of server.

    ``names`` are the settings that it takes, by our names; ``extra`` is sent with every request;
    ``grammar`` is the field for a grammar, empty where there is none; ``top_k_off`` is the number
    that cuts nothing off; ``reports`` says that such a server says which settings it used.
    """

    names: Mapping[str, str]
    extra: Mapping[str, Any] = field(default_factory=dict)
    grammar: str = ""
    top_k_off: int = 0
    reports: bool = False

    def body(self, decoding: Decoding, *, trusts: bool) -> dict[str, Any]:
        """Return the settings as fields of a request.

        Raises SettingError for a setting that this kind of server does not take; with ``trusts``
        only where its value is not the neutral one.
        """
        neutral = Decoding().as_dict()
        body: dict[str, Any] = dict(self.extra)
        for name, value in decoding.as_dict().items():
            if name in self.names:
                body[self.names[name]] = value
            elif value != neutral[name] or not trusts:
                raise SettingError(
                    f"{name} {value:g} cannot be sent to a server of this dialect",
                    hint="Its own default would apply in silence. Use another dialect or "
                    "backend; where you know that the server's default is the neutral value, "
                    "set trust_settings = true in [options].",
                )
        if "top_k" in self.names:
            body[self.names["top_k"]] = int(decoding.top_k) or self.top_k_off
        return body

    def settings_of(self, verbose: Mapping[str, Any]) -> dict[str, float]:
        """Return the settings that a server reported, by our names; empty where it did not."""
        reported = verbose.get("generation_settings")
        return renamed(reported) if isinstance(reported, Mapping) else {}


def renamed(reported: Mapping[str, Any]) -> dict[str, float]:
    """Return llama.cpp's report of its settings by our names; what is no number is left out."""
    found = {ours: number(reported.get(theirs)) for ours, theirs in LLAMA_NAMES.items()}
    return {name: value for name, value in found.items() if value is not None}


DIALECTS: dict[str, Dialect] = {
    # https://docs.vllm.ai: extra fields of the chat request; it reports none of them.
    "vllm": Dialect(_SAME, grammar="guided_grammar", top_k_off=-1),
    # llama.cpp's server (tools/server/README.md) reports all of them where it is asked to.
    "llama.cpp": Dialect(
        LLAMA_NAMES,
        {
            "verbose": True,
            "cache_prompt": False,
            "dry_multiplier": 0.0,
            "xtc_probability": 0.0,
            "typical_p": 1.0,
        },
        grammar="grammar",
        reports=True,
    ),
    # Ollama's /v1 has no field for top_k, min_p and the repetition penalty: its Modelfile does.
    "ollama": Dialect(_COMMON),
    "openai": Dialect(_COMMON),
}
