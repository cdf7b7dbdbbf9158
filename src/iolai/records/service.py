"""What a challenge service keeps: people, submissions, runs, verdicts, events.

Facts never change: a change is a later event. Times are UTC texts with microseconds and a ``Z``
(``2026-07-01T12:00:00.000000Z``), so that their order as text is their order in time. Ids are
texts; those of rows that people see are short and random, so that they tell nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

try:
    from enum import StrEnum
except ImportError:  # Python 3.10, where entries run, which take these records along
    from enum import Enum

    class StrEnum(str, Enum):  # type: ignore[no-redef]  # noqa: UP042
        """A text among a few; it is written as its value."""

        __str__ = str.__str__


__all__ = [
    "Account",
    "ChallengeRow",
    "Event",
    "EventKind",
    "KeyRow",
    "KeyTask",
    "Phase",
    "Proposal",
    "ProposalState",
    "Role",
    "Run",
    "RunState",
    "ScoreRow",
    "StrEnum",
    "Submission",
    "SubmissionKind",
    "Team",
    "TeamKind",
    "Upload",
    "Verdict",
    "WorkerRow",
]


class Role(StrEnum):
    """What an account is; who has no account is anonymous, which is no role of an account."""

    PARTICIPANT = "participant"
    JUROR = "juror"
    ORGANISER = "organiser"
    ADMIN = "admin"


class Phase(StrEnum):
    """Where a challenge stands. ``planned`` is before registration begins."""

    PLANNED = "planned"
    REGISTRATION = "registration"
    OPEN = "open"
    FROZEN = "frozen"
    FINAL = "final"


class TeamKind(StrEnum):
    """Who stands behind a row of the board: people, a baseline, or a team of archived records."""

    TEAM = "team"
    BASELINE = "baseline"
    ARCHIVED = "archived"


class SubmissionKind(StrEnum):
    """What was handed in: a predictions file, an entry archive, or a repository at a revision."""

    PREDICTIONS = "predictions"
    ARCHIVE = "archive"
    REPOSITORY = "repository"


class RunState(StrEnum):
    """The step a run is at; ``done`` has a verdict."""

    QUEUED = "queued"
    FETCHING = "fetching"
    RUNNING = "running"
    COLLECTING = "collecting"
    SCORING = "scoring"
    DONE = "done"


class ProposalState(StrEnum):
    """Where a rejudgement or a key's correction stands; only ``ready`` can be applied."""

    COMPUTING = "computing"
    READY = "ready"
    APPLIED = "applied"
    CANCELLED = "cancelled"


class EventKind(StrEnum):
    """The kinds of event; each decides something or says who did what."""

    CHALLENGE_DEFINED = "challenge_defined"
    CHALLENGE_DELETED = "challenge_deleted"
    PHASE_SET = "phase_set"
    KEY_SET = "key_set"
    KEY_REVEALED = "key_revealed"
    PUBLISHED = "published"
    ACCOUNT_MADE = "account_made"
    ACCOUNT_DELETED = "account_deleted"
    ROLE_SET = "role_set"
    PASSWORD_SET = "password_set"  # noqa: S105 -- a name of an event
    LOGGED_IN = "logged_in"
    LOGIN_FAILED = "login_failed"
    TOKEN_MADE = "token_made"  # noqa: S105 -- a name of an event
    TOKEN_REVOKED = "token_revoked"  # noqa: S105 -- a name of an event
    TEAM_REGISTERED = "team_registered"
    MEMBER_JOINED = "member_joined"
    MEMBER_LEFT = "member_left"
    TEAM_CLOSED = "team_closed"
    SUBMISSION_ACCEPTED = "submission_accepted"
    RUN_QUEUED = "run_queued"
    RUN_STEP = "run_step"
    RUN_RETRIED = "run_retried"
    VERDICT = "verdict"
    SELECTED = "selected"
    SELECTION_LOCKED = "selection_locked"
    DISQUALIFIED = "disqualified"
    REINSTATED = "reinstated"
    PROPOSAL_MADE = "proposal_made"
    PROPOSAL_APPLIED = "proposal_applied"
    PROPOSAL_CANCELLED = "proposal_cancelled"
    RECORDS_IMPORTED = "records_imported"
    WORKER_LOST = "worker_lost"
    RESTORED = "restored"
    JURY_SET = "jury_set"
    RUBRIC_SET = "jury_rubric_set"
    CONTESTANTS_SELECTED = "jury_contestants_selected"
    CONTESTANT_ADDED = "jury_contestant_added"
    CONTESTANT_WITHDRAWN = "jury_contestant_withdrawn"
    GROUP_SET = "jury_group_set"
    CONFLICT_SET = "jury_conflict_set"
    MARKING_BEGUN = "jury_marking_begun"
    RUBRIC_AMENDED = "jury_rubric_amended"
    PAPER_REASSIGNED = "jury_paper_reassigned"
    PAPER_REOPENED = "jury_paper_reopened"
    PAPER_OPENED = "jury_paper_opened"
    PAPER_WITHDRAWN = "jury_paper_withdrawn"
    UNSEALED = "jury_unsealed"
    JURY_RELEASED = "jury_released"


