"""Number names into morphs: several segmentations, the likeliest first.

Spaces and hyphens part words. Words are parted further where the parts recur: a word that is the
edge of another word is cut off it, and a lexicon of pieces is chosen by description length
(letters of the lexicon plus the pieces used), as Morfessor does (Creutz and Lagus 2002).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log2

from iolai.solvers.induction.segments import base, decomposed

__all__ = ["Segmentation", "segmentations"]

_Cuts = dict[str, tuple[str, ...]]
_WORD = re.compile(r"[^\s-]+")
_BREAK = re.compile(r"\s+|-")
_ROUNDS = 8
_MEAN_LENGTH = 2.4
#: The shortest edge to cut off a word, and the shortest rest to leave.
_EDGES = ((3, 2), (2, 1), (3, 1), (2, 2))


@dataclass(frozen=True, slots=True)
class Segmentation:
    """How words are cut: the pieces of each word known, and the pieces to cut others with."""

    cuts: dict[str, tuple[str, ...]]
    pieces: frozenset[str]
    plain: bool = False

    def morphs(self, name: str) -> tuple[str, ...]:
        """Return the morphs of a name."""
        return tuple(morph for word in words_of(name) for morph in self.cut(word))

    def cut(self, word: str) -> tuple[str, ...]:
        """Return the morphs of a word: as learnt, or by the fewest known pieces."""
        word = fold(word) if self.plain else word
        found = self.cuts.get(word)
        return found if found is not None else _cover(word, self.pieces) or (word,)

    def bits(self) -> float:
        """Return what spelling the lexicon of pieces costs."""
        return sum(4.0 + 4.0 * len(piece) for piece in self.pieces)

    def spelt(self, name: str) -> list[tuple[str, str, str]]:
        """Return (what stands before it, morph, its spelling) of each morph of a name."""
        out: list[tuple[str, str, str]] = []
        end = 0
        for match in _WORD.finditer(name):
            gap = " " if name[end : match.start()].isspace() else name[end : match.start()]
            at = 0
            spelt = decomposed(match[0]) if self.plain else tuple(match[0])
            for morph in self.cut(match[0]):
                stop = _end_of(spelt, at, len(morph), self.plain)
                out.append((gap, morph, "".join(spelt[at:stop])))
                gap, at = "", stop
            end = match.end()
        return out


def _end_of(letters: Sequence[str], at: int, n: int, plain: bool) -> int:
    """Return where a piece of ``n`` letters ends; marks go with the letter before them."""
    while at < len(letters) and (n > 0 or (plain and not letters[at].isalpha())):
        n -= 1 if not plain or letters[at].isalpha() else 0
        at += 1
    return at


def fold(word: str) -> str:
    """Return a word's bare letters."""
    return "".join(base(c) for c in decomposed(word) if c.isalpha())


def words_of(name: str) -> list[str]:
    """Return the words of a name, parted at spaces and hyphens."""
    return [word for word in _BREAK.split(name.strip()) if word]


def segmentations(names: Iterable[str]) -> list[Segmentation]:
    """Return segmentations of some names, from whole words to small pieces, each once."""
    words = sorted({word for name in names for word in words_of(name)})
    counts = Counter(word for name in names for word in words_of(name))
    whole: _Cuts = {word: (word,) for word in words}
    found = [whole, *(_by_edges(whole, *lengths) for lengths in _EDGES)]
    found += [_by_length(counts, weight) for weight in (1.0, 2.0)]
    plain_counts: Counter[str] = Counter()
    for word, n in counts.items():
        plain_counts[fold(word)] += n
    others: list[_Cuts] = []
    if len(plain_counts) < len(counts):
        plain: _Cuts = {word: (word,) for word in plain_counts}
        others = [plain, *(_by_edges(plain, *lengths) for lengths in _EDGES)]
        others.append(_by_length(plain_counts, 1.0))
    made = [_made(cuts, False) for cuts in found] + [_made(cuts, True) for cuts in others]
    unique: dict[object, Segmentation] = {}
    for each in made:
        unique.setdefault((tuple(sorted(each.cuts.items())), each.plain), each)
    return [each for each in unique.values() if _is_coarse(each)]


def _is_coarse(segmentation: Segmentation) -> bool:
    """Say whether the pieces are more than letters; whole words always are."""
    if all(len(parts) == 1 for parts in segmentation.cuts.values()):
        return True
    pieces = segmentation.pieces
    return sum(map(len, pieces)) >= _MEAN_LENGTH * len(pieces)


def _made(cuts: dict[str, tuple[str, ...]], plain: bool) -> Segmentation:
    return Segmentation(cuts, frozenset(p for pieces in cuts.values() for p in pieces), plain)


def _by_edges(
    cuts: dict[str, tuple[str, ...]], shortest: int, rest: int
) -> dict[str, tuple[str, ...]]:
    """Cut words off the edges of longer words, and edges that several rests share, until done."""
    for _ in range(_ROUNDS):
        pieces = sorted({p for parts in cuts.values() for p in parts}, key=lambda p: (-len(p), p))
        longer = {word: _recut(parts, pieces, shortest, rest) for word, parts in cuts.items()}
        if longer == cuts:
            break
        cuts = longer
    return cuts


def _recut(
    parts: tuple[str, ...], pieces: Sequence[str], shortest: int, rest: int
) -> tuple[str, ...]:
    return tuple(piece for part in parts for piece in _cut_edge(part, pieces, shortest, rest))


def _cut_edge(part: str, pieces: Sequence[str], shortest: int, rest: int) -> tuple[str, ...]:
    for piece in pieces:
        if shortest <= len(piece) <= len(part) - rest:
            if part.startswith(piece):
                return piece, part[len(piece) :]
            if part.endswith(piece):
                return part[: -len(piece)], piece
    return (part,)


def _by_length(counts: Counter[str], weight: float) -> dict[str, tuple[str, ...]]:
    """Choose a lexicon of pieces by description length, re-cutting every word in rounds."""
    lexicon = dict.fromkeys(counts, 1.0)
    cuts: _Cuts = {word: (word,) for word in counts}
    substrings = Counter(
        word[i:j] for word in counts for i in range(len(word)) for j in range(i + 1, len(word) + 1)
    )
    for _ in range(_ROUNDS):
        total = sum(lexicon.values()) + 1.0
        bits = {
            piece: weight * log2(total / lexicon.get(piece, 0.5))
            + (0.0 if lexicon.get(piece, 0.0) > 1 else 4.5 * len(piece) / min(4, substrings[piece]))
            for piece in substrings
        }
        cuts = {word: _cheapest(word, bits) for word in counts}
        used = Counter(piece for parts in cuts.values() for piece in parts)
        if dict(used) == lexicon:
            break
        lexicon = {piece: float(n) for piece, n in used.items()}
    return cuts


def _cheapest(word: str, bits: dict[str, float]) -> tuple[str, ...]:
    best: list[tuple[float, tuple[str, ...]]] = [(0.0, ())]
    for j in range(1, len(word) + 1):
        best.append(min((best[i][0] + bits[word[i:j]], (*best[i][1], word[i:j])) for i in range(j)))
    return best[-1][1]


def _cover(word: str, pieces: frozenset[str]) -> tuple[str, ...]:
    """Cut a word into the fewest pieces; nothing where they do not cover it."""
    best: list[tuple[str, ...] | None] = [()]
    for j in range(1, len(word) + 1):
        options = [
            (*before, word[i:j])
            for i in range(j)
            if (before := best[i]) is not None and word[i:j] in pieces
        ]
        best.append(min(options, key=len, default=None))
    return best[-1] or ()
