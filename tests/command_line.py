"""Running the command line inside the test process, as a shell would see it."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass

from iolai.cli import main


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str


def run(*words: object) -> Outcome:
    """Run ``iolai WORDS`` and return its exit code, stdout and stderr."""
    out, err = io.StringIO(), io.StringIO()
    with _arguments(*map(str, words)), redirect_stdout(out), redirect_stderr(err):
        try:
            main()
            code = 0
        except SystemExit as stop:
            code = int(stop.code or 0)
    return Outcome(code, out.getvalue(), err.getvalue())


@contextmanager
def _arguments(*words: str) -> Iterator[None]:
    before = sys.argv
    sys.argv = ["iolai", *words]
    try:
        yield
    finally:
        sys.argv = before
