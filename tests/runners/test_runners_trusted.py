"""The runner for one's own code: same contract, same names of outcomes, no walls."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from iolai.errors import InputError
from iolai.runners import RUNNERS, Limits, RunRequest, TrustedRunner, pin_entry
from iolai.runners import trusted as module

TEST_CSV = "id,context,query\n1,secret context of the problem,q\n2,c,q\n"
ARGUMENT = "import sys\nPATH = sys.argv[1]\n"
ANSWER = "open('submission.csv', 'w').write('id,pred\\n1,a\\n2,b\\n')\n"


def run(
    folder: Path,
    code: str,
    *,
    wall_s: float = 20.0,
    runner: TrustedRunner | None = None,
    takes_argument: bool = True,
) -> tuple[module.RunOutcome, list[str]]:
    folder.mkdir(exist_ok=True)
    (folder / "script.py").write_text(ARGUMENT * takes_argument + code, encoding="utf-8")
    pieces: list[str] = []
    request = RunRequest(pin_entry(folder), TEST_CSV, Limits(wall_s=wall_s), ("the reference",))
    runner = runner or TrustedRunner()
    return runner.run(request, pieces.append), pieces


def test_it_is_no_runner_for_the_work_of_others() -> None:
    assert not [name for name, place in RUNNERS.items() if "rusted" in name + place]


def test_a_sound_entry_is_ok(tmp_path: Path) -> None:
    code = "import sys\nprint(len(open(sys.argv[1]).read()), flush=True)\n" + ANSWER
    outcome, pieces = run(tmp_path / "e", code)
    assert (outcome.outcome, outcome.owner, outcome.exit_code) == ("ok", "entry", 0)
    assert (outcome.n_answered, outcome.n_tasks) == (2, 2)
    assert outcome.output == b"id,pred\n1,a\n2,b\n"
    assert outcome.log_tail == "".join(pieces) == f"{len(TEST_CSV)}\n"
    assert outcome.mechanism.startswith("none: trusted")
    assert 0 < outcome.wall_s < 20
    assert outcome.peak_mib > 1
    assert [p.name for p in (tmp_path / "e").iterdir()] == ["script.py"]


@pytest.mark.parametrize(
    ("code", "outcome", "n_answered"),
    [
        (ANSWER + "raise SystemExit(3)", "crashed", 2),
        ("import os\nos.kill(os.getpid(), 11)", "crashed", 0),
        ("pass", "no_output", 0),
        ("open('submission.csv', 'w').write('x,y\\n1,2\\n')", "bad_output", 0),
        ("import os\nos.symlink('/etc/hostname', 'submission.csv')", "bad_output", 0),
    ],
)
def test_outcomes_have_their_names(
    tmp_path: Path, code: str, outcome: str, n_answered: int
) -> None:
    found, _ = run(tmp_path / "e", code)
    assert (found.outcome, found.n_answered) == (outcome, n_answered)


def test_a_signal_is_told_as_a_shell_tells_it(tmp_path: Path) -> None:
    found, _ = run(tmp_path / "e", "import os\nos.kill(os.getpid(), 15)")
    assert found.exit_code == 128 + 15
    assert "signal 15" in found.detail


def test_the_time_limit_holds_and_ends_the_children(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    child = f"import time; time.sleep(3); open({str(mark)!r}, 'w')"
    code = (
        "import subprocess, sys, time\n"
        "open('submission.csv', 'w').write('id,pred\\n1,a\\n')\n"
        f"subprocess.Popen([sys.executable, '-c', {child!r}])\n"
        "time.sleep(60)\n"
    )
    start = time.monotonic()
    found, _ = run(tmp_path / "e", code, wall_s=2.0)
    assert time.monotonic() - start < 15
    assert (found.outcome, found.n_answered) == ("timed_out", 1)
    assert "1 of 2 tasks answered" in found.detail
    time.sleep(3)
    assert not mark.exists()


def test_the_environment_is_clean_and_tells_the_time_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", "x")
    code = "import os\nprint(os.environ.get('HF_TOKEN'), os.environ['IOLAI_WALL_S'])\n" + ANSWER
    assert run(tmp_path / "e", code, wall_s=12.5)[0].log_tail == "None 12.5\n"


def test_the_log_is_redacted(tmp_path: Path) -> None:
    code = "print('the reference', 'secret context of the problem', 'fine')\n" + ANSWER
    outcome, pieces = run(tmp_path / "e", code)
    for log in (outcome.log_tail, "".join(pieces)):
        assert "fine" in log
        assert "reference" not in log
        assert "context" not in log


def test_answers_are_counted_while_it_runs(tmp_path: Path) -> None:
    told: list[int] = []
    runner = TrustedRunner(on_answered=told.append)
    run(tmp_path / "e", ANSWER + "import time\ntime.sleep(1.5)\n", runner=runner)
    assert told == [2]


def test_the_test_set_is_put_where_the_contract_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "data" / "test.csv"
    monkeypatch.setattr(module, "TEST_CSV", str(place))
    code = f"print(len(open({str(place)!r}).read()))\n" + ANSWER
    outcome, _ = run(tmp_path / "e", code, takes_argument=False)
    assert outcome.log_tail == f"{len(TEST_CSV)}\n"
    assert not place.exists()


def test_another_test_set_at_that_place_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "test.csv"
    place.write_text("another")
    monkeypatch.setattr(module, "TEST_CSV", str(place))
    with pytest.raises(InputError, match="there already"):
        run(tmp_path / "e", ANSWER, takes_argument=False)
    assert place.read_text() == "another"


LEAVING = """
import os, sys, time
for _ in range(3):
    if not os.fork():
        os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(60)
print("MARK", flush=True)
time.sleep(60)
"""


def processes_with(text: str) -> list[str]:
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            command = (place / "environ").read_bytes() + (place / "cmdline").read_bytes()
        except OSError:
            continue
        if text.encode() in command:
            found.append(place.name)
    return found


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_nothing_goes_on_when_iolai_is_ended(tmp_path: Path, number: signal.Signals) -> None:
    """Children in sessions of their own, the working copy and the placed test set all go."""
    folder = tmp_path / "e"
    folder.mkdir()
    (folder / "script.py").write_text("import signal\n" + LEAVING, encoding="utf-8")
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    place = tmp_path / "data" / "test.csv"
    code = (
        "import sys; from pathlib import Path\n"
        "from iolai.runners import Limits, RunRequest, TrustedRunner, pin_entry, trusted\n"
        f"trusted.TEST_CSV = {str(place)!r}\n"
        f"request = RunRequest(pin_entry(Path({str(folder)!r})), 'id\\n1\\n', Limits(wall_s=50))\n"
        "TrustedRunner().run(request, lambda text: print(text, flush=True))\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "TMPDIR": str(temporary)},
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "MARK\n"
    assert place.exists()
    assert len(processes_with(str(temporary))) >= 5
    process.send_signal(number)
    process.communicate()
    end = time.monotonic() + 10
    while processes_with(str(temporary)) and time.monotonic() < end:
        time.sleep(0.02)
    assert processes_with(str(temporary)) == []
    assert not place.exists()
    assert list(temporary.iterdir()) == []


def test_children_that_stay_are_ended(tmp_path: Path) -> None:
    code = LEAVING.replace("time.sleep(60)\n", "time.sleep(60)\n", 1).rpartition("time.sleep")[0]
    outcome, _ = run(tmp_path / "e", "import signal\n" + code + ANSWER)
    assert outcome.outcome == "ok"
    assert outcome.wall_s < 20
    assert processes_with(f"{tempfile.gettempdir()}/iolai-") == []
