"""``iolai challenge``: make a challenge from its file, and run it to its end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from iolai.cli.console import error_console, output_console, print_json
from iolai.cli.options import Json
from iolai.cli.outputs import require_output
from iolai.cli.service import As, Home, Reason, act_as, opened
from iolai.text import visible

if TYPE_CHECKING:
    from rich.table import Table

    from iolai.challenge.boards import Why
    from iolai.challenge.challenges import ChallengeView
    from iolai.challenge.proposals import Preview
    from iolai.records import Event

__all__ = ["app"]

app = typer.Typer(help="Make and run a challenge.", no_args_is_help=True)

_Slug = Annotated[str, typer.Argument(help="The challenge's slug, as in its file.")]
_File = Annotated[Path, typer.Argument(help="The challenge's file: challenge.toml.")]
_ShowReason = Annotated[
    bool, typer.Option("--show-reason", help="Everybody who asks for a rank may read the reason.")
]
_Proposal = Annotated[str, typer.Argument(help="The proposal's id.")]


@app.callback()
def _root(account: As = "") -> None:
    """Make and run a challenge."""
    act_as(account)


@app.command("create")
def create(file: _File, home: Home = None, as_json: Json = False) -> None:
    """Make a challenge from its file; problems, key and baselines are copied into the home.

    Example: iolai challenge create challenge.toml
    """
    from iolai.challenge import challenges

    with opened(home) as (service, actor):
        _show(challenges.create(service, actor, file), as_json=as_json)


@app.command("update")
def update(slug: _Slug, file: _File, reason: Reason, home: Home = None) -> None:
    """Change a challenge's settings by its file; problems, split, points and key stay.

    Example: iolai challenge update winter challenge.toml --reason "two days more"
    """
    from iolai.challenge import challenges

    with opened(home) as (service, actor):
        _show(challenges.update(service, actor, slug, file, reason), as_json=False)


@app.command("list")
def list_all(home: Home = None, as_json: Json = False) -> None:
    """List the challenges of a home.

    Example: iolai challenge list
    """
    from iolai.challenge import challenges

    with opened(home) as (service, actor):
        views = challenges.list_challenges(service, actor)
        for slug in challenges.damaged(service, actor):
            error_console().print(f"{slug}: damaged; what is kept of it cannot be read")
    if as_json:
        print_json([_json(view) for view in views])
        return
    table = _table("Challenge", "Title", "Phase", "Teams", "Submissions")
    for view in views:
        settings = view.settings
        counts = str(view.n_teams), str(view.n_submissions or 0)
        table.add_row(settings.slug, settings.title, _phase(view), *counts)
    output_console().print(table)


@app.command("show")
def show(
    slug: _Slug,
    as_toml: Annotated[
        bool, typer.Option("--toml", help="Write its settings as challenge.toml has them.")
    ] = False,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Show where a challenge stands: its phase, its times, its split.

    Example: iolai challenge show winter
    """
    from iolai.challenge import challenges
    from iolai.challenge.settings import settings_to_toml

    with opened(home) as (service, actor):
        view = challenges.get(service, actor, slug)
    if as_toml:
        typer.echo(settings_to_toml(view.settings), nl=False)
    else:
        _show(view, as_json=as_json)


@app.command("phase")
def phase(
    slug: _Slug,
    name: Annotated[str, typer.Argument(help="planned, registration, open, frozen or final.")],
    reason: Reason,
    home: Home = None,
) -> None:
    """Set the phase now; it holds until the time of a later phase comes.

    Example: iolai challenge phase winter open --reason "we start early"
    """
    from iolai.challenge import challenges
    from iolai.errors import UnknownNameError
    from iolai.records import Phase

    if name not in list(Phase):
        raise UnknownNameError("phase", name, [one.value for one in Phase])
    with opened(home) as (service, actor):
        view = challenges.set_phase(service, actor, slug, Phase(name), reason)
        _show(view, as_json=False)


@app.command("publish")
def publish(slug: _Slug, home: Home = None, reason: Reason = "") -> None:
    """Make the final board public, the private scores with it.

    Example: iolai challenge publish winter
    """
    from iolai.challenge import challenges

    with opened(home) as (service, actor):
        _show(challenges.publish(service, actor, slug, reason), as_json=False)


