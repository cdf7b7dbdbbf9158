"""Ensembles: what choosing among the models' answers would give.

Choosing by the key is a ceiling and no system; it is labelled ``oracle (uses the key)``. Beside it
stand choices that can be deployed: a vote, consistency with the problem's examples, confidence.
Every choice is made for each task and seed by itself; the models stand in the order in which they
were listed, and a tie goes to the first.

Consistency is known only of models whose rules can be run, confidence only of models that say it.
What is not measured is not 0: so an answer is taken for its consistency only where its rules give
*every* example again, for its confidence only where its model holds it likelier right than wrong,
and the vote of all decides elsewhere. How well consistency itself ranks answers is compared among
the measured models alone, beside their own vote and the best of them.
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

__all__ = [
    "BEST",
    "CHOICES",
    "MEASURED",
    "ORACLE",
    "VERIFIED",
    "VOTED",
    "Choice",
    "ensemble_tables",
]

ORACLE = "oracle (uses the key)"
BEST = "best model (found with the key)"

VERIFIED = "verified consistency"
CONFIDENT = "confidence"
MEASURED = "highest consistency (measured models alone)"
MEASURED_VOTE = "vote (measured models alone)"
VOTED = "no model: the vote decided"
_UNMEASURED = "its consistency is not measured"
_ALL = 1 - 1e-9
_EVEN = 0.5

#: Makes one answer of several models' answers to one task: the answer, and whose it is ("" for a
#: mixture), or None where these answers do not allow the choice.
Choose = Callable[[Sequence[Outcome]], tuple[Outcome, str] | None]


@dataclass(frozen=True, slots=True)
class Choice:
    """A way to choose; ``needs`` says what the answers lack where it cannot be done.

    ``known`` says whether an answer has what the choice goes by, ``unknown`` why a model without
    it cannot be chosen.
    """

    name: str
    choose: Choose
    needs: str = ""
    known: Callable[[Outcome], bool] = lambda _: True
    unknown: str = ""


@dataclass(frozen=True, slots=True)
class _Picked:
    """An answer that was chosen, whose it is, and whether the choice itself decided."""

    outcome: Outcome
    owner: str
    decided: bool


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


def _verified(answers: Sequence[Outcome]) -> tuple[Outcome, str] | None:
    """Take the first answer whose rules give every example of its problem again."""
    found = (answer for answer in answers if (answer.consistency or 0.0) >= _ALL)
    return next(((answer, answer.model) for answer in found), None)


def _consistent(answers: Sequence[Outcome]) -> tuple[Outcome, str] | None:
    able = [answer for answer in answers if _is_measured(answer)]
    if len(able) < 2:
        return None
    best = max(able, key=lambda answer: answer.consistency or 0.0)
    return best, best.model


def _confident(answers: Sequence[Outcome]) -> tuple[Outcome, str] | None:
    able = [answer for answer in answers if _sure(answer) > _EVEN]
    if not able:
        return None
    best = max(able, key=_sure)
    return best, best.model


def _is_measured(answer: Outcome) -> bool:
    return answer.consistency is not None


def _says_confidence(answer: Outcome) -> bool:
    return bool(answer.confidence)


def _sure(answer: Outcome) -> float:
    return sum(answer.confidence) / len(answer.confidence) if answer.confidence else 0.0


#: The choices among all models, in the order of the table: one function above and one line here.
CHOICES: tuple[Choice, ...] = (
    Choice(ORACLE, _oracle),
    Choice("vote", _vote),
    Choice(
        VERIFIED,
        _verified,
        "no answer is known to have rules that give every example again",
        _is_measured,
        _UNMEASURED,
    ),
    Choice(
        CONFIDENT,
        _confident,
        "no model says that it holds an answer likelier right than wrong",
        _says_confidence,
        "it does not say its confidence",
    ),
)
#: The choices among the models whose consistency is known.
MEASURED_CHOICES: tuple[Choice, ...] = (
    Choice(MEASURED, _consistent, "no task has two measured answers", _is_measured, _UNMEASURED),
    Choice(MEASURED_VOTE, _vote),
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
        return _table((), material, reason), _shares({}, material, reason)
    sets = _answer_sets(material, models)
    measured = _known(material, _is_measured)
    chosen = {choice.name: _chosen(choice, sets) for choice in CHOICES}
    own = [tuple(a for a in answers if a.model in measured) for answers in sets]
    chosen |= {c.name: _chosen(c, own) if len(measured) > 1 else () for c in MEASURED_CHOICES}
    pool = [outcome for outcome in material.compared if outcome.task in set(common.tasks)]
    pool += [picked.outcome for made in chosen.values() for picked in made]
    for name, made in chosen.items():
        decided = [picked.outcome for picked in made if picked.decided]
        pool += [replace(outcome, model=_where_decided(name)) for outcome in decided]
    bests = {True: _best(common, measured), False: _best(common, models)}
    comparing = _Comparing(task_grid(pool), Resampler.of(material), bests, chosen)
    return _table(comparing.rows(measured), material, ""), _shares(chosen, material, "")


def _where_decided(name: str) -> str:
    return f"{name}, where it decided"


def _known(material: Material, known: Callable[[Outcome], bool]) -> tuple[str, ...]:
    """Return the models of which an answer has what a choice goes by."""
    return tuple(dict.fromkeys(outcome.model for outcome in material.compared if known(outcome)))


def _answer_sets(material: Material, models: Sequence[str]) -> list[tuple[Outcome, ...]]:
    """Return, for each task and seed, every model's answer, where every model has one.

    A model that was asked with one seed alone gives that answer with every seed.
    """
    found = []
    for answers in grouped(material.compared, lambda outcome: outcome.task).values():
        own = {m: {a.seed: a for a in answers if a.model == m} for m in models}
        for seed in dict.fromkeys(answer.seed for answer in answers):
            given = [
                next(iter(by_seed.values())) if len(by_seed) == 1 else by_seed.get(seed)
                for by_seed in own.values()
            ]
            known = tuple(replace(answer, seed=seed) for answer in given if answer is not None)
            if len(known) == len(models):
                found.append(known)
    return found


def _chosen(choice: Choice, sets: Sequence[Sequence[Outcome]]) -> tuple[_Picked, ...]:
    """Choose from each set of answers.

    Where a choice cannot be made for some sets it falls back on the vote there; where it can be
    made for none, nothing is returned.
    """
    made = [choice.choose(answers) for answers in sets]
    if not any(made):
        return ()
    found = []
    for answers, pair in zip(sets, made, strict=True):
        outcome, owner = pair or _elected_of(answers)
        synthetic = any(answer.synthetic for answer in answers)
        named = replace(outcome, model=choice.name, synthetic=synthetic)
        found.append(_Picked(named, owner, pair is not None))
    return tuple(found)


def _best(grid: Grid, among: Sequence[str]) -> str:
    """Return the model with the highest score of some; "" where there are none."""
    means = grid.points @ grid.values.transpose(1, 0, 2).reshape(len(grid.tasks), -1)
    products = means.reshape(len(grid.rows), 2).prod(axis=1)
    places = [place for place, row in enumerate(grid.rows) if row in among]
    return grid.rows[max(places, key=lambda place: products[place])] if places else ""


@dataclass(frozen=True)
class _Comparing:
    """Makes the rows; ``bests`` are the best measured model (True) and the best of all (False)."""

    grid: Grid
    resampler: Resampler
    bests: dict[bool, str]
    chosen: dict[str, tuple[_Picked, ...]]

    def rows(self, measured: Sequence[str]) -> tuple[tuple[Cell, ...], ...]:
        """Return a row for each choice, and one for the best model."""
        choices = [(c, False) for c in CHOICES] + [(c, True) for c in MEASURED_CHOICES]
        against = corrected(
            self.resampler.difference(self.grid, choice.name, self.bests[own])
            for choice, own in choices
        )
        rows = [
            self._row(*pair, cell, measured) for pair, cell in zip(choices, against, strict=True)
        ]
        named = missing("this is what is compared with")
        best = self.bests[False]
        return (*rows, (text(f"{BEST}: {best}"), *self._figures(best), *([named] * 5)))

    def _figures(self, name: str) -> list[Cell]:
        names = ("score", "exact_match", "chrf")
        return [self.resampler.figure(self.grid, name, figure) for figure in names]

    def _row(
        self, choice: Choice, own: bool, against: Cell, measured: Sequence[str]
    ) -> tuple[Cell, ...]:
        picked = self.chosen[choice.name]
        if not picked:
            why = choice.needs or "no task that every model answered"
            if own and len(measured) < 2:
                whose = ", ".join(measured) or "no model"
                why = f"consistency is measured of {whose} alone; nothing to choose among"
            return (text(choice.name), *([missing(why)] * 8))
        share = sum(one.decided for one in picked) / len(picked)
        synthetic = any(one.outcome.synthetic for one in picked)
        decided = Cell(share, len(picked), synthetic=synthetic)
        vote = MEASURED_VOTE if own else "vote"
        gain = missing("this is the vote itself")
        if choice.name != vote:
            gain = self.resampler.difference(self.grid, _where_decided(choice.name), vote)
        who = text(self.bests[own])
        name = text(choice.name)
        return (name, *self._figures(choice.name), decided, gain, who, against, p_cell(against))


def _table(rows: tuple[tuple[Cell, ...], ...], material: Material, reason: str) -> Table:
    columns = (
        Column("choice", "Choice"),
        Column("score", "Score", "score"),
        Column("exact_match", "EM", "score"),
        Column("chrf", "chrF", "score"),
        Column("decided", "Decided", "share"),
        Column("gain", "Against the vote, where it decided", "difference"),
        Column("best", "Best model"),
        Column("difference", "Against the best model", "difference"),
        Column("p", "p (Holm)", "p"),
    )
    n_models = len({outcome.model for outcome in material.compared})
    notes = (
        f"Choices among the answers of {n_models} models to the same task with the same seed; a "
        "model that was asked with one seed gives that answer with every seed. Decided: the share "
        "of tasks and seeds in which the choice went by what it is named for; elsewhere the vote "
        "decides.",
        f"“{ORACLE}” is a ceiling: nobody can deploy it. The best model is found with the key too.",
        f"“{VERIFIED}” takes the first answer whose rules give every example of the problem again; "
        f"“{CONFIDENT}” the surest answer that its own model holds likelier right than wrong. A "
        "model of which this is not known takes part in the vote; it does not count as 0.",
        _who_is_consistent(material),
        interval_note(material),
    )
    return Table("ensembles", "Ensembles", columns, rows, notes, reason)


def _who_is_consistent(material: Material) -> str:
    """Say whose consistency is known, and why that of the others is not."""
    known = _known(material, _is_measured)
    others = [model for model in material.models if model not in known]
    return (
        f"Consistency, the share of the problem's examples that the rules behind an answer give "
        f"again, is measured of: {', '.join(known) or 'no model'}. Not measured, since they answer "
        f"without rules that can be run: {', '.join(others) or 'none'}."
    )


def _shares(chosen: dict[str, tuple[_Picked, ...]], material: Material, reason: str) -> Table:
    choices = [
        choice
        for choice in (*CHOICES, *MEASURED_CHOICES)
        if any(one.owner for one in chosen.get(choice.name, ()))
    ]
    columns = (
        Column("model", "Model"),
        *(Column(choice.name.split(" ")[0], choice.name, "share") for choice in choices),
    )
    models = tuple(dict.fromkeys(outcome.model for outcome in material.compared))
    known = {choice.name: _known(material, choice.known) for choice in choices}
    rows = []
    for model in (*models, VOTED) if choices else ():
        cells = [text(model)]
        for choice in choices:
            picked = chosen[choice.name]
            if model != VOTED and model not in known[choice.name]:
                cells.append(missing(choice.unknown))
                continue
            n_chosen = sum(one.owner == ("" if model == VOTED else model) for one in picked)
            synthetic = any(one.outcome.synthetic for one in picked)
            cells.append(Cell(n_chosen / len(picked), len(picked), synthetic=synthetic))
        rows.append(tuple(cells))
    notes = (
        "Whose answers were chosen; n counts tasks times seeds. Of equally good answers the "
        "first-listed model's is taken.",
    )
    return Table("ensemble-shares", "Whose answers", columns, tuple(rows), notes, reason)
