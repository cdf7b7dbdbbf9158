"""Limits: what is written where, and what is read; on stand-ins where a machine lacks the real."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from iolai.errors import UnknownNameError
from iolai.runners import Limits, cgroups
from iolai.runners.cgroups import CgroupV1, CgroupV2, SystemdScope
from iolai.runners.limiting import choose_limiter
from iolai.runners.usage import NotOfferedError
from iolai.runners.watchdog import Watchdog, descendants

LIMITS = Limits(memory_mib=100, n_processes=50, n_cpus=2)
MIB = 1 << 20


class FakeHierarchy:
    """A cgroup v2 mount in a folder: what the kernel would make appears when a group is made."""

    def __init__(self, base: Path, own: str, controllers: str = "cpu io memory pids") -> None:
        self.mount = base / "cgroup"
        self.proc = base / "proc"
        self.proc.mkdir()
        (self.mount / own.strip("/")).mkdir(parents=True)
        place = self.mount / own.strip("/")
        while True:
            (place / "cgroup.controllers").write_text(controllers)
            (place / "cgroup.subtree_control").write_text("")
            if place == self.mount:
                break
            place = place.parent
        (self.proc / "mountinfo").write_text(
            f"30 1 0:1 / / rw - ext4 /dev/x rw\n35 30 0:2 / {self.mount} rw - cgroup2 cgroup2 rw\n"
        )
        (self.proc / "cgroup").write_text(f"0::{own}\n")

    def groups(self) -> list[Path]:
        return list(self.mount.rglob("iolai-*"))


@pytest.fixture
def make_group_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let mkdir make the files that the kernel puts into a new group."""
    plain = Path.mkdir

    def mkdir(self: Path, *args: object, **kwargs: object) -> None:
        plain(self, *args, **kwargs)  # type: ignore[arg-type]
        if self.name.startswith("iolai-"):
            for name in ("memory.max", "memory.swap.max", "memory.oom.group", "pids.max",
                         "cpu.max", "cgroup.procs", "cgroup.kill"):  # fmt: skip
                (self / name).write_text("")

    monkeypatch.setattr(Path, "mkdir", mkdir)
    monkeypatch.setattr(cgroups, "_remove", _remove_with_files)


def _remove_with_files(folder: Path) -> None:
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()


@pytest.mark.usefixtures("make_group_files")
class TestVersion2:
    def test_limits_are_written(self, tmp_path: Path) -> None:
        fake = FakeHierarchy(tmp_path, "/user.slice/me")
        limiter = CgroupV2(LIMITS, proc=fake.proc)
        (group,) = fake.groups()
        assert group.parent == fake.mount / "user.slice/me"
        written = {path.name: path.read_text() for path in group.iterdir()}
        assert written["memory.max"] == str(100 * MIB)
        assert written["memory.swap.max"] == "0"
        assert written["memory.oom.group"] == "1"
        assert written["pids.max"] == "53"
        assert written["cpu.max"] == "200000 100000"
        assert (group.parent / "cgroup.subtree_control").read_text() == "+cpu +memory +pids"
        limiter.adopt(4321)
        assert (group / "cgroup.procs").read_text() == "4321"
        limiter.kill()
        assert (group / "cgroup.kill").read_text() == "1"
        limiter.close()
        assert not fake.groups()

    def test_counters_leave_page_cache_out(self, tmp_path: Path) -> None:
        fake = FakeHierarchy(tmp_path, "/")
        limiter = CgroupV2(LIMITS, proc=fake.proc)
        (group,) = fake.groups()
        for name, text in {
            "memory.stat": f"anon {10 * MIB}\nfile {60 * MIB}\nshmem {20 * MIB}\n",
            "memory.current": f"{75 * MIB}\n",
            "memory.peak": f"{95 * MIB}\n",
            "memory.events": "low 0\nmax 7\noom 1\noom_kill 0\n",
            "cpu.stat": "usage_usec 1500000\nuser_usec 1\n",
            "pids.current": "3\n",
            "pids.events": "max 0\n",
        }.items():
            (group / name).write_text(text)
        usage = limiter.usage(-1)
        assert (usage.peak_mib, usage.cpu_s, usage.n_processes) == (55.0, 1.5, 3)
        assert not usage.is_out_of_memory
        assert not usage.hit_process_limit
        (group / "memory.events").write_text("oom_kill 2\n")
        (group / "pids.events").write_text("max 4\n")
        usage = limiter.usage(-1)
        assert usage.is_out_of_memory
        assert usage.hit_process_limit

    def test_a_group_above_is_taken_where_ones_own_has_no_controllers(self, tmp_path: Path) -> None:
        fake = FakeHierarchy(tmp_path, "/outer/inner")
        (fake.mount / "outer/inner/cgroup.controllers").write_text("cpu\n")
        CgroupV2(LIMITS, proc=fake.proc)
        assert [group.parent.name for group in fake.groups()] == ["outer"]

    def test_a_container_sees_only_a_part(self, tmp_path: Path) -> None:
        fake = FakeHierarchy(tmp_path, "/work")
        text = (fake.proc / "mountinfo").read_text().replace("0:2 / ", "0:2 /docker/1 ")
        (fake.proc / "mountinfo").write_text(text)
        (fake.proc / "cgroup").write_text("0::/docker/1/work\n")
        CgroupV2(LIMITS, proc=fake.proc)
        assert [group.parent.name for group in fake.groups()] == ["work"]

    def test_groups_of_dead_makers_are_swept(self, tmp_path: Path) -> None:
        fake = FakeHierarchy(tmp_path, "/")
        stale = ("iolai-999999999-5-0", f"iolai-{os.getpid()}-1-0")  # gone; another's number
        for name in (*stale, f"iolai-{os.getpid()}-{cgroups.start_time(os.getpid())}-99999"):
            (fake.mount / name).mkdir()
        CgroupV2(LIMITS, proc=fake.proc)
        names = {group.name for group in fake.groups()}
        assert not names & set(stale)
        assert len(names) == 2

    def test_no_controllers(self, tmp_path: Path) -> None:
        fake = FakeHierarchy(tmp_path, "/", controllers="cpuset")
        with pytest.raises(NotOfferedError, match="no controllers memory and pids"):
            CgroupV2(LIMITS, proc=fake.proc)
        assert not fake.groups()


