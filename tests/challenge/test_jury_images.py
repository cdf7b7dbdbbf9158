"""Pages of people's papers: drawn anew, whatever stands in the file beside what is seen."""

from __future__ import annotations

import io
import struct
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from iolai.challenge.jury import drawing, images
from iolai.challenge.jury.images import MAX_PAGES, media_type_of, redrawn_pages
from iolai.errors import InputError, MissingPartError
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


def _pdf_of(*objects: str, root: int = 1) -> bytes:
    """Return a PDF of these objects, numbered from 1; its table is left to be rebuilt."""
    body = "".join(f"{n} 0 obj\n{one}\nendobj\n" for n, one in enumerate(objects, 1))
    return f"%PDF-1.7\n{body}trailer\n<</Root {root} 0 R>>\n%%EOF\n".encode()


def _one_page(box: str, more: str = "", *others: str) -> bytes:
    return _pdf_of(
        "<</Type/Catalog/Pages 2 0 R>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        f"<</Type/Page/Parent 2 0 R/MediaBox[{box}]{more}>>",
        *others,
    )


def _many_pages(n_pages: int) -> bytes:
    kids = " ".join(f"{n} 0 R" for n in range(3, n_pages + 3))
    page = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 60 60]>>"
    pages = f"<</Type/Pages/Kids[{kids}]/Count {n_pages}>>"
    return _pdf_of("<</Type/Catalog/Pages 2 0 R>>", pages, *[page] * n_pages)


def _deep_tree(depth: int) -> bytes:
    """Return a PDF whose only page stands under so many nodes."""
    nodes = [f"<</Type/Pages/Kids[{n} 0 R]/Count 1>>" for n in range(3, depth + 3)]
    leaf = "<</Type/Page/MediaBox[0 0 60 60]>>"
    return _pdf_of("<</Type/Catalog/Pages 2 0 R>>", *nodes, leaf)


def _own_form() -> bytes:
    """Return a PDF whose page draws a form that draws itself."""
    content = "<</Length 5>>stream\n/F Do\nendstream"
    form = content.replace(
        "<<", "<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</F 5 0 R>>>>"
    )
    more = "/Contents 4 0 R/Resources<</XObject<</F 5 0 R>>>>"
    return _one_page("0 0 60 60", more, content, form)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (_one_page("0 0 14000 14000"), "sketch.pdf is too large"),
        (_one_page("0 0 1000000 1"), "sketch.pdf is too large"),
        (_one_page("0 0 1e30 1e30"), "sketch.pdf cannot be drawn: page 1 has no size"),
        (_one_page("0 0 60 0.1"), "sketch.pdf cannot be drawn: page 1 has no size"),
        (_one_page("0 0 0 0"), "sketch.pdf cannot be drawn: page 1 has no size"),
        (_one_page("5 9 5 20"), "sketch.pdf cannot be drawn: page 1 has no size"),
        (_many_pages(10_000), "sketch.pdf has 10000 pages; from 1 to 40"),
        (_deep_tree(20_000), "sketch.pdf"),
        (b"%PDF-1.7\n1 0 obj\n" + b"[" * 1_000_000, "sketch.pdf is damaged"),
    ],
    ids=["house", "string", "infinite", "flat", "no-box", "no-width", "pages", "deep", "brackets"],
)
def test_a_pdf_made_to_break_the_reader_is_refused_in_words(data: bytes, said: str) -> None:
    with pytest.raises(InputError) as caught:
        redrawn_pages(data, "sketch.pdf")
    assert caught.value.message.startswith(said)
    assert caught.value.hint


def test_a_form_that_draws_itself_ends() -> None:
    assert len(redrawn_pages(_own_form(), "sketch.pdf")) == 1


@pytest.fixture
def hostile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Have another program run in the place of the one that draws."""

    def put(code: str) -> None:
        path = tmp_path / "drawing.py"
        path.write_text(code, encoding="utf-8")
        monkeypatch.setattr(drawing, "__file__", str(path))

    return put


@pytest.mark.parametrize(
    "code",
    [
        "print('page 3 2')",
        "print('page 2 2' + chr(10) + 'x' * 12)",
        "print('page 9000 9000' + chr(10) + 'x' * 12)",
        "print('page -1 2')",
        "print('end')",
        "print('x' * 1000)",
        "print('fault nonsense {0.__class__}')",
        "import os; os.kill(os.getpid(), 11)",
        "import sys; sys.stdout.buffer.write(b'page 1 1' + bytes([10]) + b'x' * 3); raise KeyError",
        "import sys; sys.stdout.buffer.write((b'page 1 1' + bytes([10]) + b'xxx') * 100)",
    ],
)
def test_only_whole_pages_are_taken_from_the_process(
    code: str, hostile: Callable[[str], None]
) -> None:
    hostile(code)
    with pytest.raises(InputError, match="the page is damaged"):
        redrawn_pages(photo("x"), "the page")


def test_the_process_has_no_secrets_and_ends_in_time(
    hostile: Callable[[str], None], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("IOLAI_SECRET", SECRET)
    told = tmp_path / "told"
    tell = f"import os, time; open({str(told)!r}, 'w').write(str(dict(os.environ)))"
    hostile(f"{tell}; time.sleep(99)")
    monkeypatch.setattr(images, "WALL_S", 1.0)
    with pytest.raises(InputError, match="the page takes too long to be drawn"):
        redrawn_pages(photo("x"), "the page")
    assert "PATH" in told.read_text()
    assert SECRET not in told.read_text()


def _limited(code: str) -> subprocess.CompletedProcess[str]:
    """Run code in a process that has set its limits as the one that draws does."""
    begin = f"import runpy; made = runpy.run_path({drawing.__file__!r}); made['limit']()\n"
    return subprocess.run(
        [sys.executable, "-I", "-c", begin + code], capture_output=True, text=True, timeout=60
    )


def test_the_limits_hold(tmp_path: Path) -> None:
    assert "MemoryError" in _limited("bytes(3 << 30)").stderr
    path = tmp_path / "written"
    opened = f"os.open({str(path)!r}, os.O_CREAT | os.O_WRONLY)"
    write = f"import os; os.write({opened}, b'x')"
    assert "File too large" in _limited(write).stderr
    assert path.stat().st_size == 0
    code = "import resource; print(resource.getrlimit(resource.RLIMIT_CPU))"
    assert _limited(code).stdout == "(60, 65)\n"
    eat = "def eat(*_): raise MemoryError\nmade['tell'].__globals__['_image'] = eat\n"
    tell = "import sys; made['tell']('image/png', b'', sys.stdout.buffer)"
    assert _limited(eat + tell).stdout == "fault memory\n"


def test_a_file_that_takes_too_much_time_is_said_so(hostile: Callable[[str], None]) -> None:
    hostile("import resource; resource.setrlimit(resource.RLIMIT_CPU, (1, 2))\nwhile True: pass")
    with pytest.raises(InputError, match="the page takes too long to be drawn"):
        redrawn_pages(photo("x"), "the page")


def test_what_is_not_installed_is_said(hostile: Callable[[str], None]) -> None:
    for library in ("Pillow", "pypdfium2"):
        hostile(f"print('fault missing {library}')")
        with pytest.raises(MissingPartError, match=f"{library} is not installed"):
            redrawn_pages(photo("x"), "the page")
