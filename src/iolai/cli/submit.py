"""``iolai submit``: hand in predictions, an entry, or a repository at a revision."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from iolai.cli.console import FAULTS, error_console, print_json, progress
from iolai.cli.options import ChallengeName, Json
from iolai.cli.remote import ServerOption, connect
from iolai.cli.remote_text import print_submission, wait_for
from iolai.errors import InputError

if TYPE_CHECKING:
    from iolai.cli.remote import Remote

__all__ = ["command"]

_ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.xz")
_What = Annotated[
    Path | None,
    typer.Argument(help="submission.csv, an entry's archive, or an entry's folder (packed first)."),
]
_Repository = Annotated[
    str | None,
    typer.Option("--repository", help="A Hugging Face repository, USER/NAME, instead of a file."),
]
_Revision = Annotated[
    str | None, typer.Option("--revision", help="The repository's commit, branch or tag.")
]
_Note = Annotated[str, typer.Option("--note", help="A note for your own team.")]
_Wait = Annotated[bool, typer.Option("--wait", help="Wait for the verdict.")]


def command(
    challenge: ChallengeName,
    what: _What = None,
    repository: _Repository = None,
    revision: _Revision = None,
    note: _Note = "",
    wait: _Wait = False,
    server: ServerOption = None,
    as_json: Json = False,
) -> None:
    """Hand something in, and get a signed receipt for it.

    An archive is uploaded in pieces; run the command again where it was broken off, and it goes on.
    With --wait, exit 1 where the run did not succeed.

    Example: iolai submit summer submission.csv --note "second try" --wait
    """
    if (what is None) == (repository is None):
        raise typer.BadParameter("name a file or folder, or else a --repository")
    with connect(server) as remote:
        base = f"/challenges/{challenge}/submissions"
        if repository is not None:
            body = {"repository": repository, "revision": revision or "main", "note": note}
            found = remote.send("POST", f"{base}/repository", body)
        else:
            assert what is not None  # noqa: S101 -- one of the two is given
            found = _hand_in(remote, base, what, note)
        if wait:
            found = wait_for(remote, found["id"])
    if as_json:
        print_json(found)
    else:
        print_submission(found)
    if wait and found["outcome"] != "ok":
        raise typer.Exit(FAULTS)


def _hand_in(remote: Remote, base: str, what: Path, note: str) -> Any:
    if what.is_dir():
        return _hand_in_folder(remote, base, what, note)
    if what.name.lower().endswith(_ARCHIVES):
        return _hand_in_archive(remote, base, what, note)
    from iolai.files import read_bytes

    return remote.send_bytes("POST", f"{base}/predictions", read_bytes(what), note=note)


def _hand_in_folder(remote: Remote, base: str, folder: Path, note: str) -> Any:
    from iolai.evaluation import pack_entry

    if not (folder / "script.py").is_file():
        raise InputError(
            f"{folder} has no script.py", hint="Name an entry's folder, or a submission.csv."
        )
    with tempfile.TemporaryDirectory() as place:
        archive = Path(place) / f"{folder.resolve().name}.tar.gz"
        pack_entry(folder, archive)
        return _hand_in_archive(remote, base, archive, note)


def _hand_in_archive(remote: Remote, base: str, archive: Path, note: str) -> Any:
    if not archive.is_file():
        raise InputError(f"there is no file {archive}", hint="Check the path.")
    with progress() as bar:
        task = bar.add_task("Uploading", total=None)
        upload = remote.upload(
            archive, lambda sent, total: bar.update(task, completed=sent, total=total)
        )
    error_console().print("Uploaded and verified.", style="dim")
    return remote.send("POST", f"{base}/archive", {"upload": upload, "note": note})
