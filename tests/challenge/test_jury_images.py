"""Pages of people's papers: drawn anew, whatever stands in the file beside what is seen."""

from __future__ import annotations

import io
import struct
import zlib

import pypdfium2
import pytest
from PIL import Image

from iolai.challenge.jury.images import MAX_PAGES, media_type_of, redrawn_pages
from iolai.errors import InputError
from jury_for_tests import page_of_text, photo

pytestmark = pytest.mark.system("pango")
SECRET = "okapisecret"  # noqa: S105


def _saved(image: Image.Image, kind: str, **options: object) -> bytes:
    target = io.BytesIO()
    image.save(target, kind, **options)
    return target.getvalue()


def _pdf(n_pages: int, **options: object) -> bytes:
    image = Image.new("RGB", (60, 80), "white")
    more = [image] * (n_pages - 1)
    return _saved(image, "PDF", save_all=True, append_images=more, **options)


def test_the_metadata_of_images_stays_behind() -> None:
    from PIL.PngImagePlugin import PngInfo

    notes = PngInfo()
    notes.add_text("Author", SECRET)
    png = _saved(Image.new("RGB", (30, 20), "red"), "PNG", pnginfo=notes)
    for data in (photo(SECRET), png):
        assert SECRET.encode() in data
        (page,) = redrawn_pages(data, "page")
        assert SECRET.encode() not in page
        assert Image.open(io.BytesIO(page)).info.keys() <= {"jfif", "jfif_version", "jfif_unit",
                                                            "jfif_density"}  # fmt: skip


def test_what_stands_behind_an_image_stays_behind() -> None:
    data = photo("x") + SECRET.encode()
    assert SECRET.encode() not in redrawn_pages(data, "page")[0]


def test_a_pdf_becomes_images_without_its_text_and_author() -> None:
    pytest.importorskip("weasyprint")
    data = page_of_text("What is seen.", author=SECRET)
    (page,) = redrawn_pages(data, "page")
    assert media_type_of(page) == "image/png"
    assert SECRET.encode() not in page
    assert Image.open(io.BytesIO(page)).convert("L").getextrema()[0] < 60, "the text is drawn"


def test_pages_come_in_their_order() -> None:
    colours = ("red", "lime", "blue")
    images = [Image.new("RGB", (40, 40), colour) for colour in colours]
    data = _saved(images[0], "PDF", save_all=True, append_images=images[1:])
    seen = [Image.open(io.BytesIO(p)).getpixel((20, 20)) for p in redrawn_pages(data, "x")]
    assert [max(range(3), key=lambda i, s=s: s[i]) for s in seen] == [0, 1, 2]


def test_a_photograph_is_turned_as_it_was_taken() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # to be turned by a quarter
    data = _saved(Image.new("RGB", (60, 20), "white"), "JPEG", exif=exif)
    (page,) = redrawn_pages(data, "page")
    assert Image.open(io.BytesIO(page)).size == (20, 60)


def test_a_large_scan_is_made_smaller() -> None:
    data = _saved(Image.new("RGB", (4000, 1000), "white"), "PNG")
    assert Image.open(io.BytesIO(redrawn_pages(data, "page")[0])).size == (2400, 600)


def _bomb(side: int) -> bytes:
    """Return a PNG of a few bytes that says it has side x side pixels."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(b"\0" * 10))
        + chunk(b"IEND", b"")
    )


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"GIF89a" + bytes(30),
        b"<svg xmlns='http://www.w3.org/2000/svg'/>",
        b"%PDF-1.7\nnothing",
        photo("x")[:200],
        b"\x89PNG\r\n\x1a\n" + bytes(50),
        _bomb(9_000),
        _bomb(60_000),
        _pdf(MAX_PAGES + 1),
    ],
    ids=["empty", "gif", "svg", "no-pdf", "cut-jpeg", "no-png", "large", "bomb", "many-pages"],
)
def test_what_cannot_be_drawn_is_refused_in_words(data: bytes) -> None:
    with pytest.raises(InputError, match="page"):
        redrawn_pages(data, "the page")


def test_a_page_as_large_as_a_house_is_refused() -> None:
    document = pypdfium2.PdfDocument.new()
    document.new_page(14_000, 14_000)
    target = io.BytesIO()
    document.save(target)
    with pytest.raises(InputError, match="too large"):
        redrawn_pages(target.getvalue(), "the page")
