"""Which stretch of a form expresses which unit: alignment by description length.

Forms are cut into morphs, each given by a unit of the gloss or by none. The model is a Chinese
restaurant per unit: a morph costs little where the unit has had it in other examples, else what it
costs to spell. It is fitted by collapsed variational Bayes (CVB0, Asuncion et al. 2009) over all
segmentations (forward-backward over spans within words), each example scored by the counts of the
others, so a morph that occurs once pays for its letters. A unit is to be expressed about once: its
weight in an example falls as its expected use there exceeds one.
"""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from iolai.solvers.induction.translation.spans import Span, gaps_of, posteriors, spans_of
from iolai.solvers.induction.translation.units import Unit

__all__ = ["FREE", "Example", "Grid", "Lexicon", "Settings"]

FREE = "∅"

#: How readily units of each slot are expressed at all: the prior weight of a link.
PRIORS = {
    "stem:link": 0.5, "stem:pro": 0.8, "T": 0.6, "S": 0.6, "O": 0.6, "P": 0.6, "N": 0.6, "D": 0.15,
    "case": 0.3, "T&S": 0.25, "S&O": 0.15, "NEG": 0.8, "PASS": 0.8, "Q": 0.5,
}  # fmt: skip
#: How readily a stem, and a feature, stands in another word than its token's.
_ELSEWHERE, _FEATURE_ELSEWHERE = 0.01, 0.2
_N_EDGES = 4
_N_BINS = 9

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Settings:
    """What a fit may vary: strengths in pseudo-counts, costs in nats."""

    strength: float = 0.3
    letter: float = 1.9
    free: float = 0.08
    discount: float = 0.25
    sweeps: int = 16
    noise: float = 0.6
    dropped: float = 0.0
    cohesion: float = 0.3
    position: float = 0.7


@dataclass(frozen=True, slots=True)
class Example:
    """A form in lower case without final punctuation, and the units that it expresses.

    ``places`` says of tokens which word is theirs, where that is known.
    """

    form: str
    units: tuple[Unit, ...]
    places: Mapping[int, int] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class _Chart:
    """An example's spans against its units, as arrays."""

    spans: tuple[Span, ...]
    names: tuple[str, ...]
    ids: NDArray[np.intp]
    unit_ids: NDArray[np.intp]
    spelled: Floats
    edges: NDArray[np.intp]
    length: int
    gaps: tuple[int, ...]
    weights: Floats
    prior: Floats
    words: NDArray[np.intp]
    bins: NDArray[np.intp]
    word_bins: NDArray[np.intp]
    owners: NDArray[np.intp]
    group_ids: NDArray[np.intp]
    is_stem: NDArray[np.bool_]
    placed: Floats
    log_score: float = 0.0
    expected: Floats = field(default_factory=lambda: np.zeros((0, 0)))


@dataclass(frozen=True, slots=True)
class Grid:
    """A form's spans looked up against units, for lexicons of the same examples."""

    form: str
    spans: tuple[Span, ...]
    names: tuple[str, ...]
    ids: NDArray[np.intp]
    unit_ids: NDArray[np.intp]
    spelled: Floats
    edges: NDArray[np.intp]
    prior: Floats


