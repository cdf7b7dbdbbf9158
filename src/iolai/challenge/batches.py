"""Scoring predictions files in batches.

A predictions file needs no fetching and no sandbox, and its scoring takes milliseconds. So it is
not worth a durable workflow of its own: a batch is claimed in one transaction and gets its verdicts
and scores in another, all or none. What a dead worker had claimed is claimed again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from iolai.challenge.logs import described, get_log
from iolai.challenge.scoring import parse_predictions
from iolai.challenge.state import state_of_id
from iolai.challenge.workplace import SERVICE, LostRunError, Workplace, fail
from iolai.errors import InputError
from iolai.records import Event, EventKind, Run, RunState, ScoreRow, SubmissionKind, Verdict
from iolai.runners import Outcome
from iolai.store import claims, events, runs, scores

__all__ = ["BATCH", "score_batch"]

log = get_log("batches")

#: Two transactions for so many runs; each holds the database for some tens of milliseconds.
BATCH = 250
_PREDICTIONS = (SubmissionKind.PREDICTIONS,)


@dataclass(frozen=True, slots=True)
class _Judged:
    run: Run
    verdict: Verdict
    score: ScoreRow | None


def score_batch(place: Workplace, limit: int = BATCH) -> int:
    """Claim the next predictions files, score them, give them their verdicts; return how many."""
    claimed = _claim(place, limit)
    if not claimed:
        return 0
    place.reached("batch:claimed", claimed[0].id)
    blobs = _blobs(place, claimed)
    left: Sequence[Run] = claimed
    while left:
        keys = _keys(place, left)
        judged = list(_judge_all(place, left, blobs, keys))
        place.reached("batch:worked", claimed[0].id)
        left = _keep(place, judged, keys)
    place.reached("batch:kept", claimed[0].id)
    return len(claimed)


def _claim(place: Workplace, limit: int) -> tuple[Run, ...]:
    store, at = place.service.store, place.service.stamp()
    due: dict[str, Any] = {"now": at, "latest": place.latest_retry(at)}
    with store.read() as connection:
        if not claims.claimable_runs(connection, kinds=_PREDICTIONS, limit=1, **due):
            return ()
    with store.write() as connection:
        found = claims.claimable_runs(connection, kinds=_PREDICTIONS, limit=limit, **due)
        state = RunState.COLLECTING
        claims.hold_runs(connection, found, worker=place.worker, state=state, at=at)
        steps = [
            _event(
                run,
                EventKind.RUN_STEP,
                at,
                {"state": state.value, "worker": place.worker, "attempt": run.attempt},
            )
            for run in found
        ]
        events.add_events(connection, steps)
    return found


def _event(run: Run, kind: EventKind, at: str, data: dict[str, object]) -> Event:
    return Event(0, at, SERVICE, kind, run.challenge, run.team, run.submission, run.id, data=data)


def _blobs(place: Workplace, claimed: Sequence[Run]) -> dict[str, str]:
    with place.service.store.read() as connection:
        return claims.blobs_of(connection, [run.submission for run in claimed])


def _keys(place: Workplace, claimed: Iterable[Run]) -> dict[str, str]:
    """Return the key that counts now, for each challenge that has runs here."""
    with place.service.store.read() as connection:
        return _current_keys(place, connection, claimed)


def _current_keys(
    place: Workplace, connection: Connection, claimed: Iterable[Run]
) -> dict[str, str]:
    wanted = {run.challenge for run in claimed}
    return {one: state_of_id(place.service, connection, one).key for one in wanted}


def _judge_all(
    place: Workplace, claimed: Iterable[Run], blobs: dict[str, str], keys: dict[str, str]
) -> Iterable[_Judged]:
    """Score each; a fault of the platform in one of them is no other's."""
    for run in claimed:
        try:
            yield _judge(place, run, blobs[run.submission], keys[run.challenge])
        except Exception as error:
            reason = f"score: {described(error)}"
            log.warning("scoring failed", run=run.id, attempt=run.attempt, reason=reason)
            with suppress(LostRunError):
                fail(place, run.id, run.attempt, reason)


def _judge(place: Workplace, run: Run, blob: str, key: str) -> _Judged:
    data = place.service.blobs.read(blob)
    score, n_answered, n_tasks = None, 0, 0
    if key:
        scorer = place.scorer(key)
        score, n_answered = scorer.score_and_count(run.id, data)
        n_tasks = scorer.n_tasks
    outcome, detail = Outcome.OK, f"{n_answered} of {n_tasks} tasks answered"
    if not n_answered:
        outcome, detail = _why_nothing(data, detail)
    verdict = Verdict(
        run.id,
        place.service.stamp(),
        outcome.value,
        outcome.owner.value,
        n_answered,
        n_tasks,
        detail=detail,
        output=blob,
    )
    return _Judged(run, verdict, score)


def _why_nothing(data: bytes, detail: str) -> tuple[Outcome, str]:
    try:
        parse_predictions(data)
    except InputError as error:
        return Outcome.BAD_OUTPUT, f"{error.message}; {detail}"
    return Outcome.OK, detail


def _keep(place: Workplace, judged: Sequence[_Judged], keys: dict[str, str]) -> list[Run]:
    """Write what was judged, in one transaction; return the runs whose key changed meanwhile."""
    with place.service.store.write() as connection:
        held = {(run.id, run.attempt) for run in claims.held_runs(connection, place.worker)}
        mine = [one for one in judged if (one.run.id, one.run.attempt) in held]
        current = _current_keys(place, connection, [one.run for one in mine])
        ready = [one for one in mine if current[one.run.challenge] == keys[one.run.challenge]]
        runs.add_verdicts(connection, [one.verdict for one in ready])
        scores.add_scores(connection, [one.score for one in ready if one.score is not None])
        at = place.service.stamp()
        claims.finish_runs(connection, [one.run.id for one in ready], at=at)
        events.add_events(connection, [_verdict_event(one) for one in ready])
    done = {one.run.id for one in ready}
    return [one.run for one in mine if one.run.id not in done]


def _verdict_event(one: _Judged) -> Event:
    data: dict[str, object] = {"outcome": one.verdict.outcome, "owner": one.verdict.owner}
    return _event(one.run, EventKind.VERDICT, one.verdict.at, data)
