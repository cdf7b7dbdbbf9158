"""A printed grammar mended where it fails: one alternative at a time, while more examples come out.

Learning from errors, after Brill (1995), "Transformation-based error-driven learning": the word
that comes out wrong says which morph would have made it right; of all such changes the one is
taken that brings most examples and spoils none in sum.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from iolai.solvers.induction.printed.allomorphs import SILENT, Alternatives, conditions
from iolai.solvers.induction.printed.contexts import is_plain
from iolai.solvers.induction.printed.names import meaning_name
from iolai.solvers.induction.printed.words import Piece, Words
from iolai.solvers.induction.translation.units import Unit

__all__ = ["repaired", "without_wholes"]

#: What is asked of a change: (units of a gloss, its form).
Examples = Sequence[tuple[Sequence[Unit], str]]
_MAX_CHANGES = 30
_MAX_TRIED = 80
#: A condition on another word of the meaning would name single examples.
_WORD = "with “"
#: Examples that a condition has to bring: one where other units change under it too.
_ALONE, _SHARED = 2, 1


def repaired(words: Words, examples: Examples) -> Words:
    """Return the grammar with alternatives added or exchanged, each bringing examples."""
    speaking = _speaking(examples)
    right = [words.form(units) == form for units, form in examples]
    for _ in range(_MAX_CHANGES):
        shared = _conditions_of(words)
        best: tuple[tuple[int, int], Words, dict[int, bool]] | None = None
        for n_met, (name, alternatives, condition) in _tried(words, examples, right):
            changed = replace(words, lexicon={**words.lexicon, name: alternatives})
            now = {i: changed.form(examples[i][0]) == examples[i][1] for i in speaking[name]}
            gain = sum(now.values()) - sum(right[i] for i in now)
            needed = _SHARED if not condition or shared[condition] else _ALONE
            if gain >= needed and (best is None or (gain, n_met) > best[0]):
                best = ((gain, n_met), changed, now)
        if best is None:
            break
        words = best[1]
        right = [best[2].get(i, known) for i, known in enumerate(right)]
    return words


def without_wholes(words: Words, pairs: Sequence[tuple[str, str]]) -> Words:
    """Return the grammar without morphs that are a whole example where the meaning says so.

    ``pairs`` are (gloss, form). Such an entry would repeat an example, not explain it.
    """
    wholes = {form for gloss, form in pairs if " " in gloss and " " not in form}
    lexicon = {}
    for name, alternatives in words.lexicon.items():
        kept = tuple(
            (morph, condition)
            for morph, condition in alternatives.choices
            if not condition.startswith("with ") or morph.strip("-") not in wholes
        )
        lexicon[name] = Alternatives(kept)
    return replace(words, lexicon=lexicon)


def _speaking(examples: Examples) -> dict[str, list[int]]:
    """Return for each meaning the examples that have it: no others change with its morphs."""
    found: dict[str, list[int]] = defaultdict(list)
    for i, (units, _) in enumerate(examples):
        for name in dict.fromkeys(map(meaning_name, units)):
            found[name].append(i)
    return found


def _conditions_of(words: Words) -> Counter[str]:
    found: Counter[str] = Counter()
    for alternatives in words.lexicon.values():
        found.update({condition for _, condition in alternatives.choices if condition})
    return found


Change = tuple[str, Alternatives, str]


def _tried(words: Words, examples: Examples, right: Sequence[bool]) -> list[tuple[int, Change]]:
    """Return the changes that make words right, those met most often first."""
    met: Counter[tuple[str, str, str]] = Counter()
    for (units, form), is_right in zip(examples, right, strict=True):
        if not is_right:
            met.update(set(_wanted(words.pieces(units), form.split(" "))))
    found = sorted(met.items(), key=lambda pair: (-pair[1], pair[0]))[:_MAX_TRIED]
    return [
        (n, (name, _changed(words.lexicon[name], morph, condition), condition))
        for (name, morph, condition), n in found
    ]


def _wanted(made: Sequence[Sequence[Piece]], form: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Yield (meaning, morph, condition) of each single change that makes a word right."""
    rows = [row for row in made if any(piece.morph for piece in row)]
    if len(rows) != len(form):
        return
    for row, word in zip(rows, form, strict=True):
        for k, piece in enumerate(row):
            before = "".join(other.morph for other in row[:k])
            after = "".join(other.morph for other in row[k + 1 :])
            fits = word.startswith(before) and word.endswith(after)
            morph = word[len(before) : len(word) - len(after)]
            if not fits or len(before) + len(after) > len(word) or morph == piece.morph:
                continue
            if not morph or is_plain(morph):
                for condition in ("", *conditions(piece.place)):
                    if _WORD not in condition:
                        yield piece.name, morph or SILENT, condition


def _changed(alternatives: Alternatives, morph: str, condition: str) -> Alternatives:
    """Return alternatives with one more before the others, or with another without condition."""
    written = next((m for m, _ in alternatives.choices if m != SILENT), "")
    left = "-" if written.startswith("-") else ""
    right = "-" if written.endswith("-") and len(written) > 1 else ""
    shaped = morph if morph == SILENT else f"{left}{morph}{right}"
    others = alternatives.choices
    if not condition:
        return Alternatives((*others[:-1], (shaped, "")))
    kept = tuple(pair for pair in others if pair[1] != condition)
    return Alternatives(((shaped, condition), *kept))
