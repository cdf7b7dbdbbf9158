"""Effects of a change in what is asked: the same model, tasks and seeds under two conditions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from iolai.records import Cell, Column, Condition, Outcome, Table
from iolai.study.comparing import (
    Resampler,
    corrected,
    interval_note,
    missing,
    p_cell,
    text,
)
from iolai.study.material import Material
from iolai.study.outcomes import grouped, task_grid

__all__ = ["LEVEL", "Change", "effect_by_model", "effect_by_problem"]

#: The level of the intervals, as in the tables of this kind that papers print.
LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Change:
    """A change from one condition to another, and the words for the two.

    ``name`` is the stem of the tables' files; ``changed`` makes the condition after the change.
    """

    name: str
    title: str
    before: str
    after: str
    changed: Callable[[Condition], Condition]

    def pair(self, material: Material) -> tuple[Condition, Condition] | None:
        """Return the two conditions: those of the comparison, else the first pair asked for."""
        asked = dict.fromkeys(outcome.condition for outcome in material.tasks)
        for base in (material.condition, *asked):
            other = self.changed(base)
            if base != other and base in asked and other in asked:
                return base, other
        return None


def _why(change: Change) -> str:
    return f"no model was asked both ways: {change.before} and {change.after}"


def effect_by_model(material: Material, change: Change) -> Table:
    """Return the change of each model's score: unit task, seeds averaged, corrected over models."""
    columns = (
        Column("model", "Model"),
        Column("before", f"Score, {change.before}", "score"),
        Column("after", f"Score, {change.after}", "score"),
        Column("difference", "Change in score", "difference"),
        Column("p", "p (Holm)", "p"),
        Column("exact_match", "Change in EM", "difference"),
        Column("exact_match_p", "p (Holm)", "p"),
    )
    name, title = change.name, f"{change.title}, by model"
    pair = change.pair(material)
    if pair is None:
        return Table(name, title, columns, reason=_why(change))
    base, other = pair
    resampler = Resampler.of(material, LEVEL)
    grids = {
        model: task_grid(
            [o for o in outcomes if o.condition in pair], lambda outcome: outcome.condition.name
        )
        for model, outcomes in grouped(material.tasks, lambda outcome: outcome.model).items()
    }
    grids = {model: grid for model, grid in grids.items() if grid.rows}
    by_figure = {
        figure: corrected(
            resampler.difference(grid, other.name, base.name, figure) for grid in grids.values()
        )
        for figure in ("score", "exact_match")
    }
    rows = tuple(
        (
            text(model),
            resampler.figure(grid, base.name),
            resampler.figure(grid, other.name),
            score,
            p_cell(score),
            em,
            p_cell(em),
        )
        for (model, grid), score, em in zip(grids.items(), *by_figure.values(), strict=True)
    )
    notes = (
        f"{other.name} minus {base.name}, paired by task; p: exchange within tasks, two-sided, "
        "corrected over the models of a column.",
        interval_note(material, LEVEL),
    )
    return Table(name, title, columns, rows, notes)


def effect_by_problem(material: Material, change: Change) -> Table:
    """Return the change of exact match on each problem, all models and each model.

    About one problem as it stands nothing is sampled but the answers: the pairs are a model with
    a seed, the problem's tasks taken together by their points.
    """
    pair = change.pair(material)
    models = tuple(dict.fromkeys(outcome.model for outcome in material.tasks))
    columns = (
        Column("problem", "Problem"),
        Column("language", "Language"),
        Column("difference", "Change in EM, all models", "difference"),
        Column("p", "p (Holm)", "p"),
        *(Column(model, model, "difference") for model in models),
    )
    name, title = f"{change.name}-problems", f"{change.title}, by problem"
    if pair is None:
        return Table(name, title, columns, reason=_why(change))
    resampler = Resampler.of(material, LEVEL)
    problems = grouped(
        (o for o in material.tasks if o.condition in pair and o.points > 0),
        lambda outcome: outcome.problem,
    )
    overall = corrected(_change(list(o), pair, resampler) for o in problems.values())
    rows = tuple(
        (
            text(problem),
            text(outcomes[0].language),
            cell,
            p_cell(cell),
            *(_change([o for o in outcomes if o.model == m], pair, resampler) for m in models),
        )
        for (problem, outcomes), cell in zip(problems.items(), overall, strict=True)
    )
    notes = (
        f"{pair[1].name} minus {pair[0].name}; n counts pairs of a model and a seed. p: exchange "
        "within pairs, two-sided, corrected over the problems.",
        f"Intervals: {100 * LEVEL:.0f}%, expanded percentile bootstrap over the pairs, "
        f"{material.n_resamples} resamples, seed {material.seed}.",
    )
    return Table(name, title, columns, rows, notes, "" if rows else "no problem has points")


def _change(
    outcomes: list[Outcome], pair: tuple[Condition, Condition], resampler: Resampler
) -> Cell:
    """Return the mean change over the pairs of a model and a seed."""
    means: dict[tuple[str, int], dict[Condition, float]] = {}
    for unit, members in grouped(outcomes, lambda o: (o.model, o.seed)).items():
        for condition, asked in grouped(members, lambda o: o.condition).items():
            points = sum(outcome.points for outcome in asked)
            mean = sum(outcome.points * outcome.exact_match for outcome in asked) / points
            means.setdefault(unit, {})[condition] = mean
    changes = [m[pair[1]] - m[pair[0]] for m in means.values() if len(m) == 2]
    if not changes:
        return missing("not asked both ways", n=0)
    n_seeds = len({seed for _, seed in means})
    return resampler.tested(
        changes, n_seeds=n_seeds, synthetic=any(outcome.synthetic for outcome in outcomes)
    )
