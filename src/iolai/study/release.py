"""The release folder: what others need to check a study, in the layout of archived records.

    leaderboard.csv, task/solution.csv, submissions/    as `iolai board --verify` reads them
    task/test.csv                                       the problems, where their licence allows it
    outcomes.jsonl, outcomes.csv, plan.csv              every call and what it came to
    marks.csv, entries.csv                              under pseudonyms, what is made up marked so
    tables/                                             the report's tables as CSV and JSON
    manifest.json                                       what is here, with digests; what is not, why

Models keep their names; teams, contestants and their scripts do not come along. Pseudonyms are
numbers in the order of a digest that depends on a secret drawn at each release, so that they
cannot be guessed back from names or from an order. Scores and times of single runs stay at home
too: whoever has the challenge's board would know each team by them.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import secrets
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from iolai.board import published_figures
from iolai.errors import InputError
from iolai.evaluation import board_of_records
from iolai.files import write_whole
from iolai.formats import write_records, write_test_csv
from iolai.metrics import score_predictions
from iolai.records import (
    ArchivedEntry,
    Board,
    BoardLine,
    Prediction,
    PredictionSet,
    PublishedTask,
    Records,
    Score,
)
from iolai.records.study import Outcome, Table
from iolai.reports.tables import TABLE_FORMATS
from iolai.study.material import Material
from iolai.study.outcomes import item_csv, write_outcomes
from iolai.study.running import Ran, StudyFiles
from iolai.version import __version__

__all__ = ["SIMULATED", "anonymised", "model_board", "study_records", "write_release"]

_NO_TIME = "1970-01-01T00:00:00Z"
MANIFEST = "manifest.json"
#: Tables that tell a team by its scores and times.
_TELLING = ("technique-runs",)
#: Tables that quote replies, which may quote the problems.
_QUOTING = ("trace-examples",)
_LEFT_OUT = "(left out: the problems have no licence)"
#: What the name of a simulated model ends in on a board.
SIMULATED = " (simulated)"


def study_records(ran: Ran, material: Material) -> Records:
    """Return the study's models as archived records: one row a model, its first seed.

    Each model answers under the condition under which models are compared; one that has not
    answered every task with that seed is left out, as is a key without tasks that carry points.
    """
    simulated = {outcome.model for outcome in material.outcomes if outcome.synthetic}
    by_model: dict[str, dict[int, dict[str, Outcome]]] = {}
    for outcome in material.compared:
        seeds = by_model.setdefault(outcome.model, {})
        seeds.setdefault(outcome.seed, {})[outcome.task] = outcome
    times = {call.id: ran.results[call.id].at for call in ran.plan.calls if call.id in ran.results}
    entries: list[ArchivedEntry] = []
    scores: list[Score] = []
    for model, seeds in by_model.items():
        seed, found = next(iter(seeds.items()))
        if len(found) < len(material.key):
            continue
        rows = tuple(
            Prediction(task.id, found[task.id].text, found[task.id].explanation)
            for task in material.key
        )
        name = f"{model}{SIMULATED}" if model in simulated else model
        at = max((times.get(outcome.call, "") for outcome in found.values()), default="")
        tier = material.tiers.get(model, "")
        about = {
            "team": name,
            "timestamp": at or _NO_TIME,
            "account_type": "organizer" if tier == "baseline" else "model",
            "model": model,
            "seed": seed,
        }
        score = score_predictions(PredictionSet(rows), material.key)
        entries.append(_archived(f"model-{len(entries) + 1:02}", about, rows, score))
        scores.append(score)
    return Records(tuple(_lines(entries, scores)), material.key, tuple(entries), name="study")


def _archived(
    folder: str, about: Mapping[str, object], rows: tuple[Prediction, ...], score: Score
) -> ArchivedEntry:
    figures = {n: value for n, value in published_figures(score).items() if value is not None}
    published = tuple(
        PublishedTask(
            task.id,
            tuple(item.predicted for item in task.items),
            tuple(item.exact_match for item in task.items),
            tuple(item.chrf for item in task.items),
            task.exact_match,
            task.chrf,
            task.n_read,
            task.is_json_list,
        )
        for task in score.tasks
    )
    return ArchivedEntry(folder, str(about["team"]), about, figures, PredictionSet(rows), published)


def _lines(entries: Sequence[ArchivedEntry], scores: Sequence[Score]) -> Iterable[BoardLine]:
    order = sorted(range(len(entries)), key=lambda place: -(scores[place].overall.score or 0.0))
    for rank, place in enumerate(order, start=1):
        entry, whole = entries[place], scores[place].overall
        yield BoardLine(
            rank=rank,
            team=entry.team,
            account_type=str(entry.metadata["account_type"]),
            score=whole.score or 0.0,
            exact_match=whole.exact_match or 0.0,
            chrf=whole.chrf or 0.0,
            submitted_at=str(entry.metadata["timestamp"]),
            explanation_rate=scores[place].rates.explanation_rate,
            model=str(entry.metadata["model"]),
            record=entry.folder,
        )


def model_board(ran: Ran, material: Material) -> Board | None:
    """Return the models' own board; None where no model has answered every task."""
    records = study_records(ran, material)
    return board_of_records(records, seed=material.seed) if records.entries else None


