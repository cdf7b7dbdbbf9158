"""Changes that are looked at before they count: rejudgements, and corrected keys.

A proposal is made, its preview shows whose rank would change, and then it is applied or
cancelled. Until it is applied nothing that anybody sees depends on it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import Connection

from iolai.challenge.boards import Picked, final_picks, public_picks, ranked
from iolai.challenge.challenges import read_key_for, set_current_key
from iolai.challenge.keys import kept_key, seal, with_weights
from iolai.challenge.ledger import record_verdict
from iolai.challenge.permissions import Action, require
from iolai.challenge.problems import load_problems
from iolai.challenge.queue import enqueue
from iolai.challenge.scoring import Rescored, rescore
from iolai.challenge.secrets import new_id
from iolai.challenge.service import Actor, Service
from iolai.challenge.state import ChallengeState, find_state, scope_of, state_of_id
from iolai.challenge.telling import reason_data
from iolai.errors import ConflictError, InputError, NotFoundError
from iolai.records import (
    AnswerKey,
    EventKind,
    KeyRow,
    Proposal,
    ProposalState,
    RunState,
    Submission,
    TeamKind,
    Verdict,
)
from iolai.store import challenges, proposals, runs, scores, submissions, teams
from iolai.store.events import add_event, list_events

__all__ = [
    "KEY",
    "REJUDGE",
    "Preview",
    "PreviewRow",
    "apply",
    "cancel",
    "list_proposals",
    "preview",
    "propose_key",
    "propose_rejudge",
    "require_may_correct",
]

REJUDGE, KEY = "rejudge", "key"
_TRIES = 5


@dataclass(frozen=True, slots=True)
class PreviewRow:
    """One team's ranks and final score as they are and as they would be; None: not ranked."""

    team: str
    public_rank: tuple[int | None, int | None]
    final_rank: tuple[int | None, int | None]
    score: tuple[float | None, float | None]

    @property
    def changes(self) -> bool:
        """Whether anything would be another."""
        pairs: tuple[tuple[object, object], ...] = (
            self.public_rank,
            self.final_rank,
            self.score,
        )
        return any(before != after for before, after in pairs)


@dataclass(frozen=True)
class Preview:
    """What applying a proposal would do. ``rows`` are all ranked teams, by their new rank.

    ``n_runs_pending`` counts its runs without a verdict, or scores not made yet; at 0 it can be
    applied. ``rescored`` says what a corrected key cost, None for a rejudgement.
    """

    proposal: Proposal
    rows: tuple[PreviewRow, ...]
    n_runs: int
    n_runs_pending: int
    rescored: Rescored | None

    @property
    def changed(self) -> tuple[PreviewRow, ...]:
        """The rows that would change."""
        return tuple(row for row in self.rows if row.changes)


def propose_rejudge(
    service: Service,
    actor: Actor,
    slug: str,
    submission_ids: Sequence[str] | None,
    reason: str,
) -> Proposal:
    """Run submissions again, some or (None) all; no team's quota is touched.

    Raises NotFoundError for an id that is none of the challenge's.
    """
    _require_reason(reason)
    with service.store.write() as connection:
        state = find_state(service, connection, slug)
        require(actor, Action.REJUDGE, scope_of(state))
        wanted = _submissions(connection, state, submission_ids)
        proposal = _proposal(state, actor, REJUDGE, ProposalState.COMPUTING, reason)
        proposals.add_proposal(connection, proposal)
        for submission in wanted:
            enqueue(connection, submission, at=state.at, author=actor.author, proposal=proposal.id)
        data = {"kind": REJUDGE, "submissions": [one.id for one in wanted]}
        _note(connection, state, actor, proposal, EventKind.PROPOSAL_MADE, data)
    return proposal


