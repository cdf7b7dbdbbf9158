"""The choice of a whole theory: who bears which name, who is whose, what each word means."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import combinations, islice, permutations
from math import perm
from operator import or_

from iolai.solvers.base import Budget
from iolai.solvers.induction.kinship.data import KinData
from iolai.solvers.induction.kinship.definitions import (
    Choice,
    Kind,
    Needs,
    Option,
    Space,
    choose,
    make_space,
    rivals,
)
from iolai.solvers.induction.kinship.glosses import is_glossed
from iolai.solvers.induction.kinship.statements import Statement
from iolai.solvers.induction.printed.kinship import Definition, Kinship

__all__ = ["Theory", "find_theory", "kinds_said"]

_MISS_BITS = 15.0
_MAX_ORDERS = 5040
_N_ORDERS = 40
_N_BEST = 4
_N_EXAMPLES = 6


@dataclass(frozen=True)
class Theory:
    """``bearers`` are the ids of loose names; ``kinship`` the words as they are printed.

    ``rivals`` are other definitions of a word and the bits they cost more than the chosen one;
    ``others`` other theories (names or statements read another way), with the bits they cost more.
    ``grows`` says whether words that do not hold for a pair may be stretched to it.
    """

    data: KinData
    space: Space
    bearers: Mapping[str, str]
    is_first: bool
    said: Mapping[str, int]
    choice: Choice
    kinship: Kinship
    rivals: Mapping[str, tuple[tuple[Option, float], ...]] = field(default_factory=dict)
    others: tuple[tuple[Theory, float], ...] = ()
    grows: bool = True

    def with_option(self, word: str, option: Option) -> Theory:
        """Return the theory with another definition of a word, none of which grows."""
        definitions = tuple(
            Definition(word, option.clauses, _examples(self.space, option)) if d.word == word else d
            for d in self.kinship.definitions
        )
        choice = replace(self.choice, options={**self.choice.options, word: option})
        return replace(
            self,
            choice=choice,
            kinship=replace(self.kinship, definitions=definitions),
            others=(),
            grows=False,
        )

    def n_explained(self) -> int:
        """Return how many statements of the sheet the definitions give, the word said first."""
        pairs = [self.relations(said.first, said.second) for said in self.data.statements]
        return sum(
            bool(kind) and self.kinship.terms(kind)[:1] == [" ".join(said.words)]
            for kind, said in zip(pairs, self.data.statements, strict=True)
        )

    def relations(self, first: str, second: str) -> Kind:
        """Return how two persons named in a statement are related, in its direction."""
        ids = self.data.ids(self.bearers)
        pair = (ids.get(first, first), ids.get(second, second))
        return self.data.family.relations.get(pair if self.is_first else pair[::-1], ())

    def nearest(self, kind: Kind) -> list[tuple[float, str]]:
        """Return each word with the bits by which it would grow to hold for a kind of pair."""
        bit = self.space.mask([kind])
        found = []
        for word, option in self.choice.options.items():
            said, never = self.said[word], _never(self.said, word)
            wider = self.space.options(said | bit, never & ~bit)
            if wider and word not in self.kinship.modifiers:
                found.append((wider[0].bits - option.bits, word))
        return sorted(found)


#: What is said of whom, for one way to give the names: kinds of pairs by word.
_Said = dict[str, set[Kind]]


def kinds_said(data: KinData, bearers: Mapping[str, str], is_first: bool) -> tuple[_Said, int]:
    """Return the kinds of pairs each word is said of, and how many statements are of none."""
    ids = data.ids(bearers)
    said: _Said = defaultdict(set)
    n_missed = 0
    for statement in data.statements:
        pair = (ids.get(statement.first, ""), ids.get(statement.second, ""))
        kind = data.family.relations.get(pair if is_first else pair[::-1])
        if kind is None:
            n_missed += 1
            continue
        for word in statement.words:
            said[word].add(kind)
    return said, n_missed


def find_theory(data: KinData, asked: Sequence[tuple[str, str]], budget: Budget) -> Theory | None:
    """Return the theory of fewest bits; None where no word can be defined."""

    def is_over() -> bool:
        return budget.seconds_left <= 0

    kinds = sorted(set(data.family.relations.values()), key=str)
    space = make_space(kinds, is_over)
    rated: list[tuple[float, int, dict[str, str], bool]] = []
    ways = (data.way,) if data.way is not None else (True, False)
    for bearers in _bearers(data, is_over):
        for is_first in ways:
            if is_over() and rated:
                break
            rated.append(
                (_quick_bits(data, space, bearers, is_first), len(rated), bearers, is_first)
            )
    best: Theory | None = None
    found: list[Theory] = []
    for _, _, bearers, is_first in sorted(rated, key=lambda row: row[:2])[:_N_BEST]:
        if best is None or not is_over():
            theory = _theory(data, space, bearers, is_first, asked, budget)
            found.append(theory)
            if best is None or _bits(theory) < _bits(best):
                best = theory
    if best is None or not best.choice.options:
        return None
    least = _bits(best)
    others = [(theory, _bits(theory) - least) for theory in found if theory is not best]
    return replace(best, others=tuple(others))


def _bits(theory: Theory) -> float:
    _, n_missed = kinds_said(theory.data, theory.bearers, theory.is_first)
    n_open = len(theory.said) - len(theory.choice.options)
    return theory.choice.bits + _MISS_BITS * (n_missed + n_open)


def _bearers(data: KinData, is_over: Callable[[], bool]) -> list[dict[str, str]]:
    """Return the best ways to give the loose names to persons without one, a bounded number.

    The best are those by which fewest statements are about strangers or say two words of the same
    kind of pair; what the words mean is left to later.
    """
    unnamed = data.family.unnamed
    n = min(len(data.loose), len(unnamed))
    n_skipped = max(1, perm(len(unnamed), n) // _MAX_ORDERS)
    rated: list[tuple[float, int, dict[str, str]]] = []
    for way in islice(permutations(unnamed, n), 0, None, n_skipped):
        if rated and is_over():
            break
        bearers = dict(zip(data.loose, way, strict=False))
        rated.append((_strangeness(data, bearers), len(rated), bearers))
    return [bearers for _, _, bearers in sorted(rated, key=lambda row: row[:2])[:_N_ORDERS]]


def _strangeness(data: KinData, bearers: Mapping[str, str]) -> float:
    said, n_missed = kinds_said(data, bearers, is_first=data.way is not False)
    words = Counter(kind for kinds in said.values() for kind in kinds)
    return _MISS_BITS * n_missed + sum(words.values()) - len(words)


def _quick_bits(data: KinData, space: Space, bearers: Mapping[str, str], is_first: bool) -> float:
    said, n_missed = kinds_said(data, bearers, is_first)
    masks = {word: space.mask(kinds) for word, kinds in said.items()}
    bits = _MISS_BITS * n_missed
    for word in masks:
        options = space.options(masks[word], _never(masks, word))
        bits += options[0].bits if options else _MISS_BITS
        shared = sum((masks[word] & masks[o]).bit_count() for o in masks if o != word)
        bits += shared / 2 if not _company(data.statements) else 0.0
    return bits


def _never(masks: Mapping[str, int], word: str) -> int:
    """Return the kinds of pairs that other words are said of and this one is not."""
    return _united(masks.values()) & ~masks[word]


def _united(masks: Iterable[int]) -> int:
    return reduce(or_, masks, 0)


def _company(statements: Sequence[Statement]) -> frozenset[frozenset[str]]:
    """Return the pairs of words that are said together."""
    return frozenset(frozenset(pair) for s in statements for pair in combinations(set(s.words), 2))


def _theory(
    data: KinData,
    space: Space,
    bearers: Mapping[str, str],
    is_first: bool,
    asked: Sequence[tuple[str, str]],
    budget: Budget,
) -> Theory:
    said, _ = kinds_said(data, bearers, is_first)
    masks = {word: space.mask(kinds) for word, kinds in said.items()}
    wide = _glossed(data, space, masks)
    options = {
        word: space.options(wide[word], _never(wide, word))
        or space.options(masks[word], _never(masks, word))
        for word in masks
    }
    ids = data.ids(bearers)
    pairs = [(ids.get(a, a), ids.get(b, b)) for a, b in asked]
    kinds = [data.family.relations.get(pair if is_first else pair[::-1]) for pair in pairs]
    wanted = space.mask(kind for kind in kinds if kind)
    company = _company(data.statements)
    needs = Needs(wanted, space.near())
    choice = choose(options, company, needs, lambda: budget.seconds_left <= 0)
    modifiers, place = _modifiers(data.statements)
    definitions = tuple(
        Definition(word, option.clauses, _examples(space, option))
        for word, option in sorted(choice.options.items(), key=lambda row: (row[1].bits, row[0]))
    )
    names = tuple((name, who) for name, who in bearers.items())
    order = _order(data, is_first)
    kinship = Kinship(definitions, modifiers, place, names, order)
    # that a word is asked for is no evidence of what it means
    found = rivals(choice.options, options, company, replace(needs, asked=0))
    return Theory(data, space, bearers, is_first, masks, choice, kinship, found)


def _glossed(data: KinData, space: Space, said: Mapping[str, int]) -> dict[str, int]:
    """Return the kinds of pairs each word is said of, with those of which its glosses are true.

    A gloss that several words share tells them not apart and adds nothing.
    """
    words = Counter(gloss for found in data.glosses.by_words.values() for gloss in found)
    own = {
        word: [gloss for gloss in data.glosses.of((word,)) if words[gloss] == 1] for word in said
    }
    true = {
        word: space.mask(k for k in space.kinds if any(is_glossed(one, k) for one in own[word]))
        for word in said
    }
    return {
        word: mask | true[word] & ~_united(m | true[w] for w, m in said.items() if w != word)
        for word, mask in said.items()
    }


def _order(data: KinData, is_first: bool) -> str:
    said = data.frame.say("X", "Y", "TERM").rstrip(".")
    who, whose = ("X", "Y") if is_first else ("Y", "X")
    return f"Statements: “{said}” says that {who} is the TERM of {whose}."


def _examples(space: Space, option: Option) -> tuple[str, ...]:
    """Return the kin types a definition reaches in the family, near ones first."""
    types = {
        relation.kin_type(): len(relation.steps)
        for i, kind in enumerate(space.kinds) if option.mask >> i & 1
        for relation in kind if any(clause.holds(relation) for clause in option.clauses)
    }  # fmt: skip
    found = sorted(types, key=lambda name: (types[name], name))
    return (*found[:_N_EXAMPLES], *(("...",) if len(found) > _N_EXAMPLES else ()))


def _modifiers(statements: Sequence[Statement]) -> tuple[tuple[str, ...], str]:
    """Return the words that never stand alone, and their place beside a term."""
    alone = {s.words[0] for s in statements if len(s.words) == 1}
    pairs = [s.words for s in statements if len(s.words) > 1]
    if not pairs:
        return (), "after"
    firsts, lasts = Counter(p[0] for p in pairs), Counter(p[-1] for p in pairs)
    n_first, n_last = (sum(1 for w in c if w not in alone) for c in (firsts, lasts))
    if set(firsts) & alone or set(lasts) & alone:
        is_before = len(set(lasts) & alone) >= len(set(firsts) & alone)
    else:
        is_before = n_last > n_first
    chosen = firsts if is_before else lasts
    return tuple(sorted(w for w in chosen if w not in alone)), "before" if is_before else "after"
