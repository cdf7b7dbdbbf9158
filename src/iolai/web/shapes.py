"""What the API sends and takes, and what the pages show: cut from the door's views, field by field.

Nothing is sent that is not named here. Scores are in [0, 1], times are UTC texts, lengths of time
seconds; null stands for what does not exist, or may not be seen yet.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

__all__ = [
    "AccountShape",
    "ApplyAsked",
    "ArchiveAsked",
    "BoardRowShape",
    "BoardShape",
    "ChallengeShape",
    "CodeAsked",
    "Credentials",
    "EventShape",
    "FinalShape",
    "FindingShape",
    "HistoryShape",
    "LimitsShape",
    "Made",
    "MomentShape",
    "NameAsked",
    "NewPassword",
    "PhaseAsked",
    "PreviewRowShape",
    "PreviewShape",
    "PrivateTaskShape",
    "ProblemShape",
    "ProposalShape",
    "PublicShape",
    "QueueLineShape",
    "QueueShape",
    "QuotaShape",
    "ReasonAsked",
    "RejudgeAsked",
    "RepositoryAsked",
    "RoleAsked",
    "SelectionAsked",
    "SelectionShape",
    "ServiceShape",
    "ShownReasonAsked",
    "SlotShape",
    "SplitShape",
    "SubmissionShape",
    "TaskScoreShape",
    "TaskShape",
    "TeamLineShape",
    "TeamShape",
    "TokenAsked",
    "TokenShape",
    "UploadAsked",
    "UploadShape",
    "WhyShape",
    "WorkerShape",
]

#: No text of a form is longer; names and notes have their own, shorter limits behind the door.
Short = Annotated[str, StringConstraints(max_length=2_000)]


class Shape(BaseModel):
    """What is sent."""

    model_config = ConfigDict(frozen=True)


class Asked(BaseModel):
    """What is taken: a field that nobody knows is refused, so that none is overlooked."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Credentials(Asked):
    """A name and a password."""

    name: Short
    password: Short


class TokenAsked(Credentials):
    """Logging in for a program: ``label`` names the token that is made."""

    label: Short = "API"


class NewPassword(Asked):
    """The password now, and the new one."""

    old: Short
    new: Short


class NameAsked(Asked):
    """A name."""

    name: Short


class CodeAsked(Asked):
    """A team's code for joining."""

    code: Short


class SelectionAsked(Asked):
    """The submissions that shall count; none: the default again."""

    submissions: list[Short] = Field(max_length=1_000)


class ArchiveAsked(Asked):
    """A finished upload to hand in."""

    upload: Short
    note: Short = ""


class RepositoryAsked(Asked):
    """A repository of the Hugging Face hub, and a commit, branch or tag of it."""

    repository: Short
    revision: Short = "main"
    note: Short = ""


class UploadAsked(Asked):
    """A file that will be uploaded: its size in bytes and its SHA-256 in hex digits."""

    name: Short
    size: int = Field(ge=1, le=1 << 50)
    sha256: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


class ReasonAsked(Asked):
    """Why something is done; it is kept with the event."""

    reason: Short


class ShownReasonAsked(ReasonAsked):
    """Why something is done; ``show_reason`` lets everybody who asks for a rank read it."""

    show_reason: bool = False


class ApplyAsked(Asked):
    """Whether everybody who asks for a rank may read why the change was made."""

    show_reason: bool = False


class PhaseAsked(ReasonAsked):
    """The phase to set."""

    phase: Short


class RejudgeAsked(ReasonAsked):
    """The submissions to judge again; null for all."""

    submissions: list[Short] | None = Field(default=None, max_length=100_000)


class RoleAsked(Asked):
    """The role to give."""

    role: Short


class ServiceShape(Shape):
    """The service: its version, the time it has, the key that receipts are verified with."""

    version: str
    now: str
    public_key: str


class AccountShape(Shape):
    """An account."""

    id: str
    name: str
    role: str


class TokenShape(Shape):
    """An API token, without the token itself."""

    id: str
    name: str
    created_at: str
    revoked_at: str


