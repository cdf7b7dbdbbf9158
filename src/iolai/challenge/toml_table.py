"""A TOML file read field by field, each fault named with its line and key."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from iolai.challenge.clock import stamp
from iolai.errors import FormatError, Place
from iolai.files import read_text
from iolai.text import unseen_character

__all__ = ["TomlTable", "read_toml"]

_HEAD = re.compile(r"^\s*\[\[?\s*([^\]]+?)\s*\]\]?\s*(?:#.*)?$")
_AT = re.compile(r" \(at line (\d+), column (\d+)\)$")
_MISSING = object()


@dataclass(frozen=True)
class TomlTable:
    """One table of a TOML file; every getter raises FormatError naming line and key.

    ``section`` is its name, ``""`` for the top; ``nth`` counts tables of one name from 0.
    """

    values: Mapping[str, Any]
    path: Path
    text: str
    section: str = ""
    nth: int = 0

    def place(self, key: str) -> Place:
        """Return where a key stands, or the head of its table where it is absent."""
        return Place(self.path, self._line(key), f"{self.section}.{key}".lstrip("."), "key")

    def wrong(self, key: str, what: str, hint: str) -> FormatError:
        """Return the error that says what is wrong with a key."""
        return FormatError(what, place=self.place(key), hint=hint)

    def refuse_unknown(self, known: Collection[str]) -> None:
        """Refuse keys that mean nothing here: a slip in a name must not pass in silence."""
        import difflib

        for key in self.values:
            if key in known:
                continue
            close = difflib.get_close_matches(key, known, n=1)
            nearest = f"Did you mean {close[0]}? " if close else ""
            raise self.wrong(key, f"there is no key {key}", f"{nearest}Known: {', '.join(known)}.")

    def string(self, key: str, default: str | None = None) -> str:
        """Return a text that is not blank; ``default`` where it is absent."""
        value = self._get(key, default)
        if not isinstance(value, str):
            raise self.wrong(key, "a text is wanted here", f'Write {key} = "...".')
        if not value.strip() and default is None:
            raise self.wrong(key, "the text is blank", f'Write {key} = "...".')
        return value

    def line(self, key: str, default: str | None = None) -> str:
        """Return a text of one line that can be read by everybody who sees it."""
        value = self.string(key, default)
        self._require_seen(key, value)
        return value

    def lines(self, key: str) -> list[str]:
        """Return a list of texts as ``line`` returns one; an empty one where it is absent."""
        value = self._get(key, [])
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            raise self.wrong(key, "a list of texts is wanted here", f'Write {key} = ["..."].')
        for one in value:
            self._require_seen(key, one)
        return list(value)

    def _require_seen(self, key: str, text: str) -> None:
        unseen = unseen_character(text)
        if unseen:
            raise self.wrong(key, f"the text holds {unseen}", "Take it out; write one line.")

    def choice(self, key: str, known: Collection[str], default: str) -> str:
        """Return one of some words."""
        value = self.string(key, default)
        if value not in known:
            raise self.wrong(key, f"{value!r} is none of the words", f"Use {', '.join(known)}.")
        return value

    def flag(self, key: str, default: bool) -> bool:
        """Return true or false."""
        value = self._get(key, default)
        if not isinstance(value, bool):
            raise self.wrong(key, "true or false is wanted here", f"Write {key} = true.")
        return value

    def whole(self, key: str, default: int | None, *, low: int, high: int) -> int:
        """Return a whole number of a range."""
        value = self._get(key, default)
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise self.wrong(
                key, f"a whole number from {low} to {high} is wanted here", f"Write {key} = {low}."
            )
        return value

    def number(self, key: str, default: float | None, *, low: float, high: float) -> float:
        """Return a number of a range."""
        value = self._get(key, default)
        fits = isinstance(value, int | float) and not isinstance(value, bool)
        if not fits or not low <= value <= high:
            raise self.wrong(
                key, f"a number from {low:g} to {high:g} is wanted here", f"Write {key} = {low:g}."
            )
        return float(value)

    def time(self, key: str, default: str | None = None) -> str:
        """Return a time as a UTC text; one without a zone is refused."""
        value = self._get(key, default)
        if isinstance(value, str) and value == default:
            return value
        if not isinstance(value, datetime) or value.tzinfo is None:
            raise self.wrong(
                key,
                "a date and time with its zone is wanted here, without quotes",
                f"Write {key} = 2026-07-01T12:00:00Z; Z is UTC.",
            )
        return stamp(value.astimezone(UTC))

    def table(self, key: str) -> TomlTable:
        """Return a table inside this one; an empty one where it is absent."""
        value = self.values.get(key, {})
        if not isinstance(value, dict):
            raise self.wrong(key, "a table is wanted here", f"Write a line [{key}] and below it.")
        return TomlTable(value, self.path, self.text, key)

    def tables(self, key: str) -> Iterator[TomlTable]:
        """Yield the tables of a list of tables."""
        value = self.values.get(key, [])
        if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
            raise self.wrong(key, "tables are wanted here", f"Write a line [[{key}]] before each.")
        for number, one in enumerate(value):
            yield TomlTable(one, self.path, self.text, key, number)

    def _get(self, key: str, default: object) -> Any:
        value = self.values.get(key, _MISSING)
        if value is not _MISSING:
            return value
        if default is None:
            raise self.wrong(key, f"{key} is missing", "Add it; the guide shows a whole file.")
        return default

    def _line(self, key: str) -> int | None:
        """Find the line by reading heads and keys: TOML's reader does not say where they stood."""
        section, seen, head = "", -1, None
        starts = re.compile(rf"^\s*[\"']?{re.escape(key)}[\"']?\s*[=.]")
        for row, line in enumerate(self.text.splitlines(), start=1):
            if found := _HEAD.match(line):
                section = found[1].strip()
                if section == self.section:
                    seen, head = seen + 1, row
                if not self.section and section == key:
                    return row
            here = section == self.section and (not self.section or seen == self.nth)
            if here and starts.match(line):
                return row
        return head


def read_toml(path: Path) -> TomlTable:
    """Read a TOML file; raises InputError where it cannot be read, FormatError naming the line."""
    text = read_text(path)
    try:
        return TomlTable(tomllib.loads(text), path, text)
    except (ValueError, RecursionError) as error:
        found = _AT.search(str(error))
        row, column = (int(found[1]), found[2]) if found else (None, None)
        raise FormatError(
            f"not TOML: {_AT.sub('', str(error))[:120]}",
            place=Place(path, row, column),
            hint="Mend the line; texts stand in quotes, longer ones between three quotes.",
        ) from error
