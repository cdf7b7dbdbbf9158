"""From a gloss to its form: parsed examples are edited until they express the gloss.

The tokens of the gloss are matched with those of an example; the morphs of what differs are
replaced, dropped or set where other examples have them. The candidates of several examples are
judged by how well their units explain them, by word order, and by how usual their letters are.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

from iolai.solvers.base import Budget
from iolai.solvers.induction.english import Token
from iolai.solvers.induction.translation.corpus import Corpus, Parsed
from iolai.solvers.induction.translation.form_scorer import FormScorer
from iolai.solvers.induction.translation.units import Unit, token_class, units_of

__all__ = ["IntoForm", "styled"]

_N_TEMPLATES = 6
_N_FORMS = 24
_EXPRESSED = 0.5
_EDIT_COST = 0.5


@dataclass(frozen=True, slots=True)
class Piece:
    """A morph in a form being built: its possible shapes, and the unit it expresses."""

    shapes: tuple[str, ...]
    unit: Unit | None


Word = tuple[Piece, ...]


class IntoForm:
    """Translates glosses into forms built from the examples' pieces."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._words = [_words_of(example) for example in corpus.examples]
        self._sides = self._feature_sides()

    def translate(self, gloss: str, budget: Budget, n_best: int = 6) -> list[tuple[str, float]]:
        """Return forms with scores (log), the best first."""
        tokens = self._corpus.english.parse(gloss)
        units = units_of(tokens)
        scorer = FormScorer(self._corpus, tokens, units)
        templates = sorted(
            ((self._distance(tokens, e), i) for i, e in enumerate(self._corpus.examples))
        )[:_N_TEMPLATES]
        scores: dict[tuple[str, ...], float] = {}
        for distance, i in templates:
            if budget.seconds_left <= 0 and scores:
                break
            for form in self._built(tokens, units, i):
                score = scorer.score(form) - _EDIT_COST * distance
                scores[form] = max(score, scores.get(form, -1e9))
        ranked = sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))[:n_best]
        style = self._corpus.examples[templates[0][1]].written if templates else ""
        return [(styled(" ".join(form), style), score) for form, score in ranked]

    def _built(
        self, tokens: Sequence[Token], units: Sequence[Unit], i: int
    ) -> Iterator[tuple[str, ...]]:
        """Yield the forms made of one example, with all features set or only those it has."""
        for with_features in (True, False):
            for form in _forms(self._edited(tokens, units, i, with_features)):
                if form:
                    yield form

    # --- templates --------------------------------------------------------------------------

    def _distance(self, tokens: Sequence[Token], example: Parsed) -> float:
        """Return how much of an example has to change: tokens weigh more than features."""
        matched = match_tokens(tokens, example.tokens)
        distance = 1.5 * (len(tokens) + len(example.tokens) - 2 * len(matched))
        mine = Counter(unit.name for unit in units_of(tokens))
        theirs = Counter(unit.name for unit in example.units)
        return distance + 0.3 * sum(((mine - theirs) + (theirs - mine)).values())

    def _edited(
        self, tokens: Sequence[Token], units: Sequence[Unit], i: int, with_features: bool
    ) -> list[Word]:
        """Return an example's words, changed to express the units."""
        example = self._corpus.examples[i]
        match = {theirs: mine for mine, theirs in match_tokens(tokens, example.tokens).items()}
        wanted: dict[tuple[int, str], Unit] = {(u.token, _slot(u)): u for u in units}
        done: set[tuple[int, str]] = set()
        words: list[Word] = []
        for word in self._words[i]:
            pieces: list[Piece] = []
            for piece in word:
                pieces.extend(self._replaced(piece, match, wanted, done))
            if any(piece.unit is not None for piece in pieces) or not any(
                piece.unit is not None for piece in word
            ):
                words.append(tuple(pieces))
        missing = [unit for key, unit in wanted.items() if key not in done]
        for unit in sorted(missing, key=lambda u: (not u.is_stem, u.token)):
            if unit.is_stem or with_features:
                words = self._with_unit(words, unit, tokens, wanted, done)
        return words

    def _replaced(
        self,
        piece: Piece,
        match: dict[int, int],
        wanted: dict[tuple[int, str], Unit],
        done: set[tuple[int, str]],
    ) -> Iterator[Piece]:
        """Yield what stands for a piece in the new form: itself, another morph, or nothing."""
        if piece.unit is None:
            yield piece
            return
        place = match.get(piece.unit.token)
        if place is None:
            return
        key = place, _slot(piece.unit)
        unit = wanted.get(key)
        if unit is None:
            return
        done.add(key)
        if unit.name == piece.unit.name:
            yield Piece(piece.shapes, unit)
            return
        shapes = self._shapes(unit)
        if shapes:
            yield Piece(shapes, unit)

    def _shapes(self, unit: Unit) -> tuple[str, ...]:
        morphs = self._corpus.lexicons.morphs(unit.name, 3)
        if not morphs:
            return ()
        most = morphs[0][1]
        return tuple(text for text, count in morphs if count > 0.3 * most)

    # --- what an example lacks --------------------------------------------------------------

    def _with_unit(
        self,
        words: list[Word],
        unit: Unit,
        tokens: Sequence[Token],
        wanted: dict[tuple[int, str], Unit],
        done: set[tuple[int, str]],
    ) -> list[Word]:
        """Return the words with a unit added that they do not express yet."""
        key = unit.token, _slot(unit)
        if key in done:
            return words
        if unit.is_stem:
            word = self._borrowed(unit, wanted, done)
            if not word:
                return words
            place = self._place_for(words, tokens, unit.token)
            return [*words[:place], word, *words[place:]]
        if self._corpus.lexicons.usage.get(unit.name, 0.0) < _EXPRESSED:
            return words
        shapes = self._shapes(unit)
        host = next(
            (
                (w, p)
                for w, word in enumerate(words)
                for p, piece in enumerate(word)
                if piece.unit is not None and piece.unit.token == unit.token and piece.unit.is_stem
            ),
            None,
        )
        if not shapes or host is None:
            return words
        return self._beside(words, host, Piece(shapes, unit))

    def _beside(self, words: list[Word], host: tuple[int, int], piece: Piece) -> list[Word]:
        """Set a feature's morph beside its stem, on the side where the examples have it."""
        w, p = host
        slot = piece.unit.slot if piece.unit else ""
        side = self._sides.get(slot, "after")
        if side == "word before":
            return [*words[:w], (piece,), *words[w:]]
        if side == "word after":
            return [*words[: w + 1], (piece,), *words[w + 1 :]]
        at = p if side == "before" else p + 1
        word = (*words[w][:at], piece, *words[w][at:])
        return [*words[:w], word, *words[w + 1 :]]

    def _feature_sides(self) -> dict[str, str]:
        """Return for each slot where its morphs stand: before or after the stem, or apart."""
        votes: dict[str, Counter[str]] = defaultdict(Counter)
        for words in self._words:
            stems = {
                piece.unit.token: (w, p)
                for w, word in enumerate(words)
                for p, piece in enumerate(word)
                if piece.unit is not None and piece.unit.is_stem
            }
            for w, word in enumerate(words):
                for p, piece in enumerate(word):
                    unit = piece.unit
                    if unit is None or unit.is_stem or unit.token not in stems:
                        continue
                    side = "before" if (w, p) < stems[unit.token] else "after"
                    same = stems[unit.token][0] == w
                    votes[unit.slot][side if same else f"word {side}"] += 1
        return {slot: count.most_common(1)[0][0] for slot, count in votes.items()}

    def _borrowed(
        self, unit: Unit, wanted: dict[tuple[int, str], Unit], done: set[tuple[int, str]]
    ) -> Word:
        """Return an example's word with the unit's stem, its features changed to those wanted."""
        best: tuple[float, Word, set[tuple[int, str]]] = (-1.0, (), set())
        for example, words in zip(self._corpus.examples, self._words, strict=True):
            for word in words:
                stem = next((p.unit for p in word if p.unit and p.unit.name == unit.name), None)
                if stem is None:
                    continue
                new_done: set[tuple[int, str]] = set()
                pieces: list[Piece] = []
                match = {stem.token: unit.token}
                for piece in word:
                    pieces.extend(self._replaced(piece, match, wanted, new_done))
                kept = sum(1 for piece in pieces if piece in word or piece.unit is None)
                score = kept - 0.5 * (len(word) - len(pieces)) + 0.01 * len(example.form)
                if score > best[0]:
                    best = (score, tuple(pieces), new_done)
        if not best[1]:
            shapes = self._shapes(unit)
            return (Piece(shapes, unit),) if shapes else ()
        done |= best[2]
        done.add((unit.token, _slot(unit)))
        return best[1]

    def _place_for(self, words: Sequence[Word], tokens: Sequence[Token], token: int) -> int:
        """Return where a new word best stands among the others, by the order of classes."""
        tokens_at = [
            next((p.unit.token for p in word if p.unit is not None and p.unit.is_stem), None)
            for word in words
        ]

        def fit(place: int) -> float:
            total = 0.0
            for at, other in enumerate(tokens_at):
                if other is None or other == token:
                    continue
                first, second = sorted((other, token))
                odds = self._corpus.precedes(tokens[first], tokens[second])
                other_is_before = at < place
                total += odds if (other == first) == other_is_before else -odds
                total -= 0.01 * abs(at - place)
            return total

        return max(range(len(words) + 1), key=lambda place: (fit(place), place))


