"""Where the jury's work on a challenge stands, derived from events, rows and marks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection

from iolai.challenge.problems import load_problems
from iolai.challenge.service import Actor, Service
from iolai.challenge.state import ChallengeState, find_state
from iolai.errors import ConflictError, InputError
from iolai.formats.rubric_toml import parse_rubric
from iolai.jury.consensus import paper_state
from iolai.jury.marking import own_marks
from iolai.records import Event, EventKind, Problem, Rubric
from iolai.records.jury import Assignment, Mark, MarkingState, PaperState, Thresholds
from iolai.store import marks, papers
from iolai.store.events import add_event, list_events
from iolai.store.papers import AssignmentRow, PaperRow

__all__ = [
    "JuryRows",
    "JurySettings",
    "JuryState",
    "RubricVersion",
    "assignments_of",
    "find_jury",
    "load_rows",
    "marking_state",
    "note",
    "problems_of",
    "require_reason",
    "require_state",
    "settings_data",
]

_KINDS = (
    EventKind.JURY_SET,
    EventKind.RUBRIC_SET,
    EventKind.RUBRIC_AMENDED,
    EventKind.GROUP_SET,
    EventKind.MARKING_BEGUN,
    EventKind.PAPER_OPENED,
    EventKind.UNSEALED,
    EventKind.JURY_RELEASED,
)


@dataclass(frozen=True, slots=True)
class JurySettings:
    """What a marking is set to.

    ``names_shown``: the two who discuss a paper see each other's names. ``blind_names`` are taken
    out of papers beside those of their own teams and people, ``kept_names`` never: a team may be
    called by a word of the field. ``people`` is the blob of a table of people's scores.
    """

    names_shown: bool = True
    blind_names: tuple[str, ...] = ()
    kept_names: tuple[str, ...] = ()
    thresholds: Thresholds = field(default_factory=Thresholds)
    people: str = ""


@dataclass(frozen=True, slots=True)
class RubricVersion:
    """A rubric as it counts now: its text as TOML, what that says, and who made it so."""

    text: str
    rubric: Rubric
    at: str
    author: str
    reason: str = ""


@dataclass(frozen=True)
class JuryState:
    """A marking at one moment, without its papers.

    ``rubrics`` (those that count now) and ``groups`` (ids of accounts) are by problem, ``versions``
    all rubrics there were by problem and version. ``begun``, ``unsealed`` and
    ``released`` are the events that made it so, None before. ``opened`` are early looks into the
    seal, which every page of the marking shows.
    """

    challenge: ChallengeState
    settings: JurySettings
    rubrics: Mapping[str, RubricVersion]
    versions: Mapping[tuple[str, int], Rubric]
    groups: Mapping[str, tuple[str, ...]]
    begun: Event | None = None
    unsealed: Event | None = None
    released: Event | None = None
    opened: tuple[Event, ...] = ()

    @property
    def id(self) -> str:
        """The challenge's id."""
        return self.challenge.id

    @property
    def seal(self) -> str:
        """The blob of the sealed list, ``""`` before marking begins."""
        return str(self.begun.data["seal"]) if self.begun else ""

    @property
    def seed(self) -> int:
        """The seed of the draws of this marking; 0 before it begins."""
        return int(str(self.begun.data["seed"])) if self.begun else 0

    def rubric(self, problem: str) -> Rubric:
        """Return the rubric of a problem that is marked."""
        return self.rubrics[problem].rubric


@dataclass(frozen=True)
class JuryRows:
    """The papers of a marking by id, who marks them, and their marks in order."""

    papers: Mapping[str, PaperRow]
    assignments: Mapping[str, Assignment]
    marks: Mapping[str, tuple[Mark, ...]]

    def state_of(self, jury: JuryState, paper_id: str) -> PaperState:
        """Say where a paper stands as a whole."""
        rubric = jury.rubric(self.papers[paper_id].problem)
        return paper_state(rubric, self.assignments[paper_id], self.marks.get(paper_id, ()))

    def pair(self, paper_id: str) -> tuple[str, str]:
        """Return the pair who mark a paper."""
        return self.assignments[paper_id].pair

    def n_own(self, paper_id: str, juror: str) -> int:
        """Count the own marks of a juror on a paper that stand."""
        return len(own_marks(self.marks.get(paper_id, ()), juror))


def find_jury(service: Service, connection: Connection, slug: str) -> JuryState:
    """Return where the marking of a challenge stands; raises NotFoundError for no such slug."""
    state = find_state(service, connection, slug)
    events = list_events(connection, challenge=state.id, kinds=_KINDS)
    groups = {str(e.data["problem"]): _texts(e) for e in events if e.kind is EventKind.GROUP_SET}
    rubrics = [
        _rubric_version(service, event)
        for event in events
        if event.kind in (EventKind.RUBRIC_SET, EventKind.RUBRIC_AMENDED)
    ]
    settings = _last(events, EventKind.JURY_SET)
    return JuryState(
        challenge=state,
        settings=_settings(settings.data) if settings else JurySettings(),
        rubrics={one.rubric.problem: one for one in rubrics},
        versions={(one.rubric.problem, one.rubric.version): one.rubric for one in rubrics},
        groups=groups,
        begun=_last(events, EventKind.MARKING_BEGUN),
        unsealed=_last(events, EventKind.UNSEALED),
        released=_last(events, EventKind.JURY_RELEASED),
        opened=tuple(event for event in events if event.kind is EventKind.PAPER_OPENED),
    )