def write_release(
    folder: Path,
    ran: Ran,
    material: Material,
    make_tables: Callable[[Material], Iterable[Table]],
) -> dict[str, Any]:
    """Write the release folder, whole or not at all, and return its manifest.

    ``make_tables`` works the tables out again, from material without names of teams and persons.
    Raises InputError where the folder holds something already, or no model has answered all.
    """
    if folder.exists() and any(folder.iterdir()):
        raise InputError(
            f"{folder} is not empty", hint="Name a new folder for the release, or empty this one."
        )
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{folder.name}-", dir=folder.parent) as beside:
        made = Path(beside) / folder.name
        manifest = _write(made, ran, material, make_tables)
        made.replace(folder)
    return manifest


def _write(
    folder: Path,
    ran: Ran,
    material: Material,
    make_tables: Callable[[Material], Iterable[Table]],
) -> dict[str, Any]:
    study = ran.plan.study
    left_out = [
        "scripts of entries, and the names of teams and contestants",
        "scores and times of single runs, by which a board names their teams",
    ]
    omitted: tuple[str, ...] = _TELLING
    if not study.licence:
        material = _unquoted(material)
        omitted += _QUOTING
        left_out.append("problems: study.toml gives no licence under which they may be passed on")
        left_out.append(
            "whole replies, explanations and examples of traces, which may quote the problems; "
            "predictions are here"
        )
    records = study_records(ran, material)
    if not records.entries:
        raise InputError(
            "no model has answered every task",
            hint="Finish the study first: run `iolai bench` on it again.",
        )
    write_records(folder, records)
    if study.licence:
        write_test_csv(folder / "task" / "test.csv", material.problems)
    _write_outcomes(folder, ran, material)
    material = anonymised(material)
    if "board" in study.beside:
        material = replace(material, board=None)
        left_out.append("tables of the challenge's board, which name its teams")
    _write_people(folder, material)
    for table in make_tables(material):
        if table.name in omitted:
            continue
        for ending in ("csv", "json"):
            write_whole(folder / "tables" / f"{table.name}.{ending}", TABLE_FORMATS[ending](table))
    manifest = _manifest(folder, ran, material, left_out)
    text = json.dumps(manifest, ensure_ascii=False, indent=1)
    write_whole(folder / MANIFEST, f"{text}\n")
    return manifest


def _unquoted(material: Material) -> Material:
    """Take out whatever models wrote beside their answers; that they explained stays told."""

    def without(outcome: Outcome) -> Outcome:
        explanation = _LEFT_OUT if outcome.explanation.strip() else ""
        return replace(outcome, reply="", explanation=explanation)

    return replace(material, outcomes=tuple(map(without, material.outcomes)))


