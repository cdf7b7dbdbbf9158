"""``iolai key``: care for an answer key."""

from __future__ import annotations

import typer

__all__ = ["app"]

app = typer.Typer(help="Care for an answer key.", no_args_is_help=True)


@app.callback()
def _root() -> None:
    """Care for an answer key."""
