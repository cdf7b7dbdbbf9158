"""Submissions: accepted with a receipt or refused at the door, and what a team sees of them."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from iolai.challenge.ledger import note_acceptance
from iolai.challenge.names import checked_note
from iolai.challenge.permissions import Action, require
from iolai.challenge.queue import enqueue
from iolai.challenge.quota import QuotaView, require_quota
from iolai.challenge.receipts import sign
from iolai.challenge.room import require_room
from iolai.challenge.scoring import parse_predictions, require_fair_length
from iolai.challenge.secrets import new_id
from iolai.challenge.service import Actor, Service
from iolai.challenge.state import ChallengeState, find_state, own_team, scope_of
from iolai.challenge.throttle import throttle
from iolai.challenge.uploads import finished_file, forget_file, hand_over
from iolai.challenge.views import SubmissionView, submission_view, views_of
from iolai.errors import InputError, NotFoundError
from iolai.records import (
    Submission,
    SubmissionKind,
    Team,
    Upload,
)
from iolai.store import challenges, submissions, uploads

__all__ = [
    "SubmissionView",
    "require_may_submit",
    "submission_view",
    "submit_predictions",
    "submit_repository",
    "submit_upload",
]

#: A predictions file is far below this, in bytes.
MAX_PREDICTIONS = 16 << 20
_COMMIT = re.compile(r"[0-9a-f]{40}")
_HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}")
_ARCHIVES = (b"PK\x03\x04", b"\x1f\x8b", b"\xfd7zXZ\x00")


@dataclass(frozen=True, slots=True)
class _HandedIn:
    """What is handed in, pinned; ``upload`` is the upload that it came by, if any."""

    kind: SubmissionKind
    blob: str = ""
    size: int = 0
    source: str = ""
    revision: str = ""
    note: str = ""
    upload: Upload | None = None


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
    require_fair_length(predictions, "your file")
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
    head = _head(service, upload)
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
        upload=upload,
    )
    view = _accept(service, actor, slug, team, what)
    forget_file(service, upload.id)
    return view


def _head(service: Service, upload: Upload) -> bytes:
    try:
        with finished_file(service, upload).open("rb") as stream:
            return stream.read(512)
    except FileNotFoundError:
        raise NotFoundError(
            "this upload was handed in already", hint="Look at your team."
        ) from None


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


def require_may_submit(service: Service, actor: Actor, slug: str) -> tuple[ChallengeState, Team]:
    """Refuse whoever may not submit now, before anything that they send is read.

    Returns where the challenge stands, and the actor's team.
    """
    with service.store.read() as connection:
        state = find_state(service, connection, slug)
        team = own_team(connection, actor, state.id)
    require(actor, Action.SUBMIT, scope_of(state, is_member=team is not None))
    if team is None:  # pragma: no cover -- require has refused who has no team
        raise NotFoundError("you have no team here", hint="Register or join one first.")
    return state, team


def _at_the_door(service: Service, actor: Actor, slug: str) -> tuple[ChallengeState, Team]:
    """Refuse early whoever may not submit now: before a large file is read or a hub asked."""
    found = require_may_submit(service, actor, slug)
    require_room(service)
    throttle(service, "submit", actor.account)
    return found


def _accept(
    service: Service, actor: Actor, slug: str, team: Team, what: _HandedIn
) -> SubmissionView:
    """Count the quota, accept, sign and queue in one write transaction."""
    with service.store.write() as connection:
        state = find_state(service, connection, slug)
        mine = own_team(connection, actor, state.id)
        is_member = mine is not None and mine.id == team.id
        require(actor, Action.SUBMIT, scope_of(state, is_member=is_member))
        if what.upload and uploads.get_upload(connection, what.upload.id) is None:
            raise NotFoundError("this upload was handed in already", hint="Look at your team.")
        quota = require_quota(connection, state, team, actor.account)
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
            hand_over(service, connection, what.upload)
        return views_of(service, connection, actor, state, team, [submission])[0]


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
