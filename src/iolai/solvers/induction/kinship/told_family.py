"""Families told in English: ``Ana is Bo's mother``, ``Ana and Bo are married; they have ...``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from iolai.solvers.induction.kinship.family import Family, Person

__all__ = ["family_told"]

_KIN = {
    "father": ("U", "m"), "mother": ("U", "f"), "parent": ("U", "-"), "son": ("D", "m"),
    "daughter": ("D", "f"), "child": ("D", "-"), "brother": ("S", "m"), "sister": ("S", "f"),
    "sibling": ("S", "-"), "husband": ("P", "m"), "wife": ("P", "f"), "spouse": ("P", "-"),
}  # fmt: skip
_AGES = {"elder": 1, "older": 1, "big": 1, "eldest": 1, "oldest": 1, "younger": -1, "little": -1,
         "youngest": -1}  # fmt: skip
_NAME = r"[^\W\d_a-z][^\W\d_]*(?:[-'’](?!s\b)[^\W\d_]+)*"
_LIST = rf"{_NAME}(?: \([^()]*\))?(?:(?:, and |, | and ){_NAME}(?: \([^()]*\))?)*"
_REL = r"(?:(?:" + "|".join(_AGES) + r") )?(?:" + "|".join(_KIN) + r")"
_IS_OF = re.compile(
    rf"(?P<who>{_LIST}) (?:is|are|was|were) (?:the |an? )?(?:only )?(?P<rel>{_REL})s? of "
    rf"(?P<chain>(?:the )?(?:{_REL} of )*)(?P<ego>{_LIST})"
)
_IS_S = re.compile(
    rf"(?P<who>{_LIST}) (?:is|are|was|were) (?P<ego>{_NAME})['’]s? "
    rf"(?P<chain>(?:{_REL}['’]s )*)(?:only )?(?P<rel>{_REL})s?\b"
)
_MARRIED = re.compile(
    rf"(?P<a>{_NAME})(?: \([^()]*\))? (?:(?:is|was) married to|married|and) "
    rf"(?P<b>{_NAME})(?: \([^()]*\))?(?P<end> (?:are|were) (?:married|husband and wife|a couple))?"
)
_CHILDREN = re.compile(
    rf"(?P<who>{_NAME}(?: \([^()]*\))?(?: and {_NAME}(?: \([^()]*\))?)?|[Tt]hey|[Tt]heir|He|She)"
    rf"(?:['’]s?)? (?:have|has|had|(?:\w+ )?(?:children|sons?|daughters?|child)\b[^:,.;]* "
    rf"(?:is|are|were)\b)"
    rf"(?P<between>[^:.;]*?[:,]? )(?P<list>{_LIST})(?P<rest>[^.;]*)"
)
_CHILDREN_OF = re.compile(
    rf"(?:[Cc]hildren|[Cc]hild|(?P<sons>[Ss]ons?)|(?P<daughters>[Dd]aughters?)) of "
    rf"(?P<who>{_LIST}) (?:is|are|was|were)(?P<between>[^:.;]*?[:,]? )(?P<list>{_LIST})"
    rf"(?P<rest>[^.;]*)"
)
_OLDER = re.compile(rf"(?P<a>{_NAME}) is (?P<age>older|elder|younger) than (?P<b>{_NAME})")
_BRACKET = re.compile(rf"(?P<who>{_NAME}) \((?P<said>[^()]*)\)")
_SEX_SAID = re.compile(
    rf"(?P<who>{_LIST}) (?:is|are) (?:an? )?(?P<sex>man|woman|boy|girl|men|women|male|female)\b"
)
_IN_ORDER = re.compile(r"order of (?:birth|age)|(?:eld|old)est (?:first|to)|from (?:eld|old)est")
#: What tells a person's sex in brackets: a word of kin alone, as ``(their eldest son)``.
_KIN_SAID = re.compile(rf"(?:(?:the|an?|their|his|her|only) )*(?P<rel>{_REL})")
_COUPLE = re.compile(
    rf"(?P<a>{_NAME})(?: \([^()]*\))? (?:is|was)(?: the (?:husband|wife|spouse) of "
    rf"(?P<b>{_NAME})| (?P<of>{_NAME})['’]s? (?:husband|wife|spouse)\b)"
)
_SEX_WORDS = {"m": "m", "male": "m", "man": "m", "men": "m", "boy": "m", "f": "f", "female": "f",
              "woman": "f", "women": "f", "girl": "f"}  # fmt: skip
_OTHER_SEX = {"m": "f", "f": "m"}
_PRONOUNS = ("they", "their", "he", "she")
_MAX_LETTERS = 20_000
_MAX_CLOSED = 4_000


@dataclass
class _Draft:
    """A person half known."""

    sex: str = "-"
    born: float | None = None
    parents: list[str] = field(default_factory=list)
    spouses: list[str] = field(default_factory=list)


class _Builder:
    """Collects what is told; parents come before siblings, so that siblings share them."""

    def __init__(self) -> None:
        self.drafts: dict[str, _Draft] = {}
        self.elders: set[tuple[str, str]] = set()
        self.siblings: list[tuple[str, str]] = []
        self._n_nameless = 0

    def person(self, name: str, sex: str = "-") -> _Draft:
        draft = self.drafts.setdefault(name, _Draft())
        draft.sex = sex if sex != "-" else draft.sex
        return draft

    def nameless(self, sex: str = "-") -> str:
        self._n_nameless += 1
        name = f"?{self._n_nameless}"
        self.person(name, sex)
        return name

    def relate(self, who: str, rel: str, ego: str) -> None:
        """Take in that somebody is ego's relative, by one English word."""
        *age, word = rel.split()
        step, sex = _KIN[word]
        self.person(who, sex)
        self.person(ego)
        if step == "U":
            self._add(self.drafts[ego].parents, who)
        elif step == "D":
            self._add(self.drafts[who].parents, ego)
        elif step == "P":
            self._add(self.drafts[ego].spouses, who)
        else:
            self.siblings.append((who, ego))
        if age:
            self.elders.add((who, ego) if _AGES[age[0]] > 0 else (ego, who))

    def next_of(self, ego: str, rel: str) -> str:
        """Return ego's relative, known by now or nameless."""
        step, sex = _KIN[rel.split()[-1]]
        known = self.person(ego).parents if step == "U" else []
        known = self.drafts[ego].spouses if step == "P" else known
        for name in known:
            if sex in ("-", self.drafts[name].sex):
                return name
        name = self.nameless(sex)
        self.relate(name, rel, ego)
        return name

    @staticmethod
    def _add(names: list[str], name: str) -> None:
        if name not in names:
            names.append(name)

    def family(self) -> Family:
        """Return the family, siblings with shared parents."""
        for one, other in self.siblings * 2:
            shared = list(
                dict.fromkeys((*self.drafts[one].parents, *self.drafts[other].parents))
            ) or [self.nameless(), self.nameless()]
            self.drafts[one].parents, self.drafts[other].parents = list(shared), list(shared)
        self._tell_couples_apart()
        persons = tuple(
            Person(name, name, d.sex, d.born, tuple(d.parents), tuple(d.spouses))
            for name, d in self.drafts.items()
        )
        return Family(persons, _closed(self.elders))

    def _tell_couples_apart(self) -> None:
        """Give a partner whose sex is not told the other one: so sheets mean it."""
        couples = [(name, other) for name, d in self.drafts.items() for other in d.spouses]
        couples += [pair for d in self.drafts.values() for pair in combinations(d.parents, 2)]
        told = {name: d.sex for name, d in self.drafts.items()}
        for one, other in (*couples, *(pair[::-1] for pair in couples)):
            if told.get(one) == "-" and told.get(other, "-") != "-":
                self.drafts[one].sex = _OTHER_SEX[told[other]]


