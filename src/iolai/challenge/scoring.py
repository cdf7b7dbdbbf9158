"""The scoring step: the only place where a sealed key is opened.

What leaves this module is scores, counts and blotted-out text, never a reference; the one way to
get a key out again is ``reveal_key``, for an admin, which leaves an event.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from iolai.challenge.keys import unseal
from iolai.challenge.permissions import Action, require
from iolai.challenge.scorebook import read_tasks, write_tasks
from iolai.challenge.service import Actor, Service
from iolai.challenge.state import find_state, state_of_id
from iolai.errors import InputError, NotFoundError
from iolai.files import decode_utf8
from iolai.formats import parse_document, parse_submission_csv
from iolai.metrics import score_item, score_predictions, score_task
from iolai.records import (
    AnswerKey,
    EventKind,
    ItemScore,
    KeyRow,
    PredictionSet,
    ScoreRow,
    Signature,
    TaskKey,
    TaskScore,
)
from iolai.runners import Redactor
from iolai.store import challenges, runs, scores
from iolai.store.events import add_event
from iolai.version import __version__

__all__ = [
    "Rescored",
    "Scorer",
    "fill_scores",
    "parse_predictions",
    "redact",
    "rescore",
    "reveal_key",
    "score_many",
    "score_run",
]

#: Scores are written so many at a time: one transaction costs as much as many rows.
BATCH = 500


@dataclass(frozen=True, slots=True)
class Rescored:
    """What a corrected key cost: tasks scored again, and outputs that had to be read again.

    ``n_outputs_read`` counts only runs of which a task now has another number of items: where it
    has as many as before, the items that were read stand in the score.
    """

    n_runs: int = 0
    n_tasks_changed: int = 0
    n_tasks_scored: int = 0
    n_outputs_read: int = 0


class Scorer:
    """An opened key that scores outputs; its references cannot be got out of it."""

    def __init__(self, service: Service, row: KeyRow) -> None:
        self._service, self._row = service, row
        self._key = unseal(service, row.id)
        weights = {task.id: task for task in row.tasks}
        self._key = replace(
            self._key,
            tasks=tuple(
                replace(task, split=weights[task.id].split, points=weights[task.id].points)
                for task in self._key
            ),
        )
        self._digests = {task.id: task.digest for task in row.tasks}

    def score(self, run_id: str, output: bytes) -> ScoreRow:
        """Score one output."""
        scored = score_predictions(_rows(output), self._key)
        figures, body = write_tasks(scored.tasks, self._digests)
        at = self._service.stamp()
        return ScoreRow(run_id, self._row.id, at, str(scored.signature), figures, body)


def parse_predictions(data: bytes, name: str = "the predictions") -> PredictionSet:
    """Read a predictions file of any known format; raises InputError saying what is wrong."""
    document = parse_document(decode_utf8(data, name), name)
    if document.predictions is None:
        raise InputError(
            f"{name}: this is no predictions file but {document.format}",
            hint="Hand in a submission.csv with the columns id and pred.",
        )
    return document.predictions


def _rows(output: bytes) -> PredictionSet:
    """Return the rows of an output; none where it cannot be read: then every task is blank."""
    try:
        if output.startswith((b"id,pred", b"\xef\xbb\xbfid,pred")):
            document = parse_submission_csv(decode_utf8(output, "submission.csv"))
            return document.predictions or PredictionSet(())
        return parse_predictions(output)
    except InputError:
        return PredictionSet(())


def score_run(service: Service, run_id: str, output: bytes) -> None:
    """Score a run's output under the key that counts now; harmless where that was done.

    The key is looked up again in the transaction that writes: where it changed meanwhile, the
    run is scored under the new one as well.
    """
    with service.store.read() as connection:
        run = runs.get_run(connection, run_id)
        if run is None:
            raise NotFoundError(f"there is no run {run_id}", hint="Check the id.")
    while True:
        with service.store.read() as connection:
            key_id = state_of_id(service, connection, run.challenge).key
            row = challenges.get_key(connection, key_id)
            known = scores.get_score(connection, run_id, key_id)
        if row is None or known is not None:
            return
        score = Scorer(service, row).score(run_id, output)
        with service.store.write() as connection:
            if scores.get_score(connection, run_id, key_id) is None:
                scores.add_scores(connection, [score])


def score_many(service: Service, key_id: str, outputs: Iterable[tuple[str, bytes]]) -> int:
    """Score many (run, output) under one key, written in batches; return how many were new."""
    with service.store.read() as connection:
        row = _require_key(challenges.get_key(connection, key_id), key_id)
    scorer = Scorer(service, row)
    n_new = 0
    for batch in _batches(outputs):
        scored = [scorer.score(run_id, output) for run_id, output in batch]
        n_new += _write_new(service, key_id, scored)
    return n_new


def _write_new(service: Service, key_id: str, scored: Sequence[ScoreRow]) -> int:
    with service.store.write() as connection:
        known = scores.runs_scored(connection, key_id, [row.run for row in scored])
        new = [row for row in scored if row.run not in known]
        scores.add_scores(connection, new)
    return len(new)


def fill_scores(service: Service, challenge_id: str, key_id: str) -> int:
    """Score every run that left an output and has no score under a key; return how many."""
    n_filled = 0
    while True:
        with service.store.read() as connection:
            missing = scores.unscored(connection, challenge_id, key_id=key_id, limit=BATCH)
        if not missing:
            return n_filled
        outputs = ((run, service.blobs.read(output)) for run, output in missing)
        n_filled += score_many(service, key_id, outputs)


def rescore(service: Service, old: KeyRow, new: KeyRow) -> Rescored:
    """Give every run that has a score under the old key one under the new key.

    Only tasks whose references changed are scored, from the items that were read the first time;
    a run's output is read again only where a changed task has another number of items.
    """
    before = {task.id: task for task in old.tasks}
    changed = [t for t in new.tasks if t.id not in before or before[t.id].digest != t.digest]
    resized = [t for t in changed if t.id not in before or before[t.id].n_items != t.n_items]
    key = unseal(service, new.id)
    counts = Rescored(n_tasks_changed=len(changed))
    for batch in _score_batches(service, old):
        outputs = _outputs(service, [row.run for row in batch]) if resized else {}
        rows = [
            _again(row, new, key, [t.id for t in changed], outputs.get(row.run)) for row in batch
        ]
        written = _write_new(service, new.id, rows)
        counts = replace(
            counts,
            n_runs=counts.n_runs + written,
            n_tasks_scored=counts.n_tasks_scored + written * len(changed),
            n_outputs_read=counts.n_outputs_read + len(outputs),
        )
    return counts


def _score_batches(service: Service, old: KeyRow) -> Iterator[tuple[ScoreRow, ...]]:
    after = ""
    while True:
        with service.store.read() as connection:
            batch = scores.scores_after(connection, old.id, after=after, limit=BATCH)
        if not batch:
            return
        after = batch[-1].run
        yield batch


def _outputs(service: Service, run_ids: Sequence[str]) -> dict[str, PredictionSet]:
    with service.store.read() as connection:
        blobs = runs.outputs_of(connection, run_ids)
    return {run: _rows(service.blobs.read(blob)) for run, blob in blobs.items()}


def _again(
    row: ScoreRow,
    new: KeyRow,
    key: AnswerKey,
    changed: Sequence[str],
    output: PredictionSet | None,
) -> ScoreRow:
    """Return a run's score under the new key, its unchanged tasks copied as they are."""
    figures, body = json.loads(row.figures), json.loads(row.body)
    digests = {task.id: task.digest for task in new.tasks}
    asked = set(changed)
    old_tasks = {task.id: task for task in read_tasks(row.body, new.tasks)}
    fresh = []
    for task_id in changed:
        task_key = key.get(task_id)
        if task_key is None:
            continue
        before = old_tasks.get(task_id)
        if output is not None or before is None or len(before.items) != task_key.n_items:
            rows = output or PredictionSet(())
            fresh.append(score_task(rows.get(task_id), task_key))
        else:
            fresh.append(_from_items(before, task_key))
    new_figures, new_body = map(json.loads, write_tasks(fresh, digests))
    kept = [task.id for task in new.tasks if task.id in body and task.id not in asked]
    order = [task.id for task in new.tasks]
    figures = {t: figures[t] for t in kept} | new_figures
    body = {t: body[t] for t in kept} | new_body
    signature = row.signature
    return ScoreRow(
        row.run,
        new.id,
        row.at,
        signature,
        _ordered(figures, order),
        _ordered(body, order),
    )


