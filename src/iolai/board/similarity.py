"""What repeats: outputs that agree between entries, explanations that stand more than once."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Sequence

from iolai.board.entry import BoardEntry
from iolai.reading import ends_unfinished
from iolai.records import ExplanationUse, PredictionSet, SharedExplanation, SimilarPair, TaskScore
from iolai.text import nfc, normalise_answer, squeeze

__all__ = ["explanation_uses", "shared_explanations", "similar_pairs"]


def similar_pairs(entries: Sequence[BoardEntry], threshold: float = 0.5) -> tuple[SimilarPair, ...]:
    """Return the pairs of entries which agree in at least ``threshold`` of their items.

    Items that both left blank do not count. The most alike come first, then by rank: ``entries``
    are taken as ranked. Agreement is no proof of copying: one base model agrees with itself.
    """
    scored = [entry for entry in entries if entry.score is not None]
    answers = [_answers(entry.score.tasks if entry.score else ()) for entry in scored]
    texts = [_texts(entry.predictions) for entry in scored]
    found: list[tuple[float, int, int, SimilarPair]] = []
    for one, other in itertools.combinations(range(len(scored)), 2):
        pair = zip(answers[one], answers[other], strict=True)
        answered = [(a, b) for a, b in pair if a or b]
        n_equal = sum(a == b for a, b in answered)
        if not answered or n_equal < threshold * len(answered):
            continue
        similar = SimilarPair(
            first=scored[one].team,
            second=scored[other].team,
            n_equal=n_equal,
            n_items=len(answered),
            n_shared_explanations=len(texts[one].keys() & texts[other].keys()),
            score_gap=_gap(scored[one], scored[other]),
        )
        found.append((-similar.share, one, other, similar))
    return tuple(similar for *_, similar in sorted(found, key=lambda item: item[:3]))


def explanation_uses(entries: Iterable[BoardEntry]) -> tuple[ExplanationUse, ...]:
    """Return how each entry that has explanations uses them, in the order given."""
    uses = []
    for entry in entries:
        texts = _texts(entry.predictions)
        if not texts:
            continue
        uses.append(
            ExplanationUse(
                team=entry.team,
                n_explanations=texts.total(),
                n_distinct=len(texts),
                n_unfinished=sum(count for text, count in texts.items() if ends_unfinished(text)),
                repeated=tuple((text, n) for text, n in texts.most_common() if n > 1),
            )
        )
    return tuple(uses)


def shared_explanations(entries: Iterable[BoardEntry]) -> tuple[SharedExplanation, ...]:
    """Return the explanations that entries of several teams hold, the most widely held first."""
    holders: dict[str, list[str]] = {}
    uses: Counter[str] = Counter()
    for entry in entries:
        texts = _texts(entry.predictions)
        uses += texts
        for text in texts:
            holders.setdefault(text, []).append(entry.team)
    shared = [
        SharedExplanation(text, teams, uses[text])
        for text, names in holders.items()
        if len(teams := tuple(dict.fromkeys(names))) > 1
    ]
    return tuple(sorted(shared, key=lambda item: (-len(item.teams), item.teams, item.text)))


def _answers(tasks: Iterable[TaskScore]) -> list[str]:
    return [normalise_answer(item.predicted) for task in tasks for item in task.items]


def _texts(predictions: PredictionSet | None) -> Counter[str]:
    texts = (squeeze(nfc(row.explanation)) for row in predictions or ())
    return Counter(text for text in texts if text)


def _gap(one: BoardEntry, other: BoardEntry) -> float | None:
    first, second = one.ranked_score, other.ranked_score
    return None if first is None or second is None else first - second