class Made(Shape):
    """A new API token; it is shown this once."""

    id: str
    name: str
    token: str


class LimitsShape(Shape):
    """What a run may use."""

    wall_s: float
    memory_mib: int
    n_processes: int
    cpu_s: float | None
    disk_mib: int
    n_cpus: int | None


class ChallengeShape(Shape):
    """A challenge and its rules. ``n_teams`` counts teams of people."""

    slug: str
    title: str
    description: str
    rules: str
    phase: str
    published: bool
    registration: str
    open: str
    freeze: str
    close: str
    next_change_at: str | None
    next_phase: str | None
    n_teams: int
    explanations: str
    n_selections: int
    quota_per_day: int
    team_size: int
    max_submission_mib: int
    runner: str
    limits: LimitsShape


class TaskShape(Shape):
    """A task as a solver sees it."""

    id: str
    context: str
    query: str
    task_type: str
    work_lang: str
    task_lang: list[str]


class ProblemShape(Shape):
    """A problem as a solver sees it; ``number`` counts from 1."""

    number: int
    id: str
    title: str
    language: str
    tasks: list[TaskShape]

    @property
    def context(self) -> str:
        """The context of the first task."""
        return self.tasks[0].context if self.tasks else ""

    @property
    def asked(self) -> str:
        """The task types, in words."""
        kinds = dict.fromkeys(task.task_type.replace("_", " ") for task in self.tasks)
        return ", ".join(kind for kind in kinds if kind)


class SplitShape(Shape):
    """Points-weighted means over some tasks."""

    score: float | None
    exact_match: float | None
    chrf: float | None
    n_tasks: int


class BoardRowShape(Shape):
    """A row of the board; equal bands: this challenge cannot tell the teams apart.

    A baseline stands where its score puts it, without rank and band.
    """

    rank: int | None
    is_baseline: bool
    team: str
    team_id: str | None
    score: float | None
    exact_match: float | None
    chrf: float | None
    interval: tuple[float, float] | None
    band: int | None
    state: str
    by_task_type: dict[str, SplitShape]
    submitted_at: str


class BoardShape(Shape):
    """A page of a board. ``kind`` is ``public`` (the public split) or ``final`` (all tasks).

    ``n_rows`` counts the rows that were asked for, on all pages; ``next_offset`` is where the next
    page begins, null on the last.
    """

    kind: str
    version: int
    signature: str
    n_rows: int
    offset: int
    next_offset: int | None
    rows: list[BoardRowShape]


class EventShape(Shape):
    """Something that happened, who did it, and why."""

    id: int
    at: str
    author: str
    kind: str
    submission: str
    reason: str
    said: str


class MomentShape(Shape):
    """When what happened; who did it, and why, as far as whoever asks is told (``""`` else)."""

    at: str
    kind: str
    author: str
    reason: str
    said: str


class HistoryShape(Shape):
    """One scored submission of a team, by its score over the public tasks.

    ``shown``: it stands on the public board; ``final``: on the final board. ``counts`` is
    ``selected`` or ``default`` for those that the final result is the best of. ``whole`` is its
    score over all tasks, null before the results are published.
    """

    received_at: str
    score: float | None
    shown: bool
    final: bool
    counts: str
    whole: float | None


class WhyShape(Shape):
    """Why a team stands where it does: the rule that picked its run, the events behind."""

    team: str
    board: str
    rank: int | None
    score: float | None
    rule: str
    history: list[HistoryShape]
    events: list[MomentShape]


class FindingShape(Shape):
    """What looks wrong in a prediction: its kind, its item, what is seen, what to do."""

    kind: str
    item: str
    text: str
    hint: str


class SlotShape(Shape):
    """What was read into one slot (its beginning), and what it scored: null where not shown."""

    item: str
    text: str
    n_characters: int
    exact_match: float | None
    chrf: float | None


