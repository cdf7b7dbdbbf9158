"""The fields of a JSON object or a TOML table, each checked for its type, with its place."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from iolai.errors import FormatError, Place
from iolai.formats.source import checked_cell
from iolai.formats.values import MAX_POINTS, suggestion

__all__ = ["Fields"]


@dataclass(frozen=True, slots=True)
class Fields:
    """An object and where it stands; every getter raises FormatError naming the field.

    ``noun`` is what messages call it: a ``JSON object``, a ``TOML table``.
    """

    values: Mapping[str, object]
    place: Place
    noun: str = "JSON object"

    @classmethod
    def of(
        cls,
        value: object,
        place: Place,
        required: Iterable[str] = (),
        noun: str = "JSON object",
    ) -> Fields:
        """Check that ``value`` is an object with the ``required`` fields."""
        if not isinstance(value, dict):
            raise FormatError(
                f"a {noun} is wanted here, not {_kind(value)}",
                place=place,
                hint=f"Check which file this is: its {noun.split()[0]} has another shape.",
            )
        missing = [name for name in required if name not in value]
        if missing:
            present = ", ".join(str(name)[:40] for name in list(value)[:20]) or "none"
            raise FormatError(
                f"the {noun} lacks {', '.join(missing)}; its fields: {present}",
                place=place,
                hint=f"{suggestion(missing[0], value)}Every row needs {', '.join(required)}.",
            )
        return cls(value, place, noun)

    def at(self, name: str) -> Place:
        """The place of a field."""
        return replace(self.place, column=name)

    def text(self, name: str, default: str | None = None) -> str:
        """Return a text; ``default`` where the field is absent or null."""
        value = self.values.get(name)
        if value is None and default is not None:
            return default
        if not isinstance(value, str):
            raise self._wrong(name, "a text")
        return checked_cell(value, self.at(name))

    def number(self, name: str, low: float = -math.inf) -> float:
        """Return a number from ``low`` to ``MAX_POINTS``, the limit of numbers in every format."""
        value = self.values.get(name)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self._wrong(name, "a number")
        # A whole number beyond the range of floats compares, and is refused, all the same.
        if not low <= value <= MAX_POINTS or value < -MAX_POINTS:
            limits = f" from {low:g} to {MAX_POINTS:g}" if low == 0 else ""
            finite = "" if math.isfinite(value) else "finite "
            raise self._wrong(name, f"a {finite}number{limits}")
        return value

    def flag(self, name: str) -> bool:
        """Return true or false."""
        value = self.values.get(name)
        if not isinstance(value, bool):
            raise self._wrong(name, "true or false")
        return value

    def list(self, name: str) -> list[object]:
        """Return a list."""
        value = self.values.get(name)
        if not isinstance(value, list):
            raise self._wrong(name, "a list")
        return value

    def fields(self, name: str) -> Fields:
        """Return an object inside this one."""
        return Fields.of(self.values.get(name), self.at(name), noun=self.noun)

    def _wrong(self, name: str, wanted: str) -> FormatError:
        found = _kind(self.values[name]) if name in self.values else "nothing"
        return FormatError(
            f"{name} must be {wanted}; here is {found}",
            place=self.at(name),
            hint=f"Write {wanted} there, or check which file this is.",
        )


def _kind(value: object) -> str:
    kinds: dict[type, str] = {str: "a text", list: "a list", dict: "an object", bool: "true/false"}
    return "null" if value is None else kinds.get(type(value), f"the number {value!s:.30}")
