"""What inspect-ai finds by iolai's entry point: its tasks and its models."""

from iolai.study.models import LanguageModelAPI, SimulatedAPI, SolverAPI
from iolai.study.tasks import builtin, probes, problems

__all__ = ["LanguageModelAPI", "SimulatedAPI", "SolverAPI", "builtin", "probes", "problems"]
