"""What holds a run to its limits: the best mechanism this machine offers.

In this order: a cgroup of our own, a systemd scope, a watchdog. Each is one class here or in a
module of its own; ``MECHANISMS`` is the table.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from iolai.errors import UnknownNameError
from iolai.runners.base import Limits
from iolai.runners.cgroups import CgroupV1, CgroupV2, SystemdScope
from iolai.runners.usage import NotOfferedError, Usage
from iolai.runners.watchdog import Watchdog

__all__ = ["MECHANISMS", "Limiter", "NotOfferedError", "Usage", "choose_limiter", "offered"]


class Limiter(Protocol):
    """Holds one run to its limits, from before it starts until it is gone.

    ``name`` is what the outcome's ``mechanism`` shows. ``counts_processes`` says that the kernel
    refuses a process past the limit.
    """

    name: str
    counts_processes: bool

    def wrap(self, command: Sequence[str]) -> list[str]:
        """Return the command to start in place of ``command``."""
        ...

    def adopt(self, pid: int) -> None:
        """Take in the first process, which waits; its children follow. Raises OSError."""
        ...

    def usage(self, working_copy_fd: int) -> Usage:
        """Read the counters; the descriptor is the run's working copy, or -1."""
        ...

    def kill(self) -> None:
        """Kill every process of the run; the caller ends the pid namespace besides."""
        ...

    def close(self) -> None:
        """Take away what was made for the run, once it is gone."""
        ...


#: From the best to the weakest. A class raises NotOfferedError where this machine lacks it.
MECHANISMS: dict[str, Callable[[Limits], Limiter]] = {
    "cgroup v2": CgroupV2,
    "cgroup v1": CgroupV1,
    "systemd scope": SystemdScope,
    "watchdog": Watchdog,
}


@dataclass(frozen=True, slots=True)
class Offer:
    """Whether a mechanism works on this machine, and why not."""

    name: str
    works: bool
    reason: str = ""


def choose_limiter(limits: Limits, name: str | None = None) -> Limiter:
    """Return the best limiter that works here, or the one that is named.

    Raises UnknownNameError for a name that is none, NotOfferedError where the named one does not
    work; the watchdog always does.
    """
    if name is not None:
        if name not in MECHANISMS:
            raise UnknownNameError("mechanism", name, MECHANISMS)
        return MECHANISMS[name](limits)
    for make in MECHANISMS.values():
        try:
            return make(limits)
        except NotOfferedError:
            continue
    raise AssertionError("the watchdog is always offered")


def offered() -> tuple[Offer, ...]:
    """Try every mechanism for a moment and say which of them work."""
    offers = []
    for name, make in MECHANISMS.items():
        try:
            make(Limits(memory_mib=64, n_processes=16)).close()
        except NotOfferedError as error:
            offers.append(Offer(name, works=False, reason=str(error)))
        else:
            offers.append(Offer(name, works=True))
    return tuple(offers)
