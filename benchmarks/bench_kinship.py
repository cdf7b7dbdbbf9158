"""Exact match of the kinship solver on invented systems of the known types.

Run as ``python benchmarks/bench_kinship.py FIRST_SEED LAST_SEED``; it prints a line for each
system, told as data and in prose by turns, and the totals by kind of task. Seconds are of
processor time.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "solvers" / "induction"))

from invented_kin import draw_kin_system, kin_problem

from iolai.solvers.base import Budget
from iolai.solvers.induction.kinship import KinTerms
from iolai.solvers.induction.reader import read_sheet


def main(first: int, last: int) -> None:
    """Print what is right for each seed, then the totals."""
    totals: Counter[str] = Counter()
    for seed in range(first, last + 1):
        system = draw_kin_system(seed)
        problem, answers = kin_problem(system, seed, is_prose=bool(seed % 2))
        start = time.process_time()
        proposals = list(KinTerms().propose(read_sheet(problem), Budget(seed=seed)))
        seconds = time.process_time() - start
        found = proposals[-1].answers if proposals else {}
        said = []
        for t, texts in enumerate(answers):
            what = problem.tasks[t].query.partition(":")[0]
            firsts = [next((c.text for c in found.get((t, i), ())), "") for i in range(len(texts))]
            n_right = sum(one == other for one, other in zip(firsts, texts, strict=True))
            totals[f"{what}, right"] += n_right
            totals[f"{what}, items"] += len(texts)
            said.append(f"{n_right}/{len(texts)}")
        share = (proposals[-1].grammar.verified if proposals else None) or 0.0
        print(f"{seed}: {system.kind}, {' '.join(said)}, given {share:.0%}, {seconds:.1f} s",
              flush=True)  # fmt: skip
    for what in sorted({name.rpartition(",")[0] for name in totals}):
        print(f"{what}: {totals[f'{what}, right']}/{totals[f'{what}, items']}")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
