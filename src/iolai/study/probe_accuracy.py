"""What the models know of the languages: four-way probes, beside the score on the problems.

The unit is the language: the probes about one language fall together.
"""

from __future__ import annotations

from collections.abc import Sequence

from iolai.records import Cell, Column, Outcome, Table
from iolai.stats import Correlation, correlation
from iolai.study.comparing import FEW_UNITS, Resampler, corrected, missing, p_cell, text
from iolai.study.material import Material
from iolai.study.outcomes import grouped

__all__ = ["correlation_cell", "language_means", "probe_tables"]

_NONE = "no model was asked a probe"


def probe_tables(material: Material) -> tuple[Table, ...]:
    """Return ``probes`` (by model), ``probe-languages`` and ``probe-correlation``."""
    return _by_model(material), _by_language(material), _correlations(material)


def language_means(outcomes: Sequence[Outcome]) -> dict[str, float]:
    """Return the mean exact match by language: seeds, then tasks by points; invented ones too."""
    means = {}
    for language, members in grouped(outcomes, _language).items():
        points = sum(outcome.points for outcome in members)
        if points > 0:
            means[language] = sum(o.points * o.exact_match for o in members) / points
    return means


def _language(outcome: Outcome) -> str:
    """Return the language's code; invented languages share one, so the problem stands for it."""
    return outcome.language if outcome.language not in ("", "art") else outcome.problem


def _by_model(material: Material) -> Table:
    kinds = tuple(dict.fromkeys(outcome.task_type for outcome in material.probes))
    columns = (
        Column("model", "Model"),
        Column("accuracy", "Accuracy", "share"),
        Column("chance", "Chance level", "share"),
        Column("above", "Above chance", "difference"),
        Column("p", "p (Holm)", "p"),
        *(Column(kind, f"Accuracy, {kind}", "share") for kind in kinds),
    )
    resampler = Resampler.of(material)
    groups = grouped(material.probes, lambda outcome: outcome.model)
    above = corrected(_above(outcomes, resampler) for outcomes in groups.values())
    rows = tuple(
        (
            text(model),
            _accuracy(outcomes, resampler),
            Cell(sum(outcome.chance for outcome in outcomes) / len(outcomes), len(outcomes)),
            cell,
            p_cell(cell),
            *(_accuracy([o for o in outcomes if o.task_type == k], resampler) for k in kinds),
        )
        for (model, outcomes), cell in zip(groups.items(), above, strict=True)
    )
    notes = (
        "n counts languages (chance level: calls); p: sign flips over languages, two-sided, "
        "corrected over models.",
        f"Intervals: {100 * material.level:.0f}%, expanded percentile bootstrap over languages, "
        f"{material.n_resamples} resamples, seed {material.seed}; {FEW_UNITS}.",
    )
    return Table("probes", "Knowledge probes", columns, rows, notes, "" if rows else _NONE)


def _accuracy(outcomes: Sequence[Outcome], resampler: Resampler) -> Cell:
    means = [
        sum(outcome.exact_match for outcome in members) / len(members)
        for members in grouped(outcomes, _language).values()
    ]
    synthetic = any(outcome.synthetic for outcome in outcomes)
    n_seeds = len({outcome.seed for outcome in outcomes})
    return resampler.mean(means, n_seeds=n_seeds, synthetic=synthetic)


def _above(outcomes: Sequence[Outcome], resampler: Resampler) -> Cell:
    excess = [
        sum(outcome.exact_match - outcome.chance for outcome in members) / len(members)
        for members in grouped(outcomes, _language).values()
    ]
    synthetic = any(outcome.synthetic for outcome in outcomes)
    n_seeds = len({outcome.seed for outcome in outcomes})
    return resampler.tested(excess, n_seeds=n_seeds, synthetic=synthetic)


def _by_language(material: Material) -> Table:
    models = tuple(dict.fromkeys(outcome.model for outcome in material.probes))
    columns = (Column("language", "Language"), *(Column(m, m, "share") for m in models))
    rows = []
    for language, outcomes in grouped(material.probes, _language).items():
        cells = [text(language)]
        for model in models:
            own = [outcome for outcome in outcomes if outcome.model == model]
            cells.append(_share(own))
        rows.append(tuple(cells))
    notes = ("n counts calls; seeds are repeats of one probe.",)
    reason = "" if rows else _NONE
    title = "Knowledge probes by language"
    return Table("probe-languages", title, columns, tuple(rows), notes, reason)


def _share(outcomes: Sequence[Outcome]) -> Cell:
    if not outcomes:
        return missing("not asked", n=0)
    value = sum(outcome.exact_match for outcome in outcomes) / len(outcomes)
    n_seeds = len({outcome.seed for outcome in outcomes})
    synthetic = any(outcome.synthetic for outcome in outcomes)
    return Cell(value, len(outcomes), n_seeds, synthetic=synthetic)


def _correlations(material: Material) -> Table:
    columns = (
        Column("model", "Model"),
        Column("correlation", "Spearman correlation", "number"),
        Column("p", "p (Holm)", "p"),
    )
    names = tuple(dict.fromkeys(outcome.model for outcome in material.probes))
    cells = corrected(_within(material, name) for name in names)
    rows = [(text(n), cell, p_cell(cell)) for n, cell in zip(names, cells, strict=True)]
    if names:
        across = _across(material, names)
        rows.append((text("across models"), across, p_cell(across)))
    notes = (
        "Probe accuracy against exact match on the problems: for each model over languages (n), "
        "and over the models' means (not corrected).",
        f"Intervals: {100 * material.level:.0f}%, bootstrap over pairs, "
        f"{material.n_resamples} resamples, seed {material.seed}; none "
        "where too many resamples do not vary.",
    )
    title = "Knowledge against score"
    reason = "" if rows else _NONE
    return Table("probe-correlation", title, columns, tuple(rows), notes, reason)


def _within(material: Material, model: str) -> Cell:
    probes = [outcome for outcome in material.probes if outcome.model == model]
    tasks = [outcome for outcome in material.compared if outcome.model == model]
    known, solved = language_means(probes), language_means(tasks)
    both = [language for language in known if language in solved]
    synthetic = any(outcome.synthetic for outcome in (*probes, *tasks))
    pairs = ([known[name] for name in both], [solved[name] for name in both])
    return correlation_cell(material, *pairs, synthetic=synthetic)


def _across(material: Material, models: Sequence[str]) -> Cell:
    known, solved = [], []
    for model in models:
        probes = language_means([o for o in material.probes if o.model == model])
        tasks = language_means([o for o in material.compared if o.model == model])
        if tasks and probes:
            known.append(sum(probes.values()) / len(probes))
            solved.append(sum(tasks.values()) / len(tasks))
    synthetic = any(outcome.synthetic for outcome in material.probes)
    return correlation_cell(material, known, solved, synthetic=synthetic)


def correlation_cell(
    material: Material, one: Sequence[float], other: Sequence[float], *, synthetic: bool
) -> Cell:
    """Return Spearman's correlation of two measures as a cell; n counts the pairs."""
    found = correlation(
        list(one),
        list(other),
        level=material.level,
        n_resamples=material.n_resamples,
        seed=material.seed,
    )
    if not isinstance(found, Correlation):
        return missing(found.reason, n=len(one))
    return Cell(found.value, found.n, None, found.interval, found.p, synthetic=synthetic)