def _texts(event: Event) -> tuple[str, ...]:
    jurors: Any = event.data["jurors"]
    return tuple(str(juror) for juror in jurors)


def _rubric_version(service: Service, event: Event) -> RubricVersion:
    text = _blob_text(service, str(event.data["rubric"]))
    return RubricVersion(text, _parsed(text), event.at, event.author, event.reason)


def _blob_text(service: Service, blob: str) -> str:
    place = str(service.blobs.path(blob))
    if place not in _texts_of_blobs:
        if len(_texts_of_blobs) >= _MOST_TEXTS:
            _texts_of_blobs.clear()
        _texts_of_blobs[place] = service.blobs.read(blob).decode()
    return _texts_of_blobs[place]


_MOST_TEXTS = 256
_texts_of_blobs: dict[str, str] = {}


@lru_cache(maxsize=256)
def _parsed(text: str) -> Rubric:
    return parse_rubric(text)


def _last(events: Iterable[Event], kind: EventKind) -> Event | None:
    found = [event for event in events if event.kind is kind]
    return found[-1] if found else None


def settings_data(settings: JurySettings) -> dict[str, object]:
    """Write settings as the data of an event."""
    return {
        "names_shown": settings.names_shown,
        "blind_names": list(settings.blind_names),
        "kept_names": list(settings.kept_names),
        "thresholds": asdict(settings.thresholds),
        "people": settings.people,
    }


def _settings(data: Mapping[str, Any]) -> JurySettings:
    return JurySettings(
        names_shown=bool(data["names_shown"]),
        blind_names=tuple(data["blind_names"]),
        kept_names=tuple(data["kept_names"]),
        thresholds=Thresholds(**data["thresholds"]),
        people=str(data["people"]),
    )


def problems_of(service: Service, jury: JuryState) -> dict[str, Problem]:
    """Return the problems of the challenge by id, in its order; none where it has no sheets."""
    if not jury.challenge.problems:
        return {}
    return {one.id: one for one in load_problems(service, jury.challenge.problems)}


def load_rows(
    connection: Connection, jury: JuryState, *, paper: PaperRow | None = None
) -> JuryRows:
    """Return all papers of a marking that were not withdrawn, or one paper, with their marks."""
    one = paper.id if paper is not None else None
    found = (paper,) if paper is not None else papers.list_papers(connection, jury.id)
    given: dict[str, list[Mark]] = {row.id: [] for row in found}
    for mark in marks.list_marks(connection, jury.id, paper_id=one):
        if mark.paper in given:
            given[mark.paper].append(mark)
    assigned = assignments_of(papers.list_assignments(connection, jury.id, paper_id=one))
    return JuryRows(
        papers={row.id: row for row in found},
        assignments={row.id: assigned[row.id] for row in found},
        marks={paper_id: tuple(some) for paper_id, some in given.items()},
    )


def assignments_of(rows: Iterable[AssignmentRow]) -> dict[str, Assignment]:
    """Make one assignment a paper of the rows that hold."""
    pairs: dict[str, list[str]] = {}
    thirds: dict[str, str] = {}
    for row in rows:
        if row.is_third:
            thirds[row.paper] = row.juror
        else:
            pairs.setdefault(row.paper, []).append(row.juror)
    return {
        paper: Assignment(paper, (pair[0], pair[1]), thirds.get(paper, ""))
        for paper, pair in pairs.items()
    }


def marking_state(jury: JuryState, rows: JuryRows) -> MarkingState:
    """Say where a marking stands: it is settled when every paper is."""
    if jury.begun is None:
        return MarkingState.DRAFTING
    if jury.released is not None:
        return MarkingState.RELEASED
    if jury.unsealed is not None:
        return MarkingState.UNSEALED
    states = {rows.state_of(jury, paper) for paper in rows.papers}
    return MarkingState.SETTLED if states <= {PaperState.SETTLED} else MarkingState.MARKING


def require_state(jury: JuryState, *, begun: bool, unsealed: bool = False) -> None:
    """Raise ConflictError unless marking has begun, or not; and is unsealed, or not."""
    if begun and jury.begun is None:
        raise ConflictError("marking has not begun", hint="An organiser begins it.")
    if not begun and jury.begun is not None:
        raise ConflictError(
            "marking has begun",
            hint="Contestants, groups and conflicts stand; a rubric can be amended.",
        )
    if unsealed and jury.unsealed is None:
        raise ConflictError(
            "the marking is still sealed",
            hint="It can be unsealed when every paper is settled.",
        )
    if not unsealed and jury.unsealed is not None:
        raise ConflictError(
            "the marking is unsealed: no mark can change any more",
            hint="What was decided stands in the results.",
        )


def require_reason(reason: str) -> None:
    """Raise InputError where no reason is given."""
    if not reason.strip():
        raise InputError("a reason is wanted", hint="Say in a few words why; it is kept.")


def note(
    connection: Connection,
    jury: JuryState,
    actor: Actor,
    kind: EventKind,
    reason: str = "",
    **data: object,
) -> None:
    """Append an event of the marking."""
    add_event(
        connection,
        kind,
        at=jury.challenge.at,
        author=actor.author,
        challenge=jury.id,
        reason=reason,
        data=data,
    )
