"""The examples of a problem, taken apart on both sides and aligned: what both directions use."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from iolai.solvers.base import Budget
from iolai.solvers.induction.english import English, Token
from iolai.solvers.induction.translation.lexicon import Example, Settings
from iolai.solvers.induction.translation.lexicons import Lexicons
from iolai.solvers.induction.translation.ordering import word_places
from iolai.solvers.induction.translation.spans import Link
from iolai.solvers.induction.translation.units import Unit, token_class, units_of

__all__ = ["Corpus", "GlossLanguage", "Parsed", "bare_form"]

_STOPS = ".?!,;:"


@dataclass(frozen=True, slots=True)
class Parsed:
    """An example: its form as written and bare, its gloss as tokens, its morphs with links."""

    written: str
    form: str
    gloss: str
    tokens: tuple[Token, ...]
    units: tuple[Unit, ...]
    links: tuple[Link, ...] = ()


def bare_form(form: str) -> str:
    """Return a form in lower case without punctuation between and after words."""
    kept = re.sub(rf"[{_STOPS}]+(?=\s|$)", "", form.strip().strip("[]/"))
    return re.sub(r"\s+", " ", kept).strip().lower()


class GlossLanguage(Protocol):
    """What takes glosses apart and puts them together: English, or a system of numbers."""

    def parse(self, gloss: str) -> tuple[Token, ...]:
        """Return the tokens of a gloss."""
        ...

    def realise(self, tokens: Sequence[Token]) -> str:
        """Return the gloss of some tokens."""
        ...


class Corpus:
    """Aligned examples, averaged lexicons, and the order in which classes of words stand."""

    def __init__(
        self,
        pairs: Sequence[tuple[str, str]],
        extra_glosses: Sequence[str] = (),
        settings: Settings | None = None,
        seeds: Sequence[int] = (0,),
        language: GlossLanguage | None = None,
        budget: Budget | None = None,
    ) -> None:
        self.english = language or English([*(gloss for _, gloss in pairs), *extra_glosses])
        drafts = []
        for written, gloss in pairs:
            tokens = self.english.parse(gloss)
            if tokens and bare_form(written):
                form = bare_form(written)
                drafts.append(Parsed(written, form, gloss, tokens, units_of(tokens)))
        places = word_places([d.form for d in drafts], [d.tokens for d in drafts])
        self.lexicons = Lexicons(
            [Example(d.form, d.units, at) for d, at in zip(drafts, places, strict=True)],
            settings or Settings(),
            seeds,
            budget,
        )
        self.examples = tuple(
            replace(draft, links=self.lexicons.parse_example(i)) for i, draft in enumerate(drafts)
        )
        self.order = self._orders()
        self.letters = LetterModel([example.form for example in self.examples])

    def _orders(self) -> dict[tuple[str, str], list[float]]:
        """Count for pairs of classes in the gloss whether the form keeps their order or not."""
        order: dict[tuple[str, str], list[float]] = defaultdict(lambda: [0.0, 0.0])
        for example in self.examples:
            for one, other, kept in _pair_orders(example.tokens, example.links):
                order[one, other][0 if kept else 1] += 1.0
        return dict(order)

    def order_score(self, tokens: Sequence[Token], links: Sequence[Link]) -> float:
        """Return the log-probability of the order of stems in a parsed form, given the gloss."""
        total = 0.0
        for one, other, kept in _pair_orders(tokens, links):
            same, turned = self.order.get((one, other), (0.0, 0.0))
            share = ((same if kept else turned) + 0.5) / (same + turned + 1.0)
            total += math.log(share)
        return total

    def precedes(self, one: Token, other: Token) -> float:
        """Return how much likelier ``one`` stands before ``other`` in a form (log-odds).

        ``one`` stands before ``other`` in the gloss.
        """
        same, turned = self.order.get((token_class(one), token_class(other)), (0.0, 0.0))
        return math.log((same + 0.5) / (turned + 0.5))


def _pair_orders(tokens: Sequence[Token], links: Sequence[Link]) -> list[tuple[str, str, bool]]:
    """Return pairs of neighbouring stems' classes and whether the form keeps the gloss's order."""
    place = {link.unit.token: link.span.start for link in links if link.unit and link.unit.is_stem}
    found = []
    linked = sorted(place)
    for i, one in enumerate(linked):
        for other in linked[i + 1 : i + 4]:
            classes = token_class(tokens[one]), token_class(tokens[other])
            found.append((*classes, place[one] < place[other]))
    return found


class LetterModel:
    """How usual a form's letters are in their places: trigrams against single letters."""

    def __init__(self, forms: Sequence[str]) -> None:
        self._triples: Counter[str] = Counter()
        self._pairs: Counter[str] = Counter()
        self._letters: Counter[str] = Counter()
        for form in forms:
            padded = f"  {form} "
            self._letters.update(padded[2:])
            self._pairs.update(padded[i - 1 : i + 1] for i in range(2, len(padded)))
            self._triples.update(padded[i - 2 : i + 1] for i in range(2, len(padded)))
        self._contexts: Counter[str] = Counter()
        for triple, n in self._triples.items():
            self._contexts[triple[:2]] += n
        self._firsts: Counter[str] = Counter()
        for pair, n in self._pairs.items():
            self._firsts[pair[0]] += n
        self._total = sum(self._letters.values())

    def score(self, form: str) -> float:
        """Return the log-likelihood ratio of a form: above 0 where its neighbours are usual."""
        padded = f"  {form} "
        total = 0.0
        for i in range(2, len(padded)):
            letter = padded[i]
            single = (self._letters[letter] + 0.2) / (self._total + 1.0)
            double = (self._pairs[padded[i - 1 : i + 1]] + single) / (
                self._firsts[padded[i - 1]] + 1.0
            )
            triple = (self._triples[padded[i - 2 : i + 1]] + 0.7 * double) / (
                self._contexts[padded[i - 2 : i]] + 0.7
            )
            total += math.log(triple / single)
        return total
