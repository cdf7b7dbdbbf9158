"""Whatever the material lacks, analyses and figures give tables and charts, never an error."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from iolai.records import CALL_STATES, Condition, Outcome
from iolai.reports.tables import TABLE_FORMATS
from iolai.study.figures import FIGURES
from iolai.study.material import JuryFigure, Material, StudyEntry
from iolai.study.probes import make_probes, probe_outcome
from iolai.study.registry import ANALYSES
from iolai.study.simulating import PlantedModel, simulated_entries
from planted import KEY, PROBLEMS, builtin_outcomes, simulated_study

PROBES = make_probes(PROBLEMS, KEY, n_words=1)[:6]
POOL = (
    *simulated_study(6).outcomes,
    *builtin_outcomes(PlantedModel("one", 0.2), explanation="It is so $because$ of\nthe ending"),
    *builtin_outcomes(PlantedModel("two | <b>", -1.0), reply="Bantu " * 40),
    *(probe_outcome(probe, letter, model="one", seed=0) for probe in PROBES for letter in "AX"),
)


#: Of the first thousand those that once failed, and a few more.
SEEDS = (*range(8), 194)


def odd(outcome: Outcome, draw: random.Random) -> Outcome:
    changes: list[dict[str, object]] = [
        {},
        {"points": 0.0},
        {"state": draw.choice(CALL_STATES)},
        {"items": outcome.items[:1]},
        {"condition": Condition("json", context="ablated")},
        {"seed": 7, "confidence": (0.5,), "consistency": 0.0},
        {"text": "", "reply": ""},
        {"language": ""},
    ]
    return replace(outcome, **draw.choice(changes))  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", SEEDS)
def test_odd_material(seed: int) -> None:
    draw = random.Random(seed)  # noqa: S311
    outcomes = draw.sample(POOL, draw.choice((0, 1, 2, 7, 40)))
    entries = simulated_entries(2, 3, {"vote": 0.1}, seed=seed)
    entries += (StudyEntry("", "", script="def broken(:", at="yesterday"),)
    jury = [JuryFigure("a", "p", 0.5), JuryFigure("b", "p", 0.1, 0.2, "people", "rule")]
    material = Material(
        tuple(odd(outcome, draw) for outcome in outcomes),
        PROBLEMS if seed % 2 else Material().problems,
        KEY if seed % 3 else Material().key,
        tuple(draw.sample(entries, draw.randint(0, len(entries)))),
        tuple(draw.sample(jury, draw.randint(0, 2))),
        {("swh", "pages"): 1.0} if seed % 2 else {},
        n_resamples=40,
        seed=seed,
    )
    for analysis in ANALYSES.values():
        for table in analysis(material):
            assert table.rows or table.reason
            for write in TABLE_FORMATS.values():
                assert write(table)
    for make in FIGURES.values():
        chart = make(material)
        assert chart.reason or chart.series or chart.texts
