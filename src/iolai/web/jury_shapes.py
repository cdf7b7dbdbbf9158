"""What the API sends and takes of the jury's work, and what its pages show; see ``shapes``.

Papers are called by numbers here. Nothing in these shapes names a contestant but those that are
the organiser's (``ContestantShape``, ``EntryShape``, ``ConflictShape``) and those of a result.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from iolai.web.shapes import Asked, Shape, Short

__all__ = [
    "AcceptAsked",
    "AmendmentShape",
    "AnswerShape",
    "BeginAsked",
    "BegunShape",
    "BlindedPaperShape",
    "BlindedTextShape",
    "ChangeShape",
    "ConflictAsked",
    "ConflictShape",
    "ContestantShape",
    "CriterionShape",
    "DifferenceShape",
    "EarlyLookShape",
    "EntryShape",
    "EscalateAsked",
    "ExplainedShape",
    "ExplanationsShape",
    "FindingShape",
    "GroupAsked",
    "GroupShape",
    "ItemShape",
    "JurorLineShape",
    "JurySettingsShape",
    "JuryShape",
    "MarkAsked",
    "MarkShape",
    "MarksAsked",
    "NameShape",
    "NumberAsked",
    "PaperLineShape",
    "PaperShape",
    "ProblemLineShape",
    "ProgressShape",
    "ProposeAsked",
    "ReleaseAsked",
    "RemovalShape",
    "ReopenAsked",
    "ReopenedShape",
    "ReplaceAsked",
    "RubricAsked",
    "RubricShape",
    "SavedShape",
    "SelectAsked",
    "StepShape",
    "TableAsked",
    "TalkMarkShape",
    "TalkShape",
]

#: A number as JSON has it: no text that looks like one, no true, no infinity.
Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]
Whole = Annotated[int, Field(strict=True)]
ClientId = Annotated[str, StringConstraints(max_length=64)]
#: A rubric as text; the longest that the format takes.
RubricText = Annotated[str, StringConstraints(max_length=1 << 20)]


class EarlyLookShape(Shape):
    """An early look into the seal."""

    number: int
    at: str
    by: str
    why: str


class JuryShape(Shape):
    """Where the marking of a challenge stands."""

    state: str
    begun_at: str
    unsealed_at: str
    unsealed_by: str
    unsealed_why: str
    released_at: str
    opened: list[EarlyLookShape]


class PaperLineShape(Shape):
    """A paper in one's queue; ``n_open`` differences wait for one's word."""

    number: int
    problem: str
    title: str
    part: str
    desk: str
    state: str
    n_marked: int
    n_criteria: int
    n_open: int


class StepShape(Shape):
    """A step of partial credit."""

    points: float
    when: str


class CriterionShape(Shape):
    """A line of the rubric, with the points that it allows.

    ``task_number`` is the place of its task in the problem, from 1; null where it is of no task.
    """

    id: str
    kind: str
    task: str
    task_number: int | None
    points: float
    allowed: list[float]
    steps: list[StepShape]
    notes: str
    accept: list[str]

    def when(self, points: float) -> str:
        """Say when these points are given, ``""`` where the rubric does not."""
        return next((step.when for step in self.steps if step.points == points), "")


class ItemShape(Shape):
    """An item of a task: its label, what was asked, what was answered."""

    label: str
    asked: str
    answer: str


class AnswerShape(Shape):
    """What a paper has on one task.

    ``is_whole`` says that what was asked shows in the query alone: its items are blanks in it.
    """

    task: str
    number: int
    query: str
    is_whole: bool
    items: list[ItemShape]
    explanation: str


class MarkShape(Shape):
    """One's own mark."""

    points: float
    note: str


class PaperShape(Shape):
    """A paper on one's desk. ``sheet`` is the number of the problem's sheet, counted from 1."""

    number: int
    problem: str
    title: str
    sheet: int
    part: str
    desk: str
    both: bool
    answers: list[AnswerShape]
    text: str
    n_pages: int
    rubric_version: int
    criteria: list[CriterionShape]
    marks: dict[str, MarkShape]


class TalkMarkShape(Shape):
    """A mark in talk, and whose it is."""

    whose: str
    is_mine: bool
    points: float
    note: str
    id: int


class DifferenceShape(Shape):
    """A criterion on which a pair differs; ``counted`` is the mark that counts, null while open.

    ``asked_for`` is why a third was asked, where somebody said so.
    """

    criterion: CriterionShape
    marks: list[TalkMarkShape]
    proposal: TalkMarkShape | None
    escalated: bool
    asked_for: str
    counted: float | None
    by: str
    reason: str


class TalkShape(Shape):
    """The differences of a paper."""

    number: int
    problem: str
    title: str
    sheet: int
    part: str
    state: str
    answers: list[AnswerShape]
    text: str
    n_pages: int
    n_equal: int
    differences: list[DifferenceShape]


class MarkAsked(Asked):
    """A mark to save: ``points`` null takes it back; kind ``handed_over`` ends one's marking.

    ``age_ms`` is how long ago it was made, ``after`` the client_id of the mark on the criterion
    that the same page made before it: where a newer one came from elsewhere, this one counts not.
    """

    client_id: ClientId
    criterion: Short = ""
    points: Number | None = None
    note: Annotated[str, StringConstraints(max_length=8_000)] = ""
    rubric_version: Whole = 0
    kind: Literal["own", "handed_over"] = "own"
    age_ms: Annotated[Number, Field(ge=0)] = 0.0
    after: Annotated[str, StringConstraints(max_length=64)] = ""


class MarksAsked(Asked):
    """Marks to save, in their order."""

    marks: Annotated[list[MarkAsked], Field(max_length=500)]


