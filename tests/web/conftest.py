"""A site of one's own for each test, and a browser to visit it with."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

from site_for_tests import Site, hash_quickly, make_home, make_site


@pytest.fixture(scope="session", autouse=True)
def quick_hashing() -> Iterator[None]:
    patch = hash_quickly()
    yield
    patch.undo()


@pytest.fixture(scope="session")
def made_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    make_home(folder)
    return folder


@pytest.fixture
def site(tmp_path: Path, made_home: Path) -> Iterator[Site]:
    made = make_site(tmp_path, made_home)
    yield made
    made.service.close()


@pytest.fixture
def address(site: Site) -> Iterator[str]:
    """Serve the site on a port of this machine while the test runs."""
    import uvicorn

    config = uvicorn.Config(site.app, host="127.0.0.1", port=0, log_level="warning", lifespan="off")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join(10)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser for one module: while it is open no other event loop may run in this thread."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium",
            args=[
                "--no-sandbox",
                "--disable-gpu",
                "--disable-background-networking",
                "--no-first-run",
            ],
        )
        yield browser
        browser.close()
