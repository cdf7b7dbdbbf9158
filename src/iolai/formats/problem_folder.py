"""A folder of problems: its files of any known format taken together.

A ``test.csv`` with its ``solution.csv``; or files of problems side by side; or one folder a
problem (``NN-slug/problem.txt``), one level deep. A rubric beside them is read too. Left out are
hidden files, ``.md`` files (notes), and, with a warning, what is of no known format or holds
predictions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from iolai.errors import InputError
from iolai.formats.document import Document
from iolai.formats.source import list_folder
from iolai.formats.values import short
from iolai.records import AnswerKey, Problem, ProblemSet, TaskKey, canonical_id

__all__ = ["MAX_FILES", "NAME", "OnFailure", "read_folder"]

NAME = "folder"
#: A folder with more files than this is no folder of problems.
MAX_FILES = 2000

#: Reads a file; the number is that of the first problem in it, for ids that have to be made.
#: None: the file is of no known format.
FileReader = Callable[[Path, int], Document | None]
#: Told each file of a folder that cannot be read, and why; the others are read all the same.
OnFailure = Callable[[Path, InputError], None]


def read_folder(
    folder: Path, read_file: FileReader, on_failure: OnFailure | None = None
) -> Document:
    """Read all files of a folder into one document.

    Raises InputError where no file holds anything that counts, where two hold the same task, and
    whatever reading a file raises; with ``on_failure`` that is told of each such file instead, as
    long as another can be read. A file that cannot be read counts as one problem in made ids.
    """
    collected = _Collected(folder)
    failures: list[tuple[Path, InputError]] = []
    for path in _files(folder):
        try:
            document = read_file(path, collected.n_problems + len(failures) + 1)
        except InputError as error:
            if on_failure is None:
                raise
            failures.append((path, error))
            continue
        collected.add(path, document)
    if failures and collected.is_empty:
        raise failures[0][1]
    for path, failure in failures:
        if on_failure is not None:
            on_failure(path, failure)
    return collected.document()


def _files(folder: Path) -> list[Path]:
    """Return the files of the folder, then those of its folders, each sorted by name."""
    own, below = _visible(folder)
    above = {folder.resolve(), *folder.resolve().parents}
    files = list(own)
    for inner in below:
        if inner.resolve() not in above:  # a link back up would give every file twice
            files += _visible(inner)[0]
        if len(files) > MAX_FILES:
            break
    if len(files) > MAX_FILES:
        raise InputError(
            f"{folder} has more than {MAX_FILES} files",
            hint="Name the folder that holds the problems and nothing else.",
        )
    return files


def _visible(folder: Path) -> tuple[list[Path], list[Path]]:
    paths = list_folder(folder)
    files = [path for path in paths if path.is_file() and path.suffix.lower() != ".md"]
    return files, [path for path in paths if path.is_dir()]


class _Collected:
    """What was read so far, and from which file each task came."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._problems: list[Problem] = []
        self._keys: list[TaskKey] = []
        self._rubrics: list[Document] = []
        self._warnings: list[str] = []
        self._origin: dict[tuple[str, str], Path] = {}

    @property
    def n_problems(self) -> int:
        return len(self._problems)

    @property
    def is_empty(self) -> bool:
        return not (self._problems or self._keys or self._rubrics)

    def add(self, path: Path, document: Document | None) -> None:
        if document is None:
            self._warnings.append(f"{path}: left out, it is of no known format")
            return
        if document.predictions is not None:
            self._warnings.append(f"{path}: left out, it holds predictions")
        if document.problems is not None:
            self._claim("task", (task.id for task in document.problems.tasks), path)
            self._problems += document.problems
        if document.key is not None:
            self._claim("key", (task.id for task in document.key), path)
            self._keys += document.key
        if document.rubrics:
            self._rubrics.append(document)
        self._warnings += document.warnings

    def _claim(self, kind: str, ids: Iterator[str], path: Path) -> None:
        for task_id in ids:
            earlier = self._origin.setdefault((kind, canonical_id(task_id)), path)
            if earlier != path:
                what = "the task" if kind == "task" else "the key of the task"
                raise InputError(
                    f"{path} and {earlier} both hold {what} {short(task_id)}",
                    hint="Keep only one of them in the folder.",
                )

    def document(self) -> Document:
        rubrics = tuple(rubric for document in self._rubrics for rubric in document.rubrics)
        if not (self._problems or self._keys or rubrics):
            raise InputError(
                f"{self._folder} holds no problems",
                hint="Name a folder with a test.csv, Linguini or plain-text files, or with one "
                "folder a problem. For one entry's predictions name its predictions.json.",
            )
        name = self._folder.resolve().name
        self._warn_of_keyless_tasks()
        return Document(
            NAME,
            problems=ProblemSet(tuple(self._problems), name=name) if self._problems else None,
            key=AnswerKey(tuple(self._keys), name=name) if self._keys else None,
            rubrics=rubrics,
            warnings=tuple(self._warnings),
        )

    def _warn_of_keyless_tasks(self) -> None:
        if not self._keys:
            return
        keyless = [
            name
            for kind, name in self._origin
            if kind == "task" and ("key", name) not in self._origin
        ]
        if keyless:
            self._warnings.append(
                f"{self._folder}: {len(keyless)} tasks have no references, first {keyless[0]}"
            )
