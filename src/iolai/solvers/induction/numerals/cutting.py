"""Number words cut into morphs by what they share, from the surest cut on."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

__all__ = ["cuttings"]

Morphs = tuple[str, ...]
_LEAST_GAINS = (1e9, 7.0, 4.0, 2.5)
_MAX_CUTS = 24


def words_of(form: str) -> list[str]:
    """Return the words of a numeral, hyphens taken as spaces."""
    return [word for word in re.split(r"[\s\-]+", form.strip().lower()) if word]


def cuttings(forms: Sequence[str]) -> Iterator[dict[str, Morphs]]:
    """Yield maps from each word to its morphs: whole words first, then finer and finer."""
    words = sorted({word for form in forms for word in words_of(form)})
    seen: list[dict[str, Morphs]] = []
    for least in _LEAST_GAINS:
        cut: dict[str, Morphs] = {word: (word,) for word in words}
        for _ in range(_MAX_CUTS):
            gain, piece = _best_piece(cut)
            if gain < least:
                break
            cut = {word: _cut(morphs, piece) for word, morphs in cut.items()}
        if cut not in seen:
            seen.append(cut)
            yield cut


def _best_piece(cut: dict[str, Morphs]) -> tuple[float, str]:
    """Return the beginning or end of morphs whose cutting off saves most letters."""
    types = sorted({morph for morphs in cut.values() for morph in morphs})
    counts: Counter[str] = Counter()
    for morph in types:
        pieces = {morph[:n] for n in range(2, len(morph))} | {
            morph[-n:] for n in range(2, len(morph))
        }
        counts.update(pieces)
        counts[morph] += 0 if len(morph) < 2 else 1
    best = (0.0, "")
    for piece, count in sorted(counts.items()):
        if count > 1:
            gain = (count - 1) * len(piece) - 2.0 - 0.5 * count
            best = max(best, (gain, piece))
    return best


def _cut(morphs: Morphs, piece: str) -> Morphs:
    out: list[str] = []
    for morph in morphs:
        if morph != piece and morph.startswith(piece):
            out += [piece, morph[len(piece) :]]
        elif morph != piece and morph.endswith(piece):
            out += [morph[: -len(piece)], piece]
        else:
            out.append(morph)
    return tuple(out)
