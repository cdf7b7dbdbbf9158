"""Copying modules of iolai into an entry, as plain source, with whatever they import."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from importlib import metadata, resources
from pathlib import Path

from iolai.entry.environment import STANDARD_LIBRARY, read_environment
from iolai.entry.source import Import, Source, parse
from iolai.errors import InputError
from iolai.files import read_text, write_whole

__all__ = ["vendor", "vendored_modules"]

_PACKAGE = "iolai"
_MODULE_AS_TEXT = re.compile(r"iolai(?:\.\w+)+(?=:|$)")
_WHEELS = """\
# The script needs these libraries, and the sandbox lacks them. Fetch them as wheels:
#   pip download --only-binary :all: --python-version 3.10 \\
#     --platform manylinux2014_x86_64 --dest wheels --requirement wheels/requirements.txt
"""


def vendor(lines: Iterable[str], folder: Path) -> None:
    """Copy modules of iolai, and all of iolai that they import, to ``folder/vendor/iolai``.

    Each of ``lines`` names a module; ``without NAME`` leaves out one that is imported only where
    it is used, with what is below it, or a library that may be missing; ``data/NAME`` is a folder
    of iolai's data. Libraries that they need and that ``folder/environment.lock`` lacks are
    written to ``folder/wheels/requirements.txt``, with the command that fetches them.
    """
    words = [line.split() for line in lines if line.strip()]
    left_out = tuple(parts[1] for parts in words if parts[0] == "without")
    wanted = [parts[0] for parts in words if parts[0] != "without"]
    names = vendored_modules((name for name in wanted if "/" not in name), left_out)
    root = _source_root()
    for data in (name for name in wanted if "/" in name):
        target = folder / "vendor" / _PACKAGE / data
        shutil.copytree(root / data, target, copy_function=shutil.copyfile)
    for name in names:
        path = _path_of(name)
        target = folder / "vendor" / path.relative_to(root.parent)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    write_whole(folder / "vendor" / "LICENSE", _license())
    environment = read_environment(folder / "environment.lock")
    known = environment.modules | set(left_out)
    lacking = sorted(lib for lib in _libraries(names) if lib not in known)
    if lacking:
        lines = "".join(f"{_requirement(library)}\n" for library in lacking)
        write_whole(folder / "wheels" / "requirements.txt", _WHEELS + lines)


def vendored_modules(modules: Iterable[str], left_out: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the given modules of iolai and all that they import, sorted, packages included.

    Modules ``left_out``, and those below them, are not followed.
    """
    found: set[str] = set()
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        if name in found or any(f"{name}.".startswith(f"{other}.") for other in left_out):
            continue
        found.add(name)
        waiting.append(name.rpartition(".")[0] or name)
        waiting += [other for other in _imports(name) if _is_iolai(other)]
    return tuple(sorted(found))


def _libraries(modules: Iterable[str]) -> set[str]:
    """Return the top names of what the modules import from neither iolai nor Python itself.

    A module of Python's own that came after the challenge's version is guarded where it is used.
    """
    names = {other.partition(".")[0] for module in modules for other in _imports(module)}
    return names - STANDARD_LIBRARY - sys.stdlib_module_names - {_PACKAGE}


@cache
def _imports(name: str) -> tuple[str, ...]:
    """Return the modules that a module of iolai imports, those that it names as text included.

    The door names all rooms as text and opens them only when asked: that does not count.
    """
    source = Source(name, parse(read_text(_path_of(name))))
    found = dict.fromkeys(module for line in source.imports for module in _modules_of(line))
    if name != _PACKAGE:
        matches = (_MODULE_AS_TEXT.match(text) for _, text in source.texts)
        found |= dict.fromkeys(match[0] for match in matches if match and _find(match[0]))
    return tuple(found)


def _modules_of(line: Import) -> Iterator[str]:
    """Yield the module, and those of the names taken from it that are modules themselves."""
    yield line.module
    if _is_iolai(line.module):
        names = (f"{line.module}.{name}" for name in line.names)
        yield from (name for name in names if _find(name) is not None)


def _is_iolai(name: str) -> bool:
    return name.partition(".")[0] == _PACKAGE


def _source_root() -> Path:
    return Path(str(resources.files(_PACKAGE)))


def _find(name: str) -> Path | None:
    """Return the file of a module of iolai, or None where there is none of that name."""
    base = _source_root().joinpath(*name.split(".")[1:])
    choices = (base / "__init__.py", base.with_name(f"{base.name}.py"))
    return next((path for path in choices if path.is_file()), None)


def _path_of(name: str) -> Path:
    path = _find(name)
    if path is None:
        raise InputError(
            f"iolai has no module {name}", hint="Install iolai again: its source is incomplete."
        )
    return path


def _license() -> str:
    """Return the licence of iolai, which goes with every copy of its source."""
    beside_source = _source_root().parents[1] / "LICENSE"
    if beside_source.is_file():
        return read_text(beside_source)
    installed = None
    with suppress(metadata.PackageNotFoundError):
        installed = metadata.distribution(_PACKAGE).read_text("licenses/LICENSE")
    return installed or "Apache License 2.0: https://www.apache.org/licenses/LICENSE-2.0\n"


def _requirement(library: str) -> str:
    """Return a library with the version that is installed here, by the name it is installed by."""
    for name in metadata.packages_distributions().get(library, ()):
        return f"{name}=={metadata.version(name)}"
    return library
