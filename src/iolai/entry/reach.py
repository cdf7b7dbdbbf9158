"""Which Python files of an entry its script reaches, and how each is read."""

from __future__ import annotations

import ast
import re
import sys
import tokenize
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO, StringIO
from pathlib import PurePosixPath

from iolai.entry.environment import PYTHON, Environment
from iolai.entry.findings import EntryFinding
from iolai.entry.folder import SCRIPT, EntryFolder
from iolai.entry.source import Import, Source, parse

__all__ = ["Entry", "read_entry"]

_TAGS = re.compile(r"-(?P<python>[^-]+)-(?P<abi>[^-]+)-(?P<platform>[^-]+)\.whl$")


@dataclass(frozen=True)
class Entry:
    """An entry, read: its folder, the files that its script reaches, what it can import.

    ``brought`` are the top names of modules that it brings along in wheels; ``roots`` are the
    folders in which it looks for modules of its own.
    """

    folder: EntryFolder
    environment: Environment
    sources: tuple[Source, ...]
    brought: frozenset[str]
    roots: tuple[str, ...]

    def has_module(self, line: Import) -> bool:
        """Say whether the entry's folder or one of its wheels has what a line imports."""
        return line.level > 0 or self.has(line.top)

    def has(self, top: str) -> bool:
        """Say whether the entry's folder or one of its wheels has a module of that top name."""
        return top in self.brought or bool(_tops(self, top))


def _tops(entry: Entry, top: str) -> list[str]:
    return [path for root in entry.roots for path in _places(entry.folder, root, top)]


def _places(folder: EntryFolder, root: str, name: str) -> list[str]:
    """Return what a dotted name means below a root: modules, packages, plain folders."""
    base = str(PurePosixPath(root, *name.split(".")))
    return [p for p in (f"{base}.py", f"{base}/__init__.py", base) if folder.has(p)]


def read_entry(folder: EntryFolder, environment: Environment) -> tuple[Entry, list[EntryFinding]]:
    """Read the script and all files that it reaches, and say which of them cannot be read."""
    reader = _Reader(folder)
    reader.read_all()
    brought, findings = _wheels(folder)
    entry = Entry(folder, environment, tuple(reader.sources), brought, tuple(reader.roots))
    return entry, reader.findings + findings


class _Reader:
    """Follows imports from ``script.py`` on."""

    def __init__(self, folder: EntryFolder) -> None:
        self._folder = folder
        self.roots = [""]
        self.sources: list[Source] = []
        self.findings: list[EntryFinding] = []

    def read_all(self) -> None:
        """Read ``script.py`` and whatever it leads to, each file once."""
        others: dict[str, tuple[ast.expr, Source]] = {}
        waiting, seen = [path for path in (SCRIPT,) if path in self._folder.sizes], {SCRIPT}
        while waiting:
            path = waiting.pop(0)
            source = self._read(path, others)
            if source is None:
                continue
            self.sources.append(source)
            self._note_roots(source)
            others |= self._names_in(source)
            for other in self._leads_to(source):
                if other not in seen and other in self._folder.sizes:
                    seen.add(other)
                    waiting.append(other)

    def _names_in(self, source: Source) -> dict[str, tuple[ast.expr, Source]]:
        """Return a file's constants by the names that other files have for them."""
        names: dict[str, tuple[ast.expr, Source]] = {}
        for root in self.roots:
            if source.path.startswith(f"{root}/" if root else ""):
                inner = PurePosixPath(source.path).relative_to(root or ".").with_suffix("")
                module = ".".join(inner.parts).removesuffix(".__init__")
                found = source.constants.items()
                names |= {f"{module}.{name}": (value, source) for name, value in found}
        return names

    def _read(self, path: str, others: dict[str, tuple[ast.expr, Source]]) -> Source | None:
        try:
            data = (self._folder.root / path).read_bytes()
        except OSError:
            self._note(path, 0, "unreadable", "the file cannot be read")
            return None
        if data.startswith(b"\xef\xbb\xbf"):
            self._note(path, 1, "byte-order-mark", "the file begins with U+FEFF")
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            self._note(path, line, "not-utf-8", f"byte 0x{data[error.start]:02x} is not UTF-8")
            return None
        if fault := _unknown_encoding(data):
            self._note(path, 1, "syntax", fault)
            return None
        if "\r" in text:
            line = text.count("\n", 0, text.index("\r")) + 1
            self._note(path, line, "line-ends", "lines end as on Windows or on an old Mac")
        return self._parse(path, text, others)

    def _parse(
        self, path: str, text: str, others: dict[str, tuple[ast.expr, Source]]
    ) -> Source | None:
        try:
            tree = parse(text)
        except (SyntaxError, ValueError) as error:
            line = getattr(error, "lineno", None) or 0
            self._note(path, line, "syntax", getattr(error, "msg", None) or str(error))
            return None
        if path == SCRIPT:
            self._note_relative_imports(tree)
        line = _line_of_later_f_string(text)
        if line:
            self._note(path, line, "syntax", "f-string: quotes or signs as only Python 3.12 allows")
        return Source(path, tree, others)

    def _note_relative_imports(self, tree: ast.Module) -> None:
        """A script belongs to no package."""
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.level:
                text = "a script cannot import relatively: leave out the dots"
                self._note(SCRIPT, node.lineno, "missing-module", text)

    def _note(self, path: str, line: int, kind: str, text: str) -> None:
        self.findings.append(EntryFinding(path, line, kind, text))

    def _note_roots(self, source: Source) -> None:
        """Take the folders that a file which changes ``sys.path`` names as places of modules."""
        changes = any(
            name.startswith("sys.path") for name in map(source.name_of, _expressions(source))
        )
        if changes:
            named = (text.removeprefix("./").rstrip("/") for _, text in source.texts)
            self.roots += [p for p in named if p in self._folder.folders and p not in self.roots]

    def _leads_to(self, source: Source) -> Iterator[str]:
        for line in source.imports:
            for root, name in self._meanings(source, line):
                for dotted in _prefixes(name, line.names):
                    yield from _places(self._folder, root, dotted)
        # A file that is started as a program of its own is named as text.
        yield from (text.removeprefix("./") for _, text in source.texts if text.endswith(".py"))

    def _meanings(self, source: Source, line: Import) -> list[tuple[str, str]]:
        if not line.level:
            return [(root, line.module) for root in self.roots]
        above = PurePosixPath(source.path).parents
        root = above[min(line.level, len(above)) - 1].as_posix()
        return [("" if root == "." else root, line.module)]


