"""Slurm: a real one, started on loopback, runs, times out, kills for memory and re-attaches."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from runners_harness import FAST, Host, makers_file, request_for

from iolai.errors import InputError, MissingPartError
from iolai.runners import AttachableRunner, Runner, get_runner
from iolai.runners.slurm import SlurmRunner

GOOD = "from harmless import answer\nprint('running')\nanswer()\n"
SLEEPER = "import time\nfrom harmless import answer\nanswer(2)\nprint('asleep')\ntime.sleep(30)\n"

CONFIGURATION = """
ClusterName=iolai
SlurmctldHost={name}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
AuthType=auth/munge
AuthInfo=socket={base}/munge.socket
CryptoType=crypto/munge
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation={base}/state
SlurmdSpoolDir={base}/spool
SlurmctldPidFile={base}/slurmctld.pid
SlurmdPidFile={base}/slurmd.pid
SlurmctldLogFile={base}/slurmctld.log
SlurmdLogFile={base}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
MinJobAge=2
KillWait=2
NodeName={name} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory=4000 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def free_ports(n: int) -> list[int]:
    servers = [socket.create_server(("127.0.0.1", 0)) for _ in range(n)]
    ports = [server.getsockname()[1] for server in servers]
    for server in servers:
        server.close()
    return ports


@pytest.fixture(scope="module")
def cluster() -> Iterator[Path]:
    """A Slurm of one machine; yields its folder, with SLURM_CONF set."""
    if os.geteuid() != 0:
        pytest.skip("needs root: a slurmd that starts jobs runs as root")
    base = Path(tempfile.mkdtemp(prefix="slurm-tests-", dir="/run"))
    base.chmod(0o755)
    name = socket.gethostname().split(".")[0]
    text = CONFIGURATION.format(name=name, base=base, ports=free_ports(2), cpus=os.cpu_count())
    (base / "slurm.conf").write_text(text, encoding="utf-8")
    (base / "munge.key").write_bytes(os.urandom(64))
    (base / "munge.key").chmod(0o600)
    for folder in ("state", "spool"):
        (base / folder).mkdir()
    environment = {**os.environ, "SLURM_CONF": str(base / "slurm.conf")}
    daemons = []
    munge = [f"--{what}={base}/munge.{end}" for what, end in (
        ("socket", "socket"), ("key-file", "key"), ("pid-file", "pid"), ("log-file", "log"),
        ("seed-file", "seed"))]  # fmt: skip
    commands = [
        ["munged", "--foreground", "--force", *munge],
        ["slurmctld", "-D"],
        ["slurmd", "-D"],
    ]
    before = os.environ.get("SLURM_CONF")
    try:
        for command in commands:
            place = shutil.which(command[0], path=f"{os.environ['PATH']}:/usr/sbin")
            assert place is not None
            with (base / f"{command[0]}.out").open("wb") as out:
                daemons.append(subprocess.Popen([place, *command[1:]], env=environment, stdout=out,
                                                stderr=subprocess.STDOUT))  # fmt: skip
            time.sleep(0.3)
        os.environ["SLURM_CONF"] = environment["SLURM_CONF"]
        wait_until_idle(base)
        yield base
    finally:
        end_cluster(base, daemons)
        os.environ.pop("SLURM_CONF")
        if before is not None:
            os.environ["SLURM_CONF"] = before
        left = processes_of(base)
        shutil.rmtree(base)
        assert left == {}


def processes_of(base: Path) -> dict[int, str]:
    """Return what belongs to the cluster, by what it was started with: daemons, steps, jobs.

    Steps leave the session and the parent that they had; their environment names the cluster.
    """
    found = {}
    for place in Path("/proc").glob("[0-9]*"):
        try:
            command = (place / "cmdline").read_bytes()
            started_with = command + b"\0" + (place / "environ").read_bytes()
        except OSError:
            continue
        if str(base).encode() in started_with and int(place.name) != os.getpid():
            found[int(place.name)] = command.replace(b"\0", b" ").decode("utf-8", "replace")
    return found


