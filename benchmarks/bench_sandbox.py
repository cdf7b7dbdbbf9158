"""What the sandbox adds to an entry's run: its time over that of the bare process.

Run by ``make bench``. The entry imports ``csv``, reads the test set and writes its output. Bare and
sandboxed runs take turns, so that a busy machine slows both alike; the figure is the median over
the pairs of the difference. Every mechanism that works here is measured. The CPU time is given
beside it: unlike the wall clock it hardly depends on what else the machine does.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from iolai.runners import Limits, RunRequest, get_runner, pin_entry
from iolai.runners.interpreter import usable_python
from iolai.runners.limiting import offered

TARGET_MS = 60.0
TEST_CSV = "id,context,query\n" + "".join(f"{n},a context,a query\n" for n in range(1, 15))
SCRIPT = """
import csv, os, sys
path = "/tmp/data/test.csv" if os.path.exists("/tmp/data/test.csv") else "test.csv"
with open(path, newline="") as stream:
    rows = list(csv.DictReader(stream))
with open("submission.csv", "w", newline="") as stream:
    writer = csv.writer(stream)
    writer.writerow(["id", "pred"])
    writer.writerows([row["id"], "an answer"] for row in rows)
"""
LIMITS = Limits(wall_s=60, memory_mib=512, n_processes=64, disk_mib=64, n_inodes=1000)


def bare_ms(folder: Path, python: Path) -> float:
    """Run the script as it is, with the environment the sandbox would give it."""
    start = time.perf_counter()
    environment = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "PYTHONUNBUFFERED": "1"}
    subprocess.run([python, "script.py"], cwd=folder, env=environment, check=True)
    return (time.perf_counter() - start) * 1000


def sandboxed_ms(request: RunRequest, mechanism: str) -> float:
    """Run it in the sandbox, from the request to the outcome."""
    start = time.perf_counter()
    outcome = get_runner("local", mechanism=mechanism).run(request)
    if outcome.n_answered != outcome.n_tasks:
        sys.exit(f"the benchmark's entry failed: {outcome}")
    return (time.perf_counter() - start) * 1000


def pair(request: RunRequest, mechanism: str, folder: Path, python: Path) -> tuple[float, float]:
    """Run both once and return what the sandbox added, in wall and in CPU milliseconds."""
    before = cpu_ms()
    sandboxed = sandboxed_ms(request, mechanism)
    between = cpu_ms()
    bare = bare_ms(folder, python)
    return sandboxed - bare, (between - before) - (cpu_ms() - between)


def cpu_ms() -> float:
    """Return the CPU time of this process and its finished children, in milliseconds."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return 1000 * sum(usage.ru_utime + usage.ru_stime for usage in used)


def measure(folder: Path, n_runs: int) -> dict[str, float]:
    """Return medians in milliseconds: the bare run, and what each mechanism adds to it."""
    (folder / "script.py").write_text(SCRIPT, encoding="utf-8")
    (folder / "test.csv").write_text(TEST_CSV, encoding="utf-8")
    request = RunRequest(pin_entry(folder), TEST_CSV, LIMITS)
    python = usable_python(None)
    figures = {"bare_ms": statistics.median(bare_ms(folder, python) for _ in range(n_runs))}
    for mechanism in (offer.name for offer in offered() if offer.works):
        sandboxed_ms(request, mechanism)
        pairs = [pair(request, mechanism, folder, python) for _ in range(n_runs)]
        name = mechanism.replace(" ", "_")
        figures[f"{name}_adds_ms"] = statistics.median(wall for wall, _ in pairs)
        figures[f"{name}_adds_cpu_ms"] = statistics.median(cpu for _, cpu in pairs)
    return figures


def main() -> None:
    """Measure, and print a table or JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="bench-"))
    folder.chmod(0o755)
    try:
        figures = measure(folder, options.runs)
    finally:
        shutil.rmtree(folder)
    figures["target_ms"] = TARGET_MS
    if options.json:
        json.dump(figures, sys.stdout, indent=2)
        return
    for name, value in figures.items():
        sys.stdout.write(f"{name:34} {value:8.1f}\n")


if __name__ == "__main__":
    main()
