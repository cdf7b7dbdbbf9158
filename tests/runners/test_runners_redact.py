"""The log's tail: the test set's and the key's texts are gone, the rest can be read."""

from __future__ import annotations

import json
import unicodedata

import pytest
from runners_harness import CONTEXT, TEST_CSV

from iolai.runners.logs import LOG_TAIL_BYTES, LogKeeper
from iolai.runners.redact import BLOT, Redactor, plain_text, texts_of_test_set

SECRETS = [*texts_of_test_set(TEST_CSV), "solkati", "ok", "ñandú ʻolelo"]
REDACTOR = Redactor(SECRETS)


@pytest.mark.parametrize(
    "text",
    [
        CONTEXT,
        CONTEXT[5:40],
        repr(CONTEXT),
        json.dumps({"context": CONTEXT}),
        json.dumps("ñandú ʻolelo"),
        CONTEXT.replace(" ", "\n"),
        CONTEXT.upper(),
        CONTEXT.title(),
        "SOLKATI",
        "Ñandú ʻOlelo",
        unicodedata.normalize("NFD", "ñandú ʻolelo"),
        unicodedata.normalize("NFD", f"Ú {CONTEXT} Ú").upper(),
        "Translate: 1. mirosel",
        "the answer is solkati.",
        "['solkati']",
    ],
)
def test_secrets_are_blotted_out(text: str) -> None:
    redacted = REDACTOR.redact(f"before {text} after")
    assert BLOT in redacted
    assert redacted.startswith("befo")
    assert redacted.endswith("ter")
    for word in ("kumari", "sarita", "mirosel", "solkati", "olelo", "language that"):
        assert word not in redacted.lower()


@pytest.mark.parametrize(
    "text",
    [
        "step 12 of 40: loss 0.31",
        "ok",
        "solkatima",
        "translation single 12099010100 English",
        "Traceback (most recent call last):",
    ],
)
def test_the_rest_is_left_alone(text: str) -> None:
    assert REDACTOR.redact(text) == text


def test_nothing_secret() -> None:
    assert Redactor(()).redact(CONTEXT) == CONTEXT
    assert Redactor(["", "a"]).redact("a b") == "a b"


def test_escape_sequences_and_control_characters_go() -> None:
    data = (
        b"\x1b]0;title\x07\x1b[1;31mred\x1b[0m \x9b not utf-8 \x1b(B\x1bM a\x08\x00b\x7f\r\n"
        b"1%\r2%\r\xe2\x80\xaeright\xe2\x81\xa6 \x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\ "
        b"\x1bPq...\x1b\\tab\tend\x1b"
    )
    assert plain_text(data) == "red \ufffd not utf-8  ab\n1%\n2%\nright link tab\tend"


def test_an_unfinished_escape_string_hides_no_later_line_for_long() -> None:
    assert plain_text(b"\x1b]0;never ended\x1b[31m\nnext") == "\nnext"


def test_a_log_is_passed_on_by_whole_lines() -> None:
    pieces: list[str] = []
    log = LogKeeper(REDACTOR, 1 << 20, pieces.append)
    for data in (b"a sol", b"kati b\nsecond", b" line\rthird\n", b"no end"):
        log.feed(data)
    log.finish()
    assert pieces == [f"a {BLOT * 3} b\n", "second line\nthird\n", "no end"]
    assert log.tail == "".join(pieces)


def test_a_secret_that_is_printed_a_word_a_line() -> None:
    """What went out before a secret could be told stays; from then on nothing more of it does."""
    pieces: list[str] = []
    log = LogKeeper(REDACTOR, 1 << 20, pieces.append)
    for word in CONTEXT.split():
        log.feed(f"{word}\n".encode())
    log.feed(b"the end\n")
    assert "".join(pieces).startswith("Here\nare\nsome\n")
    assert not any(word in "".join(pieces) for word in ("language", "kumari", "pinewo", "sarita"))
    assert pieces[-1] == "the end\n"


def test_a_log_without_line_ends_is_passed_on_too() -> None:
    pieces: list[str] = []
    log = LogKeeper(Redactor(()), 1 << 20, pieces.append)
    log.feed(b"x" * 9000)
    assert "".join(pieces) == "x" * 9000


def test_a_log_past_its_limit_is_cut_and_its_end_kept() -> None:
    pieces: list[str] = []
    log = LogKeeper(Redactor(()), 1 << 20, pieces.append)
    for number in range(40_000):
        log.feed(f"line {number} {'x' * 90}\n".encode())
    assert log.is_full
    passed_on = "".join(pieces)
    assert 1 << 20 <= len(passed_on) < (1 << 20) + 1000
    assert "past 1 MiB" in pieces[-1]
    assert log.tail.startswith("[...]\nline ")
    assert log.tail.endswith(f"line 39999 {'x' * 90}\n")
    assert len(log.tail) <= LOG_TAIL_BYTES + 10
