"""The system-call filter of the sandbox: what no entry needs, and what holes were found in.

A list of refusals: numerical libraries and GPU drivers use too many calls, and change them too
often, for a list of permissions. Refused calls fail with EPERM, so that a library that only tries
its luck goes on; 32-bit calls kill the process.
"""

from __future__ import annotations

import errno
import functools
import os
import socket
from typing import Any

from iolai.errors import MissingPartError

__all__ = ["filter_program"]

_REFUSED = (
    # other processes' memory and descriptors
    *("ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "kcmp"),
    *("pidfd_getfd", "perf_event_open", "lookup_dcookie"),
    # kernel interfaces with a long record of holes
    *("io_uring_setup", "io_uring_enter", "io_uring_register", "userfaultfd", "bpf"),
    *("keyctl", "add_key", "request_key", "fanotify_init", "vmsplice", "modify_ldt"),
    # namespaces and mounts
    *("unshare", "setns", "mount", "umount2", "pivot_root", "chroot", "move_mount", "open_tree"),
    *("fsopen", "fsconfig", "fsmount", "fspick", "mount_setattr", "name_to_handle_at"),
    *("open_by_handle_at", "quotactl", "quotactl_fd", "open_tree_attr"),
    # the machine itself
    *("kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module", "reboot"),
    *("swapon", "swapoff", "acct", "syslog", "iopl", "ioperm", "vhangup", "uselib", "ustat"),
    *("sysfs", "_sysctl", "nfsservctl", "settimeofday", "clock_settime", "clock_adjtime"),
    *("adjtimex", "stime", "sethostname", "setdomainname", "memfd_secret"),
)
_NEW_NAMESPACES = (
    0x10000000,  # CLONE_NEWUSER
    0x00020000,  # CLONE_NEWNS
    0x40000000,  # CLONE_NEWNET
    0x20000000,  # CLONE_NEWPID
    0x08000000,  # CLONE_NEWIPC
    0x04000000,  # CLONE_NEWUTS
    0x02000000,  # CLONE_NEWCGROUP
)
_TERMINAL_INJECTION = (0x5412, 0x541C)  # TIOCSTI, TIOCLINUX
_SOCK_TYPE_MASK = 0xF
_SOCK_PACKET = 10
_AF_NETLINK = 16
_LAST_FAMILY = 45


@functools.cache
def filter_program() -> bytes:
    """Return the filter as a classic BPF program, as ``bwrap --seccomp`` reads it.

    Raises MissingPartError without pyseccomp or the system's libseccomp.
    """
    try:
        import pyseccomp
    except (ImportError, OSError, RuntimeError) as error:
        raise MissingPartError(
            f"the system-call filter cannot be built: {error}",
            hint="Run: pip install 'iolai[sandbox]'   and: sudo apt-get install libseccomp2",
        ) from error
    program = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
    _refuse_calls(program, pyseccomp)
    _refuse_sockets(program, pyseccomp)
    return _exported(program)


def _refuse_calls(program: Any, lib: Any) -> None:
    refuse = lib.ERRNO(errno.EPERM)
    for name in _REFUSED:
        _add(program, lib, refuse, name)
    # clone3 hides its flags behind a pointer; libraries fall back to clone on ENOSYS.
    _add(program, lib, lib.ERRNO(errno.ENOSYS), "clone3")
    for flag in _NEW_NAMESPACES:
        _add(program, lib, refuse, "clone", lib.Arg(0, lib.MASKED_EQ, flag, flag))
    for request in _TERMINAL_INJECTION:
        _add(program, lib, refuse, "ioctl", lib.Arg(1, lib.MASKED_EQ, 0xFFFFFFFF, request))


def _refuse_sockets(program: Any, lib: Any) -> None:
    """Leave unix, IPv4, IPv6 and route netlink sockets; no raw ones, no other family."""
    refuse = lib.ERRNO(errno.EPERM)
    internet = (socket.AF_INET, socket.AF_INET6)
    allowed = {int(family) for family in (socket.AF_UNIX, *internet)} | {_AF_NETLINK}
    for family in range(_LAST_FAMILY + 1):
        if family not in allowed:
            _add(program, lib, refuse, "socket", lib.Arg(0, lib.EQ, family))
    _add(program, lib, refuse, "socket", lib.Arg(0, lib.GT, _LAST_FAMILY))
    netlink = lib.Arg(0, lib.EQ, _AF_NETLINK)
    _add(program, lib, refuse, "socket", netlink, lib.Arg(2, lib.NE, 0))
    for family in internet:
        for kind in (int(socket.SOCK_RAW), _SOCK_PACKET):
            raw = lib.Arg(1, lib.MASKED_EQ, _SOCK_TYPE_MASK, kind)
            _add(program, lib, refuse, "socket", lib.Arg(0, lib.EQ, int(family)), raw)


def _add(program: Any, lib: Any, action: int, name: str, *arguments: Any) -> None:
    """Add a rule; a call that this machine's libseccomp or architecture lacks needs none."""
    try:
        number = lib.resolve_syscall(lib.Arch.NATIVE, name)
    except (OSError, ValueError):
        return
    if isinstance(number, int) and number >= 0:
        program.add_rule(action, number, *arguments)


def _exported(program: Any) -> bytes:
    handle = os.memfd_create("iolai-seccomp", os.MFD_CLOEXEC)
    with os.fdopen(handle, "w+b") as stream:
        program.export_bpf(stream)
        stream.seek(0)
        return stream.read()
