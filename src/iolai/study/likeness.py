"""How alike entries are: in their scripts, and in their outputs beyond what chance explains.

Scripts are compared by their tokens, never executed. Layout, comments, docstrings, the texts of
strings and figures do not count, and every name that the script itself gives (to a variable, a
function, a field) is one and the same, so that renaming and reformatting change nothing; names of
libraries and what is called of them stay. From the row of tokens fingerprints are chosen by
winnowing (S. Schleimer, D. Wilkerson, A. Aiken 2003, "Winnowing: local algorithms for document
fingerprinting"): every run of ``GRAM + WINDOW - 1`` tokens that two scripts share is found. What
the starting points hold counts for nobody.

Likeness is no proof of copying: two entries may have a third source.
"""

from __future__ import annotations

import ast
import hashlib
import io
import itertools
import keyword
import token
import tokenize
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from iolai.reading import read_official
from iolai.records import Cell, Column, Table
from iolai.study.comparing import MIN_UNITS, Resampler, missing, text
from iolai.study.material import Material, StudyEntry
from iolai.text import normalise_answer

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = [
    "GRAM",
    "THRESHOLD",
    "WINDOW",
    "containment",
    "fingerprints",
    "likeness_tables",
    "script_tokens",
]

#: Tokens in a fingerprint, and fingerprints in a window of which one is kept.
GRAM = 16
WINDOW = 8
#: Pairs with at least this share of the smaller script are listed (docs/study-coverage.md has the
#: rate of unrelated scripts that reach it).
THRESHOLD = 0.25
#: Fewer fingerprints than this say nothing.
MIN_PRINTS = 8

_SILENT = frozenset(
    (
        *(tokenize.COMMENT, tokenize.NL, token.NEWLINE, token.INDENT, token.DEDENT),
        *(token.ENDMARKER, tokenize.ENCODING, token.TYPE_COMMENT),
    )
)
_CLOSING = ")]}"


def script_tokens(script: str) -> tuple[str, ...] | None:
    """Return the tokens that count, or None where the text is no Python."""
    try:
        tree = ast.parse(script)
        own, documented = _given_names(tree), _docstring_lines(tree)
        found = list(tokenize.generate_tokens(io.StringIO(script).readline))
    except (SyntaxError, ValueError, RecursionError, MemoryError, tokenize.TokenError):
        return None
    result: list[str] = []
    for one in found:
        if one.type in _SILENT or (one.type == token.STRING and one.start in documented):
            continue
        sign = _sign(one, own)
        if sign == "S" and result[-1:] == ["S"]:
            continue  # strings side by side are one string
        if sign in _CLOSING and result[-1:] == [","]:
            result.pop()  # a comma before a closing bracket is layout
        result.append(sign)
    return tuple(result)


def _sign(one: tokenize.TokenInfo, own: set[str]) -> str:
    if one.type == token.STRING or token.tok_name[one.type].startswith("FSTRING"):
        return "S"
    if one.type == token.NUMBER:
        return "N"
    if one.type == token.NAME and one.string in own and not keyword.iskeyword(one.string):
        return "v"
    return one.string


def _given_names(tree: ast.Module) -> set[str]:
    """Return the names that the script gives: they may be renamed without changing anything."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
            names.add(node.id if isinstance(node, ast.Name) else node.attr)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.alias) and node.asname:
            names.add(node.asname)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            names.add(node.name)
    return names


def _docstring_lines(tree: ast.Module) -> set[tuple[int, int]]:
    """Return the places (row, column) where a text stands as a statement of its own."""
    return {
        (node.value.lineno, node.value.col_offset)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    }


def fingerprints(script: str) -> frozenset[int]:
    """Return a script's fingerprints; none where it is no Python or shorter than one of them."""
    tokens = script_tokens(script) or ()
    grams = [
        int.from_bytes(hashlib.sha256("\x1f".join(tokens[i : i + GRAM]).encode()).digest()[:8])
        for i in range(len(tokens) - GRAM + 1)
    ]
    if len(grams) <= WINDOW:
        return frozenset(grams[:1] and [min(grams)])
    return frozenset(min(grams[i : i + WINDOW]) for i in range(len(grams) - WINDOW + 1))


def containment(one: frozenset[int], other: frozenset[int]) -> float:
    """Return the share of the smaller script's fingerprints that the other has, in [0, 1]."""
    smaller = min(len(one), len(other))
    return len(one & other) / smaller if smaller else 0.0


@cache
def _starting_points() -> frozenset[int]:
    """Return the fingerprints of the starting points, which any entry may hold."""
    folder = resources.files("iolai") / "entry" / "starters"
    scripts = (kind / "script.py" for kind in folder.iterdir() if kind.is_dir())
    return frozenset().union(
        *(
            fingerprints(script.read_text(encoding="utf-8"))
            for script in scripts
            if script.is_file()
        )
    )


def likeness_tables(material: Material) -> tuple[Table, ...]:
    """Return ``likeness-scripts`` and ``likeness-outputs``: the pairs most alike first."""
    return _scripts(material.entries), _outputs(material)


