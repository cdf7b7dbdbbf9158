"""A test that needs a system package is skipped with the reason, or fails where that is asked."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

CONFTEST = (Path(__file__).parent / "conftest.py").read_text(encoding="utf-8")
SETTINGS = (
    f"[pytest]\npythonpath = {Path(__file__).parent}\n"
    "markers =\n    system(package): needs a system package\n"
)
TEST = "import pytest\n\n@pytest.mark.system('chromium')\ndef test_it():\n    pass\n"


@pytest.mark.parametrize(
    ("place", "required", "outcome"),
    [
        ("/nowhere/chromium", "", "1 skipped"),
        ("/nowhere/chromium", "1", "1 error"),
    ],
)
def test_absent_system_package(tmp_path: Path, place: str, required: str, outcome: str) -> None:
    (tmp_path / "pytest.ini").write_text(SETTINGS, encoding="utf-8")
    (tmp_path / "conftest.py").write_text(
        CONFTEST.replace("/usr/bin/chromium", place), encoding="utf-8"
    )
    (tmp_path / "test_it.py").write_text(TEST, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-ra", "-p", "no:cacheprovider", str(tmp_path)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=os.environ | {"IOLAI_REQUIRE_SYSTEM": required},
    )
    assert outcome in done.stdout
    assert (done.returncode == 0) == (outcome == "1 skipped")
    assert "make system-deps" in done.stdout
