"""What whoever may see a submission sees of it: everything is cut here, nothing is hidden later."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from sqlalchemy import Connection

from iolai.challenge.coarse import coarse_part
from iolai.challenge.permissions import Action, may, require
from iolai.challenge.problems import load_problems
from iolai.challenge.queue import Place, place_of
from iolai.challenge.scorebook import PublicPart, public_part, read_score
from iolai.challenge.scoring import of_fair_length, parse_predictions
from iolai.challenge.service import Actor, Service
from iolai.challenge.standings import applied_proposals, counting_of
from iolai.challenge.state import ChallengeState, own_team, scope_of, state_of_id
from iolai.errors import InputError, NotFoundError
from iolai.evaluation import check_predictions
from iolai.reading import TaskCheck
from iolai.records import (
    Event,
    EventKind,
    KeyRow,
    PredictionSet,
    ProblemSet,
    Run,
    RunState,
    Score,
    ScoreRow,
    Submission,
    Team,
    Verdict,
    canonical_id,
)
from iolai.store import challenges, runs, scores, submissions, teams
from iolai.store.events import list_events

__all__ = ["SubmissionView", "submission_view", "views_of"]

#: Events that a team may see of its own submission; their data holds no score.
_SHOWN_EVENTS = (
    EventKind.SUBMISSION_ACCEPTED,
    EventKind.RUN_QUEUED,
    EventKind.RUN_STEP,
    EventKind.RUN_RETRIED,
    EventKind.VERDICT,
)
#: What a team sees of the data of its events: nothing of workers and machines.
_SHOWN_DATA = ("kind", "state", "attempt", "outcome", "owner", "tag")


@dataclass(frozen=True)
class SubmissionView:
    """A submission as whoever asks may see it.

    ``run`` is the run that counts. ``public`` is its score on the public split, None where there
    is none yet. ``whole`` is its score on all tasks: for organisers, and for all after the
    challenge is published. ``log_tail`` is redacted. ``findings`` says, for the public tasks,
    what of the output would be read otherwise than it may be meant; only where one submission is
    looked at.
    """

    submission: Submission
    team: Team
    run: Run | None
    state: RunState
    place: Place | None
    verdict: Verdict | None
    public: PublicPart | None
    whole: Score | None
    log_tail: str
    receipt: str = field(repr=False)
    events: tuple[Event, ...]
    findings: tuple[TaskCheck, ...] = ()


def submission_view(service: Service, actor: Actor, submission_id: str) -> SubmissionView:
    """Return a submission; raises NotFoundError where there is none that the actor may see."""
    with service.store.read() as connection:
        submission = submissions.get_submission(connection, submission_id)
        if submission is None:
            raise NotFoundError("there is no such submission", hint="Check the address.")
        state = state_of_id(service, connection, submission.challenge)
        mine = own_team(connection, actor, state.id)
        is_member = mine is not None and mine.id == submission.team
        scope = scope_of(state, is_member=is_member)
        require(actor, Action.VIEW_SUBMISSION, scope, what="submission")
        team = teams.get_team(connection, submission.team)
        if team is None:  # pragma: no cover -- the database keeps a submission's team
            raise NotFoundError("there is no such submission", hint="Check the address.")
        (view,) = views_of(service, connection, actor, state, team, [submission])
        return replace(view, findings=_findings(service, connection, state, view))


def views_of(
    service: Service,
    connection: Connection,
    actor: Actor,
    state: ChallengeState,
    team: Team,
    found: Sequence[Submission],
) -> tuple[SubmissionView, ...]:
    """Return what the actor sees of submissions of one team; whether it may see them was asked."""
    eyes = _Eyes(service, connection, actor, state, team)
    things = _Things(connection, state, found)
    return tuple(eyes.look(one, things) for one in found)


class _Things:
    """What is known of some submissions of a team, looked up at once."""

    def __init__(
        self, connection: Connection, state: ChallengeState, found: Sequence[Submission]
    ) -> None:
        one = found[0].id if len(found) == 1 else None
        team = found[0].team if found else ""
        of_team = runs.list_runs(connection, team_id=team, submission_id=one)
        self.order = ("", *applied_proposals(connection, state.id))
        self.runs: dict[str, list[Run]] = {}
        for run in of_team:
            self.runs.setdefault(run.submission, []).append(run)
        verdicts = runs.verdicts_of(connection, [run.id for run in of_team])
        self.verdicts = {verdict.run: verdict for verdict in verdicts}
        rows = scores.list_scores(connection, state.key, [run.id for run in of_team])
        self.scores: dict[str, ScoreRow] = {row.run: row for row in rows}
        self.events: dict[str, list[Event]] = {}
        kept = {run.id for run in of_team if run.proposal in self.order}
        for event in list_events(connection, team=team, submission=one, kinds=_SHOWN_EVENTS):
            if event.run in kept or not event.run:
                self.events.setdefault(event.submission, []).append(event)


class _Eyes:
    """Who looks: what of a submission is theirs to see."""

    def __init__(
        self,
        service: Service,
        connection: Connection,
        actor: Actor,
        state: ChallengeState,
        team: Team,
    ) -> None:
        mine = own_team(connection, actor, state.id)
        scope = scope_of(state, is_member=mine is not None and mine.id == team.id)
        self._service, self._connection, self._team, self._state = service, connection, team, state
        self._is_desk = may(actor, Action.VIEW_QUEUE, scope)
        self._sees_log = may(actor, Action.VIEW_LOG, scope)
        sees_private = may(actor, Action.VIEW_PRIVATE_SCORES, scope)
        self._sees_private = sees_private or state.is_published
        self._key = challenges.get_key(connection, state.key) if state.key else None

    def look(self, submission: Submission, things: _Things) -> SubmissionView:
        """Return what is to be seen of one submission."""
        own = things.runs.get(submission.id, [])
        run = counting_of(own, things.verdicts, things.order)
        verdict = things.verdicts.get(run.id) if run else None
        row = things.scores.get(run.id) if run and run.state is RunState.DONE else None
        public, whole = self._scores(row)
        return SubmissionView(
            submission=submission,
            team=self._team,
            run=run if self._is_desk or run is None else replace(run, worker="", handle=""),
            state=run.state if run else RunState.QUEUED,
            place=place_of(self._connection, run) if run else None,
            verdict=verdict if self._is_desk else _for_team(verdict),
            public=public,
            whole=whole,
            log_tail=self._log(verdict),
            receipt=submission.receipt,
            events=self._events(things.events.get(submission.id, [])),
        )

    def _scores(self, row: ScoreRow | None) -> tuple[PublicPart | None, Score | None]:
        """Return the public part, and the whole score only to who may see it."""
        if row is None or self._key is None:
            return None, None
        seen, sees_all = self._state.settings.seen, self._sees_private
        if sees_all:
            seen = replace(seen, tasks=True, readings=True, items=True)
        public = public_part(row, self._key, seen)
        if not sees_all:
            return coarse_part(public), None
        return public, read_score(row, self._key)

    def _log(self, verdict: Verdict | None) -> str:
        if verdict is None or not verdict.log or not self._sees_log:
            return ""
        return self._service.blobs.read(verdict.log).decode("utf-8", "replace")

    def _events(self, events: Iterable[Event]) -> tuple[Event, ...]:
        if self._is_desk:
            return tuple(events)
        return tuple(
            replace(
                event,
                author=event.author if event.kind is EventKind.SUBMISSION_ACCEPTED else "",
                reason="",
                data={name: event.data[name] for name in _SHOWN_DATA if name in event.data},
            )
            for event in events
        )


def _for_team(verdict: Verdict | None) -> Verdict | None:
    """Leave out what was wrong with a machine: that is the organisers' alone."""
    if verdict is None or verdict.owner != "platform":
        return verdict
    return replace(verdict, detail="a fault of the platform; it costs no quota")


def _findings(
    service: Service, connection: Connection, state: ChallengeState, view: SubmissionView
) -> tuple[TaskCheck, ...]:
    """Check the output's rows of public tasks as ``iolai check`` does without a key."""
    key = challenges.get_key(connection, state.key) if state.key else None
    is_read = state.settings.seen.readings and view.public is not None
    if not is_read or key is None or not state.problems or view.verdict is None:
        return ()
    try:
        output = of_fair_length(parse_predictions(service.blobs.read(view.verdict.output)))
    except InputError:
        return ()
    private = _private_ids(key)
    rows = PredictionSet(tuple(row for row in output if canonical_id(row.id) not in private))
    problems = load_problems(service, state.problems)
    public = tuple(
        replace(
            problem,
            tasks=tuple(task for task in problem.tasks if canonical_id(task.id) not in private),
        )
        for problem in problems
    )
    return check_predictions(ProblemSet(public), None, rows)


def _private_ids(key: KeyRow) -> frozenset[str]:
    return frozenset(canonical_id(task.id) for task in key.tasks if task.split != "public")
