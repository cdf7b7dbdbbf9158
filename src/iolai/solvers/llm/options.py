"""What a field of a configuration may be: said in one table a place, checked before anything runs.

A library takes a wrong number in its own way: it ends the process, or never returns; and a text
where truth is wanted counts as true.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from iolai.errors import InputError
from iolai.solvers.llm.received import number

__all__ = ["Option", "checked"]

_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Option:
    """One field: its default, whose kind every value has, and what else holds for it.

    Numbers lie from ``least`` to ``most``, both legal; a text is one of ``names`` where there are
    any, and of ``least`` characters at least. A whole number will do where the default is another
    one. The value of a field that ``may_be_secret`` is not repeated in messages.
    """

    default: Any
    least: float = float("-inf")
    most: float = float("inf")
    names: tuple[str, ...] = ()
    may_be_secret: bool = False

    def takes(self, value: object) -> bool:
        """Say whether this can be the field's value."""
        if isinstance(self.default, bool | dict | list):
            return isinstance(value, type(self.default))
        if isinstance(self.default, str):
            is_text = isinstance(value, str) and len(value) >= self.least
            return is_text and (not self.names or value in self.names)
        found = number(value)
        if found is None or (isinstance(self.default, int) and not isinstance(value, int)):
            return False
        return self.least <= found <= self.most

    @property
    def legal(self) -> str:
        """What it may be, for a hint."""
        if isinstance(self.default, bool):
            return "true or false"
        if isinstance(self.default, dict | list):
            return "a table" if isinstance(self.default, dict) else "a list"
        if isinstance(self.default, str):
            return f"one of {', '.join(self.names)}" if self.names else "a text in quotation marks"
        kind = "a whole number" if isinstance(self.default, int) else "a number"
        low = "" if self.least == float("-inf") else f" from {self.least:.10g}"
        return kind + low + ("" if self.most == float("inf") else f" to {self.most:.10g}")


def checked(where: str, given: object, known: Mapping[str, Option]) -> dict[str, Any]:
    """Return every field's value, the default where none is given; ``where`` begins messages.

    Raises InputError where it is no table, for a field that is none, and for a value that a field
    cannot have.
    """
    if not isinstance(given, Mapping):
        raise InputError(f"{where} is no table", hint=f"Fields: {', '.join(known)}.")
    for name, value in given.items():
        if name not in known:
            close = difflib.get_close_matches(str(name), known, n=1)
            nearest = f"Did you mean {close[0]}? " if close else ""
            raise InputError(
                f"{where} has no {str(name)[:_SHOWN]}",
                hint=f"{nearest}Fields: {', '.join(known)}.",
            )
        if not known[name].takes(value):
            shown = "what it is set to" if known[name].may_be_secret else repr(value)[:_SHOWN]
            raise InputError(
                f"{where}: {name} cannot be {shown}", hint=f"It is {known[name].legal}."
            )
    return {name: given.get(name, option.default) for name, option in known.items()}
