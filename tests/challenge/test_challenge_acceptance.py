"""Submissions are counted, accepted, signed and queued in one step, whoever comes at once."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator

import pytest

from iolai.challenge import receipts, submissions, teams, uploads
from iolai.challenge.service import Actor
from iolai.errors import (
    ConflictError,
    ForbiddenError,
    InputError,
    NotFoundError,
    QuotaError,
    RateError,
)
from iolai.records import EventKind, RunState, Upload
from iolai.store import runs
from iolai.store.events import list_events
from iolai.store.submissions import list_submissions
from world import World, answers


def test_forty_at_once_with_a_quota_of_ten_are_exactly_ten(any_world: World) -> None:
    any_world.create(top="quota_per_day = 10")
    actor, team = any_world.team("Team A")
    results: list[object] = []
    start = threading.Barrier(40)

    def hand_in() -> None:
        start.wait()
        try:
            results.append(any_world.submit(actor, answers(3)))
        except QuotaError as error:
            results.append(error)

    threads = [threading.Thread(target=hand_in) for _ in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    accepted = [one for one in results if isinstance(one, submissions.SubmissionView)]
    assert len(accepted) == 10
    assert sum(isinstance(one, QuotaError) for one in results) == 30
    with any_world.service.store.read() as connection:
        challenge = accepted[0].submission.challenge
        stored = list_submissions(connection, challenge, team_id=team.id)
        queued = runs.queued_runs(connection)
        events = list_events(connection, kinds=[EventKind.SUBMISSION_ACCEPTED])
    assert {one.id for one in stored} == {one.submission.id for one in accepted}
    assert len(queued) == len(events) == 10
    used = sorted(json.loads(one.receipt)["claims"]["quota_used"] for one in accepted)
    assert used == list(range(1, 11))


def test_the_quota_day_is_utc_and_says_when_the_next_begins(world: World) -> None:
    world.create(top="quota_per_day = 2")
    actor, _ = world.team("Team A")
    world.clock.set("2026-07-03T23:59:50")
    world.submit(actor, answers(1))
    world.submit(actor, answers(1))
    with pytest.raises(QuotaError) as caught:
        world.submit(actor, answers(1))
    assert caught.value.next_at == "2026-07-04T00:00:00.000000Z"
    world.clock.set("2026-07-04T00:00:00")
    world.submit(actor, answers(1))
    quota = teams.my_team(world.service, actor, "small").quota
    assert (quota.used, quota.left, quota.day) == (1, 1, "2026-07-04")


def test_a_platform_fault_costs_no_quota_even_after_a_rejudgement(world: World) -> None:
    world.create(top="quota_per_day = 1")
    actor, _ = world.team("Team A")
    first = world.submit(actor, answers(1))
    world.decide(first, "platform_fault", detail="node7 lost its disk")
    assert teams.my_team(world.service, actor, "small").quota.left == 1
    second = world.submit(actor, answers(1))
    world.decide(second, "crashed")
    assert teams.my_team(world.service, actor, "small").quota.left == 0
    seen = submissions.submission_view(world.service, actor, first.submission.id)
    assert seen.verdict is not None
    assert "node7" not in seen.verdict.detail


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", "is of no known format"),
        (b"id,answer\n1,x\n", "lacks the columns"),
        (b"id,pred\n999,x\n", "no row of your file has the id of a task"),
        (b"\xff\xfe\x00bad", "is not UTF-8"),
        (b"id,pred\n12026010100," + b"a" * 100_001 + b"\n", r"line 2\) has 100001 characters"),
        (
            b"id,context,query,work_lang,task_lang,task_type,eval_type\n1,c,q,e,x,t,s\n",
            "no predictions",
        ),
    ],
)
def test_what_cannot_be_read_is_refused_at_the_door_and_not_counted(
    world: World, data: bytes, told: str
) -> None:
    world.create()
    actor, _ = world.team("Team A")
    with pytest.raises(InputError, match=told):
        world.submit(actor, data)
    view = teams.my_team(world.service, actor, "small")
    assert view.quota.used == 0
    assert view.submissions == ()


def test_a_challenge_that_wants_explanations_refuses_predictions_without(world: World) -> None:
    world.create(top='explanations = "required"')
    actor, _ = world.team("Team A")
    with pytest.raises(InputError, match="6 rows of your file have no explanation"):
        world.submit(actor, answers(1))
    world.submit(actor, answers(1, explanation="Subjects come first."))


def test_the_receipt_proves_what_was_accepted(world: World) -> None:
    world.create()
    actor, team = world.team("Team A")
    receipt = world.submit(actor, answers(2)).receipt
    claims = receipts.verify(receipt, receipts.public_key(world.service))
    assert claims["team"] == team.id
    assert claims["received_at"] == "2026-07-01T12:00:00" + str(claims["received_at"])[19:]
    assert world.service.blobs.read(str(claims["sha256"])) == answers(2)
    forged = json.loads(receipt)
    forged["claims"]["received_at"] = "2026-06-30T12:00:00.000000Z"
    with pytest.raises(InputError, match="was changed"):
        receipts.verify(json.dumps(forged))
    with pytest.raises(InputError, match="another service"):
        receipts.verify(receipt, "AAAA")
    with pytest.raises(InputError, match="no receipt"):
        receipts.verify("{}")


def test_the_same_file_twice_is_two_submissions(world: World) -> None:
    world.create()
    actor, _ = world.team("Team A")
    one, other = world.submit(actor, answers(2)), world.submit(actor, answers(2))
    assert one.submission.id != other.submission.id
    assert one.submission.blob == other.submission.blob
    assert one.run is not None
    assert other.run is not None
    assert one.run.id != other.run.id


@pytest.mark.parametrize(
    ("at", "error"),
    [
        ("2026-05-01T00:00", ConflictError),
        ("2026-06-15T00:00", ConflictError),
        ("2026-07-15T00:00", None),
        ("2026-07-29T00:00", None),
        ("2026-08-01T00:00", ConflictError),
    ],
)
def test_submissions_are_taken_from_the_opening_to_the_close(
    world: World, at: str, error: type[Exception] | None
) -> None:
    world.create()
    actor, _ = world.team("Team A")
    world.clock.set(at)
    if error is None:
        world.submit(actor, answers(1))
    else:
        with pytest.raises(error):
            world.submit(actor, answers(1))


def test_who_has_no_team_or_no_account_cannot_submit(world: World) -> None:
    world.create()
    with pytest.raises(ForbiddenError):
        world.submit(world.person("Lone"), answers(1))
    with pytest.raises(ForbiddenError):
        world.submit(Actor.anonymous(), answers(1))
    with pytest.raises(ForbiddenError):
        world.submit(world.organiser, answers(1))


def test_a_repository_is_pinned_to_a_commit(world: World) -> None:
    world.create()
    actor, _ = world.team("Team A")
    commit = "0123456789abcdef0123456789abcdef01234567"
    hand_in = submissions.submit_repository
    view = hand_in(world.service, actor, "small", "owner/name", commit)
    assert (view.submission.source, view.submission.revision) == ("owner/name", commit)
    assert view.state is RunState.QUEUED
    with pytest.raises(InputError, match="no full commit hash"):
        hand_in(world.service, actor, "small", "owner/name", "main")
    with pytest.raises(InputError, match="no repository's id"):
        hand_in(world.service, actor, "small", "../../etc", commit)
    object.__setattr__(world.service, "resolve_revision", lambda repo, revision: commit)
    pinned = hand_in(world.service, actor, "small", "owner/name", "main")
    assert pinned.submission.revision == commit


def test_an_upload_breaks_off_and_goes_on(world: World) -> None:
    import hashlib

    world.create()
    actor, _ = world.team("Team A")
    data = b"PK\x03\x04" + bytes(range(256)) * 40
    sha256 = hashlib.sha256(data).hexdigest()
    upload = uploads.begin(world.service, actor, "../../entry.zip", len(data), sha256)
    assert upload.name == "entry.zip"

    def breaks_off() -> object:
        yield data[:100]
        yield data[100:300]
        raise ConnectionError

    with pytest.raises(ConnectionError):
        uploads.append(world.service, actor, upload.id, 0, breaks_off())  # type: ignore[arg-type]
    assert uploads.status(world.service, actor, upload.id).offset == 300
    with pytest.raises(ConflictError, match="stands at byte 300"):
        uploads.append(world.service, actor, upload.id, 0, [data])
    with pytest.raises(NotFoundError):
        submissions.submit_upload(world.service, actor, "small", upload.id)
    done = uploads.append(world.service, actor, upload.id, 300, [data[300:]])
    assert done.done
    stranger = world.team("Team B")[0]
    with pytest.raises(NotFoundError):
        submissions.submit_upload(world.service, stranger, "small", upload.id)
    view = submissions.submit_upload(world.service, actor, "small", upload.id)
    assert (view.submission.blob, view.submission.size) == (sha256, len(data))
    assert world.service.blobs.read(sha256) == data
    with pytest.raises(NotFoundError):
        submissions.submit_upload(world.service, actor, "small", upload.id)


def test_a_spoilt_upload_starts_again(world: World) -> None:
    world.create()
    actor, _ = world.team("Team A")
    upload = uploads.begin(world.service, actor, "entry.zip", 4, "0" * 64)
    with pytest.raises(InputError, match="another SHA-256"):
        uploads.append(world.service, actor, upload.id, 0, [b"PK\x03\x04"])
    assert uploads.status(world.service, actor, upload.id).offset == 0
    with pytest.raises(InputError, match="more than the announced 4 bytes"):
        uploads.append(world.service, actor, upload.id, 0, [b"PK\x03\x04!"])


def test_uploads_that_became_nothing_are_forgotten_with_their_bytes(world: World) -> None:
    import hashlib

    world.create()
    actor, _ = world.team("Team A")
    made = {}
    for name in ("kept", "lost", "unfinished"):
        data = b"PK\x03\x04" + name.encode()
        upload = uploads.begin(
            world.service, actor, name, len(data), hashlib.sha256(data).hexdigest()
        )
        parts = [data[:3]] if name == "unfinished" else [data]
        made[name] = uploads.append(world.service, actor, upload.id, 0, parts)
    submissions.submit_upload(world.service, actor, "small", made["kept"].id)
    world.clock.pass_(days=2)
    assert uploads.forget_old(world.service) == 0
    world.clock.pass_(days=2)
    assert uploads.forget_old(world.service) == 2
    assert world.service.blobs.has(made["kept"].sha256)
    assert not world.service.blobs.has(made["lost"].sha256)
    assert list((world.service.home / "uploads").iterdir()) == []


def test_the_file_of_an_upload_goes_though_the_process_died(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the acceptance of an upload and the end of its file there is no transaction."""
    import hashlib
    import os

    world.create()
    actor, _ = world.team("Team A")
    data = b"PK\x03\x04" + b"an entry"

    def upload() -> Upload:
        sha256 = hashlib.sha256(data).hexdigest()
        begun = uploads.begin(world.service, actor, "entry.zip", len(data), sha256)
        return uploads.append(world.service, actor, begun.id, 0, [data])

    def die(*_: object) -> None:
        raise SystemExit("killed")

    handed_in, going_on = upload(), upload()
    with monkeypatch.context() as patch:
        patch.setattr(submissions, "forget_file", die)
        with pytest.raises(SystemExit):
            submissions.submit_upload(world.service, actor, "small", handed_in.id)
    folder = world.service.home / "uploads"
    for name, age_s in ((".restoring-old", 100_000), (".restoring-new", 0)):
        (folder / name).touch()
        at = time.time() - age_s
        os.utime(folder / name, (at, at))
    assert uploads.forget_old(world.service) == 2
    assert sorted(path.name for path in folder.iterdir()) == [".restoring-new", going_on.id]
    assert world.service.blobs.read(handed_in.sha256) == data
    view = submissions.submit_upload(world.service, actor, "small", going_on.id)
    assert view.submission.blob == going_on.sha256


