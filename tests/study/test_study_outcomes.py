"""The long table: written and read whole, grouped and averaged over seeds."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from iolai.errors import FormatError
from iolai.records import Cell, Column, Condition, ItemScore, Outcome, PredictionSet, Table
from iolai.study.outcomes import (
    grouped,
    item_csv,
    predicted,
    read_outcomes,
    scored,
    task_grid,
    write_outcomes,
)
from sample import KEY, PERFECT

ASKED = Condition("lines", explanation=True, context="ablated")


def outcome(
    model: str = "m", task: str = "t1", seed: int = 0, em: float = 1.0, **rest: object
) -> Outcome:
    items = (ItemScore("kati", em, em / 2), ItemScore('pe\n"lo', 0.0, 0.0))
    made = Outcome(model, Condition(), seed, "p1", task, items)
    return replace(made, **rest)  # type: ignore[arg-type]


def test_a_condition_is_named_by_what_it_asks() -> None:
    assert Condition().name == "lines"
    assert ASKED.name == "lines+explanation+ablated"


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "outcomes.jsonl"
    rows = (
        outcome(condition=ASKED, reply="a\nb ", confidence=(0.5, 1.0), consistency=0.25),
        outcome(state="timeout", detail="30 s were over", synthetic=True),
    )
    write_outcomes(path, rows)
    assert path.read_text(encoding="utf-8").count("\n") == 2
    assert read_outcomes(path) == rows


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"model": "m"', "no outcome"),
        ("[1]", "no object"),
        ('{"colour": 1}', "fields that an outcome has not"),
    ],
)
def test_a_line_that_is_no_outcome_is_named(tmp_path: Path, line: str, said: str) -> None:
    path = tmp_path / "outcomes.jsonl"
    write_outcomes(path, [outcome()])
    path.write_text(path.read_text(encoding="utf-8") + line + "\n", encoding="utf-8")
    with pytest.raises(FormatError, match=said) as caught:
        read_outcomes(path)
    assert "line 2" in str(caught.value)


def test_an_unknown_state_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "outcomes.jsonl"
    write_outcomes(path, [outcome(state="lost")])
    with pytest.raises(FormatError, match="no state 'lost'"):
        read_outcomes(path)


def test_scoring_follows_the_official_rule() -> None:
    made = scored(
        KEY.tasks[0], "1. Houses.\n2. cat\n3. x", model="m", condition=ASKED, seed=1, problem="p"
    )
    assert [item.exact_match for item in made.items] == [1.0, 0.0]
    assert made.exact_match == 0.5
    assert made.points == 2
    assert made.n_read == 3
    assert not made.has_right_count


def test_an_entrys_predictions_become_outcomes() -> None:
    whole = predicted(PERFECT, KEY, model="e", condition=Condition("entry"))
    assert [outcome.exact_match for outcome in whole] == [1.0] * len(KEY)
    assert [outcome.problem for outcome in whole] == ["1000001", "1000001", "1000002"]
    blank = predicted(PredictionSet(()), KEY, model="e", condition=Condition("entry"))
    assert [outcome.exact_match for outcome in blank] == [0.0] * len(KEY)


def test_the_csv_has_a_row_an_item() -> None:
    rows = list(csv.DictReader(io.StringIO(item_csv([outcome(confidence=(0.5, 0.25))]))))
    assert [row["item"] for row in rows] == ["1", "2"]
    assert rows[1]["predicted"] == 'pe\n"lo'
    assert [row["confidence"] for row in rows] == ["0.5", "0.25"]


def test_seeds_are_averaged_before_anything_else() -> None:
    rows = [outcome(seed=0, em=1.0), outcome(seed=1, em=0.0), outcome(task="t2"), outcome("n")]
    grid = task_grid(rows)
    assert grid.rows == ("m", "n")
    assert grid.values[0].tolist() == [[0.25, 0.125], [0.5, 0.25]]
    assert np.isnan(grid.values[1, 1]).all()
    assert grid.n_seeds.tolist() == [[2, 1], [1, 0]]
    assert grid.common.tasks == ("t1",)
    assert grid.of("m").tasks == ("t1", "t2")
    assert grid.of("n").fewest_seeds == 1


def test_a_task_without_points_compares_nothing() -> None:
    grid = task_grid([outcome(), outcome(task="t2", points=0.0)])
    assert grid.common.tasks == grid.of("m").tasks == ("t1",)


def test_groups_keep_their_order() -> None:
    rows = [outcome("b"), outcome("a"), outcome("b", task="t2")]
    groups = grouped(rows, lambda row: row.model)
    assert list(groups) == ["b", "a"]
    assert [row.task for row in groups["b"]] == ["t1", "t2"]


def test_a_cell_says_why_it_is_empty() -> None:
    with pytest.raises(ValueError, match="neither a value nor a reason"):
        Cell()
    with pytest.raises(ValueError, match="no number"):
        Cell(float("nan"))


def test_a_table_is_looked_up_by_names() -> None:
    columns = (Column("model", "Model"), Column("em", "EM", "score"))
    table = Table("t", "T", columns, ((Cell("m"), Cell(0.5, synthetic=True)),))
    assert table.row("m")["em"].value == 0.5
    assert table.column("em")[0].value == 0.5
    assert table.synthetic
    with pytest.raises(ValueError, match="neither rows nor a reason"):
        Table("t", "T", columns)
    with pytest.raises(ValueError, match="2 named"):
        Table("t", "T", columns, ((Cell("m"),),))
