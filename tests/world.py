"""A small challenge service for tests: a home, a clock that is set, people, teams, submissions."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from iolai.challenge import challenges, scoring, submissions, teams
from iolai.challenge.ledger import record_verdict
from iolai.challenge.names import fold_name
from iolai.challenge.secrets import new_id
from iolai.challenge.service import Actor, Service, open_service
from iolai.challenge.state import state_of_id
from iolai.challenge.submissions import SubmissionView
from iolai.formats import render_solution_csv, render_submission_csv, render_test_csv
from iolai.records import (
    Account,
    AnswerKey,
    Prediction,
    PredictionSet,
    Problem,
    ProblemSet,
    Reference,
    Role,
    Task,
    TaskKey,
    Team,
    Verdict,
)
from iolai.store import accounts as account_rows
from iolai.store import runs

#: A text that stands in the key alone: wherever else it is found, the key has leaked.
CANARY = "zqxcanaryvorpal"

#: id -> (task type, references, split); the first reference of every task's last item is secret.
TASKS: dict[str, tuple[str, tuple[str, ...], str]] = {
    "12026010100": ("translation", ("kala maro", "kala tivo"), "public"),
    "12026010200": ("translation", ("maro kalan", f"{CANARY} tivo"), "private"),
    "12026020100": ("fill_blanks", ("suna", "sunari", "sunaro"), "public"),
    "12026020200": ("fill_blanks", ("tavo", CANARY), "private"),
    "12026030100": ("match_letters", ("A", "C", "B"), "public"),
    "12026030200": ("match_letters", ("B", "A", "C"), "private"),
}


class Clock:
    """A clock that stands until it is set."""

    def __init__(self) -> None:
        self.at = datetime(2026, 7, 1, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.at += timedelta(microseconds=1)
        return self.at

    def set(self, text: str) -> None:
        """Set the clock: ``2026-07-01T12:00``, UTC."""
        self.at = datetime.fromisoformat(text).replace(tzinfo=UTC)

    def pass_(self, **time: float) -> None:
        """Let time pass: ``hours=3``."""
        self.at += timedelta(**time)


def small_problems() -> ProblemSet:
    """The problems that the key of ``small_key`` is of."""
    groups: dict[str, list[Task]] = {}
    for task_id, (task_type, references, _) in TASKS.items():
        asked = "\n".join(f"{n}. item {n}" for n in range(1, len(references) + 1))
        query = f"Answer the items of {task_id}.\n{asked}"
        if task_type == "match_letters":
            query += "\nA. first\nB. second\nC. third"
        task = Task(task_id, f"The data of problem {task_id[:7]}.", query, task_type, "single")
        groups.setdefault(task_id[:7], []).append(task)
    return ProblemSet(tuple(Problem(name, tuple(tasks)) for name, tasks in groups.items()))


def small_key(**instead: Sequence[str]) -> AnswerKey:
    """The key; ``instead`` gives other references by ``t`` and the task's id."""
    return AnswerKey(
        tuple(
            TaskKey(
                task_id,
                tuple(Reference((text,)) for text in instead.get(f"t{task_id}", references)),
                split=split,
                points=2.0 if task_type == "translation" else 1.0,
                task_type=task_type,
            )
            for task_id, (task_type, references, split) in TASKS.items()
        )
    )


def answers(n_right: int, *, wrong: str = "no", explanation: str = "") -> bytes:
    """A predictions file whose first ``n_right`` tasks are answered rightly, the rest wrongly."""
    rows = []
    for place, (task_id, (_, references, _)) in enumerate(TASKS.items()):
        items = references if place < n_right else (wrong,) * len(references)
        rows.append(Prediction(task_id, json.dumps(list(items)), explanation))
    return render_submission_csv(PredictionSet(tuple(rows))).encode()


def split_answers(*, public: int, private: int) -> bytes:
    """A predictions file with so many public and private tasks right."""
    left = {"public": public, "private": private}
    rows = []
    for task_id, (_, references, split) in TASKS.items():
        is_right = left[split] > 0
        left[split] -= 1
        items = references if is_right else ("no",) * len(references)
        rows.append(Prediction(task_id, json.dumps(list(items))))
    return render_submission_csv(PredictionSet(tuple(rows))).encode()


def score_run(service: Service, run_id: str, output: bytes) -> int:
    """Score an output under the key that counts; return how many scores were new."""
    with service.store.read() as connection:
        run = runs.get_run(connection, run_id)
        assert run is not None
        key = state_of_id(service, connection, run.challenge).key
    return scoring.score_many(service, key, [(run_id, output)])


