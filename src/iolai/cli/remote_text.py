"""What the service says, for a terminal."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from iolai.cli.console import error_console, output_console
from iolai.errors import InputError
from iolai.text import visible

if TYPE_CHECKING:
    from iolai.cli.remote import Remote

__all__ = ["print_submission", "print_team", "print_uploads", "wait_for"]

_LONGEST_PAUSE_S = 10.0


def wait_for(remote: Remote, submission: str, timeout_s: float | None = None) -> Any:
    """Ask until the submission has a verdict, and return it; what happens is said on stderr.

    Raises InputError where the time is over first; the submission goes on all the same.
    """
    began, pause, last = time.monotonic(), 0.5, ""
    while True:
        found = remote.get(f"/submissions/{submission}")
        if found["state"] == "done":
            return found
        said = _progress_text(found)
        if said != last:
            error_console().print(said, markup=False, style="dim")
            last = said
        if timeout_s is not None and time.monotonic() - began + pause > timeout_s:
            raise InputError(
                f"submission {submission} has no verdict yet: it is {found['state']}",
                hint=f"It goes on by itself. Ask again: iolai team wait {submission}",
            )
        time.sleep(pause)
        pause = min(pause * 1.5, _LONGEST_PAUSE_S)


def _progress_text(found: Any) -> str:
    text = str(found["state"])
    if found["place"]:
        text += f", place {found['place']} in the queue"
    if found["expected_s"] is not None:
        text += f", about {round(found['expected_s'] / 60)} min" if found["expected_s"] > 90 else ""
    return text


def print_submission(found: Any) -> None:
    """Print a submission: its state, its public score by task, what was odd."""
    console = output_console()
    console.print(f"{found['id']}  {found['kind']}  {_outcome(found)}", markup=False, style="bold")
    received = found["received_at"][:19].replace("T", " ")
    console.print(f"received {received} UTC", markup=False, style="dim")
    what = f"{found['source']} at {found['revision']}" if found["revision"] else found["source"]
    for name, value in (("from", what), ("note", found["note"])):
        if value:
            console.print(f"{name}: {visible(value)}", markup=False)
    if found["detail"]:
        console.print(visible(found["detail"]), markup=False)
    from iolai.reports.figures import count

    public = found["public"]
    if public is None:
        return
    console.print(
        f"public score {_figure(public['score'])} (EM {_figure(public['exact_match'])}, "
        f"chrF {_figure(public['chrf'])}), {count(public['n_tasks'], 'task')}",
        markup=False,
    )
    if found["whole"]:
        console.print(f"score over all tasks {_figure(found['whole']['score'])}", markup=False)
    for task in public["tasks"]:
        figures = f"EM {_figure(task['exact_match'])}, chrF {_figure(task['chrf'])}"
        console.print(f"  {task['id']}  {figures}  read {task['n_read']}", markup=False)
        for finding in task["findings"]:
            where = f" (item {finding['item']})" if finding["item"] else ""
            said = f"{finding['kind']}{where}: {finding['text']}"
            console.print(f"    {visible(said)}", markup=False, style="yellow")
    for task in found["private"]:
        figures = f"EM {_figure(task['exact_match'])}, chrF {_figure(task['chrf'])}"
        console.print(f"  {task['id']}  {figures}  private", markup=False)


def print_uploads(found: Any) -> None:
    """Print uploads: how much of each has arrived."""
    if not found:
        error_console().print("No upload of yours is under way.")
    for one in found:
        state = "whole, not handed in" if one["done"] else f"{one['offset']} of {one['size']} bytes"
        output_console().print(f"{one['id']}  {visible(one['name'])}  {state}", markup=False)


def print_team(found: Any) -> None:
    """Print a team: its quota, its submissions, its selection."""
    console = output_console()
    console.print(visible(found["name"]), markup=False, style="bold")
    console.print(f"members: {', '.join(visible(m) for m in found['members'])}", markup=False)
    if found["join_code"]:
        console.print(f"code for joining: {found['join_code']}", markup=False)
    quota = found["quota"]
    console.print(
        f"today: {quota['used']} of {quota['per_day']} used; the next day begins "
        f"{quota['resets_at'][:10]} at midnight, UTC",
        markup=False,
    )
    if found["final"]:
        final = found["final"]
        rank = f"rank {final['rank']} of {final['n_teams']}" if final["rank"] else "no rank"
        console.print(f"final result: {rank}, score {_figure(final['score'])}", markup=False)
    for item in found["submissions"]:
        score = _figure(item["public"]["score"]) if item["public"] else "–"
        marks = "".join(f"  {mark}" for mark in _marks(found, item["id"]))
        what = f"{item['received_at'][:16].replace('T', ' ')}  {item['kind']:<11}"
        note = f"  {visible(item['note'])}" if item["note"] else ""
        line = f"  {item['id']}  {what}  {score:>6}  {_outcome(item)}{marks}{note}"
        console.print(line, markup=False)


def _marks(team: Any, submission: str) -> list[str]:
    """Say what a submission counts for."""
    final, selection = team["final"], team["selection"]
    marks = ["final run"] if final and final["submission"] == submission else []
    if submission in selection["chosen"]:
        return [*marks, "selected"]
    return [*marks, *(["counts by default"] if submission in selection["counts"] else [])]


def _outcome(found: Any) -> str:
    return str(found["outcome"] or found["state"]).replace("_", " ")


def _figure(value: float | None) -> str:
    from iolai.reports.figures import hundredfold

    return hundredfold(value)
