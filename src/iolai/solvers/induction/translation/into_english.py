"""From a form to its gloss: example glosses are changed word by word until they explain the form.

The search starts from the glosses of all examples and changes tokens, features and noun phrases
for others that the problem shows; what is looked for is the gloss whose units best explain the form
(:meth:`Table.score`), with few changes. So every gloss is in the problem's own English.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from iolai.solvers.base import Budget
from iolai.solvers.induction.english import Token
from iolai.solvers.induction.translation.corpus import Corpus, bare_form
from iolai.solvers.induction.translation.gloss_model import GlossModel
from iolai.solvers.induction.translation.table import Table
from iolai.solvers.induction.translation.units import units_of

__all__ = ["IntoEnglish"]

Tokens = tuple[Token, ...]
_BEAM = 5
_ROUNDS = 6
_MAX_SCORED = 1500
_USED = 0.04
_ORDER_WEIGHT = 0.5
_GLOSS_WEIGHT = 0.6
_EDIT_WEIGHT = 0.5


@dataclass(frozen=True, slots=True)
class _State:
    tokens: Tokens
    score: float
    edits: float


class IntoEnglish:
    """Translates forms into glosses of the problem's own style."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._glosses = GlossModel([e.tokens for e in corpus.examples])
        self._words = list(
            dict.fromkeys(replace(token, after="") for e in corpus.examples for token in e.tokens)
        )
        self._phrases = list(
            dict.fromkeys(
                _without_stops(e.tokens[low:high])
                for e in corpus.examples
                for low, high in noun_phrases(e.tokens)
            )
        )
        self._verb_feats = list(
            dict.fromkeys(t.feats for e in corpus.examples for t in e.tokens if t.kind == "v")
        )

    def translate(self, form: str, budget: Budget, n_best: int = 6) -> list[tuple[str, float]]:
        """Return glosses with scores (log), the best first."""
        corpus = self._corpus
        table = corpus.lexicons.table(bare_form(form), corpus.lexicons.names())
        uses = table.uses()
        is_question = form.rstrip().endswith("?")
        found: dict[Tokens, _State] = {}
        starts = [_as_question(e.tokens, is_question) for e in corpus.examples]
        beam = sorted(
            (self._state(table, tokens, 0.0) for tokens in dict.fromkeys(starts)), key=_rank
        )[: 2 * _BEAM]
        found.update((state.tokens, state) for state in beam)
        expanded: set[Tokens] = set()
        for _ in range(_ROUNDS):
            fresh = [state for state in beam if state.tokens not in expanded]
            if not fresh or len(found) > _MAX_SCORED or budget.seconds_left <= 0:
                break
            for state in fresh:
                expanded.add(state.tokens)
                for tokens, cost in self._moves(state.tokens, uses):
                    if tokens not in found and len(found) <= _MAX_SCORED:
                        found[tokens] = self._state(table, tokens, state.edits + cost)
            beam = sorted(found.values(), key=_rank)[:_BEAM]
        return self._finished(table, beam + sorted(found.values(), key=_rank)[: n_best * 2], n_best)

    def _finished(
        self, table: Table, states: Sequence[_State], n_best: int
    ) -> list[tuple[str, float]]:
        """Take word order into account, and put the glosses into words."""
        scores: dict[str, float] = {}
        for state in [*states, *self._turned(table, states)]:
            links = table.parse(units_of(state.tokens))
            order = _ORDER_WEIGHT * self._corpus.order_score(state.tokens, links)
            text = self._corpus.english.realise(state.tokens)
            scores[text] = max(scores.get(text, -1e9), state.score + order)
        return sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))[:n_best]

    def _turned(self, table: Table, states: Sequence[_State]) -> Iterator[_State]:
        """Yield glosses with two noun phrases exchanged: who does what to whom."""
        for state in states[:_BEAM]:
            phrases = list(noun_phrases(state.tokens))
            for (low, high), (later, end) in combinations(phrases, 2):
                one = _without_stops(state.tokens[low:high])
                other = _without_stops(state.tokens[later:end])
                tokens = _put(state.tokens, later, end, _with_role(one, other[-1].role))
                tokens = _put(tokens, low, high, _with_role(other, one[-1].role))
                yield self._state(table, tokens, state.edits)

    def _state(self, table: Table, tokens: Tokens, edits: float) -> _State:
        names = [unit.name for unit in units_of(tokens)]
        usual = _GLOSS_WEIGHT * self._glosses.score(tokens)
        return _State(tokens, table.score(names) + usual - _EDIT_WEIGHT * edits, edits)

    # --- moves ------------------------------------------------------------------------------

    def _moves(self, tokens: Tokens, uses: dict[str, float]) -> Iterator[tuple[Tokens, float]]:
        """Yield changed glosses with the cost of the change."""
        words = [word for word in self._words if self._is_used(word, uses)]
        for place, token in enumerate(tokens):
            for other in words:
                if other.kind == token.kind and other.stem != token.stem:
                    yield _put(tokens, place, place + 1, (_in_place_of(token, other),)), 0.1
            for feats in self._other_feats(token):
                yield _put(tokens, place, place + 1, (replace(token, feats=feats),)), 0.1
            if token.kind in ("adj", "x") or token.role == "P":
                yield _put(tokens, place, place + 1, ()), 0.8
        yield from self._phrase_moves(tokens, words, uses)

    def _phrase_moves(
        self, tokens: Tokens, words: Sequence[Token], uses: dict[str, float]
    ) -> Iterator[tuple[Tokens, float]]:
        phrases = [p for p in self._phrases if any(self._is_used(t, uses) for t in p)]
        for low, high in noun_phrases(tokens):
            here = tokens[low:high]
            for phrase in phrases:
                yield _put(tokens, low, high, _with_role(phrase, here[-1].role)), 0.3
            if here[-1].kind == "n":
                for word in words:
                    if word.kind == "adj" or word.role == "P":
                        yield _put(tokens, low, low, (replace(word, after=""),)), 0.8
            if low and tokens[low - 1].kind == "x":
                yield _put(tokens, low - 1, high, ()), 1.0
        yield from (((*tokens, word), 1.0) for word in words if word.kind == "x")

    def _is_used(self, token: Token, uses: dict[str, float]) -> bool:
        name = f"@{token.stem}" if token.kind == "pro" else token.stem
        return token.kind in ("pro", "aux") or uses.get(name, 0.0) > _USED

    def _other_feats(self, token: Token) -> Iterator[frozenset[str]]:
        if token.kind == "v":
            yield from (feats for feats in self._verb_feats if feats != token.feats)
        elif token.kind == "aux":
            perfect = token.feats & {"PERF"}
            tenses = ("PAST", "PRES") if perfect else ("PAST", "PRES", "FUT")
            yield from (perfect | {tense} for tense in tenses if tense not in token.feats)
        elif token.kind == "n":
            number = token.feats ^ {"PL"}
            yield number - {"INDEF"} if "PL" in number else number
            for determiner in ("DEF", "INDEF", ""):
                plain = token.feats - {"DEF", "INDEF"}
                feats = plain | {determiner} if determiner else plain
                if feats != token.feats and not ("PL" in feats and determiner == "INDEF"):
                    yield frozenset(feats)


