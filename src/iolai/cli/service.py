"""What the organiser's commands share: the home, and a service that is open while they run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from iolai.challenge.service import Actor, Service

__all__ = ["As", "Home", "Reason", "act_as", "opened", "system_user"]

Home = Annotated[
    Path | None,
    typer.Option("--home", help="The service's folder; by default $IOLAI_HOME, else ./iolai-home."),
]
Reason = Annotated[str, typer.Option("--reason", help="Why; it stays in the audit log.")]
As = Annotated[
    str,
    typer.Option("--as", help="The account in whose name this is done; the audit log tells both."),
]
_account: ContextVar[str] = ContextVar("account", default="")


def act_as(account: str) -> None:
    """Remember, for the command that follows, in whose name it is given; ``""`` for nobody's."""
    _account.set(account)


def system_user() -> str:
    """Return who runs this, as the system knows them: no variable of the environment is asked."""
    import os
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:  # a user without a name, as in some containers
        return str(os.getuid())


@contextmanager
def opened(home: Path | None) -> Iterator[tuple[Service, Actor]]:
    """Open the service, for whoever may run commands on its machine."""
    from iolai.challenge.accounts import get_account
    from iolai.challenge.service import Actor, default_home, open_service

    service = open_service(home if home is not None else default_home())
    try:
        name = _account.get()
        account = get_account(service, Actor.local(), name).id if name else ""
        yield service, Actor.local(system_user(), account)
    finally:
        service.close()
