"""A board: the ranked table of a challenge, with everything a report says about it.

Scores are in [0, 1]; ``None`` stands for a figure that does not exist. The rules that fill these
records are in ``iolai.board``; ``iolai.reports`` shows them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from iolai.records.score import Rates, SplitScore
from iolai.stats import Interval

__all__ = [
    "BASELINE",
    "STATES",
    "Board",
    "BoardRow",
    "Difference",
    "ExplanationUse",
    "Resampling",
    "SharedExplanation",
    "SimilarPair",
    "Summary",
    "TaskLine",
]

#: ``recomputed``: scored here, and equal to what was published. ``differs``: scored here, and not
#: equal. ``published``: no record to score, the published figures stand. ``scored``: scored here,
#: nothing was published to compare with. ``unscored``: there are no figures at all.
STATES = ("recomputed", "differs", "published", "scored", "unscored")


#: The kind of account of what an organiser put on the board to compare with: it has no rank.
BASELINE = "baseline"


@dataclass(frozen=True, slots=True)
class Difference:
    """A field whose published value is not the one computed here; ``None``: not there."""

    field: str
    published: object
    computed: object


@dataclass(frozen=True, slots=True)
class BoardRow:
    """One entry's line. ``rank`` is None where the state is ``unscored``, and for baselines.

    ``interval`` and ``band`` are None where there is no record to resample. ``chance`` is the
    exact match that answering at random would be expected to reach.
    """

    rank: int | None
    team: str
    state: str
    account_type: str = ""
    score: float | None = None
    exact_match: float | None = None
    chrf: float | None = None
    interval: Interval | None = None
    band: int | None = None
    by_task_type: Mapping[str, SplitScore] = field(default_factory=dict)
    by_problem: Mapping[str, SplitScore] = field(default_factory=dict)
    splits: Mapping[str, SplitScore] = field(default_factory=dict)
    rates: Rates | None = None
    explanation_rate: float | None = None
    model: str = ""
    submitted_at: str = ""
    published_rank: int | None = None
    differences: tuple[Difference, ...] = ()

    @property
    def is_baseline(self) -> bool:
        """Whether it stands between the ranks to compare with, and has none itself."""
        return self.account_type == BASELINE and self.rank is None

    @property
    def equal(self) -> bool | None:
        """Whether all published figures came out; None where there was nothing to recompute."""
        if self.differences:
            return False
        return True if self.state == "recomputed" else None

    @property
    def moved(self) -> bool:
        """Whether it was published at another rank; another row's difference may be why."""
        return self.published_rank is not None and self.published_rank != self.rank


@dataclass(frozen=True, slots=True)
class TaskLine:
    """One task of the key, and how the scored entries did on it (exact match in [0, 1]).

    ``chance`` is its chance level; ``n_options`` the number of legal answers, 0 where the answer
    is free text. ``n_above`` counts the entries whose exact match is above chance.
    """

    id: str
    problem: str
    task_type: str
    split: str
    points: float
    n_items: int
    n_options: int
    chance: float
    mean: float | None
    best: float | None
    n_above: int


@dataclass(frozen=True, slots=True)
class SimilarPair:
    """Two entries whose outputs agree: ``n_equal`` of ``n_items`` items that either answered.

    Equality is that of normalised answers. ``score_gap`` is first minus second, as ranked.
    """

    first: str
    second: str
    n_equal: int
    n_items: int
    n_shared_explanations: int
    score_gap: float | None

    @property
    def share(self) -> float:
        """The share of equal items, in [0, 1]."""
        return self.n_equal / self.n_items if self.n_items else 0.0


@dataclass(frozen=True, slots=True)
class ExplanationUse:
    """One entry's explanations: texts that stand under several tasks, texts that stop short."""

    team: str
    n_explanations: int
    n_distinct: int
    n_unfinished: int
    repeated: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class SharedExplanation:
    """One explanation that stands, the same to the letter, in the entries of several teams."""

    text: str
    teams: tuple[str, ...]
    n_uses: int


@dataclass(frozen=True, slots=True)
class Resampling:
    """How the intervals were made; ``reason`` says why there are none, and is ``""`` else."""

    level: float
    n_resamples: int
    seed: int
    n_tasks: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Summary:
    """Counts over the board: what a reader should know before reading a rank.

    ``n_predictions`` counts the predictions for tasks with points of all recomputed entries, and
    ``n_wrong_count`` those of them whose own number of items is not the key's.
    ``n_other_run`` counts the rows whose best public figure is of another run than the scored one.
    ``n_entries`` counts who is ranked or could be, and none of the ``n_baselines``.
    """

    n_entries: int
    n_baselines: int
    n_recomputed: int
    n_equal: int
    n_differ: int
    n_published_only: int
    n_unscored: int
    n_predictions: int
    n_wrong_count: int
    n_entries_wrong_count: int
    n_not_selected: int
    n_other_run: int
    n_repeating: int
    n_shared_texts: int
    n_half_unfinished: int


@dataclass(frozen=True)
class Board:
    """The ranked rows, and what was found out about them. See ``iolai.board``."""

    rows: tuple[BoardRow, ...]
    tasks: tuple[TaskLine, ...]
    summary: Summary
    resampling: Resampling
    signature: str = ""
    chance: float | None = None
    similar: tuple[SimilarPair, ...] = ()
    similar_threshold: float = 0.5
    explanations: tuple[ExplanationUse, ...] = ()
    shared_explanations: tuple[SharedExplanation, ...] = ()
    name: str = field(default="", compare=False)

    @property
    def task_types(self) -> tuple[str, ...]:
        """The task types that carry points, in the order of the key."""
        return tuple(dict.fromkeys(t.task_type for t in self.tasks if t.points > 0))

    @property
    def problems(self) -> tuple[str, ...]:
        """The ids of the problems that carry points, in the order of the key."""
        return tuple(dict.fromkeys(task.problem for task in self.tasks if task.points > 0))

    @property
    def differing(self) -> tuple[BoardRow, ...]:
        """The rows where something published did not come out, the rank included."""
        return tuple(row for row in self.rows if row.differences or row.moved)
