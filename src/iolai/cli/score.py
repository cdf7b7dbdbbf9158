"""``iolai score``: predictions against an answer key, by the official rule."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from iolai.cli.console import output_console, print_json, warn
from iolai.cli.options import Json, Key, Password, Predictions

if TYPE_CHECKING:
    from iolai.records import Score

__all__ = ["command"]


class Split(StrEnum):
    """Which tasks to score."""

    ALL = "all"
    PUBLIC = "public"
    PRIVATE = "private"


def command(
    predictions: Predictions,
    key: Key,
    split: Annotated[Split, typer.Option("--split", help="Score only this split.")] = Split.ALL,
    per_item: Annotated[bool, typer.Option("--per-item", help="Show every item.")] = False,
    password: Password = None,
    as_json: Json = False,
) -> None:
    """Score predictions against an answer key, as published.

    Example: iolai score submission.csv solution.csv --per-item
    """
    from iolai.evaluation import score_files

    score = score_files(predictions, key, split=split.value, password=password, on_warning=warn)
    for warning in score.warnings:
        warn(warning)
    if as_json:
        from iolai.reports import score_json

        print_json(score_json(score, per_item=per_item))
    else:
        _print(score, per_item=per_item)


def _print(score: Score, *, per_item: bool) -> None:
    from iolai.reports import item_table, score_table

    console = output_console()
    console.print(score_table(score))
    if per_item:
        console.print(item_table(score))
    console.print(f"Signature: {score.signature}", style="dim", markup=False)