def _submissions(
    connection: Connection, state: ChallengeState, wanted: Sequence[str] | None
) -> list[Submission]:
    kinds = {team.id: team.kind for team in teams.list_teams(connection, state.id)}
    known = {
        one.id: one
        for one in submissions.list_submissions(connection, state.id)
        if kinds.get(one.team) is TeamKind.TEAM
    }
    for submission_id in wanted or ():
        if submission_id not in known:
            raise NotFoundError(
                f"this challenge has no submission {submission_id[:40]!r}", hint="Check the id."
            )
    if not known:
        raise ConflictError("there is nothing to rejudge", hint="No team has submitted yet.")
    return [known[one] for one in dict.fromkeys(wanted if wanted is not None else known)]


def require_may_correct(service: Service, actor: Actor, slug: str) -> None:
    """Refuse whoever may not correct the key, before anything that they send is read."""
    with service.store.read() as connection:
        require(actor, Action.SET_KEY, scope_of(find_state(service, connection, slug)))


def propose_key(
    service: Service, actor: Actor, slug: str, source: Path | bytes, reason: str
) -> Proposal:
    """Hand in a corrected key, a file or its content: it is sealed, what changed is scored by it.

    Splits and points stay those that count now, except that a task which has 0 points in the
    file is dropped. Raises InputError where the tasks are not those of the challenge.
    """
    _require_reason(reason)
    with service.store.read() as connection:
        state = find_state(service, connection, slug)
        require(actor, Action.SET_KEY, scope_of(state))
        current = challenges.get_key(connection, state.key)
    problems = load_problems(service, state.problems) if state.problems else None
    handed_in = read_key_for(source, problems)
    key = _weighed(handed_in, current)
    row = seal(service, key, state.id, problems)
    proposal = _proposal(state, actor, KEY, ProposalState.COMPUTING, reason, row.id)
    with kept_key(service, row), service.store.write() as connection:
        challenges.add_key(connection, row)
        proposals.add_proposal(connection, proposal)
    counts = rescore(service, current, row) if current else Rescored()
    with service.store.write() as connection:
        proposals.set_proposal_state(connection, proposal.id, ProposalState.READY)
        rescored = asdict(counts)
        data = {"kind": KEY, "key": row.id, "base": state.key, "rescored": rescored}
        _note(connection, state, actor, proposal, EventKind.PROPOSAL_MADE, data)
        return _get(connection, proposal.id)


def _weighed(key: AnswerKey, current: KeyRow | None) -> AnswerKey:
    """Give a corrected key the splits and points that count now; 0 points in it stay."""
    if current is None:
        return key
    known = {task.id: task for task in current.tasks}
    missing = [task for task in known if key.get(task) is None]
    more = [task.id for task in key if task.id not in known]
    if missing or more:
        raise InputError(
            f"the corrected key has other tasks than the challenge: {(missing + more)[0]}",
            hint="Correct the key of the same tasks; give a task 0 points to drop it.",
        )
    points = {task.id: known[task.id].points if task.points else 0.0 for task in key}
    return with_weights(key, {task.id: task.split for task in current.tasks}, points)


def _proposal(
    state: ChallengeState,
    actor: Actor,
    kind: str,
    stands: ProposalState,
    reason: str,
    key: str = "",
) -> Proposal:
    return Proposal(new_id(), state.id, kind, stands, state.at, actor.author, reason, key)


def list_proposals(service: Service, actor: Actor, slug: str) -> tuple[Proposal, ...]:
    """Return the proposals of a challenge, the newest first."""
    with service.store.read() as connection:
        state = find_state(service, connection, slug)
        require(actor, Action.REJUDGE, scope_of(state))
        found = proposals.list_proposals(connection, state.id)
    return tuple(_as_it_stands(service, one) for one in found)


def _as_it_stands(service: Service, proposal: Proposal) -> Proposal:
    """Return a proposal, made ready where its last run was decided meanwhile."""
    if proposal.kind != REJUDGE or proposal.state is not ProposalState.COMPUTING:
        return proposal
    with service.store.write() as connection:
        if not _pending_runs(connection, proposal):
            proposals.set_proposal_state(connection, proposal.id, ProposalState.READY)
        return _get(connection, proposal.id)


