"""Facts about a problem's language: as a list gives them, or as the English of a sheet says.

Kinds of facts: ``family``, ``branch``, ``place``, ``speakers``.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from pathlib import Path

from iolai.errors import FormatError, Place
from iolai.files import read_text
from iolai.records import Problem

__all__ = ["FACT_KINDS", "builtin_facts", "facts_in_text", "facts_of", "read_facts"]

FACT_KINDS = ("family", "branch", "place", "speakers")
_HINT = f"Write a table for each problem's id, with texts for any of: {', '.join(FACT_KINDS)}."

_NUMBER = r"\d[\d,.  ]*(?: (?:million|thousand))?"
_RULES = {
    "speakers": re.compile(
        rf"\b(?:spoken|used) by [a-z ]{{0,30}}?(?P<fact>{_NUMBER}) (?:people|persons"
        r"|speakers|individuals)\b"
        rf"|\b(?P<other>{_NUMBER}) (?:native )?speakers\b"
    ),
    "family": re.compile(
        r"\b(?:belongs to|is a member of|is one of)(?: the)? (?P<fact>[A-Z][\w-]+(?: [A-Z][\w-]+)*)"
        r"(?: language)?(?: languages| family)\b|\bof the (?P<other>[A-Z][\w-]+(?: [A-Z][\w-]+)*)"
        r"(?: language)? family\b"
    ),
    "branch": re.compile(
        r"\bthe (?P<fact>[A-Z][\w-]+(?: [A-Z][\w-]+)*) (?:branch|group|subgroup|subfamily)\b"
    ),
    "place": re.compile(
        r"\b(?:is |are |was )?spoken\b[^.]*?\b(?:in|on)"
        r" (?P<fact>(?:the |an? )?[^.;:()]*?[A-Z][^.;:()]*)(?=[.;:()])"
    ),
}


def facts_in_text(text: str) -> dict[str, str]:
    """Return the facts that rules find in prose about a language, by kind."""
    facts = {}
    for kind in FACT_KINDS:
        match = _RULES[kind].search(text)
        if match is not None:
            found = match.groupdict()
            facts[kind] = (found["fact"] or found.get("other") or "").strip(" ,")
    return facts


def facts_of(
    problem: Problem, listed: Mapping[str, Mapping[str, str]] | None = None
) -> dict[str, str]:
    """Return a problem's facts: as listed (by default the built-in ones), else from its sheet."""
    facts = (builtin_facts() if listed is None else listed).get(problem.id)
    if facts is not None:
        return dict(facts)
    return facts_in_text("\n".join(dict.fromkeys(task.context for task in problem.tasks)))


def read_facts(path: Path) -> dict[str, dict[str, str]]:
    """Read a list of facts, by problem id; raises FormatError naming the problem."""
    return _parsed(read_text(path), path)


@cache
def builtin_facts() -> Mapping[str, Mapping[str, str]]:
    """Return the facts about the built-in problems' languages."""
    file = resources.files("iolai") / "data" / "studies" / "facts.toml"
    return _parsed(file.read_text(encoding="utf-8"), "facts.toml")


def _parsed(text: str, path: Path | str) -> dict[str, dict[str, str]]:
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise FormatError(f"no TOML: {error}", place=Place(path), hint=_HINT) from error
    for problem, table in tables.items():
        if not isinstance(table, dict) or set(table) - set(FACT_KINDS):
            raise FormatError(
                f"problem {problem} has something that is no fact", place=Place(path), hint=_HINT
            )
        if not all(isinstance(fact, str) and fact for fact in table.values()):
            raise FormatError(f"problem {problem} has an empty fact", place=Place(path), hint=_HINT)
    return tables