class Lexicon:
    """Morphs of units with counts, learned from examples; scores forms against units."""

    def __init__(self, examples: Sequence[Example], settings: Settings, seed: int) -> None:
        self.examples = tuple(examples)
        self.settings = settings
        self._random = random.Random(seed)  # noqa: S311 - a seed is wanted
        self._morphs: dict[tuple[str, str], int] = {}
        self._units: dict[str, int] = {}
        self._groups: dict[str, int] = {}
        self._spelling = _letter_costs([e.form for e in examples], settings.letter)
        charts = [self._chart(example) for example in examples]
        self._counts = np.zeros(len(self._morphs))
        self._totals = np.zeros(len(self._units))
        self._edge_counts = np.zeros((len(self._units), _N_EDGES))
        self._bin_counts = np.zeros((len(self._groups), _N_BINS))
        self._initialise(charts)
        self._fit(charts)
        self.links = [(chart.names, chart.expected) for chart in charts]
        self.usage = self._usage_rates(charts)
        self.quality = sum(chart.log_score for chart in charts)
        self._slots = {unit.name: unit.slot for e in self.examples for unit in e.units}
        self._by_unit = self._lists()

    # --- learning ---------------------------------------------------------------------------

    def _chart(self, example: Example) -> _Chart:
        spans = spans_of(example.form)
        names = (*dict.fromkeys(unit.name for unit in example.units), FREE)
        for name in names:
            self._units.setdefault(name, len(self._units))
        ids = np.array(
            [
                [self._morphs.setdefault((name, s.text), len(self._morphs)) for name in names]
                for s in spans
            ],
            dtype=np.intp,
        ).reshape(len(spans), len(names))
        first = {unit.name: unit for unit in reversed(example.units)}
        units = [first[name] for name in names[:-1]]
        prior = [_prior(unit.name, unit.slot) for unit in units]
        groups = [*(unit.group for unit in units), FREE]
        is_stem = np.array([*(unit.is_stem for unit in units), False])
        words, n_words = _words_of(spans, example.form)
        word_bins = np.array([_bin(w, n_words) for w in range(n_words)], dtype=np.intp)
        return _Chart(
            spans=spans,
            names=names,
            ids=ids,
            unit_ids=np.array([self._units[name] for name in names], dtype=np.intp),
            spelled=self._spelled_by(spans, is_stem),
            edges=np.array([s.edge for s in spans], dtype=np.intp),
            length=len(example.form),
            gaps=gaps_of(example.form),
            weights=np.ones(len(names)),
            prior=np.array([*prior, self.settings.free]),
            words=words,
            bins=word_bins[words] if len(spans) else words,
            word_bins=word_bins,
            owners=np.array([*(unit.token for unit in units), -1], dtype=np.intp),
            group_ids=np.array(
                [self._groups.setdefault(g, len(self._groups)) for g in groups], dtype=np.intp
            ),
            is_stem=is_stem,
            placed=_placed(example, units, words),
        )

    def _spelled_by(self, spans: Sequence[Span], is_stem: NDArray[np.bool_]) -> Floats:
        """Return the prior of each span as a morph of each unit: stems are longer than endings."""
        letters = np.array([self._spelled(span.text) for span in spans])
        lengths = np.array([len(span.text) for span in spans], dtype=float)
        stem = np.exp(-0.5 * ((np.log(lengths + 0.5) - math.log(4.5)) / 0.6) ** 2)
        ending = np.exp(-0.5 * ((np.log(lengths + 0.5) - math.log(2.2)) / 0.6) ** 2)
        return letters[:, None] * np.where(is_stem[None, :], stem[:, None], ending[:, None])

    def _spelled(self, text: str) -> float:
        """Return the prior probability of a morph: its letters, and an end."""
        cost = sum(self._spelling.get(letter, self._spelling[""]) for letter in text)
        return math.exp(-cost - 0.7)

    def _initialise(self, charts: Sequence[_Chart]) -> None:
        """Start from association: how well the examples with a morph are those with the unit."""
        with_morph: Counter[str] = Counter()
        with_unit: Counter[str] = Counter()
        joint: Counter[tuple[str, str]] = Counter()
        for chart in charts:
            texts = {span.text for span in chart.spans}
            with_morph.update(texts)
            with_unit.update(chart.names)
            joint.update((name, text) for name in chart.names for text in texts)
        noise = self.settings.noise
        for chart in charts:
            expected = np.zeros(chart.ids.shape)
            for i, span in enumerate(chart.spans):
                for j, name in enumerate(chart.names[:-1]):
                    both = joint[name, span.text]
                    dice = both * both / (with_morph[span.text] * with_unit[name])
                    if dice > 0.2:
                        expected[i, j] = dice**2 * math.exp(self._random.gauss(0, noise))
            chart.expected = 0.3 * expected * chart.placed
            self._add(chart, 1.0)

    def _add(self, chart: _Chart, sign: float) -> None:
        expected = chart.expected
        np.add.at(self._counts, chart.ids, sign * expected)
        np.add.at(self._totals, chart.unit_ids, sign * expected.sum(axis=0))
        edges = (chart.unit_ids[None, :], chart.edges[:, None])
        np.add.at(self._edge_counts, edges, sign * expected)
        places = (chart.group_ids[None, :], chart.bins[:, None])
        np.add.at(self._bin_counts, places, sign * expected)

    def _fit(self, charts: Sequence[_Chart]) -> None:
        kept = list(charts)
        if self.settings.dropped and len(kept) > 6:
            kept = [c for c in kept if self._random.random() > self.settings.dropped] or kept
        for chart in charts:
            if chart not in kept:
                self._add(chart, -1.0)
        for sweep in range(self.settings.sweeps):
            heat = min(1.0, 0.6 + 0.5 * sweep / self.settings.sweeps)
            self._random.shuffle(kept)
            for chart in kept:
                self._add(chart, -1.0)
                chart.expected = self._expect(chart, heat)
                self._add(chart, 1.0)
        for chart in charts:
            if chart not in kept:
                chart.expected = self._expect(chart, 1.0)

    def _expect(self, chart: _Chart, heat: float) -> Floats:
        """Return the expected links of an example, and set the weights by the units' use."""
        probabilities = self._probabilities(chart.ids, chart.unit_ids, chart.spelled, chart.edges)
        probabilities = probabilities * self._fitting(chart) * chart.placed
        links = np.zeros(chart.ids.shape)
        for _ in range(2):
            weighted = probabilities * (chart.weights * chart.prior)
            scores = weighted.sum(axis=1)
            inside, chart.log_score = posteriors(
                chart.spans, scores**heat, chart.length, chart.gaps
            )
            links = weighted * (inside / np.maximum(scores, 1e-300))[:, None]
            use = links.sum(axis=0)
            scale = np.clip(1.0 / np.maximum(use, 1e-6), 0.3, 1.5) ** 0.7
            chart.weights[:-1] = np.clip(chart.weights * scale, 0.02, 1.0)[:-1]
        return links

    def _fitting(self, chart: _Chart) -> Floats:
        """Return how well units fit spans by their words: near their stems, where their kind is."""
        counts = np.maximum(self._bin_counts[chart.group_ids], 0.0) + 0.4
        shares = counts / counts.mean(axis=1, keepdims=True)
        by_word = shares[:, chart.word_bins]
        by_word = by_word / by_word.mean(axis=1, keepdims=True)
        fit = np.clip(by_word, 0.1, 4.0)[:, chart.words].T ** self.settings.position
        n_words = len(chart.word_bins)
        links = chart.expected
        if n_words < 2 or not links.any():
            return np.asarray(fit)
        in_word = np.zeros((n_words, links.shape[1]))
        np.add.at(in_word, chart.words, links)
        for j in np.flatnonzero(~chart.is_stem[:-1]):
            hosts = np.flatnonzero(chart.is_stem & (chart.owners == chart.owners[j]))
            if hosts.size:
                share = in_word[:, hosts].sum(axis=1)
                share = share / max(float(share.sum()), 1e-9)
                low = self.settings.cohesion
                fit[:, j] *= low + (1 - low) * share[chart.words]
        return np.asarray(fit)

    def _probabilities(
        self,
        ids: NDArray[np.intp],
        unit_ids: NDArray[np.intp],
        spelled: Floats,
        edges: NDArray[np.intp],
    ) -> Floats:
        strength = self.settings.strength
        counts = np.maximum(self._counts[ids], 0.0)
        # A discount as in Pitman-Yor: several morphs for one unit are dearer than one.
        counts = counts - self.settings.discount * np.minimum(1.0, counts)
        totals = np.maximum(self._totals[unit_ids], 0.0)
        morphs = (counts + strength * spelled) / (totals + strength)
        edge_counts = np.maximum(self._edge_counts[unit_ids], 0.0)
        shares = (edge_counts + 0.25) / (edge_counts.sum(axis=1, keepdims=True) + 1.0)
        return np.asarray(morphs * shares[:, edges].T)

    # --- what was learned -------------------------------------------------------------------

    def _usage_rates(self, charts: Sequence[_Chart]) -> dict[str, float]:
        """Return how often each unit is expressed at all, held towards what its kind does."""
        used: dict[str, float] = defaultdict(float)
        seen: Counter[str] = Counter()
        for chart in charts:
            for name, use in zip(chart.names, chart.expected.sum(axis=0), strict=True):
                used[name] += min(1.0, float(use))
                seen[name] += 1
        stems = {unit.name for example in self.examples for unit in example.units if unit.is_stem}
        return {
            name: (used[name] + (0.9 if name in stems else 0.3)) / (seen[name] + 1.0)
            for name in seen
        }

    def _lists(self) -> dict[str, list[tuple[str, float]]]:
        by_unit: dict[str, list[tuple[str, float]]] = defaultdict(list)
        for (name, text), i in self._morphs.items():
            if self._counts[i] > 0.1:
                by_unit[name].append((text, float(self._counts[i])))
        for morphs in by_unit.values():
            morphs.sort(key=lambda pair: (-pair[1], pair[0]))
        return dict(by_unit)

    def morphs(self, name: str, n_best: int = 3) -> list[tuple[str, float]]:
        """Return a unit's morphs with their counts, the most used first."""
        return self._by_unit.get(name, [])[:n_best]

    def names(self) -> tuple[str, ...]:
        """Return every unit's name."""
        return tuple(self._units)

    def grid(self, form: str, names: Sequence[str]) -> Grid:
        """Look up a form's spans against units; lexicons of the same examples share grids."""
        spans = spans_of(form)
        known = [n for n in dict.fromkeys(names) if n in self._units and n != FREE]
        missing = len(self._counts)
        get = self._morphs.get
        ids = [[get((name, s.text), missing) for name in (*known, FREE)] for s in spans]
        return Grid(
            form=form,
            spans=spans,
            names=tuple(known),
            ids=np.array(ids, dtype=np.intp).reshape(len(spans), len(known) + 1),
            unit_ids=np.array([self._units[name] for name in (*known, FREE)], dtype=np.intp),
            spelled=self._spelled_by(
                spans, np.array([*(self._slots[n].startswith("stem") for n in known), False])
            ),
            edges=np.array([span.edge for span in spans], dtype=np.intp),
            prior=np.array([*(_prior(n, self._slots[n]) for n in known), self.settings.free]),
        )

    def fill(self, grid: Grid) -> Floats:
        """Return the probabilities of a grid's spans from its units, priors taken in."""
        counts, self._counts = self._counts, np.append(self._counts, 0.0)
        probabilities = self._probabilities(grid.ids, grid.unit_ids, grid.spelled, grid.edges)
        self._counts = counts
        return probabilities * grid.prior


