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
from iolai.solvers.induction.translation.describe import readable

__all__ = ["Pairing", "Signs", "entry_said", "trait_said"]

_ENTRY = re.compile(r"(?P<morph>.+?): (?P<trait>.+?)(?: \((?P<seen>[^()]* times)\))?")
_LEAST = 1e-6
_ROLES = {"S": "subject", "O": "object", "P": "possessor", "C": "what somebody is"}
_PERSONS = {"1": "first person", "2": "second person", "3": "third person"}
_NUMBERS = {"sg": "singular", "pl": "plural", "du": "dual"}


def trait_said(name: str) -> str:
    """Return a trait of glosses in words: ``he as subject``, ``first person``, ``plural``."""
    first, _, role = name.rpartition(" ")
    if role in _ROLES and first:
        said = readable(f"@{first}") if first == "2" else trait_said(first)
        return f"{said} as {_ROLES[role]}"
    if name.startswith("person "):
        return _PERSONS.get(name.removeprefix("person "), name)
    if name in _NUMBERS:
        return _NUMBERS[name]
    if name[:1] in "123" and name[1:3] in _NUMBERS:
        return readable(f"@{name}")
    return readable(name) if name.isupper() else name


def entry_said(rule: str) -> str:
    """Return an entry with its trait in words."""
    match = _ENTRY.fullmatch(rule)
    if match is None:
        return rule
    seen = f" ({match['seen']})" if match["seen"] else ""
    return f"{match['morph']}: {trait_said(match['trait'])}{seen}"


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
        traits = {shown(trait_said(t.name)): t.places for t in shared_traits(options)}
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
