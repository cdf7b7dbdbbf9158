"""A folder of people's papers: one folder a contestant, one file or several a problem.

``NAME/PROBLEM.txt`` is typed text; ``NAME/PROBLEM.pdf``, ``.png``, ``.jpg``, ``.jpeg`` are pages,
``NAME/PROBLEM-1.png``, ``NAME/PROBLEM-2.png`` ... several of them, in the order of their numbers.
What a file holds decides, not its name alone: a page must begin as its kind of file does.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable
from pathlib import Path

from iolai.errors import FormatError, InputError, Place
from iolai.files import read_bytes
from iolai.formats.source import list_folder, to_text
from iolai.formats.values import short
from iolai.records import Page, Paper

__all__ = ["MAX_FILES", "MAX_PAGE_BYTES", "MAX_PIXELS", "read_papers"]

#: A page larger than this, in bytes, is refused; so is a folder with more files, and an image
#: with more pixels (a page scanned at 600 dots an inch has 35 million).
MAX_PAGE_BYTES = 32 << 20
MAX_FILES = 5000
MAX_PIXELS = 100_000_000

_MEDIA_TYPES = {
    ".pdf": "application/pdf",
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
}
_BEGINNINGS = {
    "application/pdf": b"%PDF-",
    "image/png": b"\x89PNG\r\n\x1a\n",
    "image/jpeg": b"\xff\xd8\xff",
}
_NUMBERED = re.compile(r"(?P<problem>.+)[-_](?P<number>\d{1,3})")


def read_papers(folder: Path | str, problems: Iterable[str]) -> tuple[Paper, ...]:
    """Read people's papers on some problems (their ids), by contestant, then by problem.

    A paper's id is ``CONTESTANT/PROBLEM``. Raises InputError for a folder without papers, with too
    many files or with a link that leads out of it; FormatError for a file of another kind or
    problem, one that is not what its name says, too large or empty.
    """
    root = Path(folder)
    known = tuple(problems)
    papers = []
    n_files = 0
    for inner in list_folder(root):
        if not inner.is_dir():
            raise FormatError(
                "a file outside a contestant's folder",
                place=Place(inner),
                hint="Put each contestant's files into a folder with the contestant's name.",
            )
        files = list_folder(inner)
        n_files += len(files)
        if n_files > MAX_FILES:
            raise InputError(
                f"{root} has more than {MAX_FILES} files",
                hint="Name the folder that holds the papers and nothing else.",
            )
        papers += _of_contestant(inner, files, known, root)
    if not papers:
        raise InputError(
            f"{root} holds no papers",
            hint="It should have a folder for each contestant, with files such as PROBLEM.txt.",
        )
    return tuple(papers)


def _of_contestant(
    folder: Path, files: list[Path], problems: tuple[str, ...], root: Path
) -> list[Paper]:
    texts: dict[str, str] = {}
    pages: dict[str, list[tuple[int, Page]]] = {}
    for path in files:
        _require_inside(path, root)
        problem, number = _named(path, problems)
        if path.suffix.lower() == ".txt":
            if problem in texts:
                raise _twice(path, problem)
            texts[problem] = to_text(read_bytes(path), path)
            continue
        if any(number == other for other, _ in pages.get(problem, ())):
            raise _twice(path, problem)
        pages.setdefault(problem, []).append((number, _page(path)))
    return [
        Paper(
            id=f"{folder.name}/{problem}",
            problem=problem,
            contestant=folder.name,
            text=texts.get(problem, ""),
            pages=tuple(page for _, page in sorted(pages.get(problem, ()), key=lambda one: one[0])),
        )
        for problem in problems
        if problem in texts or problem in pages
    ]


def _require_inside(path: Path, root: Path) -> None:
    try:
        inside = path.resolve().is_relative_to(root.resolve()) and path.is_file()
    except (OSError, RuntimeError):  # RuntimeError: a loop of symlinks
        inside = False
    if not inside:
        raise InputError(
            f"{path} is no file of this folder",
            hint="Put the file itself there, no link and no folder.",
        )


def _named(path: Path, problems: tuple[str, ...]) -> tuple[str, int]:
    """Return the problem and page number that a file's name tells; 0 where it has no number."""
    if path.suffix.lower() not in (".txt", *_MEDIA_TYPES):
        raise FormatError(
            f"a file of the kind {short(path.suffix)}",
            place=Place(path),
            hint=f"Papers are .txt, {', '.join(_MEDIA_TYPES)} files.",
        )
    if path.stem in problems:
        return path.stem, 0
    found = _NUMBERED.fullmatch(path.stem)
    if found and found["problem"] in problems and path.suffix.lower() != ".txt":
        return found["problem"], int(found["number"])
    raise FormatError(
        f"{short(path.stem)} names no problem",
        place=Place(path),
        hint=f"Name the file by its problem: {', '.join(problems[:12])}.",
    )


def _twice(path: Path, problem: str) -> FormatError:
    return FormatError(
        f"the same page of problem {problem} a second time",
        place=Place(path),
        hint="Number the pages: PROBLEM-1.png, PROBLEM-2.png.",
    )


def _page(path: Path) -> Page:
    if path.stat().st_size > MAX_PAGE_BYTES:
        raise FormatError(
            f"a page of more than {MAX_PAGE_BYTES >> 20} MiB",
            place=Place(path),
            hint="Scan it at 300 dots an inch, or save it as JPEG.",
        )
    data = read_bytes(path)
    media_type = _MEDIA_TYPES[path.suffix.lower()]
    if not data.startswith(_BEGINNINGS[media_type]):
        raise FormatError(
            f"this is not {media_type}, as its name says",
            place=Place(path),
            hint="Give the file the ending of what it is, or save it anew.",
        )
    if media_type == "image/png" and _png_pixels(data) > MAX_PIXELS:
        raise FormatError(
            f"an image of more than {MAX_PIXELS:,} pixels",
            place=Place(path),
            hint="Scan it at 300 dots an inch.",
        )
    return Page(media_type, data)


def _png_pixels(data: bytes) -> int:
    """Return width times height as the header says; more than allowed where it is cut off."""
    if len(data) < 24:
        return MAX_PIXELS + 1
    width, height = struct.unpack(">II", data[16:24])
    return int(width) * int(height)