def _prior(name: str, slot: str) -> float:
    return 0.1 if name == "SG" else PRIORS.get(slot, 1.0)


def _letter_costs(forms: Sequence[str], scale: float) -> dict[str, float]:
    """Return the cost of each letter in nats, scaled so that their mean is ``scale``."""
    counts = Counter(letter for form in forms for letter in form if letter != " ")
    total = sum(counts.values())
    costs = {letter: -math.log(n / total) for letter, n in counts.items()}
    mean = sum(costs[letter] * n for letter, n in counts.items()) / max(1, total)
    factor = scale / mean if mean > 0 else 1.0
    scaled = {letter: cost * factor for letter, cost in costs.items()}
    scaled[""] = max(scaled.values(), default=scale) + 1.0
    return scaled


def _words_of(spans: Sequence[Span], form: str) -> tuple[NDArray[np.intp], int]:
    """Return the place of each span's word, and the number of words."""
    words = np.array([form.count(" ", 0, span.start) for span in spans], dtype=np.intp)
    return words, form.count(" ") + 1


def _placed(example: Example, units: Sequence[Unit], words: NDArray[np.intp]) -> Floats:
    """Return how well spans fit units by the words that are known to be their tokens' (or none)."""
    placed = np.ones((len(words), len(units) + 1))
    for j, unit in enumerate(units):
        tokens = {one.token for one in example.units if one.name == unit.name}
        if all(token in example.places for token in tokens):
            own = np.isin(words, [example.places[token] for token in tokens])
            placed[~own, j] = _ELSEWHERE if unit.is_stem else _FEATURE_ELSEWHERE
    return placed


def _bin(word: int, n_words: int) -> int:
    """Return the class of a word's place: first, second or later, from either side."""
    return min(word, 2) * 3 + min(n_words - 1 - word, 2)
