"""``iolai entry``: the whole life of an entry, as a shell sees it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command_line import run
from iolai import runners
from iolai.errors import MissingPartError
from iolai.runners import Outcome, RunOutcome, RunRequest, local

CONTRACT = {
    "outcome",
    "owner",
    "n_answered",
    "n_tasks",
    "wall_s",
    "cpu_s",
    "peak_mib",
    "mechanism",
    "log_tail",
}
PROBLEM = """# Dogs

kati – house
katin – houses
pelo – dog

## Task 1
type: translation

Translate into English:
1. pelon
2. kati

### Answers
1. dogs
2. house
"""


@pytest.fixture
def entry(tmp_path: Path) -> Path:
    assert run("entry", "new", tmp_path / "entry").code == 0
    return tmp_path / "entry"


@pytest.fixture
def problem(tmp_path: Path) -> Path:
    (tmp_path / "problem.txt").write_text(PROBLEM, encoding="utf-8")
    return tmp_path / "problem.txt"


def answer(entry: Path, code: str) -> None:
    (entry / "script.py").write_text(
        'import sys\nTEST = (sys.argv[1:] or ["/tmp/data/test.csv"])[0]\n' + code, encoding="utf-8"
    )


def test_new_says_where_and_what_next(tmp_path: Path) -> None:
    out = run("entry", "new", tmp_path / "e", "--starter", "induction")
    assert (out.code, out.out) == (0, f"{tmp_path / 'e'}\n")
    assert "iolai entry check" in out.err
    again = run("entry", "new", tmp_path / "e")
    assert again.code == 2
    assert "not empty" in again.err
    unknown = run("entry", "new", tmp_path / "f", "--starter", "llm7")
    assert unknown.code == 2
    assert "baseline" in unknown.err


def test_check_is_quiet_about_a_sound_entry(entry: Path) -> None:
    out = run("entry", "check", entry)
    assert (out.code, out.out) == (0, "Nothing found that would fail.\n")
    assert run("entry", "check", entry, "--json").out == "[]\n"


def test_check_names_file_line_and_what_to_do(entry: Path) -> None:
    answer(entry, "import requests\nopen('submission.csv', 'w')\n")
    out = run("entry", "check", entry)
    assert out.code == 1
    assert "script.py:3: network: requests is imported" in out.out
    assert "There is no network there" in out.out
    assert out.out.endswith("1 finding.\n")
    (finding,) = json.loads(run("entry", "check", entry, "--json").out)
    assert set(finding) == {"kind", "file", "line", "text", "hint"}
    assert (finding["kind"], finding["file"], finding["line"]) == ("network", "script.py", 3)


def test_check_heeds_the_size_limit(entry: Path) -> None:
    out = run("entry", "check", entry, "--max-gib", "0")
    assert out.code == 1
    assert "too-large" in out.out


def test_pack_and_verify(entry: Path, tmp_path: Path) -> None:
    first = run("entry", "pack", entry)
    archive = tmp_path / "entry.tar.gz"
    digest = first.out.split()[0]
    assert (first.code, first.out) == (0, f"{digest}  {archive}\n")
    data = json.loads(run("entry", "pack", entry, "--out", tmp_path / "b.tar.gz", "--json").out)
    assert (data["sha256"], data["n_files"]) == (digest, 3)
    assert len(data["revision"]) == 64
    verified = run("entry", "pack", "--verify", archive)
    assert verified.code == 0
    assert "all 3 files" in verified.out
    assert json.loads(run("entry", "pack", "--verify", archive, "--json").out)["faults"] == []


def test_pack_warns_of_findings_and_packs_all_the_same(entry: Path, tmp_path: Path) -> None:
    answer(entry, "open('submission.csv', 'w')\nopen('gone.txt')\n")
    out = run("entry", "pack", entry)
    assert out.code == 0
    assert "1 thing" in out.err
    assert (tmp_path / "entry.tar.gz").exists()


def test_a_damaged_archive_is_told(entry: Path, tmp_path: Path) -> None:
    archive = tmp_path / "a.tar.gz"
    run("entry", "pack", entry, "--out", archive)
    archive.write_bytes(archive.read_bytes()[:-600])
    out = run("entry", "pack", "--verify", archive)
    assert (out.code, out.out) == (2, "")
    assert "damaged" in out.err
    assert run("entry", "pack", "--verify", tmp_path / "none").code == 2


@pytest.mark.system("bwrap")
def test_a_rehearsal_in_the_sandbox(entry: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept.csv"
    out = run("entry", "run", entry, "--scale", "0.05", "--json", "--out", kept)
    assert out.code == 0, out.err
    data = json.loads(out.out)
    assert set(data) >= CONTRACT | {"score", "exact_match", "chrf", "n_items", "splits", "rates"}
    assert (data["outcome"], data["owner"]) == ("ok", "entry")
    assert data["n_answered"] == data["n_tasks"] == len(data["tasks"]) > 30
    assert data["mechanism"].startswith("bubblewrap, ")
    assert "answered 41 of 41" in data["log_tail"]
    assert data["log_tail"] in out.err
    assert 0 < data["score"] < 0.2
    again = run("score", kept, *_builtin(), "--json")
    assert json.loads(again.out)["score"] == data["score"]
    assert sorted(p.name for p in entry.iterdir()) == ["README.md", "environment.lock", "script.py"]


def _builtin() -> list[Path]:
    from iolai.formats import builtin_path

    return [builtin_path()]


@pytest.mark.system("bwrap")
def test_the_starting_point_with_a_solver_runs_in_the_sandbox(
    tmp_path: Path, problem: Path
) -> None:
    run("entry", "new", tmp_path / "e", "--starter", "induction")
    out = run("entry", "run", tmp_path / "e", "--problems", problem, "--time-limit", "60", "--json")
    data = json.loads(out.out)
    assert out.code == 0, out.err
    assert data["mechanism"].startswith("bubblewrap, ")
    assert data["n_answered"] == 1


def test_an_interpreter_that_the_sandbox_cannot_use_is_said(
    entry: Path, problem: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def usable(python: Path | None) -> Path:
        if python is not None:
            raise MissingPartError("the uid may not read it", hint="Run: chmod o+rx /place")
        return Path("/usr/bin/python3")

    monkeypatch.setattr(runners, "usable_python", usable)
    monkeypatch.setattr(local.LocalRunner, "run", lambda *_: RunOutcome(Outcome.NO_OUTPUT))
    out = run("entry", "run", entry, "--problems", problem)
    assert out.code == 1
    assert "warning: the uid may not read it. /usr/bin/python3 is taken instead, without" in out.err
    assert "Run: chmod o+rx /place" in out.err


@pytest.mark.system("bwrap")
def test_the_limits_can_be_set(entry: Path, problem: Path) -> None:
    answer(
        entry,
        "import time\nopen('submission.csv', 'w').write('id,pred\\n')\n"
        "print(__import__('os').environ['IOLAI_WALL_S'])\ntime.sleep(60)\n",
    )
    out = run("entry", "run", entry, "--problems", problem, "--time-limit", "1.5", "--json")
    data = json.loads(out.out)
    assert (out.code, data["outcome"], data["log_tail"]) == (1, "timed_out", "1.5\n")
    answer(entry, "x = bytearray(400 << 20)\nx[::4096] = b'1' * len(x[::4096])\n")
    out = run("entry", "run", entry, "--problems", problem, "--memory", "150", "--json")
    assert json.loads(out.out)["outcome"] == "out_of_memory"


def test_a_trusted_run_says_what_it_is_and_shows_each_slot(entry: Path, problem: Path) -> None:
    answer(
        entry,
        "import csv\nids = [r['id'] for r in csv.DictReader(open(sys.argv[1], newline=''))]\n"
        "open('submission.csv', 'w').write('id,pred\\n' + ids[0] + ',\"1. dogs\\n2. x\"\\n')\n",
    )
    out = run("entry", "run", entry, "--problems", problem, "--trusted", "--all")
    assert out.code == 0, out.err
    assert "without a sandbox" in out.err
    assert "expected 2, read 2" in out.out
    assert "dogs" in out.out
    assert "ok: 1 of 1 tasks answered" in out.out
    data = json.loads(run("entry", "run", entry, "--problems", problem, "--trusted", "--json").out)
    assert data["exact_match"] == 0.5
    assert data["tasks"][0]["slots"][0]["text"] == "dogs"


def test_a_key_of_its_own_can_be_named(entry: Path, problem: Path, tmp_path: Path) -> None:
    from iolai.formats import read_key, read_problems, write_solution_csv, write_test_csv

    write_test_csv(tmp_path / "test.csv", read_problems(problem))
    write_solution_csv(tmp_path / "solution.csv", read_key(problem))
    words = ("entry", "run", entry, "--problems", tmp_path / "test.csv", "--trusted", "--json")
    assert "score" not in json.loads(run(*words).out)
    assert "score" in json.loads(run(*words, "--key", tmp_path / "solution.csv").out)


def test_an_entry_that_fails_gives_exit_code_1(entry: Path, problem: Path) -> None:
    answer(entry, "print('so far', file=sys.stderr)\nraise ValueError('broken')\n")
    out = run("entry", "run", entry, "--problems", problem, "--trusted")
    assert out.code == 1
    assert "crashed: script.py ended with exit code 1" in out.out
    assert "ValueError: broken" in out.err


def test_an_entry_that_stopped_before_its_end_says_so_below(entry: Path, problem: Path) -> None:
    answer(
        entry,
        "import csv\nids = [r['id'] for r in csv.DictReader(open(sys.argv[1], newline=''))]\n"
        "open('submission.csv', 'w').write('id,pred\\n' + ids[0] + ',\"1. dogs\\n2. x\"\\n')\n"
        "print('STOPPED, no weights; problems: 1 placeholders')\n",
    )
    out = run("entry", "run", entry, "--problems", problem, "--trusted")
    assert out.code == 1
    assert "ok: 1 of 1 tasks answered" in out.out
    assert "submission.csv is a partial one: STOPPED, no weights; problems: 1 pl" in out.out
    data = json.loads(run("entry", "run", entry, "--problems", problem, "--trusted", "--json").out)
    assert data["partial"].startswith("STOPPED, no weights")


def test_where_nothing_can_be_isolated_nothing_runs(
    entry: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: object, request: RunRequest, on_log: object = None) -> None:
        raise MissingPartError("no namespaces here", hint="Run: sudo sysctl -w x=0")

    monkeypatch.setattr(local.LocalRunner, "run", refuse)
    out = run("entry", "run", entry)
    assert (out.code, out.out) == (2, "")
    assert "no namespaces here" in out.err
    for part in ("sysctl -w x=0", "iolai doctor", "--trusted"):
        assert part in out.err


@pytest.mark.parametrize("words", [("run",), ("check",), ("pack",)])
def test_what_is_no_entry_is_one_clear_message(tmp_path: Path, words: tuple[str, ...]) -> None:
    out = run("entry", *words, tmp_path / "nothing")
    assert (out.code, out.out) == (2, "")
    assert "error: there is no folder" in out.err
    assert "hint: " in out.err
