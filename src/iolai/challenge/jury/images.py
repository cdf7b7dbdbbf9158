"""Pages of people's papers: drawn anew, so that nothing but what is seen goes on.

A photograph holds where, when and with what it was taken, a PDF its writer's name. Images are
decoded and encoded again without their metadata, PDFs are drawn page by page.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from iolai.errors import InputError, MissingPartError

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["MAX_PAGES", "media_type_of", "redrawn_pages"]

MAX_PAGES = 40
#: Pixels of an image that is opened, and of the longer side of one that is kept.
_MAX_PIXELS, _MAX_SIDE = 80_000_000, 2_400
_PDF_DPI = 150
_POINTS_PER_INCH = 72
_QUALITY = 85
_STARTS = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"%PDF-", "application/pdf"),
)


def media_type_of(data: bytes) -> str:
    """Tell PNG, JPEG and PDF by their first bytes; ``""`` for anything else."""
    return next((kind for start, kind in _STARTS if data.startswith(start)), "")


def redrawn_pages(data: bytes, name: str) -> tuple[bytes, ...]:
    """Return the pages of an image or a PDF as PNG or JPEG images without metadata.

    ``name`` is used in messages. Raises InputError where it is none of these, is damaged, too
    large or has more than ``MAX_PAGES`` pages; MissingPartError where a library is not installed.
    """
    kind = media_type_of(data)
    if not kind:
        raise InputError(
            f"{name} is no PNG, JPEG or PDF", hint="Hand in typed text, an image or a PDF."
        )
    if kind == "application/pdf":
        return tuple(_encoded(page, "PNG") for page in _pages_of_pdf(data, name))
    return (_encoded(_image(data, name), "JPEG" if kind == "image/jpeg" else "PNG"),)


def _image(data: bytes, name: str) -> Image:
    try:
        from PIL import Image, ImageOps, UnidentifiedImageError
    except ImportError:
        raise _missing("Pillow") from None
    try:
        with Image.open(io.BytesIO(data), formats=("PNG", "JPEG")) as opened:
            if opened.width * opened.height > _MAX_PIXELS:
                raise _too_large(name)
            return ImageOps.exif_transpose(opened).convert("RGB")
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise _too_large(name) from error
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError) as error:
        raise InputError(
            f"{name} is damaged and cannot be drawn", hint="Save or scan it again."
        ) from error


def _pages_of_pdf(data: bytes, name: str) -> Iterator[Image]:
    try:
        import pypdfium2
    except ImportError:
        raise _missing("pypdfium2") from None
    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        raise InputError(
            f"{name} is damaged, or locked, and cannot be drawn", hint="Save it again as a PDF."
        ) from error
    try:
        if not 0 < len(document) <= MAX_PAGES:
            raise InputError(
                f"{name} has {len(document)} pages; from 1 to {MAX_PAGES} may be handed in",
                hint="Hand in the pages of one problem alone.",
            )
        for page in document:
            yield _drawn(page, name)
    finally:
        document.close()


def _drawn(page: Any, name: str) -> Image:
    scale = _PDF_DPI / _POINTS_PER_INCH
    width, height = page.get_size()
    if width * height * scale * scale > _MAX_PIXELS:
        raise _too_large(name)
    drawn: Image = page.render(scale=scale).to_pil().convert("RGB")
    return drawn


def _encoded(image: Image, kind: str) -> bytes:
    from PIL import Image

    image.thumbnail((_MAX_SIDE, _MAX_SIDE))
    # Only the pixels go on: an image's own notes (Exif, colour profiles, comments) stay behind.
    bare = Image.frombytes("RGB", image.size, image.tobytes())
    target = io.BytesIO()
    bare.save(target, kind, quality=_QUALITY)
    return target.getvalue()


def _too_large(name: str) -> InputError:
    return InputError(f"{name} is too large to be drawn", hint="Scan it at 150 to 300 dpi.")


def _missing(library: str) -> MissingPartError:
    return MissingPartError(
        f"pages cannot be drawn: {library} is not installed",
        hint="Run pip install 'iolai[jury]'.",
    )
