"""The steps of a run, one after the other in this process, with stand-ins for runner and hub."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from crash_service import KINDS, SmallService, archive, opened, small_service

from iolai.challenge import challenges
from iolai.challenge.batches import score_batch
from iolai.challenge.clock import later, utc_now
from iolai.challenge.fetching import FetchError
from iolai.challenge.folders import sweep_folders
from iolai.challenge.keys import seal, unseal
from iolai.challenge.problems import load_problems
from iolai.challenge.processes import own_host, own_process, process_lives
from iolai.challenge.service import Actor
from iolai.challenge.state import find_state
from iolai.challenge.steps import STEPS
from iolai.challenge.takeover import is_dead, take_over
from iolai.challenge.unpacking import UnpackLimits
from iolai.challenge.workplace import LostRunError, Workplace, fail
from iolai.errors import MissingPartError, NoRoomError
from iolai.records import EventKind, Run, RunState, Verdict, WorkerRow
from iolai.runners import Outcome, RunOutcome, RunRequest
from iolai.store import claims, events, runs, scores, submissions, workers

PREDICTIONS, ARCHIVE, REPOSITORY = KINDS
ENTRIES = (ARCHIVE, REPOSITORY)


@dataclass
class StandIn:
    """A runner, attachable or not, and a hub; ``asked`` tells what they were asked to do."""

    outcome: RunOutcome | Exception = field(default_factory=lambda: RunOutcome(Outcome.OK))
    asked: list[str] = field(default_factory=list)
    requests: list[RunRequest] = field(default_factory=list)

    def run(self, request: RunRequest) -> RunOutcome:
        self.asked.append("run")
        self.requests.append(request)
        return self.answer()

    def answer(self) -> RunOutcome:
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return self.outcome

    def fetch(self, name: str, commit: str, target: Path, _limits: UnpackLimits) -> Path:
        self.asked.append(f"fetch {name} {commit[:4]}")
        if isinstance(self.outcome, FetchError):
            raise self.outcome
        target.mkdir()
        (target / "script.py").write_text("pass\n", encoding="utf-8")
        return target


class Attachable(StandIn):
    def start(self, request: RunRequest) -> str:
        self.asked.append("start")
        self.requests.append(request)
        return "handle-1"

    def attach(self, handle: str, _request: RunRequest) -> RunOutcome:
        self.asked.append(f"attach {handle}")
        return self.answer()

    def cancel(self, handle: str) -> None:
        self.asked.append(f"cancel {handle}")

    def forget(self, handle: str) -> None:
        self.asked.append(f"forget {handle}")


@dataclass
class Bench:
    """A small service and a workplace in it."""

    small: SmallService
    place: Workplace
    stand_in: StandIn

    def use(self, stand_in: StandIn, **changes: Any) -> None:
        self.stand_in = stand_in

        def runner(_name: str, _options: Mapping[str, Any]) -> Any:
            return self.stand_in

        self.place = replace(self.place, source=stand_in, runner=runner, **changes)  # type: ignore[arg-type]

    def claim(self, n: int = 10, worker: str = "") -> tuple[Run, ...]:
        service = self.small.service
        with service.store.write() as connection:
            at = service.stamp()
            latest = self.place.latest_retry(at)
            found = claims.claimable_runs(connection, now=at, kinds=ENTRIES, limit=n, latest=latest)
            worker = worker or self.place.worker
            state = RunState.FETCHING
            claims.hold_runs(connection, found, worker=worker, state=state, at=at)
        return found

    def do(self, run: Run, *names: str) -> None:
        for name in names or STEPS:
            STEPS[name](self.place, run.id, run.attempt)

    def run_now(self, run_id: str) -> Run:
        with self.small.service.store.read() as connection:
            found = runs.get_run(connection, run_id)
        assert found is not None
        return found

    def verdict(self, run_id: str) -> Verdict | None:
        with self.small.service.store.read() as connection:
            return runs.get_verdict(connection, run_id)

    def events(self, run_id: str, *kinds: EventKind) -> list[Any]:
        with self.small.service.store.read() as connection:
            return list(events.list_events(connection, run=run_id, kinds=kinds))


@pytest.fixture(scope="module")
def finished_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home to be copied: to make one takes a second."""
    home = tmp_path_factory.mktemp("steps") / "home"
    with small_service(home):
        return home


