"""What runs inside a Hugging Face Job, sent there as text: ``python3 -c SOURCE FOLDER MARK``.

Standard library and syntax of Python 3.10 only, as in the challenge's environment. It makes the
working copy, checking every hash, runs the entry with a clean environment and under a time limit,
and says how it ended in log lines that begin with ``MARK``: the job holds no token, so that the log
is its only way out.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import resource
import shutil
import signal
import stat
import subprocess
import sys
import time
import zlib
from contextlib import suppress
from pathlib import Path
from typing import Any

WORK = Path("/tmp/entry")  # noqa: S108 -- inside the job's container
DATA = Path("/tmp/data")  # noqa: S108
OUTPUT = "submission.csv"
LINE = 3000
NO_NETWORK = ["unshare", "--user", "--map-current-user", "--net"]


def prepare(folder: Path, settings: dict[str, Any]) -> str:
    """Copy the entry and the test set; return the first file that is not what was pinned."""
    for path, digest in settings["files"].items():
        target = WORK / path
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(folder / "entry" / path, target)
        found = hashlib.sha256()
        with target.open("rb") as stream:
            while chunk := stream.read(1 << 20):
                found.update(chunk)
        if found.hexdigest() != digest:
            return str(path)
    DATA.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(folder / "test.csv", DATA / "test.csv")
    return ""


def limit(settings: dict[str, Any]) -> None:
    """Set what the kernel holds for each process; the container holds the rest."""
    size = settings["disk_mib"] << 20
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def can_cut_network() -> bool:
    """Say whether a process without a network can be made in this container."""
    try:
        done = subprocess.run([*NO_NETWORK, "true"], stderr=subprocess.DEVNULL, check=False)  # noqa: S603
    except OSError:
        return False
    return done.returncode == 0


def run(settings: dict[str, Any]) -> dict[str, Any]:
    """Run the script and return how it ended."""
    prefix = NO_NETWORK if can_cut_network() else []
    environment = {**settings["environment"], "PATH": os.environ.get("PATH", os.defpath)}
    start = time.monotonic()
    process = subprocess.Popen(  # noqa: S603
        [*prefix, sys.executable, "script.py"],
        cwd=WORK,
        env=environment,
        stdin=subprocess.DEVNULL,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        preexec_fn=lambda: limit(settings),  # noqa: PLW1509 -- one thread
    )
    reason = ""
    try:
        code = process.wait(settings["wall_s"])
    except subprocess.TimeoutExpired:
        reason, code = "wall", None
    wall_s = time.monotonic() - start
    if code is not None and was_short_of_memory():
        reason = "memory"
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "reason": reason,
        "exit_code": code if code is None or code >= 0 else 128 - code,
        "wall_s": wall_s,
        "cpu_s": used.ru_utime + used.ru_stime,
        "peak_mib": used.ru_maxrss / 1024,
        "network": "no network" if prefix else "network open",
    }


def was_short_of_memory() -> bool:
    """Say whether the container's kernel killed a process for memory."""
    with suppress(OSError, ValueError):
        text = Path("/sys/fs/cgroup/memory.events").read_text(encoding="ascii")
        counts = dict(line.split() for line in text.splitlines())
        return int(counts.get("oom_kill", "0")) > 0
    return False


def read_output(max_bytes: int) -> dict[str, str]:
    """Return the output as base64, or what stands there instead of an ordinary file."""
    path = WORK / OUTPUT
    try:
        status = path.lstat()
        if not stat.S_ISREG(status.st_mode):
            return {"fault": f"{OUTPUT} is no ordinary file"}
        if status.st_size > max_bytes:
            return {"fault": f"{OUTPUT} is larger than {max_bytes >> 20} MiB"}
        with path.open("rb") as stream:
            return {"data": base64.b64encode(stream.read(max_bytes)).decode()}
    except FileNotFoundError:
        return {}
    except OSError as error:
        return {"fault": f"{OUTPUT} cannot be read: {error.strerror}"}


def report(mark: str, value: dict[str, Any]) -> None:
    """Write a value to the log in marked lines, numbered, the last one saying how many."""
    sys.stdout.flush()
    text = base64.b64encode(zlib.compress(json.dumps(value).encode())).decode()
    lines = [text[i : i + LINE] for i in range(0, len(text), LINE)]
    for number, line in enumerate(lines):
        sys.stdout.write(f"\n{mark} {number} {line}")
    sys.stdout.write(f"\n{mark} end {len(lines)}\n")
    sys.stdout.flush()


def main(folder: Path, mark: str) -> None:
    """Run what a folder holds and report."""
    settings = json.loads((folder / "settings.json").read_text(encoding="utf-8"))
    changed = prepare(folder, settings)
    if changed:
        report(mark, {"changed": changed})
        return
    ending = run(settings)
    ending["output"] = read_output(settings["output_mib"] << 20)
    report(mark, ending)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
