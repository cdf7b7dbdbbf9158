"""Answers that the printed grammar gives: forms built by its rules, glosses whose form it builds.

A gloss is looked for among the examples' glosses with their stems exchanged for stems that the form
may have, and with the features that other examples' tokens have.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice, product

from iolai.solvers.base import Budget
from iolai.solvers.induction.english import Token
from iolai.solvers.induction.printed.names import meaning_name
from iolai.solvers.induction.printed.words import Words
from iolai.solvers.induction.reader import SheetItem
from iolai.solvers.induction.translation.corpus import Corpus, bare_form
from iolai.solvers.induction.translation.into_form import styled
from iolai.solvers.induction.translation.units import token_class, units_of

__all__ = ["Ruled"]

#: Glosses tried for one form: of one template, and in all.
_N_EACH, _N_TRIED = 3000, 20_000
_CONTENT = ("n", "v", "adj", "pro")


class Ruled:
    """Applies a printed grammar both ways."""

    def __init__(self, corpus: Corpus, words: Words) -> None:
        self._corpus, self._words = corpus, words
        self._templates = _templates(corpus)
        self._tokens = _tokens(corpus)

    def answer(self, item: SheetItem, budget: Budget) -> str:
        """Return what the rules make of an item, "" where they make nothing of it."""
        if item.target == "gloss":
            return self.gloss(item.text, budget)
        form = self.form(item.text)
        return styled(form, self._corpus.examples[0].written) if form else ""

    def gives(self, item: SheetItem, answer: str) -> bool:
        """Say whether the rules make the form of an item and an answer of their gloss."""
        gloss, form = item.text, answer
        if item.target == "gloss":
            gloss, form = form, gloss
        return bool(form) and self.form(gloss) == bare_form(form)

    def form(self, gloss: str) -> str:
        """Return the form that the rules give a gloss, "" where they give none."""
        return self._form(self._corpus.english.parse(gloss))

    def gloss(self, form: str, budget: Budget) -> str:
        """Return a gloss whose form by the rules is ``form``, "" where none is found."""
        wanted = bare_form(form)
        seen: set[tuple[Token, ...]] = set()
        for tokens in islice(self._tried(wanted), _N_TRIED):
            if budget.seconds_left <= 0:
                break
            if tokens not in seen and self._form(tokens) == wanted:
                return self._corpus.english.realise(tokens)
            seen.add(tokens)
        return ""

    def _form(self, tokens: Sequence[Token]) -> str:
        units = units_of(tokens)
        return self._words.form(units) if units else ""

    def _tried(self, form: str) -> Iterator[tuple[Token, ...]]:
        """Yield glosses that may have a form: of each template those with stems that are in it."""
        for template in self._templates:
            options = [self._options(token, form) for token in template]
            if all(options):
                yield from islice(product(*options), _N_EACH)

    def _options(self, token: Token, form: str) -> list[Token]:
        """Return what may stand for a token of a template: itself first, if it is in the form."""
        if token.kind not in _CONTENT:
            return [token]
        others = [replace(one, after=token.after) for one in self._tokens[token_class(token)]]
        others.sort(key=lambda one: len(one.feats ^ token.feats))
        return [one for one in dict.fromkeys((token, *others)) if self._may_be_in(one, form)]

    def _may_be_in(self, token: Token, form: str) -> bool:
        stems = [unit for unit in units_of((token,)) if unit.is_stem]
        return all(
            name not in self._words.lexicon or self._words.lexicon[name].may_be_in(form)
            for name in map(meaning_name, stems)
        )


def _templates(corpus: Corpus) -> list[tuple[Token, ...]]:
    """Return the examples' tokens, of those with the same row of classes the first."""
    by_classes: dict[tuple[str, ...], tuple[Token, ...]] = {}
    for example in corpus.examples:
        by_classes.setdefault(tuple(map(_shape, example.tokens)), example.tokens)
    return list(by_classes.values())


def _shape(token: Token) -> str:
    return token_class(token) if token.kind in _CONTENT else f"x {token.stem}"


def _tokens(corpus: Corpus) -> Mapping[str, list[Token]]:
    """Return by class the tokens that its stems make with the features that the class is met with.

    Nouns stand in any role, one or many: what is met as an object may be a subject.
    """
    feats: dict[str, dict[frozenset[str], None]] = defaultdict(dict)
    roles: dict[str, dict[str, None]] = defaultdict(dict)
    stems: dict[str, dict[str, None]] = defaultdict(dict)
    uses_a = any("INDEF" in token.feats for token in _all_tokens(corpus))
    for token in _all_tokens(corpus):
        feats[token.kind][token.feats] = None
        if token.kind == "n":
            feats[token.kind][_other_number(token.feats, uses_a=uses_a)] = None
        roles[token.kind][token.role] = None
        stems[token.kind][token.stem] = None
    made: dict[str, list[Token]] = defaultdict(list)
    for kind, names in stems.items():
        for stem, found, role in product(names, feats[kind], roles[kind]):
            token = Token(stem, kind, found, role)
            made[token_class(token)].append(token)
    return made


def _other_number(feats: frozenset[str], *, uses_a: bool) -> frozenset[str]:
    """Return a noun's features in the other number: ``a dog`` has no article for many."""
    if "PL" not in feats:
        return (feats - {"INDEF"}) | {"PL"}
    one = feats - {"PL"}
    return one | {"INDEF"} if uses_a and not one & {"DEF", "POSS"} else one


def _all_tokens(corpus: Corpus) -> Iterable[Token]:
    return (token for example in corpus.examples for token in example.tokens)
