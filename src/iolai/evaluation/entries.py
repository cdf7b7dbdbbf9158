"""An entry at home: checked, pinned, rehearsed in the sandbox, its rows scored, packed."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from iolai.entry import (
    DEFAULT_LIMITS,
    EntryFinding,
    FolderLimits,
    check_entry,
    is_left_out,
    write_archive,
)
from iolai.errors import FormatError, InputError, IolaiError
from iolai.evaluation.checking import check_predictions
from iolai.formats import parse_submission_csv, render_test_csv
from iolai.metrics import score_predictions
from iolai.reading import TaskCheck
from iolai.records import AnswerKey, PredictionSet, ProblemSet, Score
from iolai.runners import (
    OUTPUT_NAME,
    SCRIPT,
    Limits,
    OnLog,
    Outcome,
    PinnedEntry,
    Runner,
    RunOutcome,
    RunRequest,
    pin_entry,
)

if TYPE_CHECKING:
    from iolai.solvers.llm.config import LlmConfig

__all__ = ["Rehearsal", "check_folder", "pack_entry", "pin_for_upload", "rehearse"]


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """How a run ended, how its rows are read, and what they score where there is a key.

    ``fault`` says why the rows of an output could not be read, and is empty where they could.
    ``partial`` says, where the entry did not come to its end, why and how far it came.
    """

    run: RunOutcome
    predictions: PredictionSet
    checks: tuple[TaskCheck, ...]
    score: Score | None = None
    fault: str = ""
    partial: str = ""


#: How the line of an entry's log begins that says that it stopped before its end.
_STOPPED = "STOPPED"
_STAGE = re.compile(r"stage (\S+) begins")
_MAX_LINE = 500


def check_folder(folder: Path, limits: FolderLimits = DEFAULT_LIMITS) -> tuple[EntryFinding, ...]:
    """Return what would fail in the challenge, a model's configuration judged by the recipe.

    Nothing of the entry is run, and no model is loaded. Raises InputError as ``check_entry`` does.
    """
    return check_entry(folder, limits, _settings_fault)


def _settings_fault(path: Path, family: str) -> str:
    """Return what keeps a configuration from being one, with what its fields may be."""
    from iolai.solvers.llm.backends.registry import open_backend, require_options
    from iolai.solvers.llm.solver import Llm

    try:
        for config in _configs(str(path), family):
            Llm(config, open_backend)  # looks at stages and prompts
            require_options(config)
    except IolaiError as error:
        said = f"{error.message} ({error.hint})" if error.hint else error.message
        return said.replace(f"{path}: ", "")  # the finding names the file
    return ""


def _configs(path: str, family: str) -> tuple[LlmConfig, ...]:
    if family == "hybrid":
        from iolai.solvers.hybrid.config import load_hybrid  # the engine comes with it

        return load_hybrid(path).models
    from iolai.solvers.llm.config_file import load_config

    return (load_config(path),)


def pin_for_upload(folder: Path) -> PinnedEntry:
    """Pin what an upload of the folder holds: no caches, environments, version control.

    Raises InputError where a file cannot travel or the folder has no ``script.py``.
    """
    entry = pin_entry(folder, leave_out=is_left_out)
    if all(file.path != SCRIPT for file in entry.files):
        raise InputError(
            f"{folder} has no {SCRIPT}",
            hint="Name the entry's folder; iolai entry new FOLDER writes one to begin with.",
        )
    return entry


def rehearse(
    folder: Path,
    problems: ProblemSet,
    runner: Runner,
    *,
    key: AnswerKey | None = None,
    limits: Limits = Limits(),  # noqa: B008 -- immutable
    on_log: OnLog | None = None,
) -> Rehearsal:
    """Run an entry on problems as the challenge would; the key stays outside of the run.

    Raises InputError where the entry cannot be pinned or the key is of other problems, and
    MissingPartError where the runner cannot isolate the entry.
    """
    if key is not None and not any(key.get(task.id) for task in problems.tasks):
        raise InputError(
            "no task of the problems is in the key",
            hint=f"Check that both belong together; the key begins with {key.tasks[0].id}.",
        )
    request = RunRequest(
        pin_for_upload(folder), render_test_csv(problems), limits, secrets=_references(key)
    )
    run = runner.run(request, on_log)
    rows, fault = _rows(run.output)
    if fault and run.outcome is Outcome.OK:
        run = replace(run, outcome=Outcome.BAD_OUTPUT, detail=fault)
    checks = check_predictions(problems, key, rows) if rows else ()
    score = score_predictions(rows, key) if key is not None else None
    return Rehearsal(run, rows, checks, score, fault, _partial(run))


def _partial(run: RunOutcome) -> str:
    """Return why an output is a partial one, as the log has it; empty where nothing says so."""
    lines = [line.strip() for line in run.log_tail.splitlines()]
    said = [line for line in lines if line.startswith(_STOPPED)]
    if said:
        return said[-1][:_MAX_LINE]
    if run.output is None or run.outcome in (Outcome.OK, Outcome.BAD_OUTPUT):
        return ""
    stages = [match[1] for line in lines if (match := _STAGE.fullmatch(line))]
    at = f" in stage {stages[-1]}"[:_MAX_LINE] if stages else ""
    return f"the run was ended{at}"


def _references(key: AnswerKey | None) -> tuple[str, ...]:
    return tuple(text for task in key or () for ref in task.references for text in ref.alternatives)


def _rows(output: bytes | None) -> tuple[PredictionSet, str]:
    """Return the rows of an output, and why there are none where the format refuses it."""
    nothing = PredictionSet((), OUTPUT_NAME)
    if output is None:
        return nothing, ""
    try:
        document = parse_submission_csv(output.decode("utf-8"), OUTPUT_NAME)
    except FormatError as error:
        return nothing, error.message
    return document.predictions or nothing, ""


def pack_entry(folder: Path, out: Path) -> tuple[PinnedEntry, str]:
    """Write the upload of an entry; return what it holds and the archive's SHA-256.

    Raises InputError where a file cannot travel, OutputError where the archive cannot be written.
    """
    entry = pin_for_upload(folder)
    return entry, write_archive(entry.folder, entry.files, out)
