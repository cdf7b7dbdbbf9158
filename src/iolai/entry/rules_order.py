"""Whether placeholders are written before a model is loaded, as far as the order can be told.

The script is followed as it would run: line by line, and into its own functions where they are
called. Where other code of the entry runs, or something is written whose path cannot be told,
nothing more is said: that may be the output.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cached_property

from iolai.entry.files_used import paths_used
from iolai.entry.findings import EntryFinding
from iolai.entry.folder import OUTPUT, SCRIPT
from iolai.entry.paths import path_of
from iolai.entry.reach import Entry
from iolai.entry.source import Call, Source

__all__ = ["find_late_output"]

#: Calls that take minutes with a large model.
_LOADS = re.compile(
    r"(?:transformers|peft)\.(?:Auto\w*Model\w*|\w+For\w+|PeftModel\w*)\.from_pretrained"
    r"|transformers\.pipeline|vllm\.LLM|llama_cpp\.Llama(?:\.from_pretrained)?"
)
#: Calls that may run whatever there is.
_ANYTHING = re.compile(r"subprocess\..*|os\.(?:system|popen|exec.*|spawn.*)|runpy\..*|exec|eval")
_LOADED, _WRITTEN, _UNKNOWN = "loaded", "written", "unknown"


def find_late_output(entry: Entry) -> Iterator[EntryFinding]:
    """Find a model that is loaded while ``submission.csv`` is not there yet."""
    if entry.sources and entry.sources[0].path == SCRIPT:
        walk = _Walk(entry.sources[0], entry)
        what, line = next(walk.events(walk.source.tree), ("", 0))
        if what == _LOADED:
            text = f"a model is loaded before {OUTPUT} is written"
            yield EntryFinding(SCRIPT, line, "late-output", text)


class _Walk:
    """Follows a script in the order in which it runs."""

    def __init__(self, source: Source, entry: Entry) -> None:
        self.source = source
        self._entry = entry
        self._entered: set[ast.AST] = set()

    @cached_property
    def _functions(self) -> dict[str, list[ast.AST]]:
        """The bodies that a name may stand for: functions, methods, a class's ``__init__``."""
        found: dict[str, list[ast.AST]] = {}
        for node in self.source.nodes:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                found.setdefault(node.name, []).append(node)
            elif isinstance(node, ast.ClassDef):
                found.setdefault(node.name, []).extend(
                    line for line in node.body if getattr(line, "name", "").startswith("__")
                )
        return found

    def events(self, node: ast.AST) -> Iterator[tuple[str, int]]:
        """Yield what happens when a node runs, with its line."""
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            return  # it runs where it is called
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from self._import(node)
        for child in ast.iter_child_nodes(node):
            yield from self.events(child)
        if isinstance(node, ast.Call):
            yield from self._call(Call(self.source.name_of(node.func), node))
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield from self._name(node)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            yield from self._enter(node.attr)

    def _import(self, node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, int]]:
        """A module of the entry runs where it is imported."""
        tops = {line.top for line in self.source.imports if self._entry.has_module(line)}
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        if any(name.partition(".")[0] in tops for name in names):
            yield _UNKNOWN, node.lineno

    def _call(self, call: Call) -> Iterator[tuple[str, int]]:
        if _ANYTHING.fullmatch(call.name):
            yield _UNKNOWN, call.line
        for how, node in paths_used(call):
            if how != "read" and path_of(node, self.source) is None:
                yield _UNKNOWN, call.line  # it may be the output
        used = [*call.node.args, *(keyword.value for keyword in call.node.keywords)]
        if isinstance(call.node.func, ast.Attribute):
            used.append(call.node.func.value)
        paths = (path_of(node, self.source) for node in used)
        if any(path is not None and path.startswith(OUTPUT) for path in paths):
            yield _WRITTEN, call.line
        elif _LOADS.fullmatch(call.name):
            yield _LOADED, call.line

    def _name(self, node: ast.Name) -> Iterator[tuple[str, int]]:
        """A function that is named is taken to run, be it called or handed on."""
        yield from self._enter(node.id)

    def _enter(self, name: str) -> Iterator[tuple[str, int]]:
        for function in self._functions.get(name, ()):
            if function not in self._entered:
                self._entered.add(function)
                for child in ast.iter_child_nodes(function):
                    yield from self.events(child)
