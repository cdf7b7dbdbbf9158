"""Configurations of the hybrid: that of one model, or a file that names several."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from iolai.errors import FormatError, InputError, Place, UnknownNameError
from iolai.files import read_text
from iolai.solvers.llm.config import LlmConfig
from iolai.solvers.llm.config_file import config_path, load_config, parse_config, read_table
from iolai.solvers.llm.options import Option, checked

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
    except (FormatError, UnknownNameError):  # of one of the models
        raise
    except InputError as error:
        raise FormatError(
            f"no configuration of a hybrid: {error.message}",
            place=Place(path),
            hint=f"{error.hint} docs/hybrid.md has the fields and an example.",
        ) from error


_FIELDS = {
    "name": Option("", 1),
    "models": Option([]),
    "n_trials": Option(4, 0, 1000),
    "prior": Option(0.05, 0, 1),
    "engine_share": Option(0.4, 0.001, 1),
}


def _config(table: dict[str, Any], path: Path) -> HybridConfig:
    checked("a configuration", table, _FIELDS)
    models = table["models"]
    if not models or not all(isinstance(model, str) for model in models):
        raise InputError(
            "models cannot be what it is set to",
            hint="It is a list of names or paths, one at least.",
        )
    found = tuple(load_config(_beside(model, path)) for model in models)
    names = [model.name for model in found]
    if len(set(names)) < len(names):
        raise InputError("two models have the same name", hint="Give one of them another `name`.")
    return HybridConfig(**{"name": path.stem, **table, "models": found})


def _beside(model: str, path: Path) -> str:
    beside = path.parent / model
    return str(beside) if beside.is_file() else model
