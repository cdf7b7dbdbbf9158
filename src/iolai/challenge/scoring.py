"""The scoring step: the only place where a sealed key is opened.

What leaves this module is scores, counts and blotted-out text, never a reference; the one way to
get a key out again is ``reveal_key``, for an admin, which leaves an event.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from iolai.challenge.keys import unseal
from iolai.challenge.permissions import Action, require
from iolai.challenge.scorebook import read_tasks, with_tasks, write_tasks
from iolai.challenge.service import Actor, Service
from iolai.challenge.state import find_state
from iolai.errors import InputError, NotFoundError
from iolai.files import decode_utf8
from iolai.formats import parse_document, parse_submission_csv
from iolai.metrics import score_item, score_predictions, score_task
from iolai.records import (
    MAX_ANSWER,
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
from iolai.store import challenges, runs, scores
from iolai.store.events import add_event
from iolai.version import __version__

__all__ = [
    "Rescored",
    "Scorer",
    "all_keys",
    "check_keys",
    "current_signature",
    "fill_scores",
    "of_fair_length",
    "parse_predictions",
    "require_fair_length",
    "rescore",
    "reveal_key",
    "score_many",
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
        self._key = _opened(service, row)
        self._digests = {task.id: task.digest for task in row.tasks}
        self._signature = current_signature()

    def score(self, run_id: str, output: bytes) -> ScoreRow:
        """Score one output."""
        return self.score_and_count(run_id, output)[0]

    def score_and_count(self, run_id: str, output: bytes) -> tuple[ScoreRow, int]:
        """Score one output; return with it how many tasks were answered."""
        rows = _rows(output)
        tasks = [score_task(rows.get(task.id), task) for task in self._key]
        figures, body = write_tasks(tasks, self._digests)
        at = self._service.stamp()
        row = ScoreRow(run_id, self._row.id, at, self._signature, figures, body)
        return row, sum(task.answered for task in tasks)

    @property
    def n_tasks(self) -> int:
        """How many tasks the key has."""
        return len(self._key.tasks)


def parse_predictions(data: bytes, name: str = "the predictions") -> PredictionSet:
    """Read a predictions file of any known format; raises InputError saying what is wrong."""
    document = parse_document(decode_utf8(data, name), name)
    if document.predictions is None:
        raise InputError(
            f"{name}: this is no predictions file but {document.format}",
            hint="Hand in a submission.csv with the columns id and pred.",
        )
    return document.predictions


def of_fair_length(predictions: PredictionSet) -> PredictionSet:
    """Return the predictions without those that are longer than a challenge takes."""
    if all(len(row.text) <= MAX_ANSWER for row in predictions):
        return predictions
    return PredictionSet(tuple(row for row in predictions if len(row.text) <= MAX_ANSWER))


def require_fair_length(predictions: PredictionSet, name: str) -> None:
    """Raise InputError where an answer is longer than a challenge takes."""
    for row in predictions:
        if len(row.text) > MAX_ANSWER:
            raise InputError(
                f"{name}: the answer of {row.id[:80]!r} (line {row.row}) has {len(row.text)} "
                f"characters, more than {MAX_ANSWER}",
                hint="Hand in the answers alone; keep raw model output out of the column pred.",
            )


def _rows(output: bytes) -> PredictionSet:
    """Return the rows of an output; none where it cannot be read: then every task is blank."""
    try:
        if output.startswith((b"id,pred", b"\xef\xbb\xbfid,pred")):
            document = parse_submission_csv(decode_utf8(output, "submission.csv"))
            return of_fair_length(document.predictions or PredictionSet(()))
        return of_fair_length(parse_predictions(output))
    except InputError:
        return PredictionSet(())


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
    a run's output is read again only where a changed task has another number of items, or where
    another version of the program scored it. Runs that have both scores are left alone.
    """
    rescorer = _Rescorer(service, old, new)
    after = ""
    while True:
        with service.store.read() as connection:
            batch = scores.scores_lacking(connection, old.id, new.id, after=after, limit=BATCH)
        if not batch:
            return rescorer.counts
        after = batch[-1].run
        rescorer.take(batch)


