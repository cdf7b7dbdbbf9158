"""Ensembles: what choosing among the models' answers would give.

Choosing by the key is a ceiling and no system; it is labelled ``oracle (uses the key)``. Beside it
stand choices that can be deployed: a vote, consistency with the problem's examples, confidence.
Every choice is made for each task and seed by itself; the models stand in the order in which they
were listed, and a tie goes to the first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from iolai.records import Cell, Column, ItemScore, Outcome, Table
from iolai.study.comparing import (
    Resampler,
    corrected,
    interval_note,
    missing,
    p_cell,
    text,
)
from iolai.study.material import Material
from iolai.study.outcomes import Grid, grouped, task_grid
from iolai.text import normalise_answer

__all__ = ["CHOICES", "ORACLE", "Choice", "ensemble_tables"]

ORACLE = "oracle (uses the key)"
BEST = "best model (found with the key)"

#: Makes one answer of several models' answers to one task: the answer, and whose it is ("" for a
#: mixture), or None where these answers do not allow the choice.
Choose = Callable[[Sequence[Outcome]], tuple[Outcome, str] | None]


@dataclass(frozen=True, slots=True)
class Choice:
    """A way to choose; ``needs`` says what the answers lack where it cannot be done."""

    name: str
    choose: Choose
    needs: str = ""


def _oracle(answers: Sequence[Outcome]) -> tuple[Outcome, str] | None:
    best = max(answers, key=lambda outcome: (outcome.exact_match, outcome.chrf))
    return best, best.model


def _vote(answers: Sequence[Outcome]) -> tuple[Outcome, str] | None:
    return _elected_of(answers)


def _elected_of(answers: Sequence[Outcome]) -> tuple[Outcome, str]:
    """For each item, take the commonest answer that is not blank; of equals the first."""
    items = tuple(_elected(column) for column in zip(*(a.items for a in answers), strict=False))
    return replace(answers[0], items=items, n_read=len(items)), ""


def _elected(items: Sequence[ItemScore]) -> ItemScore:
    forms = [normalise_answer(item.predicted) for item in items]
    votes = Counter(form for form in forms if form)
    if not votes:
        return items[0]
    most = max(votes.values())
    return next(i for i, form in zip(items, forms, strict=True) if votes.get(form) == most)


def _consistent(answers: Sequence[Outcome]) -> tuple[Outcome, str] | None:
    able = [answer for answer in answers if answer.consistency]
    if not able:
        return None
    best = max(able, key=lambda answer: answer.consistency or 0.0)
    return best, best.model


def _confident(answers: Sequence[Outcome]) -> tuple[Outcome, str] | None:
    able = [answer for answer in answers if answer.confidence]
    if not able:
        return None
    best = max(able, key=lambda answer: sum(answer.confidence) / len(answer.confidence))
    return best, best.model


#: The choices in the order of the table: one function above and one line here.
CHOICES: tuple[Choice, ...] = (
    Choice(ORACLE, _oracle),
    Choice("vote", _vote),
    Choice("consistency with the examples", _consistent, "no model's rules give an example again"),
    Choice("confidence", _confident, "no model says its confidence"),
)


def ensemble_tables(material: Material) -> tuple[Table, ...]:
    """Return ``ensembles`` (scores beside the best model's) and ``ensemble-shares``."""
    models = tuple(dict.fromkeys(outcome.model for outcome in material.compared))
    grid = task_grid(material.compared)
    common = grid.common
    reason = material.why_no_tasks
    if not reason and len(models) < 2:
        reason = "there is one model; nothing to choose among"
    if not reason and not common.tasks:
        reason = "there is no task with points that every model was asked"
    if reason:
        return _table((), material, reason), _shares({}, (), reason)
    chosen = {choice.name: _chosen(choice, material, models) for choice in CHOICES}
    resampler = Resampler.of(material)
    best = _best(common)
    pool = [outcome for outcome in material.compared if outcome.task in set(common.tasks)]
    pool += [outcome for pairs in chosen.values() for outcome, _ in pairs]
    joined = task_grid(pool)
    against = corrected(resampler.difference(joined, name, best) for name in chosen)
    rows = [
        _row(choice, joined, resampler, cell) for choice, cell in zip(CHOICES, against, strict=True)
    ]
    named = missing("this is what is compared with")
    figures = (resampler.figure(joined, best, name) for name in ("score", "exact_match", "chrf"))
    rows.append((text(f"{BEST}: {best}"), *figures, named, named))
    return _table(tuple(rows), material, ""), _shares(chosen, models, "")


def _chosen(
    choice: Choice, material: Material, models: Sequence[str]
) -> tuple[tuple[Outcome, str], ...]:
    """Choose for each task and seed for which every model has an answer.

    Where a choice cannot be made for some tasks it falls back on the vote there; where it can be
    made for none, nothing is returned.
    """
    groups = grouped(material.compared, lambda outcome: (outcome.task, outcome.seed))
    whole = [g for g in groups.values() if len({answer.model for answer in g}) == len(models)]
    made = [choice.choose(answers) for answers in whole]
    if not any(made):
        return ()
    found = []
    for answers, pair in zip(whole, made, strict=True):
        outcome, owner = pair or _elected_of(answers)
        synthetic = any(answer.synthetic for answer in answers)
        found.append((replace(outcome, model=choice.name, synthetic=synthetic), owner))
    return tuple(found)


def _best(grid: Grid) -> str:
    means = grid.points @ grid.values.transpose(1, 0, 2).reshape(len(grid.tasks), -1)
    products = means.reshape(len(grid.rows), 2).prod(axis=1)
    return grid.rows[int(products.argmax())]


def _row(choice: Choice, grid: Grid, resampler: Resampler, against: Cell) -> tuple[Cell, ...]:
    if choice.name not in grid.rows:
        why = missing(choice.needs or "no task that every model answered")
        return (text(choice.name), why, why, why, why, why)
    figures = (resampler.figure(grid, choice.name, n) for n in ("score", "exact_match", "chrf"))
    return (text(choice.name), *figures, against, p_cell(against))


def _table(rows: tuple[tuple[Cell, ...], ...], material: Material, reason: str) -> Table:
    columns = (
        Column("choice", "Choice"),
        Column("score", "Score", "score"),
        Column("exact_match", "EM", "score"),
        Column("chrf", "chrF", "score"),
        Column("difference", "Against the best model", "difference"),
        Column("p", "p (Holm)", "p"),
    )
    n_models = len({outcome.model for outcome in material.compared})
    notes = (
        f"Choices among the answers of {n_models} models to the same task with the same seed. "
        "Where an answer lacks what a choice goes by, the vote decides.",
        f"“{ORACLE}” is a ceiling: nobody can deploy it. The best model is found with the key too.",
        _who_is_consistent(material),
        interval_note(material),
    )
    return Table("ensembles", "Ensembles", columns, rows, notes, reason)


def _who_is_consistent(material: Material) -> str:
    """Say whose consistency is known, and why that of the others is not."""
    known = dict.fromkeys(
        outcome.model for outcome in material.compared if outcome.consistency is not None
    )
    return (
        f"Consistency, the share of the problem's examples that the rules behind an answer give "
        f"again, is known of: {', '.join(known) or 'no model'}. A model that answers without rules "
        "which can be run (a language model's reply, a baseline, a simulated model) has none."
    )


def _shares(
    chosen: dict[str, tuple[tuple[Outcome, str], ...]], models: Sequence[str], reason: str
) -> Table:
    whole = {name: pairs for name, pairs in chosen.items() if any(model for _, model in pairs)}
    columns = (
        Column("model", "Model"),
        *(Column(name.split(" ")[0], name, "share") for name in whole),
    )
    rows = []
    for model in models:
        cells = [text(model)]
        for pairs in whole.values():
            n_chosen = sum(owner == model for _, owner in pairs)
            synthetic = any(outcome.synthetic for outcome, _ in pairs)
            cells.append(Cell(n_chosen / len(pairs), len(pairs), synthetic=synthetic))
        rows.append(tuple(cells))
    notes = (
        "Whose answers were chosen; n counts tasks times seeds. Of equally good answers the "
        "first-listed model's is taken.",
    )
    return Table("ensemble-shares", "Whose answers", columns, tuple(rows), notes, reason)
