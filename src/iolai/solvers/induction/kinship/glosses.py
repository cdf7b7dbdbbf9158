"""What a sheet's translations of statements say: a word's gloss, and how the English is built."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from iolai.solvers.induction.kinship.statements import Frame, statement_of, tokens_of
from iolai.solvers.induction.printed.kin_relations import Relation, parse_relations
from iolai.text import squeeze

__all__ = ["Glosses", "Said", "is_glossed", "read_glosses", "read_said", "relations_of"]

_NAME = r"[^\W\d_][^\W_]*(?:[-'’](?!s\b)[^\W\d_]+)*"
_OF_WHOM = (
    re.compile(rf"(?P<who>{_NAME}) is (?P<ego>{_NAME})['’]s? (?P<kin>[a-z][\w'’ -]*?)(?P<end>\.?)"),
    re.compile(
        rf"(?P<who>{_NAME}) is (?P<article>(?:the|an?) )?(?P<kin>[a-z][\w'’ -]*?) of "
        rf"(?P<ego>{_NAME})(?P<end>\.?)"
    ),
)

_SPEAKER = re.compile(r"\b(?P<sex>man|woman|male|female)\b")


@dataclass(frozen=True, slots=True)
class Said:
    """An English statement: who is whose kin, and the sentence with gaps for all three."""

    who: str
    ego: str
    kin: str
    template: str


@dataclass(frozen=True)
class Glosses:
    """``by_words`` counts the glosses of the words of a statement; empty where none is glossed.

    ``is_first`` is whether the person named first in a statement is the relative, None where the
    translations do not agree on it.
    """

    by_words: Mapping[tuple[str, ...], Counter[str]] = field(default_factory=dict)
    template: str = ""
    is_first: bool | None = None

    def of(self, words: Sequence[str]) -> list[str]:
        """Return the glosses of some words, the most frequent first."""
        return [kin for kin, _ in self.by_words.get(tuple(words), Counter()).most_common()]

    def words_for(self, kin: str) -> list[str]:
        """Return what a gloss translates, the most frequent first."""
        found = Counter({w: counts[kin] for w, counts in self.by_words.items() if kin in counts})
        return [" ".join(words) for words, _ in found.most_common()]

    def say(self, who: str, ego: str, kin: str) -> str:
        """Return an English statement as the sheet builds it."""
        return self.template.format(who=who, ego=ego, kin=kin)


def read_said(text: str) -> Said | None:
    """Read ``X is Y's sister.`` or ``X is the sister of Y.``; None for any other text."""
    text = squeeze(text)
    if "{" in text or "}" in text:
        return None
    for pattern in _OF_WHOM:
        match = pattern.fullmatch(text)
        if match:
            template = text
            for name in sorted(("who", "ego", "kin"), key=match.start, reverse=True):
                start, end = match.span(name)
                template = template[:start] + "{" + name + "}" + template[end:]
            return Said(match["who"], match["ego"], match["kin"], template)
    return None


def read_glosses(rows: Iterable[Sequence[str]], names: Sequence[str], frame: Frame) -> Glosses:
    """Read the rows of tables in which a statement stands beside its translation."""
    by_words: dict[tuple[str, ...], Counter[str]] = {}
    templates: Counter[str] = Counter()
    firsts: Counter[bool] = Counter()
    known = set(names)
    for row in rows:
        english = [said for text in row if (said := read_said(text))]
        for text in row if english else ():
            said = english[0]
            found = statement_of(tokens_of(text, names), known, frame.common)
            if read_said(text) or not found or {found.first, found.second} != {said.who, said.ego}:
                continue
            by_words.setdefault(found.words, Counter())[said.kin] += 1
            templates[said.template] += 1
            firsts[found.first == said.who] += 1
    if not by_words:
        return Glosses()
    is_first = next(iter(firsts)) if len(firsts) == 1 else None
    return Glosses(by_words, templates.most_common(1)[0][0], is_first)


def relations_of(text: str) -> list[Relation]:
    """Read ``elder brother's son (of a woman)`` for egos of both sexes, or the one that is told."""
    path = re.sub(r"\([^()]*\)|\b(?:of|for) an? (?:man|woman)\b", "", text.lower())
    path = path.replace("’", "'").removeprefix("my ").strip(" .?")
    age = next((a for a in ("elder", "younger") if path.startswith((a, a[:3] + "er"))), "")
    path = re.sub(r"\b(?:elder|older|younger) ", "", path)
    path = path.replace("grandfather", "parent's father").replace("grandmother", "parent's mother")
    said = _SPEAKER.search(text.lower().partition(path)[2])
    egos = ["man" if said["sex"] in ("man", "male") else "woman"] if said else ["man", "woman"]
    marks = f", {age}" if age else ""
    return [r for ego in egos for r in parse_relations(f"{ego}'s {path}{marks}")]


def is_glossed(gloss: str, kind: Iterable[Relation]) -> bool:
    """Say whether a gloss is true of a pair of persons that is related in these ways."""
    return any(_agree(told, own) for told in relations_of(gloss) for own in kind)


def _agree(told: Relation, own: Relation) -> bool:
    """Compare what a gloss tells: nothing of a sex or an age that it leaves open."""
    if told.steps != own.steps or told.age not in ("", own.age):
        return False
    ego, *others = zip(told.sexes, own.sexes, strict=True)
    return ("-" in ego or ego[0] == ego[1]) and all(a in ("-", b) for a, b in others)
