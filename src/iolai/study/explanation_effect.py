"""What asking for an explanation does to the score: a paired study."""

from __future__ import annotations

from dataclasses import replace

from iolai.records import Table
from iolai.study.material import Material
from iolai.study.paired_conditions import Change, effect_by_model

__all__ = ["explanation_tables"]

_CHANGE = Change(
    name="explanation",
    title="Asked for an explanation",
    before="answers only",
    after="with an explanation",
    changed=lambda condition: replace(condition, explanation=True),
)


def explanation_tables(material: Material) -> tuple[Table, ...]:
    """Return ``explanation`` (by model)."""
    return (effect_by_model(material, _CHANGE),)
