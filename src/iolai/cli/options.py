"""Options that several commands take, with one wording."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

__all__ = [
    "DEFAULT",
    "CancelledUpload",
    "ChallengeName",
    "Entry",
    "Jobs",
    "Json",
    "Key",
    "Password",
    "Predictions",
    "Problems",
    "Seed",
    "SolverName",
    "SubmissionId",
    "TimeLimit",
]

#: Said in the help pages; a test keeps it equal to the solvers' own default, not loaded here.
DEFAULT = "induction"


def _part_of_address(text: str) -> str:
    """Return a slug or an id as it goes into an address; raises BadParameter where it cannot."""
    if not re.fullmatch(r"[A-Za-z0-9_-]+", text):
        raise typer.BadParameter(f"{text!r} is none: they have letters, digits and hyphens alone")
    return text


def _maybe_part_of_address(text: str | None) -> str | None:
    return None if text is None else _part_of_address(text)


ChallengeName = Annotated[
    str,
    typer.Argument(
        help="The challenge's short name, as in its address.", callback=_part_of_address
    ),
]
SubmissionId = Annotated[str, typer.Argument(help="A submission's id.", callback=_part_of_address)]
CancelledUpload = Annotated[
    str | None,
    typer.Option("--cancel", help="Drop the upload with this id.", callback=_maybe_part_of_address),
]
Problems = Annotated[
    Path,
    typer.Argument(
        help="Problems: test.csv, Linguini .jsonl or .zip, plain text, or a folder of them."
    ),
]
Entry = Annotated[
    Path,
    typer.Argument(
        help="The entry's folder, with script.py at its top.", show_default=True, readable=False
    ),
]
Key = Annotated[
    Path,
    typer.Argument(help="An answer key: solution.csv, or a problem set that has its references."),
]
Predictions = Annotated[
    Path, typer.Argument(help="Predictions: submission.csv, or a record's predictions.json.")
]
Json = Annotated[bool, typer.Option("--json", help="Write one JSON document to stdout.")]
Password = Annotated[
    str | None, typer.Option("--password", help="The password of an encrypted .zip.")
]
Jobs = Annotated[
    int, typer.Option("--jobs", min=1, help="How many processes to use; results do not change.")
]
Seed = Annotated[
    int, typer.Option("--seed", min=0, help="The seed of whatever is drawn at random.")
]
SolverName = Annotated[
    str | None,
    typer.Option("--solver", help=f"A solver, by default {DEFAULT}; a wrong name lists them all."),
]
TimeLimit = Annotated[
    float | None,
    typer.Option(
        "--time-limit",
        min=0.1,
        help="Seconds for the whole set; without it induction has 58 s a problem.",
    ),
]
