"""``iolai jury`` on a service: the demo, and the commands of a marking."""

from __future__ import annotations

import json
import stat
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from command_line import run
from iolai.challenge.jury import desk
from iolai.challenge.jury.desk import NewMark
from iolai.challenge.service import Actor, Service, open_service
from iolai.cli import jury_demo
from iolai.cli.jury_demo import JURORS, SLUG
from iolai.records import MarkKind, Role
from iolai.store.accounts import find_account_named
from jury_for_tests import new_id
from site_for_tests import hash_quickly


@pytest.fixture(scope="module", autouse=True)
def quick_hashing() -> Iterator[None]:
    patch = hash_quickly()
    yield
    patch.undo()


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A demo of one problem, all of whose papers are marked and handed over, alike."""
    out = tmp_path_factory.mktemp("demo") / "out"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jury_demo, "_SOLVING_SECONDS", 2.0)
        made = run("jury", "demo", "--out", out, "--problems", "1", "--json")
    assert made.code == 0, made.err
    told = json.loads(made.out)
    assert told["n_papers"] == 6
    assert set(told["passwords"]) == {*JURORS, "organiser"}
    home = Path(told["home"])
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    return home


def test_the_demo_is_not_made_twice(demo: Path) -> None:
    again = run("jury", "demo", "--out", demo.parent, "--problems", "1")
    assert again.code == 2
    assert "is there already" in again.err


def test_progress_is_told_in_counts(demo: Path) -> None:
    shown = json.loads(run("jury", "progress", SLUG, "--home", demo, "--json").out)
    assert shown["state"] == "marking"
    (problem,) = shown["problems"]
    assert (problem["n_papers"], problem["n_marks"], problem["n_wanted"]) == (6, 0, 84)
    assert [one["n_papers"] for one in shown["jurors"]] == [3, 3, 3, 3]
    assert "juror-1" in run("jury", "progress", SLUG, "--home", demo).out


@pytest.mark.system("pango")
def test_packets_are_written(demo: Path, tmp_path: Path) -> None:
    done = run("jury", "packets", SLUG, "--home", demo, "--out", tmp_path)
    assert done.code == 0, done.err
    assert (tmp_path / "1000101.pdf").read_bytes().startswith(b"%PDF-")


def test_what_was_begun_is_refused_in_words(demo: Path, tmp_path: Path) -> None:
    (tmp_path / "late").mkdir()
    (tmp_path / "late" / "1000101.txt").write_text("late", encoding="utf-8")
    home = ("--home", demo)
    for words in (
        ("begin", SLUG, "--reason", "again", *home),
        ("select", SLUG, "--reason", "again", *home),
        ("people", SLUG, tmp_path, *home),
    ):
        refused = run("jury", *words)
        assert (refused.code, "marking has begun" in refused.err) == (2, True), refused.err
    sealed = run("jury", "unseal", SLUG, "--reason", "now", *home)
    assert "6 of 6 papers are not settled" in sealed.err
    exported = run("jury", "export", SLUG, "--out", tmp_path / "x.zip", *home)
    assert exported.code == 2
    assert not (tmp_path / "x.zip").exists()


def _mark_all(service: Service) -> None:
    for name in JURORS:
        with service.store.read() as connection:
            account = find_account_named(connection, name)
        assert account is not None
        actor = Actor(account.id, account.name, Role.JUROR)
        for line in desk.queue(service, actor, SLUG):
            paper = desk.open_desk(service, actor, SLUG, line.number)
            marks = [
                NewMark(new_id(), one.id, one.points, "", paper.rubric.version)
                for one in paper.rubric.criteria
            ]
            last = NewMark(new_id(), "", None, "", paper.rubric.version, MarkKind.HANDED_OVER)
            assert all(
                one.kept for one in desk.save(service, actor, SLUG, line.number, [*marks, last])
            )
            assert paper.rubric.criteria[0].accept[0].startswith("1. ")


def test_to_the_end(demo: Path, tmp_path: Path) -> None:
    service = open_service(demo)
    _mark_all(service)
    service.close()
    done = run("jury", "unseal", SLUG, "--reason", "all is settled", "--home", demo)
    assert done.code == 0, done.err
    out = tmp_path / "jury.zip"
    assert run("jury", "export", SLUG, "--out", out, "--home", demo).code == 0
    with zipfile.ZipFile(out) as archive:
        result = json.loads(archive.read("result.json"))
        assert "Made by rule" not in archive.read("marks.csv").decode()
    assert {one["total"] for one in result["contestants"]} == {20.0}
    assert result["thresholds"]["silver"] == pytest.approx(58.4 / 5)


def test_rubrics_people_and_groups_are_set_by_commands(tmp_path: Path, demo: Path) -> None:
    """A challenge of its own from the demo's files: everything up to the beginning."""
    home = ("--home", tmp_path / "home")
    challenge = demo.parent / "challenge" / "challenge.toml"
    assert run("challenge", "create", challenge, *home).code == 0
    (tmp_path / "password").write_text("correct horse battery\n", encoding="utf-8")
    for name in ("juror-1", "juror-2", "juror-3"):
        made = run(
            *("admin", "add", name, "--role", "juror"),
            *("--password-file", tmp_path / "password", *home),
        )
        assert made.code == 0, made.err
    from iolai.formats import builtin_path

    (source,) = builtin_path().glob("01*")
    (tmp_path / "papers" / "person-1").mkdir(parents=True)
    (tmp_path / "papers" / "person-1" / "1000101.txt").write_text("1. kůň", encoding="utf-8")
    reason = ("--reason", "agreed on")
    for words in (
        ("set-rubrics", SLUG, source / "rubric.toml"),
        ("select", SLUG, "--top", "1", *reason),
        ("people", SLUG, tmp_path / "papers"),
        ("group", SLUG, "juror-1", "juror-2", "juror-3"),
        ("begin", SLUG, "--seed", "3", *reason),
    ):
        done = run("jury", *words, *home)
        assert done.code == 0, (words, done.err)
    assert "2 papers of 2 contestants, seed 3" in done.err
