"""What the runners' tests share: the corpus, a host worth attacking, a runner as a plain user."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from iolai.runners import Limits, RunOutcome, RunRequest, get_runner, pin_entry
from iolai.runners.naming import maker_of_runs
from iolai.runners.watchdog import children_of

CORPUS = Path(__file__).parent / "corpus"
WORKER = Path(__file__).with_name("runners_worker.py")
SOURCE = Path(__file__).parents[2] / "src"
#: A uid without an account: the plain user of tests that were started by root.
PLAIN_UID = 61101
IDS = ("12099010100", "12099010200", "12099020100")
CONTEXT = "Here are some words of a language\nthat nobody speaks: kumari takolu, pinewo sarita."
TEST_CSV = "id,context,query,work_lang,task_lang,task_type,eval_type\n" + "".join(
    f'{task_id},"{CONTEXT}","Translate: {n}. mirosel",English,[\'x\'],translation,single\n'
    for n, task_id in enumerate(IDS)
)
SECRET = "a-token-that-no-entry-may-see"  # noqa: S105
FAST = Limits(wall_s=8, memory_mib=300, n_processes=60, disk_mib=60, n_inodes=3000, output_mib=16)

_HEADER = re.compile(r"# (expect|detail|answered|exit|log|limits)(?:\[([\w ]+)\])?: (.*)")


@dataclass(frozen=True)
class Case:
    """One entry of the corpus and what its header expects, by mechanism where that matters."""

    name: str
    source: str
    fields: dict[tuple[str, str], str]

    def expected(self, name: str, *kinds: str) -> str | None:
        for kind in (*kinds, ""):
            if (name, kind) in self.fields:
                return self.fields[name, kind]
        return None

    @property
    def limits(self) -> Limits:
        changes: dict[str, Any] = {}
        for word in (self.expected("limits") or "").split():
            name, _, value = word.partition("=")
            changes[name] = float(value) if name.endswith("_s") else int(value)
        return Limits(**{name: getattr(FAST, name) for name in FAST.__slots__} | changes)


def read_corpus() -> list[Case]:
    cases = []
    for path in sorted(CORPUS.glob("*.py")):
        source = path.read_text(encoding="utf-8")
        found = {
            (m[1], m[2] or ""): m[3].strip() for m in map(_HEADER.match, source.splitlines()) if m
        }
        if path.name != "harmless.py":
            cases.append(Case(path.stem, source, found))
    return cases


@dataclass
class Host:
    """A host with things to find: servers, a key, a secret in the environment, files."""

    base: Path
    target: dict[str, Any]
    contacts: list[str] = field(default_factory=list)

    def entry(self, source: str | None, files: dict[str, str] | None = None) -> Path:
        """Make an entry's folder that any user may read."""
        folder = Path(tempfile.mkdtemp(dir=self.base, prefix="entry-"))
        folder.chmod(0o755)
        shutil.copy(CORPUS / "harmless.py", folder)
        (folder / "target.json").write_text(json.dumps(self.target), encoding="utf-8")
        for name, text in {**(files or {}), **({"script.py": source} if source else {})}.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
        return folder


@contextmanager
def living_host() -> Iterator[Host]:
    """Start the servers and write the files; take all away in the end."""
    base = Path(tempfile.mkdtemp(prefix="runners-tests-"))
    base.chmod(0o755)
    host = Host(base, {})
    with (
        socket.create_server(("127.0.0.1", 0)) as tcp,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp,
        socket.socket(socket.AF_UNIX) as unix,
        socket.socket(socket.AF_UNIX) as abstract,
    ):
        udp.bind(("127.0.0.1", 0))
        unix.bind(str(base / "socket"))
        (base / "socket").chmod(0o777)
        abstract.bind(f"\0{base.name}")
        for server in (unix, abstract):
            server.listen()
        for name, server in {"tcp": tcp, "udp": udp, "unix": unix, "abstract": abstract}.items():
            threading.Thread(target=_serve, args=(host, name, server), daemon=True).start()
        (base / "solution.csv").write_text("id,answer\n1,the secret answer\n", encoding="utf-8")
        host.target.update(
            tcp_port=tcp.getsockname()[1],
            udp_port=udp.getsockname()[1],
            unix_path=str(base / "socket"),
            abstract_name=base.name,
            key_path=str(base / "solution.csv"),
            tmp_path=str(base / "solution.csv"),
            secret=SECRET[::-1],
            home=str(Path.home()),
            pid=os.getpid(),
        )
        try:
            yield host
        finally:
            shutil.rmtree(base)


