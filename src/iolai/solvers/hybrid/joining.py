"""The vote between the engine and a model, in probabilities of being right.

The engine gives each of its candidates a probability: the candidate's share among all, times the
rate at which the engine gets left-out examples right, mapped to how often such answers were right
elsewhere. A model's is the share of its passes that
gave the form, times the model's own rate on left-out examples. The two are taken for independent:
a form that both give is wrong only where both are, 1 - (1 - p)(1 - q). So agreement raises
confidence, and a model that fails the problem's examples moves only what the engine leaves open.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from iolai.records import ItemAnswer
from iolai.solvers.induction.matching.assignment import heaviest_assignment
from iolai.solvers.llm.draft import TaskDraft
from iolai.solvers.llm.voting import Ballot, Choice
from iolai.text import normalise_answer

__all__ = ["Opinion", "engine_ballots", "joined"]

#: The least that an answer of the engine is worth: few are right, but they are near the right
#: form. One without any confidence is a guess: a letter is right by chance, a text never was
#: (none of 53 on the built-in problems and Linguini).
FLOOR, GUESS = 0.05, 0.005
#: What the odds of a model's form are multiplied with where the engine's grammar regenerates it,
#: and where it contradicts the sheet.
REGENERATED, CONTRADICTS = 2.0, 0.1
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Opinion:
    """What the engine says of a model's form.

    ``failures`` are sentences for the model to read; ``regenerates`` says that the engine's
    grammar leads from the form back to the item.
    """

    failures: tuple[str, ...] = ()
    regenerates: bool = False

    @property
    def factor(self) -> float:
        """What the odds of a form are multiplied with."""
        if self.failures:
            return CONTRADICTS
        return REGENERATED if self.regenerates else 1.0


Opinions = Mapping[tuple[int, str], Opinion]


def engine_ballots(item: ItemAnswer, n_options: int = 0) -> tuple[Ballot, ...]:
    """Return the engine's candidates with their probabilities.

    Its answer has at least ``FLOOR`` (a guess ``GUESS``, or the chance level among ``n_options``
    letters), and as much as any other candidate: nobody but the model turns it down.
    """
    rest = [Ballot(c.text, c.weight) for c in item.candidates if c.text != item.text]
    others = tuple(ballot for ballot in rest if ballot.weight > 0)
    guess = 1 / n_options if n_options else GUESS
    least = FLOOR if item.confidence else guess
    weight = max(least, item.confidence or 0.0, *(ballot.weight for ballot in others))
    return (Ballot(item.text, weight), *others)


@dataclass(slots=True)
class _Count:
    """The forms of one item: how each is written, and what speaks for it."""

    written: dict[str, str] = field(default_factory=dict)
    engine: dict[str, float] = field(default_factory=dict)
    model: dict[str, float] = field(default_factory=dict)

    def add(self, votes: dict[str, float], form: str, weight: float) -> None:
        key = normalise_answer(form)
        if key and weight > 0:
            self.written.setdefault(key, form)
            votes[key] = min(1.0, votes.get(key, 0.0) + weight)

    def probability(self, key: str) -> float:
        return 1 - (1 - self.engine.get(key, 0.0)) * (1 - self.model.get(key, 0.0))

    def choice(self, key: str) -> Choice:
        ranked = sorted(self.written, key=lambda k: (k != key, -self.probability(k), k))
        ballots = tuple(Ballot(self.written[k], self.probability(k)) for k in ranked)
        return Choice(self.written[key], self.probability(key), ballots)

    def best(self, first: str) -> str:
        """Return the likeliest form; of equally likely ones ``first``, the engine's answer.

        Where all forms are marks alone there is nothing to compare, and ``first`` it is.
        """
        forms = sorted(self.written)
        return max(forms, key=lambda k: (self.probability(k), k == first), default=first)


def joined(task: TaskDraft, trust: float, opinions: Opinions) -> TaskDraft:
    """Return the task with the vote of engine (``task.others``) and model over every item.

    Where the engine's answers use every letter at most once, so do the joined ones.
    """
    if not task.others:
        return task
    counts = [_counted(task, place, trust, opinions) for place in range(len(task.items))]
    firsts = [normalise_answer(ballots[0].form) for ballots in task.others]
    options = [normalise_answer(option) for option in task.options]
    if len(set(firsts)) == len(firsts) and _is_among(counts, options):
        keys = _one_to_one(counts, firsts, options)
    else:
        keys = [count.best(first) for count, first in zip(counts, firsts, strict=True)]
    choices = (
        count.choice(key) if key in count.written else _kept(ballots[0])
        for count, key, ballots in zip(counts, keys, task.others, strict=True)
    )
    return replace(task, choices=tuple(choices))


def _kept(ballot: Ballot) -> Choice:
    """Return the engine's answer as it is, where comparing leaves nothing of it."""
    return Choice(ballot.form, ballot.weight, (ballot,))


def _is_among(counts: Sequence[_Count], options: Sequence[str]) -> bool:
    """Say whether there are options, all different, and no form is anything else."""
    return len(set(options)) == len(options) > 0 and all(
        key in options for count in counts for key in count.written
    )


def _counted(task: TaskDraft, place: int, trust: float, opinions: Opinions) -> _Count:
    count = _Count()
    for ballot in task.others[place]:
        count.add(count.engine, ballot.form, ballot.weight)
    passes = [texts[place] for texts in (task.anchor, *task.samples) if texts]
    given = [form for form in passes if form.strip()]
    if task.options:
        given = [form for form in given if form in task.options]
    for form in given:
        count.add(count.model, form, trust / len(given))
    for key, share in count.model.items():
        odds = opinions.get((place, key), Opinion()).factor
        count.model[key] = odds * share / (1 - share + odds * share)
    return count


def _one_to_one(
    counts: Sequence[_Count], firsts: Sequence[str], options: Sequence[str]
) -> list[str]:
    """Return the assignment of options to items with the greatest sum of probabilities.

    The engine's own stands unless another is better: its candidates are only its best few.
    """
    place = {option: k for k, option in enumerate(options)}
    size = max(len(counts), len(options))
    scores = np.zeros((size, size))
    for row, count in enumerate(counts):
        for key in count.written:
            scores[row, place[key]] = count.probability(key)
    columns = heaviest_assignment(scores)[: len(counts)]
    found = [options[int(k)] if k < len(options) else "" for k in columns]
    if not all(key in count.written for count, key in zip(counts, found, strict=True)):
        return list(firsts)
    total, before = (
        sum(count.probability(key) for count, key in zip(counts, keys, strict=True))
        for keys in (found, firsts)
    )
    return found if total > before + _ROUNDING else list(firsts)
