"""The files that a script opens: what it would miss, and what of its writing would be lost."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from iolai.entry.findings import EntryFinding
from iolai.entry.folder import OUTPUT
from iolai.entry.paths import path_of
from iolai.entry.reach import Entry
from iolai.entry.source import Call, Source

__all__ = ["TEST_SET_FOLDER", "find_in_files", "paths_used"]

TEST_SET_FOLDER = "/tmp/data"  # noqa: S108 -- named by the contract with an entry

#: call -> place of the path among its arguments
_READS = {
    "ctypes.CDLL": 0,
    "joblib.load": 0,
    "numpy.fromfile": 0,
    "numpy.genfromtxt": 0,
    "numpy.load": 0,
    "numpy.loadtxt": 0,
    "os.listdir": 0,
    "os.scandir": 0,
    "pandas.read_csv": 0,
    "pandas.read_excel": 0,
    "pandas.read_feather": 0,
    "pandas.read_json": 0,
    "pandas.read_parquet": 0,
    "pandas.read_pickle": 0,
    "pandas.read_table": 0,
    "safetensors.torch.load_file": 0,
    "shutil.copy": 0,
    "shutil.copyfile": 0,
    "shutil.copytree": 0,
    "torch.load": 0,
    "zipfile.ZipFile": 0,
}
_READ_METHODS = frozenset({"iterdir", "read_bytes", "read_text"})
_WRITES = {
    "joblib.dump": 1,
    "numpy.save": 0,
    "numpy.savetxt": 0,
    "numpy.savez": 0,
    "os.replace": 1,
    "os.rename": 1,
    "shutil.copy": 1,
    "shutil.copyfile": 1,
    "shutil.copytree": 1,
    "torch.save": 1,
}
_WRITE_METHODS = frozenset({"touch", "write_bytes", "write_text"})
_TABLE_METHODS = frozenset({"to_csv", "to_feather", "to_json", "to_parquet", "to_pickle"})
_OPENERS = frozenset(
    {"bz2.open", "codecs.open", "gzip.open", "io.open", "lzma.open", "open", "tarfile.open"}
)
_ASKS = frozenset({"os.path.exists", "os.path.isdir", "os.path.isfile"})
_ASK_METHODS = frozenset({"exists", "is_dir", "is_file"})


@dataclass(frozen=True, slots=True)
class _Use:
    """One use of a path that could be worked out: ``how`` is read, write or ask."""

    how: str
    path: str
    file: str
    line: int


def find_in_files(entry: Entry) -> Iterator[EntryFinding]:
    """Find files that are opened and not there, and files written that nobody collects."""
    uses = [use for source in entry.sources for use in _uses(source)]
    made = {use.path for use in uses if use.how in ("write", "ask")}
    for use in uses:
        if use.how == "read":
            yield from _missing(use, entry, made)
        elif use.how == "write" and _is_lost(use.path):
            text = f"{use.path} is written"
            yield EntryFinding(use.file, use.line, "other-output", text)
    yield from _contract(entry, {use.path for use in uses})


def _missing(use: _Use, entry: Entry, made: set[str]) -> Iterator[EntryFinding]:
    is_inside = not use.path.startswith("/") and "~" not in use.path
    if not is_inside or use.path in made or entry.folder.has(use.path) or use.path == OUTPUT:
        return
    if any(use.path.startswith(f"{path}/") for path in made):
        return  # it is in a folder that the script makes
    near = entry.folder.nearest(use.path)
    text = f"{use.path} is opened and not there"
    text += f"; there is {near}, and case counts" if near else ""
    yield EntryFinding(use.file, use.line, "missing-file", text)


def _is_lost(path: str) -> bool:
    """Temporary files are no output, nor are parts that become submission.csv."""
    return not path.startswith(("/tmp/", "/dev/", OUTPUT))  # noqa: S108 -- names, not files


def _contract(entry: Entry, used: set[str]) -> Iterator[EntryFinding]:
    """Somewhere a script must name the test set and the output."""
    if not entry.sources:
        return
    said = {text for source in entry.sources for _, text in source.texts} | used
    script = entry.sources[0].path
    if not any(TEST_SET_FOLDER in text for text in said):
        yield EntryFinding(script, 0, "no-test-set", f"nothing names {TEST_SET_FOLDER}/test.csv")
    if not any(OUTPUT in text for text in said):
        yield EntryFinding(script, 0, "no-output", f"nothing names {OUTPUT}")


def _uses(source: Source) -> Iterator[_Use]:
    for call in source.calls:
        for how, node in paths_used(call):
            path = path_of(node, source)
            if path is not None:
                yield _Use(how, path, source.path, call.line)


def paths_used(call: Call) -> Iterator[tuple[str, ast.expr | None]]:
    """Yield the paths that a call uses, and how: read, write or ask."""
    if call.name in _OPENERS:
        yield _how_opened(call, 1), call.argument(0, "file", "filename", "name")
        return
    if call.name in _READS:
        yield "read", call.argument(_READS[call.name], "path", "file", "filepath_or_buffer")
    if call.name in _WRITES:
        yield "write", call.argument(_WRITES[call.name], "dst", "file", "f")
    if call.name in _ASKS:
        yield "ask", call.argument(0, "path", "s")
    if isinstance(call.node.func, ast.Attribute):
        yield from _paths_of_method(call, call.node.func.value)


def _paths_of_method(call: Call, on: ast.expr) -> Iterator[tuple[str, ast.expr | None]]:
    """A method of a path uses that path; a table's ``to_...`` has it as first argument."""
    if call.method == "open":
        yield _how_opened(call, 0), on
    elif call.method in _READ_METHODS:
        yield "read", on
    elif call.method in _WRITE_METHODS:
        yield "write", on
    elif call.method in _ASK_METHODS:
        yield "ask", on
    elif call.method in _TABLE_METHODS:
        yield "write", call.argument(0, "path_or_buf", "path")
    elif call.method in ("rename", "replace") and len(call.node.args) == 1:
        yield "write", call.argument(0, "target")


def _how_opened(call: Call, place: int) -> str:
    mode = call.argument(place, "mode")
    if mode is None:
        return "read"
    text = mode.value if isinstance(mode, ast.Constant) else None
    if not isinstance(text, str):
        return "ask"  # the mode is computed: nothing is known
    return "write" if set(text) & set("wax") else "read"
