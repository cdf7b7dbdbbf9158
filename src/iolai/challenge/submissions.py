"""Submissions: accepted with a receipt or refused at the door, and what a team sees of them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from sqlalchemy import Connection

from iolai.challenge.ledger import note_acceptance
from iolai.challenge.names import checked_note
from iolai.challenge.permissions import Action, may, require
from iolai.challenge.problems import load_problems
from iolai.challenge.queue import Place, enqueue, place_of
from iolai.challenge.quota import QuotaView, require_quota
from iolai.challenge.receipts import sign
from iolai.challenge.scorebook import PublicPart, public_part, read_score
from iolai.challenge.scoring import parse_predictions
from iolai.challenge.secrets import new_id
from iolai.challenge.service import Actor, Service
from iolai.challenge.standings import applied_proposals, counting_run
from iolai.challenge.state import ChallengeState, find_state, own_team, scope_of, state_of_id
from iolai.challenge.throttle import throttle
from iolai.errors import InputError, NotFoundError
from iolai.evaluation import check_predictions
from iolai.reading import TaskCheck
from iolai.records import (
    Event,
    EventKind,
    PredictionSet,
    ProblemSet,
    Run,
    RunState,
    Score,
    Submission,
    SubmissionKind,
    Team,
    Verdict,
    canonical_id,
)
from iolai.store import challenges, runs, scores, submissions, teams, uploads
from iolai.store.events import list_events

__all__ = [
    "SubmissionView",
    "submission_view",
    "submit_predictions",
    "submit_repository",
    "submit_upload",
    "views_of_team",
]

#: A predictions file is far below this, in bytes.
MAX_PREDICTIONS = 16 << 20
_COMMIT = re.compile(r"[0-9a-f]{40}")
_HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}")
_ARCHIVES = (b"PK\x03\x04", b"\x1f\x8b", b"\xfd7zXZ\x00")
#: Events that a team may see of its own submission; their data holds no score.
_SHOWN_EVENTS = (
    EventKind.SUBMISSION_ACCEPTED,
    EventKind.RUN_QUEUED,
    EventKind.RUN_STEP,
    EventKind.RUN_RETRIED,
    EventKind.VERDICT,
)


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


@dataclass(frozen=True, slots=True)
class _HandedIn:
    """What is handed in, pinned; ``upload`` is the upload that it came by."""

    kind: SubmissionKind
    blob: str = ""
    size: int = 0
    source: str = ""
    revision: str = ""
    note: str = ""
    upload: str = ""


def submit_predictions(
    service: Service, actor: Actor, slug: str, data: bytes, note: str = ""
) -> SubmissionView:
    """Hand in a predictions file.

    Raises InputError (nothing is counted) where it cannot be read or none of its rows is of a
    task, QuotaError where the day's quota is used up, ConflictError where the phase is closed.
    """
    state, team = _at_the_door(service, actor, slug)
    note = checked_note(note)
    if len(data) > MAX_PREDICTIONS:
        raise InputError(
            f"the predictions have more than {MAX_PREDICTIONS >> 20} MiB",
            hint="Hand in a submission.csv; keep raw model output out of it.",
        )
    _check_predictions(service, state, data)
    blob = service.blobs.put(data)
    what = _HandedIn(SubmissionKind.PREDICTIONS, blob=blob, size=len(data), note=note)
    return _accept(service, actor, slug, team, what)


def _check_predictions(service: Service, state: ChallengeState, data: bytes) -> None:
    predictions = parse_predictions(data, "your file")
    with service.store.read() as connection:
        key = challenges.get_key(connection, state.key)
    known = {task.id for task in key.tasks} if key else set()
    found = {task for task in known if predictions.get(task) is not None}
    if not found:
        raise InputError(
            "no row of your file has the id of a task of this challenge",
            hint="Check the column id against the challenge's test set.",
        )
    if state.settings.explanations == "required":
        bare = [t for t in sorted(found) if not _explained(predictions.get(t))]
        if bare:
            raise InputError(
                f"{len(bare)} rows of your file have no explanation",
                hint="This challenge wants one for every answer, in the column explanation.",
            )


def _explained(row: object) -> bool:
    return bool(str(getattr(row, "explanation", "")).strip())


def submit_upload(
    service: Service, actor: Actor, slug: str, upload_id: str, note: str = ""
) -> SubmissionView:
    """Hand in an entry archive that was uploaded whole (see ``uploads``)."""
    state, team = _at_the_door(service, actor, slug)
    note = checked_note(note)
    with service.store.read() as connection:
        upload = uploads.get_upload(connection, upload_id)
    if upload is None or upload.account != actor.account or not upload.done:
        raise NotFoundError("there is no such finished upload", hint="Upload the archive first.")
    if upload.size > state.settings.max_submission_mib << 20:
        raise InputError(
            f"the archive has more than {state.settings.max_submission_mib} MiB",
            hint="Leave out what the entry does not need.",
        )
    with service.blobs.path(upload.sha256).open("rb") as stream:
        head = stream.read(512)
    if not head.startswith(_ARCHIVES) and head[257:262] != b"ustar":
        raise InputError(
            "the upload is no archive of a known kind", hint="Hand in a .zip, .tar.gz or .tar.xz."
        )
    what = _HandedIn(
        SubmissionKind.ARCHIVE,
        blob=upload.sha256,
        size=upload.size,
        source=upload.name,
        note=note,
        upload=upload_id,
    )
    return _accept(service, actor, slug, team, what)


def submit_repository(
    service: Service, actor: Actor, slug: str, repo: str, revision: str, note: str = ""
) -> SubmissionView:
    """Hand in a repository of the Hugging Face hub at a revision, which is pinned to its commit.

    Raises InputError where the id or the revision will not do.
    """
    _, team = _at_the_door(service, actor, slug)
    note = checked_note(note)
    if not _HUB_ID.fullmatch(repo):
        raise InputError(f"{repo[:80]!r} is no repository's id", hint="Write owner/name.")
    pinned = _pinned(service, repo, revision.strip())
    what = _HandedIn(SubmissionKind.REPOSITORY, source=repo, revision=pinned, note=note)
    return _accept(service, actor, slug, team, what)


def _pinned(service: Service, repo: str, revision: str) -> str:
    if _COMMIT.fullmatch(revision):
        return revision
    if service.resolve_revision is None:
        raise InputError(
            f"{revision[:80]!r} is no full commit hash",
            hint="Name the commit by all its 40 digits: a branch may move after you hand it in.",
        )
    commit = service.resolve_revision(repo, revision)
    if not _COMMIT.fullmatch(commit):
        raise InputError(f"{repo} has no revision {revision[:80]!r}", hint="Check its name.")
    return commit


def _at_the_door(service: Service, actor: Actor, slug: str) -> tuple[ChallengeState, Team]:
    """Refuse early whoever may not submit now: before a large file is read or a hub asked."""
    with service.store.read() as connection:
        state = find_state(service, connection, slug)
        team = own_team(connection, actor, state.id)
    require(actor, Action.SUBMIT, scope_of(state, is_member=team is not None))
    if team is None:  # pragma: no cover -- require has refused who has no team
        raise NotFoundError("you have no team here", hint="Register or join one first.")
    throttle(service, "submit", actor.account)
    return state, team


def _accept(
    service: Service, actor: Actor, slug: str, team: Team, what: _HandedIn
) -> SubmissionView:
    """Count the quota, accept, sign and queue in one write transaction."""
    with service.store.write() as connection:
        state = find_state(service, connection, slug)
        mine = own_team(connection, actor, state.id)
        is_member = mine is not None and mine.id == team.id
        require(actor, Action.SUBMIT, scope_of(state, is_member=is_member))
        quota = require_quota(connection, state, team)
        submission = Submission(
            id=new_id(),
            challenge=state.id,
            team=team.id,
            account=actor.account,
            kind=what.kind,
            received_at=state.at,
            blob=what.blob,
            size=what.size,
            source=what.source,
            revision=what.revision,
            note=what.note,
        )
        claims = _claims(submission, state, team, quota)
        submission = replace(submission, receipt=sign(service, claims))
        submissions.add_submission(connection, submission)
        note_acceptance(connection, submission, author=actor.author, at=state.at)
        enqueue(connection, submission, at=state.at, author=actor.author)
        if what.upload:
            uploads.delete_upload(connection, what.upload)
        return _view(service, connection, actor, state, submission, team)


def _claims(
    submission: Submission, state: ChallengeState, team: Team, quota: QuotaView
) -> dict[str, object]:
    """Return what a receipt says: what was accepted of whom and when, and what it cost."""
    return {
        "what": "submission",
        "submission": submission.id,
        "kind": submission.kind.value,
        "received_at": submission.received_at,
        "sha256": submission.blob,
        "size": submission.size,
        "source": submission.source,
        "revision": submission.revision,
        "challenge": state.settings.slug,
        "team": team.id,
        "team_name": team.name,
        "quota_day": quota.day,
        "quota_used": quota.used,
        "quota_per_day": quota.per_day,
    }


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
        view = _view(service, connection, actor, state, submission, team)
        return replace(view, findings=_findings(service, connection, state, view))


def views_of_team(
    service: Service, connection: Connection, actor: Actor, state: ChallengeState, team: Team
) -> tuple[SubmissionView, ...]:
    """Return all submissions of a team, the newest first, to whom ``require`` let see the team."""
    found = submissions.list_submissions(connection, state.id, team_id=team.id)
    return tuple(_view(service, connection, actor, state, one, team) for one in reversed(found))


def _view(
    service: Service,
    connection: Connection,
    actor: Actor,
    state: ChallengeState,
    submission: Submission,
    team: Team,
) -> SubmissionView:
    mine = own_team(connection, actor, state.id)
    scope = scope_of(state, is_member=mine is not None and mine.id == team.id)
    sees_private = may(actor, Action.VIEW_PRIVATE_SCORES, scope) or state.is_published
    run_id = counting_run(connection, state.id, submission.id)
    run = runs.get_run(connection, run_id) if run_id else None
    verdict = runs.get_verdict(connection, run.id) if run else None
    place = place_of(connection, run) if run else None
    is_desk = may(actor, Action.VIEW_QUEUE, scope)
    events = _events(connection, state, submission)
    if not is_desk:
        run, verdict, events = _for_team(run, verdict, events)
    public, whole = _scores(connection, state, run, sees_private=sees_private)
    log = ""
    if verdict is not None and verdict.log and may(actor, Action.VIEW_LOG, scope):
        log = service.blobs.read(verdict.log).decode("utf-8", "replace")
    return SubmissionView(
        submission=submission,
        team=team,
        run=run,
        state=run.state if run else RunState.QUEUED,
        place=place,
        verdict=verdict,
        public=public,
        whole=whole,
        log_tail=log,
        receipt=submission.receipt,
        events=events,
    )


#: What a team sees of the data of its events: nothing of workers and machines.
_SHOWN_DATA = ("kind", "state", "attempt", "outcome", "owner", "tag")


def _for_team(
    run: Run | None, verdict: Verdict | None, events: tuple[Event, ...]
) -> tuple[Run | None, Verdict | None, tuple[Event, ...]]:
    """Leave out what is the organisers' alone: which machine ran it, what was wrong with it."""
    if run is not None:
        run = replace(run, worker="", handle="")
    if verdict is not None and verdict.owner == "platform":
        verdict = replace(verdict, detail="a fault of the platform; it costs no quota")
    shown = tuple(
        replace(
            event,
            author="" if event.kind is not EventKind.SUBMISSION_ACCEPTED else event.author,
            reason="",
            data={name: event.data[name] for name in _SHOWN_DATA if name in event.data},
        )
        for event in events
    )
    return run, verdict, shown


