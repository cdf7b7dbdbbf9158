"""What isolation, limits, GPU and services this machine offers, found out by trying.

Without isolation nothing runs: ``require_isolation`` raises, and its hint is the command that
would allow it.
"""

from __future__ import annotations

import os
import shutil
import stat
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from iolai.errors import IolaiError, MissingPartError
from iolai.runners.base import Limits, RunRequest
from iolai.runners.bubblewrap import find_tools, gpu_nodes, python_roots
from iolai.runners.limiting import choose_limiter, offered
from iolai.runners.logs import LogKeeper
from iolai.runners.pinning import PinnedEntry
from iolai.runners.redact import Redactor
from iolai.runners.sandbox import sandboxed
from iolai.runners.seccomp import filter_program
from iolai.runners.supervise import SetupError

__all__ = ["Check", "Report", "examine", "require_isolation", "usable_python"]

_LIMITS = "limits by "
_SYSTEM_PYTHON = Path("/usr/bin/python3")
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
        with sandboxed(request, limiter, LogKeeper(Redactor(()), 0, None), python=_TRUE) as run:
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


@cache
def usable_python(wanted: Path | None) -> Path:
    """Return the interpreter for entries: the one wanted, else this one, else the system's.

    Raises MissingPartError where the uid that a run has may not read and run it.
    """
    choices = [wanted] if wanted is not None else [Path(sys.executable), _SYSTEM_PYTHON]
    barred = ""
    for python in choices:
        barred = _what_bars(python)
        if not barred:
            return python if (python.parent.parent / "pyvenv.cfg").is_file() else python.resolve()
    place = choices[-1]
    raise MissingPartError(
        f"an entry's interpreter {place} cannot be used by the uid that runs it: {barred}",
        hint=f"Run: chmod o+rx {barred}   or name an interpreter that all users may run"
        if Path(barred).exists()
        else "Run: sudo apt-get install python3   or name another interpreter",
    )


def _what_bars(python: Path) -> str:
    """Return the file or folder that keeps the run's uid from an interpreter, or nothing."""
    roots = python_roots(python)
    for root in roots:
        if not _is_pythons_own(root):
            return f"{root} (which would be shown to the entry, and is no Python's own folder)"
    places = [python, python.resolve(), *roots]
    if os.geteuid() != 0:
        barred = (p for p in places if not os.access(p, os.R_OK | os.X_OK))
        return str(next(barred, ""))
    for place in places:
        for part in (*reversed(place.resolve().parents), place.resolve()):
            try:
                mode = part.stat().st_mode
            except OSError:
                return str(part)
            needed = stat.S_IXOTH if part != place.resolve() else stat.S_IXOTH | stat.S_IROTH
            if mode & needed != needed:
                return str(part)
    return ""


def _is_pythons_own(root: Path) -> bool:
    """Say whether a folder is an installation's: what is unreadable is judged elsewhere."""
    try:
        return any((root / "lib").glob("python3*"))
    except PermissionError:
        return True


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