def test_forgetting_an_upload_takes_nothing_that_others_keep(world: World) -> None:
    import hashlib

    world.create()
    actor, _ = world.team("Team A")
    kept = world.service.blobs.put(b"the output of somebody's run")
    size, sha256 = len(world.service.blobs.read(kept)), kept
    upload = uploads.begin(world.service, actor, "same", size, sha256)
    assert uploads.append(world.service, actor, upload.id, 0, [world.service.blobs.read(kept)]).done
    world.clock.pass_(days=4)
    assert uploads.forget_old(world.service) == 1
    assert hashlib.sha256(world.service.blobs.read(kept)).hexdigest() == kept


def test_two_cannot_write_one_upload_at_once(world: World) -> None:
    import hashlib

    world.create()
    actor, _ = world.team("Team A")
    data = b"PK\x03\x04" + b"good"
    upload = uploads.begin(
        world.service, actor, "entry.zip", len(data), hashlib.sha256(data).hexdigest()
    )

    def slowly() -> Iterator[bytes]:
        yield data[:4]
        with pytest.raises(ConflictError, match="another request writes"):
            uploads.append(world.service, actor, upload.id, 0, [b"evil" * 2])
        yield data[4:]

    assert uploads.append(world.service, actor, upload.id, 0, slowly()).done
    assert uploads.append(world.service, actor, upload.id, 0, [b"evil" * 2]).done
    view = submissions.submit_upload(world.service, actor, "small", upload.id)
    assert world.service.blobs.read(view.submission.blob) == data
    with pytest.raises(NotFoundError):
        uploads.append(world.service, actor, upload.id, 0, [data])