def family_told(texts: Sequence[str]) -> Family:
    """Return the family that English lines tell; an empty one where they tell none."""
    builder = _Builder()
    for text in _sentences("\n".join(texts)[:_MAX_LETTERS]):
        _read_couple(text, builder)
        _read_relations(text, builder)
        _read_rest(text, builder)
    return builder.family()


def _sentences(text: str) -> Iterator[str]:
    """Yield sentences, with they and their replaced by the couple named last."""
    couple = ""
    text = re.sub(r"(,| and|:)[ ]*\n", r"\1 ", text)
    for part in re.split(r"[.;]\s+|\n", text):
        married = _MARRIED.search(part)
        pair = _COUPLE.search(part)
        single = re.match(_NAME, part.strip())
        words = part.split(maxsplit=1)
        if words and words[0].lower() in _PRONOUNS and couple:
            part = f"{couple} have {words[1] if len(words) > 1 else ''}".replace(
                " have have ", " have "
            ).replace(" have has ", " have ")
        elif pair:
            couple = f"{pair['a']} and {pair['b'] or pair['of']}"
        elif married and (married["end"] or " and " not in married[0]):
            couple = f"{married['a']} and {married['b']}"
        elif single:
            couple = single[0]
        yield part


def _names(text: str) -> list[str]:
    return re.findall(_NAME, re.sub(r"\([^()]*\)", "", text))


