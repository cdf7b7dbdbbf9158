"""``rubric.toml``: the jury's marking scheme for one problem."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from pathlib import Path

from iolai.errors import FormatError, Place
from iolai.formats.document import CERTAIN, NO, Document, TextFormat
from iolai.formats.fields import Fields
from iolai.formats.source import storable
from iolai.formats.values import format_number, short, suggestion
from iolai.records import Criterion, Rubric, Step
from iolai.records.rubric import CRITERION_KINDS

__all__ = ["FORMAT", "parse_rubric", "parse_rubric_toml", "render_rubric"]

#: A longer rubric is refused, in characters; those of an olympiad problem take some thousands.
MAX_LENGTH = 1 << 20

RUBRIC_FIELDS = ("problem", "title", "version", "criterion")
CRITERION_FIELDS = ("id", "kind", "task", "points", "steps", "notes", "accept")
STEP_FIELDS = ("points", "when")

_TABLE_NOUN = "TOML table"
_TABLE = re.compile(r"^[ \t]*\[\[[ \t]*criterion[ \t]*\]\]", re.MULTILINE)
_AT = re.compile(r" \(at line (\d+), column (\d+)\)$")
_START = re.compile(r"(?:(?:problem|title|version)[ \t]*=|\[\[[ \t]*criterion[ \t]*\]\])")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


def parse_rubric_toml(text: str, path: Path | str = "rubric.toml") -> Document:
    """Read a rubric into a document; raises FormatError naming the line."""
    return Document(FORMAT.name, rubrics=(parse_rubric(text, path),))


def parse_rubric(text: str, path: Path | str = "rubric.toml") -> Rubric:
    """Read a rubric.

    Raises FormatError where it is not TOML, a field is unknown, missing or of the wrong type,
    an id is used twice, the points of a criterion are not above 0, or its steps do not fall from
    at most its points to above 0.
    """
    table = Fields.of(_toml(text, path), Place(path), ("problem", "criterion"), _TABLE_NOUN)
    _refuse_unknown(table, RUBRIC_FIELDS)
    problem = table.text("problem")
    version = table.values.get("version", 1)
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise FormatError(
            "the version must be a whole number, 1 or more",
            place=table.at("version"),
            hint="Write version = 1, and one more after each change.",
        )
    lines = _criterion_lines(text, len(table.list("criterion")))
    criteria = tuple(
        _criterion(value, problem, Place(path, row))
        for value, row in zip(table.list("criterion"), lines, strict=True)
    )
    if not criteria:
        raise FormatError(
            "there is no criterion",
            place=Place(path),
            hint="Add a table [[criterion]] with id, kind and points.",
        )
    _require_unique(criteria, lines, path)
    return Rubric(problem, criteria, table.text("title", ""), version)


def render_rubric(rubric: Rubric) -> str:
    """Write a rubric as TOML, its longer texts over several lines."""
    head = [f"problem = {_toml_text(rubric.problem)}"]
    if rubric.title:
        head.append(f"title = {_toml_text(rubric.title)}")
    head.append(f"version = {rubric.version}")
    blocks = ["\n".join(head), *("\n".join(_criterion_toml(one)) for one in rubric.criteria)]
    return "\n\n".join(blocks) + "\n"


def _toml(text: str, path: Path | str) -> object:
    if len(text) > MAX_LENGTH:
        raise FormatError(
            f"a rubric of more than {MAX_LENGTH >> 20} Mi characters",
            place=Place(path),
            hint="Check which file this is.",
        )
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise FormatError(
            "the TOML nests too deep", place=Place(path), hint="A rubric nests three deep."
        ) from error
    except ValueError as error:  # TOMLDecodeError, and numbers with too many digits
        found = _AT.search(str(error))
        row, column = (int(found[1]), found[2]) if found else (text.count("\n") + 1, None)
        raise FormatError(
            f"not TOML: {_AT.sub('', str(error))[:120]}",
            place=Place(path, row, column),
            hint="Mend the line; texts stand in quotes, longer ones between three quotes.",
        ) from error


def _criterion_lines(text: str, n_criteria: int) -> list[int | None]:
    """Return the line of each criterion; none where they cannot be told (inline tables)."""
    rows = [text.count("\n", 0, found.start()) + 1 for found in _TABLE.finditer(text)]
    return list(rows) if len(rows) == n_criteria else [None] * n_criteria


def _criterion(value: object, problem: str, place: Place) -> Criterion:
    fields = Fields.of(value, place, ("id", "kind", "points"), _TABLE_NOUN)
    _refuse_unknown(fields, CRITERION_FIELDS)
    name, kind = fields.text("id"), fields.text("kind")
    if not name.strip():
        raise FormatError("the id is blank", place=fields.at("id"), hint="Give it an id.")
    if kind not in CRITERION_KINDS:
        raise FormatError(
            f"there is no kind {short(kind)}",
            place=fields.at("kind"),
            hint=f"{suggestion(kind, CRITERION_KINDS)}Known: {', '.join(CRITERION_KINDS)}.",
        )
    task = fields.text("task", "")
    if kind == "task" and not task:
        raise FormatError(
            "a criterion of kind task names its task",
            place=fields.at("task"),
            hint='Add a line task = "..." with the task\'s id, or mend the kind.',
        )
    points = _points(fields)
    steps = fields.list("steps") if "steps" in fields.values else []
    return Criterion(
        id=name,
        problem=problem,
        kind=kind,
        points=points,
        steps=_steps(steps, points, fields.at("steps")),
        task=task,
        notes=fields.text("notes", ""),
        accept=_accepted(fields),
    )


def _accepted(fields: Fields) -> tuple[str, ...]:
    texts = fields.list("accept") if "accept" in fields.values else []
    accepted = tuple(text for text in texts if isinstance(text, str) and text.strip())
    if len(accepted) < len(texts):
        raise FormatError(
            "what is accepted must be texts, and none blank",
            place=fields.at("accept"),
            hint='Write accept = ["one wording", "another"].',
        )
    return accepted


def _points(fields: Fields) -> float:
    points = float(fields.number("points"))
    if points <= 0:
        raise FormatError(
            "the points must be above 0",
            place=fields.at("points"),
            hint="Leave out what gives no points.",
        )
    return points


def _steps(values: Iterable[object], points: float, place: Place) -> tuple[Step, ...]:
    steps: list[Step] = []
    for value in values:
        fields = Fields.of(value, place, STEP_FIELDS, _TABLE_NOUN)
        _refuse_unknown(fields, STEP_FIELDS)
        step = Step(_points(Fields(fields.values, place)), fields.text("when"))
        limit = steps[-1].points if steps else points
        if step.points > limit or (steps and step.points == limit):
            raise FormatError(
                f"the steps must fall from at most {format_number(points)} points",
                place=place,
                hint="Write the step with most points first; none may exceed the criterion's.",
            )
        steps.append(step)
    return tuple(steps)


def _refuse_unknown(fields: Fields, known: tuple[str, ...]) -> None:
    for name in fields.values:
        if name not in known:
            raise FormatError(
                f"there is no field {short(name)} here",
                place=fields.at(name[:40]),
                hint=f"{suggestion(name, known)}Known: {', '.join(known)}.",
            )


def _require_unique(
    criteria: tuple[Criterion, ...], lines: list[int | None], path: Path | str
) -> None:
    seen: dict[str, int | None] = {}
    for criterion, row in zip(criteria, lines, strict=True):
        if criterion.id in seen:
            earlier = f" in line {seen[criterion.id]}" if seen[criterion.id] else ""
            raise FormatError(
                f"the id {short(criterion.id)} was already used{earlier}",
                place=Place(path, row, "id", "key"),
                hint="Give each criterion an id of its own.",
            )
        seen[criterion.id] = row


def _criterion_toml(criterion: Criterion) -> list[str]:
    lines = [
        "[[criterion]]",
        f"id = {_toml_text(criterion.id)}",
        f"kind = {_toml_text(criterion.kind)}",
    ]
    if criterion.task:
        lines.append(f"task = {_toml_text(criterion.task)}")
    lines.append(f"points = {format_number(criterion.points)}")
    if criterion.steps:
        lines.append("steps = [")
        lines += [
            f"  {{ points = {format_number(step.points)}, when = {_toml_text(step.when)} }},"
            for step in criterion.steps
        ]
        lines.append("]")
    if criterion.accept:
        lines += ["accept = [", *(f"  {_toml_text(text)}," for text in criterion.accept), "]"]
    if criterion.notes:
        lines.append(f"notes = {_toml_block(criterion.notes)}")
    return lines


def _toml_text(text: str) -> str:
    escaped = storable(text).replace("\\", "\\\\").replace('"', '\\"')
    escaped = escaped.replace("\n", "\\n").replace("\t", "\\t")
    return f'"{_CONTROL.sub(_unicode_escape, escaped)}"'


def _toml_block(text: str) -> str:
    """Write a text with line ends over several lines; the first one after the quotes is dropped."""
    if "\n" not in text:
        return _toml_text(text)
    escaped = storable(text).replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    if escaped.endswith('"'):
        escaped = escaped[:-1] + '\\"'
    return f'"""\n{_CONTROL.sub(_unicode_escape, escaped)}"""'


def _unicode_escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


def _claims(head: str) -> int:
    """A rubric may start with comments, which look like the headings of plain text."""
    for line in head.splitlines():
        marks = line.strip()
        if marks and not marks.startswith("#"):
            return CERTAIN if _START.match(marks) else NO
    return NO


FORMAT = TextFormat(
    name="rubric.toml",
    starts_with='problem = "',
    claims=_claims,
    parse=parse_rubric_toml,
)
