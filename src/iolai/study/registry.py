"""The analyses of a study by name: an analysis is one file in this package and one line here."""

from __future__ import annotations

from collections.abc import Callable

from iolai.records import Table
from iolai.study.ablation_effects import ablation_tables
from iolai.study.board_tables import board_tables
from iolai.study.ensembles import ensemble_tables
from iolai.study.explanation_effect import explanation_tables
from iolai.study.jury_compared import jury_tables
from iolai.study.likeness import likeness_tables
from iolai.study.material import Material
from iolai.study.power import power_tables
from iolai.study.presence import presence_tables
from iolai.study.probe_accuracy import probe_tables
from iolai.study.robustness import robustness_tables
from iolai.study.scores import score_tables
from iolai.study.techniques import technique_tables
from iolai.study.traces import trace_tables

__all__ = ["ANALYSES", "Analysis"]

#: Each works out its tables from the material; one without data is a table that says why.
Analysis = Callable[[Material], tuple[Table, ...]]

#: In the order of a report.
ANALYSES: dict[str, Analysis] = {
    "board": board_tables,
    "scores": score_tables,
    "robustness": robustness_tables,
    "ensembles": ensemble_tables,
    "explanation": explanation_tables,
    "ablation": ablation_tables,
    "probes": probe_tables,
    "presence": presence_tables,
    "techniques": technique_tables,
    "likeness": likeness_tables,
    "traces": trace_tables,
    "jury": jury_tables,
    "power": power_tables,
}
