"""``iolai jury demo``: a marking on built-in problems that four jurors can try at once.

Everything in it is made here: systems are this program's own solvers, people's papers are typed by
rule from the answer key and the rubric, and say so in their names.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from iolai.cli.console import error_console, output_console, print_json
from iolai.cli.console import progress as progress_bars
from iolai.cli.options import Json

if TYPE_CHECKING:
    from iolai.challenge.service import Service
    from iolai.records import AnswerKey, Item, PredictionSet, Rubric

__all__ = ["command"]

SLUG = "jury-demo"
JURORS = ("juror-1", "juror-2", "juror-3", "juror-4")
ORGANISER = "organiser"
_SYSTEMS = ("nearest", "identity", "induction")
#: What share of the answers, and of the rules, a made-up person has.
_PEOPLE = (("all of it", 1.0), ("most of it", 0.7), ("little of it", 0.3))
_SOLVING_SECONDS = 25.0
#: The thresholds of 2026 that are known, out of 100: gold, silver, honourable mention.
_GOLD, _SILVER, _HONOURABLE = 70.0, 58.4, 35.3
_TOML = """\
slug = "{slug}"
title = "A jury to try"
description = "Built-in problems; people's papers are made by rule."
problems = "problems"
key = "problems"

[phases]
registration = 2026-01-01T00:00:00Z
open = 2026-01-02T00:00:00Z
close = 2026-01-03T00:00:00Z

[split]
public = {n_public}

[see]
problems = "open"
"""

_Out = Annotated[Path, typer.Option("--out", help="The folder for the demo; it must be new.")]
_NProblems = Annotated[
    int, typer.Option("--problems", min=1, max=15, help="How many of the built-in problems.")
]


@dataclass(frozen=True)
class _Made:
    """What the demo made: where, and the passwords by account."""

    home: Path
    passwords: dict[str, str]
    n_papers: int


def command(
    out: _Out = Path("iolai-jury-demo"), n_problems: _NProblems = 5, as_json: Json = False
) -> None:
    """Make a marking to try: problems, systems, made-up papers, four jurors, ready to serve.

    Example: iolai jury demo --out iolai-jury-demo
    """
    from iolai.errors import InputError

    if out.exists() and any(out.iterdir()):
        raise InputError(
            f"{out} is there already", hint="Name a new folder with --out, or delete this one."
        )
    made = _make(out, n_problems)
    if as_json:
        print_json({"home": str(made.home), "passwords": made.passwords, "n_papers": made.n_papers})
        return
    _tell(made)


def _make(out: Path, n_problems: int) -> _Made:
    from iolai.challenge.service import open_service
    from iolai.formats import builtin_path

    sources = sorted(path for path in builtin_path().iterdir() if path.is_dir())[:n_problems]
    file = _write_challenge(out / "challenge", sources)
    service = open_service(out / "home")
    try:
        passwords = _prepare(service, file, sources)
        n_papers = _begin(service, sources)
    finally:
        service.close()
    return _Made((out / "home").resolve(), passwords, n_papers)


def _write_challenge(folder: Path, sources: Sequence[Path]) -> Path:
    """Write the challenge's file, its problems, and the systems' predictions."""
    from iolai.files import read_bytes, write_whole
    from iolai.formats import read_key, write_submission_csv

    for source in sources:
        target = folder / "problems" / source.name / "problem.txt"
        write_whole(target, read_bytes(source / "problem.txt"))
    n_tasks = sum(len(read_key(source / "problem.txt").tasks) for source in sources)
    lines = [_TOML.format(slug=SLUG, n_public=max(1, n_tasks // 2))]
    for name, predictions in _solved(folder / "problems"):
        write_submission_csv(folder / f"{name}.csv", predictions)
        lines.append(f'[[baseline]]\nname = "{name}"\npredictions = "{name}.csv"\n')
    path = folder / "challenge.toml"
    write_whole(path, "\n".join(lines))
    return path


def _solved(problems: Path) -> Iterator[tuple[str, PredictionSet]]:
    """Solve with this program's solvers, which explain what they found."""
    from iolai.evaluation import solve
    from iolai.formats import read_problems

    read = read_problems(problems)
    with progress_bars() as bars:
        for name in _SYSTEMS:
            bar = bars.add_task(f"solving with {name}", total=len(read))
            for state in solve(read, name, seed=0, jobs=1, time_limit=_SOLVING_SECONDS):
                bars.update(bar, completed=state.n_solved)
            yield name, state.predictions


