"""Measure whether a study's statistics find what was planted; write docs/study-coverage.md.

Run: python benchmarks/bench_coverage.py --page docs/study-coverage.md (5 minutes on an idle core)
"""

from __future__ import annotations

import argparse
import itertools
import json
import platform
import time
from collections.abc import Iterable
from pathlib import Path

from iolai.study.coverage import (
    METHODS,
    Covered,
    correlations_covered,
    families_erring,
    figures_covered,
    methods_covered,
    power_reached,
    techniques_covered,
)
from iolai.study.likeness import MIN_PRINTS, THRESHOLD, containment, fingerprints
from iolai.version import __version__

#: The paragraph "In short" says in words what the tables say: look at it when figures change.
PAGE = """# Do the statistics of a study find what was planted?

Measured by `benchmarks/bench_coverage.py` with iolai {version}, {n_repeats} repeats a row \
({few} where said), seed {seed}, {seconds:.0f} s. Simulated models (`study/simulating.py`): \
the chance of a right item is logistic(ability − difficulty + effects + noise); tasks of 3 \
to 8 items; the truth is the mean over all tasks that the law could give, by quadrature. The \
standard error of a share of 90% is {error:.1f} points.

**In short.** At a nominal 90% the intervals of a study's tables cover the truth in \
87–92% of the repeats from 10 tasks on (scores, exact match, differences), and those at \
a nominal 95% in 95.8–96.2% (ablation). At 5 tasks a nominal 90% covers 85–88%: too \
little, and nothing that was tried does better there. The plain percentile interval, \
which a study does not use and the board does, covers 78% at 5 tasks and 83–85% at 10 to \
14. Intervals of correlations cover 87–95%, those of techniques 91–94% (nominal 90%). \
Differences of two unequal models lie at the low end: 86.8% and 87.4% over 10 and 14 \
tasks.

## Which interval

A nominal 90% interval for the mean exact match over tasks of a weak model (ability −1.5), \
and for the paired difference to a better one (−0.8). In percent: how often it covers the \
truth.

{methods}

The plain percentile interval of so few tasks is too narrow: it takes the sample's spread, \
which is too small by (n − 1)/n, and the normal law's tails in place of t's. BCa mends the \
bias and the skew and leaves both of these. The studentised interval mends them too, but is \
half again as wide at 5 tasks without covering better there, cannot be had for the score \
without a second bootstrap, and leaves [0, 1]. The expanded percentile interval (T. \
Hesterberg 2015) covers as well from 10 tasks on and better below, works for any figure, and \
stays within the figure's range: **a study's tables use it**. At 5 tasks it still falls a \
few points short; nothing that was tried does not. The board's intervals stay plain \
percentile intervals as they were published: with 13 tasks their 90% is about 84%.

## The study's own figures

By the functions that make the tables, two seeds a task, effects that vary from task to task \
(spread 0.4 logits); 999 resamples. Figures ×100; *found* is the mean over the repeats. The \
last row of each size is of two equal models: what it rejects at 0.05 it rejects wrongly.

{figures}

A table of {n_models} equal models compared with one more on 14 tasks ({few} repeats) shows \
a difference at 0.05 in {plain:.1f}% of the repeats as it is, and in {holm:.1f}% by Holm's \
correction (nominal: at most 5%).

## Correlations

Spearman's (×100), percentile interval over pairs, against its true value for a normal law. \
Of few pairs the coefficient itself is too small on average; the interval allows for it.

{correlations}

Of ten languages a correlation of 0.5 is mostly not told from none: see what is rejected.

## Techniques, within teams

A tag on half of the runs; teams differ with a spread of 6 points, runs with 2. The interval \
is the permutation test turned round.

{techniques}

## Power

The power analysis sees 30 paired differences of spread 20 points and says how many tasks \
are needed for a true difference d with power 0.8 ({few} repeats).

{power}

Of 30 tasks the spread is known to about 13%, so that the number of tasks is known to about \
a quarter: the table's interval says so.

## Likeness of unrelated scripts

{n_scripts} modules of the standard library of Python {python} of 60 to 1,200 lines, \
{n_pairs} pairs, as scripts that nobody copied from another for a challenge:

{likeness}

The pairs that reach {threshold}: {pairs}. As far as can be seen each of these pairs has a \
common source or was written on one plan; the others stay below 20%.
"""


def percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f}"