@dataclass
class World:
    """A service with its clock, and short ways to do what tests do all the time."""

    service: Service
    clock: Clock
    folder: Path
    organiser: Actor

    def write_files(self, key: AnswerKey | None = None) -> None:
        """Write test.csv and solution.csv into the folder."""
        (self.folder / "test.csv").write_text(render_test_csv(small_problems()), encoding="utf-8")
        text = render_solution_csv(key or small_key())
        (self.folder / "solution.csv").write_text(text, encoding="utf-8")

    def toml(self, slug: str = "small", top: str = "", **tables: Mapping[str, str] | str) -> Path:
        """Write a challenge.toml; ``tables`` override or add whole tables as TOML text."""
        times = {
            "registration": "2026-06-01T00:00:00Z",
            "open": "2026-07-01T00:00:00Z",
            "freeze": "2026-07-28T00:00:00Z",
            "close": "2026-08-01T00:00:00Z",
        }
        parts = {"phases": "\n".join(f"{name} = {at}" for name, at in times.items())}
        parts |= {name: str(text) for name, text in tables.items()}
        head = f'slug = "{slug}"\ntitle = "A small challenge"\nproblems = "test.csv"\n'
        head += f'key = "solution.csv"\n{top}\n'
        body = "\n".join(
            f"[[{name}]]\n{text}" if name == "baseline" else f"[{name}]\n{text}"
            for name, text in parts.items()
        )
        path = self.folder / f"{slug}.toml"
        path.write_text(head + body + "\n", encoding="utf-8")
        return path

    def create(self, slug: str = "small", top: str = "", **tables: str) -> str:
        """Make a challenge and return its slug."""
        if not (self.folder / "test.csv").exists():
            self.write_files()
        challenges.create(self.service, self.organiser, self.toml(slug, top, **tables))
        return slug

    def person(self, name: str, role: Role = Role.PARTICIPANT) -> Actor:
        """Make an account without a password and return its actor."""
        account = Account(new_id(), name, role, self.service.stamp(), "")
        with self.service.store.write() as connection:
            account_rows.add_account(connection, account, fold_name(name))
        return Actor(account.id, name, role)

    def team(self, name: str, slug: str = "small") -> tuple[Actor, Team]:
        """Make an account and a team of it alone."""
        actor = self.person(f"{name} member")
        return actor, teams.create_team(self.service, actor, slug, name)

    def submit(self, actor: Actor, data: bytes, slug: str = "small") -> SubmissionView:
        """Hand in predictions."""
        return submissions.submit_predictions(self.service, actor, slug, data)

    def decide(self, view: SubmissionView, outcome: str = "ok", **verdict: str) -> None:
        """Give the submission's run its score, where it went well, and its verdict."""
        assert view.run is not None
        self.decide_run(view.run.id, outcome, **verdict)

    def decide_run(self, run_id: str, outcome: str = "ok", **verdict: str) -> None:
        """The same for any run; the output is what was handed in."""
        with self.service.store.read() as connection:
            run = runs.get_run(connection, run_id)
            assert run is not None
            view = submissions.submission_view(self.service, Actor.local(), run.submission)
        output = view.submission.blob if outcome == "ok" else ""
        if output:
            score_run(self.service, run.id, self.service.blobs.read(output))
        owner = "platform" if outcome in ("platform_fault", "cancelled") else "entry"
        values = {"output": output, **verdict}
        made = Verdict(run.id, self.service.stamp(), outcome, owner, **values)  # type: ignore[arg-type]
        with self.service.store.write() as connection:
            record_verdict(connection, run, made, author="service")

    def scored(self, actor: Actor, data: bytes, slug: str = "small") -> SubmissionView:
        """Hand in predictions and decide them."""
        view = self.submit(actor, data, slug)
        self.decide(view)
        return submissions.submission_view(self.service, actor, view.submission.id)


def make_world(folder: Path, url: str = "") -> World:
    """Open a new service in ``folder`` with a clock of its own, in the open phase."""
    home = folder / "home"
    home.mkdir(mode=0o700)
    if url:
        (home / "iolai.toml").write_text(f"database = {json.dumps(url)}\n", encoding="utf-8")
    clock = Clock()
    service = open_service(home, now=clock)
    return World(service, clock, folder, Actor(name="local", role=Role.ORGANISER))