def _prepare(service: Service, file: Path, sources: Sequence[Path]) -> dict[str, str]:
    """Make challenge, accounts, groups, rubrics, and select everybody; return the passwords."""
    from iolai.challenge import accounts, challenges
    from iolai.challenge.jury import contestants, jurors, rubrics
    from iolai.challenge.service import Actor
    from iolai.formats import read_rubric, render_rubric
    from iolai.records import Role

    local = Actor.local()
    challenges.create(service, local, file)
    roles = {ORGANISER: Role.ORGANISER, **dict.fromkeys(JURORS, Role.JUROR)}
    passwords = {name: secrets.token_urlsafe(9) for name in roles}
    for name, role in roles.items():
        accounts.make_account(service, local, name, passwords[name], role)
    for source in sources:
        rubric = _with_answers(read_rubric(source / "rubric.toml"), source)
        rubrics.set_rubric(service, local, SLUG, rubric.problem, render_rubric(rubric))
        jurors.set_group(service, local, SLUG, rubric.problem, JURORS)
    teams = [entry.team for entry in contestants.list_entries(service, local, SLUG)]
    contestants.select(service, local, SLUG, teams, "all systems of the demo")
    for label, share in _PEOPLE:
        files = list(_papers(sources, share))
        contestants.add_person(service, local, SLUG, f"Made by rule: {label}", files)
    return passwords


def _with_answers(rubric: Rubric, source: Path) -> Rubric:
    """Write the right answers into the rubric: who tries the demo does not know them by heart."""
    from iolai.formats import read_key
    from iolai.reports.asked import label_at

    key = read_key(source / "problem.txt")
    items = _items(source)
    criteria = []
    for criterion in rubric.criteria:
        task = key.get(criterion.task) if criterion.kind == "task" else None
        answers = [] if task is None else [" / ".join(one.alternatives) for one in task.references]
        accept = tuple(
            f"{label_at(items[criterion.task], place)}. {text}"
            for place, text in enumerate(answers)
            if text
        )
        criteria.append(replace(criterion, accept=criterion.accept + accept))
    return replace(rubric, criteria=tuple(criteria))


def _items(source: Path) -> Mapping[str, Sequence[Item]]:
    """Return a sheet's items by task: papers and rubric call them alike."""
    from iolai.formats import read_problems
    from iolai.reading import read_items

    tasks = [task for one in read_problems(source / "problem.txt") for task in one.tasks]
    return {task.id: read_items(task) for task in tasks}


def _papers(sources: Sequence[Path], share: float) -> Iterator[tuple[str, str, bytes]]:
    """Yield a made-up person's papers, with such a share of the answers and of the rules."""
    from iolai.formats import read_key, read_rubric

    for source in sources:
        rubric = read_rubric(source / "rubric.toml")
        text = _paper(read_key(source / "problem.txt"), rubric, share, _items(source))
        yield rubric.problem, "typed.txt", text.encode()


def _paper(
    key: AnswerKey, rubric: Rubric, share: float, items: Mapping[str, Sequence[Item]]
) -> str:
    from iolai.reports.asked import label_at

    lines = []
    for number, task in enumerate(key, 1):
        lines.append(f"Task {number}")
        n_known = round(share * len(task.references))
        for place, reference in enumerate(task.references):
            answer = reference.alternatives[0] if place < n_known else "?"
            lines.append(f"{label_at(items[task.id], place)}. {answer}")
        lines.append("")
    rules = [one.notes for one in rubric.criteria if one.kind == "theory" and one.notes]
    kept = rules[: round(share * len(rules))]
    return "\n".join([*lines, *(["What I found:", *kept] if kept else [])])


def _begin(service: Service, sources: Sequence[Path]) -> int:
    """Set the thresholds as far as the points go, and begin."""
    from iolai.challenge.jury import beginning, settings
    from iolai.challenge.jury.state import JurySettings
    from iolai.challenge.service import Actor
    from iolai.records import Thresholds

    part = len(sources) / 5  # the thresholds are those of five problems
    thresholds = Thresholds(gold=_GOLD * part, silver=_SILVER * part, honourable=_HONOURABLE * part)
    settings.set_settings(service, Actor.local(), SLUG, JurySettings(thresholds=thresholds))
    return beginning.begin(service, Actor.local(), SLUG, "the demo begins").n_papers


def _tell(made: _Made) -> None:
    console = output_console()
    console.print(f"{made.n_papers} papers wait for four jurors.\n", markup=False)
    for name, password in made.passwords.items():
        console.print(f"  {name:<10} {password}", markup=False, highlight=False)
    console.print("\nServe it, and log in as one of them:\n", markup=False)
    console.print(f"  iolai serve --home {made.home}", markup=False, highlight=False)
    console.print(f"  http://127.0.0.1:8000/challenges/{SLUG}/jury", markup=False, highlight=False)
    error_console().print("The passwords are kept nowhere else.", style="dim")
