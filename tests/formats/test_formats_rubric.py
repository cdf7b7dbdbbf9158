"""rubric.toml: what is read, what is refused, how it is written."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from iolai import formats
from iolai.errors import FormatError, InputError
from iolai.formats.rubric_toml import parse_rubric
from iolai.records import Criterion, Rubric, Step

HEAD = 'problem = "1000107"\ntitle = "T"\nversion = 2\n\n'
TASK = '[[criterion]]\nid = "a"\nkind = "task"\ntask = "10001070100"\npoints = 4\n'
THEORY = '[[criterion]]\nid = "b"\nkind = "theory"\npoints = 1.5\n'


def test_a_rubric_in_full(tmp_path: Path) -> None:
    path = tmp_path / "given"
    path.write_text(
        "# A comment\n"
        + HEAD
        + TASK
        + 'steps = [ { points = 4, when = "all" }, { points = 2, when = "most" } ]\n'
        + THEORY
        + 'notes = "n"\n'
    )
    rubric = formats.read_rubric(path)
    assert rubric == Rubric(
        "1000107",
        (
            Criterion("a", "1000107", "task", 4, (Step(4, "all"), Step(2, "most")), "10001070100"),
            Criterion("b", "1000107", "theory", 1.5, notes="n"),
        ),
        "T",
        2,
    )
    assert rubric.points == 5.5


def test_title_and_version_may_be_absent() -> None:
    rubric = parse_rubric('problem = "1"\n' + THEORY)
    assert (rubric.title, rubric.version) == ("", 1)


@pytest.mark.parametrize(
    ("text", "row", "column", "word"),
    [
        (HEAD + THEORY + "points = 2\n", 9, None, "not TOML"),
        (HEAD + THEORY + 'notes = "n\n', 9, None, "not TOML"),
        (HEAD + THEORY + f"x = {'1' * 5000}\n", None, None, "not TOML"),
        (HEAD, None, None, "lacks criterion"),
        (THEORY, None, None, "lacks problem"),
        ("problem = 1\n" + THEORY, None, "problem", "text"),
        (HEAD.replace("2", "0") + THEORY, None, "version", "whole number"),
        (HEAD.replace("= 2", "= true") + THEORY, None, "version", "whole number"),
        (HEAD.replace("= 2", "= 1.5") + THEORY, None, "version", "whole number"),
        (HEAD + "criterion = 3\n", None, "criterion", "list"),
        (HEAD + "criterion = []\n", None, None, "no criterion"),
        (HEAD + "criterion = [1]\n", None, None, "TOML table"),
        ("titel = 'x'\n" + HEAD + THEORY, None, "titel", "'title'"),
        (HEAD + THEORY + 'note = "n"\n', 5, "note", "'notes'"),
        (HEAD + TASK + THEORY.replace("theory", "theorie"), 10, "kind", "'theory'"),
        (HEAD + THEORY.replace('"b"', '" "'), 5, "id", "blank"),
        (HEAD + TASK.replace('task = "10001070100"\n', ""), 5, "task", "kind"),
        (HEAD + THEORY.replace("1.5", "0"), 5, "points", "above 0"),
        (HEAD + THEORY.replace("1.5", "-1"), 5, "points", "above 0"),
        (HEAD + THEORY.replace("1.5", "nan"), 5, "points", "number"),
        (HEAD + THEORY.replace("1.5", "inf"), 5, "points", "number"),
        (HEAD + THEORY.replace("1.5", '"1"'), 5, "points", "number"),
        (HEAD + THEORY.replace("1.5", "true"), 5, "points", "number"),
        (HEAD + THEORY + THEORY, 9, "id", "line 5"),
        (HEAD + THEORY + "steps = 3\n", 5, "steps", "list"),
        (HEAD + THEORY + "steps = [3]\n", 5, "steps", "TOML table"),
        (HEAD + THEORY + "steps = [{ points = 1 }]\n", 5, "steps", "when"),
        (HEAD + THEORY + 'steps = [{ points = 2, when = "x" }]\n', 5, "steps", "fall"),
        (HEAD + THEORY + 'steps = [{ points = 0, when = "x" }]\n', 5, "points", "above 0"),
        (
            HEAD + THEORY + 'steps = [{points = 1, when = "x"}, {points = 1, when = "y"}]\n',
            5,
            "steps",
            "fall",
        ),
        (HEAD + THEORY + 'steps = [{ points = 1, when = "x", whem = "" }]\n', 5, "whem", "'when'"),
        (HEAD + f"x = {'[' * 5000}", None, None, "nests"),
        (HEAD + "#" * (1 << 20), None, None, "Mi characters"),
    ],
)
def test_errors_have_their_place(text: str, row: int | None, column: str | None, word: str) -> None:
    with pytest.raises(FormatError) as caught:
        parse_rubric(text)
    assert word in caught.value.message + caught.value.hint
    if "not TOML" in caught.value.message:
        assert caught.value.place.row is not None
        assert row is None or caught.value.place.row == row
    else:
        assert (caught.value.place.row, caught.value.place.column) == (row, column)


def test_steps_may_stop_short_of_the_criterions_points() -> None:
    rubric = parse_rubric(HEAD + THEORY + 'steps = [{ points = 1, when = "x" }]\n')
    assert rubric.criteria[0].steps == (Step(1, "x"),)


def test_notes_over_several_lines_are_written_so() -> None:
    notes = 'first "line"\n\n  """ \\ third\t\r"'
    rubric = Rubric("1", (Criterion("a", "1", "theory", 2, notes=notes),))
    written = formats.render_rubric(rubric)
    assert '\nnotes = """\nfirst "line"\n\n  ' in written
    assert tomllib.loads(written)["criterion"][0]["notes"] == notes


def test_what_is_accepted_comes_back() -> None:
    accept = ("five times", 'a "quoted" one\n\\')
    rubric = Rubric("1", (Criterion("a", "1", "theory", 2, accept=accept, notes="n"),))
    assert parse_rubric(formats.render_rubric(rubric)) == rubric
    for bad in ('accept = ["a", 3]', 'accept = [" "]', 'accept = "a"'):
        with pytest.raises(FormatError) as caught:
            parse_rubric(HEAD + THEORY + bad + "\n")
        assert (caught.value.place.row, caught.value.place.column) == (5, "accept")


def test_asking_other_files_for_a_rubric(tmp_path: Path) -> None:
    (tmp_path / "p").write_text("id,pred\n1,a\n")
    with pytest.raises(InputError, match="no rubric") as caught:
        formats.read_rubric(tmp_path / "p")
    assert "it has predictions" in caught.value.hint
