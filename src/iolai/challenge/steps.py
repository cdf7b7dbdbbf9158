"""The steps of one run: fetch, run, collect, score, publish.

Each step looks into the store first: what is there is not done again. It begins and ends in a
write transaction that sees that this worker still holds the run, so that a worker that was taken
for dead changes nothing any more. Nothing here knows of the engine that calls the steps.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection

from iolai.challenge.folders import clear_folder, folder_of
from iolai.challenge.state import state_of_id
from iolai.challenge.unpacking import RefusedError, UnpackLimits, unpack_archive
from iolai.challenge.workplace import Task, Workplace, get_held, note, settle
from iolai.entry import is_left_out
from iolai.errors import InputError, IolaiError
from iolai.records import EventKind, RunState, SubmissionKind, Verdict
from iolai.runners import (
    AttachableRunner,
    Outcome,
    Owner,
    PinnedEntry,
    PinnedFile,
    RunOutcome,
    RunRequest,
    pin_entry,
)
from iolai.store import runs, scores, submissions

__all__ = ["STEPS", "Step"]

#: A step takes the workplace, a run's id and its attempt.
Step = Callable[[Workplace, str, int], None]
_Work = Callable[[Workplace, Task], dict[str, Any]]
_Also = Callable[[Workplace, Connection, Task], None]


class PlatformFaultError(IolaiError):
    """A runner named a fault of the platform."""

    def __init__(self, detail: str) -> None:
        super().__init__(detail, hint="The run is tried again by itself; see the workers' log.")


def _step(name: str, state: RunState, work: _Work, also: _Also | None = None) -> Step:
    """Make a step of what it does; ``also`` writes in the transaction that keeps its result."""

    def step(place: Workplace, run_id: str, attempt: int) -> None:
        task = _begin(place, run_id, attempt, name, state)
        if task is None:
            return
        place.reached(f"{name}:begun", run_id)
        body = work(place, task)
        place.reached(f"{name}:worked", run_id)
        with place.service.store.write() as connection:
            get_held(place, connection, run_id, attempt)
            runs.set_step_result(
                connection,
                run_id,
                attempt,
                name,
                at=place.service.stamp(),
                body=json.dumps(body, ensure_ascii=False),
            )
            if also is not None:
                also(place, connection, task)
        place.reached(f"{name}:kept", run_id)

    return step


def _begin(place: Workplace, run_id: str, attempt: int, name: str, state: RunState) -> Task | None:
    """Note that a step begins; None where its result is there already."""
    with place.service.store.write() as connection:
        run = get_held(place, connection, run_id, attempt)
        if runs.get_step_result(connection, run_id, attempt, name) is not None:
            return None
        submission = submissions.get_submission(connection, run.submission)
        if submission is None:
            raise InputError("a run without its submission", hint="Restore the database.")
        if run.state is not state:
            runs.update_run(connection, run_id, state=state)
            data = {"state": state.value, "worker": place.worker, "attempt": attempt}
            note(place, connection, EventKind.RUN_STEP, run, data=data)
        challenge = state_of_id(place.service, connection, run.challenge)
        kept = {
            earlier: json.loads(body)
            for earlier in ("fetch", "run", "collect")
            if (body := runs.get_step_result(connection, run_id, attempt, earlier)) is not None
        }
    return Task(run, submission, challenge, kept)


def _fetch(place: Workplace, task: Task) -> dict[str, Any]:
    """Unpack or download the entry, and pin its files; what is refused is the entry's fault."""
    try:
        entry = _obtain(place, task)
    except RefusedError as error:
        return {"refused": f"{error.message}. {error.hint}"}
    folder = folder_of(place.service, task.run.id)
    root = entry.folder.relative_to(folder).as_posix()
    return {"root": root, "revision": entry.revision, "files": [asdict(f) for f in entry.files]}


def _obtain(place: Workplace, task: Task) -> PinnedEntry:
    folder = folder_of(place.service, task.run.id).resolve()
    clear_folder(place.service, task.run.id)
    folder.mkdir(mode=0o700, parents=True)
    submission = task.submission
    max_bytes = task.challenge.settings.max_submission_mib << 20
    if submission.kind is SubmissionKind.REPOSITORY:
        limits = UnpackLimits(max_bytes=max_bytes)
        root = place.source.fetch(submission.source, submission.revision, folder / "files", limits)
    else:
        limits = UnpackLimits(max_bytes=2 * max_bytes)
        archive = place.service.blobs.path(submission.blob)
        root = unpack_archive(archive, folder / "files", limits)
    try:
        return pin_entry(root, leave_out=is_left_out)
    except InputError as error:
        raise RefusedError(error.message, hint=error.hint) from error


