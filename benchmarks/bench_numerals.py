"""Exact match of the number solver on number systems drawn at random.

Run as ``python benchmarks/bench_numerals.py FIRST_SEED LAST_SEED``; it prints a line for each
system and the totals of both directions. Seconds are of processor time.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "solvers" / "induction"))

from invented_numerals import draw_system, numeral_problem

from iolai.solvers.base import Budget
from iolai.solvers.induction.grammar import Proposal
from iolai.solvers.induction.numerals import Numerals
from iolai.solvers.induction.reader import read_sheet


def right(proposal: Proposal | None, answers: list[list[str]]) -> list[int]:
    """Return how many items of each task are answered exactly."""
    found = proposal.answers if proposal is not None else {}
    return [
        sum(
            1
            for i, text in enumerate(texts)
            if [c.text for c in found.get((t, i), ())][:1] == [text]
        )
        for t, texts in enumerate(answers)
    ]


def main(first: int, last: int) -> None:
    """Print what is right for each seed, then the totals."""
    totals, n_items = [0, 0], [0, 0]
    for seed in range(first, last + 1):
        system = draw_system(seed)
        problem, answers = numeral_problem(system, seed)
        start = time.process_time()
        proposals = list(Numerals().propose(read_sheet(problem), Budget(seed=seed)))
        seconds = time.process_time() - start
        hits = right(proposals[-1] if proposals else None, answers)
        for t, texts in enumerate(answers):
            totals[t] += hits[t]
            n_items[t] += len(texts)
        print(f"{seed}: base {system.base} {system.kind} {hits} {seconds:.1f} s", flush=True)
    print(f"to figures {totals[0]}/{n_items[0]}, to words {totals[1]}/{n_items[1]}")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
