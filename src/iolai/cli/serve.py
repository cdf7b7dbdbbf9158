"""``iolai serve``: everything on one machine, the pages, the API, and a worker beside them."""

from __future__ import annotations

import os
from contextlib import nullcontext
from typing import TYPE_CHECKING, Annotated

import typer

from iolai.cli.console import error_console
from iolai.cli.service import Home
from iolai.errors import InputError, MissingPartError

if TYPE_CHECKING:
    from iolai.challenge.service import Service

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
    from iolai.challenge.fetching import HubSource
    from iolai.challenge.logs import configure_logs
    from iolai.challenge.service import default_home, open_service
    from iolai.cli.supervisor import Supervisor

    place = home or default_home()
    configure_logs(as_json=json_logs)
    service = open_service(place, resolve_revision=HubSource().resolve)
    words = ["worker", "--home", str(place), "--slots", str(slots)]
    words += ["--json-logs"] if json_logs else []
    with Supervisor(words) if worker else nullcontext():
        error_console().print(f"Serving {place} at http://{host}:{port}/", markup=False)
        _serve(service, host=host, port=port, https=https, proxy=proxy, name=name)


def _serve(service: Service, *, host: str, port: int, https: bool, proxy: str, name: str) -> None:
    import uvicorn

    from iolai.web import create_app

    token = os.environ.get("IOLAI_METRICS_TOKEN", "")
    app = create_app(service, site_name=name, secure=https, metrics_token=token)
    try:
        uvicorn.run(
            app,
            host=host,
            port=port,
            proxy_headers=True,
            forwarded_allow_ips=proxy,
            server_header=False,
            access_log=False,
            log_level="warning",
            timeout_graceful_shutdown=10,
        )
    except SystemExit as stop:
        raise InputError(
            f"{host}:{port} cannot be listened on",
            hint="Another program may hold the port: choose one with --port.",
        ) from stop
    finally:
        service.close()


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