def test_no_hierarchy_at_all(tmp_path: Path) -> None:
    (tmp_path / "mountinfo").write_text("30 1 0:1 / / rw - ext4 /dev/x rw\n")
    (tmp_path / "cgroup").write_text("")
    for make in (CgroupV2, CgroupV1):
        with pytest.raises(NotOfferedError):
            make(LIMITS, proc=tmp_path)


def test_version_1_for_real() -> None:
    try:
        limiter = CgroupV1(LIMITS)
    except NotOfferedError as error:
        pytest.skip(f"needs cgroup v1 as root: {error}")
    child = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        limiter.adopt(child.pid)
        time.sleep(0.3)
        groups = [line for line in Path(f"/proc/{child.pid}/cgroup").read_text().splitlines()
                  if "iolai-" in line]  # fmt: skip
        assert len(groups) == 4
        usage = limiter.usage(-1)
        assert usage.n_processes == 1
        assert 0.05 < usage.cpu_s < 1
        limiter.kill()
        assert child.wait(5) == -9
    finally:
        child.kill()
        child.wait()
        limiter.close()
    assert not list(Path("/sys/fs/cgroup").glob(f"*/**/{limiter._name}"))


class TestSystemdScope:
    @pytest.fixture
    def systemd_run(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        """A stand-in that notes its arguments and becomes the command."""
        fake = tmp_path / "systemd-run"
        fake.write_text(
            f'#!/bin/sh\necho "$@" >>{tmp_path}/calls\n'
            'while [ $# -gt 0 ] && [ "$1" != "--" ] && [ "$1" != true ]; do shift; done\n'
            '[ "$1" = -- ] && shift\nexec "$@"\n'
        )
        fake.chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
        cgroups._scope_works.cache_clear()
        return tmp_path / "calls"

    def test_the_command_is_wrapped(self, systemd_run: Path) -> None:
        limiter = SystemdScope(LIMITS)
        done = subprocess.run(limiter.wrap(["echo", "a b"]), capture_output=True, text=True)
        assert done.stdout == "a b\n"
        call = systemd_run.read_text().splitlines()[-1]
        for flag in ("--user --scope", f"MemoryMax={100 * MIB}", "MemorySwapMax=0", "TasksMax=53",
                     "CPUQuota=200%"):  # fmt: skip
            assert flag in call
        limiter.adopt(os.getpid())
        assert limiter.usage(-1).n_processes >= 0
        limiter.close()

    def test_no_systemd(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PATH", str(tmp_path))
        with pytest.raises(NotOfferedError, match="no systemd"):
            SystemdScope(LIMITS)


def test_the_watchdog_sees_children_that_left_their_session() -> None:
    code = (
        "import os, time\n"
        "for _ in range(3):\n"
        "    if not os.fork():\n"
        "        os.setsid(); held = b'x' * (20 << 20); time.sleep(20); os._exit(0)\n"
        "print('ready', flush=True)\ntime.sleep(20)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        parent.stdout.readline()
        watchdog = Watchdog(Limits(memory_mib=60, n_processes=1))
        watchdog.adopt(parent.pid)
        end = time.monotonic() + 5
        while not watchdog.usage(-1).is_out_of_memory and time.monotonic() < end:
            time.sleep(0.02)
        usage = watchdog.usage(-1)
        assert usage.is_out_of_memory
        assert usage.n_processes == 4
        assert usage.hit_process_limit
        assert usage.peak_mib > 60
        children = [pid for pid in descendants(parent.pid) if pid != parent.pid]
        watchdog.kill()
        parent.wait()
    end = time.monotonic() + 5
    while any(Path(f"/proc/{pid}").exists() for pid in children) and time.monotonic() < end:
        time.sleep(0.02)
    assert not any(Path(f"/proc/{pid}").exists() for pid in children)


def test_the_watchdog_counts_the_files_of_the_working_copy(tmp_path: Path) -> None:
    watchdog = Watchdog(Limits(memory_mib=1))
    handle = os.open("/dev/shm", os.O_RDONLY)  # noqa: S108
    filler = Path(f"/dev/shm/runners-test-{os.getpid()}")  # noqa: S108
    filler.write_bytes(bytes(2 * MIB))
    try:
        assert watchdog.usage(handle).is_out_of_memory
    finally:
        filler.unlink()
        os.close(handle)


def test_an_unknown_mechanism() -> None:
    with pytest.raises(UnknownNameError, match="no mechanism named 'cgroup'"):
        choose_limiter(LIMITS, "cgroup")
