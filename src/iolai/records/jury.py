"""The jury's words: contestants and their papers, jurors' marks, and what is found out from them.

Nothing is computed here; the rules are in ``iolai.jury``. Points are those of a rubric: 20 a
problem in the olympiad. Figures that do not exist are named states (``NoFigure``), never nan.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from iolai.records.service import StrEnum
from iolai.stats import Interval, NoInterval

__all__ = [
    "MEDALS",
    "NO_MEDAL",
    "Agreement",
    "Amendment",
    "Assignment",
    "Blinded",
    "Comparison",
    "Conflict",
    "Contestant",
    "ContestantKind",
    "ContestantResult",
    "ContestantTable",
    "Counted",
    "CountedBy",
    "CriterionChange",
    "CriterionLine",
    "DeskState",
    "Difficulty",
    "ExplanationFinding",
    "ExplanationReport",
    "Figure",
    "JurorRole",
    "JuryResult",
    "JurySelection",
    "Mark",
    "MarkDifference",
    "MarkKind",
    "MarkRow",
    "MarkedPaper",
    "MarkingState",
    "MedalChange",
    "MedalClash",
    "NoFigure",
    "Page",
    "Paper",
    "PaperAnswer",
    "PaperChange",
    "PaperState",
    "PersonScore",
    "ProblemAgreement",
    "ProblemComparison",
    "Proposed",
    "Removal",
    "Sensitivity",
    "Thresholds",
    "Withheld",
]


class ContestantKind(StrEnum):
    """Whose work is marked: a person's, or a system's."""

    PERSON = "person"
    SYSTEM = "system"


class MarkKind(StrEnum):
    """What a row of marks says.

    ``own``: a juror's mark (points None takes it back). ``handed_over``: the juror is done with
    the paper. ``reopened``: the juror's hand-over is taken back, and with a criterion the marks on
    it. ``proposed`` and ``accepted``: talk about a difference. ``escalated``: a third is asked.
    ``third``: the third's decision. ``late``: an own mark that came after a newer one of the same
    juror, made elsewhere: it is kept, and counts nothing.
    """

    OWN = "own"
    HANDED_OVER = "handed_over"
    REOPENED = "reopened"
    PROPOSED = "proposed"
    ACCEPTED = "accepted"
    ESCALATED = "escalated"
    THIRD = "third"
    LATE = "late"


class JurorRole(StrEnum):
    """Where a juror of a paper stood in the end.

    ``first`` and ``second``: the pair, in the order of the assignment. ``third``: decided what was
    escalated. ``replaced``: had begun on the paper, or was its third, before somebody stood in.
    """

    FIRST = "first"
    SECOND = "second"
    THIRD = "third"
    REPLACED = "replaced"


class DeskState(StrEnum):
    """Where a paper stands for one juror."""

    WAITING = "waiting"
    BEGUN = "begun"
    HANDED_OVER = "handed_over"


class PaperState(StrEnum):
    """Where a paper stands as a whole.

    ``marking``: not both have handed over. ``differing``: both have, nobody has spoken.
    ``discussing``: something was proposed or escalated. ``escalated``: all that is still open
    waits for the third. ``settled``: every criterion has a mark that counts.
    """

    MARKING = "marking"
    DIFFERING = "differing"
    DISCUSSING = "discussing"
    ESCALATED = "escalated"
    SETTLED = "settled"


class MarkingState(StrEnum):
    """Where the jury's work on one challenge stands."""

    DRAFTING = "drafting"
    MARKING = "marking"
    SETTLED = "settled"
    UNSEALED = "unsealed"
    RELEASED = "released"


class CountedBy(StrEnum):
    """Why a mark counts: both gave it, the pair agreed on it, or the third decided."""

    EQUAL = "equal"
    AGREED = "agreed"
    THIRD = "third"