@dataclass(frozen=True, slots=True)
class Account:
    """A person's account. ``password_hash`` is argon2id's text."""

    id: str
    name: str
    role: Role
    created_at: str
    password_hash: str = field(repr=False)
    deleted_at: str = ""


@dataclass(frozen=True, slots=True)
class ChallengeRow:
    """A challenge: its settings are those of the last ``challenge_defined`` event."""

    id: str
    slug: str
    created_at: str
    deleted_at: str = ""


@dataclass(frozen=True, slots=True)
class KeyTask:
    """What the database may hold of a task's key: all that a board needs, and no reference.

    ``digest`` tells whether the references changed; it is keyed with the service's secret, so
    that nobody can find a reference by trying. ``chance`` is the chance level, ``n_options`` the
    number of legal answers (0 where the answer is free text).
    """

    id: str
    digest: str
    split: str
    points: float
    task_type: str
    n_items: int
    n_options: int = 0
    chance: float = 0.0


@dataclass(frozen=True, slots=True)
class KeyRow:
    """An answer key: its references are in the file ``keys/<id>.sealed`` and nowhere else."""

    id: str
    challenge: str
    created_at: str
    tasks: tuple[KeyTask, ...]


@dataclass(frozen=True, slots=True)
class Team:
    """A team of one challenge; nobody is a member of a baseline or of an archived team."""

    id: str
    challenge: str
    name: str
    created_at: str
    join_code: str = field(default="", repr=False)
    kind: TeamKind = TeamKind.TEAM
    deleted_at: str = ""


@dataclass(frozen=True, slots=True)
class Submission:
    """One handing-in. ``blob`` is the SHA-256 of what was handed in (predictions or archive).

    A repository has ``source`` (hub id) and ``revision`` (a full commit hash, pinned at
    acceptance) and its files are hashed when they are fetched. ``receipt`` is the signed text.
    """

    id: str
    challenge: str
    team: str
    account: str
    kind: SubmissionKind
    received_at: str
    blob: str = ""
    size: int = 0
    source: str = ""
    revision: str = ""
    note: str = ""
    receipt: str = field(default="", repr=False)

    @property
    def day(self) -> str:
        """The UTC day it counts for, as ``2026-07-01``."""
        return self.received_at[:10]


@dataclass(frozen=True, slots=True)
class Run:
    """One execution of a submission: the first, or a rejudgement that belongs to a proposal.

    ``tag`` is its place in the fair order; ``attempt`` counts from 1 and grows only where the
    platform was at fault. ``handle`` is what an attachable runner gave.
    """

    id: str
    submission: str
    challenge: str
    team: str
    state: RunState
    queued_at: str
    tag: int
    attempt: int = 1
    proposal: str = ""
    worker: str = ""
    handle: str = ""
    started_at: str = ""
    ended_at: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a run ended; there is exactly one for a run, ever.

    ``outcome`` is a runner's outcome or ``refused``. ``output`` and ``log`` are blobs (the log is
    the redacted tail). Times are seconds, memory MiB.
    """

    run: str
    at: str
    outcome: str
    owner: str
    n_answered: int = 0
    n_tasks: int = 0
    wall_s: float = 0.0
    cpu_s: float = 0.0
    peak_mib: float = 0.0
    mechanism: str = ""
    detail: str = ""
    output: str = ""
    log: str = ""


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """What one run scored under one key, as texts; see ``challenge.scorebook``.

    ``figures`` is the little that ranking needs, ``body`` everything.
    """

    run: str
    key: str
    at: str
    signature: str
    figures: str = field(repr=False)
    body: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Proposal:
    """A change that is looked at before it counts: a rejudgement, or a corrected key."""

    id: str
    challenge: str
    kind: str
    state: ProposalState
    created_at: str
    author: str
    reason: str
    key: str = ""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened, who did it, and why. ``id`` grows; nothing is ever changed."""

    id: int
    at: str
    author: str
    kind: EventKind
    challenge: str = ""
    team: str = ""
    submission: str = ""
    run: str = ""
    reason: str = ""
    data: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Upload:
    """An upload under way: ``offset`` bytes of ``size`` have arrived."""

    id: str
    account: str
    name: str
    size: int
    sha256: str
    offset: int
    created_at: str
    done: bool = False


@dataclass(frozen=True, slots=True)
class WorkerRow:
    """A worker process: ``process`` is its number and start on ``host``, for telling it is gone."""

    id: str
    host: str
    process: str
    started_at: str
    heartbeat_at: str
    slots: int
    ended_at: str = ""
