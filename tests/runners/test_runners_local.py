"""The local runner: what a run is given, how it is ended, what is left when iolai itself dies."""

from __future__ import annotations

import os
import re
import shutil
import signal
import sys
import tempfile
import threading
import time
import venv
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from runners_harness import (
    FAST,
    IDS,
    PLAIN_UID,
    TEST_CSV,
    Host,
    Worker,
    forget_maker,
    left_behind,
    processes_of_runs,
    request_for,
)

from iolai.errors import InputError, MissingPartError
from iolai.runners import Limits, RunRequest, TrustedRunner, get_runner, local, pin_entry
from iolai.runners.bubblewrap import HOST_UID
from iolai.runners.limiting import MECHANISMS, choose_limiter, offered
from iolai.runners.local import LocalRunner

pytestmark = [pytest.mark.system("bwrap"), pytest.mark.usefixtures("nothing_left")]
IS_ROOT = os.geteuid() == 0
SLEEPER = "import time\nfrom harmless import answer\nanswer(1)\nprint('asleep')\ntime.sleep(30)\n"
GOOD = "from harmless import answer\nanswer()\n"


def wait_until(is_so: Callable[[], object], seconds: float = 8.0) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if is_so():
            return True
        time.sleep(0.01)
    return bool(is_so())


def sandboxed_pids() -> set[int]:
    """Return the processes inside sandboxes, and bwrap itself."""
    return {
        pid
        for pid, command in processes_of_runs().items()
        if b"iolai-entry" in command or command.endswith(b"script.py\0")
    }


def test_a_good_entry(host: Host) -> None:
    outcome = get_runner().run(request_for(host.entry(GOOD)))
    assert (outcome.outcome, outcome.owner, outcome.exit_code) == ("ok", "entry", 0)
    assert (outcome.n_answered, outcome.n_tasks) == (3, 3)
    assert outcome.detail == "3 of 3 tasks answered"
    assert outcome.output is not None
    assert outcome.output.startswith(b"id,pred,explanation\r\n12099010100,")
    assert re.fullmatch("bubblewrap, (cgroup v[12]|systemd scope|watchdog)", outcome.mechanism)
    assert outcome.log_tail == ""


