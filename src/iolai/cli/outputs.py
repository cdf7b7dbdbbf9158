"""Where a command writes: refused, before any work is done, where it would destroy an input."""

from __future__ import annotations

from pathlib import Path

__all__ = ["require_output"]


def require_output(out: Path | None, *inputs: Path | None) -> None:
    """Refuse an output that names no file or would write over what the command reads.

    In a folder that is read, new files may be made and old predictions replaced; nothing at all
    may be written in archived records. Raises InputError; ``None`` is an option not given.
    """
    from iolai.errors import InputError

    if out is None:
        return
    if out.name == "-":
        raise InputError(
            f"{out} names no file",
            hint="Write /dev/stdout for the standard output, or give the file another name.",
        )
    if out.is_dir():
        raise InputError(f"{out} is a folder, not a file to write", hint="Name the file to write.")
    for source in filter(None, inputs):
        if _would_harm(out, source):
            raise InputError(
                f"writing {out} would change {source}, which this command reads",
                hint="Name a place for the output elsewhere.",
            )


def _would_harm(out: Path, source: Path) -> bool:
    """Say whether ``out`` is the file ``source``, or lies in that folder and is not ours to write.

    What cannot be looked at is left to the reading and the writing, which say what is wrong.
    """
    from iolai.formats import is_records_folder

    try:
        if not source.is_dir():
            return out.exists() and out.samefile(source)
        inside = out.resolve().is_relative_to(source.resolve())
        if inside and is_records_folder(source):
            return True
        return out.exists() and (inside or _leads_to(source, out)) and not _holds_predictions(out)
    except (OSError, RuntimeError, ValueError):  # RuntimeError: resolve() on a loop of symlinks
        return False


def _leads_to(folder: Path, path: Path) -> bool:
    """Say whether a file that is read with the folder is, by a link, the file at ``path``."""
    read = (inner for pattern in ("*", "*/*") for inner in folder.glob(pattern))
    return any(inner.exists() and inner.samefile(path) for inner in read)


def _holds_predictions(path: Path) -> bool:
    from iolai.errors import InputError
    from iolai.files import is_stream
    from iolai.formats import read_predictions

    if is_stream(path):
        return True
    try:
        read_predictions(path)
    except InputError:
        return False
    return True
