"""Configurations of models as files, in TOML or JSON.

``llm:NAME`` is a file ``NAME.toml`` of those that come with iolai (``iolai/data/models``), or the
path of one. Everything that changes what comes out is in it, so a run's record needs no more.
"""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

from iolai.errors import FormatError, InputError, Place, UnknownNameError
from iolai.files import read_text
from iolai.solvers.llm.config import SAMPLING, LlmConfig
from iolai.solvers.llm.meter import Allowance
from iolai.solvers.llm.request import Decoding

__all__ = ["MODELS", "known_configs", "load_config", "parse_config"]

MODELS = Path(__file__).resolve().parents[2] / "data" / "models"


def known_configs() -> tuple[str, ...]:
    """Return the names of the configurations that come with iolai."""
    return tuple(sorted(path.stem for path in MODELS.glob("*.toml")))


def load_config(name: str) -> LlmConfig:
    """Read a configuration by name or path.

    Raises UnknownNameError, which lists the names, and FormatError where a file is not as it
    should be.
    """
    path = Path(name)
    if path.suffix not in (".toml", ".json"):
        path = MODELS / f"{name}.toml"
        if not path.is_file():
            raise UnknownNameError("model configuration", name, known_configs())
    return parse_config(read_text(path), path)


def parse_config(text: str, path: Path) -> LlmConfig:
    """Read the text of a configuration file; ``path`` is named in errors.

    A relative path in ``model`` that exists beside the file is taken from there.
    """
    table = _json(text, path) if path.suffix == ".json" else _toml(text, path)
    try:
        return _config(table, path)
    except (TypeError, ValueError, InputError) as error:
        said = error.message if isinstance(error, InputError) else str(error)
        raise _no_configuration(f"no configuration of a model: {said}", path) from error


def _toml(text: str, path: Path) -> dict[str, Any]:
    try:
        import tomllib
    except ImportError as error:  # an entry runs on Python 3.10
        raise FormatError(
            "this Python reads no TOML",
            place=Place(path),
            hint="Write the configuration as JSON, or use Python 3.11 or newer.",
        ) from error
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _no_configuration(f"no TOML: {error}", path) from error


def _json(text: str, path: Path) -> dict[str, Any]:
    try:
        table = json.loads(text)
    except ValueError as error:
        raise _no_configuration(f"no JSON: {error}", path) from error
    if not isinstance(table, dict):
        raise _no_configuration("no JSON object", path)
    return table


def _no_configuration(what: str, path: Path) -> FormatError:
    return FormatError(
        what,
        place=Place(path),
        hint="See docs/language-models.md for the fields and an example.",
    )


def _config(table: dict[str, Any], path: Path) -> LlmConfig:
    decoding = dict(table.pop("decoding", {}))
    values: dict[str, Any] = {
        "name": path.stem,
        "anchor": Decoding(**decoding.pop("anchor", {})),
        "sampling": Decoding(**{**SAMPLING.as_dict(), **decoding.pop("sampling", {})}),
        "allowance": Allowance(**table.pop("allowance", {})),
    }
    if decoding:
        raise ValueError(f"[decoding] has no {', '.join(sorted(decoding))}")
    known = {spec.name for spec in fields(LlmConfig)}
    unknown = sorted(set(table) - known)
    if unknown:
        raise ValueError(f"unknown field {', '.join(unknown)}")
    _require_kinds(table)
    values |= table
    if "stages" in values:
        values["stages"] = tuple(values["stages"])
    beside = path.parent / values["model"]
    if beside.exists():
        values["model"] = str(beside)
    return LlmConfig(**values)


_KINDS: dict[str, type | tuple[type, ...]] = {
    "name": str,
    "backend": str,
    "model": str,
    "prompt": str,
    "options": dict,
    "stages": list,
    "max_samples": int,
    "explain_share": (int, float),
    "time_factor": (int, float),
}


def _require_kinds(table: dict[str, Any]) -> None:
    missing = [name for name in ("backend", "model") if name not in table]
    if missing:
        raise ValueError(f"{' and '.join(missing)} must be given")
    for name, value in table.items():
        kind = _KINDS[name]
        if not isinstance(value, kind) or isinstance(value, bool):
            raise ValueError(f"{name} cannot be {value!r}")
