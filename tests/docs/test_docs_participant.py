"""docs/guide-participant.md agrees with the code: its commands run, its tables are complete."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

from command_line import run
from iolai.entry import ENTRY_KINDS, STARTERS
from iolai.errors import MissingPartError
from iolai.runners import Limits, Outcome
from iolai.runners.preflight import require_isolation

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/guide-participant.md").read_text(encoding="utf-8")


def table(heading: str) -> list[str]:
    """The names in the first column of the table that begins with a heading."""
    rows = PAGE.split(f"| {heading} |")[1].split("\n\n")[0].splitlines()[2:]
    return [name for row in rows for name in re.findall(r"`([^`]+)`", row.split("|")[1])]


def can_isolate() -> bool:
    try:
        require_isolation()
    except MissingPartError:
        return False
    return True


def test_every_command_runs_in_its_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    blocks = re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
    commands = [line.removeprefix("$ ") for block in blocks for line in block.splitlines()]
    assert len(commands) >= 6
    isolated = can_isolate()
    for command in commands:
        words = shlex.split(command)
        needs_sandbox = words[1:3] == ["entry", "run"] and "--trusted" not in words
        outcome = run(*words[1:])
        expected = 2 if needs_sandbox and not isolated else 0
        assert outcome.code == expected, (command, outcome.err)
    assert (tmp_path / "my-entry.tar.gz").is_file()


def test_the_table_of_kinds_is_complete() -> None:
    assert table("kind") == list(ENTRY_KINDS)


def test_the_tables_of_starting_points_and_outcomes_are_complete() -> None:
    assert table("`--starter`") == list(STARTERS)
    assert table("outcome") == [outcome.value for outcome in Outcome]


def test_the_limits_are_those_that_are_told() -> None:
    assert f"{Limits().wall_s:,.0f} seconds" in PAGE
    assert f"{Limits().memory_mib // 1024} GiB of memory" in PAGE
