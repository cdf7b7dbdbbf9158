"""``iolai score``: predictions against an answer key, by the official rule."""

from __future__ import annotations

from iolai.cli.options import Json, Key, Password, Predictions

__all__ = ["command"]


def command(
    predictions: Predictions, key: Key, password: Password = None, as_json: Json = False
) -> None:
    """Score predictions against an answer key, as published."""