def _serve(host: Host, name: str, server: socket.socket) -> None:
    """Note whoever calls; ends when the socket is closed."""
    while True:
        try:
            if server.type == socket.SOCK_DGRAM:
                _, caller = server.recvfrom(100)
                server.sendto(b"hello", caller)
            else:
                connection, _ = server.accept()
                connection.sendall(b"hello")
                connection.close()
        except OSError:
            return
        host.contacts.append(name)


class InProcess:
    """Runs entries in this process, as whoever runs the tests."""

    kind = "root" if os.geteuid() == 0 else "plain"

    def run(self, request: RunRequest, mechanism: str | None = None) -> RunOutcome:
        return get_runner("local", mechanism=mechanism).run(request)


class Worker:
    """Runs entries in a process of its own, as a plain user where root started it."""

    kind = "plain"

    def __init__(self, uid: int | None = PLAIN_UID, under: Sequence[str] = ()) -> None:
        self.process = subprocess.Popen(
            [*under, sys.executable, WORKER, str(SOURCE), "" if uid is None else str(uid)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        _makers.add(maker_of_runs(self.process.pid))

    def send(self, request: RunRequest, mechanism: str | None = None) -> None:
        assert self.process.stdin is not None
        message = {"request": request.to_json(), "secrets": request.secrets, "mechanism": mechanism}
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def run(self, request: RunRequest, mechanism: str | None = None) -> RunOutcome:
        assert self.process.stdout is not None
        self.send(request, mechanism)
        answer = json.loads(self.process.stdout.readline())
        assert "error" not in answer, answer["error"]
        return RunOutcome.from_json(answer)

    def close(self) -> None:
        self.process.communicate()


def request_for(folder: Path, limits: Limits = FAST, secrets: Sequence[str] = ()) -> RunRequest:
    return RunRequest(pin_entry(folder), TEST_CSV, limits, tuple(secrets))


def left_behind() -> dict[str, set[str]]:
    """List what runs of these tests might leave; whatever else the machine does is not counted.

    Temporary files are those of the folder that these tests have for themselves.
    """
    mounts = Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines()
    groups = [place for place in Path("/sys/fs/cgroup").rglob("iolai-*-*-*") if place.is_dir()]
    ours = makers()
    return {
        "processes": {f"{pid} {command!r}" for pid, command in processes_of_runs().items()},
        "mounts": {line for line in mounts if " iolai " in line or "/newroot" in line},
        "cgroups": {str(p) for p in groups if p.name.split("-", 1)[1].rpartition("-")[0] in ours},
        "files": {str(place) for place in Path(tempfile.gettempdir()).glob("iolai*")},
        "children": {str(pid) for pid in children_of(os.getpid())},
    }


#: Every process of these tests that has run entries, dead ones too, as ``maker_of_runs`` names it.
_makers = {maker_of_runs()}


def forget_maker(pid: int) -> None:
    """Take a live process for one that is not of these tests."""
    _makers.discard(maker_of_runs(pid))


def makers_file() -> Path:
    """Return the file in which processes started by others note their line of ``stat``."""
    return Path(tempfile.gettempdir()) / "makers-of-runs"


def makers() -> set[str]:
    """Return the names of all processes of these tests that have run entries."""
    noted = makers_file().read_text("utf-8").splitlines() if makers_file().exists() else []
    return _makers | {f"{x.split()[0]}-{x.rpartition(')')[2].split()[19]}" for x in noted}


def processes_of_runs() -> dict[int, bytes]:
    """Return the processes that runs of these tests have, with their command lines.

    A run's outermost processes carry its maker's name on their command lines; all others are
    below them, since orphans go to the first process of the run's namespace.
    """
    marks = [f"\0iolai-run-{maker}\0".encode() for maker in makers()]
    commands, parents = {}, {}
    for place in Path("/proc").glob("[0-9]*"):
        try:
            stat = (place / "stat").read_text(encoding="utf-8", errors="replace")
            commands[int(place.name)] = (place / "cmdline").read_bytes()
        except OSError:
            continue
        parents[int(place.name)] = int(stat.rpartition(")")[2].split()[1])

    def is_of_a_run(pid: int) -> bool:
        while pid in parents and not any(mark in commands[pid] for mark in marks):
            pid = parents[pid]
        return pid in parents

    return {pid: command for pid, command in commands.items() if is_of_a_run(pid)}
