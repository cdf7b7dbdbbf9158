"""A run begun in the sandbox: staged, launched, under its limits, its clock started."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from iolai.runners.base import RunRequest
from iolai.runners.bubblewrap import HOST_UID, clean_environment, find_tools, sandbox_command
from iolai.runners.limiting import Limiter
from iolai.runners.logs import LogKeeper
from iolai.runners.seccomp import filter_program
from iolai.runners.staging import Staged, stage
from iolai.runners.supervise import Launch, Supervisor

__all__ = ["sandboxed"]


@contextmanager
def sandboxed(
    request: RunRequest,
    limiter: Limiter,
    log: LogKeeper,
    *,
    python: Path,
    gpus: Sequence[str] = (),
) -> Iterator[tuple[Supervisor, Staged]]:
    """Begin a run; when the context is left nothing of it is.

    Raises SetupError where it cannot begin, MissingPartError where a part of the sandbox is not
    installed, InputError where the entry's files are no longer those that were pinned.
    """
    with ExitStack() as handles:
        staged = stage(request, owner=HOST_UID if os.geteuid() == 0 else 0)
        handles.callback(os.close, staged.handle)
        seccomp_fd = _memory_file(filter_program())
        handles.callback(os.close, seccomp_fd)
        status_read, status_write = os.pipe2(os.O_CLOEXEC)
        handles.callback(os.close, status_read)
        with os.fdopen(status_write, "wb") as status, Supervisor(limiter, log, status_read) as run:
            command, folder = sandbox_command(
                find_tools(),
                staged,
                folder=request.entry.folder,
                python=python,
                limits=request.limits,
                seccomp_fd=seccomp_fd,
                status_fd=status_write,
                needs_rlimit=not limiter.counts_processes,
                gpus=gpus,
            )
            launch = Launch(
                command,
                clean_environment(request.limits),
                folder,
                tar_fd=staged.handle,
                seccomp_fd=seccomp_fd,
                status=status,
                n_cpus=request.limits.n_cpus,
            )
            run.begin(launch)
            yield run, staged


def _memory_file(data: bytes) -> int:
    """Return a descriptor to read ``data`` from."""
    handle = os.memfd_create("iolai", os.MFD_CLOEXEC)
    os.write(handle, data)
    os.lseek(handle, 0, os.SEEK_SET)
    return handle
