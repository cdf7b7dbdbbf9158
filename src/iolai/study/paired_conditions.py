"""Effects of a change in what is asked: the same model, tasks and seeds under two conditions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from iolai.records import Cell, Column, Condition, Outcome, Table
from iolai.study.comparing import (
    FEW_UNITS,
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

    def pair(self, material: Material, model: str) -> tuple[Condition, Condition] | None:
        """Return a model's two conditions: those of its comparison, else the first pair asked."""
        asked = dict.fromkeys(o.condition for o in material.tasks if o.model == model)
        for base in (material.base_of(model), *asked):
            other = self.changed(base)
            if base != other and base in asked and other in asked:
                return base, other
        return None

    def pairs(self, material: Material) -> dict[str, tuple[Condition, Condition]]:
        """Return the two conditions of every model that was asked both ways."""
        models = dict.fromkeys(outcome.model for outcome in material.tasks)
        found = {model: self.pair(material, model) for model in models}
        return {model: pair for model, pair in found.items() if pair is not None}


def _said(pairs: Mapping[str, tuple[Condition, Condition]]) -> str:
    """Write which condition is taken from which: once where it is the same for all models."""
    said = dict.fromkeys(f"{other.name} minus {base.name}" for base, other in pairs.values())
    return "; ".join(said)


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
    pairs = change.pairs(material)
    if not pairs:
        return Table(name, title, columns, reason=_why(change))
    resampler = Resampler.of(material, LEVEL)
    grids = {
        model: task_grid(
            [o for o in material.tasks if o.model == model and o.condition in pair],
            lambda outcome: outcome.condition.name,
        )
        for model, pair in pairs.items()
    }
    by_figure = {
        figure: corrected(
            resampler.difference(grid, pairs[model][1].name, pairs[model][0].name, figure)
            for model, grid in grids.items()
        )
        for figure in ("score", "exact_match")
    }
    rows = tuple(
        (
            text(model),
            resampler.figure(grid, pairs[model][0].name),
            resampler.figure(grid, pairs[model][1].name),
            score,
            p_cell(score),
            em,
            p_cell(em),
        )
        for (model, grid), score, em in zip(grids.items(), *by_figure.values(), strict=True)
    )
    notes = (
        f"{_said(pairs)}, paired by task; p: exchange within tasks, two-sided, "
        "corrected over the models of a column.",
        interval_note(material, LEVEL),
    )
    return Table(name, title, columns, rows, notes)


def effect_by_problem(material: Material, change: Change) -> Table:
    """Return the change of exact match on each problem, all models and each model.

    About one problem as it stands nothing is sampled but the answers: the pairs are a model with
    a seed, the problem's tasks taken together by their points.
    """
    pairs = change.pairs(material)
    columns = (
        Column("problem", "Problem"),
        Column("language", "Language"),
        Column("difference", "Change in EM, all models", "difference"),
        Column("p", "p (Holm)", "p"),
        *(Column(model, model, "difference") for model in pairs),
    )
    name, title = f"{change.name}-problems", f"{change.title}, by problem"
    if not pairs:
        return Table(name, title, columns, reason=_why(change))
    resampler = Resampler.of(material, LEVEL)
    problems = grouped(
        (o for o in material.tasks if o.condition in pairs.get(o.model, ()) and o.points > 0),
        lambda outcome: outcome.problem,
    )
    overall = corrected(_change(o, pairs, resampler) for o in problems.values())
    rows = tuple(
        (
            text(problem),
            text(outcomes[0].language),
            cell,
            p_cell(cell),
            *(_change([o for o in outcomes if o.model == m], pairs, resampler) for m in pairs),
        )
        for (problem, outcomes), cell in zip(problems.items(), overall, strict=True)
    )
    notes = (
        f"{_said(pairs)}; n counts pairs of a model and a seed. p: exchange "
        "within pairs, two-sided, corrected over the problems.",
        f"Intervals: {100 * LEVEL:.0f}%, expanded percentile bootstrap over the pairs, "
        f"{material.n_resamples} resamples, seed {material.seed}; {FEW_UNITS}.",
    )
    return Table(name, title, columns, rows, notes, "" if rows else "no problem has points")


def _change(
    outcomes: Sequence[Outcome],
    pairs: Mapping[str, tuple[Condition, Condition]],
    resampler: Resampler,
) -> Cell:
    """Return the mean change over the pairs of a model and a seed."""
    changes: list[float] = []
    seeds: set[int] = set()
    for (model, seed), members in grouped(outcomes, lambda o: (o.model, o.seed)).items():
        before, after = (
            [outcome for outcome in members if outcome.condition == condition]
            for condition in pairs[model]
        )
        if before and after:
            changes.append(_exact_match(after) - _exact_match(before))
            seeds.add(seed)
    if not changes:
        return missing("not asked both ways", n=0)
    return resampler.tested(
        changes, n_seeds=len(seeds), synthetic=any(outcome.synthetic for outcome in outcomes)
    )


def _exact_match(outcomes: Sequence[Outcome]) -> float:
    points = sum(outcome.points for outcome in outcomes)
    return sum(outcome.points * outcome.exact_match for outcome in outcomes) / points
