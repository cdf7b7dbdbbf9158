"""``iolai team``: a participant's side of a running challenge."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from iolai.cli.console import FAULTS, complain, error_console, print_json
from iolai.cli.options import CancelledUpload, ChallengeName, Json, SubmissionId
from iolai.cli.remote import Remote, ServerOption, connect, forget, known_account, remember
from iolai.cli.remote_text import print_submission, print_team, print_uploads, wait_for
from iolai.errors import InputError
from iolai.text import visible

__all__ = ["app"]

app = typer.Typer(help="Register, join a team, follow its submissions.", no_args_is_help=True)
receipts = typer.Typer(help="Show and verify receipts.", no_args_is_help=True)
app.add_typer(receipts, name="receipts")

_Name = Annotated[str, typer.Argument(help="The name of your account.")]
_PasswordFile = Annotated[
    Path | None,
    typer.Option("--password-file", help="Read the password from here; - is stdin."),
]
_Label = Annotated[str, typer.Option("--label", help="What the token is called in your account.")]


@app.callback()
def _root() -> None:
    """Register, join a team, follow its submissions."""


@app.command("register")
def register(
    name: _Name,
    server: ServerOption = None,
    password_file: _PasswordFile = None,
    label: _Label = "command line",
) -> None:
    """Make an account, and log in with a token that is kept for you.

    Example: iolai team register mira --server https://challenge.example.org
    """
    with connect(server, needs_account=False) as remote:
        password = _password(password_file, twice=True)
        remote.send("POST", "/accounts", {"name": name, "password": password})
        _log_in(remote, name, password, label)


@app.command("login")
def login(
    name: _Name,
    server: ServerOption = None,
    password_file: _PasswordFile = None,
    label: _Label = "command line",
) -> None:
    """Log in: a token is made and kept in a file that only you may read.

    Example: iolai team login mira --server https://challenge.example.org
    """
    with connect(server, needs_account=False) as remote:
        _log_in(remote, name, _password(password_file), label)


@app.command("logout")
def logout(server: ServerOption = None) -> None:
    """Revoke the token and forget it.

    Example: iolai team logout
    """
    with connect(server) as remote:
        try:
            if remote.account.token_id:
                remote.send("DELETE", f"/tokens/{remote.account.token_id}")
        finally:
            forget(remote.account)
        error_console().print("Logged out.")


@app.command("create")
def create(
    challenge: ChallengeName,
    name: Annotated[str, typer.Argument(help="The team's name, as the board shall show it.")],
    server: ServerOption = None,
    as_json: Json = False,
) -> None:
    """Register a team for a challenge; the code that is printed lets others join.

    Example: iolai team create summer "The glottal stops"
    """
    with connect(server) as remote:
        found = remote.send("POST", f"/challenges/{challenge}/team", {"name": name})
    print_json(found) if as_json else print_team(found)


@app.command("join")
def join(
    challenge: ChallengeName,
    code: Annotated[str, typer.Argument(help="The code that the team gave you.")],
    server: ServerOption = None,
    as_json: Json = False,
) -> None:
    """Join a team.

    Example: iolai team join summer k7m2-x9qd
    """
    with connect(server) as remote:
        found = remote.send("POST", f"/challenges/{challenge}/team/members", {"code": code})
    print_json(found) if as_json else print_team(found)


@app.command("leave")
def leave(challenge: ChallengeName, server: ServerOption = None) -> None:
    """Leave your team.

    Example: iolai team leave summer
    """
    with connect(server) as remote:
        remote.send("DELETE", f"/challenges/{challenge}/team/members/me")
    error_console().print("You have left the team.")


@app.command("remove")
def remove(
    challenge: ChallengeName,
    member: Annotated[str, typer.Argument(help="The name of a member who joined after you.")],
    server: ServerOption = None,
) -> None:
    """Take a member out of your team; the code for joining becomes another.

    Example: iolai team remove summer mira
    """
    with connect(server) as remote:
        found = remote.send(
            "POST", f"/challenges/{challenge}/team/members/remove", {"name": member}
        )
    error_console().print(f"The code for joining is now {found['join_code']}", markup=False)


@app.command("new-code")
def new_code(challenge: ChallengeName, server: ServerOption = None) -> None:
    """Give your team another code for joining; the old one works no more.

    Example: iolai team new-code summer
    """
    with connect(server) as remote:
        found = remote.send("POST", f"/challenges/{challenge}/team/join-code")
    error_console().print(f"The code for joining is now {found['join_code']}", markup=False)


@app.command("status")
def status(challenge: ChallengeName, server: ServerOption = None, as_json: Json = False) -> None:
    """Show quota, submissions and selection of your team.

    Example: iolai team status summer
    """
    with connect(server) as remote:
        found = remote.get(f"/challenges/{challenge}/team")
    print_json(found) if as_json else print_team(found)


@app.command("show")
def show(submission: SubmissionId, server: ServerOption = None, as_json: Json = False) -> None:
    """Show one submission: where it stands, and its public score by task.

    Example: iolai team show 4kq2m7ctx9w3
    """
    with connect(server) as remote:
        found = remote.get(f"/submissions/{submission}")
    print_json(found) if as_json else print_submission(found)


@app.command("wait")
def wait(
    submission: SubmissionId,
    timeout: Annotated[
        float | None, typer.Option("--timeout", min=0, help="Give up after so many seconds.")
    ] = None,
    server: ServerOption = None,
    as_json: Json = False,
) -> None:
    """Wait for a submission's verdict; exit 1 where the run did not succeed.

    Example: iolai team wait 4kq2m7ctx9w3 --timeout 3600
    """
    with connect(server) as remote:
        found = wait_for(remote, submission, timeout)
    print_json(found) if as_json else print_submission(found)
    if found["outcome"] != "ok":
        raise typer.Exit(FAULTS)


@app.command("log")
def log(submission: SubmissionId, server: ServerOption = None) -> None:
    """Print the end of a run's log.

    Example: iolai team log 4kq2m7ctx9w3
    """
    with connect(server) as remote:
        typer.echo(remote.text(f"/submissions/{submission}/log"), nl=False)


@app.command("uploads")
def uploads(
    cancel: CancelledUpload = None,
    server: ServerOption = None,
    as_json: Json = False,
) -> None:
    """List the uploads that were begun and not handed in, or drop one that hangs.

    Example: iolai team uploads --cancel 4kq2m7ctx9w3
    """
    with connect(server) as remote:
        if cancel is not None:
            remote.send("DELETE", f"/uploads/{cancel}")
            error_console().print("The upload is dropped.")
        found = remote.get("/uploads")
    print_json(found) if as_json else print_uploads(found)


@app.command("select")
def select(
    challenge: ChallengeName,
    submissions: Annotated[list[str], typer.Argument(help="The submissions that shall count.")],
    server: ServerOption = None,
    as_json: Json = False,
) -> None:
    """Choose the submissions that count in the end; it can be changed until the close.

    Example: iolai team select summer 4kq2m7ctx9w3 8htp5nbd2vqe
    """
    path = f"/challenges/{challenge}/team/selection"
    with connect(server) as remote:
        found = remote.send("PUT", path, {"submissions": submissions})
    print_json(found) if as_json else print_team(found)


@receipts.command("show")
def show_receipt(
    submission: SubmissionId,
    out: Annotated[
        Path | None, typer.Option("--out", readable=False, help="Write it to this file.")
    ] = None,
    server: ServerOption = None,
) -> None:
    """Print the receipt of a submission, or keep it as a file.

    Example: iolai team receipts show 4kq2m7ctx9w3 --out receipt.json
    """
    from iolai.files import write_whole

    with connect(server) as remote:
        text = remote.text(f"/submissions/{submission}/receipt")
    if out is None:
        typer.echo(text)
    else:
        write_whole(out, text)


@receipts.command("verify")
def verify_receipt(
    receipt: Annotated[Path, typer.Argument(help="A receipt's file.")],
    public_key: Annotated[
        str | None,
        typer.Option("--public-key", help="The service's key; else the one kept at log-in."),
    ] = None,
    server: ServerOption = None,
    as_json: Json = False,
) -> None:
    """Verify that the service signed a receipt, without asking it; exit 1 where it did not.

    Example: iolai team receipts verify receipt.json --public-key "$(cat service.pub)"
    """
    from iolai.challenge.receipts import verify
    from iolai.files import read_text

    key = public_key or known_account(server).public_key
    if not key:
        raise InputError(
            "the service's public key is not known",
            hint="Give it with --public-key; log-in keeps it. A service shows it at /api.",
        )
    text = read_text(receipt)
    try:
        claims = verify(text, key)
    except InputError as error:
        if as_json:
            print_json({"valid": False, "reason": error.message, "claims": None})
        complain(error)
        raise typer.Exit(FAULTS) from error
    if as_json:
        print_json({"valid": True, "reason": None, "claims": claims})
    else:
        typer.echo("The receipt is genuine.")
        for name, value in claims.items():
            typer.echo(f"  {name}: {visible(str(value))}")


def _log_in(remote: Remote, name: str, password: str, label: str) -> None:
    body = {"name": name, "password": password, "label": label}
    made = remote.send("POST", "/tokens", body)
    key = remote.account.public_key or remote.get("/service")["public_key"]
    account = replace(
        remote.account, name=name, token=made["token"], token_id=made["id"], public_key=key
    )
    remember(account)
    said = f"Logged in to {account.server} as {name}."
    error_console().print(said, markup=False)


def _password(file: Path | None, *, twice: bool = False) -> str:
    if file is None:
        return str(typer.prompt("Password", hide_input=True, confirmation_prompt=twice, err=True))
    from iolai.files import read_text

    text = sys.stdin.read() if str(file) == "-" else read_text(file)
    return text.rstrip("\r\n")