def noun_phrases(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of each noun phrase with all that belongs to it, and each pronoun."""
    start = 0
    for place, token in enumerate(tokens):
        owns = token.kind in ("adj", "pro", "n") and (token.kind == "adj" or token.role == "P")
        if owns and place + 1 < len(tokens):
            continue
        if token.kind in ("n", "pro"):
            yield start, place + 1
        start = place + 1


def _rank(state: _State) -> float:
    return -state.score


def _put(tokens: Tokens, low: int, high: int, new: Tokens) -> Tokens:
    """Return tokens with a stretch replaced; punctuation after the stretch stays."""
    after = tokens[high - 1].after if high > low else ""
    if after and new:
        new = (*new[:-1], replace(new[-1], after=after))
    elif after and low > 0:
        before = replace(tokens[low - 1], after=after)
        return (*tokens[: low - 1], before, *tokens[high:])
    return (*tokens[:low], *new, *tokens[high:])


def _in_place_of(old: Token, new: Token) -> Token:
    """Return a new stem with the old one's features and place in the sentence."""
    return replace(old, stem=new.stem)


def _with_role(phrase: Tokens, role: str) -> Tokens:
    return tuple(
        t if t.role == "P" and t is not phrase[-1] else replace(t, role=role) for t in phrase
    )


def _without_stops(tokens: Tokens) -> Tokens:
    return tuple(replace(token, after="") for token in tokens)


def _as_question(tokens: Tokens, is_question: bool) -> Tokens:
    """Leave out a question mark where the form has none, and the other way round."""
    if not tokens or is_question or not tokens[-1].after.startswith("?"):
        return tokens
    return tokens
