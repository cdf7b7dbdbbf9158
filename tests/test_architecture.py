"""The shape of the package: the import rule, the door, what loads when, the length of functions."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import iolai

ROOT = Path(__file__).parents[1]
SOURCES = sorted((ROOT / "src/iolai").rglob("*.py"))
HEAVY = ("numpy", "jinja2", "rich", "typer", "multiprocessing", "torch", "scipy", "sqlalchemy")


def run_python(code: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    ).stdout


def test_data_flows_one_way() -> None:
    command = Path(sys.executable).with_name("lint-imports")
    result = subprocess.run([command], cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout


def test_the_import_rule_is_the_documented_one() -> None:
    rule = (ROOT / "pyproject.toml").read_text(encoding="utf-8").split("layers = [")[1]
    layers = [line.strip(' ",') for line in rule.split("]")[0].splitlines() if line.strip()]
    assert layers == [
        "iolai.cli | iolai.web",
        "iolai.challenge | iolai.study",
        "iolai.evaluation",
        "iolai.formats | iolai.solvers | iolai.runners | iolai.entry | iolai.metrics"
        " | iolai.board | iolai.jury | iolai.reports | iolai.store",
        "iolai.reading",
        "iolai.records",
        "iolai.files",
        "iolai.text | iolai.stats | iolai.errors",
    ]


def test_every_name_at_the_door_opens() -> None:
    assert iolai.__all__ == sorted(iolai.__all__)
    for name in iolai.__all__:
        assert getattr(iolai, name) is not None
    assert set(iolai._HOME_OF) | {"__version__"} == set(iolai.__all__)


def test_importing_iolai_loads_nothing_heavy() -> None:
    loaded = run_python("import sys, iolai; print(*sys.modules)").split()
    assert not set(HEAVY) & {name.split(".")[0] for name in loaded}


def test_the_help_page_loads_nothing_heavy() -> None:
    code = (
        "import sys, iolai.cli; sys.argv = ['iolai', '--help']\n"
        "try: iolai.cli.main()\n"
        "except SystemExit: print('loaded', *sys.modules)"
    )
    loaded = {name.split(".")[0] for name in run_python(code).split("loaded ")[1].split()}
    assert "rich" in loaded, "the page was rendered"
    assert not (set(HEAVY) - {"typer", "rich"}) & loaded


def test_only_text_normalises() -> None:
    def normalises(path: Path) -> bool:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        return any(
            isinstance(node, ast.Attribute) and node.attr in ("normalize", "is_normalized")
            for node in ast.walk(tree)
        )

    assert [path.name for path in SOURCES if normalises(path)] == ["text.py"]


def test_no_solver_knows_the_answer_key() -> None:
    forbidden = ("AnswerKey", "TaskKey", "read_key", "records.key")
    for path in (ROOT / "src/iolai/solvers").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert not [name for name in forbidden if name in text], path


def test_functions_can_be_held_in_the_head() -> None:
    long = [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or 0) - node.lineno >= 50
    ]
    assert long == []
