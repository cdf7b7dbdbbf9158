"""What a language is called: by a problem's own record, and by rules in the sheets' English.

The rules know how sheets speak ("some words in X", "into X", "the X language", "X nouns"), and no
language, problem or id. They are for sheets whose working language is English.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from iolai.records import Problem, Task
from iolai.text import fold_diacritics

__all__ = ["declared_names", "found_names", "iso_code", "language_names"]

#: Words before a language's name that belong to it in full but not in short.
_QUALIFIERS = re.compile(
    r"Ancient|Central|Classical|Coastal|Colloquial|High(?:land)?|Inner|Island|Literary|Low(?:er)?"
    r"|Middle|Modern|Mountain|New|Old|Outer|Proto|Standard|Tundra|Upper"
    r"|(?:North|South|East|West|Northeast|Northwest|Southeast|Southwest)(?:ern)?"
)
#: Capitalised words that are no name of the language asked about.
_OTHERS = re.compile(
    r"[A-Z]|An|Another|All|Below|Consider|English|Fill|Find|Foreign|Given|Here(?:'s)?|I[IV]+|In"
    r"|Its?|Latin|Match|Note|Now|Roman|Cyrillic|Some|The|These|They|This|Those|Translate|What"
    r"|Write|Your?|IPA"
)
_NAME = r"[A-Z][\w'’ʼ‘-]+(?: [A-Z][\w'’ʼ‘-]+)*"
#: What a sheet shows of a language.
_THINGS = (
    r"(?i:languages?|dialects?|words?|phrases?|sentences?|numerals?|numbers?|nouns?|verbs?|verbal"
    r"|adjectives?|forms?|expressions?|compounds?|names?|kinship|terms?|script|spelling|alphabet"
    r"|orthography|transliteration|letters?|texts?|roots?|pronouns?|equations?|statements?"
    r"|kin|syllables?|proverbs?|answers?|combinations?)"
)
_END = r"(?=[\s.,:;)(—–-]|$)"
#: How sheets speak of a language.
_RULES = tuple(
    re.compile(rule)
    for rule in (
        rf"\b{_THINGS}(?: [a-z]+){{0,3}} (?:in|of|from)(?: the)? (?P<name>{_NAME}){_END}",
        rf"\b(?:into|[Tt]o|equalities in|dialect of(?: the)?) (?P<name>{_NAME}){_END}",
        rf"\b[Ww]rite (?:\w+ )?in (?:the )?(?P<name>{_NAME}){_END}",
        rf"(?<=[^.!?] )(?P<name>{_NAME})(?: [a-z]+)? {_THINGS}\b",
        rf"\b(?P<name>{_NAME}) is (?:an?|the) (?:[a-z]+ )?language\b",
        rf"\bspeak(?:s|ers of)? (?P<name>{_NAME})",
    )
)
_MIN_LETTERS = 3


def iso_code(task: Task) -> str:
    """Return the ISO 639-3 code of the task's first language (``ces`` of ``ces_Latn``), or ""."""
    return re.split(r"[_-]", task.task_lang[0])[0] if task.task_lang else ""


def declared_names(problem: Problem) -> tuple[str, ...]:
    """Return the names in the problem's record: whole, without qualifiers, without diacritics."""
    bare = re.sub(r"\s*[\[(].*", "", problem.language).strip()
    names: dict[str, None] = {}
    for whole in filter(None, re.split(r"\s*(?:,|;|/| and )\s*", bare)):
        names.update(dict.fromkeys(_variants(whole)))
    return tuple(names)


def _variants(whole: str) -> Iterator[str]:
    words = whole.split()
    short = " ".join(word for word in words if not _QUALIFIERS.fullmatch(word)) or whole
    for name in (whole, short):
        yield name
        yield fold_diacritics(name)


def found_names(problem: Problem) -> tuple[str, ...]:
    """Return the names that the rules find on the sheet, and their variants, as they appear."""
    names: dict[str, None] = {}
    for task in problem.tasks:
        for text in (task.context, task.query):
            for name in _found(text):
                names.update(dict.fromkeys(_variants(name)))
    return tuple(names)


def _found(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        for match in (match for rule in _RULES for match in rule.finditer(line)):
            words = match["name"].split()
            while words and _OTHERS.fullmatch(words[0]):
                words = words[1:]
            name = " ".join(words)
            if len(name) >= _MIN_LETTERS and not all(map(_no_name, words)):
                yield name


def _no_name(word: str) -> bool:
    return bool(_OTHERS.fullmatch(word) or _QUALIFIERS.fullmatch(word))


def language_names(problem: Problem) -> tuple[str, ...]:
    """Return what the problem's language is called: as declared, else as found by the rules."""
    return declared_names(problem) or found_names(problem)