def match_tokens(mine: Sequence[Token], theirs: Sequence[Token]) -> dict[int, int]:
    """Match the tokens of two glosses: by stem and role, then by class, then by kind."""
    match: dict[int, int] = {}
    taken: set[int] = set()
    tests = (
        lambda a, b: a == b,
        lambda a, b: a.stem == b.stem and a.role == b.role and a.kind == b.kind,
        lambda a, b: token_class(a) == token_class(b),
        lambda a, b: a.kind == b.kind and a.kind != "x",
    )
    for test in tests:
        for i, one in enumerate(mine):
            if i in match:
                continue
            for j, other in enumerate(theirs):
                if j not in taken and test(replace(one, after=""), replace(other, after="")):
                    match[i] = j
                    taken.add(j)
                    break
    return match


def _slot(unit: Unit) -> str:
    return "stem" if unit.is_stem else unit.slot


def _words_of(example: Parsed) -> list[Word]:
    """Return an example's parsed words as pieces."""
    words: list[Word] = []
    word: list[Piece] = []
    for link in example.links:
        word.append(Piece((link.span.text,), link.unit))
        if link.span.edge & 2:
            words.append(tuple(word))
            word = []
    return words


def _forms(words: Sequence[Word]) -> Iterator[tuple[str, ...]]:
    """Yield the forms that the pieces' shapes allow, the likeliest first."""
    flat = [piece.shapes for word in words for piece in word]
    for n, choice in enumerate(product(*flat)):
        if n >= _N_FORMS:
            return
        shapes = iter(choice)
        built = ("".join(next(shapes) for _ in word) for word in words)
        yield tuple(word for word in built if word)


def styled(form: str, like: str) -> str:
    """Write a form as the examples are written: capital and full stop."""
    if like[:1].isupper():
        form = form[:1].upper() + form[1:]
    if like.startswith("[") and like.endswith("]"):
        return f"[{form}]"
    return f"{form}." if like.rstrip().endswith(".") else form
