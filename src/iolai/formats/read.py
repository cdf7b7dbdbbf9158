"""Reading files and folders of any known format, and asking them for one part."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from iolai.errors import FormatError, InputError, Place
from iolai.files import read_bytes
from iolai.formats import problem_folder, records_folder, zip_file
from iolai.formats.document import Document
from iolai.formats.problem_folder import OnFailure
from iolai.formats.registry import find_format, parse_document
from iolai.formats.source import to_text
from iolai.records import AnswerKey, PredictionSet, ProblemSet, Rubric

__all__ = [
    "OnFailure",
    "OnWarning",
    "read_document",
    "read_key",
    "read_predictions",
    "read_problems",
    "read_rubric",
]


#: Told each thing that was forgiven while reading, in words for people.
OnWarning = Callable[[str], None]


def read_document(
    path: Path | str,
    *,
    password: str | None = None,
    on_warning: OnWarning | None = None,
    on_failure: OnFailure | None = None,
) -> Document:
    """Read a file or folder of any known format, found by content.

    ``password`` is that of an encrypted ``.zip``. ``on_warning`` is told what the document's
    ``warnings`` hold, ``on_failure`` of each file of a folder that cannot be read: without it the
    first such file is an error. Raises InputError that lists the known formats
    where it is of none, and FormatError naming file, row and column where it is not right.
    """
    document = _read_any(Path(path), password, on_failure)
    if on_warning is not None:
        for warning in document.warnings:
            on_warning(warning)
    return document


def _read_any(source: Path, password: str | None, on_failure: OnFailure | None) -> Document:
    if not _is_folder(source):
        return _read_file(source, password)
    if records_folder.is_records_folder(source):
        return records_folder.read_records_document(source)

    def read_member(member: Path, first_number: int) -> Document | None:
        return _read_member(member, password, first_number)

    return problem_folder.read_folder(source, read_member, on_failure)


def read_problems(
    path: Path | str,
    *,
    password: str | None = None,
    on_warning: OnWarning | None = None,
    on_failure: OnFailure | None = None,
) -> ProblemSet:
    """Read problems: ``test.csv``, Linguini, plain text, a ``.zip`` of one, or a folder of them."""
    document = read_document(path, password=password, on_warning=on_warning, on_failure=on_failure)
    if document.problems is None:
        raise _absent(path, document, "problems")
    return document.problems


def read_key(
    path: Path | str, *, password: str | None = None, on_warning: OnWarning | None = None
) -> AnswerKey:
    """Read an answer key: ``solution.csv``, or any problem set that carries its references."""
    document = read_document(path, password=password, on_warning=on_warning)
    if document.key is None:
        raise _absent(path, document, "references")
    return document.key


def read_predictions(
    path: Path | str, *, password: str | None = None, on_warning: OnWarning | None = None
) -> PredictionSet:
    """Read predictions: ``submission.csv``, or the ``predictions.json`` of an archived entry."""
    document = read_document(path, password=password, on_warning=on_warning)
    if document.predictions is None:
        raise _absent(path, document, "predictions")
    return document.predictions


def read_rubric(path: Path | str) -> Rubric:
    """Read one rubric: a ``rubric.toml``, or a folder with one."""
    document = read_document(path)
    if not document.rubrics:
        raise _absent(path, document, "a rubric")
    if len(document.rubrics) > 1:
        raise InputError(
            f"{path} holds {len(document.rubrics)} rubrics", hint="Name one rubric.toml in it."
        )
    return document.rubrics[0]


#: How much of a file in a folder is read to see whether it counts, in bytes.
_HEAD = 1 << 16

_WHERE = {
    "problems": "Problems are in a test.csv, a Linguini .jsonl or .zip, a plain-text problem, or a "
    "folder of these.",
    "references": "References are in a solution.csv, or in a problem set that carries them "
    "(Linguini, plain text with answers).",
    "predictions": "Predictions are in a submission.csv, or in an archived entry's "
    "predictions.json.",
    "a rubric": "A rubric is a rubric.toml.",
}


def _absent(path: Path | str, document: Document, wanted: str) -> InputError:
    held = " and ".join(document.holdings)
    return InputError(
        f"{path} holds no {wanted.removeprefix('a ')}",
        hint=f"Its format is {document.format}: it has {held}. {_WHERE[wanted]}",
    )


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):  # read_bytes will say what is wrong with the path
        return False


def _read_file(path: Path, password: str | None, first_number: int = 1) -> Document:
    data = read_bytes(path)
    if not zip_file.is_zip(data):
        if zip_file.is_zip_behind_more(data):
            raise FormatError(
                "a .zip with something before it, such as a program that unpacks it",
                place=Place(path),
                hint="Unpack it with another program, and name the file that was in it.",
            )
        return parse_document(to_text(data, path), path, first_number)
    member, content = zip_file.unpack(data, path, password)
    inside = f"{path}: {member[:80]!r}"
    document = parse_document(to_text(content, inside), inside, first_number)
    return replace(
        document,
        format=f"{document.format} in a .zip",
        problems=document.problems and replace(document.problems, name=path.name),
        key=document.key and replace(document.key, name=path.name),
        predictions=document.predictions and replace(document.predictions, name=path.name),
    )


def _read_member(path: Path, password: str | None, first_number: int) -> Document | None:
    """Read one file of a folder; None where its beginning is of no known format."""
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except OSError:
        head = b"PK\x03\x04"  # let read_bytes say what is wrong
    looks_known = zip_file.is_zip(head) or find_format(head.decode("utf-8-sig", "replace"))
    if not looks_known and not head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return None
    return _read_file(path, password, first_number)
