"""Stretches of forms: the spans of words, sums and best paths over ways to cut a form into them."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from iolai.solvers.induction.translation.units import Unit
from iolai.text import is_mark

__all__ = ["Link", "Span", "best_path", "gaps_of", "linked", "posteriors", "spans_of"]

Floats = NDArray[np.float64]
_LONGEST = 12


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a form within one word; ``edge`` bit 1: at its start, bit 2: at its end."""

    start: int
    end: int
    text: str
    edge: int


@dataclass(frozen=True, slots=True)
class Link:
    """A morph of a parsed form and the unit it expresses; None where it expresses none."""

    span: Span
    unit: Unit | None


def spans_of(form: str, longest: int = _LONGEST) -> tuple[Span, ...]:
    """Return every stretch of each word, sorted by end and start; marks stay with their letters."""
    found = []
    start = 0
    for word in form.split(" "):
        n = len(word)
        cuts = [0, *(i for i in range(1, n) if not is_mark(word[i])), n]
        for k, end in enumerate(cuts[1:], start=1):
            for begin in cuts[max(0, k - longest) : k]:
                edge = (begin == 0) + 2 * (end == n)
                found.append(Span(start + begin, start + end, word[begin:end], edge))
        start += n + 1
    return tuple(found)


def linked(
    spans: Sequence[Span],
    path: Sequence[int],
    best: NDArray[np.intp],
    names: Sequence[str],
    units: Sequence[Unit],
) -> tuple[Link, ...]:
    """Give each morph of a path its unit; of several with one name, in the order of the gloss."""
    waiting: dict[str, list[Unit]] = defaultdict(list)
    for unit in units:
        waiting[unit.name].append(unit)
    links = []
    for i in path:
        name = names[best[i]] if best[i] < len(names) else None
        if name is None:
            links.append(Link(spans[i], None))
        else:
            several = len(waiting[name]) > 1
            links.append(Link(spans[i], waiting[name].pop(0) if several else waiting[name][0]))
    return tuple(links)


def gaps_of(form: str) -> tuple[int, ...]:
    """Return where the spaces stand."""
    return tuple(i for i, letter in enumerate(form) if letter == " ")


def posteriors(
    spans: Sequence[Span], scores: Floats, length: int, gaps: Sequence[int]
) -> tuple[Floats, float]:
    """Return each span's posterior probability, and the log of the sum over segmentations."""
    values = scores.tolist()
    forward = [0.0] * (length + 1)
    forward[0] = 1.0
    backward = [0.0] * (length + 1)
    backward[length] = 1.0
    gap = set(gaps)
    at = 0
    for span, value in zip(spans, values, strict=True):
        while at < span.end:
            at += 1
            if at - 1 in gap:
                forward[at] = forward[at - 1]
        forward[span.end] += forward[span.start] * value
    total = forward[length]
    if total <= 1e-290:
        return np.zeros(len(spans)), -700.0
    at = length
    for span, value in zip(reversed(spans), reversed(values), strict=True):
        while at > span.end:
            at -= 1
            if at in gap:
                backward[at] = backward[at + 1]
        backward[span.start] += backward[span.end] * value
    posterior = [
        forward[span.start] * value * backward[span.end] / total
        for span, value in zip(spans, values, strict=True)
    ]
    return np.array(posterior), math.log(total)


def best_path(spans: Sequence[Span], scores: Floats, length: int, gaps: Sequence[int]) -> list[int]:
    """Return the places of the spans of the likeliest segmentation."""
    gap = set(gaps)
    best = [-math.inf] * (length + 1)
    back = [-1] * (length + 1)
    best[0] = 0.0
    at = 0
    for i, (span, value) in enumerate(zip(spans, scores.tolist(), strict=True)):
        while at < span.end:
            at += 1
            if at - 1 in gap and best[at - 1] > best[at]:
                best[at] = best[at - 1]
        score = best[span.start] + math.log(max(value, 1e-300))
        if score > best[span.end]:
            best[span.end], back[span.end] = score, i
    path: list[int] = []
    at = length
    while at > 0:
        if back[at] < 0 or (at - 1 in gap and back[at] < 0):
            at -= 1
            continue
        path.append(back[at])
        at = spans[back[at]].start
    return path[::-1]