@pytest.mark.parametrize("kind", ["local", "trusted"])
def test_a_relative_interpreter_is_found_from_here(
    host: Host, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run has another working folder than whoever starts it."""
    monkeypatch.chdir("/usr")
    python = Path("bin/python3")
    runner = LocalRunner(python=python) if kind == "local" else TrustedRunner(python=python)
    outcome = runner.run(request_for(host.entry(GOOD)))
    assert (outcome.outcome, outcome.n_answered) == ("ok", 3), outcome.detail


def test_the_log_comes_line_by_line_while_the_entry_runs(host: Host) -> None:
    source = "import time\nprint('first')\ntime.sleep(0.4)\nprint('second')\n"
    seen: list[tuple[float, str]] = []
    runner = get_runner("local")
    runner.run(request_for(host.entry(source)), lambda text: seen.append((time.monotonic(), text)))
    assert [text for _, text in seen] == ["first\n", "second\n"]
    assert seen[1][0] - seen[0][0] > 0.3


def test_secrets_of_the_key_are_kept_out_of_the_log(host: Host) -> None:
    source = "print('what I guess is solkati'[::-1][::-1])\nprint('Translate: 1. mirosel')\n"
    seen: list[str] = []
    request = request_for(host.entry(source), secrets=["solkati"])
    tail = get_runner("local").run(request, seen.append).log_tail
    assert tail == "what I guess is ███\n███\n"
    assert "".join(seen) == tail


def test_processor_time_and_memory_are_the_entrys_own(host: Host) -> None:
    """A child's work counts, bwrap's and the setup's do not hide or add to it."""
    source = """
import os, time
if not os.fork():
    held = b"x" * (50 << 20)
    start = time.process_time()
    while time.process_time() - start < 0.4:
        pass
    os._exit(0)
os.wait()
time.sleep(0.3)
"""
    folder = host.entry(source)
    for offer in offered():
        if not offer.works:
            continue
        outcome = get_runner("local", mechanism=offer.name).run(request_for(folder))
        assert outcome.mechanism == f"bubblewrap, {offer.name}"
        assert 0.4 <= outcome.cpu_s < 0.8, outcome
        assert 50 <= outcome.peak_mib < 100, outcome
        assert outcome.wall_s >= 0.7


@pytest.mark.parametrize("n_cpus", [1, None])
def test_cpus(host: Host, n_cpus: int | None) -> None:
    source = "import os\nprint(len(os.sched_getaffinity(0)), os.environ.get('OMP_NUM_THREADS'))\n"
    outcome = get_runner("local").run(request_for(host.entry(source), replace(FAST, n_cpus=n_cpus)))
    n_all = len(os.sched_getaffinity(0))
    assert outcome.log_tail.split() == [str(n_cpus or n_all), str(n_cpus)]


def test_large_files_are_linked_and_read_only(host: Host) -> None:
    source = """
import hashlib
from harmless import answer, blocked
data = open("model/weights.bin", "rb").read()
print(len(data), data[-4:], open("model/small.txt").read())
blocked("writing weights", lambda: open("model/weights.bin", "r+b"))
blocked("writing behind", lambda: open("/entry-files/new", "w"))
open("model/beside.txt", "w").write("x")
answer()
"""
    folder = host.entry(source, {"model/small.txt": "small"})
    weights = folder / "model/weights.bin"
    with weights.open("wb") as stream:
        stream.truncate(70 << 20)
        stream.seek(-4, os.SEEK_END)
        stream.write(b"last")
    outcome = get_runner("local").run(request_for(folder, replace(FAST, memory_mib=400)))
    assert "73400320 b'last' small" in outcome.log_tail
    assert "ESCAPED" not in outcome.log_tail
    assert (outcome.outcome, outcome.n_answered) == ("ok", 3)
    assert weights.stat().st_size == 70 << 20
    assert not (folder / "model/beside.txt").exists()


def large_entry(host: Host, source: str) -> Path:
    folder = host.entry(source)
    (folder / "model").mkdir()
    with (folder / "model/weights.bin").open("wb") as stream:
        stream.truncate(70 << 20)
    return folder


def test_only_what_is_pinned_is_seen_behind_links(host: Host) -> None:
    source = """
import os
from harmless import answer, blocked
print(sorted(os.listdir("model")), os.path.getsize("model/same.bin"))
for place in (".git/config", "model/cache/x.pyc", "submission.csv", "model/.env"):
    blocked(place, lambda: open("/entry-files/" + place).read())
blocked("writing", lambda: open("/entry-files/.git/new", "w"))
print([sorted(names + files) for _, names, files in os.walk("/entry-files/.git")])
answer()
"""
    folder = large_entry(host, source)
    (folder / "model/same.bin").symlink_to(folder / "model/weights.bin")
    for name in (".git/config", "model/cache/x.pyc", "submission.csv", "model/.env"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("a secret", encoding="utf-8")
    (folder / "model/gone").symlink_to("nowhere")
    left_out = (".git", "cache", ".env", "gone")
    entry = pin_entry(folder, leave_out=lambda path: path.endswith(left_out))
    limits = replace(FAST, memory_mib=400)
    outcome = get_runner("local").run(RunRequest(entry, TEST_CSV, limits))
    assert "['same.bin', 'weights.bin'] 73400320" in outcome.log_tail
    assert "[[]]" in outcome.log_tail
    assert "ESCAPED" not in outcome.log_tail
    assert outcome.outcome == "ok", outcome


@pytest.mark.parametrize("change", ["edit", "replace", "delete"])
def test_large_files_that_change_during_a_run(host: Host, change: str) -> None:
    folder = large_entry(host, "import time\nprint('runs')\ntime.sleep(0.5)\n" + GOOD)
    weights = folder / "model/weights.bin"

    def disturb(text: str) -> None:
        if change == "edit":
            with weights.open("r+b") as stream:
                stream.write(b"other")
            return
        weights.unlink()
        if change == "replace":
            weights.write_bytes(b"")
            os.truncate(weights, 70 << 20)

    request = request_for(folder, replace(FAST, memory_mib=400))
    outcome = get_runner("local").run(request, disturb)
    assert (outcome.outcome, outcome.owner) == ("platform_fault", "platform")
    assert "weights.bin was changed while the entry ran" in outcome.detail


def test_a_folder_full_of_what_is_not_pinned(host: Host) -> None:
    folder = large_entry(host, GOOD)
    for number in range(1001):
        (folder / f"{number}.pyc").touch()
    entry = pin_entry(folder, leave_out=lambda path: path.endswith(".pyc"))
    with pytest.raises(InputError, match="1001 files and folders that are no part") as error:
        get_runner("local").run(RunRequest(entry, TEST_CSV, FAST))
    assert "Pack the entry" in error.value.hint


@pytest.mark.skipif(not IS_ROOT, reason="a plain user's entries are read as that user")
def test_large_files_that_the_entrys_uid_may_not_read(host: Host) -> None:
    folder = host.entry(GOOD)
    with (folder / "weights.bin").open("wb") as stream:
        stream.truncate(70 << 20)
    (folder / "weights.bin").chmod(0o600)
    with pytest.raises(InputError, match=r"weights\.bin cannot be read by the uid") as error:
        get_runner("local").run(request_for(folder))
    assert "chmod -R o+rX" in error.value.hint


@pytest.mark.skipif(not IS_ROOT, reason="needs root")
def test_a_folder_that_only_root_may_read(host: Host) -> None:
    folder = host.entry(GOOD)
    (folder / "script.py").chmod(0o600)
    folder.chmod(0o700)
    assert get_runner("local").run(request_for(folder)).outcome == "ok"


@pytest.mark.skipif(not IS_ROOT, reason="needs root")
@pytest.mark.parametrize("uid", [None, PLAIN_UID])
def test_where_hardly_a_process_is_to_be_seen(host: Host, uid: int | None) -> None:
    """As in a container: the numbers of the sandbox's processes mean nothing outside it."""
    worker = Worker(uid, under=["unshare", "--pid", "--fork", "--mount-proc"])
    outcome = worker.run(request_for(host.entry(GOOD)))
    worker.close()
    assert (outcome.outcome, outcome.n_answered) == ("ok", 3), outcome


@pytest.mark.parametrize("change", ["edit", "grow", "delete", "link"])
def test_what_was_pinned_is_what_runs(host: Host, change: str) -> None:
    folder = host.entry(GOOD)
    request = request_for(folder)
    script = folder / "script.py"
    if change == "edit":
        script.write_text(GOOD.replace("answer()", "answer( "), encoding="utf-8")
    elif change == "grow":
        script.write_text(GOOD + "#", encoding="utf-8")
    else:
        script.unlink()
        if change == "link":
            script.symlink_to("/etc/passwd")
    with pytest.raises(InputError, match=r"script\.py is no longer the file that was pinned"):
        get_runner("local").run(request)


def test_an_older_output_in_the_folder_counts_for_nothing(host: Host) -> None:
    folder = host.entry("print('nothing')", {"submission.csv": f"id,pred\n{IDS[0]},x\n"})
    assert get_runner("local").run(request_for(folder)).outcome == "no_output"


def test_no_script(host: Host) -> None:
    outcome = get_runner("local").run(request_for(host.entry(None)))
    assert (outcome.outcome, outcome.exit_code) == ("crashed", 2)
    assert outcome.detail.startswith("the entry has no script.py")


def test_a_folder_in_the_scripts_place(host: Host) -> None:
    """Python would run its ``__main__.py``; the contract names a file."""
    outcome = get_runner("local").run(request_for(host.entry(None, {"script.py/__main__.py": ""})))
    assert outcome.outcome == "crashed"
    assert outcome.detail.startswith("the entry has no script.py")


def test_the_live_count_does_not_hold_up_the_limits(host: Host) -> None:
    """Large outputs are not looked into while an entry runs; small ones are."""
    source = """
import time
from harmless import answer
answer(2)
time.sleep(1.2)
open("submission.csv", "a").write("\\n" * (15 << 20))
time.sleep(20)
"""
    seen: list[int] = []
    runner = get_runner("local", on_answered=seen.append)
    start = time.monotonic()
    outcome = runner.run(request_for(host.entry(source), replace(FAST, wall_s=3)))
    assert (outcome.outcome, outcome.n_answered) == ("timed_out", 2)
    assert time.monotonic() - start < 6
    assert seen == [2, 0]


def test_runs_side_by_side(host: Host) -> None:
    """Each has its own names, clocks and files; die-with-parent follows each thread."""
    sources = [f"import time\ntime.sleep({n / 10})\nprint({n})\n" + GOOD for n in range(4)]
    requests = [request_for(host.entry(source)) for source in sources]
    results: dict[int, str] = {}

    def run(number: int) -> None:
        results[number] = get_runner("local").run(requests[number]).log_tail

    threads = [threading.Thread(target=run, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {n: f"{n}\n" for n in range(4)}


def test_one_run_leaves_nothing_to_the_next(host: Host) -> None:
    write = "open('/tmp/mark', 'w').close()\nopen('mark', 'w').close()\n"
    look = "import os\nprint(os.path.exists('/tmp/mark'), os.path.exists('mark'))\n" + write + GOOD
    request = request_for(host.entry(look))
    for _ in range(2):
        assert get_runner("local").run(request).log_tail == "False False\n"


@pytest.mark.parametrize("user", ["self", "plain"])
def test_killing_iolai_leaves_no_running_entry(host: Host, user: str) -> None:
    if user == "plain" and not IS_ROOT:
        pytest.skip("the tests run as a plain user already")
    worker = Worker(PLAIN_UID if user == "plain" else None)
    worker.send(request_for(host.entry(SLEEPER), replace(FAST, wall_s=25)))
    assert wait_until(lambda: any(_name(pid).startswith("python") for pid in sandboxed_pids()))
    worker.process.send_signal(signal.SIGKILL)
    worker.close()
    assert wait_until(lambda: not processes_of_runs())
    # The groups of a killed iolai are swept up when the next run makes its own.
    choose_limiter(Limits()).close()


def _name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text(encoding="utf-8").strip()
    except OSError:
        return ""


MOMENTS = [*range(0, 8, 2), *(pytest.param(n, marks=pytest.mark.slow) for n in range(1, 24, 2))]


@pytest.mark.parametrize("moment", MOMENTS)
def test_killing_iolai_at_any_moment_of_the_setup(host: Host, moment: int) -> None:
    worker = Worker(None)
    worker.run(request_for(host.entry(GOOD)))  # imported and warm
    worker.send(request_for(host.entry(SLEEPER), replace(FAST, wall_s=25)))
    time.sleep(moment * 0.006)
    worker.process.send_signal(signal.SIGKILL)
    worker.close()
    assert wait_until(lambda: not processes_of_runs())
    choose_limiter(Limits()).close()


def test_what_others_run_on_this_machine_is_not_taken_for_ours(host: Host) -> None:
    """Nor is it overlooked when it is ours, with its maker alive or dead."""
    other = Worker(None)
    forget_maker(other.process.pid)
    ours = Worker(None)
    for worker in (other, ours):
        worker.send(request_for(host.entry(SLEEPER), replace(FAST, wall_s=25)))
    assert wait_until(lambda: any(_name(pid).startswith("python") for pid in sandboxed_pids()))
    found = [command for command in processes_of_runs().values() if b"--unsetenv" in command]
    assert found
    assert not any(f"iolai-run-{other.process.pid}-".encode() in command for command in found)
    assert all(f"iolai-run-{ours.process.pid}-".encode() in command for command in found)
    groups = left_behind()["cgroups"]
    assert not any(f"iolai-{other.process.pid}-" in group for group in groups)
    for worker in (other, ours):
        worker.process.send_signal(signal.SIGKILL)
        worker.close()
    assert wait_until(lambda: not processes_of_runs())
    choose_limiter(Limits()).close()


def open_handles() -> set[str]:
    return {place.name for place in Path("/proc/self/fd").iterdir()}


@pytest.mark.slow
@pytest.mark.parametrize("mechanism", [offer.name for offer in offered() if offer.works])
def test_two_hundred_runs_leave_nothing(host: Host, mechanism: str) -> None:
    """Lists of processes, mounts, cgroups, files and open descriptors are as they were."""
    requests = [
        request_for(host.entry(source)) for source in (GOOD, "1/0", "import os\nos.abort()")
    ]
    runner = get_runner("local", mechanism=mechanism)
    runner.run(requests[0])
    before, handles = left_behind(), open_handles()
    files = sorted(path.name for path in Path(tempfile.gettempdir()).iterdir())
    for number in range(200):
        runner.run(requests[number % 3])
    assert left_behind() == before
    assert open_handles() == handles
    new = {path.name for path in Path(tempfile.gettempdir()).iterdir()} - set(files)
    assert not {name for name in new if "iolai" in name}


def test_an_interrupt_ends_the_run(host: Host) -> None:
    def interrupt(text: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        get_runner("local").run(request_for(host.entry(SLEEPER)), interrupt)
    assert not sandboxed_pids()


def test_a_sandbox_killed_from_outside_is_the_platforms_fault(host: Host) -> None:
    def kill(text: str) -> None:
        for pid in sandboxed_pids():
            if _name(pid) == "bwrap":
                os.kill(pid, signal.SIGKILL)

    outcome = get_runner("local").run(request_for(host.entry(SLEEPER)), kill)
    assert (outcome.outcome, outcome.owner) == ("platform_fault", "platform")
    assert "something outside killed it" in outcome.detail
    assert outcome.n_tasks == 3


@pytest.mark.parametrize("program", ["bwrap", "unshare"])
def test_without_isolation_nothing_runs(
    host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str
) -> None:
    """Programs as on a machine that forbids them: nothing runs, and a command is named."""
    fake = tmp_path / program
    fake.write_text("#!/bin/sh\necho 'No permissions to create a namespace' >&2\nexit 1\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    ran: list[str] = []
    with pytest.raises(MissingPartError, match=r"set up: .*(No p|P)ermission") as error:
        get_runner("local").run(request_for(host.entry("print('ran')")), ran.append)
    assert error.value.hint
    assert not ran


def test_an_interpreter_below_a_closed_folder(host: Host) -> None:
    """It and its libraries can be used, and nothing else in that folder can be seen."""
    closed = Path(tempfile.mkdtemp(prefix="closed-"))
    environment = closed / "venv"
    venv.create(environment, symlinks=True)
    (environment / "lib/note.txt").write_text("shown", encoding="utf-8")
    for place in (closed / "note.txt", environment / "pip.conf", closed / "other/lib/note.txt"):
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("a password", encoding="utf-8")
    closed.chmod(0o700)
    source = f"""
import os, sys
from harmless import answer, blocked
assert sys.prefix == {str(environment)!r}, sys.prefix
assert sys.base_prefix == {sys.base_prefix!r}, sys.base_prefix
print(open({str(environment / "lib/note.txt")!r}).read())
for place in {(str(closed / "note.txt"), str(environment / "pip.conf"), str(closed / "other"))}:
    blocked(place, lambda: os.stat(place))
print(os.listdir({str(closed)!r}))
blocked("writing there", lambda: open({str(environment / "lib/note.txt")!r}, "w"))
blocked("writing beside", lambda: open({str(environment / "bin/python4")!r}, "w"))
answer()
"""
    request = request_for(host.entry(source))
    outcome = get_runner("local", python=environment / "bin/python").run(request)
    shutil.rmtree(closed)
    assert "ESCAPED" not in outcome.log_tail
    assert "shown" in outcome.log_tail, outcome
    assert "['venv']" in outcome.log_tail
    assert outcome.outcome == "ok", outcome.log_tail


def test_the_process_that_becomes_bwrap_is_no_root(host: Host) -> None:
    uids: set[str] = set()
    capabilities: set[str] = set()
    names: set[str] = set()

    def look(text: str) -> None:
        for pid in sandboxed_pids():
            if not _name(pid).startswith(("bwrap", "python")):
                continue
            names.add(_name(pid)[:6])
            status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
            fields = dict(line.split(":", 1) for line in status.splitlines())
            uids.update(fields["Uid"].split())
            capabilities.add(fields["CapEff"].strip())

    get_runner("local").run(request_for(host.entry(SLEEPER), replace(FAST, wall_s=0.5)), look)
    assert names == {"bwrap", "python"}
    assert uids == {str(HOST_UID if IS_ROOT else os.geteuid())}
    assert capabilities == {"0" * 16}


def test_mechanisms_are_tried_from_the_best(monkeypatch: pytest.MonkeyPatch) -> None:
    assert list(MECHANISMS) == ["cgroup v2", "cgroup v1", "systemd scope", "watchdog"]
    best = next(offer.name for offer in offered() if offer.works)
    limiter = choose_limiter(Limits())
    limiter.close()
    assert limiter.name == best


def test_a_request_travels(host: Host) -> None:
    request = RunRequest(pin_entry(host.entry(GOOD)), "id\n1\n", replace(FAST, cpu_s=2.5))
    assert RunRequest.from_json(request.to_json()) == request
    outcome = get_runner("local").run(request)
    assert type(outcome).from_json(outcome.to_json()) == outcome
    assert local.RunOutcome is type(outcome)
