"""Two unordered lists put side by side: by pieces of forms with parts of glosses, or sign by sign.

A pair is given by the rules where the form has one gloss that fits it better than all others.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

import numpy as np
from numpy.typing import NDArray

from iolai.solvers.induction.printed.section import shown

__all__ = ["Pairing", "Signs"]

_ENTRY = re.compile(r"(?P<morph>.+?): (?P<trait>.+?)(?: \((?P<seen>[^()]* times)\))?")
_LEAST = 1e-6


@dataclass(frozen=True)
class Pairing:
    """Pieces of forms, each with the part of a gloss that it goes with, as printed."""

    entries: tuple[str, ...]

    def lines(self) -> tuple[str, ...]:
        """Return the entries, a line each."""
        return self.entries

    @staticmethod
    def parse(lines: Sequence[str]) -> Pairing:
        """Read the entries back."""
        return Pairing(tuple(lines))

    def regenerate(self, inputs: Sequence[str], options: Sequence[str]) -> list[str]:
        """Return the gloss that each form goes with."""
        # The solver prints by way of this module, which it must not wait for.
        from iolai.solvers.induction.matching.forms import shared_morphs
        from iolai.solvers.induction.matching.glosses import shared_traits

        morphs = {shown(str(m)): m.places for m in shared_morphs(inputs)}
        traits = {shown(t.name): t.places for t in shared_traits(options)}
        table = np.zeros((len(inputs), len(options)))
        for entry in self.entries:
            match = _ENTRY.fullmatch(entry)
            if match is None or match["morph"] not in morphs or match["trait"] not in traits:
                continue
            has = np.zeros(len(inputs))
            has[sorted(morphs[match["morph"]])] = 1.0
            says = np.zeros(len(options))
            says[sorted(traits[match["trait"]])] = 1.0
            table += np.outer(has, says) - 0.5 * np.abs(has[:, None] - says[None, :])
        return _assigned(table, options)


@dataclass(frozen=True)
class Signs:
    """What each sign of one script stands for in the other; ``""`` where it stands for nothing."""

    values: Mapping[str, str]

    def lines(self) -> tuple[str, ...]:
        """Return the signs, a line each."""
        return tuple(f"{sign} = {value}" for sign, value in self.values.items())

    @staticmethod
    def parse(lines: Sequence[str]) -> Signs:
        """Read the signs back."""
        pairs = (line.partition(" = ") for line in lines)
        return Signs({sign: value for sign, _, value in pairs})

    def regenerate(self, inputs: Sequence[str], options: Sequence[str]) -> list[str]:
        """Return the word of the other script that each word is most like, sign by sign."""
        table = np.zeros((len(inputs), len(options)))
        for i, word in enumerate(inputs):
            spelt = "".join(self.values.get(sign, sign) for sign in word)
            for j, other in enumerate(options):
                table[i, j] = SequenceMatcher(None, spelt, other, autojunk=False).ratio()
        return _assigned(table, options)


def _assigned(table: NDArray[np.float64], options: Sequence[str]) -> list[str]:
    """Return the option assigned to each row, ``""`` where another fits the row as well."""
    from iolai.solvers.induction.matching.assignment import heaviest_assignment

    n, m = table.shape
    size = max(n, m)
    square = np.full((size, size), table.min(initial=0.0))
    square[:n, :m] = table
    chosen = heaviest_assignment(square)
    out = []
    for row in range(n):
        column = int(chosen[row])
        rivals = np.delete(table[row], column) if column < m else table[row]
        sure = column < m and table[row, column] > rivals.max(initial=0.0) + _LEAST
        out.append(options[column] if sure else "")
    return out
