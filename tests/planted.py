"""Small studies of simulated models, whose truth is known."""

from __future__ import annotations

import json

from iolai.evaluation import read_builtin
from iolai.records import Condition, Outcome
from iolai.study.material import Material
from iolai.study.outcomes import scored
from iolai.study.simulating import (
    PlantedModel,
    PlantedWorld,
    planted_tasks,
    simulate,
    simulated_answers,
)

PLAIN = Condition()
ABLATED = Condition(context="ablated")
EXPLAINED = Condition(explanation=True)
WORLD = PlantedWorld(difficulty=0.8, noise=0.2, seed=3)
PROBLEMS, KEY = read_builtin()
MODELS = (
    PlantedModel("weak", -1.5),
    PlantedModel("strong", 1.0, {"ablated": -1.5, "explanation": 0.9}),
    PlantedModel("middle", -0.4, {"ablated": -0.7}),
)


def simulated_study(n_tasks: int = 24, **settings: object) -> Material:
    """Return outcomes of invented tasks under three conditions, two seeds each."""
    outcomes = simulate(
        planted_tasks(n_tasks, WORLD), MODELS, (PLAIN, ABLATED, EXPLAINED), (0, 1), WORLD
    )
    return Material(outcomes, n_resamples=800, **settings)  # type: ignore[arg-type]


def builtin_outcomes(model: PlantedModel, **rest: object) -> tuple[Outcome, ...]:
    """Return a simulated model's answers to the first four built-in problems."""
    found = []
    for problem in PROBLEMS.problems[:4]:
        for task in problem.tasks:
            key = KEY.get(task.id)
            assert key is not None
            answers = simulated_answers(model, key, PLAIN, 0, WORLD)
            found.append(
                scored(
                    key,
                    json.dumps(answers, ensure_ascii=False),
                    model=model.name,
                    condition=PLAIN,
                    seed=0,
                    problem=problem.id,
                    language=task.task_lang[0].split("_")[0],
                    **rest,
                )
            )
    return tuple(found)