def _run(place: Workplace, task: Task) -> dict[str, Any]:
    """Run the entry to its named outcome, and keep what it wrote as blobs."""
    fetched = task.kept["fetch"]
    if "refused" in fetched:
        return {"outcome": "refused", "owner": Owner.ENTRY.value, "detail": fetched["refused"]}
    test_csv = place.test_csv(task.challenge)
    request = RunRequest(_pinned(place, task), test_csv, task.challenge.settings.limits)
    outcome = _outcome(place, task, request)
    if outcome.outcome is Outcome.PLATFORM_FAULT:
        raise PlatformFaultError(outcome.detail)
    blobs = place.service.blobs
    # The key blots nothing out: an entry never sees it, so that a reference in its log is a guess,
    # and a blot would tell which guesses are right, private ones too.
    log = outcome.log_tail
    return {
        "outcome": outcome.outcome.value,
        "owner": outcome.owner.value,
        "n_answered": outcome.n_answered,
        "n_tasks": outcome.n_tasks,
        "wall_s": outcome.wall_s,
        "cpu_s": outcome.cpu_s,
        "peak_mib": outcome.peak_mib,
        "mechanism": outcome.mechanism,
        "detail": outcome.detail,
        "output": blobs.put(outcome.output) if outcome.output else "",
        "log": blobs.put(log.encode("utf-8", "replace")) if log else "",
    }


def _pinned(place: Workplace, task: Task) -> PinnedEntry:
    """Return the entry as it was pinned; it is fetched again where this machine has it not."""
    fetched = task.kept["fetch"]
    root = folder_of(place.service, task.run.id).resolve() / fetched["root"]
    if not root.is_dir() and _obtain(place, task).revision != fetched["revision"]:
        raise PlatformFaultError("the entry's files are others than those that were fetched")
    return PinnedEntry(root, tuple(PinnedFile(**file) for file in fetched["files"]))


def _outcome(place: Workplace, task: Task, request: RunRequest) -> RunOutcome:
    settings = task.challenge.settings
    runner = place.runner(settings.runner, settings.runner_options)
    if not isinstance(runner, AttachableRunner):
        return runner.run(request)
    handle = task.run.handle
    if not handle:
        handle = runner.start(request)
        with place.service.store.write() as connection:
            get_held(place, connection, task.run.id, task.run.attempt)
            runs.update_run(connection, task.run.id, handle=handle)
        place.reached("run:started", task.run.id)
    return runner.attach(handle, request)


def _collect(_place: Workplace, task: Task) -> dict[str, Any]:
    """Put together what the verdict will say."""
    names = Verdict.__dataclass_fields__
    return {name: value for name, value in task.kept["run"].items() if name in names}


def _score(place: Workplace, run_id: str, attempt: int) -> None:
    """Score the output under the key that counts when the score is kept."""
    task = _begin(place, run_id, attempt, "score", RunState.SCORING)
    if task is None:
        return
    place.reached("score:begun", run_id)
    output = task.kept["collect"].get("output")
    data = place.service.blobs.read(output) if output else b""
    key: str | None = task.challenge.key
    while key is not None:
        key = _scored(place, task, data, key)
    place.reached("score:kept", run_id)


def _scored(place: Workplace, task: Task, output: bytes, key: str) -> str | None:
    """Score under a key and keep it; return another key where that counts meanwhile."""
    run = task.run
    score = place.scorer(key).score(run.id, output) if output and key else None
    place.reached("score:worked", run.id)
    with place.service.store.write() as connection:
        get_held(place, connection, run.id, run.attempt)
        current = state_of_id(place.service, connection, run.challenge).key
        if score is not None and current != key:
            return current
        if score is not None and scores.get_score(connection, run.id, key) is None:
            scores.add_scores(connection, [score])
        at = place.service.stamp()
        runs.set_step_result(connection, run.id, run.attempt, "score", at=at, body="{}")
    return None


def _publish(place: Workplace, task: Task) -> dict[str, Any]:
    """Clear away; what makes the verdict public is in the transaction that ends this step."""
    if task.run.handle:
        settings = task.challenge.settings
        runner = place.runner(settings.runner, settings.runner_options)
        with suppress(Exception):  # what is left is a folder; the verdict does not hang on it
            if isinstance(runner, AttachableRunner):
                runner.forget(task.run.handle)
    clear_folder(place.service, task.run.id)
    return {}


def _settle(place: Workplace, connection: Connection, task: Task) -> None:
    verdict = Verdict(run=task.run.id, at=place.service.stamp(), **task.kept["collect"])
    settle(connection, task.run, verdict)


STEPS: Mapping[str, Step] = {
    "fetch": _step("fetch", RunState.FETCHING, _fetch),
    "run": _step("run", RunState.RUNNING, _run),
    "collect": _step("collect", RunState.COLLECTING, _collect),
    "score": _score,
    "publish": _step("publish", RunState.SCORING, _publish, _settle),
}