def table(headings: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    headings = list(headings)
    lines = [headings, ["---"] + ["---:"] * (len(headings) - 1), *map(list, rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def covered_table(rows: Iterable[Covered]) -> str:
    return table(
        ("figure", "n", "truth", "found", "nominal", "covers", "width", "rejects at 0.05"),
        (
            (
                row.what,
                str(row.n),
                f"{100 * row.truth:.2f}",
                f"{100 * row.mean:.2f}",
                percent(row.nominal),
                percent(row.covered),
                f"{100 * row.width:.1f}",
                percent(row.rejected),
            )
            for row in rows
        ),
    )


def methods_table(sizes: Iterable[int], n_repeats: int, seed: int) -> str:
    rows = []
    for n in sizes:
        found = {row.what: row for row in methods_covered(n, n_repeats, seed=seed)}
        for what in ("mean", "difference"):
            cells = [found[f"{what}, {name}"] for name in METHODS]
            rows.append(
                [
                    f"{what}, {n} tasks",
                    *(f"{percent(c.covered)} ({100 * c.width:.1f})" for c in cells),
                ]
            )
    return table(["figure", *(f"{name} (width)" for name in METHODS)], rows)


def likeness() -> tuple[int, int, str, str]:
    folder = Path(json.__file__).parents[1]
    prints = {}
    for path in sorted(folder.glob("*.py")):
        text = path.read_text(encoding="utf-8", errors="replace")
        own = fingerprints(text) if 60 <= text.count("\n") <= 1200 else frozenset()
        if len(own) >= MIN_PRINTS:
            prints[path.name] = own
    shares = sorted(
        ((containment(prints[a], prints[b]), a, b) for a, b in itertools.combinations(prints, 2)),
        reverse=True,
    )
    levels = (0.05, 0.10, 0.15, 0.20, THRESHOLD, 0.50)
    rows = [
        (
            f"{level:.0%}",
            str(n := sum(s[0] >= level for s in shares)),
            f"{100 * n / len(shares):.3f}%",
        )
        for level in levels
    ]
    reached = [f"{a} and {b} ({share:.0%})" for share, a, b in shares if share >= THRESHOLD]
    text = table(("share of the smaller script", "pairs", "of all"), rows)
    return len(prints), len(shares), text, "; ".join(reached)


def page(n_repeats: int, seed: int, sizes: tuple[int, ...]) -> str:
    start = time.monotonic()
    few = max(10, n_repeats // 4)
    figures = [row for n in sizes[1:] for row in figures_covered(n, n_repeats // 2, seed=seed)]
    plain, holm = families_erring(14, few, seed=seed)
    correlations = [
        correlations_covered(n, planted, n_repeats // 2, seed=seed)
        for n in (6, 10, 20, 40)
        for planted in (0.0, 0.5, 0.8)
    ]
    techniques = [
        techniques_covered(teams, runs, effect, n_repeats // 2, seed=seed)
        for teams, runs in ((4, 5), (12, 5))
        for effect in (0.0, 0.03)
    ]
    powers = [(d, *power_reached(d, few, seed=seed)) for d in (0.05, 0.10, 0.20)]
    n_scripts, n_pairs, likeness_table, pairs = likeness()
    methods = methods_table(sizes, n_repeats, seed)
    return PAGE.format(
        version=__version__,
        n_repeats=f"{n_repeats} or {n_repeats // 2}",
        few=few,
        seed=seed,
        error=100 * (0.09 / (n_repeats // 2)) ** 0.5,
        methods=methods,
        figures=covered_table(figures),
        n_models=6,
        plain=100 * plain,
        holm=100 * holm,
        correlations=covered_table(correlations),
        techniques=covered_table(techniques),
        power=table(
            ("true d", "asked for (median)", "the law asks for", "power at the median"),
            (
                (f"{100 * d:.0f} points", f"{asked:.0f}", f"{law:.0f}", f"{percent(truly)}%")
                for d, asked, law, truly in powers
            ),
        ),
        python=".".join(platform.python_version_tuple()[:2]),
        n_scripts=n_scripts,
        n_pairs=f"{n_pairs:,}",
        likeness=likeness_table,
        threshold=f"{THRESHOLD:.0%}",
        pairs=pairs,
        seconds=time.monotonic() - start,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=1000, help="repeats a row")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--page", type=Path, help="where to write the page")
    chosen = parser.parse_args()
    text = page(chosen.repeats, chosen.seed, (5, 10, 14, 40))
    if chosen.page is None:
        print(text)
    else:
        chosen.page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
