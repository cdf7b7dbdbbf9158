"""Probes' accuracy and web presence: planted knowledge and counts are found; files are read."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from iolai.errors import FormatError, InputError
from iolai.records import Condition, ItemScore, Outcome
from iolai.study.material import Material
from iolai.study.presence import presence_tables, read_presence
from iolai.study.probe_accuracy import probe_tables
from planted import PLAIN

LANGUAGES = tuple(f"l{letter}{letter}" for letter in "abcdefghij")


def outcome(model: str, language: str, em: float, kind: str = "task", n: int = 0) -> Outcome:
    chance = 0.25 if kind == "probe" else 0.0
    return Outcome(
        model,
        Condition("probe") if kind == "probe" else PLAIN,
        0,
        f"p-{language}",
        f"{kind}-{language}-{n}",
        (ItemScore("x", em, em),),
        kind=kind,
        task_type="word" if kind == "probe" else "translation",
        language=language,
        chance=chance,
    )


def planted_knowledge() -> Material:
    """One model knows the languages that it solves; one guesses."""
    generator = np.random.default_rng(0)
    outcomes = []
    for place, language in enumerate(LANGUAGES):
        known = place / 9
        for n in range(8):
            hit = float(n < round(8 * known))
            guess = float(generator.random() < 0.25)
            outcomes.append(outcome("knower", language, hit, "probe", n))
            outcomes.append(outcome("guesser", language, guess, "probe", n))
        outcomes.append(outcome("knower", language, known))
        outcomes.append(outcome("guesser", language, float(generator.random())))
    presence = {(language, "pages"): 10.0**n for n, language in enumerate(LANGUAGES)}
    return Material(tuple(outcomes), presence=presence, n_resamples=500)


def test_knowledge_is_told_from_guessing() -> None:
    models, languages, correlations = probe_tables(planted_knowledge())
    knower, guesser = models.row("knower"), models.row("guesser")
    assert knower["accuracy"].value == pytest.approx(0.5)
    assert knower["accuracy"].n == 10
    assert knower["chance"].value == 0.25
    assert knower["above"].value == pytest.approx(0.25)
    for name, low, high in (("knower", 0.0, 0.2), ("guesser", 0.2, 1.0)):
        p = models.row(name)["p"].value
        assert isinstance(p, float)
        assert low <= p <= high
    assert guesser["accuracy"].value == pytest.approx(0.25, abs=0.1)
    assert knower["word"].value == pytest.approx(0.5)
    assert languages.row("laa")["knower"].value == 0
    assert languages.row("ljj")["knower"].value == 1
    known = correlations.row("knower")["correlation"]
    assert isinstance(known.value, float)
    assert known.value > 0.95
    assert known.n == 10
    assert correlations.row("across models")["correlation"].reason == "fewer than 4 pairs"


def test_presence_is_joined_by_code_and_correlated() -> None:
    table, correlations = presence_tables(planted_knowledge())
    assert table.row("lcc")["pages"].value == 100
    assert table.row("lcc")["knower"].value == pytest.approx(2 / 9)
    row = correlations.row("knower")
    assert row["correlation"].value == pytest.approx(1)
    assert not any(cell.synthetic for cell in table.column("pages"))
    made_up = presence_tables(replace(planted_knowledge(), presence_synthetic=True))
    assert all(cell.synthetic for cell in made_up[0].column("pages"))
    assert all(cell.synthetic for cell in made_up[1].column("correlation"))
    other = presence_tables(Material(planted_knowledge().outcomes, presence={("xxx", "p"): 1.0}))
    assert other[0].row("laa")["p"].reason == "not in the counts supplied"


def test_invented_languages_are_left_out() -> None:
    material = Material((outcome("m", "art", 1.0),), presence={("swh", "pages"): 1.0})
    assert presence_tables(material)[0].reason == "no problem is on a language with a code"


def test_counts_are_read_from_a_table(tmp_path: Path) -> None:
    path = tmp_path / "counts.csv"
    path.write_text("iso639_3,articles,bible\nswh,90 000,1\nces,500000,\n", encoding="utf-8")
    assert read_presence(path) == {
        ("swh", "articles"): 90000,
        ("swh", "bible"): 1,
        ("ces", "articles"): 500000,
    }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name,articles\nx,1\n", "no column holds"),
        ("code,articles\nswh,many\n", "line 2, column articles: 'many' is no count"),
        ("code,articles\nswh,-1\n", "is no count"),
    ],
)
def test_what_is_no_table_of_counts_is_named(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "counts.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match=said):
        read_presence(path)


def test_a_cldf_folder_is_counted_by_language(tmp_path: Path) -> None:
    (tmp_path / "languages.csv").write_text(
        "ID,Name,ISO639P3code,Latitude,Medium_Count\nswah1253,Swahili,swh,-8,12\nx1,No code,,1,3\n",
        encoding="utf-8",
    )
    (tmp_path / "values.csv").write_text(
        "ID,Language_ID,Parameter_ID,Value\n1,swah1253,a,y\n2,swah1253,b,n\n3,x1,a,y\n",
        encoding="utf-8",
    )
    assert read_presence(tmp_path) == {("swh", "Medium_Count"): 12, ("swh", "values"): 2}
    (tmp_path / "languages.csv").write_text("ID,Name\nx,y\n", encoding="utf-8")
    with pytest.raises(FormatError, match="ISO 639-3"):
        read_presence(tmp_path)
    (tmp_path / "languages.csv").unlink()
    with pytest.raises(InputError, match=r"no languages\.csv"):
        read_presence(tmp_path)


def test_a_language_that_stands_twice_is_named(tmp_path: Path) -> None:
    path = tmp_path / "presence.csv"
    path.write_text("iso639_3,pages\nswh,1\nhun,2\nswh,3\n", encoding="utf-8")
    with pytest.raises(FormatError, match=r"line 4.*'swh' has a count of this resource already"):
        read_presence(path)
