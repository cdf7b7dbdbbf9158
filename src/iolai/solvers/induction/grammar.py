"""What every solver of the engine hands back: a grammar, and weighted answers made from it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from iolai.records import Candidate
from iolai.solvers.base import Budget
from iolai.solvers.induction.printed import Section
from iolai.solvers.induction.reader import Sheet

__all__ = ["Answers", "Grammar", "PartSolver", "Proposal", "Slot", "ranked"]

#: (place of the task in the sheet, place of the item in the task)
Slot = tuple[int, int]
Answers = Mapping[Slot, tuple[Candidate, ...]]


@dataclass(frozen=True, slots=True)
class Grammar:
    """A hypothesis about a problem: its rules as a linguist writes them, its cost, its proof.

    ``cost`` is a description length in bits (rules plus what they miss), comparable only between
    grammars of one solver; ``verified`` is the share in [0, 1] of the sheet's examples that the
    grammar regenerates (None where that was not measured), ``left_out`` the share it gets right
    when each is left out in turn.
    ``sections`` are the rules as they are printed and can be read back; where there are none,
    ``rules`` are printed as they are.
    """

    kind: str
    rules: tuple[str, ...]
    cost: float = 0.0
    verified: float | None = None
    left_out: float = 0.0
    sections: tuple[Section, ...] = ()


@dataclass(frozen=True, slots=True)
class Proposal:
    """A grammar and, for the items it speaks about, the best answers first, weights at most 1."""

    grammar: Grammar
    answers: Answers = field(default_factory=dict)


class PartSolver(Protocol):
    """A solver for one kind of structure: a sheet in, proposals out, better ones later.

    It yields nothing where the sheet has no such structure.
    """

    def propose(self, sheet: Sheet, budget: Budget) -> Iterator[Proposal]:
        """Yield proposals; each later one is to be preferred for the items it answers."""
        ...


def ranked(weights: Mapping[str, float], n_best: int = 5) -> tuple[Candidate, ...]:
    """Return the heaviest texts as candidates whose weights sum to at most 1."""
    total = sum(weights.values())
    best: Iterable[tuple[str, float]] = sorted(
        weights.items(), key=lambda pair: (-pair[1], pair[0])
    )
    kept = [(text, weight) for text, weight in best if text.strip() and weight > 0][:n_best]
    scale = max(total, 1.0) if total <= 1 else total
    return tuple(Candidate(text, weight / scale) for text, weight in kept)
