"""The benchmark of solvers: settings chosen without the problems they are scored on; resumable."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

import bench_solvers as bench

Row = dict[str, Any]


def row(setting: str, problem: str, figure: float) -> Row:
    return {
        "code": "x", "set": "s", "solver": "induction", "setting": setting, "seed": 0,
        "problem": problem, "seconds": 1.0, "peak_mib": 9,
        "tasks": [[f"{problem}-1", "translation", 1.0, figure, figure]],
    }  # fmt: skip


def test_a_setting_is_scored_on_problems_that_did_not_choose_it() -> None:
    """One setting is best on one fold alone: whoever looked at that fold would take it."""
    problems = [f"p{i}" for i in range(40)]
    rows = [row("plain", p, 0.5) for p in problems]
    rows += [row("lucky", p, 1.0 if bench.fold_of(p) == 2 else 0.45) for p in problems]
    said = "\n".join(bench.leave_problems_out(rows))
    n_lucky = sum(bench.fold_of(p) == 2 for p in problems)
    chosen = said.partition("other four folds: ")[2].partition(".")[0].split(", ")
    assert chosen[2] == "plain"  # by the other folds it is the better one
    expected = sum(
        (100.0 if bench.fold_of(p) == 2 else 45.0) if chosen[bench.fold_of(p)] == "lucky" else 50.0
        for p in problems
    )
    assert n_lucky > 2
    assert f"{expected / len(problems):.1f} (EM" in said


def test_what_was_run_is_not_run_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []

    def measured(where: Any, problem: Any, solver: str, *_: Any) -> Row:
        calls.append(problem.id)
        made = row("", problem.id, 0.5)
        return {**made, "code": bench.code_version(), "set": where.name, "solver": solver}

    monkeypatch.setattr(bench, "measured", measured)
    where = bench.Sets("s", *bench.read_builtin())
    cache = tmp_path / "cache.jsonl"
    plan = [(where, "induction", "", 0)]
    first = bench.run_all(plan, cache, float("inf"))
    cache.write_text(cache.read_text(encoding="utf-8")[:-30], encoding="utf-8")  # cut off
    again = bench.run_all(plan, cache, float("inf"))
    assert first == again
    assert len(calls) == len(where.problems) + 1
    assert len(bench.read_cache(cache)) == len(where.problems)


def test_a_setting_is_run_only_where_something_is_translated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[tuple[str, str]] = []

    def measured(where: Any, problem: Any, solver: str, setting: str, *_: Any) -> Row:
        calls.append((problem.id, setting))
        made = {"code": bench.code_version(), "set": where.name, "solver": solver}
        return {**row(setting, problem.id, 0.5), **made}

    monkeypatch.setattr(bench, "measured", measured)
    where = bench.Sets("s", *bench.read_builtin())
    plan = [(where, "induction", setting, 0) for setting in (bench.DEFAULT, "4 fits")]
    rows = bench.run_all(plan, tmp_path / "cache.jsonl", float("inf"))
    translated = {p.id for p in where.problems if bench.is_translated(p)}
    assert {name for name, setting in calls if setting == "4 fits"} == translated
    assert len(translated) < len(where.problems)
    assert len(rows) == 2 * len(where.problems)


def test_an_unfinished_run_is_not_shown(tmp_path: Path) -> None:
    where = bench.Sets("s", *bench.read_builtin())
    assert bench.run_all([(where, "identity", "", 0)], tmp_path / "none.jsonl", -1.0) == []


def test_figures_are_weighted_by_points_and_means_over_seeds() -> None:
    rows = [row("", "p1", 1.0), {**row("", "p1", 0.0), "seed": 1}, row("", "p2", 0.0)]
    rows[2]["tasks"][0][2] = 3.0
    tasks = bench.by_task(rows)
    assert tasks["p1-1"][2:] == (50.0, 50.0)
    assert bench.score_of(tasks.values())[1] == pytest.approx(12.5)
    assert json.dumps(bench.table_of(rows))
