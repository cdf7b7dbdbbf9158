"""Sections from what the part solvers know: each made where the solver makes its proposal."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Protocol, cast

from iolai.solvers.base import Budget
from iolai.solvers.induction.printed.changes import find_changes
from iolai.solvers.induction.printed.letters import Letters
from iolai.solvers.induction.printed.pairing import Pairing, Signs, entry_said
from iolai.solvers.induction.printed.refining import refined, searched
from iolai.solvers.induction.printed.section import Section, make_section, shown
from iolai.solvers.induction.printed.words import Analysis, Words, find_words
from iolai.solvers.induction.translation.corpus import Corpus, Parsed, bare_form

__all__ = [
    "changes_section",
    "letters_section",
    "pairing_section",
    "words_section",
]

#: What refining takes at most for each letter and unit of an example and each sweep: it is left out
#: where less time is left than it needs, counted beforehand.
_REFINING_SECONDS = 0.0005
_LONGEST_REFINED = 1000
#: A grammar that gives a smaller share of the examples is printed as far as they support it.
_WORTH_PRINTING = 0.25
#: A hyphen within a word.
_HYPHEN = re.compile(r"(?<=\w)-(?=\w)")
_FUSED = frozenset(("T&S", "S&O"))
#: Units left out by turns, and sweeps: nothing; agreement; pronouns, which agreement says.
_LEFT_OUT = (
    (frozenset[str](), 3),
    (_FUSED | {"S", "O", "P"}, 2),
    (_FUSED | {"stem:pro"}, 2),
)

#: (label, input, output) of an item and the answer to it.
Items = Sequence[tuple[str, str, str]]
Pair = tuple[str, str]


class SpellingRule(Protocol):
    """A rule of a decision list: what a letter gives between two neighbours."""

    @property
    def after(self) -> str: ...
    @property
    def left(self) -> str: ...
    @property
    def right(self) -> str: ...


def words_section(corpus: Corpus, column: str, items: Items, budget: Budget) -> Section:
    """Print the grammar of aligned examples: order, patterns, lexicon.

    Forms with hyphens are also taken apart there. Where there is time the examples are also parsed
    again to be more alike, with all units and without those that say the same as others (agreement
    beside pronouns). The grammar that gives most examples is printed, the shortest of several.
    """
    title = f"Word by word, meaning to {shown(column) or 'form'}"
    examples = [(example.gloss, example.form) for example in corpus.examples]
    sections = [
        make_section(title, words.without_wholes(examples), examples, items=items, bare=bare_form)
        for words in _grammars(corpus, budget)
    ]
    best = min(sections, key=lambda s: (len(s.unexplained), sum(map(len, s.lines))))
    return best if best.share >= _WORTH_PRINTING else _supported(best, corpus, items)


def _supported(section: Section, corpus: Corpus, items: Items) -> Section:
    """Return of a grammar that gives few examples what the examples support."""
    analyses = [_analysis(example) for example in corpus.examples]
    glosses = [shown(example.gloss) for example in corpus.examples]
    given = [i for i, gloss in enumerate(glosses) if gloss not in section.unexplained]
    examples = [(example.gloss, example.form) for example in corpus.examples]
    words = cast("Words", section.rules())
    if words.is_hyphened:
        analyses = [_unhyphened(analysis) for analysis in analyses]
    words = words.supported(analyses, given)
    made = make_section(section.title, words, examples, items=items, bare=bare_form)
    return replace(made, is_partial=True)


def _grammars(corpus: Corpus, budget: Budget) -> Iterator[Words]:
    """Yield the grammars of the alignment, of forms that mostly have hyphens also without them."""
    analyses = [_analysis(example) for example in corpus.examples]
    n_hyphened = sum(_HYPHEN.search(example.form) is not None for example in corpus.examples)
    if 2 * n_hyphened > len(analyses):
        for words in _refinements([_unhyphened(one) for one in analyses], budget):
            yield replace(words, is_hyphened=True)
    yield from _refinements(analyses, budget)


def _refinements(analyses: Sequence[Analysis], budget: Budget) -> Iterator[Words]:
    """Yield the grammar of some analyses, then of their refinements while there is time."""
    yield find_words(analyses)
    if (
        sum(len(part) for one in analyses for word in one.words for part, _ in word)
        >= _LONGEST_REFINED
    ):
        return
    for slots, n_sweeps in _LEFT_OUT:
        fewer = [_without(analysis, slots) for analysis in analyses]
        if budget.seconds_left <= _REFINING_SECONDS * n_sweeps * _size(fewer):
            return
        if not slots or fewer != analyses:
            again = refined(fewer, budget.seed, n_sweeps)
            yield find_words(again)
            yield find_words(searched(again, budget))


def _size(analyses: Sequence[Analysis]) -> int:
    """Return how many letters are to be parsed, each counted once more for each unit beside it."""
    return sum(
        sum(len(morph) for word in one.words for morph, _ in word) * (1 + len(one.units))
        for one in analyses
    )


def _without(analysis: Analysis, slots: frozenset[str]) -> Analysis:
    """Return an analysis that says nothing of the units of some slots."""
    return Analysis(
        tuple(
            tuple((morph, None if unit and unit.slot in slots else unit) for morph, unit in word)
            for word in analysis.words
        ),
        tuple(unit for unit in analysis.units if unit.slot not in slots),
    )


def _analysis(example: Parsed) -> Analysis:
    rows: list[list[tuple[str, object]]] = [[] for _ in range(example.form.count(" ") + 1)]
    for link in example.links:
        rows[example.form.count(" ", 0, link.span.start)].append((link.span.text, link.unit))
    return Analysis(tuple(map(tuple, rows)), example.units)  # type: ignore[arg-type]


def _unhyphened(analysis: Analysis) -> Analysis:
    """Return an analysis of the form without its hyphens."""
    bare = ([(morph.replace("-", ""), unit) for morph, unit in word] for word in analysis.words)
    return replace(analysis, words=tuple(tuple(part for part in word if part[0]) for word in bare))


def letters_section(
    subject: str,
    rules: Mapping[str, Iterable[SpellingRule]],
    pairs: Sequence[Pair],
    items: Items,
    *,
    has_inherent: bool,
) -> Section:
    """Print decision lists of letters, each in the order in which its rules are tried."""
    choices = {
        letter: tuple((r.after, _context(r.left), _context(r.right)) for r in found)
        for letter, found in rules.items()
    }
    theory = Letters(choices, has_inherent).without_idle([one for one, _ in pairs])
    return make_section(f"Letter by letter, {subject}", theory, pairs, items=items)


def _context(neighbour: str) -> str:
    return f"[{neighbour[1:-1]}]" if neighbour[:1] == "<" else neighbour


def changes_section(one: str, other: str, pairs: Sequence[Pair], items: Items) -> Section:
    """Print the few changes that turn a column into another."""
    pairs = list(dict.fromkeys(pairs))
    title = f"Changes, {shown(one)} to {shown(other)}"
    return make_section(title, find_changes(pairs), pairs, items=items)


def pairing_section(
    subject: str, rules: Sequence[str], pairs: Sequence[Pair], items: Items
) -> Section:
    """Print what two lists were put together by: pieces and parts of glosses, or signs."""
    signs = dict(rule.split(" = ") for rule in rules if rule.count(" = ") == 1)
    if signs and len(signs) == len(rules):
        return make_section(f"Sign by sign, {subject}", Signs(signs), pairs, items=items)
    return make_section(
        f"Side by side, {subject}", Pairing(tuple(map(entry_said, rules))), pairs, items=items
    )
