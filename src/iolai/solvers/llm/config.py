"""What a run of the recipe is made of: one model, set how, through which stages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from iolai.solvers.llm.meter import DEFAULT_ALLOWANCE, Allowance
from iolai.solvers.llm.request import GREEDY, Decoding

__all__ = ["SAMPLING", "LlmConfig"]

#: The recipe's sampling: what the winning entry of the IOL-AI Challenge 2026 drew its votes with.
SAMPLING = Decoding(temperature=0.5, top_p=0.95)


@dataclass(frozen=True, slots=True)
class LlmConfig:
    """One model and one recipe.

    ``model`` is a path or a name that the backend understands; ``options`` are the backend's own
    (context length, layers on the GPU, server address). ``max_samples`` bounds the samples of a
    task where there is no time limit; ``explain_share`` is the share of a problem's time that is
    held back for its explanation; ``time_factor`` the multiple of the first pass's cost that must
    be left before another pass begins.
    """

    name: str
    backend: str
    model: str
    options: Mapping[str, Any] = field(default_factory=dict)
    stages: tuple[str, ...] = ("anchor", "letters", "repair", "samples", "explanation")
    prompt: str = "plain"
    anchor: Decoding = GREEDY
    sampling: Decoding = SAMPLING
    allowance: Allowance = DEFAULT_ALLOWANCE
    max_samples: int = 8
    explain_share: float = 150 / 1800
    time_factor: float = 1.25