def _ordered(values: dict[str, object], order: Sequence[str]) -> str:
    ordered = {task: values[task] for task in order if task in values}
    return json.dumps(ordered, separators=(",", ":"))


def _from_items(before: TaskScore, key: TaskKey) -> TaskScore:
    """Score the items that were read before against other references."""
    items = tuple(
        ItemScore(item.predicted, *score_item(item.predicted, reference.alternatives))
        for item, reference in zip(before.items, key.references, strict=True)
    )
    n_items = len(items) or 1
    return replace(
        before,
        items=items,
        exact_match=sum(item.exact_match for item in items) / n_items,
        chrf=sum(item.chrf for item in items) / n_items,
    )


def redact(service: Service, key_id: str, text: str) -> str:
    """Return a text with every reference of a key blotted out, as in an entry's log."""
    references = [
        answer
        for task in unseal(service, key_id)
        for reference in task.references
        for answer in reference.alternatives
    ]
    return Redactor(references).redact(text)


def reveal_key(service: Service, actor: Actor, slug: str, reason: str) -> AnswerKey:
    """Return the key that counts, with its references; for an admin, and noted as an event."""
    require(actor, Action.REVEAL_KEY)
    with service.store.write() as connection:
        state = find_state(service, connection, slug)
        row = _require_key(challenges.get_key(connection, state.key), state.key)
        add_event(
            connection,
            EventKind.KEY_REVEALED,
            at=service.stamp(),
            author=actor.author,
            challenge=state.id,
            reason=reason,
            data={"key": row.id},
        )
    weights = {task.id: task for task in row.tasks}
    key = unseal(service, row.id)
    return replace(
        key,
        tasks=tuple(
            replace(task, split=weights[task.id].split, points=weights[task.id].points)
            for task in key
        ),
    )


def current_signature() -> str:
    """Return the signature of scores made by this version of the program."""
    return str(Signature(version=__version__))


def _require_key(row: KeyRow | None, key_id: str) -> KeyRow:
    if row is None:
        raise NotFoundError(
            f"there is no answer key {key_id or 'yet'}", hint="Hand one in: iolai challenge key."
        )
    return row


def _batches(outputs: Iterable[tuple[str, bytes]]) -> Iterator[list[tuple[str, bytes]]]:
    batch: list[tuple[str, bytes]] = []
    for one in outputs:
        batch.append(one)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch
