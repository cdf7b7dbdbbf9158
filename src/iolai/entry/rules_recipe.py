"""What is missing of an entry that solves with iolai's recipe: its configuration names a model.

The script says ``get_solver("llm:" + path)``; the rest stands in the file at that path.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from iolai.entry.findings import EntryFinding
from iolai.entry.paths import path_of
from iolai.entry.reach import Entry
from iolai.entry.rules_models import find_in_folder
from iolai.entry.weights import gguf_fault, safetensors_fault

__all__ = ["SettingsFault", "find_in_recipe"]

#: (configuration's file, its family: llm or hybrid) to what is wrong with it, empty where nothing.
SettingsFault = Callable[[Path, str], str]

_FAMILIES = ("llm:", "hybrid:")
_PACKAGE = "package:"
_MAX_JSON = 1 << 20
#: A model in several files: which of them, and of how many.
_PART = re.compile(r"(?P<name>.*)-(?P<part>\d{5})-of-(?P<n_parts>\d{5})\.gguf")
#: backend -> the library that it takes
_LIBRARIES = {"llama": "xllamacpp", "transformers": "transformers"}


def find_in_recipe(entry: Entry, settings_fault: SettingsFault | None) -> Iterator[EntryFinding]:
    """Find what would keep the recipe from loading its model.

    ``settings_fault`` judges the fields of a configuration; without it they are not looked at.
    """
    for source in entry.sources:
        for call in source.calls:
            name = path_of(call.argument(0, "name"), source) if call.method == "get_solver" else ""
            for family in _FAMILIES:
                if name and name.startswith(family):
                    path = name[len(family) :]
                    found = list(_configuration(entry, source.path, call.line, path))
                    yield from found
                    if settings_fault and _can_be_judged(entry, path, found):
                        yield from _settings(entry, path, settings_fault, family[:-1])


def _can_be_judged(entry: Entry, path: str, found: list[EntryFinding]) -> bool:
    is_read = all(finding.kind not in ("not-json", "newer-python") for finding in found)
    return is_read and entry.folder.sizes.get(path, _MAX_JSON + 1) <= _MAX_JSON


def _settings(
    entry: Entry, path: str, settings_fault: SettingsFault, family: str
) -> Iterator[EntryFinding]:
    if fault := settings_fault(entry.folder.root / path, family):
        yield EntryFinding(path, 0, "settings", fault)


def _configuration(entry: Entry, file: str, line: int, path: str) -> Iterator[EntryFinding]:
    if not path.endswith((".json", ".toml")):
        return  # one that comes with iolai
    if path not in entry.folder.sizes:
        yield EntryFinding(file, line, "missing-file", f"the model's configuration {path}")
        return
    if path.endswith(".toml"):
        yield EntryFinding(path, 0, "newer-python", "Python 3.10 reads no TOML; write it as JSON")
        return
    try:
        table = json.loads((entry.folder.root / path).read_bytes()[:_MAX_JSON])
    except (OSError, ValueError, RecursionError) as error:
        yield EntryFinding(path, 0, "not-json", str(error))
        return
    if not isinstance(table, dict):
        yield EntryFinding(path, 0, "not-json", "it is no JSON object")
        return
    yield from _backend(entry, path, table)


def _backend(entry: Entry, path: str, table: Mapping[str, Any]) -> Iterator[EntryFinding]:
    backend, model, options = (table.get(name) for name in ("backend", "model", "options"))
    if backend == "openai":
        yield EntryFinding(path, 0, "network", "the backend openai asks a server")
        return
    library = _LIBRARIES.get(backend) if isinstance(backend, str) else None
    if library and library not in entry.environment.modules and not entry.has(library):
        text = f"the backend {backend} needs {library}"
        yield EntryFinding(path, 0, "missing-module", text)
    if isinstance(options, dict) and options.get("from_hub") is True:
        yield EntryFinding(path, 0, "hub-id", "from_hub is true")
    elif isinstance(model, str) and not model.startswith(_PACKAGE):
        yield from _model(entry, path, model, str(backend))


def _model(entry: Entry, path: str, model: str, backend: str) -> Iterator[EntryFinding]:
    """Find whether the model, counted from beside its configuration, is there and whole."""
    if model.startswith("/"):
        yield EntryFinding(path, 0, "absolute-path", repr(model[:60]))
        return
    place = posixpath.normpath(posixpath.join(posixpath.dirname(path), model))
    if not entry.folder.has(place):
        text = f"the model {model[:60]!r} is not in the folder"
        yield EntryFinding(path, 0, "incomplete-model", text)
    elif place in entry.folder.folders:
        yield from _folder(entry, path, place, backend)
    elif place.endswith(".gguf") or backend == "llama":
        yield from _gguf(entry, place)


def _folder(entry: Entry, path: str, place: str, backend: str) -> Iterator[EntryFinding]:
    if backend == "llama" or place.endswith(".gguf"):
        text = "it is a folder; the backend llama takes a GGUF file"
        yield EntryFinding(place, 0, "incomplete-model", text)
        return
    yield from find_in_folder(entry, place, path)
    for name in sorted(entry.folder.sizes):
        is_weights = posixpath.dirname(name) == place and name.endswith(".safetensors")
        if is_weights and (fault := safetensors_fault(entry.folder.root / name)):
            yield EntryFinding(name, 0, "incomplete-model", fault)


def _gguf(entry: Entry, place: str) -> Iterator[EntryFinding]:
    """Find what is wrong with a GGUF file, and with the other parts of one that is in parts."""
    names = [place]
    if match := _PART.fullmatch(place):
        n_parts = min(int(match["n_parts"]), len(entry.folder.sizes) + 1)  # one missing will do
        names = [
            f"{match['name']}-{k:05}-of-{match['n_parts']}.gguf" for k in range(1, n_parts + 1)
        ]
    for name in names:
        if name not in entry.folder.sizes:
            yield EntryFinding(name, 0, "incomplete-model", "this part of the model is missing")
        elif fault := gguf_fault(entry.folder.root / name):
            yield EntryFinding(name, 0, "incomplete-model", fault)
