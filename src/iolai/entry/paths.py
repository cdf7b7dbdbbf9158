"""Paths as a script writes them, worked out from literals: ``os.path.join(HERE, "model")``."""

from __future__ import annotations

import ast
import posixpath

from iolai.entry.source import Source

__all__ = ["SET_THERE", "path_of"]

_MAX_DEPTH = 20
_JOINS = frozenset({"pathlib.Path", "pathlib.PurePath", "pathlib.PosixPath", "os.path.join"})
#: What gives back the path that it was given, as far as the entry is concerned.
_SAME = frozenset({"str", "os.fspath", "os.path.abspath", "os.path.realpath", "os.path.normpath"})
_SAME_METHODS = frozenset({"absolute", "as_posix", "resolve"})
#: Variables that every sandboxed process has; of all others a script gets its own default.
SET_THERE = frozenset(
    {"HF_HUB_OFFLINE", "HOME", "IOLAI_WALL_S", "LANG", "PATH", "PWD", "PYTHONUNBUFFERED",
     "TRANSFORMERS_OFFLINE"}
)  # fmt: skip
_VARIABLES = frozenset({"os.environ.get", "os.getenv"})
_HERE = frozenset({"os.getcwd", "pathlib.Path.cwd"})


def path_of(node: ast.expr | None, source: Source) -> str | None:
    """Return the path that an expression stands for; None where it cannot be told.

    A relative path counts from the entry's folder, which is the working directory; it comes out
    normalised, ``""`` for the folder itself and with ``..`` in front where it leads out.
    """
    found = _fold(node, source, 0)
    if found is None:
        return None
    path = posixpath.normpath(found) if found else "."
    return "" if path == "." else path


def _fold(node: ast.expr | None, source: Source, depth: int) -> str | None:
    if depth > _MAX_DEPTH:
        return None
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.Name):
        if node.id == "__file__":
            return source.path
        return _fold_name(node, source, depth)
    if isinstance(node, ast.BinOp):
        return _fold_operator(node, source, depth)
    if isinstance(node, ast.Attribute) and node.attr == "parent":
        return _parent(_fold(node.value, source, depth + 1))
    if isinstance(node, ast.Attribute):
        return _fold_other(node, source, depth) or _fold(
            source.attributes.get(node.attr), source, depth + 1
        )
    if isinstance(node, ast.Call):
        return _fold_call(node, source, depth)
    return None


def _fold_name(node: ast.Name, source: Source, depth: int) -> str | None:
    for known in (source.constants, source.defaults):
        if node.id in known:
            return _fold(known[node.id], source, depth + 1)
    return _fold_other(node, source, depth)


def _fold_other(node: ast.expr, source: Source, depth: int) -> str | None:
    """Return what a name of another of the entry's modules stands for."""
    value, there = source.others.get(source.name_of(node), (None, source))
    return _fold(value, there, depth + 1)


def _fold_operator(node: ast.BinOp, source: Source, depth: int) -> str | None:
    left, right = (_fold(side, source, depth + 1) for side in (node.left, node.right))
    if left is None or right is None:
        return None
    if isinstance(node.op, ast.Div):
        return posixpath.join(left, right)
    return left + right if isinstance(node.op, ast.Add) else None


def _fold_call(node: ast.Call, source: Source, depth: int) -> str | None:
    name = source.name_of(node.func)
    if name in _HERE:
        return ""
    if name in _VARIABLES and len(node.args) == 2 and not _is_set(node.args[0]):
        return _fold(node.args[1], source, depth + 1)
    if isinstance(node.func, ast.Attribute) and node.func.attr in _SAME_METHODS:
        return _fold(node.func.value, source, depth + 1)
    parts = [_fold(argument, source, depth + 1) for argument in node.args]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    if name in _JOINS:
        return posixpath.join("", *known)
    if len(known) != 1:
        return None
    if name == "os.path.dirname":
        return _parent(known[0])
    return known[0] if name in _SAME else None


def _is_set(variable: ast.expr) -> bool:
    """Say whether an environment variable may be set where an entry runs."""
    name = variable.value if isinstance(variable, ast.Constant) else None
    return not isinstance(name, str) or name in SET_THERE or name.startswith("IOLAI_")


def _parent(path: str | None) -> str | None:
    return None if path is None else posixpath.dirname(posixpath.normpath(path))
