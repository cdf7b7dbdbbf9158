"""Any bytes give a document or one of iolai's errors, and nothing else; what is read writes."""

from __future__ import annotations

import io
import random
import tempfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from formats_strategies import NASTY

from iolai import formats
from iolai.errors import IolaiError
from iolai.formats import Document

_SHEET = (
    "# Title\nid: 1000001\nlanguage: Vesh [x]\ntask_lang: a, b\n\nta = 1\n\\# x\n\n"
    "## Task 1\nid: 10000010100\ntype: translation\npoints: 2\nsplit: public\n\n1. q\n\n"
    "### Context\nown\n\n### Answers\n1. a | b\n2. \\e\n\n### Explanation\nwhy\n"
)
_RUBRIC = (
    'problem = "1"\ntitle = "T"\nversion = 1\n\n[[criterion]]\nid = "a"\nkind = "task"\n'
    'task = "1"\npoints = 4\nsteps = [ { points = 4, when = "all" } ]\nnotes = """\nx\ny"""\n'
)
_TEXTS = [
    "id,context,query,work_lang,task_lang,task_type,eval_type\r\n"
    "12026010100,\"c\nd\",q,eng_Latn,\"['a', 'b']\",translation,multi\r\n1,c,q,,[],,\r\n",
    "id,answer,split,points,task_type,eval_type\n"
    '1,"[""a"", [""b"", ""c""], 5]",public,1.5,translation,multi\n2,"[""\\ud800""]",,0,,\n',
    'id,pred,explanation\n1,"[""a""]",why\n2,"1. x\n2. y",\n',
    '{"id": "1", "context": "c", "query": "q", "answer": ["a", ["b"]], "task_lang": ["x"], '
    '"points": 2, "split": "public"}\n{"id": "2", "context": "c", "query": "q", "answer": [1]}\n',
    '[\n {"id": "1", "pred": "[\\"a\\"]", "explanation": "e"},\n {"id": "1", "pred": "b"}\n]\n',
    _SHEET,
    _SHEET.replace("\n", "\r\n"),
    _RUBRIC,
]


def _zipped(text: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a", text)
    return buffer.getvalue()


BASES = [text.encode() for text in _TEXTS] + [_zipped(_TEXTS[0]), _zipped(_SHEET)]
_BITS = [mark.encode() for mark in NASTY] + [
    *(b"\0", b"\xff\xfe", b"\xed\xa0\x80", b"\\ud83d", b"nan", b"1e999", b"-1", b"[[[[", b"{{{{"),
    *(b"9" * 5000, b"[" * 2000, b"\n\n", b"id,pred\n", b"[[criterion]]\n", b"\\", b"PK\x03\x04"),
]


def _changed(data: bytes, source: random.Random) -> bytes:
    """Change a file a little: drop, double, replace, insert or move some of its bytes."""
    for _ in range(source.choice([1, 1, 1, 2, 4])):
        start = source.randrange(len(data) + 1)
        end = min(len(data), start + source.choice([0, 1, 1, 2, 5, 30, 1000]))
        middle = source.choice(
            [b"", data[start:end] * 2, source.choice(_BITS), source.randbytes(3), data[:start]]
        )
        data = data[:start] + middle + data[end:]
        if source.random() < 0.05:
            data = data[: source.randrange(len(data) + 1)]
    return data[: 1 << 20]


def _write_again(document: Document) -> None:
    """What was read is valid, so writing it must work and give it back."""
    if document.predictions is not None:
        written = formats.render_submission_csv(document.predictions)
        assert formats.parse_document(written).predictions == document.predictions
    if document.key is not None:
        formats.render_solution_csv(document.key)
    if document.problems is not None:
        sheet = formats.render_plain_text(document.problems, document.key)
        again = formats.parse_document(sheet)
        assert again.problems is not None
        assert [task.id.strip() for task in document.problems.tasks] == [
            task.id.strip() for task in again.problems.tasks
        ]
    for rubric in document.rubrics:
        assert formats.parse_document(formats.render_rubric(rubric)).rubrics == (rubric,)


def _reads(path: Path) -> bool:
    """Say whether a file gives a document; anything but that and an IolaiError comes through."""
    try:
        document = formats.read_document(path, password="x")  # noqa: S106 -- no secret
    except IolaiError as error:
        if not (error.message and error.hint):
            raise AssertionError("an error needs a message and a hint") from error
        return False
    _write_again(document)
    return True


def _fuzz(make: Callable[[random.Random], bytes], seeds: range) -> int:
    n_read = 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "given"
        for seed in seeds:
            path.write_bytes(make(random.Random(seed)))  # noqa: S311 -- not for secrets
            started = time.process_time()
            try:
                n_read += _reads(path)
            except Exception as error:
                error.add_note(f"seed {seed}")
                raise
            assert time.process_time() - started < 10, seed
    return n_read


def _mutation(source: random.Random) -> bytes:
    return _changed(source.choice(BASES), source)


def _noise(source: random.Random) -> bytes:
    head = source.choice([b"", b"PK\x03\x04", b"id,pred\n", b"[", b"{", b"# T\n", b"problem = "])
    return head + source.randbytes(source.randrange(1, 300))


def test_every_base_is_valid() -> None:
    assert _fuzz(lambda source: BASES[source.randrange(len(BASES))], range(40)) == 40


def test_changed_files() -> None:
    # Enough of them stay valid for the writing to be tried too.
    assert _fuzz(_mutation, range(1500)) > 150


def test_noise() -> None:
    _fuzz(_noise, range(500))


@pytest.mark.slow
def test_many_changed_files() -> None:
    _fuzz(_mutation, range(10_000, 40_000))


@pytest.mark.slow
def test_much_noise() -> None:
    _fuzz(_noise, range(10_000, 30_000))
