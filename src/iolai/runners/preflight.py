"""What isolation, limits, GPU and services this machine offers, found out by trying.

Without isolation nothing runs: ``require_isolation`` raises, and its hint is the command that
would allow it.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from iolai.errors import IolaiError, MissingPartError
from iolai.runners.base import Limits, RunRequest
from iolai.runners.bubblewrap import find_tools, gpu_nodes
from iolai.runners.interpreter import usable_python
from iolai.runners.limiting import choose_limiter, offered
from iolai.runners.logs import LogKeeper
from iolai.runners.pinning import PinnedEntry
from iolai.runners.redact import Redactor
from iolai.runners.sandbox import sandboxed
from iolai.runners.seccomp import filter_program
from iolai.runners.supervise import SetupError

__all__ = ["Check", "Report", "examine", "require_isolation"]

_LIMITS = "limits by "
_TRUE = Path("/usr/bin/true")


@dataclass(frozen=True, slots=True)
class Check:
    """One finding: what was looked at, whether it works, what was seen, what would mend it.

    ``is_needed`` says that no untrusted entry runs on this machine without it.
    """

    name: str
    works: bool
    detail: str
    hint: str = ""
    is_needed: bool = False


@dataclass(frozen=True, slots=True)
class Report:
    """All findings about this machine."""

    checks: tuple[Check, ...]

    @property
    def is_safe(self) -> bool:
        """Whether this machine may run entries nobody trusts."""
        return all(check.works for check in self.checks if check.is_needed)

    @property
    def limits_by(self) -> str:
        """The mechanism that would hold a run's limits: the first that works."""
        names = (check.name for check in self.checks if check.works)
        return next((n.removeprefix(_LIMITS) for n in names if n.startswith(_LIMITS)), "nothing")


def examine() -> Report:
    """Try everything a run may use; takes a fraction of a second."""
    return Report(
        (
            _check("bubblewrap", lambda: find_tools().bwrap),
            _check("system-call filter", lambda: f"{len(filter_program()) // 8} instructions"),
            _check("isolation", _isolation_works),
            _check("interpreter", lambda: str(usable_python(None))),
            *_limits(),
            _gpu(),
            *_services(),
        )
    )


def require_isolation() -> None:
    """Raise MissingPartError, with the command that helps, where an entry cannot be isolated."""
    _isolation_works()


def _check(name: str, attempt: Callable[[], str]) -> Check:
    try:
        return Check(name, True, attempt(), is_needed=True)
    except IolaiError as error:
        return Check(name, False, error.message, error.hint, is_needed=True)


def _isolation_works() -> str:
    """Run ``true`` in the whole sandbox."""
    if not sys.platform.startswith("linux"):
        raise MissingPartError(
            f"entries are isolated by Linux namespaces, and this is {sys.platform}",
            hint="Use a Linux machine, a virtual one or WSL2.",
        )
    request = RunRequest(PinnedEntry(Path("/usr"), ()), "id\n", Limits(wall_s=30, memory_mib=256))
    limiter = choose_limiter(request.limits)
    try:
        with sandboxed(request, limiter, LogKeeper(Redactor(()), 0, None), python=_TRUE) as (
            run,
            _,
        ):
            ending = run.watch(request.limits)
    except SetupError as error:
        raise MissingPartError(str(error), hint=_how_to_allow()) from error
    finally:
        limiter.close()
    if ending.exit_code != 0:
        raise MissingPartError(
            f"a program that does nothing ended with {ending.exit_code} in the sandbox",
            hint=_how_to_allow(),
        )
    return f"a program ran in namespaces of its own, limits by {limiter.name}"


def _how_to_allow() -> str:
    """Name the command that would allow namespaces on this machine."""
    switches = (
        ("kernel/apparmor_restrict_unprivileged_userns", "1", "0"),
        ("kernel/unprivileged_userns_clone", "0", "1"),
        ("user/max_user_namespaces", "0", "15000"),
    )
    for name, bad, good in switches:
        if _read(Path("/proc/sys", name)) == bad:
            setting = name.replace("/", ".")
            return f"Run: sudo sysctl -w {setting}={good}   (unprivileged namespaces are off)"
    if Path("/.dockerenv").exists() or Path("/run/.containerenv").exists():
        return (
            "Start the container with: --security-opt seccomp=unconfined "
            "--security-opt apparmor=unconfined --security-opt systempaths=unconfined"
        )
    return "See what 'bwrap --unshare-all --ro-bind / / true' says; the kernel must allow it."


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except OSError:
        return ""


def _limits() -> list[Check]:
    """Say which mechanism holds the limits, and for each what it is or why it is not offered."""
    offers = offered()
    is_weak = not any(offer.works for offer in offers[:-1])
    hint = "Run as root, or under systemd, to have limits that the kernel holds." if is_weak else ""
    return [
        Check(f"{_LIMITS}{offer.name}", offer.works, offer.reason or "offered", hint)
        for offer in offers
    ]


def _gpu() -> Check:
    nodes = gpu_nodes()
    return Check("GPU", bool(nodes), " ".join(nodes) or "no device files of a GPU")


def _services() -> list[Check]:
    sbatch = shutil.which("sbatch")
    hub = find_spec("huggingface_hub") is not None
    return [
        Check("Slurm", bool(sbatch), sbatch or "no sbatch", "Needed only for --runner slurm."),
        Check(
            "Hugging Face Jobs",
            hub,
            "huggingface_hub is installed" if hub else "no huggingface_hub",
            "" if hub else "Run: pip install 'iolai[hf]'   (needed only for --runner hf_jobs)",
        ),
    ]