@dataclass(frozen=True, slots=True)
class Contestant:
    """Whose work is marked. ``team`` is that of a system, "" for a person."""

    id: str
    name: str
    kind: ContestantKind
    team: str = ""


@dataclass(frozen=True, slots=True)
class PaperAnswer:
    """One task on a paper: the answers in the order of its items, and the explanation."""

    task: str
    answers: tuple[str, ...]
    explanation: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a paper as an image or PDF: its media type and its bytes."""

    media_type: str
    content: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Paper:
    """What one contestant handed in for one problem.

    ``number`` is what a juror calls it by. ``contestant`` is the contestant's id, and "" wherever
    the paper is shown while the seal is closed.
    """

    id: str
    problem: str
    contestant: str = ""
    number: str = ""
    answers: tuple[PaperAnswer, ...] = ()
    text: str = ""
    pages: tuple[Page, ...] = ()


@dataclass(frozen=True, slots=True)
class Conflict:
    """A juror who must not mark a contestant."""

    juror: str
    contestant: str


@dataclass(frozen=True, slots=True)
class Assignment:
    """Who marks a paper: the pair, and the third where a difference was escalated ("" else)."""

    paper: str
    pair: tuple[str, str]
    third: str = ""


@dataclass(frozen=True, slots=True)
class Mark:
    """One row of the marks, which are only ever added to.

    ``criterion`` is "" for a hand-over. ``points`` is None where the kind has none or an own mark
    is taken back. ``client_id`` is the random id by which a page may save it again unchanged.
    ``at`` is when it was saved; ``made_at`` when it was made, "" where that is not known apart.
    """

    paper: str
    juror: str
    criterion: str
    kind: MarkKind
    points: float | None = None
    note: str = ""
    rubric_version: int = 1
    at: str = ""
    client_id: str = ""
    id: int = 0
    made_at: str = ""


@dataclass(frozen=True, slots=True)
class MarkDifference:
    """A criterion on which a pair's marks are not equal, and what became of it.

    ``first`` and ``second`` are the own marks in the order of the assignment's pair. ``proposal``
    is the newest proposal; ``counted`` the mark that counts, None while the difference is open.
    ``asked_for`` is the reason for which a third was asked, empty where none was given.
    """

    paper: str
    criterion: str
    first: Mark
    second: Mark
    proposal: Mark | None = None
    escalated: bool = False
    counted: Counted | None = None
    asked_for: str = ""


@dataclass(frozen=True, slots=True)
class Counted:
    """The mark that counts for a criterion of a paper."""

    paper: str
    criterion: str
    points: float
    by: CountedBy
    reason: str = ""


@dataclass(frozen=True, slots=True)
class MarkedPaper:
    """A paper with who marks it and its marks, in the order in which they were saved."""

    paper: Paper
    assignment: Assignment
    marks: tuple[Mark, ...]


@dataclass(frozen=True, slots=True)
class MarkRow:
    """A row of a table of marks made elsewhere. ``row`` is its line, 0 where there is none.

    ``kind`` is one of ``MarkKind`` or ``agreed``: what a pair settled on, as a sheet of paper
    keeps it, without saying who proposed it. ``role`` is where the juror stood in the end: one of
    ``JurorRole``, "" in a table that does not say; ``rubric_version`` the version of the rubric by
    which the mark was given, 0 where the table does not say.
    """

    contestant: str
    problem: str
    juror: str
    criterion: str
    kind: str
    points: float | None = None
    note: str = ""
    at: str = ""
    role: str = ""
    rubric_version: int = 0
    row: int = field(default=0, compare=False)


# -- changes to a rubric after marking has begun --------------------------------------------------


@dataclass(frozen=True, slots=True)
class CriterionChange:
    """What an amendment does to a criterion: ``added``, ``removed``, ``points``, ``steps``,
    ``task``, or ``wording`` (notes, what is accepted). ``reopens``: marks on it are given again.
    """

    criterion: str
    what: str
    before: str
    after: str
    reopens: bool


@dataclass(frozen=True, slots=True)
class PaperChange:
    """What an amendment does to a paper.

    ``criteria`` must be marked again, by ``jurors`` (those whose hand-over is taken back).
    ``before`` is the total that counted, None where the paper was not settled; ``after`` the sum
    of the marks that still count.
    """

    paper: str
    criteria: tuple[str, ...]
    jurors: tuple[str, ...]
    before: float | None
    after: float


@dataclass(frozen=True, slots=True)
class Amendment:
    """The preview of a change to a rubric: the criteria it changes and the papers it reopens."""

    problem: str
    from_version: int
    to_version: int
    changes: tuple[CriterionChange, ...]
    papers: tuple[PaperChange, ...]


# -- explanations, blinding, selection -------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ExplanationFinding:
    """Something in an explanation that people should look at; it changes no score.

    ``start`` is where ``quotation`` stands in the explanation, in characters; -1 where it is not
    of one place.
    """

    kind: str
    entry: str
    task: str
    quotation: str
    message: str
    start: int = -1


@dataclass(frozen=True, slots=True)
class ExplanationReport:
    """All findings of some entries; ``not_checked`` names checks that could not be made, and why.

    ``n_tasks`` and ``n_explained`` count, by entry, its tasks and those with an explanation.
    """

    findings: tuple[ExplanationFinding, ...]
    not_checked: Mapping[str, str] = field(default_factory=dict)
    n_tasks: Mapping[str, int] = field(default_factory=dict)
    n_explained: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Removal:
    """Something taken out of a text because it gives its writer away.

    ``start`` counts characters in the text as handed in; ``by`` is what stands there now.
    """

    kind: str
    start: int
    text: str
    by: str = ""


@dataclass(frozen=True, slots=True)
class Blinded:
    """A text as jurors see it, and what was taken out of it, in the order of the text.

    ``kept`` are names that were to be taken out and stand in the problem itself: people decide.
    """

    text: str
    removals: tuple[Removal, ...] = ()
    kept: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Proposed:
    """An entry that is proposed for marking: its place among the entries, and why."""

    entry: str
    rank: int
    reason: str


@dataclass(frozen=True, slots=True)
class Withheld:
    """An entry that is not proposed, and why."""

    entry: str
    rank: int
    reason: str


@dataclass(frozen=True, slots=True)
class JurySelection:
    """A proposal of what is marked; people decide."""

    proposed: tuple[Proposed, ...]
    withheld: tuple[Withheld, ...]


# -- results ---------------------------------------------------------------------------------------

#: From the highest. A contestant without one has ``NO_MEDAL``.
MEDALS = ("gold", "silver", "bronze", "honourable mention")
NO_MEDAL = "none"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """From how many points on a medal is given; None where the threshold is not known."""

    gold: float | None = None
    silver: float | None = None
    bronze: float | None = None
    honourable: float | None = None

    @property
    def by_medal(self) -> dict[str, float | None]:
        """The thresholds by ``MEDALS``, from the highest."""
        values = (self.gold, self.silver, self.bronze, self.honourable)
        return dict(zip(MEDALS, values, strict=True))


@dataclass(frozen=True, slots=True)
class PersonScore:
    """A line of the table of people's scores: points by problem, the total, the medal given.

    ``medal`` is one of ``MEDALS`` or ``NO_MEDAL``; "" where the table does not say.
    """

    name: str
    total: float
    by_problem: Mapping[str, float] = field(default_factory=dict)
    medal: str = ""


@dataclass(frozen=True, slots=True)
class ContestantTable:
    """What a table of contestants holds: systems with automatic scores, people, thresholds.

    ``automatic`` and ``automatic_by_problem`` are scores out of 100 by contestant.
    """

    kinds: Mapping[str, ContestantKind]
    people: tuple[PersonScore, ...] = ()
    thresholds: Thresholds = Thresholds()
    automatic: Mapping[str, float] = field(default_factory=dict)
    automatic_by_problem: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class NoFigure:
    """Why a statistic does not exist."""

    reason: str


@dataclass(frozen=True, slots=True)
class Figure:
    """A statistic, its interval, and the number of things (papers, contestants) it is of."""

    value: float
    interval: Interval | NoInterval
    n: int


@dataclass(frozen=True, slots=True)
class MedalChange:
    """One criterion whose change, by ``n_steps`` of its steps, would change the medal."""

    problem: str
    criterion: str
    from_points: float
    to_points: float
    n_steps: int
    medal: str


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """How firmly a medal stands.

    ``n_steps`` is the smallest number of steps over single criteria that would change it, and
    ``changes`` those that do it in so many; None and nothing where no single criterion can.
    ``by_juror`` is the medal from the marks that count, with one juror's own marks in their place
    wherever that juror marked.
    """

    n_steps: int | None
    changes: tuple[MedalChange, ...]
    by_juror: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ContestantResult:
    """One contestant's result. ``medals`` has several where an unknown threshold leaves it open.

    ``rank`` is 1 + the number of people with a higher total; None without a table of people.
    """

    contestant: Contestant
    total: float
    by_problem: Mapping[str, float]
    rank: int | None
    n_people: int
    medals: tuple[str, ...]
    sensitivity: Sensitivity | None = None
    automatic: float | None = None


@dataclass(frozen=True, slots=True)
class MedalClash:
    """A person whose medal in the table is not the one that the thresholds give."""

    name: str
    total: float
    given: str
    by_thresholds: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Agreement:
    """Krippendorff's alpha (interval) of one set of pairs of marks; n is the number of papers."""

    name: str
    alpha: Figure | NoFigure
    n_papers: int
    n_equal: int


