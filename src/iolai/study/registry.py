"""The analyses of a study by name: an analysis is one file in this package and one line here."""

from __future__ import annotations

from collections.abc import Callable

from iolai.records.study import Table
from iolai.study.material import Material

__all__ = ["ANALYSES", "Analysis"]

#: Each works out its tables from the material; one without data is a table that says why.
Analysis = Callable[[Material], tuple[Table, ...]]

ANALYSES: dict[str, Analysis] = {}
