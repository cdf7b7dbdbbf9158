"""What forms share and what glosses share: the features by which two lists are matched."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from iolai.solvers.induction.english import English
from iolai.solvers.induction.translation.corpus import bare_form
from iolai.solvers.induction.translation.units import units_of

__all__ = ["form_pieces", "gloss_units"]

_SHORTEST = 2
_LONGEST = 10


def form_pieces(forms: Sequence[str]) -> list[set[str]]:
    """Return the stretches of each form's words that other forms have too, edges marked."""
    found = []
    for form in forms:
        pieces: set[str] = set()
        for word in bare_form(form).replace("-", " ").split():
            marked = f"#{word}#"
            pieces.update(
                marked[i:j]
                for i in range(len(marked))
                for j in range(i + _SHORTEST, min(len(marked), i + _LONGEST) + 1)
            )
        found.append(pieces)
    counts = Counter(piece for pieces in found for piece in pieces)
    return [{p for p in pieces if counts[p] > 1} for pieces in found]


def gloss_units(glosses: Sequence[str]) -> list[set[str]]:
    """Return the units of each gloss, compounds and hyphens taken apart."""
    english = English(glosses)
    units = [
        {
            unit.name
            for unit in units_of(english.parse(gloss))
            if unit.slot not in ("T&S", "S&O", "case", "D") and unit.name not in ("SG", "O:none")
        }
        for gloss in glosses
    ]
    words = {name for names in units for name in names if name.isalpha() and len(name) > 2}
    for names in units:
        for name in list(names):
            names.update(part for part in name.split("-") if len(part) > 2)
            names.update(w for w in words if w != name and _compounded(name, w))
    return units


def _compounded(name: str, word: str) -> bool:
    """Say whether a word is the beginning or the end of a compound: eyeball, eye."""
    longer = len(name) >= len(word) + 3 and name.isalpha()
    return longer and (name.startswith(word) or name.endswith(word))
