"""The engine's settings in one place: set by hand, and chosen by leave-problems-out if at all.

``benchmarks/bench_solvers.py --grid`` compares settings without ever scoring one on the problems it
was chosen on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from iolai.errors import UnknownNameError
from iolai.solvers.induction.calibration import Map
from iolai.solvers.induction.translation.lexicon import Settings as FitSettings

if TYPE_CHECKING:
    from typing import Self  # not in Python 3.10, which runs entries

__all__ = ["CONFIDENCE", "Settings", "Tunable"]

#: Offset and slope of the log-odds of being right, by what an item asks. Fitted by
#: ``benchmarks/bench_confidence.py`` on 934 items of the built-in problems and of Linguini
#: 2003-2019, seed 0; over five folds of problems left out the Brier score falls from 0.182 to
#: 0.138. Matching was fitted later, on the share of the vote (seed 0): 0.139 on the 203 items of
#: lists, from maps fitted without their problems; one figure for all would give 0.175.
CONFIDENCE: Mapping[str, Map] = MappingProxyType(
    {
        "blank to form": (-0.37, 0.94),  # 125 items
        "match to gloss": (-1.17, 0.53),  # 770: lists, and tables of the two sets shuffled
        "number to form": (-0.35, 1.05),  # 31
        "number to value": (-0.08, 0.05),  # 29
        "translate to form": (0.14, 1.0),  # 234
        "translate to gloss": (0.29, 0.56),  # 206
    }
)


@dataclass(frozen=True, slots=True)
class Settings:
    """``n_fits``: fits of the alignment that are averaged; ``fit``: how each is made.

    ``confidence`` maps how sure part solvers are to how often they are right, by what is asked.
    """

    n_fits: int = 8
    fit: FitSettings = field(default_factory=FitSettings)
    confidence: Mapping[str, Map] = field(default_factory=lambda: CONFIDENCE)

    def changed(self, **values: float) -> Settings:
        """Return settings with some values changed, by the names of their fields or of ``fit``'s.

        Raises UnknownNameError for a name that is neither.
        """
        mine = {name: int(value) for name, value in values.items() if name == "n_fits"}
        others: dict[str, Any] = {n: value for n, value in values.items() if n not in mine}
        known = FitSettings.__dataclass_fields__
        for name in others:
            if name not in known:
                raise UnknownNameError("setting", name, ["n_fits", *known])
        n_fits = mine.get("n_fits", self.n_fits)
        return replace(self, n_fits=n_fits, fit=replace(self.fit, **others))


@runtime_checkable
class Tunable(Protocol):
    """A part solver that settings change."""

    def tuned(self, settings: Settings) -> Self:
        """Return the solver with other settings."""
        ...
