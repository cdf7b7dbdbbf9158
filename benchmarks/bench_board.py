"""The board's page under load: 1,000 teams, 20,000 scored submissions, 50 clients at once.

Run by ``make bench``. Two servers stand beside each other, each a process with one worker: the
challenge service, and a bare FastAPI application whose one page is the same bytes. The same clients
ask both, in turns; what is compared is the 95th percentile of the time from the request to the
last byte. Clients and servers share the machine's cores.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench_service import SLUG, load_service

#: The board's page may take so many times as long as the bare page.
MOST = 3.0
_PATH = f"/challenges/{SLUG}/board"
_ROUNDS = 3


def serve(kind: str, place: Path, port: int) -> None:
    """Serve until killed: the service of a home, or the bytes of a file."""
    import uvicorn

    app = _bare(place.read_bytes()) if kind == "bare" else _service(place)
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="error", access_log=False)


def _bare(data: bytes):  # type: ignore[no-untyped-def]
    from fastapi import FastAPI
    from fastapi.responses import Response

    app = FastAPI()

    @app.get(_PATH)
    async def page() -> Response:
        return Response(data, media_type="text/html")

    return app


def _service(home: Path):  # type: ignore[no-untyped-def]
    from iolai.challenge.service import open_service
    from iolai.web import create_app

    return create_app(open_service(home))


@contextmanager
def server(kind: str, place: Path) -> Iterator[int]:
    """Start a server in a process of its own; yield its port once it answers."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    command = [sys.executable, __file__, "--serve", kind, str(place), str(port)]
    process = subprocess.Popen(command)
    try:
        asyncio.run(_ready(port))
        yield port
    finally:
        process.terminate()
        process.wait()


async def _ready(port: int) -> None:
    while True:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            await asyncio.sleep(0.05)
        else:
            writer.close()
            return


async def ask(port: int, n_clients: int, n_requests: int) -> list[float]:
    """Ask for the page over and over from so many clients; return the seconds of each answer."""
    took: list[float] = []
    share = n_requests // n_clients

    async def client() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 22)
        for _ in range(share):
            began = time.perf_counter()
            await _fetch(reader, writer)
            took.append(time.perf_counter() - began)
        writer.close()

    await asyncio.gather(*(client() for _ in range(n_clients)))
    return took


async def _fetch(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
    writer.write(f"GET {_PATH} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    head = await reader.readuntil(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200"), head
    (length,) = (
        int(line.split(b":")[1])
        for line in head.lower().splitlines()
        if line.startswith(b"content-length:")
    )
    return await reader.readexactly(length)


async def one(port: int) -> tuple[bytes, float]:
    """Return the page, and the seconds of the first answer, for which the board is derived."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 22)
    began = time.perf_counter()
    body = await _fetch(reader, writer)
    took = time.perf_counter() - began
    writer.close()
    return body, took


def p95(values: list[float]) -> float:
    """Return the 95th percentile, in milliseconds."""
    return 1000 * statistics.quantiles(values, n=20)[-1]


def bench_board_page(home: Path, n_clients: int, n_requests: int) -> dict[str, float]:
    """Return the figures for a home whose submissions are all scored."""
    page = home / "page.html"
    with server("service", home) as port:
        body, first_s = asyncio.run(one(port))
        page.write_bytes(body)
        with server("bare", page) as bare_port:
            ours: list[float] = []
            bare: list[float] = []
            for _ in range(_ROUNDS):
                bare += asyncio.run(ask(bare_port, n_clients, n_requests))
                ours += asyncio.run(ask(port, n_clients, n_requests))
    return {
        "page_bytes": len(body),
        "clients": n_clients,
        "requests_each": len(ours),
        "first_page_s": first_s,
        "bare_p95_ms": p95(bare),
        "board_p95_ms": p95(ours),
        "bare_median_ms": 1000 * statistics.median(bare),
        "board_median_ms": 1000 * statistics.median(ours),
        "times_the_bare_page": p95(ours) / p95(bare),
        "most": MOST,
    }


def score_all(home: Path, n_teams: int, n_submissions: int) -> None:
    """Make the home, and let one worker score everything."""
    from iolai.challenge.batches import score_batch
    from iolai.challenge.workplace import Workplace

    with load_service(home, n_teams, n_submissions) as (service, _):
        place = Workplace(service, "bench")
        while score_batch(place):
            pass


def main() -> None:
    """Measure, print a table or JSON, and exit 1 where the page is too slow."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--teams", type=int, default=1000)
    parser.add_argument("--submissions", type=int, default=20_000)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--requests", type=int, default=1000, help="in each of three rounds")
    parser.add_argument("--home", type=Path, help="keep the home here; made where it is absent")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--serve", nargs=3, metavar=("KIND", "PLACE", "PORT"), help="a server")
    options = parser.parse_args()
    if options.serve:
        serve(options.serve[0], Path(options.serve[1]), int(options.serve[2]))
        return
    folder = options.home or Path(tempfile.mkdtemp(prefix="bench-"))
    try:
        if not (folder / "home" / "store.sqlite").exists():
            score_all(folder / "home", options.teams, options.submissions)
        figures = bench_board_page(folder / "home", options.clients, options.requests)
    finally:
        if options.home is None:
            shutil.rmtree(folder)
    if options.json:
        json.dump(figures, sys.stdout, indent=2)
    else:
        for name, value in figures.items():
            sys.stdout.write(f"{name:26} {value:12,.2f}\n")
    sys.exit(1 if figures["times_the_bare_page"] > MOST else 0)


if __name__ == "__main__":
    main()
