"""Answers from a theory of kinship terms: terms, persons, names, sentences both ways."""

from __future__ import annotations

import re
from collections.abc import Sequence

from iolai.solvers.induction.kinship.definitions import Kind
from iolai.solvers.induction.kinship.glosses import is_glossed, read_said, relations_of
from iolai.solvers.induction.kinship.statements import BLANK, statement_of, tokens_of
from iolai.solvers.induction.kinship.theory import Theory
from iolai.text import squeeze

__all__ = ["answers_to", "is_glossed_item", "pair_asked"]

_ENGLISH_WORDS = "is are the of who whom what does call calls called his her my"
_ENGLISH = frozenset(_ENGLISH_WORDS.split())
_CALLS = re.compile(r"\bcalls?\b")
_SHORT = {
    "father's father": "grandfather", "mother's father": "grandfather",
    "father's mother": "grandmother", "mother's mother": "grandmother",
}  # fmt: skip


def pair_asked(text: str, names: Sequence[str]) -> tuple[str, str] | None:
    """Return the two persons an item asks a term for, in the order of a statement."""
    persons = [token for token in tokens_of(text, names) if token in set(names)]
    return (persons[0], persons[1]) if len(set(persons)) == len(persons) == 2 else None


def is_glossed_item(text: str, theory: Theory) -> bool:
    """Say whether an item is translated by the glosses of the sheet, whatever the family says."""
    text = squeeze(text)
    tokens = tokens_of(text, theory.data.names)
    is_name = text in theory.bearers or text in theory.bearers.values()
    return not is_name and BLANK not in tokens and bool(_translated(text, theory))


def answers_to(text: str, theory: Theory) -> list[str]:
    """Return the answers to an item, best first; none where it asks for nothing of the kind."""
    data = theory.data
    text = squeeze(text)
    if text in theory.bearers:
        return [theory.bearers[text]]
    for name, who in theory.bearers.items():
        if text == who:
            return [name]
    tokens = tokens_of(text, data.names)
    persons = [token for token in tokens if token in data.names]
    if BLANK in tokens:
        return _filled(tokens, persons, theory)
    translated = _translated(text, theory)
    if translated:
        return translated
    if len(persons) == 2:
        return _about_two(text, tokens, theory)
    return [] if persons else _about_none(text, tokens, theory)


def _filled(tokens: Sequence[str], persons: Sequence[str], theory: Theory) -> list[str]:
    known = {d.word for d in theory.kinship.definitions}
    words = [token for token in tokens if token in known]
    if len(persons) == 2:
        terms = terms_for(theory.relations(persons[0], persons[1]), theory)
        return [t for t in (_without(term, words) for term in terms) if t]
    if len(persons) != 1 or not words:
        return []
    is_first = tokens.index(BLANK) < tokens.index(persons[0])
    return _persons(" ".join(words), persons[0], is_first, theory)


def _without(term: str, words: Sequence[str]) -> str:
    """Return what is left of a term when some of its words are given; empty where they differ."""
    parts = term.split()
    if any(word not in parts for word in words):
        return ""
    return " ".join(part for part in parts if part not in words)


def _persons(term: str, beside: str, is_first: bool, theory: Theory) -> list[str]:
    """Return whoever fits a blank for a person; those nobody else's term fits come first."""
    ids = theory.data.ids(theory.bearers)
    names = {who: name for name, who in ids.items()}
    sure: list[str] = []
    likely: list[str] = []
    for person in theory.data.family.persons:
        pair = (person.id, beside) if is_first else (beside, person.id)
        terms = theory.kinship.terms(theory.relations(*pair))
        if term in terms and person.id != ids.get(beside):
            (sure if len(terms) == 1 else likely).append(names.get(person.id, person.id))
    return [*sure, *likely]


def terms_for(kind: Kind, theory: Theory) -> list[str]:
    """Return the terms for a relation: those that hold, then those that need growing least."""
    if not kind:
        return []
    terms = theory.kinship.terms(kind)
    may_grow = theory.grows and kind in theory.space.kinds
    grown = [word for _, word in theory.nearest(kind)] if may_grow else []
    return list(dict.fromkeys([*terms, *grown]))


