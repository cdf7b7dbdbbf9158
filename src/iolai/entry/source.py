"""One Python file of an entry, read but never run: its syntax tree and the names in it."""

from __future__ import annotations

import ast
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from iolai.entry.environment import PYTHON

__all__ = ["Call", "Import", "Source", "is_type_checking", "parse"]

_CATCH_IMPORTS = frozenset({"BaseException", "Exception", "ImportError", "ModuleNotFoundError"})
_IMPORT_CALLS = frozenset({"__import__", "importlib.import_module", "import_module"})


def parse(text: str) -> ast.Module:
    """Return the syntax tree of ``text`` as the challenge's Python reads it.

    Raises SyntaxError, and ValueError for text that no Python file can hold.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an odd escape in a participant's file is not our news
        try:
            return ast.parse(text, feature_version=PYTHON)
        except (RecursionError, MemoryError) as error:
            raise SyntaxError("nested too deeply to be read") from error


def is_type_checking(node: ast.AST) -> bool:
    """Say whether a node is an ``if TYPE_CHECKING:``, which never runs."""
    if not isinstance(node, ast.If) or node.orelse:
        return False
    test = node.test
    name = test.attr if isinstance(test, ast.Attribute) else getattr(test, "id", "")
    return name == "TYPE_CHECKING"


@dataclass(frozen=True, slots=True)
class Import:
    """One imported module, and the names taken from it where it is ``from module import ...``.

    ``level`` counts the leading dots. ``is_guarded`` says that the file goes on without it.
    """

    module: str
    names: tuple[str, ...]
    level: int
    line: int
    is_guarded: bool

    @property
    def top(self) -> str:
        """The first part of the module's name."""
        return self.module.partition(".")[0]


@dataclass(frozen=True, slots=True)
class Call:
    """A call with the full name of what is called: ``pd.read_csv`` is ``pandas.read_csv``.

    A method of a computed object begins with a dot: ``.read_text``.
    """

    name: str
    node: ast.Call

    @property
    def line(self) -> int:
        """The line of the call."""
        return self.node.lineno

    @property
    def method(self) -> str:
        """The last part of the name."""
        return self.name.rpartition(".")[2]

    def argument(self, place: int, *names: str) -> ast.expr | None:
        """Return an argument by its place or by its name."""
        for keyword in self.node.keywords:
            if keyword.arg in names:
                return keyword.value
        return self.node.args[place] if 0 <= place < len(self.node.args) else None


@dataclass(frozen=True)
class Source:
    """A Python file that the script reaches; ``path`` is relative to the entry's folder.

    ``others`` has what names of the entry's own modules stand for, as ``module.NAME``: the
    expression and the file in which it stands.
    """

    path: str
    tree: ast.Module = field(repr=False)
    others: dict[str, tuple[ast.expr, Source]] = field(
        default_factory=dict, repr=False, compare=False
    )

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """All nodes but those that never run."""
        return tuple(_living(self.tree))

    @cached_property
    def aliases(self) -> dict[str, str]:
        """What imported names stand for: ``pd`` -> ``pandas``, ``run`` -> ``subprocess.run``."""
        names: dict[str, str] = {}
        for node in self.nodes:
            if isinstance(node, ast.Import):
                for alias in node.names:
                    top = alias.name.partition(".")[0]
                    names[alias.asname or top] = alias.name if alias.asname else top
            elif isinstance(node, ast.ImportFrom) and not node.level:
                for alias in node.names:
                    names[alias.asname or alias.name] = f"{node.module}.{alias.name}"
        return names

    @cached_property
    def calls(self) -> tuple[Call, ...]:
        """All calls."""
        return tuple(
            Call(self.name_of(node.func), node) for node in self.nodes if isinstance(node, ast.Call)
        )

    @cached_property
    def texts(self) -> tuple[tuple[int, str], ...]:
        """All string literals but documentation, with their lines; parts of f-strings too."""
        said = {id(value) for node in self.nodes if (value := _documentation(node))}
        return tuple(
            (node.lineno, node.value)
            for node in self.nodes
            if isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in said
        )

    @cached_property
    def constants(self) -> dict[str, ast.expr]:
        """What each name is bound to, where the file binds it exactly once."""
        n_bound = Counter(
            node.id
            for node in self.nodes
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
        )
        n_bound.update(node.arg for node in self.nodes if isinstance(node, ast.arg))
        return {
            target.id: node.value
            for node in self.nodes
            if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None
            for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
            if isinstance(target, ast.Name) and n_bound[target.id] == 1
        }

    @cached_property
    def attributes(self) -> dict[str, ast.expr]:
        """What attributes of the file's classes are bound to, where that happens exactly once."""
        bound: dict[str, list[ast.expr | None]] = {}
        for node in self.nodes:
            if isinstance(node, ast.ClassDef):
                for line in node.body:
                    for name, value in _bindings(line):
                        bound.setdefault(name, []).append(value)
            elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                bound.setdefault(node.attr, []).append(None)
            elif isinstance(node, ast.Call) and node.keywords:
                for keyword in node.keywords:  # a data class may be made with another value
                    bound.setdefault(keyword.arg or "", []).append(None)
        return {
            name: values[0]
            for name, values in bound.items()
            if len(values) == 1 and values[0] is not None
        }

    @cached_property
    def defaults(self) -> dict[str, ast.expr]:
        """What arguments stand for by default, where the file has a call that leaves them so."""
        called: dict[str, list[Call]] = {}
        for call in self.calls:
            called.setdefault(call.name, []).append(call)
        n_args = Counter(node.arg for node in self.nodes if isinstance(node, ast.arg))
        n_bound = Counter(
            node.id
            for node in self.nodes
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
        )
        return {
            name: default
            for node in self.nodes
            if isinstance(node, ast.FunctionDef)
            for place, name, default in _defaults(node)
            if n_args[name] == 1
            and not n_bound[name]
            and any(_leaves(call, place, name) for call in called.get(node.name, ()))
        }

    @cached_property
    def imports(self) -> tuple[Import, ...]:
        """All imports, those by name through ``importlib`` too."""
        return tuple(_imports(self.tree, is_guarded=False))

    def name_of(self, node: ast.expr) -> str:
        """Return an expression's full dotted name, ``.method`` where its object is computed."""
        if isinstance(node, ast.Name):
            return self.aliases.get(node.id, node.id)
        if isinstance(node, ast.Attribute):
            base = self.name_of(node.value)
            return f"{base}.{node.attr}" if base else f".{node.attr}"
        return ""


