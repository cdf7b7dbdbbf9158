"""Building a number word: the patterns of the examples, filled until the value is right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from iolai.solvers.induction.numerals.arithmetic import Meaning, value_of

__all__ = ["build"]

Morphs = tuple[str, ...]
_MAX_TRIED = 60_000


def build(
    value: int,
    meanings: Mapping[str, Meaning],
    forms: Sequence[str],
    morphs: Sequence[Morphs],
) -> str | None:
    """Return the words for a value; None where no pattern gives it.

    A pattern is an example with its numbers left open. Parts of two examples may be joined: the
    beginning of one up to a number, and the rest of another.
    """
    numbers = [
        morph for morph, meaning in meanings.items() if meaning.size and meaning.kind != "link"
    ]
    spaced = {tuple(row): _spaces(form, row) for form, row in zip(forms, morphs, strict=True)}
    tried = 0
    best: tuple[int, str] | None = None
    for pattern, spaces in sorted(_patterns(spaced), key=lambda entry: (len(entry[0]), entry[0])):
        open_places = [k for k, morph in enumerate(pattern) if morph in numbers]
        for filled in _filled(pattern, open_places, numbers, meanings, value):
            tried += 1
            if tried > _MAX_TRIED:
                return best[1] if best else None
            changes = sum(a != b for a, b in zip(filled, pattern, strict=True))
            if best is None or changes < best[0]:
                best = changes, _written(filled, spaces)
    return best[1] if best else None


def _spaces(form: str, row: Morphs) -> tuple[str, ...]:
    """Return what stands before each morph: nothing, a space or a hyphen."""
    out: list[str] = []
    rest = form.strip().lower()
    for morph in row:
        at = rest.find(morph)
        out.append(rest[:at] if at >= 0 else " ")
        rest = rest[at + len(morph) :] if at >= 0 else rest
    return tuple(out)


def _patterns(spaced: Mapping[Morphs, tuple[str, ...]]) -> set[tuple[Morphs, tuple[str, ...]]]:
    """Return the examples, and beginnings of some with the ends of others."""
    found = set(spaced.items())
    for row, spaces in spaced.items():
        for cut in range(1, len(row)):
            found.add((row[:cut], spaces[:cut]))
            for other, other_spaces in spaced.items():
                for start in range(1, len(other)):
                    joined = row[:cut] + other[start:]
                    if len(joined) <= 7:
                        found.add((joined, spaces[:cut] + other_spaces[start:]))
    return found


def _filled(
    pattern: Morphs,
    places: Sequence[int],
    numbers: Sequence[str],
    meanings: Mapping[str, Meaning],
    value: int,
) -> list[Morphs]:
    """Return the pattern with at most two numbers exchanged, where its value is the one wanted."""
    out = []
    if value_of(pattern, meanings) == value:
        out.append(pattern)
    for n, place in enumerate(places):
        for number in numbers:
            one = (*pattern[:place], number, *pattern[place + 1 :])
            if value_of(one, meanings) == value:
                out.append(one)
            for later in places[n + 1 :]:
                for other in numbers:
                    two = (*one[:later], other, *one[later + 1 :])
                    if value_of(two, meanings) == value:
                        out.append(two)
    return out


def _written(morphs: Morphs, spaces: Sequence[str]) -> str:
    return "".join(space + morph for space, morph in zip(spaces, morphs, strict=True)).strip()