@dataclass(frozen=True, slots=True)
class ProblemAgreement:
    """Agreement before consensus on one problem: on the papers' totals, and on each criterion."""

    problem: str
    totals: Agreement
    criteria: tuple[Agreement, ...]


@dataclass(frozen=True, slots=True)
class ProblemComparison:
    """Automatic less jury score on one problem, both out of 100, over the systems marked."""

    problem: str
    inflation: Figure | NoFigure
    n: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """The automatic score against the jury's, over contestants that have both (out of 100).

    ``by_contestant`` is the inflation of each, ``jury`` its points out of 100 of those it could
    have got.
    """

    spearman: Figure | NoFigure
    pearson: Figure | NoFigure
    inflation: Figure | NoFigure
    by_contestant: Mapping[str, float]
    by_problem: tuple[ProblemComparison, ...] = ()
    jury: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CriterionLine:
    """How a criterion went: mean share of its points in [0, 1], by kind of contestant.

    Difficulty is 1 less the share; None where nobody of that kind was marked on it.
    """

    problem: str
    criterion: str
    kind: str
    points: float
    systems: float | None
    people: float | None
    n_systems: int
    n_people: int


@dataclass(frozen=True, slots=True)
class Difficulty:
    """Every criterion, and how difficulty for systems goes with that for people (Spearman)."""

    criteria: tuple[CriterionLine, ...]
    correlation: Figure | NoFigure


@dataclass(frozen=True, slots=True)
class JuryResult:
    """Everything that is found out from a marking. ``notes`` are said wherever it is shown.

    ``titles`` are the problems' by id, of those that have one.
    """

    name: str
    contestants: tuple[ContestantResult, ...]
    agreement: tuple[ProblemAgreement, ...]
    comparison: Comparison | NoFigure
    difficulty: Difficulty
    thresholds: Thresholds
    clashes: tuple[MedalClash, ...] = ()
    notes: tuple[str, ...] = ()
    level: float = 0.9
    n_resamples: int = 0
    seed: int = 0
    titles: Mapping[str, str] = field(default_factory=dict)
