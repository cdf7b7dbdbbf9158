"""A backend's own options: what each may be is said in one table, and checked before anything runs.

A library takes a wrong number in its own way: it ends the process, or never returns.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from iolai.errors import InputError
from iolai.solvers.llm.backends.received import number

__all__ = ["Option", "checked"]


@dataclass(frozen=True, slots=True)
class Option:
    """One option: its default, whose kind every value has, and what else holds for it.

    Numbers lie from ``least`` to ``most``, both legal; a text is one of ``names`` where there are
    any. A whole number will do where the default is another one.
    """

    default: Any
    least: float = float("-inf")
    most: float = float("inf")
    names: tuple[str, ...] = ()

    def takes(self, value: object) -> bool:
        """Say whether this can be the option's value."""
        if isinstance(self.default, bool | str):
            return isinstance(value, type(self.default)) and self._is_named(value)
        found = number(value)
        if found is None or (isinstance(self.default, int) and not isinstance(value, int)):
            return False
        return self.least <= found <= self.most

    def _is_named(self, value: object) -> bool:
        return not self.names or value in self.names

    @property
    def legal(self) -> str:
        """What it may be, for a hint."""
        if isinstance(self.default, bool):
            return "true or false"
        if isinstance(self.default, str):
            return f"one of {', '.join(self.names)}" if self.names else "a text in quotation marks"
        kind = "a whole number" if isinstance(self.default, int) else "a number"
        low = "" if self.least == float("-inf") else f" from {self.least:g}"
        return kind + low + ("" if self.most == float("inf") else f" to {self.most:g}")


def checked(backend: str, given: Mapping[str, Any], known: Mapping[str, Option]) -> dict[str, Any]:
    """Return every option's value, the default where none is given.

    Raises InputError for an option that is none, and for a value that an option cannot have.
    """
    unknown = sorted(set(given) - set(known))
    if unknown:
        raise InputError(
            f"the backend {backend} has no option {unknown[0]}",
            hint=f"Options: {', '.join(known)}.",
        )
    for name, value in given.items():
        if not known[name].takes(value):
            shown = "what was given" if isinstance(known[name].default, str) else repr(value)[:60]
            raise InputError(
                f"{name} of the backend {backend} cannot be {shown}",
                hint=f"It is {known[name].legal}.",
            )
    return {name: given.get(name, option.default) for name, option in known.items()}
