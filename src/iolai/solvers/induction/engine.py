"""The induction engine: read, propose, verify, answer, explain; with no language model."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Set
from dataclasses import replace

from iolai.records import Candidate, ItemAnswer, Problem, TaskAnswer
from iolai.solvers.base import Budget, ProblemAnswer
from iolai.solvers.induction.calibration import Map, reweighted
from iolai.solvers.induction.grammar import Grammar, Proposal, Slot
from iolai.solvers.induction.hearing import sounds_of
from iolai.solvers.induction.reader import Sheet, SheetItem, read_sheet
from iolai.solvers.induction.registry import PART_SOLVERS
from iolai.solvers.induction.segments import Sounds, taken_for
from iolai.solvers.induction.settings import Settings, Tunable

__all__ = ["Induction"]

#: What one problem may cost where nobody sets a limit, in seconds of processor time: no clock that
#: other programs slow down, and more than the 52.6 s that the slowest problem of the sets was seen
#: to take (docs/bench-solvers.md).
_MOST_SECONDS = 58.0


class Induction:
    """Answers all tasks of a problem from the grammars that its own data support."""

    def __init__(self, settings: Settings | None = None) -> None:
        self._settings = settings or Settings()

    def solve(self, problem: Problem, budget: Budget) -> Iterator[ProblemAnswer]:
        """Yield fallback answers at once, then better ones as each part solver is done.

        Without a deadline a problem gets 58 s of processor time.
        """
        if budget.deadline == float("inf"):
            deadline = time.process_time() + _MOST_SECONDS
            budget = replace(budget, deadline=deadline, clock=time.process_time)
        sheet = read_sheet(problem)
        sounds = sounds_of(sheet)
        state = _State(sheet, self._settings.confidence)
        for n_run, make in enumerate(PART_SOLVERS.values()):
            if n_run and budget.seconds_left <= 0:
                return
            part = make()
            if isinstance(part, Tunable):
                part = part.tuned(self._settings)
            for proposal in _heard(part.propose(sheet, budget), sounds):
                state.take(proposal)
                yield state.answers()
                if budget.seconds_left <= 0:
                    return


def _heard(proposals: Iterator[Proposal], sounds: Sounds | None) -> Iterator[Proposal]:
    """Yield proposals that are worked out while letters are taken for what they sound like."""
    while True:
        with taken_for(sounds):
            proposal = next(proposals, None)
        if proposal is None:
            return
        yield proposal


class _State:
    """The best answers and the grammars so far."""

    def __init__(self, sheet: Sheet, confidence: Mapping[str, Map]) -> None:
        self._sheet = sheet
        self._confidence = confidence
        self._understood = sheet.report()
        self._best: dict[Slot, tuple[Candidate, ...]] = {}
        self._sources: dict[Slot, str] = {}
        self._verified: dict[Slot, float | None] = {}
        self._printed: dict[str, dict[str, str]] = {}
        self._shares: dict[tuple[str, str], float] = {}

    def take(self, proposal: Proposal) -> None:
        """Take over a proposal's answers, and its grammar where it has rules."""
        grammar = proposal.grammar
        for slot, candidates in proposal.answers.items():
            if candidates:
                self._best[slot] = candidates
                self._sources[slot] = grammar.kind
                self._verified[slot] = grammar.verified
        found = self._printed.setdefault(grammar.kind, {})
        if grammar.sections:
            found.pop(_plain_title(grammar), None)
        found.update(printed(grammar))
        measured = (section for section in grammar.sections if section.n_examples)
        self._shares.update({(grammar.kind, s.title): s.share for s in measured})

    def answers(self) -> ProblemAnswer:
        """Return an answer for every item of every task."""
        used = set(self._sources.values())
        texts = self._texts(used)
        explanation = "\n\n".join(texts) or _unexplained(self._sheet)
        return tuple(
            TaskAnswer(
                task.id,
                tuple(self._item_answer((t, i), item) for i, item in enumerate(task.items)),
                explanation,
                self._understood,
                self._share_verified(t, len(task.items)),
            )
            for t, task in enumerate(self._sheet.tasks)
        )

    def _texts(self, used: Set[str]) -> list[str]:
        """Return the sections of the grammars in use.

        Beside a grammar of another kind that gives every example, rules that give none are none.
        """
        found = {
            (kind, title): text
            for kind, texts in self._printed.items() if kind in used
            for title, text in texts.items()
        }  # fmt: skip
        full = {kind for kind, title in found if self._shares.get((kind, title)) == 1.0}
        return [
            text for (kind, title), text in found.items()
            if not (full - {kind} and self._shares.get((kind, title)) == 0.0)
        ]  # fmt: skip

    def _share_verified(self, place: int, n_items: int) -> float | None:
        shares = [self._verified.get((place, i)) for i in range(n_items)]
        if all(share is None for share in shares):
            return None
        return sum(share or 0.0 for share in shares) / n_items

    def _item_answer(self, slot: Slot, item: SheetItem) -> ItemAnswer:
        found = self._confidence.get(f"{item.layout} to {item.target}")
        answer = _item_answer(reweighted(self._best.get(slot, ()), found))
        if item.place is None:
            return answer
        table, row, column = item.place
        asked = self._sheet.tasks[slot[0]].tables[table].described(row, column)
        return replace(answer, asked=asked)


def printed(grammar: Grammar) -> dict[str, str]:
    """Return a grammar's sections as text by their titles; each rule stands in one of them."""
    if grammar.sections:
        return {section.title: str(section) for section in grammar.sections if section.lines}
    if not grammar.rules:
        return {}
    title = _plain_title(grammar)
    rules = "\n".join(f"  {rule}" for rule in dict.fromkeys(grammar.rules))
    return {title: f"{title}:\n{rules}"}


def _plain_title(grammar: Grammar) -> str:
    return grammar.kind.capitalize()


def _unexplained(sheet: Sheet) -> str:
    """Say why there is no grammar, and what the answers are then."""
    why = "; ".join(f"not understood: {what}" for what in sheet.unread[:3])
    return (
        f"No grammar was found ({why or 'nothing in the data explains the items'}). The answers "
        "are guesses: letters in order, or what stands beside the text most like the item."
    )


def _item_answer(candidates: tuple[Candidate, ...]) -> ItemAnswer:
    candidates = tuple(one for one in candidates if one.text.strip())
    if not candidates:
        return ItemAnswer("-", 0.0)
    best = candidates[0]
    return ItemAnswer(best.text, round(min(1.0, best.weight), 4), candidates)
