"""Starting points for an entry: a starting point is one folder in ``starters`` plus one line here.

What a folder holds is copied as it is; ``README.md`` and ``environment.lock`` are common to all,
and a starting point's own ``README.md`` follows the common one.
A folder with a file ``vendored`` has the iolai modules named there, and all that they import,
copied in as well; see ``vendoring.vendor`` for what its lines may say.
"""

from __future__ import annotations

import shutil
from contextlib import suppress
from importlib import resources
from pathlib import Path

from iolai.entry.vendoring import vendor
from iolai.errors import InputError, OutputError, UnknownNameError
from iolai.files import read_text

__all__ = ["DEFAULT_STARTER", "NEED_WEIGHTS", "STARTERS", "new_entry"]

#: name -> what it is
STARTERS: dict[str, str] = {
    "baseline": "one file without libraries that shows placeholders, deadline and output",
    "induction": "iolai's solver, which needs no language model, with its source in vendor/",
    "llm": "a language model by the recipe that won in 2026, with a place for its weights",
}
DEFAULT_STARTER = "baseline"
#: Starting points that do nothing of their own until weights are put in.
NEED_WEIGHTS = frozenset({"llm"})

_COMMON = ("README.md", "environment.lock")
_VENDORED = "vendored"


def new_entry(folder: Path, starter: str = DEFAULT_STARTER) -> tuple[Path, ...]:
    """Write a new entry into ``folder`` and return its files.

    Raises UnknownNameError, which lists the starting points; InputError where the folder holds
    anything already; OutputError where it cannot be written.
    """
    if starter not in STARTERS:
        raise UnknownNameError("starting point", starter, STARTERS)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(
            f"{folder} is not empty", hint="Name a folder that does not exist yet, or empty it."
        )
    is_new = not folder.exists()
    try:
        _copy(_starters(), folder, starter)
    except OSError as error:
        _take_back(folder, is_new=is_new)
        raise OutputError(
            f"{folder} cannot be written: {error.strerror}",
            hint="Check that the folder above it exists and may be written to.",
        ) from error
    return tuple(sorted(path for path in folder.rglob("*") if path.is_file()))


def _take_back(folder: Path, *, is_new: bool) -> None:
    """Delete what was written of an entry that could not be written whole."""
    with suppress(OSError):
        for path in [folder] if is_new else list(folder.iterdir()):
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)


def _starters() -> Path:
    return Path(str(resources.files("iolai.entry") / "starters"))


def _copy(starters: Path, folder: Path, starter: str) -> None:
    source = starters / starter
    leave_out = shutil.ignore_patterns(_VENDORED, "__pycache__")
    # copyfile: what is new belongs to the caller, whatever the modes of the installation are.
    shutil.copytree(
        source, folder, ignore=leave_out, copy_function=shutil.copyfile, dirs_exist_ok=True
    )
    for name in _COMMON:
        own = read_text(folder / name) if (folder / name).exists() else ""
        shutil.copyfile(starters / name, folder / name)
        with (folder / name).open("a", encoding="utf-8") as file:
            file.write(own)
    if (source / _VENDORED).is_file():
        vendor(read_text(source / _VENDORED).splitlines(), folder)