@pytest.fixture
def bench(tmp_path: Path, finished_home: Path) -> Iterator[Bench]:
    """A service on SQLite; the crash tests go through the same steps on PostgreSQL too."""
    shutil.copytree(finished_home, tmp_path / "home", copy_function=shutil.copy2)
    with opened(tmp_path / "home") as small:
        place = Workplace(small.service, "worker-1", retry_s=0)
        bench = Bench(small, place, StandIn())
        bench.use(StandIn())
        yield bench


def ok(output: bytes = b"id,pred\nx,kumari\n", **more: Any) -> RunOutcome:
    return RunOutcome(Outcome.OK, 1, 4, wall_s=2.5, mechanism="m", output=output, **more)


def test_an_archive_goes_through_all_steps(bench: Bench) -> None:
    bench.use(StandIn(ok(log_tail="loading\n")))
    run_id = bench.small.submit(ARCHIVE)
    (run,) = bench.claim()
    bench.do(run)
    verdict = bench.verdict(run_id)
    assert verdict is not None
    assert (verdict.outcome, verdict.owner, verdict.n_answered) == ("ok", "entry", 1)
    assert (verdict.wall_s, verdict.mechanism) == (2.5, "m")
    blobs = bench.small.service.blobs
    assert blobs.read(verdict.output) == b"id,pred\nx,kumari\n"
    assert blobs.read(verdict.log) == b"loading\n"
    assert bench.run_now(run_id).state is RunState.DONE
    states = [e.data["state"] for e in bench.events(run_id, EventKind.RUN_STEP)]
    assert states == ["running", "collecting", "scoring"]
    (request,) = bench.stand_in.requests
    assert [file.path for file in request.entry.files] == ["script.py"]
    assert not request.secrets
    assert not list((bench.small.home / "runs").iterdir())


def test_a_log_does_not_tell_which_guess_is_right(bench: Bench) -> None:
    service = bench.small.service
    with service.store.read() as connection:
        key = find_state(service, connection, "crash").key
    references = sorted(
        {a for t in unseal(service, key) for r in t.references for a in r.alternatives}
    )
    log_tail = "".join(f"{one}\nnot {one[::-1]}\n" for one in references)
    bench.use(StandIn(ok(log_tail=log_tail)))
    run_id = bench.small.submit(ARCHIVE)
    (run,) = bench.claim()
    bench.do(run)
    verdict = bench.verdict(run_id)
    assert verdict is not None
    assert service.blobs.read(verdict.log).decode() == log_tail


def test_a_repository_is_fetched_at_its_commit(bench: Bench) -> None:
    bench.use(StandIn(ok()))
    run_id = bench.small.submit(REPOSITORY)
    (run,) = bench.claim()
    bench.do(run)
    assert bench.stand_in.asked == ["fetch team/entry a1a1", "run"]
    assert bench.verdict(run_id) is not None


def test_a_step_that_is_kept_is_not_done_again(bench: Bench) -> None:
    bench.use(StandIn(ok()))
    bench.small.submit(REPOSITORY)
    (run,) = bench.claim()
    for name in list(STEPS)[:-1]:
        bench.do(run, name)
        bench.do(run, name)
    assert bench.stand_in.asked == ["fetch team/entry a1a1", "run"]


def test_a_broken_archive_is_the_entrys_fault(bench: Bench) -> None:
    run_id = bench.small.submit(ARCHIVE, archive({"readme.txt": b""}))
    (run,) = bench.claim()
    bench.do(run)
    verdict = bench.verdict(run_id)
    assert verdict is not None
    assert (verdict.outcome, verdict.owner) == ("refused", "entry")
    assert "no script.py" in verdict.detail
    assert not bench.stand_in.asked, "nothing was run"


@pytest.mark.parametrize("outcome", ["crashed", "timed_out", "out_of_memory", "no_output"])
def test_a_fault_of_the_entry_is_its_verdict(bench: Bench, outcome: str) -> None:
    bench.use(StandIn(RunOutcome(Outcome(outcome), 0, 4, detail="so it was")))
    run_id = bench.small.submit(ARCHIVE)
    (run,) = bench.claim()
    bench.do(run)
    verdict = bench.verdict(run_id)
    assert verdict is not None
    assert (verdict.outcome, verdict.detail, verdict.output) == (outcome, "so it was", "")
    with bench.small.service.store.read() as connection:
        key = find_state(bench.small.service, connection, "crash").key
        assert scores.get_score(connection, run_id, key) is None


