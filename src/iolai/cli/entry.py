"""``iolai entry``: an entry's life on the participant's machine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from iolai.cli import entry_run
from iolai.cli.console import FAULTS, error_console, output_console, print_json, warn
from iolai.cli.options import Entry, Json

if TYPE_CHECKING:
    from iolai.entry import EntryFinding, Verification

__all__ = ["app"]

app = typer.Typer(help="Start, check, rehearse and pack an entry.", no_args_is_help=True)
app.command("run")(entry_run.command)


@app.callback()
def _root() -> None:
    """Start, check, rehearse and pack an entry."""


@app.command("new")
def new(
    folder: Annotated[Path, typer.Argument(help="The folder to write; it must be new or empty.")],
    starter: Annotated[
        str,
        typer.Option("--starter", "--recipe", help="The starting point; an unknown one lists all."),
    ] = "baseline",
) -> None:
    """Write an entry that works, to begin with.

    Example: iolai entry new my-entry --starter induction
    """
    from iolai.entry import STARTERS, new_entry

    files = new_entry(folder, starter)
    typer.echo(folder)
    console = error_console()
    console.print(f"{starter}: {STARTERS[starter]}; {len(files)} files.", markup=False)
    console.print(f"Next: iolai entry check {folder}", markup=False, style="dim")


@app.command("check")
def check(
    folder: Entry = Path(),
    max_gib: Annotated[
        float, typer.Option("--max-gib", min=0, help="How large an entry may be.")
    ] = 64.0,
    as_json: Json = False,
) -> None:
    """Find what would fail in the challenge, without running anything; exit 1 where it would.

    Example: iolai entry check my-entry
    """
    from iolai.entry import FolderLimits
    from iolai.evaluation import check_folder

    findings = check_folder(folder, FolderLimits(max_gib=max_gib))
    if as_json:
        print_json([_json(finding) for finding in findings])
    else:
        _print(findings)
    if findings:
        raise typer.Exit(FAULTS)


def _json(finding: EntryFinding) -> dict[str, object]:
    return {
        "kind": finding.kind,
        "file": finding.file or None,
        "line": finding.line or None,
        "text": finding.text,
        "hint": finding.hint,
    }


def _print(findings: tuple[EntryFinding, ...]) -> None:
    from rich.text import Text

    from iolai.text import visible

    console = output_console()
    for finding in findings:
        where = finding.file or "the entry"
        where += f":{finding.line}" if finding.line else ""
        line = visible(f": {finding.kind}: {finding.text}")
        console.print(Text.assemble((visible(where), "bold red"), line))
        console.print(Text(f"    {finding.hint}", style="dim"))
    n = len(findings)
    verdict = f"{n} finding{'s' if n > 1 else ''}." if n else "Nothing found that would fail."
    console.print(verdict, markup=False, style="bold")


@app.command("pack")
def pack(
    folder: Entry = Path(),
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            readable=False,
            help="The archive, .tar.gz or .zip; by default beside the folder.",
        ),
    ] = None,
    verify: Annotated[
        Path | None,
        typer.Option("--verify", help="Pack nothing; compare this archive with its own hashes."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Make the upload: one archive with the hashes of its files, byte-identical when repeated.

    Caches, virtual environments, version control and an old submission.csv stay out.

    Example: iolai entry pack my-entry --out my-entry.tar.gz
    """
    if verify is not None:
        _verify(verify, as_json=as_json)
        return
    from iolai.evaluation import check_folder, pack_entry

    place = folder.resolve()
    archive = out if out is not None else place.with_name(f"{place.name}.tar.gz")
    packed, sha256 = pack_entry(folder, archive)
    if n := len(check_folder(folder)):
        warn(f"iolai entry check finds {n} thing{'s' if n > 1 else ''} to look at in {folder}")
    if as_json:
        data: dict[str, object] = {"archive": str(archive), "sha256": sha256}
        data |= {"revision": packed.revision, "n_files": len(packed.files)}
        print_json({**data, "n_bytes": packed.n_bytes})
    else:
        typer.echo(f"{sha256}  {archive}")
        said = f"{len(packed.files)} files, {packed.n_bytes} bytes, revision {packed.revision}"
        error_console().print(said, markup=False, style="dim")


def _verify(archive: Path, *, as_json: bool) -> None:
    from iolai.entry import verify_archive

    found = verify_archive(archive)
    if as_json:
        data: dict[str, object] = {"archive": str(archive), "sha256": found.sha256}
        data |= {"n_files": found.n_files, "n_bytes": found.n_bytes}
        print_json({**data, "faults": list(found.faults)})
    else:
        _print_verdict(archive, found)
    if found.faults:
        raise typer.Exit(FAULTS)


def _print_verdict(archive: Path, found: Verification) -> None:
    for fault in found.faults:
        typer.echo(fault)
    if not found.faults:
        typer.echo(f"{found.sha256}  {archive}: all {found.n_files} files are as their hashes say")
