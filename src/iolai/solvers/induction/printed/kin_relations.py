"""How one person is related to another, in steps, and the same in words that can be read back.

A relation goes from ego, the person somebody is related to, by steps up (``U``, to a parent),
sideways (``S``, to a sibling), down (``D``, to a child) and by marriage (``P``, to a spouse), with
the sex of everybody on the way. In words: ``woman's mother's brother's son, elder``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import product

__all__ = ["KIN_SETS", "Relation", "is_member", "join_relations", "kin_cost", "parse_relations"]

_WORDS = {
    "U": {"m": "father", "f": "mother", "": "parent"},
    "S": {"m": "brother", "f": "sister", "": "sibling"},
    "D": {"m": "son", "f": "daughter", "": "child"},
    "P": {"m": "husband", "f": "wife", "": "spouse"},
}
_EGOS = {"m": "man", "f": "woman", "": "person"}
_STEP_OF = {word: (step, sex) for step, by in _WORDS.items() for sex, word in by.items()}
_EGO_OF = {word: sex for sex, word in _EGOS.items()}
_ALSO = " and also "
_AGES = ("elder", "younger")
_SIBLING_LINK = "sibling link "


@dataclass(frozen=True, slots=True)
class Relation:
    """``sexes`` has the sex of ego (``m``, ``f`` or ``-`` for one not told) and one per step.

    ``age`` is the relative's against ego's, ``link_age`` that of the sibling in the steps against
    the person whose sibling this is: ``elder``, ``younger`` or empty.
    """

    steps: str
    sexes: str
    age: str = ""
    link_age: str = ""

    def __str__(self) -> str:
        sexes = [sex.strip("-") for sex in self.sexes]
        words = [_EGOS[sexes[0]]]
        words += [_WORDS[step][sex] for step, sex in zip(self.steps, sexes[1:], strict=True)]
        text = "'s ".join(words)
        text += f", {self.age}" if self.age else ""
        return text + (f", {_SIBLING_LINK}{self.link_age}" if self.link_age else "")

    def kin_type(self) -> str:
        """Return the steps in words, without ego and ages: ``mother's brother``."""
        return str(Relation(self.steps, self.sexes)).partition("'s ")[2]

    def traits(self) -> dict[str, str]:
        """Return what definitions may ask for, by name; what does not apply is missing."""
        traits = {"relative": self.sexes[-1], "ego": self.sexes[0], "line": self._line()}
        if "-" not in (self.sexes[0], self.sexes[-1]):
            traits["sexes"] = "same" if self.sexes[0] == self.sexes[-1] else "other"
        if len(self.steps) > 1 or self.steps == "U":
            traits["link"] = self.sexes[1]
        if len(self.steps) > 1 and self.steps[-1] == "D":
            traits["born to"] = self.sexes[-2]
        traits["side"] = self._side()
        traits.update({"age": self.age} if self.age else {})
        if self.link_age and len(self.steps) > 1:
            traits["link age"] = self.link_age
        return traits

    def _line(self) -> str:
        return "collateral" if "S" in self.steps else "lineal"

    def _side(self) -> str:
        """Say whether the two siblings on the way are of different sex (``cross``) or not."""
        place = self.steps.find("S")
        if place < 0 or self.steps == "S":
            return "none"
        pair = self.sexes[place : place + 2]
        return "unknown" if "-" in pair else "parallel" if pair[0] == pair[1] else "cross"

    @property
    def generation(self) -> int:
        """Generations up (above 0) or down (below 0) from ego."""
        return self.steps.count("U") - self.steps.count("D")


def parse_relations(text: str) -> tuple[Relation, ...]:
    """Read relations back from their words; what is not in the notation is passed over."""
    found = [_parse(part) for part in text.split(_ALSO)]
    return tuple(relation for relation in found if relation is not None)


def join_relations(relations: tuple[Relation, ...]) -> str:
    """Return all relations of one pair of persons in words."""
    return _ALSO.join(str(relation) for relation in relations)


def _parse(text: str) -> Relation | None:
    path, *marks = text.split(", ")
    ego, *words = path.split("'s ")
    if ego not in _EGO_OF or not words or not all(word in _STEP_OF for word in words):
        return None
    steps = [_STEP_OF[word] for word in words]
    sexes = (_EGO_OF[ego] or "-") + "".join(sex or "-" for _, sex in steps)
    age = next((mark for mark in marks if mark in _AGES), "")
    link = next((m.removeprefix(_SIBLING_LINK) for m in marks if m.startswith(_SIBLING_LINK)), "")
    return Relation("".join(step for step, _ in steps), sexes, age, link)


# --- sets of relations ----------------------------------------------------------------------

_NAMED = {"UU": "grandparent", "DD": "grandchild", "UUU": "great-grandparent",
          "DDD": "great-grandchild", "USD": "cousin"}  # fmt: skip
_COUNTS = {1: "one generation", 2: "two generations", 3: "three generations"}
_KINDS = {"b": "blood relative", "m": "relative by marriage", "a": "relative"}
_OR_SPOUSE = " or the spouse of one"


@cache
def _kin_sets() -> dict[str, str]:
    """Return the name of each set of relations by its key."""
    names: dict[str, str] = {"any": "anybody related"}
    for kind, what in _KINDS.items():
        names[f"{kind}0"] = f"{what} of the same generation"
        for n, count in _COUNTS.items():
            names[f"{kind}+{n}"] = f"{what} {count} up"
            names[f"{kind}-{n}"] = f"{what} {count} down"
            names[f"{kind}±{n}"] = f"{what} {count} up or down"
    parts = product(("", "P"), ("", "U", "UU", "UUU"), ("", "S"), ("", "D", "DD", "DDD"), ("", "P"))
    for steps in filter(None, ("".join(part) for part in parts)):
        names.setdefault(steps, _shape_name(steps))
        if "P" not in steps:
            names[f"{steps}*"] = f"{_shape_name(steps)}{_OR_SPOUSE}"
    return names


def _shape_name(steps: str) -> str:
    if steps in _NAMED:
        return _NAMED[steps]
    return "'s ".join(_WORDS[step][""] for step in steps)


#: Names of sets of relations by their keys: steps; steps and ``*``; kind and generation.
KIN_SETS = _kin_sets()


def is_member(key: str, relation: Relation) -> bool:
    """Say whether a relation belongs to the set of a key of ``KIN_SETS``."""
    if key == "any":
        return True
    if key[0] in _KINDS:
        return _is_of_kind(key[0], relation) and _is_of_generation(key[1:], relation.generation)
    steps = relation.steps
    return steps == key or (key.endswith("*") and steps.removesuffix("P") == key[:-1])


def _is_of_kind(kind: str, relation: Relation) -> bool:
    return kind == "a" or (kind == "m") == ("P" in relation.steps)


def _is_of_generation(said: str, generation: int) -> bool:
    if said[0] == "±":
        return abs(generation) == int(said[1:])
    return generation == int(said)


def kin_cost(key: str) -> float:
    """Return the bits it takes to name a set: near and common ones are cheap."""
    if key == "any":
        return 3.6
    if key[0] in _KINDS:
        return {"b": 3.0, "m": 4.0, "a": 3.6}[key[0]] + (0.8 if "±" in key else 0.0)
    bare = key.removesuffix("*")
    cost = 2.0 + 0.7 * (len(bare) - 1) - (0.6 if bare in _NAMED else 0.0)
    return cost + (1.5 if key.endswith("*") else 0.0)
