"""``iolai jury`` at a service's machine: prepare a marking, begin it, follow it, unseal, export."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from iolai.cli.console import error_console, output_console, print_json
from iolai.cli.options import Json
from iolai.cli.outputs import require_output
from iolai.cli.service import Home, Reason, opened

if TYPE_CHECKING:
    from iolai.challenge.jury.jurors import Progress
    from iolai.records import Rubric

__all__ = ["add_commands"]

_Slug = Annotated[str, typer.Argument(help="The challenge's slug.")]
_Rubrics = Annotated[list[Path], typer.Argument(help="Files rubric.toml, or folders with them.")]
_People = Annotated[
    Path, typer.Argument(help="A folder a person, with files PROBLEM.txt, PROBLEM-1.png, .pdf ...")
]
_Jurors = Annotated[list[str], typer.Argument(help="The names of the jurors' accounts.")]
_Problem = Annotated[
    list[str] | None, typer.Option("--problem", help="A problem's id; all with a rubric else.")
]
_Wanted = Annotated[int, typer.Option("--top", min=1, help="How many entries, by their rank.")]
_EveryTask = Annotated[
    bool, typer.Option("--every-task", help="Only entries with an explanation on every task.")
]
_Seed = Annotated[
    int | None, typer.Option("--seed", min=0, help="Draws the assignment; else a random one.")
]
_Out = Annotated[Path, typer.Option("--out", readable=False, help="The folder for the packets.")]
_File = Annotated[Path, typer.Option("--out", readable=False, help="The file to write, a zip.")]
_NamePeople = Annotated[
    bool, typer.Option("--name-people", help="Name people, and put their pages in.")
]
_HideSystems = Annotated[bool, typer.Option("--hide-systems", help="Call systems by numbers too.")]


def add_commands(app: typer.Typer) -> None:
    """Put the commands of this file among those of ``iolai jury``."""
    app.command("set-rubrics")(set_rubrics)
    app.command("select")(select)
    app.command("people")(people)
    app.command("group")(group)
    app.command("begin")(begin)
    app.command("progress")(progress)
    app.command("packets")(packets)
    app.command("unseal")(unseal)
    app.command("export")(export)


def set_rubrics(slug: _Slug, rubrics: _Rubrics, home: Home = None) -> None:
    """Set the rubrics of a challenge's problems, before marking begins.

    Example: iolai jury set-rubrics winter problems/*/rubric.toml
    """
    from iolai.challenge.jury import rubrics as door
    from iolai.formats import render_rubric

    read = [one for path in rubrics for one in _read(path)]
    with opened(home) as (service, actor):
        for rubric in read:
            view = door.set_rubric(service, actor, slug, rubric.problem, render_rubric(rubric))
            notes = f" ({'; '.join(view.notes)})" if view.notes else ""
            version = view.rubric.version if view.rubric else 0
            said = f"{view.problem} {view.title}: version {version}{notes}"
            error_console().print(said, markup=False)


def _read(path: Path) -> list[Rubric]:
    from iolai.formats import read_rubric

    files = sorted(path.rglob("*.toml")) if path.is_dir() else [path]
    return [read_rubric(file) for file in files]


def select(
    slug: _Slug,
    reason: Reason,
    n_wanted: _Wanted = 10,
    every_task: _EveryTask = False,
    home: Home = None,
) -> None:
    """Select the entries that are proposed for marking; look at `iolai jury explanations` first.

    Example: iolai jury select winter --top 9 --every-task --reason "the nine best explained"
    """
    from iolai.challenge.jury import contestants, explaining

    with opened(home) as (service, actor):
        found = explaining.report(service, actor, slug, n_wanted=n_wanted, require_all=every_task)
        teams = {entry.name: entry.team for entry in found.entries}
        chosen = [teams[one.entry] for one in found.selection.proposed]
        contestants.select(service, actor, slug, chosen, reason)
    for one in found.selection.proposed:
        error_console().print(f"{one.rank}. {one.entry}: {one.reason}", markup=False)


def people(slug: _Slug, folder: _People, home: Home = None) -> None:
    """Take in people's papers from a folder; pages are drawn anew, without their metadata.

    Example: iolai jury people winter papers
    """
    from iolai.challenge.jury import contestants, rubrics
    from iolai.formats.papers_folder import read_papers

    with opened(home) as (service, actor):
        problems = [one.problem for one in rubrics.list_rubrics(service, actor, slug)]
        papers = read_papers(folder, problems)
        for name in dict.fromkeys(paper.contestant for paper in papers):
            own = [paper for paper in papers if paper.contestant == name]
            made = contestants.add_papers(service, actor, slug, name, own)
            said = f"{made.name}: {len(made.problems)} problems, {made.n_pages} pages"
            error_console().print(said, markup=False)


def group(slug: _Slug, jurors: _Jurors, problem: _Problem = None, home: Home = None) -> None:
    """Say who the jurors are, of some problems or of all that have a rubric.

    Example: iolai jury group winter juror-1 juror-2 juror-3 --problem 2026010
    """
    from iolai.challenge.jury import jurors as door
    from iolai.challenge.jury import rubrics

    with opened(home) as (service, actor):
        known = rubrics.list_rubrics(service, actor, slug)
        for one in problem or [view.problem for view in known if view.rubric]:
            door.set_group(service, actor, slug, one, jurors)


def begin(slug: _Slug, reason: Reason, seed: _Seed = None, home: Home = None) -> None:
    """Begin marking: papers are blinded, numbered, assigned, and the list of them is sealed.

    Example: iolai jury begin winter --reason "rubrics and selection are agreed on"
    """
    from iolai.challenge.jury import beginning

    with opened(home) as (service, actor):
        made = beginning.begin(service, actor, slug, reason, seed=seed)
    said = f"{made.n_papers} papers of {made.n_contestants} contestants, seed {made.seed}"
    error_console().print(said, markup=False)


def progress(slug: _Slug, home: Home = None, as_json: Json = False) -> None:
    """Show how far a marking is, in counts: by problem and by juror.

    Example: iolai jury progress winter
    """
    from iolai.challenge.jury import jurors

    with opened(home) as (service, actor):
        found = jurors.progress(service, actor, slug)
    if as_json:
        print_json(_json(found))
        return
    _print(found)


def _json(found: Progress) -> dict[str, object]:
    return {
        "state": found.state.value,
        "problems": [
            {
                "problem": one.problem,
                "n_papers": one.n_papers,
                "states": {state.value: n for state, n in sorted(one.states.items())},
                "n_marks": one.n_marks,
                "n_wanted": one.n_wanted,
                "n_open": one.n_open,
            }
            for one in found.problems
        ],
        "jurors": [
            {
                "juror": one.juror,
                "n_papers": one.n_papers,
                "n_handed_over": one.n_handed_over,
                "n_to_decide": one.n_to_decide,
            }
            for one in found.jurors
        ],
    }


def _print(found: Progress) -> None:
    from rich.table import Table
    from rich.text import Text

    console = output_console()
    console.print(f"The marking is {found.state}.", markup=False)
    problems = Table("Problem", "Papers", "Marks", "Settled", "Open differences", box=None)
    for one in found.problems:
        settled = sum(n for state, n in one.states.items() if state == "settled")
        figures = (one.n_papers, f"{one.n_marks} of {one.n_wanted}", settled, one.n_open)
        problems.add_row(Text(one.problem), *map(str, figures))
    jurors = Table("Juror", "Papers", "Handed over", "To decide", box=None)
    for line in found.jurors:
        counts = (line.n_papers, line.n_handed_over, line.n_to_decide)
        jurors.add_row(Text(line.juror), *map(str, counts))
    console.print(problems)
    console.print(jurors)


def packets(slug: _Slug, out: _Out, home: Home = None) -> None:
    """Write the blind papers of each problem as a PDF, for reading and printing.

    Example: iolai jury packets winter --out packets
    """
    from iolai.challenge.jury import packets as door
    from iolai.challenge.jury import rubrics
    from iolai.files import write_whole
    from iolai.reports.packet import packet_pdf

    with opened(home) as (service, actor):
        for view in rubrics.list_rubrics(service, actor, slug):
            if view.rubric is None:
                continue
            found = door.get_packet(service, actor, slug, view.problem)
            path = out / f"{view.problem}.pdf"
            write_whole(
                path, packet_pdf(found.problem, found.rubric, found.papers, notices=found.notices)
            )
            error_console().print(f"{path}: {len(found.papers)} papers", markup=False)


def unseal(slug: _Slug, reason: Reason, home: Home = None) -> None:
    """Unseal a settled marking: contestants get their names back, and no mark changes after it.

    Example: iolai jury unseal winter --reason "every paper is settled"
    """
    from iolai.challenge.jury import sealing

    with opened(home) as (service, actor):
        sealing.unseal(service, actor, slug, reason)


def export(
    slug: _Slug,
    out: _File,
    name_people: _NamePeople = False,
    hide_systems: _HideSystems = False,
    home: Home = None,
) -> None:
    """Write the work of an unsealed jury as a zip: rubrics, marks, papers, the result.

    Example: iolai jury export winter --out jury.zip
    """
    from iolai.challenge.jury.exporting import export_jury
    from iolai.challenge.jury.results import Anonymity
    from iolai.files import write_whole

    require_output(out)
    with opened(home) as (service, actor):
        hidden = Anonymity(systems=hide_systems, people=not name_people)
        write_whole(out, export_jury(service, actor, slug, hidden))
