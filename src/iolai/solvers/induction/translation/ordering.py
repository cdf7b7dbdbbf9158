"""Which word of a form belongs to which token of its gloss, where words stand in one order.

In many languages of such problems every content word of a gloss is one word of the form, and the
kinds of words (subject, verb, object ...) stand in one order. Such an order is looked for: each
order puts words beside tokens, and that order is best under which the words beside one stem are
most alike, that is, can be written down in the fewest letters (stems and endings once each, by
the principle of minimum description length, Rissanen 1978). Where no order is clearly better than
the next, or few examples have as many words as the gloss has tokens, nothing is said.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from iolai.solvers.induction.english import Token
from iolai.solvers.induction.translation.units import token_class

__all__ = ["word_places"]

#: What one more use of a stem or an ending costs, in letters.
_USE = 0.3
#: What an ending costs beside its letters: many endings are unlikelier than one more stem.
_ENDING = 1.0
#: The share of examples that must have a word for each token, and how many they are at least.
_LEAST_SHARE, _LEAST = 0.6, 3
#: What an order must save against the best with other places, in letters an example.
_MARGIN = 0.5
_MAX_CLASSES = 9
_MAX_ROUNDS = 12

#: An order of classes; classes that are in none have no words of their own.
_Order = tuple[str, ...]
_Row = tuple[tuple[str, ...], tuple[tuple[str, str], ...]]


@dataclass(frozen=True, slots=True)
class _Found:
    """An order, its cost in letters, and the places it gives: one row an example, or none."""

    cost: float
    order: _Order
    places: tuple[tuple[int, ...] | None, ...]


def word_places(
    forms: Sequence[str], glosses: Sequence[Sequence[Token]]
) -> list[Mapping[int, int]]:
    """Return for each example the place of the word of each token, ``{}`` where nothing is sure.

    ``forms`` are bare, their words apart by one space; ``glosses`` are their tokens.
    """
    rows: list[_Row] = [
        (tuple(form.split(" ")), tuple((_class(token), token.stem) for token in tokens))
        for form, tokens in zip(forms, glosses, strict=True)
    ]
    nothing: list[Mapping[int, int]] = [{} for _ in rows]
    classes = list(dict.fromkeys(name for _, tokens in rows for name, _ in tokens))
    if not 1 < len(classes) <= _MAX_CLASSES or len(rows) < _LEAST:
        return nothing
    found = _searched(rows, classes)
    if not found:
        return nothing
    best = found[0]
    others = [one.cost for one in found if one.places != best.places]
    n_covered = sum(row is not None for row in best.places)
    if n_covered < max(_LEAST, _LEAST_SHARE * len(rows)):
        return nothing
    if others and min(others) - best.cost < _MARGIN * n_covered:
        return nothing
    return [
        {} if places is None else {token: word for token, word in enumerate(places) if word >= 0}
        for places in best.places
    ]


def _class(token: Token) -> str:
    return f"pro.{token.role}" if token.kind == "pro" else token_class(token)


def _searched(rows: Sequence[_Row], classes: Sequence[str]) -> list[_Found]:
    """Climb from the order of the glosses and its mirror; return all that was met, best first."""
    met: dict[_Order, _Found] = {}

    def look(order: _Order) -> _Found:
        if order not in met:
            met[order] = _judged(rows, order)
        return met[order]

    for start in (tuple(classes), tuple(reversed(classes))):
        here = look(start)
        for _ in range(_MAX_ROUNDS):
            best = min((look(order) for order in _near(here.order, classes)), key=_rank)
            if best.cost >= here.cost:
                break
            here = best
    return sorted(met.values(), key=_rank)


def _rank(found: _Found) -> tuple[float, _Order]:
    return found.cost, found.order


def _near(order: _Order, classes: Sequence[str]) -> Iterator[_Order]:
    """Yield orders with one class moved, taken out or put in."""
    for name in classes:
        rest = tuple(one for one in order if one != name)
        if rest and name in order:
            yield rest
        for at in range(len(rest) + 1):
            made = (*rest[:at], name, *rest[at:])
            if made != order:
                yield made


def _judged(rows: Sequence[_Row], order: _Order) -> _Found:
    rank = {name: i for i, name in enumerate(order)}
    words: dict[tuple[str, str], list[str]] = defaultdict(list)
    places: list[tuple[int, ...] | None] = []
    cost = 0.0
    for form, tokens in rows:
        said = sorted((rank[name], i) for i, (name, _) in enumerate(tokens) if name in rank)
        if len(said) != len(form):
            places.append(None)
            cost += sum(map(len, form)) + _USE * len(form)
            continue
        place = [-1] * len(tokens)
        for word, (_, i) in enumerate(said):
            place[i] = word
            words[_kind(tokens[i][0]), tokens[i][1]].append(form[word])
        places.append(tuple(place))
    return _Found(cost + _letters(words), order, tuple(places))


def _kind(name: str) -> str:
    """Return the kind of a class: a noun has one stem whatever its role."""
    return name.partition(".")[0]


def _letters(words: Mapping[tuple[str, str], Sequence[str]]) -> float:
    """Return the letters that stems and endings take, each written once, and their uses."""
    total = 0.0
    endings: Counter[tuple[str, str, str]] = Counter()
    for (kind, _), found in words.items():
        distinct = tuple(sorted(set(found)))
        stem = _shared(distinct)
        total += len(stem) + _USE * len(found)
        for word in distinct:
            before, _, after = word.partition(stem) if stem else ("", "", word)
            for side, ending in (("<", before), (">", after)):
                if ending:
                    endings[kind, side, ending] += 1
    for (_, _, ending), n in endings.items():
        total += len(ending) + _ENDING + _USE * n
    return total


@lru_cache(maxsize=20_000)
def _shared(words: tuple[str, ...]) -> str:
    """Return the longest stretch that all words share, the first of several; "" where none is."""
    shortest = min(words, key=lambda word: (len(word), word))
    for length in range(len(shortest), 0, -1):
        for at in range(len(shortest) - length + 1):
            stretch = shortest[at : at + length]
            if all(stretch in word for word in words):
                return stretch
    return ""
