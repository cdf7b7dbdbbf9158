"""``entry new``: every starting point is sound, readable, and runs without iolai."""

from __future__ import annotations

import ast
import csv
import errno
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import iolai
from iolai.entry import DEFAULT_STARTER, STARTERS, check_entry, new_entry
from iolai.entry.vendoring import vendor, vendored_modules
from iolai.errors import InputError, OutputError, UnknownNameError

HEADER = "id,context,query,work_lang,task_lang,task_type,eval_type\n"
TEST_CSV = HEADER + (
    '12099010100,"kati – house\nkatin – houses","Translate:\n1. pelon\n2. kati",English,'
    "['x'],translation,single\n"
    '12099020100,"A. house\nB. dog","Match them:\n1. kati\n2. pelo\n3. talu",English,'
    "\"['x', 'y']\",match_letters,single\n"
)


def other_pythons() -> list[str]:
    """The interpreters here that the challenge might have: its own 3.10 where there is one."""
    places = [shutil.which("python3.10"), *Path.home().glob(".pyenv/versions/3.10.*/bin/python")]
    return [
        str(p)
        for p in places
        if p and subprocess.run([p, "-V"], capture_output=True).returncode == 0
    ]


def run_by_hand(
    folder: Path, python: str = sys.executable, **environment: str
) -> list[dict[str, str]]:
    """Run an entry as ``python script.py test.csv``, without the caller's environment."""
    test_csv = folder.parent / "test.csv"
    test_csv.write_text(TEST_CSV, encoding="utf-8")
    subprocess.run(
        [python, "-I", "script.py", test_csv],
        cwd=folder,
        env={"PATH": os.environ["PATH"], **environment},
        check=True,
        stderr=subprocess.PIPE,
        timeout=60,
    )
    with (folder / "submission.csv").open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