def _pending_runs(connection: Connection, proposal: Proposal) -> int:
    found = runs.list_runs(connection, proposal_id=proposal.id)
    return sum(run.state is not RunState.DONE for run in found)


def preview(service: Service, actor: Actor, proposal_id: str) -> Preview:
    """Return what applying a proposal would do."""
    proposal, state = _asked(service, actor, proposal_id)
    proposal = _as_it_stands(service, proposal)
    with service.store.read() as connection:
        instead: dict[str, Any] = (
            {"key_id": proposal.key} if proposal.kind == KEY else {"also_applied": (proposal.id,)}
        )
        rows = _preview_rows(
            (public_picks(connection, state), public_picks(connection, state, **instead)),
            (final_picks(connection, state), final_picks(connection, state, **instead)),
        )
        if proposal.kind == KEY:
            n_runs = scores.count_scores(connection, state.key)
            pending = scores.count_lacking(connection, state.key, proposal.key)
        else:
            n_runs = len(runs.list_runs(connection, proposal_id=proposal.id))
            pending = _pending_runs(connection, proposal)
        rescored = _rescored(connection, proposal)
    return Preview(proposal, rows, n_runs, pending, rescored)


def _preview_rows(
    public: tuple[Sequence[Picked], Sequence[Picked]],
    final: tuple[Sequence[Picked], Sequence[Picked]],
) -> tuple[PreviewRow, ...]:
    names = {
        pick.team.id: pick.team.name
        for side in (*public, *final)
        for pick in side
        if not pick.is_baseline
    }
    before, after = ranked(public[0]), ranked(public[1])
    final_before, final_after = ranked(final[0]), ranked(final[1])
    old = {pick.team.id: pick.candidate.score for pick in final[0]}
    new = {pick.team.id: pick.candidate.score for pick in final[1]}
    rows = [
        (
            final_after.get(team) or len(names) + 1,
            PreviewRow(
                team=name,
                public_rank=(before.get(team), after.get(team)),
                final_rank=(final_before.get(team), final_after.get(team)),
                score=(old.get(team), new.get(team)),
            ),
        )
        for team, name in names.items()
    ]
    return tuple(row for _, row in sorted(rows, key=lambda one: (one[0], one[1].team)))


def _rescored(connection: Connection, proposal: Proposal) -> Rescored | None:
    kinds = (EventKind.PROPOSAL_MADE,)
    for event in list_events(connection, challenge=proposal.challenge, kinds=kinds):
        counts: Any = event.data.get("rescored")
        if event.data["proposal"] == proposal.id and counts is not None:
            return Rescored(**counts)
    return None


def apply(
    service: Service, actor: Actor, proposal_id: str, *, show_reason: bool = False
) -> Proposal:
    """Make a proposal count; ``show_reason`` lets everybody who asks for a rank read its reason.

    Raises ConflictError where it was applied or cancelled, a run of it has no verdict yet, or it
    corrects a key that counts no more.
    """
    proposal, state = _asked(service, actor, proposal_id)
    proposal = _as_it_stands(service, proposal)
    _require_ready(proposal)
    if proposal.kind == REJUDGE:
        return _apply(service, actor, proposal, show_reason=show_reason)
    for _ in range(_TRIES):  # runs may be scored between rescoring and applying
        with service.store.read() as connection:
            state = state_of_id(service, connection, proposal.challenge)
            current = challenges.get_key(connection, state.key)
            row = challenges.get_key(connection, proposal.key)
        if row is not None and current is not None:
            rescore(service, current, row)
        applied = _apply(service, actor, proposal, row, show_reason=show_reason)
        if applied.state is ProposalState.APPLIED:
            return applied
    raise ConflictError("runs are just being decided", hint="Apply it again in a moment.")


