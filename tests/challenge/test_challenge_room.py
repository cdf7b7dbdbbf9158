"""A disk that is full: said by name, nothing half kept, and all well again when there is room."""

from __future__ import annotations

import errno
import hashlib
import os
from collections import namedtuple
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from sqlalchemy import event

from iolai.challenge import health, keys, submissions, uploads
from iolai.challenge.room import LEAST_ROOM
from iolai.errors import NoRoomError
from iolai.files import write_whole
from iolai.records import Upload
from iolai.store import Store
from iolai.store.submissions import count_submissions
from world import World, answers, small_key

Usage = namedtuple("Usage", "total used free")


@contextmanager
def full_database(store: Store) -> Iterator[None]:
    """Let the database grow no more while the block runs (sqlite.org/pragma.html)."""

    def stop(connection: object) -> None:
        connection.exec_driver_sql("PRAGMA max_page_count=1")  # type: ignore[attr-defined]

    def go_on(connection: object) -> None:
        connection.exec_driver_sql("PRAGMA max_page_count=1000000")  # type: ignore[attr-defined]

    event.listen(store.engine, "begin", stop)
    try:
        yield
    finally:
        event.remove(store.engine, "begin", stop)
        event.listen(store.engine, "begin", go_on)


def test_a_full_database_takes_a_submission_whole_or_not_at_all(world: World) -> None:
    world.create(top="quota_per_day = 1000")
    actor, team = world.team("Team A")
    taken = []

    def submit_on() -> None:
        while True:
            taken.append(world.submit(actor, answers(1)))

    with full_database(world.service.store), pytest.raises(NoRoomError, match="no room left"):
        submit_on()
    with world.service.store.read() as connection:
        assert count_submissions(connection, team.challenge) == len(taken)
    world.submit(actor, answers(1))


def test_what_is_handed_in_is_refused_before_it_is_written(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.create()
    actor, _ = world.team("Team A")
    before = sorted(world.service.blobs.folder.rglob("*"))
    usage = Usage(1 << 30, 0, LEAST_ROOM - 1)
    monkeypatch.setattr("iolai.challenge.room.shutil.disk_usage", lambda _: usage)
    doors: list[Callable[[], object]] = [
        lambda: world.submit(actor, answers(1)),
        lambda: submissions.submit_repository(
            world.service, actor, "small", "team/entry", "a" * 40
        ),
        lambda: uploads.begin(world.service, actor, "entry.zip", 10, "0" * 64),
    ]
    for door in doors:
        with pytest.raises(NoRoomError, match="no room left"):
            door()
    assert sorted(world.service.blobs.folder.rglob("*")) == before
    assert not list((world.service.home / "uploads").iterdir())
    found = health.check_health(world.service)
    assert (found.state, found.is_up) == ("degraded", False)
    assert "the disk of the home is full" in " ".join(found.faults)
    assert "iolai_up 1.0" in health.metrics_text(world.service).decode()
    assert "iolai_takes_submissions 0.0" in health.metrics_text(world.service).decode()


def test_an_upload_that_would_fill_the_disk_is_not_begun(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = Usage(1 << 30, 0, LEAST_ROOM + 1000)
    monkeypatch.setattr("iolai.challenge.room.shutil.disk_usage", lambda _: usage)
    actor = world.person("Ada")
    uploads.begin(world.service, actor, "entry.zip", 1000, "0" * 64)
    with pytest.raises(NoRoomError):
        uploads.begin(world.service, actor, "entry.zip", 1001, "0" * 64)


def test_an_upload_that_finds_no_room_goes_on_where_it_stood(world: World) -> None:
    actor, data = world.person("Ada"), bytes(1000)
    begun = uploads.begin(
        world.service, actor, "entry.zip", len(data), hashlib.sha256(data).hexdigest()
    )
    (path,) = (world.service.home / "uploads").iterdir()

    def send(data: bytes) -> Upload:
        offset = uploads.status(world.service, actor, begun.id).offset
        return uploads.append(world.service, actor, begun.id, offset, [data])

    assert send(data[:300]).offset == 300
    kept = path.with_name("kept")
    path.rename(kept)
    path.symlink_to("/dev/full")
    with pytest.raises(NoRoomError):
        send(data[300:])
    assert uploads.status(world.service, actor, begun.id).offset == 300, "what the disk holds"
    kept.replace(path)
    assert send(data[300:]).done


def test_a_file_that_finds_no_room_leaves_nothing(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_room(_handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", no_room)
    with pytest.raises(NoRoomError):
        world.service.blobs.put(b"an output")
    with pytest.raises(NoRoomError):
        keys.seal(world.service, small_key(), "challenge")
    with pytest.raises(NoRoomError):
        write_whole(world.folder / "board.json", "{}")
    left = [world.service.blobs.folder, world.service.home / "keys"]
    assert not [path for folder in left for path in folder.rglob("*") if path.is_file()]
    assert not list(world.folder.glob("*board*"))


def test_a_blob_whose_folder_cannot_be_made_is_another_error(world: World) -> None:
    """Only a full disk is called one."""
    (world.service.blobs.folder / hashlib.sha256(b"data").hexdigest()[:2]).touch()
    with pytest.raises(FileExistsError):
        world.service.blobs.put(b"data")
