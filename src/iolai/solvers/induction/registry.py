"""The part solvers in the order they run: one file each, and one line here."""

from __future__ import annotations

from collections.abc import Callable

from iolai.solvers.induction.fallback import Fallback
from iolai.solvers.induction.grammar import PartSolver
from iolai.solvers.induction.kinship import KinTerms
from iolai.solvers.induction.matching import Matching
from iolai.solvers.induction.numerals import Numerals
from iolai.solvers.induction.paradigms import Paradigms
from iolai.solvers.induction.transcription import Transcription
from iolai.solvers.induction.translation.solver import Translation

__all__ = ["PART_SOLVERS"]

#: Cheap ones first: the first must answer every item, and each may replace what came before.
PART_SOLVERS: dict[str, Callable[[], PartSolver]] = {
    "fallback": Fallback,
    "matching": Matching,
    "paradigms": Paradigms,
    "numerals": Numerals,
    "translation": Translation,
    "transcription": Transcription,
    "kinship": KinTerms,
}