def end_cluster(base: Path, daemons: list[subprocess.Popen[bytes]]) -> None:
    """End the jobs, then the daemons, then whatever else is left."""
    subprocess.run(["scancel", "--user=root", "--full", "--quiet"], timeout=20)
    wait_until(lambda: not any("slurmstepd" in c for c in processes_of(base).values()), 10)
    for daemon in reversed(daemons):
        daemon.terminate()
    for daemon in daemons:
        try:
            daemon.wait(10)
        except subprocess.TimeoutExpired:
            daemon.kill()
            daemon.wait()
    for pid in processes_of(base):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    wait_until(lambda: not processes_of(base), 10)


def wait_until(is_so: Callable[[], object], seconds: float) -> None:
    end = time.monotonic() + seconds
    while not is_so() and time.monotonic() < end:
        time.sleep(0.05)


def wait_until_idle(base: Path) -> None:
    end = time.monotonic() + 30
    while time.monotonic() < end:
        said = subprocess.run(
            ["sinfo", "--noheader", "--format=%T"], capture_output=True, text=True
        )
        if said.stdout.strip() == "idle":
            return
        time.sleep(0.2)
    logs = "".join(path.read_text(errors="replace")[-2000:] for path in base.glob("*.log"))
    raise AssertionError(f"Slurm is not ready: {said.stdout}{said.stderr}\n{logs}")


@pytest.fixture
def python(tmp_path: Path) -> Path:
    """This interpreter, which notes that it ran entries: what a job leaves can then be told."""
    place = tmp_path / "python"
    place.write_text(
        f'#!/bin/sh\ncat /proc/$$/stat >>{makers_file()}\nexec {sys.executable} "$@"\n'
    )
    place.chmod(0o755)
    return place


@pytest.fixture
def runner(cluster: Path, python: Path, tmp_path: Path) -> SlurmRunner:
    return SlurmRunner(runs=tmp_path / "runs", python=python, poll_s=0.1)


