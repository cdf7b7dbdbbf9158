"""The process that draws a person's file: it reads the file, and writes the pixels of its pages.

A file that somebody handed in may be made to break the library that reads it, or to eat all memory
and time. It is opened here, in a process of its own, under limits that it sets itself before it
reads a byte; ``images`` starts it and takes nothing from it but pixels. It is run as a file, and
imports nothing of this package.

It is called with the media type, reads the file on stdin, and writes for each page a line
``page WIDTH HEIGHT`` and that many RGB pixels, then ``end``; or a line ``fault WORD MORE``.
"""

from __future__ import annotations

import io
import resource
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["MAX_PAGES", "MAX_SIDE"]

MAX_PAGES = 40
#: Pixels of the longer side of a page that is kept.
MAX_SIDE = 2_400
#: Pixels of an image that is opened, and of one of its sides.
_MAX_PIXELS, _MAX_OPENED_SIDE = 80_000_000, 30_000
_MEMORY_BYTES, _CPU_S, _N_FILES = 2 << 30, 60, 64
_PDF_DPI = 150
_POINTS_PER_INCH = 72


class Fault(Exception):  # noqa: N818 -- it is told, not raised to anybody
    """Why a file cannot be drawn: a word, and what more there is to say."""


def limit() -> None:
    """Bound what this process may use: memory, processor time, files; it can write none."""
    # Past the first limit of its time a process is told so, past the second it is killed.
    resource.setrlimit(resource.RLIMIT_CPU, (_CPU_S, _CPU_S + 5))
    for what, most in (
        (resource.RLIMIT_AS, _MEMORY_BYTES),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NOFILE, _N_FILES),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(what, (most, most))


def tell(kind: str, data: bytes, target: BinaryIO) -> None:
    """Write the pages of a file, or why it cannot be drawn."""
    try:
        for page in _pages_of_pdf(data) if kind == "application/pdf" else _image(data):
            page.thumbnail((MAX_SIDE, MAX_SIDE))
            target.write(f"page {page.width} {page.height}\n".encode())
            target.write(page.tobytes())
        target.write(b"end\n")
    except Fault as fault:
        target.write(f"fault {' '.join(map(str, fault.args))}\n".encode())
    except (MemoryError, RecursionError):
        target.write(b"fault memory\n")


def _image(data: bytes) -> Iterator[Image]:
    try:
        from PIL import Image, ImageOps, UnidentifiedImageError
    except ImportError:
        raise Fault("missing", "Pillow") from None
    try:
        with Image.open(io.BytesIO(data), formats=("PNG", "JPEG")) as opened:
            _require_size(opened.width, opened.height)
            turned = ImageOps.exif_transpose(opened).convert("RGB")
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise Fault("large") from None
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError):
        raise Fault("damaged") from None
    yield turned


def _pages_of_pdf(data: bytes) -> Iterator[Image]:
    try:
        import pypdfium2
    except ImportError:
        raise Fault("missing", "pypdfium2") from None
    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError:
        raise Fault("locked") from None
    n_pages = len(document)
    if not 0 < n_pages <= MAX_PAGES:
        raise Fault("pages", n_pages)
    for number in range(n_pages):
        try:
            yield _drawn(document[number], number + 1)
        except pypdfium2.PdfiumError:
            raise Fault("page", number + 1) from None


def _drawn(page: Any, number: int) -> Image:
    scale = _PDF_DPI / _POINTS_PER_INCH
    width, height = (side * scale for side in page.get_size())
    # For a box without a size the library says that of letter paper.
    box = page.get_mediabox(fallback_ok=False)
    if not (width >= 1 and height >= 1) or (box and (box[0] == box[2] or box[1] == box[3])):
        raise Fault("empty", number)
    _require_size(width, height)
    # What would be made small afterwards is drawn small: a poster costs no more than a sheet.
    scale *= min(1.0, MAX_SIDE / max(width, height))
    drawn: Image = page.render(scale=scale).to_pil().convert("RGB")
    return drawn


def _require_size(width: float, height: float) -> None:
    if width * height > _MAX_PIXELS or max(width, height) > _MAX_OPENED_SIDE:
        raise Fault("large")


if __name__ == "__main__":
    limit()
    tell(sys.argv[1], sys.stdin.buffer.read(), sys.stdout.buffer)
