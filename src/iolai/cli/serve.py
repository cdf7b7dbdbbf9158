"""``iolai serve``: everything on one machine, the pages, the API, and a worker beside them."""

from __future__ import annotations

import os
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from iolai.cli.console import error_console
from iolai.cli.service import Home
from iolai.errors import InputError, MissingPartError

if TYPE_CHECKING:
    from socket import socket

__all__ = ["command"]

_Host = Annotated[str, typer.Option("--host", help="The address to listen on.")]
_Port = Annotated[int, typer.Option("--port", min=0, max=65535, help="The port to listen on.")]
_Slots = Annotated[
    int, typer.Option("--slots", min=1, help="How many runs the worker does at a time.")
]
_Worker = Annotated[
    bool,
    typer.Option("--worker/--no-worker", help="Whether a worker runs beside the pages."),
]
_Https = Annotated[
    bool, typer.Option("--https", help="People reach it by https, through a proxy in front.")
]
_Proxy = Annotated[
    str,
    typer.Option("--proxy", help="Addresses of proxies whose X-Forwarded-For is believed."),
]
_Name = Annotated[str, typer.Option("--name", help="What the pages call the site.")]
_JsonLogs = Annotated[bool, typer.Option("--json-logs", help="Log JSON, one object a line.")]


def command(
    home: Home = None,
    host: _Host = "127.0.0.1",
    port: _Port = 8000,
    slots: _Slots = 1,
    worker: _Worker = True,
    https: _Https = False,
    proxy: _Proxy = "127.0.0.1",
    name: _Name = "iolai",
    json_logs: _JsonLogs = False,
) -> None:
    """Serve the challenges of a home until it is stopped (Ctrl-C).

    The worker is a process of its own: it is started again where it dies. Others can be added
    with iolai worker. IOLAI_METRICS_TOKEN lets other machines read /metrics.

    Example: iolai serve --home /srv/challenge --port 8000
    """
    _require_parts()
    from iolai.challenge.logs import configure_logs
    from iolai.challenge.service import default_home, open_service
    from iolai.cli.supervisor import Supervisor

    configure_logs(as_json=json_logs)
    place = home or default_home()
    open_service(place).close()  # what is wrong with the home is said here, and once
    words = ["worker", "--home", str(place), "--slots", str(slots)]
    words += ["--json-logs"] if json_logs else []
    os.environ |= {
        "IOLAI_HOME": str(place),
        "IOLAI_SITE_NAME": name,
        "IOLAI_HTTPS": "1" if https else "0",
    }
    with Supervisor(words) if worker else nullcontext():
        _serve(place, host, port, proxy)


def _serve(place: Path, host: str, port: int, proxy: str) -> None:
    import uvicorn

    class Server(uvicorn.Server):
        """A server that says where it is once it listens there, and not before."""

        async def startup(self, sockets: list[socket] | None = None) -> None:
            await super().startup(sockets)
            if self.started:
                here = self.servers[0].sockets[0].getsockname()[1]  # another where port is 0
                said = f"Serving {place} at http://{host}:{here}/"
                error_console().print(said, markup=False)

    config = uvicorn.Config(
        "iolai.web:app_of_home",
        factory=True,
        host=host,
        port=port,
        proxy_headers=True,
        forwarded_allow_ips=proxy,
        server_header=False,
        access_log=False,
        log_config=None,
        timeout_graceful_shutdown=10,
    )
    server = Server(config)
    try:
        server.run()
    except SystemExit:
        if server.started:
            raise  # a signal said to stop
        raise InputError(
            f"{host}:{port} cannot be listened on",
            hint="Another program may hold the port: choose one with --port.",
        ) from None


def _require_parts() -> None:
    try:
        import fastapi
        import uvicorn
    except ImportError as error:
        raise MissingPartError(
            f"the challenge service needs the library {error.name}",
            hint="Install it: pip install 'iolai[server]'.",
        ) from error
    del fastapi, uvicorn
