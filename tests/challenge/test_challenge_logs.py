"""What is logged is structured, and tells nothing that was worked on."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator

import pytest

from iolai.challenge.logs import configure_logs, described, get_log
from iolai.errors import InputError

REFERENCE = "kumari"


@pytest.fixture(autouse=True)
def _loggers_as_before() -> Iterator[None]:
    root, ours = logging.getLogger(), logging.getLogger("iolai")
    before = root.handlers[:], root.level, ours.level
    yield
    root.handlers[:], root.level, ours.level = before


def fault() -> Exception:
    def score(reference: str) -> None:
        raise KeyError(reference)

    try:
        score(REFERENCE)
    except KeyError as error:
        return error
    raise AssertionError


def test_of_an_unforeseen_error_only_the_places_are_told() -> None:
    text = described(fault())
    assert text.startswith("KeyError at test_challenge_logs.py:")
    assert " score < " in text
    assert REFERENCE not in text


def test_an_error_of_ours_is_told_whole() -> None:
    assert described(InputError("no disk", hint="Buy one.")) == "InputError: no disk"
    assert described(OSError(28, "No space left")) == "OSError: [Errno 28] No space left"


@pytest.mark.parametrize("as_json", [True, False])
def test_a_line_says_what_when_and_where(as_json: bool, capsys: pytest.CaptureFixture[str]) -> None:
    configure_logs(as_json=as_json)
    get_log("worker").warning("step failed", run="abc")
    get_log("worker").debug("too much")
    logging.getLogger("other.package").warning("its own %s", "words")
    logging.getLogger("other.package").info("chatter")
    captured = capsys.readouterr()
    assert not captured.out
    lines = captured.err.splitlines()
    assert len(lines) == 2
    if as_json:
        first, second = map(json.loads, lines)
        assert (first["event"], first["run"], first["level"]) == ("step failed", "abc", "warning")
        assert first["logger"] == "iolai.worker"
        assert first["timestamp"].endswith("Z")
        assert second["event"] == "its own words"
    else:
        assert "step failed" in lines[0]
        assert "run=abc" in lines[0]


@pytest.mark.parametrize("as_json", [True, False])
def test_a_traceback_shows_no_local_variables(
    as_json: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    configure_logs(as_json=as_json)
    reference = REFERENCE
    try:
        _ = {}[len(reference)]
    except KeyError:
        get_log("worker").warning("it broke", exc_info=True)
    text = capsys.readouterr().err
    assert "KeyError" in text
    assert REFERENCE not in text