FAULTS: list[Callable[[], RunOutcome | Exception]] = [
    lambda: RunOutcome(Outcome.PLATFORM_FAULT, detail="/dev/sda is on fire"),
    lambda: OSError(28, "No space left on /dev/sda"),
    lambda: NoRoomError("/dev/sda is full"),
    lambda: MissingPartError("no bwrap on /dev/sda", hint="Install it."),
    lambda: FetchError("the hub is down, says /dev/sda"),
]


@pytest.mark.parametrize("fault", FAULTS)
def test_the_third_fault_of_the_platform_is_the_verdict(
    bench: Bench, fault: Callable[[], RunOutcome | Exception]
) -> None:
    bench.use(StandIn(fault()))
    run_id = bench.small.submit(REPOSITORY)
    for attempt in (1, 2, 3):
        (run,) = bench.claim()
        assert run.attempt == attempt
        with pytest.raises(Exception, match="/dev/sda") as caught:
            bench.do(run)
        fail(bench.place, run.id, run.attempt, str(caught.value))
    assert not bench.claim()
    verdict = bench.verdict(run_id)
    assert verdict is not None
    assert (verdict.outcome, verdict.owner) == ("platform_fault", "platform")
    assert "/dev/sda" not in verdict.detail, "what the team reads tells nothing of the machine"
    told = bench.events(run_id, EventKind.RUN_RETRIED, EventKind.VERDICT)
    assert ["/dev/sda" in event.reason for event in told] == [True] * 3
    assert not list((bench.small.home / "runs").iterdir()), "a run that ended has no folder"
    with bench.small.service.store.read() as connection:
        team, day = bench.small.team.id, bench.small.service.stamp()[:10]
        assert submissions.count_that_cost(connection, [team], day) == 0


def test_a_hub_that_is_down_is_asked_for_an_hour(bench: Bench) -> None:
    bench.use(StandIn(), retry_s=0)
    run_id = bench.small.submit(REPOSITORY)
    for attempt in range(1, 8):
        (run,) = bench.claim()
        assert run.attempt == attempt
        assert bench.verdict(run_id) is None
        fail(bench.place, run_id, attempt, "the hub is down", step="fetch")
    verdict = bench.verdict(run_id)
    assert verdict is not None
    assert verdict.owner == "platform"
    patient = Workplace(bench.small.service, "worker")
    assert 3600 <= sum(patient.wait_s(attempt) for attempt in range(1, 7)) <= 4000


def test_an_hour_without_the_hub_takes_no_attempt_at_running(bench: Bench) -> None:
    """Six faults of fetching, then as many faults of running as without them, in any order."""
    bench.use(StandIn(), retry_s=0)
    run_id = bench.small.submit(REPOSITORY)
    steps = ["fetch"] * 5 + ["run", "fetch", "score", "run"]
    for attempt, step in enumerate(steps, start=1):
        assert bench.verdict(run_id) is None, step
        (run,) = bench.claim()
        assert run.attempt == attempt
        fail(bench.place, run_id, attempt, f"{step} failed", step=step)
    verdict = bench.verdict(run_id)
    assert verdict is not None
    assert verdict.owner == "platform"
    told = [event.data["fault"] for event in bench.events(run_id, EventKind.RUN_RETRIED)]
    assert told == ["fetch"] * 5 + ["run", "fetch", "run"]


def test_a_retry_waits_and_keeps_its_place(bench: Bench) -> None:
    bench.use(StandIn(), retry_s=3600)
    first, second = bench.small.submit(ARCHIVE), bench.small.submit(ARCHIVE)
    (run,) = bench.claim(1)
    assert run.id == first
    fail(bench.place, first, 1, "ours")
    assert [run.id for run in bench.claim()] == [second], "not yet"
    again = bench.run_now(first)
    assert (again.attempt, again.tag, again.worker) == (2, run.tag, "")
    assert again.queued_at > later(run.queued_at, 3500)