def _unknown_encoding(data: bytes) -> str:
    """Return what is wrong with the encoding that a file declares, or nothing."""
    try:
        tokenize.detect_encoding(BytesIO(data).readline)
    except SyntaxError as error:
        return str(error)
    return ""


def _expressions(source: Source) -> Iterator[ast.expr]:
    return (node for node in source.nodes if isinstance(node, ast.Attribute))


def _prefixes(name: str, taken: tuple[str, ...]) -> Iterator[str]:
    """Yield ``a``, ``a.b`` for ``a.b``, and ``a.b.c`` where ``c`` is taken from it."""
    parts = name.split(".") if name else []
    yield from (".".join(parts[: n + 1]) for n in range(len(parts)))
    yield from (".".join([*parts, part]) for part in taken if part != "*")


def _line_of_later_f_string(text: str) -> int:
    """Return the line of the first f-string that only Python 3.12 or later reads, else 0.

    Before 3.12 the part in braces could hold neither the quotes around the whole, nor a
    backslash, nor a comment (PEP 701). Older interpreters refuse these themselves.
    """
    if sys.version_info < (3, 12):
        return 0
    quotes: list[str] = []
    for token in tokenize.generate_tokens(StringIO(text).readline):
        kind = tokenize.tok_name[token.type]
        if kind in ("FSTRING_START", "STRING"):
            mark = token.string.lstrip("fFrRbBuU")
            mark = mark[:3] if mark[:3] in ("'''", '"""') else mark[:1]
            if quotes and (mark == quotes[-1] or (kind == "STRING" and "\\" in token.string)):
                return token.start[0]
            if kind == "FSTRING_START":
                quotes.append(mark)
        elif kind == "FSTRING_END":
            quotes.pop()
        elif quotes and kind == "COMMENT":
            return token.start[0]
    return 0


def _wheels(folder: EntryFolder) -> tuple[frozenset[str], list[EntryFinding]]:
    """Return the top names of the modules in the entry's wheels, and which wheels do not fit."""
    names: set[str] = set()
    findings = []
    for path in (path for path in folder.sizes if path.endswith(".whl")):
        if not _fits(path):
            text = "a wheel for another Python or another kind of machine"
            findings.append(EntryFinding(path, 0, "wheel", text))
            continue
        try:
            with zipfile.ZipFile(folder.root / path) as wheel:
                tops = {name.partition("/")[0] for name in wheel.namelist()}
        except (OSError, ValueError, zipfile.BadZipFile):
            findings.append(EntryFinding(path, 0, "wheel", "the file is no wheel"))
            continue
        names |= {
            top.partition(".")[0] for top in tops if not top.endswith((".dist-info", ".data"))
        }
    return frozenset(names), findings


def _fits(path: str) -> bool:
    """Say whether a wheel's name promises to work on Python 3.10 for Linux on x86-64."""
    match = _TAGS.search(path)
    if match is None:
        return False
    minor = PYTHON[1]
    has_python = any(
        tag == "py3"
        or tag == f"cp3{minor}"
        or ((m := re.fullmatch(r"(cp|py)3(\d+)", tag)) is not None and _is_older(m, match, minor))
        for tag in match["python"].split(".")
    )
    has_platform = any(
        tag == "any" or ("linux" in tag and tag.endswith("x86_64"))
        for tag in match["platform"].split(".")
    )
    return has_python and has_platform


def _is_older(tag: re.Match[str], wheel: re.Match[str], minor: int) -> bool:
    """A wheel of an older Python works where it holds to the stable interface, or to none."""
    stable = tag[1] == "py" or "abi3" in wheel["abi"].split(".") or wheel["abi"] == "none"
    return stable and int(tag[2]) <= minor
