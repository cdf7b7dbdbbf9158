"""What ``check`` found: as JSON, and task by task for a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from rich.text import Text

from iolai.reading import KINDS, WRITING, Cost, Finding, Slot, TaskCheck
from iolai.reports.figures import count
from iolai.text import visible

__all__ = ["check_json", "check_lines", "check_summary"]

_MAX_SHOWN = 60
#: In characters: a longer text is none that a script compares with anything.
_MAX_TEXT_JSON = 2000


def check_json(tasks: Iterable[TaskCheck]) -> list[dict[str, object]]:
    """Return the JSON shape of ``check``: one object a task, scores in [0, 1]."""
    return [_task_json(task) for task in tasks]


def _task_json(task: TaskCheck) -> dict[str, object]:
    lenient = task.lenient
    return {
        "id": task.id,
        "row": task.row or None,
        "expected": task.expected,
        "read": task.read,
        "slots": [
            {
                "item": slot.label,
                "text": _clipped(slot.text),
                "exact_match": _rounded(slot.exact_match),
                "chrf": _rounded(slot.chrf),
            }
            for slot in task.slots
        ],
        "findings": [
            {
                "kind": finding.kind,
                "item": finding.item,
                "text": finding.text,
                "hint": finding.hint,
                "cost": _cost_json(finding.cost),
                "row": finding.row or None,
            }
            for finding in task.findings
        ],
        "lenient": None
        if lenient is None
        else {
            "status": lenient.status,
            "items": [_clipped(item) for item in lenient.items],
            "steps": [
                {"kind": s.kind, "detail": s.detail, "before": s.before, "after": s.after}
                for s in lenient.steps
            ],
        },
        "score": _cost_json(task.score),
        "lenient_score": _cost_json(task.lenient_score),
    }


def _clipped(text: str) -> str:
    return text if len(text) <= _MAX_TEXT_JSON else text[: _MAX_TEXT_JSON - 1] + "…"


def _rounded(figure: float | None) -> float | None:
    return None if figure is None else round(figure, 6)


def _cost_json(cost: Cost | None) -> dict[str, float] | None:
    if cost is None:
        return None
    return {"exact_match": round(cost.exact_match, 6), "chrf": round(cost.chrf, 6)}


def check_lines(tasks: Sequence[TaskCheck], *, all_tasks: bool = False) -> Iterator[Text]:
    """Yield the lines for a terminal: tasks with findings, or all of them; scores x100."""
    for task in tasks:
        if task.findings or all_tasks:
            yield from _task_lines(task)


def _task_lines(task: TaskCheck) -> Iterator[Text]:
    line = f", line {task.row}" if task.row else ""
    verdict = Text(f"expected {task.expected}, read {task.read}")
    if task.expected != task.read:
        verdict.stylize("yellow")
    head = Text.assemble((f"Task {visible(task.id)}", "bold"), (line, "dim"), ": ", verdict)
    if task.score is not None:
        head.append(f"   {_figures(task.score)}", style="dim")
    yield head
    width = max((len(slot.label) for slot in task.slots), default=0)
    faulty = {finding.item for finding in task.findings if finding.item}
    for slot in task.slots:
        yield _slot_line(slot, width, is_faulty=slot.label in faulty)
    places = {slot.label: place for place, slot in enumerate(task.slots)}
    has_said_cost = False
    for same in _grouped(task.findings):
        shares = not same[0].item and same[0].kind in WRITING
        yield from _finding_lines(same, places, with_cost=not (shares and has_said_cost))
        has_said_cost = has_said_cost or shares


def _slot_line(slot: Slot, width: int, *, is_faulty: bool) -> Text:
    """Return ``16 (katon) <- houses``: the item, what it asks for, and what is read into it."""
    asked = f" ({_short(slot.asked)})" if slot.asked and "\n" not in slot.asked else ""
    return Text.assemble(
        f"  {visible(slot.label):>{width}}",
        (asked, "dim"),
        " <- ",
        (_short(slot.text) or "(empty)", ("yellow" if is_faulty else "") if slot.text else "dim"),
    )


def _grouped(findings: Sequence[Finding]) -> list[list[Finding]]:
    """Put together what is of one kind and about single items; all else stands alone."""
    groups: dict[tuple[str, str], list[Finding]] = {}
    for number, finding in enumerate(findings):
        groups.setdefault((finding.kind, "" if finding.item else str(number)), []).append(finding)
    return list(groups.values())


def _finding_lines(
    same: Sequence[Finding], places: Mapping[str, int], *, with_cost: bool
) -> Iterator[Text]:
    kind = same[0].kind
    costs = [finding.cost for finding in same if finding.cost is not None and with_cost]
    cost = Cost(sum(c.exact_match for c in costs), sum(c.chrf for c in costs))
    costly = max(cost.exact_match, cost.chrf) > 0
    texts = dict.fromkeys(_short(finding.text) or "(empty)" for finding in same)
    items = _items([finding.item for finding in same if finding.item], places)
    yield Text.assemble(
        "  ",
        (f"{kind}{items}", "bold red"),
        f": {_short('; '.join(texts))}",
        (f"   costs {_figures(cost)}" if costly else "", "red"),
    )
    for line in _hints(same):
        yield Text(f"      {visible(line)}", style="dim")


def _items(labels: Sequence[str], places: Mapping[str, int]) -> str:
    """Write ", items 1-8, 11": three or more in a row as a range."""
    runs: list[list[str]] = []
    for label in labels:
        follows = runs and places.get(label, -1) == places.get(runs[-1][-1], -1) + 1
        if follows:
            runs[-1].append(label)
        else:
            runs.append([label])
    written = [f"{r[0]}-{r[-1]}" if len(r) > 2 else ", ".join(r) for r in runs]
    noun = "item" if len(labels) == 1 else "items"
    return f", {noun} {visible(', '.join(written))}" if labels else ""


def _hints(same: Sequence[Finding]) -> list[str]:
    """Return the hint of a kind once, and before it what is said of single items only."""
    hint = KINDS[same[0].kind].hint
    own = {f.item: f.hint.removesuffix(hint).strip() for f in same if f.hint.endswith(hint)}
    if len(same) == 1 or len(own) < len(same):
        return list(dict.fromkeys(finding.hint for finding in same))
    return [*(f"{item}: {said}" for item, said in own.items() if said), hint]


def _figures(cost: Cost) -> str:
    return f"EM {100 * cost.exact_match:.1f}, chrF {100 * cost.chrf:.1f}"


def _short(text: str) -> str:
    line = visible(" ".join(text.split()))
    return line if len(line) <= _MAX_SHOWN else line[: _MAX_SHOWN - 1] + "…"


def check_summary(
    tasks: Sequence[TaskCheck], score: float | None = None, lenient_score: float | None = None
) -> list[str]:
    """Return the closing lines: what was found how often, and what the readings score, x100."""
    faulty = sum(1 for task in tasks if task.findings)
    kinds = Counter(finding.kind for task in tasks for finding in task.findings)
    lines = [f"{count(len(tasks), 'task')}: {len(tasks) - faulty} clean, {faulty} with findings."]
    if kinds:
        lines.append("Found: " + ", ".join(f"{kind} {n}" for kind, n in kinds.most_common()))
    if score is not None and lenient_score is not None:
        lines.append(
            f"Score: {100 * score:.2f} as it is read; {100 * lenient_score:.2f} if read as meant."
        )
    return lines