def test_a_retry_does_not_wait_for_a_clock_that_stepped_back(bench: Bench) -> None:
    bench.use(StandIn(), retry_s=10)
    run_id = bench.small.submit(ARCHIVE)
    bench.claim()
    fail(bench.place, run_id, 1, "ours")
    assert not bench.claim(), "it waits its seconds"
    service = replace(bench.small.service, now=lambda: utc_now() - timedelta(hours=3))
    bench.small.service = service
    assert [run.id for run in bench.claim()] == [run_id]


def test_after_a_retry_the_fetch_is_done_anew(bench: Bench) -> None:
    """Another attempt trusts nothing that the failed one left."""
    bench.use(StandIn(ok()))
    bench.small.submit(REPOSITORY)
    (run,) = bench.claim()
    bench.do(run, "fetch")
    fail(bench.place, run.id, 1, "ours")
    (run,) = bench.claim()
    bench.do(run)
    assert bench.stand_in.asked == ["fetch team/entry a1a1"] * 2 + ["run"]


def test_a_worker_that_lost_its_run_changes_nothing(bench: Bench) -> None:
    bench.use(StandIn(ok()))
    run_id = bench.small.submit(ARCHIVE)
    (run,) = bench.claim()
    bench.do(run, "fetch")
    with bench.small.service.store.write() as connection:
        runs.update_run(connection, run_id, worker="worker-2")
    for name in STEPS:
        with pytest.raises(LostRunError):
            bench.do(run, name)
    with pytest.raises(LostRunError):
        fail(bench.place, run_id, 1, "ours")
    assert bench.verdict(run_id) is None
    assert not bench.stand_in.asked


def test_a_run_that_ended_while_it_was_lost_is_not_written(bench: Bench) -> None:
    """The worker was taken for dead while the entry ran: its result is thrown away."""

    class Slow(StandIn):
        def run(self, _request: RunRequest) -> RunOutcome:
            with bench.small.service.store.write() as connection:
                runs.update_run(connection, run_id, worker="worker-2")
            return ok()

    bench.use(Slow())
    run_id = bench.small.submit(ARCHIVE)
    (run,) = bench.claim()
    bench.do(run, "fetch")
    with pytest.raises(LostRunError):
        bench.do(run, "run")
    with bench.small.service.store.read() as connection:
        assert runs.get_step_result(connection, run_id, 1, "run") is None


def test_an_attachable_run_is_started_once_and_attached_to(bench: Bench) -> None:
    bench.use(Attachable(ConnectionError("lost the cluster")))
    run_id = bench.small.submit(REPOSITORY)
    (run,) = bench.claim()
    bench.do(run, "fetch")
    with pytest.raises(ConnectionError):
        bench.do(run, "run")
    assert bench.run_now(run_id).handle == "handle-1"
    bench.stand_in.outcome = ok()  # a new worker finds the handle in the store
    bench.do(run)
    assert bench.stand_in.asked == [
        "fetch team/entry a1a1",
        "start",
        "attach handle-1",
        "attach handle-1",
        "forget handle-1",
    ]


def test_an_entry_is_fetched_again_where_its_files_are_not(bench: Bench) -> None:
    """Another machine took the run over: the same files, or a fault of the platform."""
    bench.use(StandIn(ok()))
    bench.small.submit(ARCHIVE)
    (run,) = bench.claim()
    bench.do(run, "fetch")
    shutil.rmtree(bench.small.home / "runs" / run.id)
    bench.do(run)
    assert bench.stand_in.asked == ["run"]


def test_the_score_is_under_the_key_that_counts_in_the_end(bench: Bench) -> None:
    """The key is corrected while a run is being scored."""
    service = bench.small.service
    changed: list[str] = []

    def correct(point: str, _run: str) -> None:
        if point == "score:worked" and not changed:
            changed.append(new_key(bench))

    known = b"id,pred\n" + first_task(bench).encode() + b",kumari\n"
    bench.use(StandIn(ok(known)), reached=correct)
    run_id = bench.small.submit(ARCHIVE)
    (run,) = bench.claim()
    bench.do(run)
    with service.store.read() as connection:
        assert find_state(service, connection, "crash").key == changed[0]
        assert scores.get_score(connection, run_id, changed[0]) is not None


def new_key(bench: Bench) -> str:
    """Set another key as an applied proposal does; return its id."""
    service = bench.small.service
    with service.store.read() as connection:
        state = find_state(service, connection, "crash")
    row = seal(service, unseal(service, state.key), state.id)
    with service.store.write() as connection:
        challenges.set_current_key(service, connection, Actor.local(), row, reason="better")
    return row.id