def _bindings(line: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    """Yield the names that a line of a class binds, with their values."""
    if isinstance(line, ast.Assign | ast.AnnAssign) and line.value is not None:
        targets = line.targets if isinstance(line, ast.Assign) else [line.target]
        yield from ((t.id, line.value) for t in targets if isinstance(t, ast.Name))


def _defaults(function: ast.FunctionDef) -> Iterator[tuple[int, str, ast.expr]]:
    """Yield place, name and default of each argument that has one."""
    places = [*function.args.posonlyargs, *function.args.args]
    first = len(places) - len(function.args.defaults)
    for place, default in enumerate(function.args.defaults, first):
        yield place, places[place].arg, default
    for argument, value in zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True):
        if value is not None:
            yield len(places), argument.arg, value


def _leaves(call: Call, place: int, name: str) -> bool:
    """Say whether a call leaves an argument at its default."""
    is_open = any(isinstance(argument, ast.Starred) for argument in call.node.args)
    named = {keyword.arg for keyword in call.node.keywords}
    return not is_open and not named & {None, name} and len(call.node.args) <= place


def _asks_for_version(node: ast.AST) -> bool:
    """Say whether a node is an ``if sys.version_info ...``: it knows what it does."""
    return isinstance(node, ast.If) and any(
        isinstance(part, ast.Attribute) and part.attr == "version_info"
        for part in ast.walk(node.test)
    )


def _living(node: ast.AST) -> Iterator[ast.AST]:
    """Walk a tree, depth first, without what never runs or runs on some versions only."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        yield node
        children = list(ast.iter_child_nodes(node))
        waiting += (
            child
            for child in reversed(children)
            if not is_type_checking(child) and not _asks_for_version(child)
        )


def _imports(node: ast.AST, *, is_guarded: bool) -> Iterator[Import]:
    if is_type_checking(node):
        return
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield Import(alias.name, (), 0, node.lineno, is_guarded)
    elif isinstance(node, ast.ImportFrom):
        names = tuple(alias.name for alias in node.names)
        yield Import(node.module or "", names, node.level, node.lineno, is_guarded)
    elif isinstance(node, ast.Call) and (name := _module_called_for(node)):
        yield Import(name, (), 0, node.lineno, is_guarded)
    is_guarded = is_guarded or _asks_for_version(node)
    in_body = set(node.body) if isinstance(node, ast.Try) and _catches_imports(node) else set()
    for child in ast.iter_child_nodes(node):
        yield from _imports(child, is_guarded=is_guarded or child in in_body)


def _module_called_for(node: ast.Call) -> str:
    if ast.unparse(node.func) not in _IMPORT_CALLS or not node.args:
        return ""
    first = node.args[0]
    name = first.value if isinstance(first, ast.Constant) else None
    return name if isinstance(name, str) and not name.startswith(".") else ""


def _catches_imports(node: ast.Try) -> bool:
    caught = [
        ast.unparse(part)
        for handler in node.handlers
        for part in getattr(handler.type, "elts", [handler.type])
        if part is not None
    ]
    is_bare = any(handler.type is None for handler in node.handlers)
    return is_bare or bool(_CATCH_IMPORTS & set(caught))


def _documentation(node: ast.AST) -> ast.AST | None:
    """Return the literal of a statement that is nothing but text."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return node.value
    return None
