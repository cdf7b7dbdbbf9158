"""``iolai jury``: rubrics, explanations, and the result of a marking."""

from __future__ import annotations

import typer

from iolai.cli import jury_demo, jury_explanations, jury_results, jury_rubric, jury_service
from iolai.cli.service import As, act_as

__all__ = ["app"]

app = typer.Typer(
    help="The jury: rubrics, explanations to look at, and the result of a marking.",
    no_args_is_help=True,
)


@app.callback()
def _root(account: As = "") -> None:
    """The jury: rubrics, explanations to look at, a marking, and its result."""
    act_as(account)


app.command("demo")(jury_demo.command)
app.add_typer(jury_rubric.app, name="rubric")
app.command("explanations")(jury_explanations.command)
app.command("results")(jury_results.command)
jury_service.add_commands(app)
