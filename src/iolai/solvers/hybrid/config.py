"""Configurations of the hybrid: that of one model, or a file that names several."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from iolai.errors import FormatError, Place
from iolai.files import read_text
from iolai.solvers.llm.config import LlmConfig
from iolai.solvers.llm.config_file import config_path, load_config, parse_config, read_table

__all__ = ["HybridConfig", "load_hybrid"]


@dataclass(frozen=True, slots=True)
class HybridConfig:
    """The models, the first of which sets the allowance of every problem.

    ``n_trials`` examples of each problem are left out and asked of every model. ``prior`` is how
    far a model is believed before it was tried, in [0, 1], worth one trial; ``engine_share`` the
    share of a problem's time that the induction engine may take.
    """

    name: str
    models: tuple[LlmConfig, ...]
    n_trials: int = 4
    prior: float = 0.05
    engine_share: float = 0.4

    def __post_init__(self) -> None:
        legal = {
            "models": bool(self.models),
            "n_trials": self.n_trials >= 0,
            "prior": 0 <= self.prior <= 1,
            "engine_share": 0 < self.engine_share <= 1,
        }
        for name, holds in legal.items():
            if not holds:
                raise ValueError(f"{name} cannot be {getattr(self, name)}")
        names = [model.name for model in self.models]
        if len(set(names)) < len(names):
            raise ValueError("two models have the same name")


def load_hybrid(name: str) -> HybridConfig:
    """Read a configuration by name or path: one with ``models`` is the hybrid's own.

    Names of files in ``models`` are taken from beside it. Raises UnknownNameError and FormatError
    as ``load_config`` does.
    """
    path = config_path(name)
    text = read_text(path)
    table = read_table(text, path)
    if "models" not in table:
        model = parse_config(text, path)
        return HybridConfig(model.name, (model,))
    try:
        return _config(table, path)
    except (TypeError, ValueError) as error:
        raise FormatError(
            f"no configuration of a hybrid: {error}",
            place=Place(path),
            hint="See docs/hybrid.md for the fields and an example.",
        ) from error


def _config(table: dict[str, Any], path: Path) -> HybridConfig:
    unknown = sorted(set(table) - {spec.name for spec in fields(HybridConfig)})
    if unknown:
        raise ValueError(f"unknown field {', '.join(unknown)}")
    models = table.pop("models")
    if not isinstance(models, list) or not all(isinstance(model, str) for model in models):
        raise ValueError("models must be a list of names or paths")
    for name in ("n_trials", "prior", "engine_share"):
        if isinstance(table.get(name, 0), bool):
            raise ValueError(f"{name} must be a number")
    found = tuple(load_config(_beside(model, path)) for model in models)
    return HybridConfig(**{"name": path.stem, **table, "models": found})


def _beside(model: str, path: Path) -> str:
    beside = path.parent / model
    return str(beside) if beside.is_file() else model