def first_task(bench: Bench) -> str:
    service = bench.small.service
    with service.store.read() as connection:
        state = find_state(service, connection, "crash")
    return load_problems(service, state.problems).tasks[0].id


def test_a_batch_gives_each_file_its_verdict(bench: Bench) -> None:
    ids = [bench.small.submit(PREDICTIONS) for _ in range(7)]
    assert [score_batch(bench.place, 5), score_batch(bench.place, 5)] == [5, 2]
    assert score_batch(bench.place, 5) == 0
    service = bench.small.service
    with service.store.read() as connection:
        key = find_state(service, connection, "crash").key
        for run_id in ids:
            assert scores.get_score(connection, run_id, key) is not None
    for run_id in ids:
        verdict = bench.verdict(run_id)
        assert verdict is not None
        assert (verdict.outcome, bench.run_now(run_id).state) == ("ok", RunState.DONE)
        assert verdict.n_answered == verdict.n_tasks > 0
        assert len(bench.events(run_id, EventKind.VERDICT)) == 1


def test_one_bad_file_in_a_batch_is_no_others_fault(bench: Bench) -> None:
    ids = [bench.small.submit(PREDICTIONS) for _ in range(3)]
    with bench.small.service.store.read() as connection:
        (one,) = submissions_of(connection, ids[1])
    bench.small.service.blobs.path(one).unlink()
    assert score_batch(bench.place) == 3
    assert [bench.verdict(i) is not None for i in ids] == [True, False, True]
    lost = bench.run_now(ids[1])
    assert (lost.state, lost.attempt) == (RunState.QUEUED, 2)


def submissions_of(connection: Any, run_id: str) -> list[str]:
    run = runs.get_run(connection, run_id)
    assert run is not None
    return list(claims.blobs_of(connection, [run.submission]).values())


def test_a_batch_is_scored_again_where_the_key_changed(bench: Bench) -> None:
    changed: list[str] = []

    def correct(point: str, _run: str) -> None:
        if point == "batch:worked" and not changed:
            changed.append(new_key(bench))

    bench.use(StandIn(), reached=correct)
    ids = [bench.small.submit(PREDICTIONS) for _ in range(3)]
    score_batch(bench.place)
    with bench.small.service.store.read() as connection:
        assert all(scores.get_score(connection, i, changed[0]) is not None for i in ids)


def test_a_batch_that_was_lost_writes_nothing(bench: Bench) -> None:
    def lose(point: str, run_id: str) -> None:
        if point == "batch:worked":
            with bench.small.service.store.write() as connection:
                runs.update_run(connection, run_id, worker="worker-2")

    bench.use(StandIn(), reached=lose)
    ids = [bench.small.submit(PREDICTIONS) for _ in range(2)]
    score_batch(bench.place)
    assert [bench.verdict(i) is None for i in ids] == [True, False]


def test_a_teams_flood_stands_behind_the_first_of_each_other_team(bench: Bench) -> None:
    flood = [bench.small.submit(ARCHIVE) for _ in range(5)]
    others = [bench.small.submit(ARCHIVE, team=bench.small.add_team(n)) for n in ("two", "three")]
    order = []
    while claimed := bench.claim(1):
        order += [run.id for run in claimed]
    assert order[0] == flood[0]
    assert set(order[1:3]) == set(others)
    assert order[3:] == flood[1:]


def worker_row(bench: Bench, name: str, **changes: Any) -> WorkerRow:
    now = bench.small.service.stamp()
    row = replace(WorkerRow(name, own_host(), own_process(), now, now, 1), **changes)
    with bench.small.service.store.write() as connection:
        workers.add_worker(connection, row)
    return row


def test_only_the_dead_are_dead(bench: Bench) -> None:
    now = bench.small.service.stamp()
    here = WorkerRow("a", own_host(), own_process(), now, now, 1)
    away = replace(here, host="elsewhere 1 2")
    cases = {
        "lives here": (here, 0, False),
        "lives here, late": (here, 50, False),
        "hangs here": (here, 200, True),
        "gone": (replace(here, process="999999999:1"), 0, True),
        "its number was given away": (replace(here, process=own_process() + "1"), 0, True),
        "lives elsewhere": (away, 20, False),
        "silent elsewhere": (away, 31, True),
    }
    for name, (row, silent_s, expected) in cases.items():
        assert is_dead(row, now=later(now, silent_s), lease_s=30) is expected, name


