"""``iolai worker``: run what waits in a service's queue."""

from __future__ import annotations

from typing import Annotated

import typer

from iolai.cli.service import Home

__all__ = ["command"]

_Slots = Annotated[int, typer.Option("--slots", min=1, help="How many entries run at once.")]
_Lease = Annotated[
    float,
    typer.Option(
        "--lease", min=1, help="Seconds without a word after which a worker counts as dead."
    ),
]
_Drain = Annotated[bool, typer.Option("--drain", help="End when nothing waits and nothing runs.")]
_JsonLogs = Annotated[bool, typer.Option("--json-logs", help="Log JSON, one object a line.")]


def command(
    home: Home = None,
    slots: _Slots = 1,
    lease: _Lease = 60.0,
    drain: _Drain = False,
    json_logs: _JsonLogs = False,
) -> None:
    """Run what waits in a service's queue, until a signal says to stop.

    At a first SIGTERM or Ctrl-C it begins nothing new and ends when its runs have ended; at a
    second one it ends at once, and another worker runs what it ran.

    Example: iolai worker --home /srv/iolai --slots 2
    """
    _require_parts()
    from iolai.challenge.logs import configure_logs
    from iolai.challenge.service import default_home
    from iolai.challenge.worker import WorkerOptions, run_worker
    from iolai.errors import InputError

    place = home or default_home()
    if not place.is_dir():
        raise InputError(
            f"there is no service in {place}",
            hint="Name its home with --home; iolai challenge create makes one.",
        )
    configure_logs(as_json=json_logs)
    run_worker(place, WorkerOptions(slots=slots, lease_s=lease, drain=drain))


def _require_parts() -> None:
    from importlib.util import find_spec

    from iolai.errors import MissingPartError

    missing = [name for name in ("sqlalchemy", "dbos", "structlog") if find_spec(name) is None]
    if missing:
        raise MissingPartError(
            f"a worker needs {', '.join(missing)}, which is not installed",
            hint="Run: pip install 'iolai[server]'",
        )
