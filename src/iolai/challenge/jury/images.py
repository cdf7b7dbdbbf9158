"""Pages of people's papers: drawn anew, so that nothing but what is seen goes on.

A photograph holds where, when and with what it was taken, a PDF its writer's name. A process of its
own (``drawing``) opens the file, under limits and with none of this one's environment; all that is
taken from it are pixels, and they are encoded here.
"""

from __future__ import annotations

import io
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from typing import IO

from iolai.challenge.jury import drawing
from iolai.challenge.jury.drawing import MAX_PAGES, MAX_SIDE
from iolai.errors import InputError, MissingPartError

__all__ = ["MAX_PAGES", "media_type_of", "redrawn_pages"]

#: How long drawing a file may take, however little of it is the process's own time.
WALL_S = 120.0
_QUALITY = 85
_LINE = 100
_ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
#: So many files are drawn at once; others wait.
_turns = threading.BoundedSemaphore(2)
_STARTS = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"%PDF-", "application/pdf"),
)
#: What a fault is called, and what to do about it; ``{}`` is what the process says more.
_FAULTS = {
    "damaged": ("is damaged and cannot be drawn", "Save or scan it again."),
    "locked": ("is damaged, or locked, and cannot be drawn", "Save it again as a PDF."),
    "large": ("is too large to be drawn", "Scan it at 150 to 300 dpi."),
    "empty": ("cannot be drawn: page {} has no size", "Save it again as a PDF, or scan it."),
    "page": ("cannot be drawn: page {} is damaged", "Save it again as a PDF, or scan it."),
    "pages": (
        f"has {{}} pages; from 1 to {MAX_PAGES} may be handed in",
        "Hand in the pages of one problem alone.",
    ),
    "memory": ("takes too much memory to be drawn", "Save it again in a plain form, or scan it."),
    "time": ("takes too long to be drawn", "Save it again in a plain form, or scan it."),
}


def media_type_of(data: bytes) -> str:
    """Tell PNG, JPEG and PDF by their first bytes; ``""`` for anything else."""
    return next((kind for start, kind in _STARTS if data.startswith(start)), "")


def redrawn_pages(data: bytes, name: str) -> tuple[bytes, ...]:
    """Return the pages of an image or a PDF as PNG or JPEG images without metadata.

    ``name`` is used in messages. Raises InputError where it is none of these, is damaged, too
    large, has more than ``MAX_PAGES`` pages, or takes too much memory or time; MissingPartError
    where a library is not installed.
    """
    kind = media_type_of(data)
    if not kind:
        raise InputError(
            f"{name} is no PNG, JPEG or PDF", hint="Hand in typed text, an image or a PDF."
        )
    with _turns:
        return _drawn(data, kind, name)


def _drawn(data: bytes, kind: str, name: str) -> tuple[bytes, ...]:
    late = threading.Event()
    with tempfile.TemporaryFile() as source:
        source.write(data)
        source.seek(0)
        with subprocess.Popen(  # noqa: S603 -- this program's own file, and one of three words
            [sys.executable, "-I", drawing.__file__, kind],
            stdin=source,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env=_ENVIRONMENT,
            start_new_session=True,
        ) as child:

            def stop() -> None:
                late.set()
                child.kill()

            clock = threading.Timer(WALL_S, stop)
            clock.start()
            try:
                assert child.stdout is not None  # noqa: S101 -- asked for above
                pages = [_encoded(*page, kind) for page in _pages(child.stdout, name)]
                is_whole = bool(pages) and child.wait() == 0
            except EOFError:
                is_whole = False
            finally:
                clock.cancel()
                child.kill()
    if late.is_set() or child.returncode == -signal.SIGXCPU:
        raise _fault(name, "time")
    if not is_whole:
        raise _fault(name, "damaged")
    return tuple(pages)


def _pages(told: IO[bytes], name: str) -> Iterator[tuple[tuple[int, int], bytes]]:
    """Yield size and pixels of each page; raises EOFError where what is told is not whole."""
    for _ in range(MAX_PAGES + 1):
        word, *more = told.readline(_LINE).decode("ascii", "replace").split() or [""]
        if word == "end":
            return
        if word == "fault":
            raise _fault(name, *more)
        if word != "page" or len(more) != 2 or not all(_is_side(side) for side in more):
            raise EOFError
        width, height = map(int, more)
        pixels = told.read(3 * width * height)
        if len(pixels) != 3 * width * height:
            raise EOFError
        yield (width, height), pixels
    raise EOFError


def _is_side(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 6 and 1 <= int(text) <= MAX_SIDE


def _encoded(size: tuple[int, int], pixels: bytes, kind: str) -> bytes:
    from PIL import Image

    target = io.BytesIO()
    image = Image.frombytes("RGB", size, pixels)
    image.save(target, "JPEG" if kind == "image/jpeg" else "PNG", quality=_QUALITY)
    return target.getvalue()


def _fault(name: str, word: str = "", more: str = "") -> InputError | MissingPartError:
    if word == "missing":
        return MissingPartError(
            f"pages cannot be drawn: {'Pillow' if more == 'Pillow' else 'pypdfium2'} is not "
            "installed",
            hint="Run pip install 'iolai[jury]'.",
        )
    said, hint = _FAULTS.get(word, _FAULTS["damaged"])
    return InputError(f"{name} {said.format(more[:20])}", hint=hint)
