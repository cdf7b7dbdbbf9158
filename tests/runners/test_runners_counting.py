"""The live count of answers: it sees what is new, and never takes long."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from iolai.runners import counting
from iolai.runners.collect import Collected
from iolai.runners.counting import AnswerCounter


def test_it_tells_each_change_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "_PAUSE_S", 0.0)
    monkeypatch.setattr(counting, "_PAUSE_FACTOR", 0.0)
    seen: list[int] = []
    handle = os.open(tmp_path, os.O_RDONLY)
    counter = AnswerCounter(seen.append, handle, ("1", "2"), 16 << 20)
    output = tmp_path / "submission.csv"
    for text in ("", "id,pred\n", "id,pred\n1,x\n", "id,pred\n1,x\n2,y\n", "id,pred\n1,x\n2,y\n"):
        output.write_text(text, encoding="utf-8")
        counter.look()
    os.truncate(output, 3 << 20)
    counter.look()
    os.close(handle)
    assert seen == [1, 2, 0]


def test_a_look_that_took_long_is_not_repeated_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """The thread that counts is the one that watches the limits."""
    looks: list[float] = []

    def slow(*_: object, **__: object) -> Collected:
        looks.append(time.monotonic())
        time.sleep(0.05)
        return Collected()

    monkeypatch.setattr(counting, "collect_output", slow)
    monkeypatch.setattr(counting, "_PAUSE_S", 0.0)
    counter = AnswerCounter(lambda _: None, -1, (), 1)
    end = time.monotonic() + 0.5
    while time.monotonic() < end:
        counter.look()
    assert len(looks) == 1