@pytest.fixture(params=STARTERS)
def entry(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    folder = tmp_path / "entry"
    files = new_entry(folder, request.param)
    assert folder / "script.py" in files
    return folder


def test_it_is_found_sound(entry: Path) -> None:
    lacks = {finding.text for finding in check_entry(entry)}
    is_ready = not (entry / "weights").is_dir()
    assert lacks == (
        set()
        if is_ready
        else {
            "the model 'weights/model.gguf' is not in the folder",
            "the backend llama needs xllamacpp",
        }
    )
    assert {p.name for p in entry.iterdir()} >= {"script.py", "README.md", "environment.lock"}
    readme = (entry / "README.md").read_text(encoding="utf-8")
    assert readme.startswith("# An entry\n")
    named = [name for name in ("weights/", "model.json", "wheels/") if f"`{name}" in readme]
    assert named == (["weights/", "model.json", "wheels/"] if (entry / "weights").exists() else [])
    assert not (entry / "vendored").exists()


def test_it_answers_every_item_without_iolai(entry: Path) -> None:
    rows = run_by_hand(entry)
    assert [row["id"] for row in rows] == ["12099010100", "12099020100"]
    assert [len(json.loads(row["pred"])) for row in rows] == [2, 3]
    assert set(json.loads(rows[1]["pred"])) == {"A", "B"}
    assert {p.name for p in entry.iterdir() if p.suffix == ".part"} == set()


@pytest.mark.skipif(not other_pythons(), reason="needs an interpreter of Python 3.10")
def test_it_runs_on_the_python_of_the_challenge(entry: Path) -> None:
    python = other_pythons()[0]
    there = run_by_hand(entry, python)
    assert [row["id"] for row in there] == ["12099010100", "12099020100"]
    # Without numpy a solver that needs it leaves the answers that were there before.
    if subprocess.run([python, "-c", "import numpy"], capture_output=True).returncode == 0:
        assert there == run_by_hand(entry)


def test_what_is_imported_is_the_copy_in_the_entry(tmp_path: Path) -> None:
    new_entry(tmp_path / "entry", "induction")
    code = (
        "import runpy, sys\n"
        "runpy.run_path('script.py')\n"
        "import iolai.solvers\n"
        "print(*{m.__file__ for n, m in sys.modules.items() if n.partition('.')[0] == 'iolai'})\n"
    )
    out = subprocess.run(
        [sys.executable, "-I", "-c", code],
        cwd=tmp_path / "entry",
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split()
    assert len(out) > 10
    assert all(Path(name).is_relative_to(tmp_path / "entry" / "vendor") for name in out)


def test_placeholders_are_there_before_anything_can_fail(tmp_path: Path) -> None:
    folder = tmp_path / "entry"
    new_entry(folder, "induction")
    shutil.rmtree(folder / "vendor")
    (tmp_path / "test.csv").write_text(TEST_CSV, encoding="utf-8")
    broken = subprocess.run(
        [sys.executable, "-I", "-S", "script.py", tmp_path / "test.csv"],
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert "No module named 'iolai'" in broken.stderr
    with (folder / "submission.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [json.loads(row["pred"]) for row in rows] == [
        ["Translate:\n1. pelon\n2. kati"],
        ["Match them:\n1. kati\n2. pelo\n3. talu"],
    ]


def test_it_keeps_its_deadline_and_says_so(entry: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert len(run_by_hand(entry, IOLAI_WALL_S="0")) == 2
    out = capfd.readouterr().out
    assert "placeholders written" in out
    assert "the time is up" in out


def test_a_solver_that_forgets_the_time_is_interrupted(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """As one does on a machine that is much slower than its author's; its answers so far count."""
    new_entry(tmp_path / "entry", "induction")
    script = tmp_path / "entry" / "script.py"
    text = script.read_text(encoding="utf-8")
    endless = text.replace(
        "                answers[place] = better\n",
        "                answers[place] = better\n                while True:\n"
        "                    pass\n",
    )
    assert endless != text
    script.write_text(endless, encoding="utf-8")
    rows = run_by_hand(tmp_path / "entry", IOLAI_WALL_S="5")
    assert all(len(json.loads(row["pred"])) > 1 for row in rows)
    assert "the time is up" in capfd.readouterr().out


SLOW_MODEL = """
import time
from iolai.solvers.llm.request import Completion

class Slow:
    concurrency = 1

    def describe(self):
        return {}

    def count_tokens(self, text):
        return len(text) // 3

    def generate(self, request):
        text, finish = "house", "stop"
        if "State the rules" in request.text:
            text, finish = "Plurals end in -n. ", "deadline"
            while time.monotonic() < request.deadline:
                time.sleep(0.05)
        return Completion(text + "And a thi", finish, 9, 9, 0.1, request.decoding.as_dict())

    def generate_all(self, requests):
        return [self.generate(request) for request in requests]

def open_llama(config):
    return Slow()
"""


def test_an_explanation_that_the_clock_cuts_is_kept_and_the_run_is_whole(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """On a slow machine the last explanation lasts as long as there is time."""
    folder = tmp_path / "entry"
    new_entry(folder, "llm")
    (folder / "vendor/iolai/solvers/llm/backends/llama.py").write_text(SLOW_MODEL, encoding="utf-8")
    settings = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    settings["stages"] = ["anchor", "explanation"]
    (folder / "model.json").write_text(json.dumps(settings), encoding="utf-8")
    rows = run_by_hand(folder, IOLAI_WALL_S="8")
    assert [row["explanation"] for row in rows] == ["Plurals end in -n."] * 2
    out = capfd.readouterr().out
    assert "out of time" in out
    assert "STOPPED" not in out


def test_one_task_that_fails_does_not_cost_the_others(tmp_path: Path) -> None:
    new_entry(tmp_path / "entry", "baseline")
    script = tmp_path / "entry" / "script.py"
    text = script.read_text(encoding="utf-8")
    broken = text.replace(
        "    return placeholder(task)\n\n\ndef write",
        '    if task["id"].endswith("10100"):\n        raise ValueError("hard")\n'
        '    return ["solved"]\n\n\ndef write',
    )
    assert broken != text
    script.write_text(broken, encoding="utf-8")
    rows = run_by_hand(tmp_path / "entry")
    assert [json.loads(row["pred"]) for row in rows] == [["pelon", "kati"], ["solved"]]


def test_a_script_is_read_in_five_minutes(entry: Path) -> None:
    text = (entry / "script.py").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 160
    tree = ast.parse(text, feature_version=(3, 10))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    undocumented = [f.name for f in functions if not ast.get_docstring(f) and f.name != "main"]
    assert undocumented == []


def test_the_baseline_is_one_file_on_the_standard_library() -> None:
    source = Path(str(iolai.__file__)).parent / "entry/starters/baseline/script.py"
    tree = ast.parse(source.read_text(encoding="utf-8"))
    names = {a.name for node in ast.walk(tree) if isinstance(node, ast.Import) for a in node.names}
    assert names <= sys.stdlib_module_names
    assert not [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]


def test_vendored_modules_bring_all_they_import_and_no_more() -> None:
    names = vendored_modules(["iolai.records", "iolai.solvers"])
    assert {"iolai", "iolai.version", "iolai.solvers.registry", "iolai.reading.items"} <= set(names)
    assert not [n for n in names if re.match(r"iolai\.(cli|formats|metrics|runners|evaluation)", n)]
    assert list(names) == sorted(names)


def test_a_module_named_as_text_is_vendored_too() -> None:
    assert "iolai.runners.slurm" not in vendored_modules(["iolai.records"])
    assert "iolai.runners.local" in vendored_modules(["iolai.runners.registry"])


def test_a_copy_of_the_source_carries_its_licence(tmp_path: Path) -> None:
    new_entry(tmp_path / "entry", "induction")
    text = (tmp_path / "entry/vendor/LICENSE").read_text(encoding="utf-8")
    assert "Apache License" in text


def test_libraries_that_the_sandbox_lacks_are_listed(tmp_path: Path) -> None:
    (tmp_path / "environment.lock").write_text("tqdm==4\n")
    vendor(["iolai.stats"], tmp_path)
    lines = (tmp_path / "wheels/requirements.txt").read_text(encoding="utf-8").splitlines()
    assert [re.sub("==.*", "==", line) for line in lines if not line.startswith("#")] == ["numpy=="]
    assert any("pip download" in line and "--python-version 3.10" in line for line in lines)


def test_wheels_beside_the_script_can_be_imported(tmp_path: Path) -> None:
    folder = tmp_path / "entry"
    new_entry(folder, "induction")
    (folder / "wheels").mkdir()
    with zipfile.ZipFile(folder / "wheels/extra-1-py3-none-any.whl", "w") as wheel:
        wheel.writestr("extra/__init__.py", "print('from a wheel')\n")
    script = folder / "script.py"
    text = script.read_text(encoding="utf-8")
    script.write_text(
        text.replace("        unpack_wheels()\n", "        unpack_wheels()\n        import extra\n")
    )
    assert check_entry(folder) == ()
    assert len(run_by_hand(folder)) == 2


def test_an_unknown_starting_point_lists_the_known(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError) as caught:
        new_entry(tmp_path / "entry", "baselin")
    assert all(name in caught.value.hint for name in STARTERS)
    assert not (tmp_path / "entry").exists()
    assert DEFAULT_STARTER in STARTERS


def test_what_is_there_is_never_written_over(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text("mine")
    with pytest.raises(InputError, match="not empty"):
        new_entry(tmp_path)
    with pytest.raises(InputError, match="not empty"):
        new_entry(tmp_path / "script.py")
    assert (tmp_path / "script.py").read_text() == "mine"


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="cannot be written"):
        new_entry(tmp_path / "file" / "entry")


@pytest.mark.parametrize("is_new", [True, False])
def test_what_could_not_be_written_whole_is_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_new: bool
) -> None:
    """As on a full disk: the name can be used again."""

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    folder = tmp_path / "entry"
    if not is_new:
        folder.mkdir()
    monkeypatch.setattr("iolai.entry.new.vendor", full)
    with pytest.raises(OutputError, match="No space left"):
        new_entry(folder, "induction")
    assert folder.exists() != is_new
    assert is_new or not list(folder.iterdir())
    monkeypatch.undo()
    assert new_entry(folder, "induction")