def test_the_dead_are_found_though_the_clock_stepped_back(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Heartbeats in the future tell nothing: whether they go on is told by this process's clock."""
    seconds = [0.0]
    monkeypatch.setattr("iolai.challenge.takeover.time.monotonic", lambda: seconds[0])
    ahead = later(bench.small.service.stamp(), 7200)
    for name in ("silent", "speaks"):
        worker_row(bench, name, host="elsewhere 1 2", heartbeat_at=ahead)
    for now in (0.0, 20.0, 40.0, 45.0):
        seconds[0] = now
        with bench.small.service.store.write() as connection:
            workers.beat(connection, "speaks", later(ahead, now))
        gone = take_over(bench.place, 30)
        assert gone == (("silent",) if now == 40.0 else ()), now


def test_a_process_that_ended_does_not_live() -> None:
    with subprocess.Popen(["sleep", "60"]) as process:
        fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
        text = f"{process.pid}:{fields[19]}"
        assert process_lives(text)
        process.kill()
        time.sleep(0.1)
        assert not process_lives(text), "dead, though its parent has not looked"
    assert not process_lives(text)


def test_what_a_dead_worker_held_goes_back_to_its_place(bench: Bench) -> None:
    bench.use(StandIn(ok()))
    run_id = bench.small.submit(REPOSITORY)
    worker_row(bench, "dead", process="999999999:1")
    (run,) = bench.claim(worker="dead")
    assert take_over(bench.place, 30) == ("dead",)
    again = bench.run_now(run_id)
    assert (again.state, again.worker, again.attempt) == (RunState.QUEUED, "", 1)
    assert (again.tag, again.queued_at) == (run.tag, run.queued_at)
    assert take_over(bench.place, 30) == (), "once"
    with bench.small.service.store.read() as connection:
        lost = events.list_events(connection, kinds=[EventKind.WORKER_LOST])
    assert [event.data for event in lost] == [{"worker": "dead", "n_runs": 1}]


def test_a_living_workers_runs_are_left_alone(bench: Bench) -> None:
    run_id = bench.small.submit(ARCHIVE)
    worker_row(bench, "alive")
    bench.claim(worker="alive")
    assert take_over(bench.place, 30) == ()
    assert bench.run_now(run_id).worker == "alive"


def test_an_entry_in_which_workers_die_is_given_up(bench: Bench) -> None:
    """Three workers died while it ran; what died in other steps does not count."""
    bench.use(StandIn(ok()))
    run_id = bench.small.submit(ARCHIVE)
    files = bench.small.home / "runs" / run_id / "files"
    for number, step in enumerate(("fetch", "run", "fetch", "run", "run")):
        worker_row(bench, f"w{number}", process="999999999:1")
        (run,) = bench.claim(worker=f"w{number}")
        files.mkdir(parents=True, exist_ok=True)
        if step == "run":
            with bench.small.service.store.write() as connection:
                runs.update_run(connection, run.id, state=RunState.RUNNING)
        take_over(bench.place, 30)
    verdict = bench.verdict(run_id)
    assert verdict is not None
    assert (verdict.outcome, verdict.owner) == ("platform_fault", "platform")
    told = bench.events(run_id, EventKind.VERDICT)
    assert "third time" in told[0].reason
    assert not files.parent.exists(), "nobody publishes it, so it goes with its verdict"


def test_folders_of_runs_that_ended_are_swept(bench: Bench) -> None:
    """Between a verdict and the end of its folder a process may die; a living run keeps its own."""
    bench.use(StandIn(ok()))
    bench.small.submit(REPOSITORY)
    ended, going_on = bench.claim()[0], bench.small.submit(REPOSITORY)
    bench.do(ended)
    (run,) = bench.claim()
    bench.do(run, "fetch")
    folder = bench.small.home / "runs"
    for name in (ended.id, "a-run-that-is-none"):
        (folder / name / "files").mkdir(parents=True)
    assert sweep_folders(bench.small.service) == 2
    assert [path.name for path in folder.iterdir()] == [going_on]
    bench.do(run)
    assert bench.verdict(going_on) is not None
    assert not list(folder.iterdir())
