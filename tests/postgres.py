"""A PostgreSQL server that the tests start for themselves: no network, no disk guarantees."""

from __future__ import annotations

import getpass
import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

_START_S = 30


class PostgresServer:
    """Runs while the ``with`` block does, as an unprivileged user where the tests run as root."""

    def __init__(self) -> None:
        self._programs = max(Path("/usr/lib/postgresql").glob("*/bin"))
        self._as: dict[str, Any] = {}
        self._user = getpass.getuser()
        if os.geteuid() == 0:  # the server refuses to run as root
            self._user = "nobody"
            self._as = {"user": "nobody", "group": "nogroup", "extra_groups": []}
        self._n_databases = 0

    def __enter__(self) -> PostgresServer:
        # A short path: that of a unix socket may have 107 characters.
        self._folder = Path(tempfile.mkdtemp(prefix="iolai-pg-"))
        if self._as:
            shutil.chown(self._folder, "nobody", "nogroup")
        data = self._folder / "data"
        self._call(
            "initdb",
            "-D",
            str(data),
            "-A",
            "trust",
            "-E",
            "UTF8",
            "--no-sync",
            "-N",
            "--locale=C",
            "-U",
            self._user,
        )
        settings = {
            "listen_addresses": "",
            "unix_socket_directories": str(self._folder),
            "fsync": "off",
            "full_page_writes": "off",
            "max_connections": "300",
            "shared_buffers": "64MB",
        }
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        with (self._folder / "log").open("wb") as log:
            self._server = subprocess.Popen(
                [self._programs / "postgres", "-D", str(data), *options],
                stdout=log,
                stderr=log,
                cwd="/",
                env={"PATH": "/usr/bin:/bin", "LC_ALL": "C"},
                **self._as,
            )
        self._await()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.send_signal(signal.SIGQUIT)  # at once: what it wrote is thrown away
        try:
            self._server.wait(10)
        except subprocess.TimeoutExpired:
            self._server.kill()
            self._server.wait()
        shutil.rmtree(self._folder, ignore_errors=True)

    def new_database(self) -> str:
        """Make an empty database and return its URL."""
        self._n_databases += 1
        name = f"iolai{self._n_databases}"
        self._call("createdb", "-h", str(self._folder), "-U", self._user, "-T", "template0", name)
        return f"postgresql://{self._user}@/{name}?host={self._folder}"

    def _await(self) -> None:
        give_up = time.monotonic() + _START_S
        while time.monotonic() < give_up:
            if self._call("pg_isready", "-h", str(self._folder), check=False) == 0:
                return
            if self._server.poll() is not None:
                break
            time.sleep(0.05)
        raise RuntimeError((self._folder / "log").read_text(errors="replace"))

    def _call(self, program: str, *arguments: str, check: bool = True) -> int:
        done = subprocess.run(
            [self._programs / program, *arguments],
            capture_output=True,
            text=True,
            cwd="/",
            env={"PATH": "/usr/bin:/bin", "LC_ALL": "C"},
            **self._as,
        )
        if check and done.returncode:
            raise RuntimeError(done.stderr)
        return done.returncode
