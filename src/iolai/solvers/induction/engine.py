"""The induction engine: read, propose, verify, answer, explain; with no language model."""

from __future__ import annotations

from collections.abc import Iterator

from iolai.records import Candidate, ItemAnswer, Problem, TaskAnswer
from iolai.solvers.base import Budget, ProblemAnswer
from iolai.solvers.induction.grammar import Grammar, Proposal, Slot
from iolai.solvers.induction.reader import Sheet, read_sheet
from iolai.solvers.induction.registry import PART_SOLVERS

__all__ = ["Induction"]


class Induction:
    """Answers all tasks of a problem from the grammars that its own data support."""

    def solve(self, problem: Problem, budget: Budget) -> Iterator[ProblemAnswer]:
        """Yield fallback answers at once, then better ones as each part solver is done."""
        sheet = read_sheet(problem)
        state = _State(sheet)
        for n_run, make in enumerate(PART_SOLVERS.values()):
            if n_run and budget.seconds_left <= 0:
                return
            for proposal in make().propose(sheet, budget):
                state.take(proposal)
                yield state.answers()
                if budget.seconds_left <= 0:
                    return


class _State:
    """The best answers and the grammars so far."""

    def __init__(self, sheet: Sheet) -> None:
        self._sheet = sheet
        self._best: dict[Slot, tuple[Candidate, ...]] = {}
        self._grammars: dict[str, Grammar] = {}

    def take(self, proposal: Proposal) -> None:
        """Take over a proposal's answers, and its grammar where it has rules."""
        for slot, candidates in proposal.answers.items():
            if candidates:
                self._best[slot] = candidates
        if proposal.grammar.rules:
            self._grammars[proposal.grammar.kind] = proposal.grammar

    def answers(self) -> ProblemAnswer:
        """Return an answer for every item of every task."""
        explanation = explain(self._grammars) or _unexplained(self._sheet)
        return tuple(
            TaskAnswer(
                task.id,
                tuple(_item_answer(self._best.get((t, i), ())) for i in range(len(task.items))),
                explanation,
            )
            for t, task in enumerate(self._sheet.tasks)
        )


def explain(grammars: dict[str, Grammar]) -> str:
    """Print the grammars: each rule once, a line each."""
    rules = [rule for grammar in grammars.values() for rule in grammar.rules]
    return "\n".join(dict.fromkeys(rules))


def _unexplained(sheet: Sheet) -> str:
    """Say why there is no grammar, and what the answers are then."""
    why = "; ".join(f"not understood: {what}" for what in sheet.unread[:3])
    return (
        f"No grammar was found ({why or 'nothing in the data explains the items'}). The answers "
        "are guesses: letters in order, or what stands beside the text most like the item."
    )


def _item_answer(candidates: tuple[Candidate, ...]) -> ItemAnswer:
    if not candidates:
        return ItemAnswer("-", 0.0)
    best = candidates[0]
    return ItemAnswer(best.text, round(min(1.0, best.weight), 4), candidates)
