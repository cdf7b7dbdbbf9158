"""Runs one's own entry as an ordinary process: nothing is isolated, only the clock is kept.

It is no runner for the work of others, so the registry does not list it.
"""

from __future__ import annotations

import os
import resource
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path

from iolai.errors import InputError
from iolai.runners import undertaker
from iolai.runners.base import SCRIPT, TEST_CSV, OnLog, RunOutcome, RunRequest
from iolai.runners.bubblewrap import clean_environment
from iolai.runners.collect import collect_output
from iolai.runners.counting import AnswerCounter, OnAnswered
from iolai.runners.judging import judge
from iolai.runners.logs import LogKeeper
from iolai.runners.redact import Redactor, texts_of_test_set
from iolai.runners.undertaker import MARK, end_marked
from iolai.runners.usage import Ending, Usage

__all__ = ["TrustedRunner"]

_MECHANISM = "none: trusted, wall clock only"
_CHUNK = 64 << 10
_LOOK_S = 0.05
_KIB = 1024


class TrustedRunner:
    """Runs an entry in a copy of its folder, as the caller, with the caller's files and network.

    Of the limits only ``wall_s`` is kept. The script gets the path of the test set as its first
    argument; where its text does not say ``sys.argv``, the test set is also put where the contract
    says, for the time of the run. ``python`` is the interpreter, by default this one.
    ``on_answered`` is told how many tasks are answered while an entry runs.
    """

    def __init__(
        self,
        *,
        python: Path | None = None,
        on_answered: OnAnswered | None = None,
    ) -> None:
        self._python = (python or Path(sys.executable)).absolute()  # not from the run's folder
        self._on_answered = on_answered

    def run(self, request: RunRequest, on_log: OnLog | None = None) -> RunOutcome:
        """Run the entry once.

        Raises InputError where another test set lies at the contract's place.
        """
        task_ids = request.task_ids
        redactor = Redactor([*texts_of_test_set(request.test_csv), *request.secrets])
        log = LogKeeper(redactor, request.limits.log_mib << 20, on_log)
        max_bytes = request.limits.output_mib << 20
        is_placed = not _takes_argument(request)
        placed = _placed(request.test_csv) if is_placed else nullcontext()
        mark = uuid.uuid4().hex
        with (
            tempfile.TemporaryDirectory(prefix="iolai-", ignore_cleanup_errors=True) as base,
            placed,
            _undertaker(mark, base, *([TEST_CSV] if is_placed else [])),
        ):
            folder = _copy(request, Path(base))
            with _open_folder(folder) as handle:
                counter = AnswerCounter(self._on_answered, handle, task_ids, max_bytes)
                ending = self._execute(request, folder, mark, log, counter)
                log.finish()
                collected = collect_output(
                    handle,
                    task_ids,
                    max_bytes=max_bytes,
                    was_cut_short=bool(ending.reason) or ending.exit_code != 0,
                )
        return judge(ending, collected, request, log_tail=log.tail, mechanism=_MECHANISM)

    def _execute(
        self,
        request: RunRequest,
        folder: Path,
        mark: str,
        log: LogKeeper,
        counter: AnswerCounter,
    ) -> Ending:
        environment = clean_environment(request.limits)
        environment |= {"HOME": str(folder.parent), "TMPDIR": str(folder.parent), MARK: mark}
        start = time.monotonic()
        process = subprocess.Popen(  # noqa: S603 -- the caller's own code, by the caller's word
            [self._python, SCRIPT, folder.parent / "test.csv"],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            status, used = _watch(process, start + request.limits.wall_s, log, counter)
        finally:
            _end(process, mark)
        wall_s = time.monotonic() - start
        if status is None:
            _, status, used = os.wait4(process.pid, 0)
            reason = "wall"
        else:
            reason = ""
        code = os.waitstatus_to_exitcode(status)
        process.returncode = code
        usage = Usage(used.ru_maxrss / _KIB, used.ru_utime + used.ru_stime)
        return Ending(reason, code if code >= 0 else 128 - code, wall_s, usage)


def _takes_argument(request: RunRequest) -> bool:
    script = request.entry.folder / SCRIPT
    return script.is_file() and b"sys.argv" in script.read_bytes()


@contextmanager
def _placed(test_csv: str) -> Iterator[None]:
    """Put the test set where the contract says, and take it away again."""
    place = Path(TEST_CSV)
    try:
        place.parent.mkdir(exist_ok=True)
        with place.open("x", encoding="utf-8", newline="") as stream:
            stream.write(test_csv)
    except FileExistsError as error:
        raise InputError(
            f"{place} is there already, so that this run would read another test set",
            hint="Wait for the run that put it there, or delete what an older one left behind.",
        ) from error
    try:
        yield
    finally:
        place.unlink(missing_ok=True)


@contextmanager
def _undertaker(mark: str, *paths: str) -> Iterator[None]:
    """Have somebody clear away what the run leaves even if this process is killed."""
    process = subprocess.Popen(  # noqa: S603 -- our own program
        [sys.executable, "-I", "-S", undertaker.__file__, mark, *paths],
        stdin=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        yield
    finally:
        process.communicate()


@contextmanager
def _open_folder(folder: Path) -> Iterator[int]:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield handle
    finally:
        os.close(handle)


def _copy(request: RunRequest, base: Path) -> Path:
    """Copy the pinned files and the test set; return the working copy's folder."""
    folder = base / "entry"
    folder.mkdir()
    for file in request.entry.files:
        target = folder / file.path
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(request.entry.folder / file.path, target)
    (base / "test.csv").write_text(request.test_csv, encoding="utf-8", newline="")
    return folder


def _watch(
    process: subprocess.Popen[bytes], deadline: float, log: LogKeeper, counter: AnswerCounter
) -> tuple[int | None, resource.struct_rusage]:
    """Feed the log until the process ends; the status is None where the deadline came first."""
    handle = process.stdout.fileno()  # type: ignore[union-attr]
    os.set_blocking(handle, False)
    with selectors.DefaultSelector() as ready:
        ready.register(handle, selectors.EVENT_READ)
        while True:
            pid, status, used = os.wait4(process.pid, os.WNOHANG)
            ready.select(_LOOK_S)
            _drain(handle, log)
            counter.look()
            if pid:
                return status, used
            if time.monotonic() >= deadline:
                return None, used


def _drain(handle: int, log: LogKeeper) -> None:
    with suppress(BlockingIOError):
        while data := os.read(handle, _CHUNK):
            log.feed(data)


def _end(process: subprocess.Popen[bytes], mark: str) -> None:
    """End the process and its children: those in its group, and those that can be told."""
    with suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)
    end_marked(mark)
    if process.stdout is not None:
        process.stdout.close()
