"""Kinship terms as printed: each word is defined once, by the relations it is said of.

A line reads ``kor: blood relative of the same generation, male, not cross, elder``; further cases
follow after ``; or``, examples in brackets. Two words said together hold where both do.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from iolai.solvers.induction.printed.kin_relations import (
    KIN_SETS,
    Relation,
    is_member,
    parse_relations,
)

__all__ = ["CONDITIONS", "Clause", "Definition", "Kinship"]

#: What a definition may ask for: the words, the trait, the values that will do, the bits it costs.
CONDITIONS: dict[str, tuple[str, tuple[str, ...], float]] = {
    "male": ("relative", ("m",), 3.0),
    "female": ("relative", ("f",), 3.0),
    "of a man": ("ego", ("m",), 4.2),
    "of a woman": ("ego", ("f",), 4.2),
    "of ego's own sex": ("sexes", ("same",), 3.4),
    "of the other sex than ego": ("sexes", ("other",), 3.4),
    "through a man": ("link", ("m",), 3.2),
    "through a woman": ("link", ("f",), 3.2),
    "born to a man": ("born to", ("m",), 4.0),
    "born to a woman": ("born to", ("f",), 4.0),
    "cross": ("side", ("cross",), 3.0),
    "parallel": ("side", ("parallel",), 3.0),
    "not cross": ("side", ("parallel", "none"), 3.0),
    "elder": ("age", ("elder",), 3.0),
    "younger": ("age", ("younger",), 3.0),
    "sibling link elder": ("link age", ("elder",), 3.4),
    "sibling link younger": ("link age", ("younger",), 3.4),
    "lineal": ("line", ("lineal",), 3.0),
    "collateral": ("line", ("collateral",), 3.0),
}
_KEYS = {name: key for key, name in KIN_SETS.items()}
_EXAMPLES = re.compile(r"\s*\([^()]*\)$")
_OR = "; or "
_NAMES = "Who is who: "
_MODIFIERS = {"after": "Said after another term: ", "before": "Said before another term: "}
_LEGENDS = {
    "cross": "Cross: the two siblings who link them are of different sex; else parallel.",
    "sibling link": "Sibling link: the sibling on the way, against the person whose sibling it is.",
    "through": "Through: the first person on the way from ego.",
}


@dataclass(frozen=True, slots=True)
class Clause:
    """A set of relations by its key, and the conditions that narrow it."""

    kin: str
    conditions: tuple[str, ...] = ()

    def holds(self, relation: Relation) -> bool:
        """Say whether a relation is meant."""
        traits = relation.traits()
        return is_member(self.kin, relation) and all(
            traits.get(trait) in values
            for trait, values, _ in (CONDITIONS[c] for c in self.conditions)
        )

    def __str__(self) -> str:
        return ", ".join((KIN_SETS[self.kin], *self.conditions))


@dataclass(frozen=True, slots=True)
class Definition:
    """A word and the cases it is said in."""

    word: str
    clauses: tuple[Clause, ...]
    examples: tuple[str, ...] = ()

    def holds(self, relations: Iterable[Relation]) -> bool:
        """Say whether the word is said of a pair that is related in these ways."""
        return any(clause.holds(relation) for relation in relations for clause in self.clauses)

    def __str__(self) -> str:
        shown = f" ({', '.join(self.examples)})" if self.examples else ""
        return f"{self.word}: {_OR.join(str(clause) for clause in self.clauses)}{shown}"


@dataclass(frozen=True, slots=True)
class Kinship:
    """The printed rules: words, how they are joined, who bears which name.

    ``modifiers`` never stand alone; ``place`` is ``before`` or ``after`` the term they narrow.
    """

    definitions: tuple[Definition, ...]
    modifiers: tuple[str, ...] = ()
    place: str = "after"
    names: tuple[tuple[str, str], ...] = ()
    order: str = ""

    @property
    def n_further_cases(self) -> int:
        """How many cases the definitions have beyond one each."""
        return sum(len(definition.clauses) - 1 for definition in self.definitions)

    def lines(self) -> tuple[str, ...]:
        """Return the rules, a line each."""
        rows = [self.order] if self.order else []
        rows += [str(definition) for definition in self.definitions]
        if self.modifiers:
            rows.append(_MODIFIERS[self.place] + ", ".join(self.modifiers))
        if self.names:
            rows.append(_NAMES + ", ".join(f"{name} is {who}" for name, who in self.names))
        said = " ".join(rows)
        return (*rows, *(text for sign, text in _LEGENDS.items() if sign in said))

    @staticmethod
    def parse(lines: Sequence[str]) -> Kinship:
        """Read the rules back; other lines are passed over."""
        modifiers: tuple[str, ...] = ()
        names: tuple[tuple[str, str], ...] = ()
        place, found = "after", []
        for line in lines:
            for side, start in _MODIFIERS.items():
                if line.startswith(start):
                    place, modifiers = side, tuple(line.removeprefix(start).split(", "))
            if line.startswith(_NAMES):
                names = _parse_names(line.removeprefix(_NAMES))
            definition = _parse_definition(line)
            found += [definition] if definition else []
        return Kinship(tuple(found), modifiers, place, names)

    def terms(self, relations: Sequence[Relation]) -> list[str]:
        """Return what a relative is called who is related in these ways."""
        held = [d.word for d in self.definitions if d.holds(relations)]
        added = [word for word in held if word in self.modifiers]
        heads = [word for word in held if word not in self.modifiers]
        if self.place == "before":
            return [" ".join((*added, head)) for head in heads]
        return [" ".join((head, *added)) for head in heads]

    def regenerate(self, inputs: Sequence[str], options: Sequence[str]) -> list[str]:
        """Return the term for each relation, in the words of ``Relation``."""
        return [next(iter(self.terms(parse_relations(text))), "") for text in inputs]


def _parse_names(text: str) -> tuple[tuple[str, str], ...]:
    pairs = [entry.partition(" is ") for entry in text.split(", ")]
    return tuple((name, who) for name, sign, who in pairs if sign)


def _parse_definition(line: str) -> Definition | None:
    word, colon, rest = line.partition(": ")
    cases = [part.split(", ") for part in _EXAMPLES.sub("", rest).split(_OR)]
    if not colon or any(kin not in _KEYS for kin, *_ in cases):
        return None
    if any(condition not in CONDITIONS for _, *conditions in cases for condition in conditions):
        return None
    return Definition(word, tuple(Clause(_KEYS[kin], tuple(rest)) for kin, *rest in cases))
