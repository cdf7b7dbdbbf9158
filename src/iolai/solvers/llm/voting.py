"""The vote: a sampled form replaces the greedy anchor only where samples agree against it.

The rule that won the IOL-AI Challenge 2026 (from the organisers' analysis of the entries): at
least two samples agree on the form, and it has strictly more votes than the anchor. The greedy
pass is one vote for the anchor. Treating all candidates alike replaced it half the time and lost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

__all__ = ["Ballot", "Choice", "choose"]

#: How many samples must agree before the anchor can be replaced.
MIN_AGREEING = 2


@dataclass(frozen=True, slots=True)
class Ballot:
    """A form and its weight; a sample's is 1, other voters' may be less."""

    form: str
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Choice:
    """The form that was chosen, its share of all votes in [0, 1], and all forms by weight."""

    form: str
    share: float
    ranked: tuple[Ballot, ...]


def choose(
    anchor: str,
    samples: Iterable[str],
    *,
    others: Sequence[Ballot] = (),
    fold: Callable[[str], str] = str.strip,
    min_agreeing: int = MIN_AGREEING,
) -> Choice:
    """Choose between the anchor and what was sampled.

    ``others`` are votes of other voters, such as the induction engine's candidates; they add
    weight but do not count as agreeing samples unless one sample says the same. Forms that
    ``fold`` makes equal are one form, written as it was first met (the anchor first). Blank forms
    have no vote.
    """
    written: dict[str, str] = {}
    weights: dict[str, float] = {}
    n_samples: dict[str, int] = {}
    sampled = [Ballot(form) for form in samples]
    for ballot in (Ballot(anchor), *sampled, *others):
        key = fold(ballot.form)
        if key:
            written.setdefault(key, ballot.form)
            weights[key] = weights.get(key, 0.0) + ballot.weight
    for ballot in sampled:
        key = fold(ballot.form)
        n_samples[key] = n_samples.get(key, 0) + 1
    best = _winner(fold(anchor), weights, n_samples, bool(others), min_agreeing)
    total = sum(weights.values())
    ranked = sorted(weights, key=lambda key: (-weights[key], key != best, key))
    return Choice(
        form=written.get(best, anchor),
        share=weights.get(best, 0.0) / total if total else 0.0,
        ranked=tuple(Ballot(written[key], weights[key]) for key in ranked),
    )


def _winner(
    anchor: str,
    weights: dict[str, float],
    n_samples: dict[str, int],
    has_others: bool,
    min_agreeing: int,
) -> str:
    """Return the key of the form to answer with: the anchor, unless enough speaks against it."""
    best = anchor
    for key, weight in sorted(weights.items()):
        agreeing = n_samples.get(key, 0)
        needed = min_agreeing if anchor else 1  # anything is better than a blank
        enough = agreeing >= needed or (has_others and weight >= needed)
        if key != anchor and enough and weight > weights.get(best, 0.0):
            best = key
    return best
