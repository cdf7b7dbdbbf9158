"""Simulated models: outcomes drawn from a truth that was planted, to try the statistics on.

The chance that a simulated model gets an item right is logistic(ability - difficulty + effects +
noise), on the logit scale: the task's difficulty is normal, an effect of a condition may vary from
task to task, and each seed of a task has noise of its own. What a statistic should find is then
known exactly (``PlantedModel.expected``). Everything is drawn by a digest of the names, so that a
call repeated gives the same answer, whatever was asked before it.

Whatever comes of simulated models is marked synthetic.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from iolai.records import Condition, ItemScore, Outcome, TaskKey
from iolai.study.material import StudyEntry

if TYPE_CHECKING:
    import numpy as np

__all__ = [
    "PlantedModel",
    "PlantedTask",
    "PlantedWorld",
    "planted_tasks",
    "simulate",
    "simulated_answers",
    "simulated_choice",
    "simulated_entries",
]

_NODES = 41  # of the quadrature; exact to 1e-6 for the spreads in use


@dataclass(frozen=True, slots=True)
class PlantedTask:
    """A task of known difficulty (logits; 0 is solved half the time by a model of ability 0)."""

    id: str
    problem: str
    difficulty: float = 0.0
    n_items: int = 5
    points: float = 1.0
    task_type: str = "translation"


@dataclass(frozen=True, slots=True)
class PlantedWorld:
    """How much things vary, as standard deviations in logits.

    ``difficulty``: of tasks. ``effect``: of an effect, from task to task. ``noise``: of a task
    from seed to seed. ``seed`` starts every draw.
    """

    difficulty: float = 1.0
    effect: float = 0.0
    noise: float = 0.3
    seed: int = 0


@dataclass(frozen=True, slots=True)
class PlantedModel:
    """A simulated model. ``effects`` are added to its ability, in logits, by what is asked.

    Keys of ``effects``: ``explanation``, ``ablated``, the name of a prompt, or
    ``explanation+ablated`` for their interaction. ``partial`` is the mean chrF of a wrong answer;
    ``clean`` the share of replies in the format asked for; ``knows`` the share of probes whose
    answer it knows (it guesses the others).
    """

    name: str
    ability: float = 0.0
    effects: Mapping[str, float] = field(default_factory=dict)
    partial: float = 0.3
    clean: float = 1.0
    knows: float = 0.0

    def logit(self, condition: Condition) -> float:
        """Return its ability under a condition."""
        return self.ability + sum(self.effects.get(name, 0.0) for name in _factors(condition))

    def expected(self, condition: Condition, world: PlantedWorld) -> float:
        """Return its true mean exact match over the tasks of a world: what to recover."""
        spread = math.hypot(world.difficulty, world.noise)
        if _factors(condition)[1:]:
            spread = math.hypot(spread, world.effect)
        return _mean_logistic(self.logit(condition), spread)


def _factors(condition: Condition) -> list[str]:
    names = [condition.prompt]
    names += ["explanation"] if condition.explanation else []
    names += [condition.context] if condition.context != "whole" else []
    if len(names) == 3:
        names.append("+".join(names[1:]))
    return names


def _mean_logistic(mean: float, spread: float) -> float:
    """Return the mean of logistic(x) for normal x, by Gauss-Hermite quadrature."""
    import numpy as np

    nodes, weights = np.polynomial.hermite_e.hermegauss(_NODES)
    values = 1 / (1 + np.exp(-(mean + spread * nodes)))
    return float((weights * values).sum() / weights.sum())


def _generator(*names: object) -> np.random.Generator:
    """Return a generator that depends on the names alone."""
    import numpy as np

    digest = hashlib.sha256("\x1f".join(map(str, names)).encode()).digest()
    return np.random.default_rng(int.from_bytes(digest[:8], "big"))


def planted_tasks(
    n_tasks: int, world: PlantedWorld, *, per_problem: int = 3
) -> tuple[PlantedTask, ...]:
    """Draw tasks from a world, numbered, so many a problem, of 3 to 8 items each."""
    generator = _generator("tasks", world.seed)
    return tuple(
        PlantedTask(
            id=f"s{number // per_problem + 1:03}-{number % per_problem + 1}",
            problem=f"s{number // per_problem + 1:03}",
            difficulty=float(generator.normal(0, world.difficulty)),
            n_items=int(generator.integers(3, 9)),
            task_type=("translation", "fill_blanks", "match_letters")[number % 3],
        )
        for number in range(n_tasks)
    )


def simulate(
    tasks: Sequence[PlantedTask],
    models: Iterable[PlantedModel],
    conditions: Iterable[Condition],
    seeds: Iterable[int],
    world: PlantedWorld,
) -> tuple[Outcome, ...]:
    """Let every model answer every task under every condition with every seed."""
    conditions, seeds = tuple(conditions), tuple(seeds)
    return tuple(
        _simulated(model, task, condition, seed, world)
        for model in models
        for condition in conditions
        for task in tasks
        for seed in seeds
    )


def _chance_of_right(
    model: PlantedModel, task: PlantedTask, condition: Condition, seed: int, world: PlantedWorld
) -> float:
    logit = model.logit(condition) - task.difficulty
    for factor in _factors(condition)[1:]:
        logit += _generator("effect", world.seed, factor, task.id).normal(0, world.effect)
    names = ("noise", world.seed, model.name, condition.name, task.id, seed)
    logit += _generator(*names).normal(0, world.noise)
    return float(1 / (1 + math.exp(-logit)))


def _simulated(
    model: PlantedModel, task: PlantedTask, condition: Condition, seed: int, world: PlantedWorld
) -> Outcome:
    right = _chance_of_right(model, task, condition, seed, world)
    generator = _generator("items", world.seed, model.name, condition.name, task.id, seed)
    hits = generator.random(task.n_items) < right
    parts = generator.beta(4 * model.partial, 4 * (1 - model.partial), task.n_items)
    wrong = generator.integers(0, 4, task.n_items)
    items = tuple(
        ItemScore("right" if hit else f"wrong {kind}", float(hit), 1.0 if hit else float(part))
        for hit, part, kind in zip(hits, parts, wrong, strict=True)
    )
    clean = bool(generator.random() < model.clean)
    return Outcome(
        model=model.name,
        condition=condition,
        seed=seed,
        problem=task.problem,
        task=task.id,
        items=items,
        task_type=task.task_type,
        points=task.points,
        n_read=task.n_items if clean else task.n_items + 1,
        is_json_list=clean,
        synthetic=True,
    )


def simulated_answers(
    model: PlantedModel, key: TaskKey, condition: Condition, seed: int, world: PlantedWorld
) -> tuple[str, ...]:
    """Answer a real task: each item rightly with the planted chance, else with a wrong text.

    The task's difficulty is drawn from the world by its id. A wrong answer is another item's
    reference where the task has one that would be wrong here, else the reference with its letters
    turned round.
    """
    difficulty = float(_generator("difficulty", world.seed, key.id).normal(0, world.difficulty))
    task = PlantedTask(key.id, "", difficulty, key.n_items)
    right = _chance_of_right(model, task, condition, seed, world)
    generator = _generator("answers", world.seed, model.name, condition.name, key.id, seed)
    firsts = [
        reference.alternatives[0] if reference.alternatives else "" for reference in key.references
    ]
    answers = []
    for reference, first in zip(key.references, firsts, strict=True):
        hit = generator.random() < right
        others = [text for text in firsts if text not in reference.alternatives]
        pick = int(generator.integers(0, max(1, len(others))))
        wrong = others[pick] if others else f"{first[::-1]}?"
        answers.append(first if hit else wrong)
    return tuple(answers)


def simulated_entries(
    n_teams: int,
    n_runs: int,
    effects: Mapping[str, float],
    *,
    between: float = 0.06,
    within: float = 0.02,
    seed: int = 0,
) -> tuple[StudyEntry, ...]:
    """Draw runs of teams whose private score rises by the planted ``effects`` of their techniques.

    Each run has each technique with chance one half. ``between`` and ``within`` are the standard
    deviations of the teams' levels and of the runs. The public score is the private one with as
    much noise again. One run a day.
    """
    entries = []
    for team in range(1, n_teams + 1):
        generator = _generator("team", seed, team)
        level = 0.2 + generator.normal(0, between)
        for run in range(1, n_runs + 1):
            techniques = tuple(tag for tag in effects if generator.random() < 0.5)
            private = level + sum(effects[tag] for tag in techniques) + generator.normal(0, within)
            public = private + generator.normal(0, within)
            entries.append(
                StudyEntry(
                    name=f"team {team}, run {run}",
                    team=f"team {team}",
                    public=min(1.0, max(0.0, float(public))),
                    private=min(1.0, max(0.0, float(private))),
                    at=f"2026-06-{run:02}T12:00:00Z",
                    techniques=techniques,
                    synthetic=True,
                )
            )
    return tuple(entries)


def simulated_choice(model: PlantedModel, probe: str, right: str, seed: int) -> str:
    """Choose a letter of a four-way probe: the right one where the model knows, else at random."""
    knows = _generator("knows", model.name, probe).random() < model.knows
    guess = "ABCD"[int(_generator("guess", model.name, probe, seed).integers(0, 4))]
    return right if knows else guess
