"""Answer keys at rest: sealed in files, their references nowhere else.

A sealed key is AES-256-GCM over JSON, under a key derived from the service's secret, with the
key's id as associated data, so that one file cannot stand in for another. Only
``challenge.scoring`` may import ``unseal``; a test reads the imports.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path

from iolai.board import task_lines
from iolai.challenge.secrets import derived, keyed_digest, new_id
from iolai.challenge.service import Service
from iolai.errors import InputError, NotFoundError
from iolai.files import no_room_said, write_whole
from iolai.records import AnswerKey, KeyRow, KeyTask, ProblemSet, Reference, TaskKey

__all__ = [
    "digests_of",
    "kept_key",
    "key_path",
    "read_plain",
    "reseal",
    "seal",
    "unseal",
    "with_weights",
]

_NONCE_BYTES = 12


def key_path(service: Service, key_id: str) -> Path:
    """Return where a sealed key stands."""
    return service.home / "keys" / f"{key_id}.sealed"


def seal(
    service: Service, key: AnswerKey, challenge_id: str, problems: ProblemSet | None = None
) -> KeyRow:
    """Seal a key into a new file and return what the database may hold of it.

    The caller inserts the row. ``problems`` give the numbers of options of matching tasks.
    """
    key_id = new_id()
    reseal(service, key_id, key)
    return KeyRow(key_id, challenge_id, service.stamp(), _key_tasks(service, key, problems))


def reseal(service: Service, key_id: str, key: AnswerKey) -> None:
    """Seal a key that comes from another home, under its id and this home's secret."""
    path = key_path(service, key_id)
    with no_room_said("an answer key"):
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        os.close(handle)
    try:
        write_whole(path, _sealed(service.secret, key_id, key))
    except BaseException:
        path.unlink()
        raise


def _sealed(secret: bytes, key_id: str, key: AnswerKey) -> bytes:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    nonce = secrets.token_bytes(_NONCE_BYTES)
    plain = json.dumps([asdict(task) for task in key], ensure_ascii=False).encode()
    return nonce + AESGCM(derived(secret, "seal")).encrypt(nonce, plain, key_id.encode())


@contextmanager
def kept_key(service: Service, row: KeyRow) -> Iterator[None]:
    """Delete a sealed key again where the block that was to insert its row fails."""
    try:
        yield
    except BaseException:
        key_path(service, row.id).unlink(missing_ok=True)
        raise


def unseal(service: Service, key_id: str) -> AnswerKey:
    """Open a sealed key.

    Raises NotFoundError where its file is not there, InputError where the secret is another one
    or the file was changed.
    """
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    try:
        data = key_path(service, key_id).read_bytes()
    except FileNotFoundError:
        raise NotFoundError(
            f"the answer key {key_id} is not in this home",
            hint="The challenge was moved without its key; hand it in with iolai challenge key.",
        ) from None
    nonce, sealed = data[:_NONCE_BYTES], data[_NONCE_BYTES:]
    try:
        plain = AESGCM(derived(service.secret, "seal")).decrypt(nonce, sealed, key_id.encode())
    except InvalidTag:
        raise InputError(
            f"the answer key {key_id} cannot be opened",
            hint="The secret is not the one it was sealed with, or the file was changed; restore "
            "both from where you keep them.",
        ) from None
    return read_plain(plain.decode())


def read_plain(text: str) -> AnswerKey:
    """Read a key as it stands inside its seal: JSON with all its fields."""
    return AnswerKey(tuple(_task(value) for value in json.loads(text)))


def _task(value: dict[str, object]) -> TaskKey:
    references = value.pop("references")
    assert isinstance(references, list)  # noqa: S101 -- written by _sealed, authenticated
    return TaskKey(
        references=tuple(Reference(tuple(r["alternatives"]), r["as_list"]) for r in references),
        **value,  # type: ignore[arg-type]
    )


def _key_tasks(
    service: Service, key: AnswerKey, problems: ProblemSet | None
) -> tuple[KeyTask, ...]:
    """Return what a board needs of each task; a digest covers what decides a task's score."""
    digests = digests_of(service, key)
    lines = task_lines(key, (), _options(problems))
    return tuple(
        KeyTask(
            id=task.id,
            digest=digests[task.id],
            split=task.split,
            points=task.points,
            task_type=task.task_type,
            n_items=task.n_items,
            n_options=line.n_options,
            chance=line.chance,
        )
        for task, line in zip(key, lines, strict=True)
    )


def digests_of(service: Service, key: AnswerKey) -> dict[str, str]:
    """Return the digest of every task's references, by id: what decides a task's score."""
    secret = derived(service.secret, "key digests")
    return {
        task.id: keyed_digest(secret, json.dumps([r.alternatives for r in task.references]))
        for task in key
    }


def _options(problems: ProblemSet | None) -> dict[str, int]:
    from iolai.reading import read_options

    if problems is None:
        return {}
    found = {task.id: len(read_options(task) or ()) for task in problems.tasks}
    return {task: number for task, number in found.items() if number}


def with_weights(key: AnswerKey, splits: dict[str, str], points: dict[str, float]) -> AnswerKey:
    """Return the key with other splits and points, by id."""
    return replace(
        key,
        tasks=tuple(
            replace(
                task,
                split=splits.get(task.id, task.split),
                points=points.get(task.id, task.points),
            )
            for task in key
        ),
    )