class TaskScoreShape(Shape):
    """One public task of a run: its score, and what was read into which slot (where shown)."""

    id: str
    task_type: str
    points: float
    exact_match: float
    chrf: float
    answered: bool
    is_json_list: bool
    n_read: int
    slots: list[SlotShape]
    findings: list[FindingShape]


class PrivateTaskShape(Shape):
    """One private task of a run, once it may be seen: its score, without items."""

    id: str
    task_type: str
    points: float
    exact_match: float
    chrf: float
    answered: bool
    n_read: int


class PublicShape(Shape):
    """A run's score on the public split."""

    score: float | None
    exact_match: float | None
    chrf: float | None
    n_tasks: int
    tasks: list[TaskScoreShape]


class SubmissionShape(Shape):
    """A submission and how it goes. ``place`` 1 is next; ``expected_s`` is until its verdict.

    ``whole`` is its score over all tasks, null for its team before the results are published, and
    ``private`` what it scored in each private task, empty before.
    """

    id: str
    team: str
    kind: str
    received_at: str
    note: str
    size: int
    sha256: str
    source: str
    revision: str
    state: str
    place: int | None
    expected_s: float | None
    outcome: str
    owner: str
    detail: str
    costs_quota: bool
    n_answered: int
    n_tasks: int
    wall_s: float
    cpu_s: float
    peak_mib: float
    public: PublicShape | None
    whole: SplitShape | None
    private: list[PrivateTaskShape]
    events: list[EventShape]

    @property
    def word(self) -> Any:
        """Its state as a word."""
        from iolai.web.words import outcome_word

        return outcome_word(self.outcome, self.state)


class QuotaShape(Shape):
    """The quota of the day (UTC), and when the next day begins."""

    used: int
    per_day: int
    left: int
    resets_at: str


class SelectionShape(Shape):
    """The submissions chosen, those that would count without a choice, and what counts now."""

    chosen: list[str]
    default: list[str]
    counts: list[str]
    locked: bool
    receipt: str


class FinalShape(Shape):
    """A team's final result, once it is published: its place, and the run that stands for it."""

    rank: int | None
    n_teams: int
    score: float | None
    submission: str


class TeamShape(Shape):
    """One's own team. ``final`` is null before the results are published."""

    id: str
    name: str
    members: list[str]
    join_code: str
    disqualified: str
    quota: QuotaShape
    submissions: list[SubmissionShape]
    selection: SelectionShape
    outcomes: dict[str, int]
    final: FinalShape | None


class UploadShape(Shape):
    """An upload: ``offset`` bytes of ``size`` have arrived; send the next piece from there."""

    id: str
    name: str
    size: int
    sha256: str
    offset: int
    done: bool


class WorkerShape(Shape):
    """A worker process."""

    id: str
    host: str
    slots: int
    started_at: str
    heartbeat_at: str


class QueueLineShape(Shape):
    """One run that waits or runs."""

    run: str
    submission: str
    team: str
    state: str
    attempt: int
    worker: str
    waited_s: float


class QueueShape(Shape):
    """The queue, in the order in which runs will start."""

    waiting: list[QueueLineShape]
    running: list[QueueLineShape]
    workers: list[WorkerShape]
    oldest_wait_s: float
    mean_run_s: float | None


class TeamLineShape(Shape):
    """A team as the organiser sees it."""

    id: str
    name: str
    kind: str
    members: list[str]
    used_today: int
    n_submissions: int
    disqualified: str


class ProposalShape(Shape):
    """A change that is looked at before it counts."""

    id: str
    kind: str
    state: str
    created_at: str
    reason: str


class PreviewRowShape(Shape):
    """A team for which something would change: each pair is as it is and as it would be."""

    team: str
    public_rank: tuple[int | None, int | None]
    final_rank: tuple[int | None, int | None]
    score: tuple[float | None, float | None]


class PreviewShape(ProposalShape):
    """What a proposal would change; ``n_tasks_rescored`` is null for a rejudgement."""

    n_teams: int
    n_runs: int
    n_runs_pending: int
    n_tasks_rescored: int | None
    changed: list[PreviewRowShape]
