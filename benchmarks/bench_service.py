"""The challenge service under load: 1,000 teams, 20,000 predictions files, scored and ranked.

Run by ``make bench``. It compares the service (claim, read, score, verdicts, events, board) with
the bare scoring loop over the same files, then corrects one task of the key and counts what had to
be scored again. Times are of the wall; the bare loop runs before and after the service, each time
in a process of its own, so that no cache is warm.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bench_scoring import N_ITEMS, N_TASKS, make_answer, spoil

from iolai.challenge import boards, challenges, proposals
from iolai.challenge.batches import score_batch
from iolai.challenge.secrets import new_id
from iolai.challenge.service import Actor, Service, open_service
from iolai.challenge.state import find_state
from iolai.challenge.workplace import Workplace
from iolai.formats import parse_submission_csv, render_submission_csv, write_solution_csv
from iolai.metrics import score_predictions
from iolai.records import (
    AnswerKey,
    Prediction,
    PredictionSet,
    Reference,
    Run,
    RunState,
    Submission,
    SubmissionKind,
    TaskKey,
    Team,
)
from iolai.store import claims, runs, submissions, teams

SLUG = "load"
#: The service may take twice as long as the bare loop, no longer.
LEAST_SHARE = 0.5
_TOML = """
slug = "load"
title = "Load"
key = "solution.csv"
quota_per_day = 100
[phases]
registration = 2026-01-01T00:00:00Z
open = 2026-01-02T00:00:00Z
close = 2099-01-01T00:00:00Z
"""


def make_key(rng: random.Random) -> AnswerKey:
    """Return a key of 14 tasks of 7 items, 8 of them public."""
    types = ("translation", "fill_blanks", "match_letters")
    return AnswerKey(
        tuple(
            TaskKey(
                f"1209901{number:02}00",
                tuple(Reference((make_answer(rng),)) for _ in range(N_ITEMS)),
                split="public" if number < 8 else "private",
                task_type=types[number % len(types)],
            )
            for number in range(N_TASKS)
        )
    )


def make_files(key: AnswerKey, n_files: int, rng: random.Random) -> Iterator[bytes]:
    """Yield predictions files; about half of the answers were given by somebody before."""
    seen: dict[tuple[str, int], list[str]] = {}

    def answer(task: TaskKey, item: int) -> str:
        earlier = seen.setdefault((task.id, item), [])
        if earlier and rng.random() < 0.5:
            return rng.choice(earlier)
        earlier.append(spoil(task.references[item].alternatives[0], rng))
        return earlier[-1]

    for _ in range(n_files):
        rows = [
            Prediction.of_items(task.id, [answer(task, item) for item in range(N_ITEMS)])
            for task in key
        ]
        yield render_submission_csv(PredictionSet(tuple(rows))).encode()


@contextmanager
def load_service(
    home: Path, n_teams: int, n_submissions: int, *, database: str = ""
) -> Iterator[tuple[Service, list[str]]]:
    """Make a service whose queue holds ``n_submissions`` files; yield it and their blobs."""
    rng = random.Random(0)  # noqa: S311 -- benchmark data, not a secret
    home.mkdir(parents=True, exist_ok=True)
    if database:
        (home / "iolai.toml").write_text(f'database = "{database}"\n', encoding="utf-8")
    key = make_key(rng)
    write_solution_csv(home / "solution.csv", key)
    (home / "challenge.toml").write_text(_TOML, encoding="utf-8")
    service = open_service(home)
    challenges.create(service, Actor.local(), home / "challenge.toml")
    with service.store.read() as connection:
        challenge = find_state(service, connection, SLUG).id
    at = service.stamp()
    made = [Team(new_id(), challenge, f"team {number}", at) for number in range(n_teams)]
    with service.store.write() as connection:
        for team in made:
            teams.add_team(connection, team, team.name)
    blobs = [_put_fast(service, data) for data in make_files(key, n_submissions, rng)]
    _submit_all(service, made, blobs)
    yield service, blobs
    service.close()


def _put_fast(service: Service, data: bytes) -> str:
    """Keep a blob as the service does, without waiting for the disk."""
    import hashlib

    sha256 = hashlib.sha256(data).hexdigest()
    path = service.blobs.path(sha256)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return sha256


def _submit_all(service: Service, made: list[Team], blobs: list[str]) -> None:
    """Queue a run of each file, the teams in turn."""
    at = service.stamp()
    for start in range(0, len(blobs), 1000):
        with service.store.write() as connection:
            for number, blob in enumerate(blobs[start : start + 1000], start):
                team = made[number % len(made)]
                one = Submission(
                    new_id(), team.challenge, team.id, "", SubmissionKind.PREDICTIONS, at, blob
                )
                submissions.add_submission(connection, one)
                tag = number // len(made) + 1
                run = Run(new_id(), one.id, one.challenge, one.team, RunState.QUEUED, at, tag)
                runs.add_run(connection, run)


def in_child(work: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function in a new process and return what it returns: no cache is warm there."""
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_send, args=(there, work, arguments))
    process.start()
    there.close()
    value = here.recv()
    process.join()
    return value


