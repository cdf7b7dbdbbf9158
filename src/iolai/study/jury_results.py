"""A jury's result (``iolai jury results --json``) as the figures that a study compares.

A result holds each contestant's points by problem, and what systems and people got of each
criterion. Automatic scores by problem stand in the table of contestants that the jury was given;
it is read where it lies beside the result as ``contestants.csv``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from iolai.errors import FormatError, Place
from iolai.files import read_text
from iolai.formats import read_contestants
from iolai.study.material import JuryFigure

__all__ = ["CONTESTANTS", "read_jury_result"]

CONTESTANTS = "contestants.csv"
_KINDS = {"person": "people", "system": "system"}


def read_jury_result(path: Path) -> tuple[JuryFigure, ...]:
    """Read a jury's result; raises InputError, FormatError naming the file.

    Figures of a problem are shares of the points of all its criteria. Those of a criterion are the
    mean shares of all systems, and of all people.
    """
    beside = path.parent / CONTESTANTS
    automatic = read_contestants(beside).automatic_by_problem if beside.is_file() else {}
    try:
        result = json.loads(read_text(path))
        return (*_whole(result, automatic), *_criteria(result))
    except (ValueError, TypeError, KeyError, AttributeError, ZeroDivisionError) as error:
        raise FormatError(
            f"this is no result of a jury: {type(error).__name__}: {error}",
            place=Place(path),
            hint="Write one with `iolai jury results MARKS ... --json`.",
        ) from error


def _whole(result: Any, automatic: Mapping[str, Mapping[str, float]]) -> Iterator[JuryFigure]:
    worth: dict[str, float] = {}
    for line in result["difficulty"]["criteria"]:
        worth[line["problem"]] = worth.get(line["problem"], 0.0) + line["points"]
    for row in result["contestants"]:
        contestant = row["contestant"]
        own = automatic.get(contestant["name"], {})
        for problem, points in row["by_problem"].items():
            score = own.get(problem)
            yield JuryFigure(
                contestant=contestant["name"],
                problem=problem,
                jury=points / worth[problem],
                automatic=None if score is None else score / 100,
                kind=_KINDS[contestant["kind"]],
            )


def _criteria(result: Any) -> Iterator[JuryFigure]:
    for line in result["difficulty"]["criteria"]:
        for kind, difficulty in (
            ("system", line["difficulty_systems"]),
            ("people", line["difficulty_people"]),
        ):
            if difficulty is not None:
                yield JuryFigure(
                    contestant=f"all {'systems' if kind == 'system' else kind}",
                    problem=line["problem"],
                    jury=1 - float(difficulty),
                    kind=kind,
                    criterion=line["criterion"],
                )