def _apply(
    service: Service,
    actor: Actor,
    proposal: Proposal,
    key: KeyRow | None = None,
    *,
    show_reason: bool,
) -> Proposal:
    with service.store.write() as connection:
        state = state_of_id(service, connection, proposal.challenge)
        proposal = _get(connection, proposal.id)
        _require_ready(proposal)
        if key is not None:
            _require_base(connection, proposal, state)
            if scores.count_lacking(connection, state.key, key.id):
                return proposal
            set_current_key(
                service,
                connection,
                actor,
                key,
                reason=proposal.reason,
                is_known=True,
                show_reason=show_reason,
            )
        proposals.set_proposal_state(connection, proposal.id, ProposalState.APPLIED)
        data = {"kind": proposal.kind, "key": proposal.key, **reason_data(show=show_reason)}
        _note(connection, state, actor, proposal, EventKind.PROPOSAL_APPLIED, data)
        return _get(connection, proposal.id)


def _require_base(connection: Connection, proposal: Proposal, state: ChallengeState) -> None:
    """Refuse a key that corrects one which counts no more: it would undo what came between."""
    made = list_events(connection, challenge=state.id, kinds=(EventKind.PROPOSAL_MADE,))
    bases = [e.data["base"] for e in made if e.data["proposal"] == proposal.id and "base" in e.data]
    if bases and bases[-1] != state.key:
        raise ConflictError(
            "the key was changed after this correction was proposed",
            hint="Cancel it, and propose a key again that holds both corrections.",
        )


def cancel(service: Service, actor: Actor, proposal_id: str, reason: str = "") -> Proposal:
    """Drop a proposal; its runs that still wait are ended with the outcome ``cancelled``."""
    _asked(service, actor, proposal_id)
    with service.store.write() as connection:
        proposal = _get(connection, proposal_id)
        if proposal.state in (ProposalState.APPLIED, ProposalState.CANCELLED):
            raise ConflictError(f"the proposal is {proposal.state}", hint="Nothing is left to do.")
        state = state_of_id(service, connection, proposal.challenge)
        for run in runs.list_runs(connection, proposal_id=proposal.id, states=[RunState.QUEUED]):
            verdict = Verdict(run.id, state.at, "cancelled", "platform", detail="not run")
            record_verdict(connection, run, verdict, author=actor.author)
        proposals.set_proposal_state(connection, proposal.id, ProposalState.CANCELLED)
        data = {"kind": proposal.kind, "why": reason}
        _note(connection, state, actor, proposal, EventKind.PROPOSAL_CANCELLED, data)
        return _get(connection, proposal.id)


def _asked(service: Service, actor: Actor, proposal_id: str) -> tuple[Proposal, ChallengeState]:
    with service.store.read() as connection:
        proposal = proposals.get_proposal(connection, proposal_id)
        state = state_of_id(service, connection, proposal.challenge) if proposal else None
    scope = scope_of(state) if state else None
    require(actor, Action.REJUDGE, *([scope] if scope else []), what="proposal")
    if proposal is None or state is None:
        raise NotFoundError("there is no such proposal", hint="Look at the list of proposals.")
    return proposal, state


def _get(connection: Connection, proposal_id: str) -> Proposal:
    proposal = proposals.get_proposal(connection, proposal_id)
    if proposal is None:
        raise NotFoundError("there is no such proposal", hint="Look at the list of proposals.")
    return proposal


def _require_ready(proposal: Proposal) -> None:
    if proposal.state is not ProposalState.READY:
        raise ConflictError(
            f"the proposal is {proposal.state}",
            hint="Only a proposal that is ready can be applied; look at its preview.",
        )


def _require_reason(reason: str) -> None:
    if not reason.strip():
        raise InputError("a reason is wanted", hint="It stays in the audit log.")


def _note(
    connection: Connection,
    state: ChallengeState,
    actor: Actor,
    proposal: Proposal,
    kind: EventKind,
    data: Mapping[str, object],
) -> None:
    add_event(
        connection,
        kind,
        at=state.at,
        author=actor.author,
        challenge=state.id,
        reason=proposal.reason,
        data={"proposal": proposal.id, **data},
    )
