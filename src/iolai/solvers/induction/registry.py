"""The part solvers in the order they run: one file each, and one line here."""

from __future__ import annotations

from collections.abc import Callable

from iolai.solvers.induction.fallback import Fallback
from iolai.solvers.induction.grammar import PartSolver
from iolai.solvers.induction.numerals import Numerals
from iolai.solvers.induction.paradigms import Paradigms
from iolai.solvers.induction.translation import Translation

__all__ = ["PART_SOLVERS"]

#: Cheap ones first: the first must answer every item.
PART_SOLVERS: dict[str, Callable[[], PartSolver]] = {
    "fallback": Fallback,
    "paradigms": Paradigms,
    "numerals": Numerals,
    "translation": Translation,
}
