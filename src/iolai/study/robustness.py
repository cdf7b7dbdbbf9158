"""How much scores and ranks hang on the way answers are read and normalised.

The official reading and normalisation are taken apart into choices, and each is moved by itself:
everything else stays official. What moves little is no matter of taste; what moves ranks should
be known to whoever reads them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from iolai.metrics import METRICS
from iolai.reading import read_lenient, read_official
from iolai.records import Cell, Column, ItemScore, Outcome, Table, TaskKey
from iolai.study.comparing import (
    Resampler,
    corrected,
    interval_note,
    missing,
    p_cell,
    plain_scores,
    text,
)
from iolai.study.material import Material
from iolai.study.outcomes import task_grid
from iolai.text import (
    fold_apostrophes,
    fold_diacritics,
    fold_lookalikes,
    fold_punctuation,
    fold_spaces,
    nfc,
    normalise_answer,
)

__all__ = ["CHOICES", "Moved", "normalise_without", "rescored", "robustness_tables"]

#: Reads a prediction into exactly n items.
Read = Callable[[str, int], Sequence[str]]
Normalise = Callable[[str], str]

_NO_KEY = "the answer key was not handed in, so that nothing can be scored again"
_EXACT_MATCH, _CHRF = METRICS["exact_match"], METRICS["chrf"]


def _official(text_: str, n: int) -> Sequence[str]:
    return read_official(text_, n).items


def _lenient(text_: str, n: int) -> Sequence[str]:
    return read_lenient(text_, n).items


def _fitted(items: Sequence[str], n: int) -> Sequence[str]:
    return (*items[:n], *[""] * (n - len(items)))


def _labels_kept(text_: str, n: int) -> Sequence[str]:
    """Leave a label such as ``1.`` in front of a line."""
    if _is_list(text_):
        return _official(text_, n)
    return _fitted([line.strip() for line in text_.split("\n") if line.strip()], n)


def _lines_alone(text_: str, n: int) -> Sequence[str]:
    """Take a JSON list for lines of text, as it stands."""
    lines = (
        line.strip() if _is_list(line) else read_official(line, 1).items[0]
        for line in text_.split("\n")
    )
    return _fitted([line for line in lines if line], n)


def _is_list(text_: str) -> bool:
    return read_official(text_, 0).is_json_list


def _strict_count(text_: str, n: int) -> Sequence[str]:
    """Give nothing for a prediction with too few or too many items."""
    reading = read_official(text_, n)
    return reading.items if reading.n_counted == n else ("",) * n


def _from_the_end(text_: str, n: int) -> Sequence[str]:
    """Of too many items keep the last ones, not the first."""
    reading = read_official(text_, n)
    return read_official(text_, max(n, reading.n_read)).items[-n:] if n else ()


_STEPS: tuple[tuple[str, Normalise], ...] = (
    ("NFC", nfc),
    ("curly quotes made straight", lambda t: t.translate({0x2019: "'", 0x2018: "'"})),
    ("white space around it off", str.strip),
    (
        "a pair of quotes off",
        lambda t: t[1:-1].strip() if len(t) >= 2 and t[0] == t[-1] and t[0] in "'\"" else t,
    ),
    ("lower case", str.lower),
    ("runs of white space one space", lambda t: re.sub(r"\s+", " ", t)),
    ("final periods off", lambda t: t.rstrip(".").strip()),
)


def normalise_without(step: str) -> Normalise:
    """Return the official normalisation without one of its steps (``""``: with all of them)."""
    kept = [change for name, change in _STEPS if name != step]

    def normalise(text_: str) -> str:
        for change in kept:
            text_ = change(text_)
        return text_

    return normalise


def _with(fold: Normalise) -> Normalise:
    return lambda text_: fold(normalise_answer(text_))


@dataclass(frozen=True)
class Moved:
    """The official way with one choice moved."""

    name: str
    read: Read = _official
    normalise: Normalise = normalise_answer


#: One line for each choice that is moved.
CHOICES: tuple[Moved, ...] = (
    Moved("reading: lenient", _lenient),
    Moved("reading: labels before lines are kept", _labels_kept),
    Moved("reading: JSON lists are not understood", _lines_alone),
    Moved("reading: a wrong count gives nothing", _strict_count),
    Moved("reading: of too many the last count", _from_the_end),
    *(Moved(f"without: {name}", normalise=normalise_without(name)) for name, _ in _STEPS),
    Moved("also: all apostrophes are one", normalise=_with(fold_apostrophes)),
    Moved("also: marks on letters are left out", normalise=_with(fold_diacritics)),
    Moved("also: look-alike letters are one", normalise=_with(fold_lookalikes)),
    Moved("also: punctuation is left out", normalise=_with(fold_punctuation)),
    Moved("also: spaces and hyphens are left out", normalise=_with(fold_spaces)),
)


def rescored(outcome: Outcome, key: TaskKey, moved: Moved) -> Outcome:
    """Read and score an outcome's text again, with one choice moved."""
    items = []
    reading = moved.read(outcome.text, key.n_items)
    for answer, reference in zip(reading, key.references, strict=True):
        em, chrf = _scored(moved, answer, reference.alternatives)
        items.append(ItemScore(answer, em, chrf))
    return replace(outcome, items=tuple(items))


@lru_cache(maxsize=1 << 16)
def _scored(moved: Moved, answer: str, alternatives: tuple[str, ...]) -> tuple[float, float]:
    predicted = moved.normalise(answer)
    expected = [moved.normalise(alternative) for alternative in alternatives]
    return (
        max((_EXACT_MATCH(predicted, reference) for reference in expected), default=0.0),
        max((_CHRF(predicted, reference) for reference in expected), default=0.0),
    )


def robustness_tables(material: Material) -> tuple[Table, ...]:
    """Return ``robustness-reading`` (by model) and ``robustness-choices`` (by choice)."""
    keyed = [(o, key) for o in material.compared if (key := material.key.get(o.task)) is not None]
    reason = material.why_no_tasks or ("" if keyed else _NO_KEY)
    return _readings(material, keyed, reason), _choices(keyed, reason)


def _readings(material: Material, keyed: Sequence[tuple[Outcome, TaskKey]], reason: str) -> Table:
    columns = (
        Column("model", "Model"),
        Column("official", "Score, official reading", "score"),
        Column("lenient", "Score, lenient reading", "score"),
        Column("difference", "Difference", "difference"),
        Column("p", "p (Holm)", "p"),
        Column("rank", "Rank", "count"),
        Column("rank_lenient", "Rank, lenient", "count"),
        Column("line_match", "Line-format match", "share"),
    )
    title = "Official and lenient reading"
    if reason:
        return Table("robustness-reading", title, columns, reason=reason)
    official = [outcome for outcome, _ in keyed]
    lenient = [rescored(*pair, CHOICES[0]) for pair in keyed]
    resampler = Resampler.of(material)
    grid = task_grid([*official, *(replace(o, model=_lenient_name(o.model)) for o in lenient)])
    ranks, lenient_ranks = (_ranks(plain_scores(task_grid(o))) for o in (official, lenient))
    models = sorted(ranks, key=lambda model: ranks[model])
    cells = corrected(resampler.difference(grid, _lenient_name(m), m) for m in models)
    rows = []
    for model, cell in zip(models, cells, strict=True):
        own = [outcome for outcome in official if outcome.model == model]
        fake = own[0].synthetic
        rows.append(
            (
                text(model),
                resampler.figure(grid, model),
                resampler.figure(grid, _lenient_name(model)),
                cell,
                p_cell(cell),
                Cell(float(ranks[model]), synthetic=fake),
                Cell(float(lenient_ranks[model]), synthetic=fake),
                Cell(sum(o.has_right_count for o in own) / len(own), len(own), synthetic=fake),
            )
        )
    notes = (
        "Only the official reading scores; the lenient one shows what was meant. Lenient minus "
        "official, paired by task; p: exchange within tasks, corrected over the models.",
        interval_note(material),
    )
    return Table("robustness-reading", title, columns, tuple(rows), notes)


def _lenient_name(model: str) -> str:
    return f"{model} (lenient)"


def _ranks(values: Mapping[str, float]) -> dict[str, int]:
    """Return each model's rank from 1; equal figures share the better rank."""
    return {
        model: 1 + sum(other > value + 1e-12 for other in values.values())
        for model, value in values.items()
    }


def _choices(keyed: Sequence[tuple[Outcome, TaskKey]], reason: str) -> Table:
    columns = (
        Column("choice", "What is moved"),
        Column("mean", "Mean change in score", "difference"),
        Column("largest", "Largest change", "difference"),
        Column("model", "of"),
        Column("moved", "Models whose rank moves", "count"),
        Column("furthest", "Furthest move in ranks", "count"),
        Column("agreement", "Agreement of ranks (Kendall's tau)", "number"),
    )
    title = "Each choice of reading and normalisation moved by itself"
    if reason:
        return Table("robustness-choices", title, columns, reason=reason)
    before = plain_scores(task_grid([outcome for outcome, _ in keyed]))
    synthetic = any(outcome.synthetic for outcome, _ in keyed)
    rows = []
    for moved in CHOICES:
        after = plain_scores(task_grid([rescored(*pair, moved) for pair in keyed]))
        rows.append((text(moved.name), *_effect(before, after, synthetic)))
    n_tasks = len({outcome.task for outcome, _ in keyed})
    notes = (
        f"Against the official score of the same {len(keyed)} predictions ({n_tasks} tasks); n "
        "counts models. No interval: nothing is sampled here, the same texts are scored twice.",
    )
    return Table("robustness-choices", title, columns, tuple(rows), notes)


def _effect(
    before: Mapping[str, float], after: Mapping[str, float], synthetic: bool
) -> tuple[Cell, ...]:
    n = len(before)
    changes = {model: after[model] - before[model] for model in before}
    model = max(changes, key=lambda name: abs(changes[name]))
    ranks, new = _ranks(before), _ranks(after)
    moves = [abs(ranks[name] - new[name]) for name in ranks]
    figures = (
        Cell(sum(changes.values()) / n, n, synthetic=synthetic),
        Cell(changes[model], 1, synthetic=synthetic),
        text(model if changes[model] else "–"),
        Cell(float(sum(move > 0 for move in moves)), n, synthetic=synthetic),
        Cell(float(max(moves)), n, synthetic=synthetic),
    )
    return (*figures, _kendall(list(before.values()), list(after.values()), synthetic))


def _kendall(one: Sequence[float], other: Sequence[float], synthetic: bool) -> Cell:
    from scipy import stats

    if len(one) < 2:
        return missing("one model has no rank to lose", n=len(one))
    tau = float(stats.kendalltau(one, other).statistic)
    if tau != tau:
        return missing("all models score the same", n=len(one))
    return Cell(tau, len(one), synthetic=synthetic)
