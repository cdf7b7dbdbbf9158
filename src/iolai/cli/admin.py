"""``iolai admin``: accounts of a service, its backup, its public key."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from iolai.cli.console import FAULTS, error_console, output_console, print_json
from iolai.cli.options import Json
from iolai.cli.outputs import require_output
from iolai.cli.service import As, Home, Reason, act_as, opened, system_user

if TYPE_CHECKING:
    from iolai.records import Role

__all__ = ["app"]

app = typer.Typer(help="Care for a service: accounts, backup.", no_args_is_help=True)

_Name = Annotated[str, typer.Argument(help="The account's name.")]
_Role = Annotated[str, typer.Option("--role", help="participant, juror, organiser or admin.")]
_PasswordFile = Annotated[
    Path | None,
    typer.Option("--password-file", help="A file whose first line is the password; else asked."),
]


@app.callback()
def _root(account: As = "") -> None:
    """Care for a service: accounts, backup."""
    act_as(account)


@app.command("add")
def add(
    name: _Name,
    role: _Role = "participant",
    password_file: _PasswordFile = None,
    home: Home = None,
) -> None:
    """Make an account of any role.

    Example: iolai admin add ada --role organiser
    """
    from iolai.challenge import accounts

    wanted, password = _role(role), _password(password_file)
    with opened(home) as (service, actor):
        made = accounts.make_account(service, actor, name, password, wanted)
    error_console().print(f"{made.name} is {made.role}.", markup=False)


@app.command("accounts")
def list_accounts(home: Home = None, as_json: Json = False) -> None:
    """List the accounts.

    Example: iolai admin accounts
    """
    from iolai.challenge import accounts

    with opened(home) as (service, actor):
        found = accounts.list_accounts(service, actor)
    if as_json:
        print_json(
            [
                {
                    "name": one.name,
                    "role": one.role.value,
                    "created_at": one.created_at,
                    "deleted_at": one.deleted_at or None,
                }
                for one in found
            ]
        )
        return
    console = output_console()
    for one in found:
        gone = f", closed {one.deleted_at[:16]}" if one.deleted_at else ""
        console.print(f"{one.name}: {one.role}, since {one.created_at[:16]}{gone}", markup=False)


@app.command("role")
def role(name: _Name, role: Annotated[str, typer.Argument()], home: Home = None) -> None:
    """Give an account another role.

    Example: iolai admin role ada organiser
    """
    from iolai.challenge import accounts

    with opened(home) as (service, actor):
        made = accounts.set_role(service, actor, name, _role(role))
    error_console().print(f"{made.name} is {made.role}.", markup=False)


@app.command("password")
def password(name: _Name, password_file: _PasswordFile = None, home: Home = None) -> None:
    """Set an account's password; its sessions end.

    Example: iolai admin password ada
    """
    from iolai.challenge import accounts

    text = _password(password_file)
    with opened(home) as (service, actor):
        accounts.set_password(service, actor, name, text)


@app.command("close")
def close(name: _Name, reason: Reason, home: Home = None) -> None:
    """Close an account: it can log in no more and leaves its teams; what it did stays.

    Example: iolai admin close ada --reason "asked for it"
    """
    from iolai.challenge import accounts

    with opened(home) as (service, actor):
        accounts.delete_account(service, actor, name, reason)


@app.command("public-key")
def public_key(home: Home = None) -> None:
    """Print the key that receipts of this service are verified with.

    Example: iolai admin public-key
    """
    from iolai.challenge import receipts

    with opened(home) as (service, _):
        typer.echo(receipts.public_key(service))


@app.command("audit")
def audit(home: Home = None) -> None:
    """Derive everything that is looked up from the events anew; exit 1 where anything differs.

    Example: iolai admin audit
    """
    from iolai.challenge.audit import differences

    with opened(home) as (service, actor):
        found = differences(service, actor)
    for line in found:
        output_console().print(line, markup=False)
    if found:
        raise typer.Exit(FAULTS)
    error_console().print("The rows are what the events say.")


@app.command("backup")
def backup(
    out: Annotated[Path, typer.Argument(help="The file to write, a .zip.")], home: Home = None
) -> None:
    """Back the home up while it is in use. The secret is not in it: keep a copy of it elsewhere.

    Example: iolai admin backup backup.zip
    """
    from iolai.challenge import backups

    require_output(out)
    with opened(home) as (service, actor):
        report = backups.backup(service, actor, out)
        secret = service.home / (service.settings.secret or "secret")
    error_console().print(
        f"{report.n_rows} rows, {report.n_blobs} files and {report.n_keys} sealed keys are in "
        f"{out}. Without {secret} the keys cannot be opened.",
        markup=False,
    )


@app.command("restore")
def restore(
    archive: Annotated[Path, typer.Argument(help="What iolai admin backup wrote.")],
    secret: Annotated[Path, typer.Option("--secret", help="The secret of the home it is of.")],
    home: Home = None,
) -> None:
    """Restore a backup into a new home. All sessions and tokens end.

    Example: iolai admin restore backup.zip --secret secret --home new-home
    """
    from iolai.challenge import backups
    from iolai.challenge.service import Actor, default_home

    actor = Actor.local(system_user())
    report = backups.restore(archive, home or default_home(), secret, actor)
    error_console().print(
        f"{report.n_rows} rows and {report.n_blobs} files are restored. All sessions and tokens "
        f"are ended ({report.n_ended} of the backup): people log in again and make new tokens. "
        "Passwords, roles and closed accounts are those of the backup: change again what was "
        "changed after it.",
        markup=False,
    )


def _role(name: str) -> Role:
    from iolai.errors import UnknownNameError
    from iolai.records import Role

    if name not in list(Role):
        raise UnknownNameError("role", name, [one.value for one in Role])
    return Role(name)


def _password(file: Path | None) -> str:
    if file is None:
        return str(typer.prompt("Password", hide_input=True, confirmation_prompt=True))
    from iolai.files import read_text

    return read_text(file).splitlines()[0]
