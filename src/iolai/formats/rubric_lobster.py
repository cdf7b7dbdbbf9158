"""Rule checklists in LOBSTER's form, made into rubrics.

One JSON object a problem, a list of them, or one a line:
``{"id", "answer": {label: text}, "explanation": {"rules": text, "rule_checklist": [text, ...]}}``.
Each line of the checklist becomes a criterion of kind theory. The theory is worth 10 points of 20
unless another number is given; they are shared out in halves, as evenly as that goes, the first
lines taking what is over (in equal parts where there are more lines than halves). The answers
become one criterion of kind task with the points that are left.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from iolai.errors import FormatError, InputError, Place
from iolai.formats.fields import Fields
from iolai.formats.json_text import json_elements, parse_json, parse_json_file
from iolai.formats.rubric_toml import MAX_LENGTH
from iolai.formats.source import first_mark, load_text
from iolai.formats.values import IdCheck, format_number, short
from iolai.records import Criterion, Rubric

__all__ = ["PROBLEM_POINTS", "THEORY_POINTS", "parse_checklists", "read_checklists"]

#: What a problem is worth in the olympiad, and how much of it the theory where nothing is said.
PROBLEM_POINTS = 20.0
THEORY_POINTS = 10.0

#: A longer checklist is refused; a rubric has some ten criteria.
MAX_LINES = 200


def read_checklists(
    path: Path | str, *, theory_points: float = THEORY_POINTS
) -> tuple[Rubric, ...]:
    """Read a file of rule checklists; raises as ``parse_checklists`` does."""
    return parse_checklists(load_text(Path(path)), path, theory_points=theory_points)


def parse_checklists(
    text: str, path: Path | str = "checklists.json", *, theory_points: float = THEORY_POINTS
) -> tuple[Rubric, ...]:
    """Read rule checklists as rubrics of version 1, in the order of the file.

    Raises InputError where ``theory_points`` is not above 0 and at most 20, or less than 20 while
    there is no answer to take the rest; FormatError naming line and field for everything else.
    """
    if not 0 < theory_points <= PROBLEM_POINTS:
        raise InputError(
            f"the theory cannot be worth {theory_points:g} points",
            hint=f"Give a number above 0, at most {PROBLEM_POINTS:g}.",
        )
    ids = IdCheck(path, kind="problem")
    rubrics = []
    for line, value in _objects(text, path):
        fields = Fields.of(value, Place(path, line), ("id", "explanation"))
        problem = ids.require(fields.text("id"), line)
        rubrics.append(_rubric(fields, problem, theory_points))
    if not rubrics:
        raise FormatError(
            "there is no checklist", place=Place(path, 1), hint="Give one JSON object a problem."
        )
    return tuple(rubrics)


def _objects(text: str, path: Path | str) -> Iterator[tuple[int, object]]:
    """Yield the objects of a list, of one document, or of lines, each with its line."""
    start = first_mark(text) or 0
    if text[start : start + 1] == "[":
        yield from json_elements(text, path)
        return
    lines = [(row, line) for row, line in enumerate(text.split("\n"), 1) if line.strip()]
    if len(lines) > 1 and all(line.strip().startswith("{") for _, line in lines):
        for row, line in lines:
            yield row, parse_json(line, Place(path, row))
        return
    yield text.count("\n", 0, start) + 1, parse_json_file(text, path)


def _rubric(fields: Fields, problem: str, theory_points: float) -> Rubric:
    explanation = fields.fields("explanation")
    lines = _lines(explanation)
    shares = _shares(theory_points, len(lines))
    rest = PROBLEM_POINTS - theory_points
    answers = _answers(fields)
    if rest and not answers:
        raise FormatError(
            f"there are no answers to give the other {format_number(rest)} points to",
            place=fields.at("answer"),
            hint=f"Add the answers, or give the theory all {format_number(PROBLEM_POINTS)} points.",
        )
    rules = explanation.text("rules", "").strip()
    notes = f"{answers}\n\nThe rules in full: {rules}" if rules else answers
    task = Criterion(f"{problem}-answers", problem, "task", rest, task=problem, notes=notes)
    theory = [
        Criterion(f"{problem}-r{n}", problem, "theory", points, notes=line)
        for n, (line, points) in enumerate(zip(lines, shares, strict=True), 1)
    ]
    return Rubric(problem, (*([task] if rest else []), *theory))


def _lines(explanation: Fields) -> list[str]:
    lines = explanation.list("rule_checklist")
    place = explanation.at("rule_checklist")
    if not lines or len(lines) > MAX_LINES:
        raise FormatError(
            f"the checklist has {len(lines)} lines",
            place=place,
            hint=f"A checklist has 1 to {MAX_LINES} lines, a rule a line.",
        )
    texts = [line.strip() if isinstance(line, str) else "" for line in lines]
    if not all(texts):
        raise FormatError(
            f"line {texts.index('') + 1} of the checklist is no text, or blank",
            place=place,
            hint="Write each rule as a text.",
        )
    return texts


def _answers(fields: Fields) -> str:
    if fields.values.get("answer") is None:
        return ""
    answers = fields.fields("answer")
    for label, text in answers.values.items():
        if not isinstance(text, str):
            raise FormatError(
                f"the answer to {short(label)} is no text",
                place=answers.at(label[:40]),
                hint="Write each answer as a text, beside its label.",
            )
    if sum(len(str(text)) for text in answers.values.values()) > MAX_LENGTH:
        raise FormatError("the answers are too long", place=fields.at("answer"), hint="Cut them.")
    listed = "; ".join(f"{label}: {text}" for label, text in answers.values.items())
    return f"Answers: {listed}" if listed else ""


def _shares(points: float, n_lines: int) -> list[float]:
    """Share points out in halves, the first lines taking what is over."""
    halves = points * 2
    if halves != int(halves) or halves < n_lines:
        return [points / n_lines] * n_lines
    each, over = divmod(int(halves), n_lines)
    return [(each + (n < over)) / 2 for n in range(n_lines)]
