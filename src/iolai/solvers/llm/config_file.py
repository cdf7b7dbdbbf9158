"""Configurations of models as files, in TOML or JSON.

``llm:NAME`` is a file ``NAME.toml`` of those that come with iolai (``iolai/data/models``), or the
path of one. Everything that changes what comes out is in it, so a run's record needs no more.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from iolai.errors import FormatError, InputError, Place, UnknownNameError
from iolai.files import read_text
from iolai.solvers.llm.config import SAMPLING, LlmConfig
from iolai.solvers.llm.meter import Allowance
from iolai.solvers.llm.options import Option, checked
from iolai.solvers.llm.request import Decoding

__all__ = ["MODELS", "config_path", "known_configs", "load_config", "parse_config", "read_table"]

MODELS = Path(__file__).resolve().parents[2] / "data" / "models"


def known_configs() -> tuple[str, ...]:
    """Return the names of the configurations that come with iolai."""
    return tuple(sorted(path.stem for path in MODELS.glob("*.toml")))


def load_config(name: str) -> LlmConfig:
    """Read a configuration by name or path.

    Raises UnknownNameError, which lists the names, and FormatError where a file is not as it
    should be.
    """
    path = config_path(name)
    return parse_config(read_text(path), path)


def config_path(name: str) -> Path:
    """Return the file of a configuration; raises UnknownNameError for an unknown name."""
    path = Path(name)
    if path.suffix in (".toml", ".json"):
        return path
    path = MODELS / f"{name}.toml"
    if not path.is_file():
        raise UnknownNameError("model configuration", name, known_configs())
    return path


def parse_config(text: str, path: Path) -> LlmConfig:
    """Read the text of a configuration file; ``path`` is named in errors.

    A relative path in ``model`` or ``prompt`` that exists beside the file is taken from there.
    Raises FormatError, which says which field is wrong and what it may be.
    """
    table = read_table(text, path)
    try:
        return _config(table, path)
    except InputError as error:
        raise FormatError(
            f"no configuration of a model: {error.message}",
            place=Place(path),
            hint=f"{error.hint} docs/language-models.md has all fields and an example.",
        ) from error


def read_table(text: str, path: Path) -> dict[str, Any]:
    """Read JSON or TOML, by the name of the file; raises FormatError where it is neither."""
    return _json(text, path) if path.suffix == ".json" else _toml(text, path)


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
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise _no_configuration(f"no TOML: {error}", path) from error


def _json(text: str, path: Path) -> dict[str, Any]:
    try:
        table = json.loads(text)
    except (ValueError, RecursionError) as error:
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


#: The fields of a configuration but for ``backend`` and ``model``, which have no default.
_FIELDS = {
    "backend": Option("", 1),
    "model": Option("", 1),
    "name": Option("", 1),
    "prompt": Option("plain", 1),
    "options": Option({}),
    "stages": Option([]),
    "decoding": Option({}),
    "allowance": Option({}),
    "max_samples": Option(8, 0, 10_000),
    "explain_share": Option(0.0, 0, 0.9),
    "time_factor": Option(0.0, 0, 1000),
}
_ALLOWANCE = {
    "n_tokens": Option(0, 1, 10**9),
    "n_prompt_tokens": Option(0, 1, 10**7),
    "call_least": Option(0, 1, 10**6),
    "call_most": Option(0, 1, 10**6),
    "call_share": Option(0.0, 0.001, 1),
}
_DECODING = {name: Option(value) for name, value in Decoding().as_dict().items()}


def _config(table: dict[str, Any], path: Path) -> LlmConfig:
    checked("a configuration", table, _FIELDS)
    missing = [name for name in ("backend", "model") if name not in table]
    if missing:
        raise InputError(
            f"{' and '.join(missing)} must be given",
            hint="backend is llama, transformers or openai; model is what the backend understands.",
        )
    values: dict[str, Any] = {"name": path.stem, **table}
    decoding = values.pop("decoding", {})
    checked("[decoding]", decoding, {"anchor": Option({}), "sampling": Option({})})
    values["anchor"] = _decoding("anchor", Decoding(), decoding)
    values["sampling"] = _decoding("sampling", SAMPLING, decoding)
    values["allowance"] = _allowance(values.get("allowance", {}))
    if "stages" in values:
        values["stages"] = _stages(values["stages"])
    values["model"] = _beside(path, values["model"])
    if values.get("prompt", "").endswith(".txt"):
        values["prompt"] = _beside(path, values["prompt"])
    return LlmConfig(**values)


def _decoding(name: str, default: Decoding, given: Mapping[str, Any]) -> Decoding:
    table = given.get(name, {})
    checked(f"[decoding.{name}]", table, _DECODING)
    return Decoding(**{**default.as_dict(), **table})


def _allowance(table: Mapping[str, Any]) -> Allowance:
    checked("[allowance]", table, _ALLOWANCE)
    found = Allowance(**table)
    if found.call_least > found.call_most:
        raise InputError(
            f"[allowance]: call_least {found.call_least} is more than call_most {found.call_most}",
            hint="A call has from call_least to call_most new tokens.",
        )
    return found


def _stages(given: list[Any]) -> tuple[str, ...]:
    names = tuple(str(name) for name in given)
    if len(set(names)) < len(names) or not all(isinstance(name, str) for name in given):
        raise InputError(
            f"stages cannot be {str(given)[:60]}", hint="It is a list of names, none of them twice."
        )
    return names


def _beside(path: Path, name: str) -> str:
    """Return a path from beside the configuration where there is such a file, else the name."""
    beside = path.parent / name
    try:
        return str(beside) if beside.exists() else name
    except (OSError, ValueError):  # too long, or no path at all
        return name
