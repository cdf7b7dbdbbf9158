"""Number names into morphs: several segmentations, the likeliest first.

Spaces and hyphens part words. Words are parted further where the parts recur: a word that is the
edge of another word is cut off it, and a lexicon of pieces is chosen by description length
(letters of the lexicon plus the pieces used), as Morfessor does (Creutz and Lagus 2002).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import log2

from iolai.solvers.induction.segments import base, compose, decomposed, is_vowel

__all__ = ["Segmentation", "segmentations"]

_Cuts = dict[str, tuple[str, ...]]
_WORD = re.compile(r"[^\s-]+")
_BREAK = re.compile(r"\s+|-")
_ROUNDS = 8
_MEAN_LENGTH = 2.4
_SCRAP = 2
_MAX_LOCKED = 3
#: The shortest edge to cut off a word, and the shortest rest to leave.
_EDGES = ((3, 2), (2, 1), (3, 1), (2, 2))


@dataclass(frozen=True, slots=True)
class Segmentation:
    """How words are cut: the pieces of each word known, and the pieces to cut others with.

    ``plain`` leaves marks out of account. ``alike`` maps a piece to the one it is a variant of.
    With ``is_bound`` a piece that others follow in its word is another morph than the same letters
    at the end of a word. Neighbours in ``locked`` are one morph.
    """

    cuts: dict[str, tuple[str, ...]]
    pieces: frozenset[str]
    plain: bool = False
    alike: dict[str, str] = field(default_factory=dict)
    is_bound: bool = False
    locked: frozenset[tuple[str, str]] = frozenset()
    _spelt: dict[str, list[tuple[str, str, str]]] = field(default_factory=dict, compare=False)

    def morphs(self, name: str) -> tuple[str, ...]:
        """Return the morphs of a name."""
        return tuple(morph for _, morph, _ in self.spelt(name))

    def cut(self, word: str) -> tuple[str, ...]:
        """Return the pieces of a word: as learnt, or by the fewest known pieces."""
        word = fold(word) if self.plain else word
        found = self.cuts.get(word)
        return found if found is not None else _cover(word, self.pieces) or (word,)

    def bits(self) -> float:
        """Return the description length of the names seen so far: pieces, then rows of morphs."""
        counts = Counter(morph for spelt in self._spelt.values() for _, morph, _ in spelt)
        total = counts.total()
        kept = {self.alike.get(piece, piece) for piece in self.pieces}
        spelling = sum(4.0 + 2.0 * len(piece) for piece in kept) + 4.0 * len(counts)
        return spelling - sum(n * log2(n / total) for n in counts.values())

    def spelt(self, name: str) -> list[tuple[str, str, str]]:
        """Return (what stands before it, morph, its spelling) of each morph of a name."""
        found = self._spelt.get(name)
        if found is None:
            found = self._joined(self._pieces_of(name))
            self._spelt[name] = found
        return found

    def _pieces_of(self, name: str) -> list[tuple[str, str, str]]:
        out: list[tuple[str, str, str]] = []
        end = 0
        for match in _WORD.finditer(name):
            gap = " " if name[end : match.start()].isspace() else name[end : match.start()]
            at = 0
            spelt = decomposed(match[0]) if self.plain else tuple(match[0])
            pieces = self.cut(match[0])
            for place, piece in enumerate(pieces):
                stop = _end_of(spelt, at, len(piece), self.plain)
                morph = self.alike.get(piece, piece)
                if self.is_bound and place < len(pieces) - 1:
                    morph += "-"
                out.append((gap, morph, compose(spelt[at:stop])))
                gap, at = "", stop
            end = match.end()
        return out

    def _joined(self, spelt: list[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
        """Make one morph of neighbours that are locked together."""
        out: list[tuple[str, str, str]] = []
        for gap, morph, text in spelt:
            if out and (out[-1][1], morph) in self.locked:
                before = out.pop()
                out.append((before[0], f"{before[1]}{gap}{morph}", f"{before[2]}{gap}{text}"))
            else:
                out.append((gap, morph, text))
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
    names = list(dict.fromkeys(names))
    words = sorted({word for name in names for word in words_of(name)})
    counts = Counter(word for name in names for word in words_of(name))
    whole: _Cuts = {word: (word,) for word in words}
    found = [whole, *(_by_edges(whole, *lengths) for lengths in _EDGES)]
    found += [_by_length(counts, weight) for weight in (1.0, 2.0)]
    plain_counts: Counter[str] = Counter()
    for word, n in counts.items():
        plain_counts[fold(word)] += n
    others: list[_Cuts] = []
    if any(fold(word) != word for word in counts):
        plain: _Cuts = {word: (word,) for word in plain_counts}
        others = [plain, *(_by_edges(plain, *lengths) for lengths in _EDGES)]
        others.append(_by_length(plain_counts, 1.0))
    made = [_made(cuts, False) for cuts in found] + [_made(cuts, True) for cuts in others]
    made += [each for is_plain in (False, True) for each in _by_joints(words, is_plain)]
    kept = [each for each in made if _is_coarse(each)]
    kept += [replace(each, is_bound=True, _spelt={}) for each in kept]
    kept += [_locked(each, names) for each in kept]
    unique: dict[object, Segmentation] = {}
    for each in kept:
        unique.setdefault(tuple(each.morphs(name) for name in names), each)
    return list(unique.values())


def _locked(segmentation: Segmentation, names: Sequence[str]) -> Segmentation:
    """Make one morph of neighbours where all that ever follows the first stands nowhere else."""
    rows = [segmentation.morphs(name) for name in dict.fromkeys(names)]
    alone = {row[0] for row in rows if len(row) == 1}
    before: dict[str, set[str]] = defaultdict(set)
    after: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        for one, other in pairwise(("", *row, "")):
            after[one][other] += 1
            before[other].add(one)
    pairs = {
        (one, other)
        for one, others in after.items()
        for other in others
        if one
        and one not in alone
        and "" not in others
        and 1 < len(others) <= _MAX_LOCKED
        and min(others.values()) > 1
        and all(before[o] == {one} for o in others)
    }
    seconds = {other for _, other in pairs}
    return replace(
        segmentation, locked=frozenset(p for p in pairs if p[0] not in seconds), _spelt={}
    )


def _by_joints(words: Sequence[str], plain: bool) -> list[Segmentation]:
    """Cut words into a stem and an ending that both recur, whatever vowels stand at the joint."""
    spelt = sorted({fold(word) for word in words}) if plain else list(words)
    splits = {word: _splits_of(word) for word in spelt}
    stems = Counter(stem for each in splits.values() for stem in {s for s, _ in each})
    ends = Counter(end for each in splits.values() for end in {e for _, e in each})
    cuts: _Cuts = {}
    for word, each in splits.items():
        at = max(each, key=lambda k: (_weight(stems[k[0]], ends[k[1]]), each[k]), default=None)
        if at is None or not _weight(stems[at[0]], ends[at[1]]):
            cuts[word] = (word,)
        else:
            cuts[word] = (word[: each[at]], word[each[at] :])
    alike = _alike(cuts)
    if not alike:
        return []
    made = _made(cuts, plain)
    return [replace(made, alike=alike, _spelt={})]


def _weight(n_stem: int, n_end: int) -> int:
    return (n_stem - 1) * (n_end - 1)


def _splits_of(word: str) -> dict[tuple[str, str], int]:
    """Return the place of each split, by stem and ending without the vowels where they meet."""
    found: dict[tuple[str, str], int] = {}
    for at in range(1, len(word)):
        stem, end = _stem_key(word[:at]), _end_key(word[at:])
        if stem and end:
            found[stem, end] = max(at, found.get((stem, end), 0))
    return found


def _stem_key(stem: str) -> str:
    while stem and is_vowel(stem[-1]):
        stem = stem[:-1]
    return stem


def _end_key(end: str) -> str:
    while end and is_vowel(end[0]):
        end = end[1:]
    return end


def _alike(cuts: _Cuts) -> dict[str, str]:
    """Map variants to one of them: stems, free or not, and endings, equal but for the joint."""
    stems: dict[str, Counter[str]] = defaultdict(Counter)
    ends: dict[str, Counter[str]] = defaultdict(Counter)
    keys = {_stem_key(parts[0]) for parts in cuts.values() if len(parts) > 1}
    for parts in cuts.values():
        if len(parts) > 1:
            stems[_stem_key(parts[0])][parts[0]] += 1
            ends[_end_key(parts[1])][parts[1]] += 1
        elif _stem_key(parts[0]) in keys:
            stems[_stem_key(parts[0])][parts[0]] += 1
    return {
        piece: max(forms, key=lambda form: (forms[form], form))
        for forms in (*stems.values(), *ends.values())
        for piece in forms
        if len(forms) > 1
    }


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
    return _without_scraps(cuts)


def _without_scraps(cuts: _Cuts) -> _Cuts:
    """Leave words whole whose cut leaves a letter or two that stand in no other word."""
    uses = Counter(piece for parts in cuts.values() for piece in set(parts))
    return {
        word: parts if all(len(p) > _SCRAP or uses[p] > 1 for p in parts) else (word,)
        for word, parts in cuts.items()
    }


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