def _translated(text: str, theory: Theory) -> list[str]:
    """Translate a statement, either way, by the glosses that stand on the sheet.

    A translation is asked for, not what is true of the family; the family only chooses between
    several glosses of a word, and several words of a gloss.
    """
    data, glosses = theory.data, theory.data.glosses
    if not glosses.by_words:
        return []
    said = read_said(text)
    if said is not None:
        true = terms_for(_related(said.who, said.ego, theory), theory)
        words = sorted(glosses.words_for(said.kin), key=lambda word: word not in true)
        pair = (said.who, said.ego) if theory.is_first else (said.ego, said.who)
        return [data.frame.say(*pair, word) for word in words]
    names = [*data.names, *_new_names(text, theory)]
    statement = statement_of(tokens_of(text, names), set(names), data.frame.common)
    if statement is None:
        return []
    first, second = statement.first, statement.second
    relative, ego = (first, second) if theory.is_first else (second, first)
    found = _glosses_of(statement.words, relative, ego, theory)
    return [glosses.say(relative, ego, kin) for kin in found]


def _new_names(text: str, theory: Theory) -> list[str]:
    """Return words with a capital that are no words of the language."""
    data = theory.data
    known = data.frame.common | {word for s in data.statements for word in s.words}
    words = re.findall(r"[^\W\d_]+", text)
    return [word for word in words if word[0].isupper() and word.lower() not in known]


def _glosses_of(words: Sequence[str], relative: str, ego: str, theory: Theory) -> list[str]:
    """Return the glosses of some words, those first that are true of a pair, or of its relative.

    Where none is true of a pair that the words are said of, the pair's own relation stands first.
    """
    found = theory.data.glosses.of(words)
    if not found:
        return []
    pair = (relative, ego) if theory.is_first else (ego, relative)
    kind = theory.relations(*pair)
    own = [_SHORT.get(r.kin_type(), r.kin_type()) for r in kind if r.sexes[-1] != "-"]
    true = [kin for kin in found if is_glossed(kin, kind)]
    if not true and own and " ".join(words) in theory.kinship.terms(kind):
        true = own[:1]
    sex = theory.data.sex(relative, theory.bearers)
    agreeing = [kin for kin in found if sex in {r.sexes[-1] for r in relations_of(kin)}]
    return list(dict.fromkeys([*true, *agreeing, *found]))


def _about_two(text: str, tokens: Sequence[str], theory: Theory) -> list[str]:
    """Answer an item that names two persons and leaves no blank."""
    first, second = (token for token in tokens if token in theory.data.names)
    known = {d.word for d in theory.kinship.definitions}
    if any(token in known for token in tokens):
        return [_in_english(first, second, theory)] if theory.relations(first, second) else []
    if _ENGLISH & set(tokens):
        return _from_english(text, first, second, theory)
    return terms_for(theory.relations(first, second), theory)


def _from_english(text: str, first: str, second: str, theory: Theory) -> list[str]:
    """Say an English statement in the language, or name the term that is asked for."""
    if _CALLS.search(text):
        return terms_for(_related(second, first, theory), theory)
    terms = terms_for(_related(first, second, theory), theory)
    if text.rstrip().endswith("?"):
        return terms
    pair = (first, second) if theory.is_first else (second, first)
    return [theory.data.frame.say(*pair, term) for term in terms]


def _related(relative: str, ego: str, theory: Theory) -> Kind:
    pair = (relative, ego) if theory.is_first else (ego, relative)
    return theory.relations(*pair)


def _in_english(first: str, second: str, theory: Theory) -> str:
    """Say in English how the persons of a statement are related."""
    relation = theory.relations(first, second)[0]
    relative, ego = (first, second) if theory.is_first else (second, first)
    kin = relation.kin_type()
    kin = _SHORT.get(kin, kin)
    if relation.steps == "S" and relation.age:
        kin = f"{relation.age} {kin}"
    return f"{relative} is {ego}'s {kin}."


def _about_none(text: str, tokens: Sequence[str], theory: Theory) -> list[str]:
    """Answer an item without persons: a term gets its meaning, a kin type in English its term."""
    for definition in theory.kinship.definitions:
        if list(tokens) == [definition.word] and definition.examples:
            return [definition.examples[0]]
    found = []
    for relation in relations_of(text):
        found += theory.kinship.terms([relation])
    return list(dict.fromkeys(found))
