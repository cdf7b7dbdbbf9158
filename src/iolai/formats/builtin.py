"""The problems that come with iolai."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from iolai.errors import MissingPartError

__all__ = ["builtin_path"]


def builtin_path() -> Path:
    """Return the folder of the built-in problems (one folder a problem).

    Raises MissingPartError where the installation lacks it.
    """
    folder = resources.files("iolai") / "data" / "problems"
    if isinstance(folder, Path) and folder.is_dir():
        return folder
    raise MissingPartError(
        "this installation of iolai has no built-in problems",
        hint="Install iolai again, unpacked: pip install --force-reinstall iolai.",
    )
