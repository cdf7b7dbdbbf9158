"""A site of one's own for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from site_for_tests import Site, make_site


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    made = make_site(tmp_path)
    yield made
    made.service.close()