@app.command("board")
def board(
    slug: _Slug,
    final: Annotated[
        bool, typer.Option("--final", help="The final board, even before it is published.")
    ] = False,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Show the board that is public now, or the final one.

    Example: iolai challenge board winter --final
    """
    from iolai.challenge import boards

    with opened(home) as (service, actor):
        make = boards.final_board if final else lambda *of: boards.shown_board(*of)[0]
        made = make(service, actor, slug)
    if as_json:
        from iolai.reports.board_rows import board_rows

        print_json(board_rows(made, verify=False))
        return
    from iolai.reports.board_text import board_table

    console = output_console()
    console.print(board_table(made, console.width))


@app.command("why")
def why(
    slug: _Slug,
    team: Annotated[str, typer.Argument(help="The team's name.")],
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Say why a team stands where it stands: the run, the rule, the events.

    Example: iolai challenge why winter "Team A"
    """
    from iolai.challenge import boards, teams
    from iolai.challenge.names import fold_name
    from iolai.errors import NotFoundError

    with opened(home) as (service, actor):
        lines = teams.list_teams(service, actor, slug)
        found = [one.team for one in lines if fold_name(one.team.name) == fold_name(team)]
        if not found:
            raise NotFoundError(f"there is no team {team!r}", hint="Check the name.")
        reason = boards.why(service, actor, slug, found[0].id)
    if as_json:
        print_json({**asdict(reason), "events": [_event_json(event) for event in reason.events]})
    else:
        _print_why(reason)


def _event_json(event: Event) -> dict[str, Any]:
    return {**asdict(event), "kind": event.kind.value, "data": dict(event.data)}


def _print_why(reason: Why) -> None:
    from iolai.challenge.telling import said_of
    from iolai.reports.figures import hundredfold

    console = output_console()
    place = f"rank {reason.rank}" if reason.rank else "no rank"
    score = "" if reason.score is None else f", score {hundredfold(reason.score)}"
    team = visible(reason.team)
    console.print(f"{team}: {place} on the {reason.board} board{score}", markup=False)
    run = f"submission {reason.submission}, run {reason.run}: " if reason.run else ""
    console.print(f"{run}{reason.rule}", markup=False)
    for event in reason.events:
        by = f" (by {visible(event.author)})" if event.author else ""
        why = f": {visible(event.reason)}" if event.reason else ""
        at = f"{event.at[:19]}Z".replace("T", " ")
        console.print(f"  {at}  {said_of(event)}{by}{why}", markup=False, soft_wrap=True)


@app.command("key")
def key(
    slug: _Slug,
    file: Annotated[Path, typer.Argument(help="The corrected answer key.")],
    reason: Reason,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Propose a corrected key: shows whose rank would change; iolai challenge apply makes it count.

    Example: iolai challenge key winter solution.csv --reason "task 3 had a typo"
    """
    from iolai.challenge import proposals

    with opened(home) as (service, actor):
        proposal = proposals.propose_key(service, actor, slug, file, reason)
        _preview(proposals.preview(service, actor, proposal.id), as_json=as_json)


@app.command("rejudge")
def rejudge(
    slug: _Slug,
    reason: Reason,
    submissions: Annotated[
        list[str] | None, typer.Argument(help="Ids of submissions; none for all.")
    ] = None,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Run submissions again; iolai challenge apply makes the new runs count.

    Example: iolai challenge rejudge winter --reason "a worker had no GPU"
    """
    from iolai.challenge import proposals

    with opened(home) as (service, actor):
        proposal = proposals.propose_rejudge(service, actor, slug, submissions or None, reason)
        _preview(proposals.preview(service, actor, proposal.id), as_json=as_json)


@app.command("proposals")
def list_proposals(slug: _Slug, home: Home = None) -> None:
    """List rejudgements and corrected keys, the newest first.

    Example: iolai challenge proposals winter
    """
    from iolai.challenge import proposals

    table = _table("Proposal", "Kind", "State", "Made", "Reason")
    with opened(home) as (service, actor):
        for one in proposals.list_proposals(service, actor, slug):
            table.add_row(one.id, one.kind, one.state.value, one.created_at[:16], one.reason)
    output_console().print(table)


@app.command("preview")
def preview(proposal: _Proposal, home: Home = None, as_json: Json = False) -> None:
    """Show whose rank a proposal would change.

    Example: iolai challenge preview k3v9x2m4p7q8
    """
    from iolai.challenge import proposals

    with opened(home) as (service, actor):
        _preview(proposals.preview(service, actor, proposal), as_json=as_json)


@app.command("apply")
def apply(proposal: _Proposal, show_reason: _ShowReason = False, home: Home = None) -> None:
    """Make a proposal count.

    Example: iolai challenge apply k3v9x2m4p7q8
    """
    from iolai.challenge import proposals

    with opened(home) as (service, actor):
        state = proposals.apply(service, actor, proposal, show_reason=show_reason).state
    error_console().print(f"The proposal is {state}.")


@app.command("cancel")
def cancel(proposal: _Proposal, home: Home = None, reason: Reason = "") -> None:
    """Drop a proposal; its runs that still wait are not run.

    Example: iolai challenge cancel k3v9x2m4p7q8
    """
    from iolai.challenge import proposals

    with opened(home) as (service, actor):
        state = proposals.cancel(service, actor, proposal, reason).state
    error_console().print(f"The proposal is {state}.")


@app.command("disqualify")
def disqualify(
    slug: _Slug,
    team: Annotated[str, typer.Argument(help="The team's id.")],
    reason: Reason,
    undo: Annotated[bool, typer.Option("--undo", help="Put the team back.")] = False,
    show_reason: _ShowReason = False,
    home: Home = None,
) -> None:
    """Take a team off the boards, or put it back; its submissions stay.

    Example: iolai challenge disqualify winter k3v9x2m4p7q8 --reason "two accounts"
    """
    from iolai.challenge import teams

    with opened(home) as (service, actor):
        change = teams.reinstate if undo else teams.disqualify
        change(service, actor, slug, team, reason, show_reason=show_reason)


@app.command("teams")
def list_teams(slug: _Slug, home: Home = None) -> None:
    """List the teams, their members and what they have used of today's quota.

    Example: iolai challenge teams winter
    """
    from iolai.challenge import teams
    from iolai.records import TeamKind

    table = _table("Team", "Id", "Members", "Submissions", "Today", "")
    with opened(home) as (service, actor):
        for line in teams.list_teams(service, actor, slug):
            members = ", ".join(member.name for member in line.members)
            today = f"{line.quota.used} of {line.quota.per_day}"
            said = f"disqualified: {line.disqualified}" if line.disqualified else ""
            if line.team.kind is not TeamKind.TEAM:
                today, said = "", said or line.team.kind.value
            table.add_row(
                line.team.name, line.team.id, members, str(line.n_submissions), today, said
            )
    output_console().print(table)


@app.command("delete")
def delete(slug: _Slug, reason: Reason, home: Home = None) -> None:
    """Take a challenge out of sight; all its rows and events stay.

    Example: iolai challenge delete trial --reason "it was a trial"
    """
    from iolai.challenge import challenges

    with opened(home) as (service, actor):
        challenges.delete(service, actor, slug, reason)


@app.command("export")
def export(
    slug: _Slug,
    out: Annotated[Path, typer.Argument(help="The file to write, a .zip.")],
    with_key: Annotated[
        bool, typer.Option("--with-key", help="With the answer keys, in the clear: guard the file.")
    ] = False,
    home: Home = None,
) -> None:
    """Write all of a challenge into one file, to be imported into another home.

    Example: iolai challenge export winter winter.zip
    """
    from iolai.challenge import transfer

    require_output(out)
    with opened(home) as (service, actor):
        transfer.export_challenge(service, actor, slug, out, with_key=with_key)
    error_console().print(f"The challenge is in {out}.", markup=False)


@app.command("import")
def import_(
    file: Annotated[Path, typer.Argument(help="What iolai challenge export wrote.")],
    home: Home = None,
) -> None:
    """Read an exported challenge into this home.

    Example: iolai challenge import winter.zip
    """
    from iolai.challenge import transfer

    with opened(home) as (service, actor):
        _show(transfer.import_challenge(service, actor, file), as_json=False)


@app.command("import-records")
def import_records(
    folder: Annotated[
        Path, typer.Argument(help="A release: leaderboard.csv, task/ and submissions/.")
    ],
    slug: Annotated[str, typer.Option("--slug", help="By default the folder's name.")] = "",
    title: Annotated[
        str, typer.Option("--title", help="By default made of the folder's name.")
    ] = "",
    home: Home = None,
) -> None:
    """Import archived records as a finished, published challenge.

    Example: iolai challenge import-records iol2026-records
    """
    from iolai.challenge import archived

    with opened(home) as (service, actor):
        _show(archived.import_records(service, actor, folder, slug, title), as_json=False)


@app.command("records")
def records(
    slug: _Slug,
    folder: Annotated[Path, typer.Argument(help="A new folder for the records.")],
    reason: Reason,
    home: Home = None,
) -> None:
    """Write a published challenge as archived records, with its key.

    Anybody can then recompute the board: iolai board FOLDER --verify

    Example: iolai challenge records winter winter-records --reason "the release"
    """
    from iolai.challenge import archived

    with opened(home) as (service, actor):
        archived.board_as_records(service, actor, slug, folder, reason)
    error_console().print(f"The records are in {folder}.", markup=False)


def _table(*columns: str) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD)
    for column in columns:
        table.add_column(column)
    return table


def _phase(view: ChallengeView) -> str:
    return "published" if view.is_published else view.phase.value


def _json(view: ChallengeView) -> dict[str, Any]:
    settings = view.settings
    return {
        "slug": settings.slug,
        "title": settings.title,
        "phase": view.phase.value,
        "published_at": view.published_at or None,
        "next_change": list(view.next_change) if view.next_change else None,
        "times": {
            name: getattr(settings, name) for name in ("registration", "open", "freeze", "close")
        },
        "n_teams": view.n_teams,
        "n_submissions": view.n_submissions,
        "quota_per_day": settings.quota_per_day,
        "n_selections": settings.n_selections,
        "team_size": settings.team_size,
        "tasks": [
            {"id": t.id, "task_type": t.task_type, "split": t.split, "points": t.points}
            for t in view.tasks
        ],
    }


def _show(view: ChallengeView, *, as_json: bool) -> None:
    if as_json:
        print_json(_json(view))
        return
    from iolai.reports.figures import count

    settings, console = view.settings, output_console()
    console.print(f"{settings.slug}: {settings.title}", markup=False, style="bold")
    then = f"; {view.next_change[1]} from {view.next_change[0][:16]}Z" if view.next_change else ""
    console.print(f"Phase: {_phase(view)}{then}", markup=False)
    for split in ("public", "private"):
        tasks = [task for task in view.tasks if task.split == split]
        types: dict[str, int] = {}
        for task in tasks:
            types[task.task_type] = types.get(task.task_type, 0) + 1
        said = ", ".join(f"{n} {name.replace('_', ' ')}" for name, n in sorted(types.items()))
        points = sum(task.points for task in tasks)
        unit = "point" if points == 1 else "points"
        console.print(
            f"{split}: {count(len(tasks), 'task')} ({said}), {points:g} {unit}", markup=False
        )
    console.print(
        f"{count(view.n_teams, 'team')} of up to {settings.team_size}, "
        f"{count(view.n_submissions or 0, 'submission')}; {settings.quota_per_day} a day, "
        f"{settings.n_selections} final runs",
        markup=False,
    )


def _preview(found: Preview, *, as_json: bool) -> None:
    if as_json:
        print_json(_preview_json(found))
        return
    console = output_console()
    one = found.proposal
    console.print(f"Proposal {one.id} ({one.kind}): {one.state}", markup=False, style="bold")
    if found.rescored is not None:
        counts = found.rescored
        console.print(
            f"{counts.n_tasks_changed} tasks changed; {counts.n_tasks_scored} task scores made "
            f"anew for {counts.n_runs} runs, {counts.n_outputs_read} outputs read again",
            markup=False,
        )
    if found.n_runs_pending:
        console.print(f"{found.n_runs_pending} of {found.n_runs} runs pending", markup=False)
    table = _table("Team", "Public rank", "Final rank", "Score")
    for row in found.changed:
        score = tuple("-" if value is None else f"{100 * value:.2f}" for value in row.score)
        table.add_row(row.team, *map(_change, (row.public_rank, row.final_rank, score)))
    if found.changed:
        console.print(table)
    else:
        console.print("No rank and no score would change.")


def _change(pair: Sequence[object]) -> str:
    before, after = ("-" if value is None else str(value) for value in pair)
    return before if before == after else f"{before} -> {after}"


def _preview_json(found: Preview) -> dict[str, Any]:
    return {
        "proposal": found.proposal.id,
        "kind": found.proposal.kind,
        "state": found.proposal.state.value,
        "n_runs": found.n_runs,
        "n_runs_pending": found.n_runs_pending,
        "rescored": asdict(found.rescored) if found.rescored else None,
        "changed": [
            {
                "team": row.team,
                "public_rank": list(row.public_rank),
                "final_rank": list(row.final_rank),
                "score": list(row.score),
            }
            for row in found.changed
        ],
    }
