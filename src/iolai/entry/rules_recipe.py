"""What is missing of an entry that solves with iolai's recipe: its configuration names a model.

The script says ``get_solver("llm:" + path)``; the rest stands in the file at that path.
"""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterator, Mapping
from typing import Any

from iolai.entry.findings import EntryFinding
from iolai.entry.paths import path_of
from iolai.entry.reach import Entry

__all__ = ["find_in_recipe"]

_FAMILIES = ("llm:", "hybrid:")
_PACKAGE = "package:"
_MAX_JSON = 1 << 20
_GGUF = b"GGUF"  # how such a file begins
#: backend -> the library that it takes
_LIBRARIES = {"llama": "xllamacpp", "transformers": "transformers"}


def find_in_recipe(entry: Entry) -> Iterator[EntryFinding]:
    """Find what would keep the recipe from loading its model."""
    for source in entry.sources:
        for call in source.calls:
            name = path_of(call.argument(0, "name"), source) if call.method == "get_solver" else ""
            for family in _FAMILIES:
                if name and name.startswith(family):
                    yield from _configuration(entry, source.path, call.line, name[len(family) :])


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
        yield from _model(entry, path, model)


def _model(entry: Entry, path: str, model: str) -> Iterator[EntryFinding]:
    """Find whether the model, counted from beside its configuration, is there and whole."""
    if model.startswith("/"):
        yield EntryFinding(path, 0, "absolute-path", repr(model[:60]))
        return
    place = posixpath.normpath(posixpath.join(posixpath.dirname(path), model))
    if not entry.folder.has(place):
        text = f"the model {model[:60]!r} is not in the folder"
        yield EntryFinding(path, 0, "incomplete-model", text)
    elif place.endswith(".gguf") and not _is_gguf(entry, place):
        yield EntryFinding(place, 0, "incomplete-model", "it is no GGUF file")


def _is_gguf(entry: Entry, path: str) -> bool:
    try:
        with (entry.folder.root / path).open("rb") as stream:
            return stream.read(len(_GGUF)) == _GGUF
    except OSError:  # a folder
        return False