def _read_couple(text: str, builder: _Builder) -> None:
    for match in _MARRIED.finditer(text):
        if match["end"] or " and " not in match[0]:
            builder.person(match["a"])
            builder.person(match["b"])
            builder.drafts[match["a"]].spouses.append(match["b"])
    children = _CHILDREN_OF.search(text) or _CHILDREN.search(text)
    if children:
        _take_children(children, builder)


def _take_children(match: re.Match[str], builder: _Builder) -> None:
    parents = [n for n in _names(match["who"]) if n.lower() not in _PRONOUNS]
    children = [name for name in _names(match["list"]) if name not in parents]
    said = match[0][: match.start("list") - match.start()].lower()
    sex = "-"
    if "daughter" not in said or "son" not in said:
        sex = "m" if re.search(r"\bsons?\b", said) else "f" if "daughter" in said else "-"
    for child in children:
        for parent in parents:
            builder.person(parent)
            builder.person(child, sex)
            builder._add(builder.drafts[child].parents, parent)
    if _IN_ORDER.search(match[0]):
        builder.elders |= {(a, b) for i, a in enumerate(children) for b in children[i + 1 :]}


def _read_relations(text: str, builder: _Builder) -> None:
    for pattern in (_IS_OF, _IS_S):
        for match in pattern.finditer(text):
            links = re.findall(_REL, match["chain"])
            for ego in _names(match["ego"]):
                person = ego
                for rel in reversed(links) if pattern is _IS_OF else links:
                    person = builder.next_of(person, rel)
                for who in _names(match["who"]):
                    builder.relate(who, match["rel"], person)


def _read_rest(text: str, builder: _Builder) -> None:
    """Take in ages, sexes, and what stands in brackets behind a name."""
    for match in _OLDER.finditer(text):
        pair = (match["a"], match["b"])
        builder.elders.add(pair if match["age"] != "younger" else pair[::-1])
        for name in pair:
            builder.person(name)
    for match in _SEX_SAID.finditer(text):
        for name in _names(match["who"]):
            builder.person(name, _SEX_WORDS[match["sex"]])
    for match in _BRACKET.finditer(text):
        draft = builder.drafts.get(match["who"])
        if draft is None:
            continue
        for word in re.findall(r"\w+", match["said"].lower()):
            draft.sex = _SEX_WORDS.get(word, draft.sex)
            draft.born = float(word) if re.fullmatch(r"\d{4}", word) else draft.born
        for part in match["said"].lower().split(","):
            kin = _KIN_SAID.fullmatch(part.strip())
            sex = _KIN[kin["rel"].split()[-1]][1] if kin else "-"
            draft.sex = sex if sex != "-" else draft.sex


def _closed(pairs: set[tuple[str, str]]) -> frozenset[tuple[str, str]]:
    """Return the pairs with all that follow from them."""
    closed = set(pairs)
    while len(closed) < _MAX_CLOSED:
        more = {(a, d) for a, b in closed for c, d in closed if b == c and a != d} - closed
        if not more:
            break
        closed |= more
    return frozenset(closed)
