"""A site of one's own for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

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
