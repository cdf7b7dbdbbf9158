"""Invented kinship systems of the known types, drawn at random, and families that use them.

A system is a function from (relative, ego) to a term, worked out from the family itself and not by
the engine's notation, so that a fault there shows.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from itertools import permutations

from iolai.records import Problem, Task

__all__ = ["KINDS", "KinSystem", "Member", "draw_family", "draw_kin_system", "kin_problem"]

KINDS = ("bifurcate merging", "generational", "sudanese", "lineal", "crow", "omaha")
_ONSETS, _VOWELS = "ptkmnslrvhgdbfz", "aeiou"


@dataclass
class Member:
    """A member of a family; ``born`` is a year."""

    id: str
    name: str
    sex: str
    born: int
    father: Member | None = None
    mother: Member | None = None
    spouse: Member | None = None

    def parents(self) -> list[Member]:
        return [p for p in (self.father, self.mother) if p is not None]

    def is_sibling(self, other: Member) -> bool:
        return self is not other and self.father is not None and self.father is other.father


@dataclass(frozen=True)
class KinSystem:
    """``kind`` of system; whether siblings are told apart by age, children by the speaker's sex;
    whether spouses and their parents have terms; the words, and the order of a statement."""

    kind: str
    has_age: bool
    has_speaker: bool
    has_marriage: bool
    words: dict[str, str]
    order: str

    def slot(self, relative: Member, ego: Member) -> str:
        """Return what the relative is to ego; empty where the language has no word."""
        near = _near(relative, ego)
        if near:
            return self._near_slot(near, relative, ego)
        for tell in (_aunt_uncle, _nibling, _cousin):
            found = tell(relative, ego)
            if found:
                return self._further(found, relative, ego)
        if self.has_marriage and relative.spouse is ego:
            return "spouse"
        if self.has_marriage and ego.spouse is not None and relative in ego.spouse.parents():
            return "parent in law"
        return ""

    def _near_slot(self, near: str, relative: Member, ego: Member) -> str:
        if near == "sibling":
            return self._sibling(relative, ego)
        if near == "child":
            return self._child(relative, ego)
        return f"parent {relative.sex}" if near == "parent" else near

    def _sibling(self, relative: Member, ego: Member) -> str:
        if not self.has_age:
            return f"sibling {relative.sex}"
        return f"elder sibling {relative.sex}" if relative.born < ego.born else "younger sibling"

    def _child(self, relative: Member, ego: Member) -> str:
        return f"child of {ego.sex}" if self.has_speaker else f"child {relative.sex}"

    def _further(self, found: tuple[str, str, bool], relative: Member, ego: Member) -> str:
        what, link, is_cross = found
        makers: dict[str, Callable[[], str]] = {
            "generational": lambda: self._generational(what, relative, ego),
            "lineal": lambda: what if what == "cousin" else f"{what} {relative.sex}",
            "sudanese": lambda: f"{what} {link} {relative.sex if what != 'cousin' else is_cross}",
        }
        return makers.get(self.kind, lambda: self._merging(what, link, is_cross, relative, ego))()

    def _generational(self, what: str, relative: Member, ego: Member) -> str:
        if what == "cousin":
            return self._sibling(relative, ego)
        return f"parent {relative.sex}" if what == "aunt" else self._child(relative, ego)

    def _merging(self, what: str, link: str, is_cross: bool, relative: Member, ego: Member) -> str:
        if not is_cross:
            return self._generational(what, relative, ego)
        if what == "cousin" and self.kind == "crow" and link == "m":
            return "cross aunt f" if relative.sex == "f" else "parent m"
        if what == "cousin" and self.kind == "omaha" and link == "f":
            return "cross aunt m" if relative.sex == "m" else "parent f"
        return f"cross {what} {relative.sex if what == 'aunt' else ''}".strip()


def _near(relative: Member, ego: Member) -> str:
    parents, above = ego.parents(), [g for p in ego.parents() for g in p.parents()]
    below = [g for p in relative.parents() for g in p.parents()]
    if any(relative is p for p in parents):
        return "parent"
    if any(ego is p for p in relative.parents()):
        return "child"
    if relative.is_sibling(ego):
        return "sibling"
    if any(relative is g for g in above) or any(ego is g for g in below):
        return "grand"
    return ""


def _aunt_uncle(relative: Member, ego: Member) -> tuple[str, str, bool] | None:
    for parent in ego.parents():
        if relative.is_sibling(parent):
            return "aunt", parent.sex, relative.sex != parent.sex
    return None


def _nibling(relative: Member, ego: Member) -> tuple[str, str, bool] | None:
    for parent in relative.parents():
        if parent.is_sibling(ego):
            return "nibling", parent.sex, parent.sex != ego.sex
    return None


def _cousin(relative: Member, ego: Member) -> tuple[str, str, bool] | None:
    for mine in ego.parents():
        for theirs in relative.parents():
            if mine.is_sibling(theirs):
                return "cousin", mine.sex, mine.sex != theirs.sex
    return None


def _word(rng: random.Random, n: int) -> str:
    return "".join(rng.choice(_ONSETS) + rng.choice(_VOWELS) for _ in range(n))


def draw_kin_system(seed: int) -> KinSystem:
    """Draw a system with words for all it may tell apart."""
    rng = random.Random(seed)  # noqa: S311 - a draw for tests
    order = rng.choice(["{a} po {t} {b}", "{b}-ni {t} {a}", "{a} {b} {t} la", "su {t} {a} ka {b}"])
    return KinSystem(
        kind=rng.choice(KINDS), has_age=rng.random() < 0.6, has_speaker=rng.random() < 0.3,
        has_marriage=rng.random() < 0.4, words={}, order=order,
    )  # fmt: skip


@dataclass
class _Nursery:
    """Where members of a family are made: each with a name and a year of birth of their own."""

    rng: random.Random
    names: list[str]
    years: list[int]
    family: list[Member]

    def add(self, sex: str, years: tuple[int, int], parents: tuple[Member, Member] | None = None
            ) -> Member:  # fmt: skip
        """Add somebody born between two years."""
        year = next(y for y in self.years if years[0] <= y < years[1])
        self.years.remove(year)
        n = len(self.family)
        member = Member(f"p{n + 1}", self.names[n], sex, year)
        if parents:
            member.father, member.mother = parents
        self.family.append(member)
        return member


def _wed(one: Member, other: Member) -> tuple[Member, Member]:
    one.spouse, other.spouse = other, one
    return (one, other) if one.sex == "m" else (other, one)


def draw_family(seed: int) -> list[Member]:
    """Draw three generations: two couples, whose children marry each other or strangers."""
    rng = random.Random(seed)  # noqa: S311 - a draw for tests
    made = _Nursery(rng, _draw_names(rng), rng.sample(range(1900, 2000), 90), [])
    old, middling, young = (1900, 1925), (1925, 1955), (1955, 2000)
    for _ in range(2):
        couple = _wed(made.add("m", old), made.add("f", old))
        for k in range(rng.choice([3, 4])):
            made.add("mf"[k % 2] if k < 2 else rng.choice("mf"), middling, couple)
    middle = [m for m in made.family if m.father is not None]
    _wed(next(m for m in middle if m.sex == "m"), next(m for m in middle[::-1] if m.sex == "f"))
    for member in middle:
        if member.spouse is None and rng.random() < 0.8:
            _wed(member, made.add("f" if member.sex == "m" else "m", middling))
    for father in [m for m in made.family if m.sex == "m" and m.spouse and m.born >= 1925]:
        for _ in range(rng.choice([1, 2, 2, 3])):
            assert father.spouse is not None
            made.add(rng.choice("mf"), young, (father, father.spouse))
    return made.family


def _draw_names(rng: random.Random) -> list[str]:
    names: list[str] = []
    while len(names) < 60:
        name = _word(rng, rng.choice([2, 2, 3])).capitalize()
        if not any(name in other or other in name for other in names):
            names.append(name)
    return names


def _told(family: list[Member], hidden: list[Member]) -> str:
    rows = [
        {
            "id": m.id, "name": None if m in hidden else m.name, "sex": m.sex,
            "birth_year": m.born, "parents": [p.id for p in m.parents()],
            "spouse": m.spouse.id if m.spouse else None,
        }
        for m in family
    ]  # fmt: skip
    return json.dumps({"persons": rows}, indent=1)


def _prose(family: list[Member]) -> str:
    """Tell the same family in English: sexes and years in brackets, couples with children."""
    lines = []
    for m in family:
        if m.sex == "m" and m.spouse is not None:
            sexes = {"m": "male", "f": "female"}
            one, other = (f"{p.name} ({sexes[p.sex]}, born {p.born})" for p in (m, m.spouse))
            children = [c for c in family if c.father is m]
            told = ", ".join(f"{c.name} ({sexes[c.sex]}, born {c.born})" for c in children)
            lines.append(f"{one} is married to {other}.")
            if children:
                lines.append(f"The children of {m.name} and {m.spouse.name} are: {told}.")
    single = [m for m in family if m.spouse is None and m.father is None]
    assert not single
    return "\n".join(lines)


def kin_problem(
    system: KinSystem, seed: int, *, is_prose: bool = False
) -> tuple[Problem, list[list[str]]]:
    """Return a problem (names, terms, persons, sentences) and the answers of each task.

    Each term stands in statements about every kind of relative that it is asked for.
    """
    rng = random.Random(seed)  # noqa: S311 - a draw for tests
    family = draw_family(seed)
    words: dict[str, str] = dict(system.words)

    def term(a: Member, b: Member) -> str:
        slot = system.slot(a, b)
        while slot and slot not in words:
            word = _word(rng, 2)
            if word not in (*words.values(), *(m.name.lower() for m in family)):
                words[slot] = word
        return words.get(slot, "")

    pairs = [(a, b) for a in family for b in family if a is not b and term(a, b)]
    rng.shuffle(pairs)
    by_slot: dict[str, list[tuple[Member, Member]]] = {}
    for a, b in pairs:
        by_slot.setdefault(system.slot(a, b), []).append((a, b))
    given = [pair for found in by_slot.values() for pair in found[:4]]
    rest = [pair for found in by_slot.values() for pair in found[4:]]
    rng.shuffle(given)
    rng.shuffle(rest)
    asked, spoken, fit = rest[:6], rest[6:10], _fitting(family, rest, term)[:4]

    def say(t: str, a: str, b: str) -> str:
        text = system.order.format(a=a, b=b, t=t)
        return text[:1].upper() + text[1:]

    used = [m for pair in given for m in pair]
    young = [m for m in family if m.born >= 1955 and used.count(m) > 2]
    hidden = [] if is_prose else _told_apart(young[:5], given, term)
    told = _prose(family) if is_prose else _told(family, hidden)
    called = ", ".join(sorted(m.name for m in hidden))
    told += f"\nThe names of some persons are left out: they are called {called}." if hidden else ""
    statements = "\n".join(f"{n}. {say(term(a, b), a.name, b.name)}"
                           for n, (a, b) in enumerate(given, 1))  # fmt: skip
    context = f"This is a family with its kinship terms.\n\n{told}\n\nStatements:\n{statements}"
    tasks = [
        ("Give the id of:", [(m.name, m.id) for m in hidden]),
        ("Fill in the word:", [(say("___", a.name, b.name), term(a, b)) for a, b in asked]),
        ("Fill in the name:", [(say(term(a, b), "___", b.name), a.name) for a, b in fit]),
        ("Translate:", [(_english(a, b), say(term(a, b), a.name, b.name)) for a, b in spoken]),
    ]  # fmt: skip
    tasks = [(query, rows) for query, rows in tasks if rows]
    made = tuple(
        Task(f"k{seed}-{t}", context, query + "\n" + "\n".join(
            f"{n}. {text}" for n, (text, _) in enumerate(rows, 1)), "fill_blanks")
        for t, (query, rows) in enumerate(tasks)
    )  # fmt: skip
    return Problem(f"kin-{seed}", made), [[answer for _, answer in rows] for _, rows in tasks]


def _told_apart(
    members: list[Member],
    given: list[tuple[Member, Member]],
    term: Callable[[Member, Member], str],
) -> list[Member]:
    """Return three members whose names the statements settle; none where there are no such."""
    for three in permutations(members, 3):
        fits = 0
        for order in permutations(three):
            bearer = {m.id: o for m, o in zip(three, order, strict=True)}
            fits += all(
                term(bearer.get(a.id, a), bearer.get(b.id, b)) == term(a, b) for a, b in given
            )
        if fits == 1:
            return list(three)
    return []


def _fitting(
    family: list[Member], rest: list[tuple[Member, Member]], term: Callable[[Member, Member], str]
) -> list[tuple[Member, Member]]:
    """Return the pairs whose relative is the only one with this term for ego."""
    return [
        (a, b) for a, b in rest
        if sum(1 for c in family if c is not b and term(c, b) == term(a, b)) == 1
    ]  # fmt: skip


def _english(a: Member, b: Member) -> str:
    return f"{a.name} is a relative of {b.name}."
