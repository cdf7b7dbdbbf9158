"""What the organiser's commands share: the home, and a service that is open while they run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from iolai.challenge.service import Actor, Service

__all__ = ["Home", "Reason", "opened"]

Home = Annotated[
    Path | None,
    typer.Option("--home", help="The service's folder; by default $IOLAI_HOME, else ./iolai-home."),
]
Reason = Annotated[str, typer.Option("--reason", help="Why; it stays in the audit log.")]


@contextmanager
def opened(home: Path | None) -> Iterator[tuple[Service, Actor]]:
    """Open the service, for whoever may run commands on its machine."""
    from iolai.challenge.service import Actor, default_home, open_service

    service = open_service(home if home is not None else default_home())
    try:
        yield service, Actor.local()
    finally:
        service.close()
