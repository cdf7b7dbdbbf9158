"""A family: persons, and in which ways each is related to each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from iolai.solvers.induction.printed.kin_relations import Relation

__all__ = ["Family", "Person"]

_HIGHEST = 3
_MAX_PERSONS = 80


@dataclass(frozen=True, slots=True)
class Person:
    """``sex`` is ``m``, ``f`` or ``-``; ``born`` a year or a rank; relatives are named by id."""

    id: str
    name: str = ""
    sex: str = "-"
    born: float | None = None
    parents: tuple[str, ...] = ()
    spouses: tuple[str, ...] = ()


@dataclass(frozen=True)
class Family:
    """Persons, and (elder, younger) pairs told apart from years of birth."""

    persons: tuple[Person, ...]
    elders: frozenset[tuple[str, str]] = frozenset()
    _known: dict[str, Person] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._known.update({person.id: person for person in self.persons[:_MAX_PERSONS]})

    @property
    def unnamed(self) -> tuple[str, ...]:
        """Ids of the persons whose names are left out."""
        return tuple(p.id for p in self._known.values() if not p.name)

    @cached_property
    def relations(self) -> Mapping[tuple[str, str], tuple[Relation, ...]]:
        """How (relative, ego) are related: by blood where they are, else by marriage."""
        found: dict[tuple[str, str], set[Relation]] = {}
        for ego in self._known:
            for steps, path in self._paths(ego):
                if path[-1] != ego and len(set(path)) == len(path):
                    relation = self._relation(steps, path)
                    found.setdefault((path[-1], ego), set()).add(relation)
        return {pair: _nearest(relations) for pair, relations in found.items()}

    def _paths(self, ego: str) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield ways from ego: by marriage, up, sideways, down, by marriage, each if at all."""
        starts = [("", (ego,)), *(("P", (ego, other)) for other in self._spouses(ego))]
        for steps, path in starts:
            for risen, way in self._climb(steps, path):
                for turned, beside in self._turn(risen, way):
                    for fallen, below in self._descend(turned, beside):
                        if fallen:
                            yield fallen, below
                        if fallen and "P" not in fallen:
                            for other in self._spouses(below[-1]):
                                yield fallen + "P", (*below, other)

    def _climb(self, steps: str, path: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...]]]:
        yield steps, path
        if steps.count("U") < _HIGHEST:
            for parent in self._parents(path[-1]):
                yield from self._climb(steps + "U", (*path, parent))

    def _turn(self, steps: str, path: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...]]]:
        if not steps.endswith("U"):
            yield steps, path
            for other in self._siblings.get(path[-1], ()):
                yield steps + "S", (*path, other)
            return
        yield steps + "|", path
        for other in self._siblings.get(path[-1], ()):
            yield steps + "S", (*path, other)

    def _descend(self, steps: str, path: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Go down; after steps up only from a sibling, since one's parent's child is a sibling."""
        yield steps.removesuffix("|"), path
        if steps.count("D") < _HIGHEST and not steps.endswith("|"):
            for child in self._children.get(path[-1], ()):
                yield from self._descend(steps + "D", (*path, child))

    def _parents(self, who: str) -> tuple[str, ...]:
        return tuple(parent for parent in self._known[who].parents if parent in self._known)

    @cached_property
    def _children(self) -> Mapping[str, list[str]]:
        found: dict[str, list[str]] = {}
        for person in self._known.values():
            for parent in person.parents:
                found.setdefault(parent, []).append(person.id)
        return found

    @cached_property
    def _siblings(self) -> Mapping[str, list[str]]:
        found: dict[str, list[str]] = {}
        for who in self._known:
            others = [o for parent in self._parents(who) for o in self._children[parent]]
            found[who] = [other for other in dict.fromkeys(others) if other != who]
        return found

    def _spouses(self, who: str) -> tuple[str, ...]:
        """Return whom one is married to or has children with."""
        told = list(self._known[who].spouses)
        told += [p.id for p in self._known.values() if who in p.spouses]
        told += [o for child in self._children.get(who, ()) for o in self._parents(child)]
        return tuple(o for o in dict.fromkeys(told) if o != who and o in self._known)

    def _relation(self, steps: str, path: tuple[str, ...]) -> Relation:
        sexes = "".join(self._known[who].sex for who in path)
        place = steps.find("S")
        link = self.age(path[place + 1], path[place]) if place >= 0 else ""
        return Relation(steps, sexes, self.age(path[-1], path[0]), link)

    def age(self, one: str, other: str) -> str:
        """Say whether one is ``elder`` or ``younger`` than the other; empty where not told."""
        if (one, other) in self.elders:
            return "elder"
        if (other, one) in self.elders:
            return "younger"
        a, b = self._known[one].born, self._known[other].born
        if a is None or b is None or a == b:
            return ""
        return "elder" if a < b else "younger"


def _nearest(relations: set[Relation]) -> tuple[Relation, ...]:
    """Return the relations by blood, and marriage itself; those by marriage where alone."""
    near = {r for r in relations if "P" not in r.steps or r.steps == "P"} or {
        r for r in relations if len(r.steps) == min(len(other.steps) for other in relations)
    }
    return tuple(sorted(near, key=lambda r: (len(r.steps), str(r))))
