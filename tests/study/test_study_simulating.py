"""Simulated models: what is planted comes out, and a call repeated gives the same."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from iolai.records import Condition
from iolai.study.simulating import (
    PlantedModel,
    PlantedWorld,
    planted_tasks,
    simulate,
    simulated_answers,
)
from sample import KEY

PLAIN, ABLATED = Condition(), Condition(context="ablated")


@pytest.mark.parametrize(
    ("model", "condition"),
    [
        (PlantedModel("weak", -1.5), PLAIN),
        (PlantedModel("strong", 1.0), PLAIN),
        (PlantedModel("leaning", 0.5, {"ablated": -1.2}), ABLATED),
    ],
)
def test_the_expected_mean_is_what_many_tasks_show(
    model: PlantedModel, condition: Condition
) -> None:
    world = PlantedWorld(difficulty=0.8, effect=2.0, noise=0.5, seed=4)
    drawn = simulate(planted_tasks(1500, world), [model], [condition], [0], world)
    means = np.array([outcome.exact_match for outcome in drawn])
    error = means.std() / np.sqrt(len(means))
    assert abs(means.mean() - model.expected(condition, world)) < 3.5 * error


def test_conditions_add_up() -> None:
    model = PlantedModel("m", 1.0, {"explanation": 0.5, "ablated": -0.25, "json": -2.0})
    assert model.logit(Condition("json")) == -1.0
    assert model.logit(Condition("lines", explanation=True, context="ablated")) == 1.25
    both = replace(model, effects={"explanation+ablated": 3.0})
    assert both.logit(Condition(explanation=True)) == 1.0
    assert both.logit(Condition(explanation=True, context="ablated")) == 4.0


def test_every_draw_depends_on_the_names_alone() -> None:
    world = PlantedWorld(seed=1)
    tasks = planted_tasks(4, world)
    models = [PlantedModel("a"), PlantedModel("b")]
    together = simulate(tasks, models, [PLAIN, ABLATED], [0, 1], world)
    alone = simulate(tasks[2:3], models[1:], [ABLATED], [1], world)
    assert alone[0] in together
    assert all(outcome.synthetic for outcome in together)
    assert len(set(together)) == 4 * 2 * 2 * 2
    other = simulate(tasks, models, [PLAIN], [0], replace(world, seed=2))
    assert other != simulate(tasks, models, [PLAIN], [0], world)


def test_clean_is_the_share_of_replies_in_the_format() -> None:
    world = PlantedWorld()
    drawn = simulate(
        planted_tasks(1500, world), [PlantedModel("m", clean=0.7)], [PLAIN], [0], world
    )
    assert np.mean([outcome.has_right_count for outcome in drawn]) == pytest.approx(0.7, abs=0.04)


def test_real_tasks_are_answered_rightly_or_wrongly_as_planted() -> None:
    world = PlantedWorld()
    sure, lost = PlantedModel("sure", 50.0), PlantedModel("lost", -50.0)
    for key in KEY:
        right = simulated_answers(sure, key, PLAIN, 0, world)
        wrong = simulated_answers(lost, key, PLAIN, 0, world)
        assert all(a in ref.alternatives for a, ref in zip(right, key.references, strict=True))
        assert not any(a in ref.alternatives for a, ref in zip(wrong, key.references, strict=True))
        assert wrong == simulated_answers(lost, key, PLAIN, 0, world)