def _findings(
    service: Service, connection: Connection, state: ChallengeState, view: SubmissionView
) -> tuple[TaskCheck, ...]:
    """Check the output's rows of public tasks as ``iolai check`` does without a key."""
    key = challenges.get_key(connection, state.key) if state.key else None
    is_read = state.settings.seen.readings and view.public is not None
    if not is_read or key is None or not state.problems or view.verdict is None:
        return ()
    try:
        output = parse_predictions(service.blobs.read(view.verdict.output))
    except InputError:
        return ()
    private = {canonical_id(task.id) for task in key.tasks if task.split != "public"}
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


def _scores(
    connection: Connection, state: ChallengeState, run: Run | None, *, sees_private: bool
) -> tuple[PublicPart | None, Score | None]:
    """Return the public part, and the whole score only to who may see it."""
    key = challenges.get_key(connection, state.key) if state.key else None
    row = scores.get_score(connection, run.id, state.key) if run and key else None
    if row is None or key is None or run is None or run.state is not RunState.DONE:
        return None, None
    seen = state.settings.seen
    show_all = sees_private
    public = public_part(
        row, key, show_tasks=seen.tasks or show_all, show_readings=seen.readings or show_all
    )
    return public, read_score(row, key) if sees_private else None


def _events(
    connection: Connection, state: ChallengeState, submission: Submission
) -> tuple[Event, ...]:
    """Return what happened to a submission; runs of proposals that do not count stay unseen."""
    shown = {"", *applied_proposals(connection, state.id)}
    own = {
        run.id
        for run in runs.list_runs(connection, submission_id=submission.id)
        if run.proposal in shown
    }
    found = list_events(connection, submission=submission.id, kinds=_SHOWN_EVENTS)
    return tuple(event for event in found if not event.run or event.run in own)