class SavedShape(Shape):
    """What became of a mark: kept for good, or refused and why."""

    client_id: str
    kept: bool
    message: str
    hint: str


class ProposeAsked(Asked):
    """A mark that is proposed, or with which a third decides."""

    criterion: Short
    points: Number
    reason: Short
    client_id: ClientId


class AcceptAsked(Asked):
    """The proposal that is accepted, by its id."""

    criterion: Short
    proposal: Annotated[Whole, Field(ge=0, le=1 << 62)]
    client_id: ClientId


class EscalateAsked(Asked):
    """A difference that goes to a third."""

    criterion: Short
    reason: Short = ""
    client_id: ClientId


class RubricShape(Shape):
    """A rubric as TOML, and what is odd about it; ``version`` 0: there is none."""

    problem: str
    title: str
    version: int
    points: float
    text: str
    notes: list[str]


class RubricAsked(Asked):
    """A rubric as TOML; ``base`` is the version that an amendment was previewed on."""

    text: RubricText
    reason: Short = ""
    base: Whole = 0


class ChangeShape(Shape):
    """What an amendment does to a criterion; ``reopens``: marks on it are given again."""

    criterion: str
    what: str
    before: str
    after: str
    reopens: bool


class ReopenedShape(Shape):
    """What an amendment does to a paper: criteria to mark again, jurors who get it back."""

    number: int
    criteria: list[str]
    n_jurors: int


class AmendmentShape(Shape):
    """What an amendment of the version ``base`` would change."""

    base: int
    changes: list[ChangeShape]
    papers: list[ReopenedShape]
    notes: list[str]


class TableAsked(Asked):
    """A table as CSV."""

    text: RubricText


class EntryShape(Shape):
    """A team's final run, which may be selected for marking."""

    team: str
    name: str
    rank: int
    score: float | None
    selected: bool
    n_explained: int
    n_tasks: int


class FindingShape(Shape):
    """Something in an explanation to look at."""

    kind: str
    task: str
    quotation: str
    message: str


class ExplainedShape(Shape):
    """What was found in one entry's explanations; ``proposed``: for marking, and why or why not."""

    team: str
    name: str
    rank: int
    n_tasks: int
    n_explained: int
    counts: dict[str, int]
    findings: list[FindingShape]
    proposed: bool
    reason: str


class ExplanationsShape(Shape):
    """The explanation report: kinds and what they mean, checks that could not be made, entries."""

    meanings: dict[str, str]
    not_checked: dict[str, str]
    entries: list[ExplainedShape]


class SelectAsked(Asked):
    """The teams whose final runs are marked, and why."""

    teams: Annotated[list[Short], Field(max_length=1_000)]
    reason: Short


class ContestantShape(Shape):
    """A contestant, for the organiser."""

    id: str
    name: str
    kind: str
    problems: list[str]
    n_pages: int


class RemovalShape(Shape):
    """What was taken out of a text, and what stands there now."""

    kind: str
    text: str
    by: str


class BlindedTextShape(Shape):
    """A text before and after blinding; ``task`` is empty for typed text."""

    task: str
    before: str
    after: str
    removals: list[RemovalShape]


class BlindedPaperShape(Shape):
    """A paper as it will be seen."""

    problem: str
    n_pages: int
    texts: list[BlindedTextShape]


class GroupShape(Shape):
    """The jurors of a problem."""

    problem: str
    title: str
    jurors: list[str]


class GroupAsked(Asked):
    """The jurors of a problem, by the names of their accounts."""

    jurors: Annotated[list[Short], Field(max_length=200)]


class ConflictShape(Shape):
    """A juror who must not mark a contestant."""

    juror: str
    contestant: str
    contestant_id: str


class ConflictAsked(Asked):
    """A conflict of interest that holds, or holds no more."""

    juror: Short
    contestant: Short
    holds: bool = True
    reason: Short = ""


class ProblemLineShape(Shape):
    """How far one problem is, in counts."""

    problem: str
    n_papers: int
    states: dict[str, int]
    n_open: int
    n_marks: int
    n_wanted: int


class JurorLineShape(Shape):
    """How far one juror is, in counts."""

    juror: str
    n_papers: int
    n_handed_over: int
    n_to_decide: int


class ProgressShape(Shape):
    """How far the marking is, in counts."""

    state: str
    problems: list[ProblemLineShape]
    jurors: list[JurorLineShape]


class JurySettingsShape(Asked):
    """What a marking is set to; a threshold that is not known is null."""

    names_shown: bool = True
    blind_names: Annotated[list[Short], Field(default_factory=list, max_length=500)]
    kept_names: Annotated[list[Short], Field(default_factory=list, max_length=500)]
    gold: Number | None = None
    silver: Number | None = None
    bronze: Number | None = None
    honourable: Number | None = None


class BeginAsked(Asked):
    """Why marking begins now; ``seed`` draws the assignment, a random one where it is null."""

    reason: Short
    seed: Annotated[Whole, Field(ge=0, le=1 << 32)] | None = None


class BegunShape(Shape):
    """What beginning made."""

    n_papers: int
    n_contestants: int
    seed: int


class ReplaceAsked(Asked):
    """A juror whose papers go to others; all that are not handed over where none is named."""

    juror: Short
    reason: Short
    numbers: Annotated[list[Whole], Field(default_factory=list, max_length=10_000)]


class NumberAsked(Asked):
    """A paper, by its number, and why."""

    number: Whole
    reason: Short


class ReopenAsked(NumberAsked):
    """A paper that a juror gets back."""

    juror: Short


class NameShape(Shape):
    """Whose a paper is."""

    name: str


class ReleaseAsked(Asked):
    """Why the result is made public, and who is called by a number in it."""

    reason: Short
    hide_systems: bool = False
    hide_people: bool = True