def _send(pipe: Any, work: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    pipe.send(work(*arguments))


@dataclass(frozen=True)
class Spent:
    """Seconds of the wall and of the CPU."""

    wall: float
    cpu: float

    def __add__(self, other: Spent) -> Spent:
        return Spent(self.wall + other.wall, self.cpu + other.cpu)


class Clock:
    """Counts from when it is made."""

    def __init__(self) -> None:
        self._wall, self._cpu = time.perf_counter(), time.process_time()

    def spent(self) -> Spent:
        return Spent(time.perf_counter() - self._wall, time.process_time() - self._cpu)


def bare(home: Path, blobs: list[str]) -> Spent:
    """Read and score every file, and do nothing else."""
    from iolai.formats import read_key

    key = read_key(home / "solution.csv")
    folder = home / "blobs"
    clock = Clock()
    for blob in blobs:
        text = (folder / blob[:2] / blob[2:]).read_text(encoding="utf-8")
        predictions = parse_submission_csv(text).predictions
        assert predictions is not None
        score_predictions(predictions, key)
    return clock.spent()


def served(home: Path) -> tuple[Spent, Spent]:
    """Let one worker score what waits, then rank; return what either took."""
    service = open_service(home)
    place = Workplace(service, "bench")
    clock = Clock()
    while score_batch(place):
        pass
    scoring, clock = clock.spent(), Clock()
    board = boards.public_board(service, Actor.local(), SLUG)
    ranking = clock.spent()
    assert board.rows
    service.close()
    return scoring, ranking


def corrected_key(service: Service, home: Path) -> dict[str, float]:
    """Correct one task of the key; count what was scored again and time it."""
    from iolai.formats import read_key

    key = read_key(home / "solution.csv")
    first = key.tasks[0]
    better = replace(first, references=(Reference(("kumari",)), *first.references[1:]))
    corrected = replace(key, tasks=(better, *key.tasks[1:]))
    write_solution_csv(home / "corrected.csv", corrected)
    clock = Clock()
    actor = Actor.local()
    proposal = proposals.propose_key(service, actor, SLUG, home / "corrected.csv", "a misprint")
    rescoring, clock = clock.spent(), Clock()
    preview = proposals.preview(service, actor, proposal.id)
    proposals.apply(service, actor, proposal.id)
    boards.public_board(service, actor, SLUG)
    counts = preview.rescored
    assert counts is not None
    return {
        "rescored_runs": counts.n_runs,
        "rescored_tasks": counts.n_tasks_scored,
        "tasks_there_are": counts.n_runs * N_TASKS,
        "outputs_read_again": counts.n_outputs_read,
        "rescoring_cpu_s": rescoring.cpu,
        "preview_apply_rank_cpu_s": clock.spent().cpu,
        "teams_whose_rank_changes": len(preview.changed),
    }


def measure(home: Path, n_teams: int, n_submissions: int, database: str) -> dict[str, float]:
    """Return all figures."""
    with load_service(home, n_teams, n_submissions, database=database) as (service, blobs):
        service.store.close()  # no connection goes into a child
        around = in_child(bare, home, blobs)
        scoring, ranking = in_child(served, home)
        around += in_child(bare, home, blobs)
        total = scoring + ranking
        with service.store.read() as connection:
            assert claims.oldest_wait_since(connection) is None
        return {
            "teams": n_teams,
            "submissions": n_submissions,
            "bare_loop_cpu_s": around.cpu / 2,
            "scoring_cpu_s": scoring.cpu,
            "ranking_cpu_s": ranking.cpu,
            "share_of_bare_speed": around.cpu / 2 / total.cpu,
            "share_by_the_wall": around.wall / 2 / total.wall,
            "least_share": LEAST_SHARE,
            **corrected_key(service, home),
        }


def main() -> None:
    """Measure, print a table or JSON, and exit 1 where the service is too slow."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--teams", type=int, default=1000)
    parser.add_argument("--submissions", type=int, default=20_000)
    parser.add_argument("--database", default="", help="a URL; by default SQLite in the home")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="bench-"))
    try:
        figures = measure(folder / "home", options.teams, options.submissions, options.database)
    finally:
        shutil.rmtree(folder)
    if options.json:
        json.dump(figures, sys.stdout, indent=2)
    else:
        for name, value in figures.items():
            sys.stdout.write(f"{name:26} {value:12,.2f}\n")
    is_slow = figures["share_of_bare_speed"] < LEAST_SHARE
    rescans = figures["rescored_tasks"] > figures["rescored_runs"] or figures["outputs_read_again"]
    sys.exit(1 if is_slow or rescans else 0)


if __name__ == "__main__":
    main()
