"""What the analyses of a study work on: the long table, and what was handed in beside it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from iolai.records import AnswerKey, Board, Condition, Outcome, PredictionSet, ProblemSet
from iolai.stats import DEFAULT_LEVEL

__all__ = ["JuryFigure", "Material", "StudyEntry"]


@dataclass(frozen=True, slots=True)
class StudyEntry:
    """One scored run of a team's entry, for the effects of techniques.

    ``techniques`` are tags (vote, few-shot...), ``at`` is when it was handed in (ISO 8601).
    ``script`` is the text of its ``script.py``; it is read, never executed.
    """

    name: str
    team: str
    public: float | None = None
    private: float | None = None
    at: str = ""
    techniques: tuple[str, ...] = ()
    script: str = ""
    predictions: PredictionSet | None = None
    synthetic: bool = False


@dataclass(frozen=True, slots=True)
class JuryFigure:
    """What a jury gave one contestant for one problem, both figures in [0, 1].

    ``kind`` is ``system`` or ``people``. ``criterion`` is empty for the problem as a whole.
    """

    contestant: str
    problem: str
    jury: float
    automatic: float | None = None
    kind: str = "system"
    criterion: str = ""
    synthetic: bool = False


@dataclass(frozen=True)
class Material:
    """All that an analysis may look at.

    ``board`` is a challenge's board, as ``evaluation`` makes it. ``tiers`` gives the kind of
    system each model is (baseline, small, entry...), for figures. ``presence`` has a count by
    (ISO 639-3 code, resource), made up where ``presence_synthetic`` says so.

    ``base`` is the condition under which models are compared; where it is None, the commonest
    whole one without an explanation. ``bases`` has that of single models
    whose own best format was found before. ``n_resamples`` and ``seed`` are of every bootstrap and
    permutation.
    """

    outcomes: tuple[Outcome, ...] = ()
    problems: ProblemSet = field(default_factory=lambda: ProblemSet(()))
    key: AnswerKey = field(default_factory=lambda: AnswerKey(()))
    entries: tuple[StudyEntry, ...] = ()
    jury: tuple[JuryFigure, ...] = ()
    presence: Mapping[tuple[str, str], float] = field(default_factory=dict)
    presence_synthetic: bool = False
    board: Board | None = None
    tiers: Mapping[str, str] = field(default_factory=dict)
    base: Condition | None = None
    bases: Mapping[str, Condition] = field(default_factory=dict)
    level: float = DEFAULT_LEVEL
    n_resamples: int = 10_000
    seed: int = 0

    @cached_property
    def tasks(self) -> tuple[Outcome, ...]:
        """The outcomes of tasks (no probes), of every condition."""
        return tuple(outcome for outcome in self.outcomes if outcome.kind == "task")

    @cached_property
    def replies(self) -> tuple[Outcome, ...]:
        """The outcomes of tasks; one call's result that stands for two conditions comes once."""
        seen: dict[object, Outcome] = {}
        for outcome in self.tasks:
            key = (outcome.model, outcome.call, outcome.task) if outcome.call else id(outcome)
            seen.setdefault(key, outcome)
        return tuple(seen.values())

    @cached_property
    def probes(self) -> tuple[Outcome, ...]:
        """The outcomes of probes."""
        return tuple(outcome for outcome in self.outcomes if outcome.kind == "probe")

    @cached_property
    def condition(self) -> Condition:
        """The condition under which models are compared."""
        if self.base is not None:
            return self.base
        asked = Counter(outcome.condition for outcome in self.tasks)
        plain = [one for one in asked if one.context == "whole" and not one.explanation]
        return max(plain or list(asked) or [Condition()], key=lambda one: asked[one])

    def base_of(self, model: str) -> Condition:
        """The condition under which one model is compared with the others."""
        return self.bases.get(model, self.condition)

    @cached_property
    def compared(self) -> tuple[Outcome, ...]:
        """The outcomes of tasks under the condition under which each model is compared."""
        return tuple(
            outcome for outcome in self.tasks if outcome.condition == self.base_of(outcome.model)
        )

    @property
    def condition_note(self) -> str:
        """Say in words under which condition the models are compared."""
        own = [f"{model}: {condition.name}" for model, condition in self.bases.items()]
        return f"Condition: {'; '.join((self.condition.name, *own))}."

    @cached_property
    def models(self) -> tuple[str, ...]:
        """All models that were asked anything, in order of appearance."""
        return tuple(dict.fromkeys(outcome.model for outcome in self.outcomes))

    @property
    def why_no_tasks(self) -> str:
        """Say why no table over tasks can be made; empty where it can."""
        return "" if self.compared else "no model has answered a task"