def test_one_teams_flood_stands_behind_the_first_of_each_other_team(world: World) -> None:
    world.create(top="quota_per_day = 100")
    flooder, flood = world.team("Flood")
    for _ in range(5):
        world.submit(flooder, answers(1))
    late, other = world.team("Late")
    mine = world.submit(late, answers(1))
    assert mine.place is not None
    with world.service.store.read() as connection:
        order = [run.team for run in runs.queued_runs(connection)]
    assert order == [flood.id, other.id, flood.id, flood.id, flood.id, flood.id]
    assert (mine.place.place, mine.place.n_waiting) == (2, 6)


def test_place_and_expected_time_follow_from_slots_and_recent_runs(world: World) -> None:
    from iolai.challenge.ledger import record_verdict
    from iolai.challenge.queue import place_of, queue_view
    from iolai.records import Verdict, WorkerRow
    from iolai.store import workers

    world.create(top="quota_per_day = 100")
    actor, _ = world.team("Team A")
    waiting = [world.submit(actor, answers(1)) for _ in range(4)]
    assert waiting[0].place is not None
    assert waiting[0].place.expected_s is None, "no worker lives"
    at = world.service.stamp()
    first = waiting[0].run
    assert first is not None
    with world.service.store.write() as connection:
        workers.add_worker(connection, WorkerRow("w1", "host", "1", at, at, 2))
        workers.add_worker(connection, WorkerRow("w2", "host", "2", at, at, 5, ended_at=at))
        verdict = Verdict(first.id, at, "ok", "entry", wall_s=30.0)
        record_verdict(connection, first, verdict, author="service")
    with world.service.store.read() as connection:
        places = [place_of(connection, view.run) for view in waiting[1:] if view.run]
    assert [(p.place, p.expected_s) for p in places if p] == [(1, 0.0), (2, 15.0), (3, 30.0)]
    shown = queue_view(world.service, world.organiser)
    assert [line.team for line in shown.waiting] == ["Team A"] * 3
    assert (shown.mean_run_s, len(shown.workers)) == (30.0, 1)
    world.clock.pass_(hours=1)
    assert queue_view(world.service, world.organiser).oldest_wait_s == pytest.approx(3600, abs=1)
    with pytest.raises(ForbiddenError):
        queue_view(world.service, actor)