class _Rescorer:
    """Scores runs again under a new key, as little as it can, and counts."""

    def __init__(self, service: Service, old: KeyRow, new: KeyRow) -> None:
        before = {task.id: task for task in old.tasks}
        self._changed = [
            task
            for task in new.tasks
            if task.id not in before or before[task.id].digest != task.digest
        ]
        self._resized = any(
            task.id not in before or before[task.id].n_items != task.n_items
            for task in self._changed
        )
        self._service, self._new = service, new
        self._key = _opened(service, new)
        self._digests = {task.id: task.digest for task in new.tasks}
        self._signature = current_signature()
        self.counts = Rescored(n_tasks_changed=len(self._changed))

    def take(self, batch: Sequence[ScoreRow]) -> None:
        """Score one batch and write it."""
        reread = [row.run for row in batch if self._resized or row.signature != self._signature]
        outputs = self._outputs(reread)
        lost = set(reread) - outputs.keys()  # scored, and its verdict still to come
        made = [self._again(row, outputs.get(row.run)) for row in batch if row.run not in lost]
        n_new = _write_new(self._service, self._new.id, [row for row, _ in made])
        self.counts = replace(
            self.counts,
            n_runs=self.counts.n_runs + n_new,
            n_tasks_scored=self.counts.n_tasks_scored + sum(n for _, n in made),
            n_outputs_read=self.counts.n_outputs_read + len(outputs),
        )

    def _outputs(self, run_ids: Sequence[str]) -> dict[str, PredictionSet]:
        with self._service.store.read() as connection:
            blobs = runs.outputs_of(connection, run_ids)
        return {run: _rows(self._service.blobs.read(blob)) for run, blob in blobs.items()}

    def _again(self, row: ScoreRow, output: PredictionSet | None) -> tuple[ScoreRow, int]:
        """Return a run's score under the new key, and how many tasks were scored for it."""
        if row.signature != self._signature and output is not None:
            fresh = list(score_predictions(output, self._key).tasks)
        else:
            before = {task.id: task for task in read_tasks(row.body, self._changed)}
            fresh = [self._task(before.get(task.id), task.id, output) for task in self._changed]
        figures, body = with_tasks(row, fresh, self._digests)
        at = self._service.stamp()
        made = ScoreRow(row.run, self._new.id, at, self._signature, figures, body)
        return made, len(fresh)

    def _task(
        self, before: TaskScore | None, task_id: str, output: PredictionSet | None
    ) -> TaskScore:
        key = self._key.get(task_id)
        assert key is not None  # noqa: S101 -- the row and the sealed key were made together
        if output is None and before is not None and len(before.items) == key.n_items:
            return _from_items(before, key)
        return score_task(output.get(task_id) if output is not None else None, key)


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
    return _opened(service, row)


def all_keys(service: Service, actor: Actor, slug: str, reason: str) -> dict[str, AnswerKey]:
    """Return all keys a challenge ever had by their ids; for an admin, and noted as an event."""
    reveal_key(service, actor, slug, reason)
    with service.store.read() as connection:
        rows = challenges.list_keys(connection, find_state(service, connection, slug).id)
    return {row.id: _opened(service, row) for row in rows}


def _opened(service: Service, row: KeyRow) -> AnswerKey:
    """Open a key and weigh its tasks as its row does."""
    weights = {task.id: task for task in row.tasks}
    key = unseal(service, row.id)
    return replace(
        key,
        tasks=tuple(
            replace(task, split=weights[task.id].split, points=weights[task.id].points)
            for task in key
        ),
    )


def check_keys(service: Service, key_ids: Iterable[str]) -> None:
    """Raise InputError where a sealed key cannot be opened with this home's secret."""
    for key_id in key_ids:
        unseal(service, key_id)


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