def _scripts(entries: Sequence[StudyEntry]) -> Table:
    columns = (
        Column("first", "First"),
        Column("second", "Second"),
        Column("containment", "Share of the smaller script", "share"),
        Column("jaccard", "Share of both", "share"),
        Column("teams", "Same team"),
    )
    with_script = [entry for entry in entries if entry.script.strip()]
    prints = [fingerprints(entry.script) - _starting_points() for entry in with_script]
    found = []
    for one, other in itertools.combinations(range(len(with_script)), 2):
        if min(len(prints[one]), len(prints[other])) < MIN_PRINTS:
            continue
        share = containment(prints[one], prints[other])
        if share >= THRESHOLD:
            found.append((share, one, other))
    rows = tuple(
        (
            text(with_script[one].name),
            text(with_script[other].name),
            Cell(share, min(len(prints[one]), len(prints[other]))),
            Cell(len(prints[one] & prints[other]) / len(prints[one] | prints[other])),
            text("yes" if with_script[one].team == with_script[other].team else "no"),
        )
        for share, one, other in sorted(found, key=lambda pair: (-pair[0], pair[1:]))
    )
    n_short = sum(len(one) < MIN_PRINTS for one in prints)
    notes = (
        f"n counts fingerprints ({GRAM} tokens, windows of {WINDOW}); pairs from {THRESHOLD:.0%} "
        f"on. Of {len(with_script)} scripts {n_short} are too short or no Python.",
        f"Of pairs of scripts that have nothing to do with each other fewer than 1 in 1,000 reach "
        f"{THRESHOLD:.0%} (docs/study-coverage.md). Likeness is no proof of copying. What the "
        "starting points hold does not count.",
    )
    reason = "" if rows else _why_no_pair(len(with_script))
    return Table("likeness-scripts", "Scripts that are alike", columns, rows, notes, reason)


def _why_no_pair(n: int) -> str:
    return "fewer than two scripts were handed in" if n < 2 else f"no pair reaches {THRESHOLD:.0%}"


def _outputs(material: Material) -> Table:
    """Compare how often two entries agree with how often entries agree on the same items."""
    columns = (
        Column("first", "First"),
        Column("second", "Second"),
        Column("agreement", "Items that agree", "share"),
        Column("expected", "Expected of two others", "share"),
        Column("excess", "Beyond chance", "difference"),
        Column("kappa", "Of what could exceed it", "number"),
    )
    names, agreed = _agreements(_answers_by_task(material.entries))
    rows = []
    for one, other in itertools.combinations(range(len(names)), 2):
        pairs = [found for task in agreed if (found := _beside_others(task, one, other))]
        cell = Resampler.of(material).mean([seen - expected for seen, expected in pairs])
        if cell.interval is None or cell.interval.low <= 0:
            continue
        seen = sum(pair[0] for pair in pairs) / len(pairs)
        chance = sum(pair[1] for pair in pairs) / len(pairs)
        both = (text(names[one]), text(names[other]))
        rows.append((*both, Cell(seen), Cell(chance), cell, _kappa(seen, chance)))
    rows.sort(key=lambda row: -float(row[4].value or 0))
    notes = (
        "Expected: how often two other entries agree on the same items, on average. n counts "
        "tasks; only pairs whose interval lies above 0 are listed. One base model agrees with "
        "itself.",
        f"Intervals: {100 * material.level:.0f}%, expanded percentile bootstrap over tasks, "
        f"{material.n_resamples} resamples, seed {material.seed}; not corrected for the "
        f"{len(names) * (len(names) - 1) // 2} pairs looked at. Of fewer than {MIN_UNITS} tasks "
        "there is none, and no pair is listed.",
    )
    reason = ""
    if not rows:
        reason = "no pair agrees beyond chance"
        reason = reason if len(names) > 3 else "fewer than four entries with predictions"
    title = "Outputs that agree beyond chance"
    return Table("likeness-outputs", title, columns, tuple(rows), notes, reason)


def _kappa(seen: float, chance: float) -> Cell:
    return Cell((seen - chance) / (1 - chance)) if chance < 1 else missing("all entries agree")


def _answers_by_task(entries: Sequence[StudyEntry]) -> dict[str, dict[str, tuple[str, ...]]]:
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    for entry in entries:
        for row in entry.predictions or ():
            n_own = read_official(row.text, 0).n_read
            items = read_official(row.text, n_own).items
            found.setdefault(entry.name, {})[row.id] = tuple(map(normalise_answer, items))
    return found


def _agreements(
    answers: dict[str, dict[str, tuple[str, ...]]],
) -> tuple[list[str], list[Floats]]:
    """Return the entries' names and, for each task, the shares of items on which two agree.

    Each has shape (n_entries, n_entries), nan where one has no row or both are blank.
    """
    import numpy as np

    names = list(answers)
    tasks = dict.fromkeys(task for own in answers.values() for task in own)
    result = []
    for task in tasks:
        shares = np.full((len(names), len(names)), np.nan)
        for one, other in itertools.combinations(range(len(names)), 2):
            if task in answers[names[one]] and task in answers[names[other]]:
                share = _equal(answers[names[one]][task], answers[names[other]][task])
                shares[one, other] = shares[other, one] = np.nan if share is None else share
        result.append(shares)
    return names, result


def _beside_others(shares: Floats, one: int, other: int) -> tuple[float, float] | None:
    """Return how far two entries agree on a task, and how far two others do on average."""
    import numpy as np

    keep = np.ones(len(shares), dtype=bool)
    keep[[one, other]] = False
    rest = shares[np.ix_(keep, keep)]
    if np.isnan(shares[one, other]) or np.isnan(rest).all():
        return None
    return float(shares[one, other]), float(np.nanmean(rest))


def _equal(one: Sequence[str], other: Sequence[str]) -> float | None:
    """Return the share of equal items among those that either answered; None where none did."""
    answered = [pair for pair in itertools.zip_longest(one, other, fillvalue="") if any(pair)]
    return sum(a == b for a, b in answered) / len(answered) if answered else None