@pytest.mark.system("slurm")
@pytest.mark.system("bwrap")
@pytest.mark.usefixtures("cluster", "nothing_left")
class TestRealSlurm:
    def test_a_run(self, runner: SlurmRunner, host: Host, tmp_path: Path) -> None:
        seen: list[str] = []
        outcome = runner.run(request_for(host.entry(GOOD)), seen.append)
        assert (outcome.outcome, outcome.n_answered) == ("ok", 3), outcome
        assert outcome.mechanism.startswith("slurm, bubblewrap, ")
        assert outcome.output is not None
        assert "".join(seen) == outcome.log_tail == "running\n"
        assert list((tmp_path / "runs").iterdir()) == []

    def test_time_runs_out(self, runner: SlurmRunner, host: Host) -> None:
        outcome = runner.run(request_for(host.entry(SLEEPER), replace(FAST, wall_s=1)))
        assert (outcome.outcome, outcome.n_answered) == ("timed_out", 2), outcome

    def test_memory_runs_out(self, runner: SlurmRunner, host: Host) -> None:
        source = "import time\nheld = [b'x' * (10 << 20) for _ in range(40)]\ntime.sleep(5)\n"
        outcome = runner.run(request_for(host.entry(source), replace(FAST, memory_mib=150)))
        assert outcome.outcome == "out_of_memory", outcome

    def test_a_run_is_found_again(self, tmp_path: Path, python: Path, host: Host) -> None:
        """Begun by a process that is killed, awaited by another."""
        source = "import time\nfrom harmless import answer\ntime.sleep(1.5)\nanswer()\n"
        request = request_for(host.entry(source), secrets=["solkati"])
        code = (
            "import sys, json, os, signal\n"
            "from pathlib import Path\n"
            "from iolai.runners import RunRequest, get_runner\n"
            "request = RunRequest.from_json(json.loads(sys.stdin.read()))\n"
            "runner = get_runner('slurm', runs=Path(sys.argv[1]), python=Path(sys.argv[2]))\n"
            "print(runner.start(request), flush=True)\n"
            "os.kill(os.getpid(), signal.SIGKILL)\n"
        )
        begun = subprocess.run(
            [sys.executable, "-c", code, str(tmp_path / "runs"), str(python)],
            input=json.dumps(request.to_json()),
            capture_output=True,
            text=True,
        )
        assert begun.returncode == -9, begun.stderr
        runner = SlurmRunner(runs=tmp_path / "runs", poll_s=0.1)
        handle = begun.stdout.strip()
        outcome = runner.attach(handle, request)
        assert (outcome.outcome, outcome.n_answered) == ("ok", 3), outcome
        assert runner.attach(handle, request) == outcome
        runner.forget(handle)
        assert list((tmp_path / "runs").iterdir()) == []

    @pytest.mark.slow
    def test_cancelling(
        self, runner: SlurmRunner, host: Host, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("iolai.runners.slurm._RESULT_GRACE_S", 0.5)
        request = request_for(host.entry(SLEEPER), replace(FAST, wall_s=20))
        handle = runner.start(request)
        seen: list[str] = []

        def cancel(text: str) -> None:
            seen.append(text)
            runner.cancel(handle)

        outcome = runner.attach(handle, request, cancel)
        assert seen == ["asleep\n"]
        assert (outcome.outcome, outcome.owner) == ("platform_fault", "platform")
        assert "CANCELLED" in outcome.detail
        runner.forget(handle)

    def test_ending_the_cluster_ends_its_jobs_too(
        self, cluster: Path, runner: SlurmRunner, host: Host
    ) -> None:
        """What is taken for the cluster's are its steps and jobs, which nobody waits for."""
        handle = runner.start(request_for(host.entry(SLEEPER), replace(FAST, wall_s=20)))
        wait_until(lambda: any("slurm_job" in c for c in processes_of(cluster).values()), 10)
        names = " ".join(processes_of(cluster).values())
        assert all(name in names for name in ("munged", "slurmctld", "slurmd", "slurmstepd"))
        assert "slurm_job" in names
        runner.cancel(handle)
        wait_until(lambda: "slurm_job" not in " ".join(processes_of(cluster).values()), 15)
        assert "slurm_job" not in " ".join(processes_of(cluster).values())
        runner.forget(handle)

    def test_a_job_that_slurm_refuses(self, tmp_path: Path, host: Host) -> None:
        runner = SlurmRunner(runs=tmp_path / "runs", options=["--partition=absent"])
        with pytest.raises(InputError, match="Slurm did not take the job"):
            runner.start(request_for(host.entry(GOOD)))
        assert list((tmp_path / "runs").iterdir()) == []

    @pytest.mark.slow
    def test_the_nodes_cannot_run_entries(self, tmp_path: Path, host: Host) -> None:
        runner = SlurmRunner(runs=tmp_path, entry_python=Path("/nowhere/python"), poll_s=0.1)
        outcome = runner.run(request_for(host.entry(GOOD)))
        assert outcome.owner == "platform"
        assert "/nowhere/python" in outcome.detail


def test_what_sbatch_is_asked(tmp_path: Path, host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = tmp_path / "sbatch"
    fake.write_text(f'#!/bin/sh\nfor a; do echo "$a"; done >{tmp_path}/asked\necho 77\n')
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    runner = SlurmRunner(runs=tmp_path / "runs", gres="gpu:1", options=["--partition=fast"])
    limits = replace(FAST, wall_s=1800, memory_mib=30_000, n_cpus=8)
    request = request_for(host.entry(GOOD), limits, secrets=["solkati"])
    handle = runner.start(request)
    asked = (tmp_path / "asked").read_text().splitlines()
    for option in ("--time=35", "--mem=30512M", "--cpus-per-task=8", "--gres=gpu:1",
                   "--partition=fast", "--export=NONE", "--no-requeue"):  # fmt: skip
        assert option in asked
    (folder,) = (tmp_path / "runs").iterdir()
    assert handle == f"77:{folder.name}"
    assert folder.stat().st_mode & 0o777 == 0o700
    assert "solkati" not in (folder / "request.json").read_text()


def test_handles_are_checked(tmp_path: Path) -> None:
    runner = get_runner("slurm", runs=tmp_path)
    assert isinstance(runner, AttachableRunner)
    assert isinstance(runner, Runner)
    for handle in ("", "7", "7:../../etc", "x:run-" + "0" * 32):
        with pytest.raises(InputError, match="no handle of a Slurm run"):
            runner.forget(handle)


def test_no_slurm(tmp_path: Path, host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingPartError, match="sbatch is not installed"):
        SlurmRunner(runs=tmp_path).start(request_for(host.entry(GOOD)))