def test_findings_say_how_public_tasks_were_read_and_nothing_of_private_ones(
    world: World,
) -> None:
    world.create()
    actor, _ = world.team("Team A")
    ids = ("12026010100", "12026010200", "999")
    rows = [f'{task},"```json\n[""kala maro"", ""?""]\n```"' for task in ids]
    view = world.scored(actor, "\n".join(["id,pred", *rows]).encode())
    assert "12026010200" not in {check.id for check in view.findings}
    kinds = {check.id: {finding.kind for finding in check.findings} for check in view.findings}
    assert kinds["12026010100"]
    assert kinds["999"] == {"unknown-id"}
    assert kinds["12026020100"] == {"missing-row"}
    assert all(check.score is None for check in view.findings), "no key was asked"


def test_a_log_is_seen_where_the_challenge_shows_it(world: World) -> None:
    for slug, shown in (("shown", "true"), ("hidden", "false")):
        world.create(slug, see=f"log = {shown}")
        actor, _ = world.team(f"Team {slug}", slug)
        view = world.submit(actor, answers(1), slug)
        world.decide(view, "crashed", log=world.service.blobs.put(b"Traceback"))
        seen = submissions.submission_view(world.service, actor, view.submission.id)
        assert seen.log_tail == ("Traceback" if shown == "true" else "")
        whole = submissions.submission_view(world.service, world.organiser, view.submission.id)
        assert whole.log_tail == "Traceback"


def test_a_cancelled_upload_leaves_room_for_another(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "require_room", lambda *_: None)  # whatever this disk has
    world.create()
    actor, _ = world.team("Team A")
    other, _ = world.team("Team B")
    size = world.service.settings.max_upload_mib << 20
    made = [uploads.begin(world.service, actor, "entry.zip", size, "0" * 64) for _ in range(2)]
    with pytest.raises(ConflictError, match="too many uploads"):
        uploads.begin(world.service, actor, "entry.zip", 5, "0" * 64)
    with pytest.raises(NotFoundError):
        uploads.cancel(world.service, other, made[0].id)
    uploads.cancel(world.service, actor, made[0].id)
    assert [path.name for path in (world.service.home / "uploads").iterdir()] == [made[1].id]
    with pytest.raises(NotFoundError):
        uploads.cancel(world.service, actor, made[0].id)
    uploads.begin(world.service, actor, "entry.zip", 5, "0" * 64)


def test_uploads_are_begun_only_so_often(world: World) -> None:
    world.create()
    actor, _ = world.team("Team A")
    for _ in range(60):
        upload = uploads.begin(world.service, actor, "entry.zip", 5, "0" * 64)
        uploads.cancel(world.service, actor, upload.id)
    with pytest.raises(RateError):
        uploads.begin(world.service, actor, "entry.zip", 5, "0" * 64)
