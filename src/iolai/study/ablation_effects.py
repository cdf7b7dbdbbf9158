"""What the models lose where the language's name, family, place and notes are removed."""

from __future__ import annotations

from dataclasses import replace

from iolai.records import Table
from iolai.study.material import Material
from iolai.study.paired_conditions import Change, effect_by_model, effect_by_problem

__all__ = ["ablation_tables"]

_CHANGE = Change(
    name="ablation",
    title="Context ablated",
    before="whole context",
    after="ablated context",
    changed=lambda condition: replace(condition, context="ablated"),
)


def ablation_tables(material: Material) -> tuple[Table, ...]:
    """Return ``ablation`` (by model) and ``ablation-problems``."""
    return effect_by_model(material, _CHANGE), effect_by_problem(material, _CHANGE)
