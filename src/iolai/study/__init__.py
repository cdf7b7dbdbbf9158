"""Studies: many calls to models in one long table, and what is worked out from it.

outcomes -> material -> analyses (``ANALYSES``) -> tables, and figures (``FIGURES``) -> reports
"""

from iolai.study.ablation import ablate_problems, ablate_task, ablation_diff, read_edits
from iolai.study.facts import read_facts
from iolai.study.figures import FIGURES
from iolai.study.handed_in import read_entries, read_jury
from iolai.study.material import JuryFigure, Material, StudyEntry
from iolai.study.outcomes import item_csv, predicted, read_outcomes, scored, write_outcomes
from iolai.study.presence import read_presence
from iolai.study.probes import Probe, make_probes, probe_outcome
from iolai.study.registry import ANALYSES
from iolai.study.simulating import PlantedModel, PlantedWorld, simulated_answers, simulated_choice
from iolai.study.tagging import propose_techniques

__all__ = [
    "ANALYSES",
    "FIGURES",
    "JuryFigure",
    "Material",
    "PlantedModel",
    "PlantedWorld",
    "Probe",
    "StudyEntry",
    "ablate_problems",
    "ablate_task",
    "ablation_diff",
    "item_csv",
    "make_probes",
    "predicted",
    "probe_outcome",
    "propose_techniques",
    "read_edits",
    "read_entries",
    "read_facts",
    "read_jury",
    "read_outcomes",
    "read_presence",
    "scored",
    "simulated_answers",
    "simulated_choice",
    "write_outcomes",
]
