"""The interpreter of the entries: what of it a run must see, and whether the run's uid may use it.

Shown are the parts of an installation that Python uses, read-only and at their own paths, and
nothing beside them: an installation may stand in a home folder, and a virtual environment may
hold a ``pip.conf`` with a password.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from iolai.errors import InputError, MissingPartError

__all__ = ["python_links", "python_parts", "python_roots", "usable_python"]

_SYSTEM_PYTHON = Path("/usr/bin/python3")
#: What of an installation is shown; the last two are where CUDA's parts stand in a conda prefix.
_PARTS = ("bin", "include", "lib", "lib32", "lib64", "libexec", "pyvenv.cfg", "nvvm", "targets")
_MAX_LINKS = 40


def python_roots(python: Path) -> tuple[Path, ...]:
    """Return the installations outside /usr that an interpreter needs.

    For a virtual environment these are its own folder and its base interpreter's. A folder where
    only a link to an interpreter stands is none.
    """
    hops = [*_hops(python), *_hops_from_home(python)]
    roots = [hop.parent.parent for hop in hops] + [python.resolve().parent.parent]
    usable = (root for root in roots if _is_outside(root) and is_pythons_own(root))
    return tuple(dict.fromkeys(usable))


def python_parts(root: Path) -> tuple[str, ...]:
    """Return the names in an installation that are shown."""
    return tuple(name for name in _PARTS if (root / name).exists())


def python_links(python: Path) -> tuple[tuple[Path, str], ...]:
    """Return the links on the way to an interpreter that no installation shows: place, target."""
    roots = python_roots(python)
    links = {
        hop: str(hop.readlink())
        for hop in [*_hops(python), *_hops_from_home(python)]
        if hop.is_symlink() and _is_outside(hop) and hop.parent.parent not in roots
    }
    return tuple(links.items())


def _hops(place: Path) -> Iterator[Path]:
    """Yield a path and what it leads to, link by link."""
    for _ in range(_MAX_LINKS):
        yield place
        if not place.is_symlink():
            return
        place = Path(os.path.normpath(place.parent / place.readlink()))


def _hops_from_home(python: Path) -> Iterator[Path]:
    """Yield the way to a virtual environment's base interpreter by its configuration."""
    try:
        text = (python.parent.parent / "pyvenv.cfg").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return
    for line in text.splitlines():
        name, _, value = line.partition("=")
        if name.strip() == "home":
            names = dict.fromkeys((python.resolve().name, "python3", python.name))
            for place in (Path(value.strip(), name) for name in names):
                if place.exists():
                    yield from _hops(place)


def _is_outside(place: Path) -> bool:
    """Say whether a path is not among the system's files, which are shown anyway."""
    return not place.is_relative_to("/usr") and place != Path("/") and place.parent != Path("/bin")


def is_pythons_own(root: Path) -> bool:
    """Say whether a folder is an installation or a virtual environment, not just any folder.

    What is unreadable is judged elsewhere.
    """
    try:
        return (root / "pyvenv.cfg").is_file() or any((root / "lib").glob("*/os.py"))
    except PermissionError:
        return True


@cache
def usable_python(wanted: Path | None) -> Path:
    """Return the interpreter for entries: the one wanted, else this one, else the system's.

    Raises InputError where the one wanted is no program, MissingPartError where the uid that a run
    has may not read and run it.
    """
    if wanted is not None and not _is_program(wanted):
        raise InputError(
            f"{wanted} is no program that can be run",
            hint="Name an interpreter itself, such as /usr/bin/python3.",
        )
    choices = [wanted] if wanted is not None else [Path(sys.executable), _SYSTEM_PYTHON]
    barred = ""
    for python in choices:
        barred = _what_bars(python)
        if not barred:
            return python if (python.parent.parent / "pyvenv.cfg").is_file() else python.resolve()
    place = choices[-1]
    raise MissingPartError(
        f"an entry's interpreter {place} cannot be used by the uid that runs it: {barred}",
        hint=f"Run: chmod -R o+rX {barred}   or name an interpreter that all users may run"
        if os.path.exists(barred)  # noqa: PTH110 -- of what is hidden, Path.exists raises
        else "Run: sudo apt-get install python3   or name another interpreter",
    )


def _what_bars(python: Path) -> str:
    """Return the file or folder that keeps the run's uid from an interpreter, or nothing."""
    if not _is_program(python):
        return f"{python} (no program that this user can run)"
    real, roots = python.resolve(), python_roots(python)
    if _is_outside(real.parent.parent) and real.parent.parent not in roots:
        root = real.parent.parent
        return f"{root} (which would be shown to the entry, and is no Python's own folder)"
    places = [real, *roots, *(place for root in roots for place in _landmarks(root))]
    if os.geteuid() != 0:
        barred = (p for p in places if not os.access(p, os.R_OK | (p.is_dir() and os.X_OK)))
        return str(next(barred, ""))
    # Root mounts the installations itself, so that the folders above them bar nobody.
    above = {parent for root in roots for parent in (*root.parents, *root.resolve().parents)}
    return next((bar for place in places if (bar := _what_bars_others(place, above))), "")


def _landmarks(root: Path) -> Iterator[Path]:
    """Yield what shows whether an installation was meant for all users."""
    yield from (root / name for name in python_parts(root))
    yield from (root / "lib").glob("*/os.py")
    yield from (root / "lib").glob("*/site-packages")


def _is_program(python: Path) -> bool:
    """Say whether there is a file that can be run, as far as this process can see."""
    return os.path.isfile(python) and os.access(python, os.X_OK)  # noqa: PTH113 -- never raises


def _what_bars_others(place: Path, above: set[Path]) -> str:
    """Return what on the way to a path keeps users other than root and its owner from it."""
    place = place.resolve()
    for part in (*reversed(place.parents), place):
        if part in above:
            continue
        try:
            mode = part.stat().st_mode
        except OSError:
            return str(part)
        needed = stat.S_IROTH if part == place else 0
        if stat.S_ISDIR(mode) or (part == place and os.access(part, os.X_OK)):
            needed |= stat.S_IXOTH
        if mode & needed != needed:
            return str(part)
    return ""
