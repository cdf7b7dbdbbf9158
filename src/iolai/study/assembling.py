"""The material of a study: its outcomes, and the files that were handed in beside them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from iolai.evaluation import board_of_records
from iolai.formats import read_records
from iolai.records import AnswerKey, ArchivedEntry, Board, ProblemSet
from iolai.study.handed_in import read_entries, read_jury
from iolai.study.material import JuryFigure, Material, StudyEntry
from iolai.study.presence import read_presence
from iolai.study.running import Ran
from iolai.study.study_file import Study

__all__ = ["study_material"]


def study_material(ran: Ran, board: Board | None = None) -> Material:
    """Return what the analyses work on.

    ``board`` stands where the study names no archived records of a challenge. Problems on which
    formats were tried are left out. Raises InputError for a file that cannot be read.
    """
    study, sheets = ran.plan.study, ran.plan.sheets
    kept = tuple(problem for problem in sheets.whole if problem.id not in sheets.left_out)
    ids = {task.id for problem in kept for task in problem.tasks}
    entries: tuple[StudyEntry, ...] = ()
    if "board" in study.beside:
        records = read_records(study.path(study.beside["board"]))
        board = board_of_records(records, seed=study.seed)
        entries = tuple(map(_archived, records.entries))
    if "entries" in study.beside:
        entries = read_entries(study.path(study.beside["entries"]))
    return Material(
        outcomes=ran.outcomes,
        problems=ProblemSet(kept, sheets.whole.name),
        key=AnswerKey(tuple(task for task in sheets.key if task.id in ids), sheets.key.name),
        entries=_marked(study, entries),
        jury=_marked(study, _jury(study)),
        presence=_presence(study),
        presence_synthetic=study.beside_synthetic,
        board=board,
        tiers={model.name: model.tier for model in study.models if model.tier},
        level=study.level,
        n_resamples=study.n_resamples,
        seed=study.seed,
    )


def _jury(study: Study) -> tuple[JuryFigure, ...]:
    name = study.beside.get("jury")
    return read_jury(study.path(name)) if name else ()


def _presence(study: Study) -> dict[tuple[str, str], float]:
    name = study.beside.get("presence")
    return read_presence(study.path(name)) if name else {}


def _marked(study: Study, rows: tuple[Any, ...]) -> tuple[Any, ...]:
    """Mark what was handed in as synthetic where the study says that it is."""
    return tuple(replace(row, synthetic=True) for row in rows) if study.beside_synthetic else rows


def _archived(entry: ArchivedEntry) -> StudyEntry:
    public, private = (entry.metrics.get(name) for name in ("public_score", "private_split_score"))
    at = entry.metadata.get("timestamp")
    return StudyEntry(
        name=entry.folder,
        team=entry.team,
        public=public,
        private=private,
        at=at if isinstance(at, str) else "",
        predictions=entry.predictions,
    )