def _write_outcomes(folder: Path, ran: Ran, material: Material) -> None:
    write_outcomes(folder / "outcomes.jsonl", material.outcomes)
    write_whole(folder / "outcomes.csv", item_csv(material.outcomes))
    plan = StudyFiles(ran.plan.study.folder).plan
    if plan.is_file():
        write_whole(folder / "plan.csv", plan.read_bytes())


def _pseudonyms(names: Iterable[str], word: str) -> dict[str, str]:
    salt = secrets.token_bytes(16)
    order = sorted(set(names), key=lambda name: hashlib.sha256(salt + name.encode()).digest())
    return {name: f"{word} {place:02}" for place, name in enumerate(order, start=1)}


def anonymised(material: Material) -> Material:
    """Return the material with numbers for teams, runs and contestants, in no order that tells.

    Times of runs are left out. A contestant that is one of the study's models keeps its name.
    """
    models = set(material.models)
    persons = (figure.contestant for figure in material.jury if figure.contestant not in models)
    names = _pseudonyms(persons, "contestant")
    teams = _pseudonyms((entry.team for entry in material.entries), "team")
    runs = _pseudonyms((f"{one.team}\0{one.name}" for one in material.entries), "run")
    jury = sorted(
        (
            replace(figure, contestant=names.get(figure.contestant, figure.contestant))
            for figure in material.jury
        ),
        key=lambda figure: figure.contestant,
    )
    entries = (
        replace(entry, name=runs[f"{entry.team}\0{entry.name}"], team=teams[entry.team], at="")
        for entry in material.entries
    )
    ordered = sorted(entries, key=lambda entry: (entry.team, entry.name))
    return replace(material, jury=tuple(jury), entries=tuple(ordered))


def _write_people(folder: Path, material: Material) -> None:
    """Write the marks and the entries of material without names."""
    if material.jury:
        marks = sorted(
            (
                figure.contestant,
                figure.kind,
                figure.problem,
                figure.criterion,
                _percent(figure.jury),
                _percent(figure.automatic),
                _made_up(figure.synthetic),
            )
            for figure in material.jury
        )
        heading = ("contestant", "kind", "problem", "criterion", "jury", "automatic", "made up")
        write_whole(folder / "marks.csv", _csv(heading, marks))
    if material.entries:
        runs = [
            (entry.team, entry.name, ";".join(entry.techniques), _made_up(entry.synthetic))
            for entry in material.entries
        ]
        columns = ("team", "run", "techniques", "made up")
        write_whole(folder / "entries.csv", _csv(columns, runs))


def _made_up(is_synthetic: bool) -> str:
    return "yes" if is_synthetic else "no"


def _percent(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.4f}"


def _csv(heading: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream)
    writer.writerow(heading)
    writer.writerows(rows)
    return stream.getvalue()


def _manifest(
    folder: Path, ran: Ran, material: Material, left_out: Sequence[str]
) -> dict[str, Any]:
    study = ran.plan.study
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {
        "title": study.title,
        "made_by": f"iolai {__version__}",
        "licence_of_problems": study.licence or None,
        "n_calls": len(ran.plan.distinct),
        "n_results": len(ran.results),
        "simulated_models": [m.name for m in study.models if m.planted is not None],
        "made_up": {
            "marks": any(figure.synthetic for figure in material.jury),
            "entries": any(entry.synthetic for entry in material.entries),
            "all_beside": study.beside_synthetic,
        },
        "seeds": list(study.seeds),
        "budget": {"tokens": study.spending.tokens, "seconds": study.spending.seconds},
        "left_out": list(left_out),
        "files": {
            str(path.relative_to(folder)): {
                "bytes": path.stat().st_size,
                "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
            }
            for path in files
        },
    }
