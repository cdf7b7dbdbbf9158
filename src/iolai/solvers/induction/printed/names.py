"""Units, slots and kinds of words in a linguist's words, each name for one thing."""

from __future__ import annotations

from iolai.solvers.induction.translation.describe import readable
from iolai.solvers.induction.translation.units import Unit

__all__ = ["meaning_name", "slot_name"]

_ROLES = {
    "S": "subject",
    "O": "object",
    "P": "possessor",
    "C": "noun that says what somebody is",
    "": "noun",
}
_SLOTS = {
    "N": "number", "D": "article", "case": "case", "T": "tense", "S": "agreement with the subject",
    "O": "agreement with the object", "P": "agreement with the possessor",
    "T&S": "tense with subject", "S&O": "subject with object", "NEG": "negation", "PASS": "voice",
    "Q": "question",
}  # fmt: skip
#: Signs of the notation, which no name may hold; a slot has no comma either.
_SIGNS = str.maketrans({":": "·", ";": "·", "=": "·", "+": "·", "\n": " "})
_SLOT_SIGNS = {**_SIGNS, ord(","): "·"}


def meaning_name(unit: Unit) -> str:
    """Return what a unit means, as printed: ``“dog”``, ``plural``, ``past with subject I``."""
    return readable(unit.name).translate(_SIGNS)


def slot_name(unit: Unit) -> str:
    """Return the name of the slot that a unit fills: a kind of word, or a feature of one."""
    if unit.slot == "stem:pro":
        return f"pronoun as {_role(unit.group.partition('.')[2])}"
    if unit.is_stem:
        return _kind_name(unit.group)
    slot, _, group = unit.group.partition("/")
    name = _SLOTS.get(slot, slot)
    kind = _kind_name(group)
    return name if kind == "verb" or slot == "Q" else f"{name} of the {kind}"


def _kind_name(group: str) -> str:
    if group == "v":
        return "verb"
    if group == "aux":
        return "auxiliary"
    kind, _, role = group.partition(".")
    if kind == "n":
        return _role(role)
    if kind == "adj":
        return "adjective" if role in ("", "S") else f"adjective of the {_role(role)}"
    return f"“{group}”".translate(_SLOT_SIGNS)


def _role(role: str) -> str:
    return _ROLES.get(role, f"noun after “{role}”".translate(_SLOT_SIGNS))
