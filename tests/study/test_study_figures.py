"""What the figures show: each from a small study, and each says why where there is nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from iolai.records import PredictionSet
from iolai.records.prediction import Prediction
from iolai.study.figures import FIGURES
from iolai.study.material import JuryFigure, Material, StudyEntry
from iolai.study.simulating import PlantedModel
from planted import KEY, PROBLEMS, builtin_outcomes, simulated_study


@pytest.mark.parametrize("name", FIGURES)
def test_without_data_a_figure_says_why(name: str) -> None:
    chart = FIGURES[name](Material())
    assert chart.name == name
    assert chart.reason
    assert not chart.series


def test_models_stand_by_tier_with_their_intervals() -> None:
    study = simulated_study(12, tiers={"weak": "baselines"})
    chart = FIGURES["tiers"](study)
    assert [series.name for series in chart.series] == ["baselines", "models"]
    assert [dot.x for dot in chart.series[1].dots] == ["middle", "strong"]
    assert all(dot.low is not None and dot.high is not None for dot in chart.series[1].dots)
    assert chart.synthetic


def test_entries_and_models_stand_side_by_side() -> None:
    outcomes = builtin_outcomes(PlantedModel("m", 0.5))
    predictions = PredictionSet(tuple(Prediction(o.task, o.text) for o in outcomes))
    entry = StudyEntry("e", "north", predictions=predictions)
    chart = FIGURES["problems"](Material(outcomes, PROBLEMS, KEY, (entry,)))
    entries, models = chart.series
    assert (entries.name, models.name) == ("entries", "models")
    scored = [o for o in outcomes if o.points > 0]
    assert [(d.x, d.y) for d in models.dots] == [(d.x, d.y) for d in entries.dots][: len(scored)]
    assert models.dots[0].x == "1.1"
    assert not {"2.3"} & {dot.x for dot in models.dots}, "a task of 0 points is not shown"


def test_the_best_explained_answer_stands_beside_the_reference() -> None:
    outcomes = builtin_outcomes(PlantedModel("m", 0.0), explanation="Because of the ending.")
    best = max(outcomes, key=lambda o: (o.exact_match, o.chrf))
    chart = FIGURES["explanation"](Material((*outcomes, replace(best, model="n")), PROBLEMS, KEY))
    (name, text), (other, reference) = chart.texts
    assert (name, text, other) == ("m", "Because of the ending.", "Reference")
    key = KEY.get(best.task)
    assert key is not None
    assert reference == key.explanation.strip()


def test_jury_figures() -> None:
    figures = tuple(
        JuryFigure(name, "1202601", 0.5, 0.2, kind=kind, criterion=criterion)
        for criterion in ("", "rule 1", "rule 2")
        for name, kind in (("a", "system"), ("b", "system"), ("p", "people"))
    )
    material = Material(jury=figures, n_resamples=50)
    jury = FIGURES["jury"](material)
    assert [(d.x, round(d.y, 6)) for d in jury.series[0].dots] == [("problem 1", 0.3)]
    assert jury.reference == 0
    criteria = FIGURES["criteria"](material)
    assert [dot.label for dot in criteria.series[0].dots] == ["1: rule 1", "1: rule 2"]
    people = replace(figures[2], criterion="rule 3")
    assert len(FIGURES["criteria"](replace(material, jury=(*figures, people))).series[0].dots) == 2


def test_runs_are_drawn_in_the_order_of_their_times() -> None:
    entries = (
        StudyEntry("late", "north", private=0.3, at="2026-05-02T00:00:00Z"),
        StudyEntry("early", "north", private=0.2, at="2026-05-01T00:00:00"),
        StudyEntry("undated", "north", private=0.9),
    )
    (series,) = FIGURES["runs"](Material(entries=entries)).series
    assert [dot.label for dot in series.dots] == ["early", "late"]
    assert float(series.dots[1].x) - float(series.dots[0].x) == 86400
