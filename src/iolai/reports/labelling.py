"""Places labels beside the dots of a figure, so that none covers another label or a dot.

Lengths are in points (1/72 inch). Each label takes the nearest free place about its dot, first the
places that touch the dot, then places further off, which need a line to the dot. The most crowded
dots come first; a label that finds no free place takes the one that covers least.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

__all__ = ["PlacedLabel", "place_labels"]

#: Directions from the dot, the most legible first: right, left, above, below, and between them.
_DIRECTIONS = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1))
_STEPS = (0.0, 8.0, 16.0, 26.0, 38.0, 52.0, 68.0)
_DOT = 4.0  # half the width of a dot, with a little room
_PARTS = 24  # of a line
_NEAREST = 3  # dots that tell how crowded it is


@dataclass(frozen=True, slots=True)
class _Box:
    left: float
    low: float
    right: float
    high: float

    def shared(self, other: _Box) -> float:
        """Return the area that two boxes share."""
        width = min(self.right, other.right) - max(self.left, other.left)
        height = min(self.high, other.high) - max(self.low, other.low)
        return width * height if width > 0 and height > 0 else 0.0


@dataclass(frozen=True, slots=True)
class PlacedLabel:
    """The middle of a label; where it stands far off, where the line from the dot ends."""

    middle: tuple[float, float]
    line_to: tuple[float, float] | None


def place_labels(
    dots: Sequence[tuple[float, float]],
    sizes: Sequence[tuple[float, float]],
    room: tuple[float, float],
) -> tuple[PlacedLabel, ...]:
    """Place a label of each size (width, height) beside its dot (x, y), inside (0, 0) to ``room``.

    Raises ValueError where there are not as many sizes as dots.
    """
    marks = [_around(x, y, _DOT) for x, y in dots]
    taken: list[_Box] = []
    placed: dict[int, PlacedLabel] = {}
    asked = list(zip(dots, sizes, strict=True))
    for place in sorted(range(len(dots)), key=lambda place: _loneliness(place, dots)):
        dot, size = asked[place]
        others = [*marks[:place], *marks[place + 1 :], *taken]
        box, far = _best(dot, size, room, others)
        taken += [box, *(_line(dot, box) if far else ())]
        middle = ((box.left + box.right) / 2, (box.low + box.high) / 2)
        placed[place] = PlacedLabel(middle, _nearest(dot, box) if far else None)
    return tuple(placed[place] for place in range(len(dots)))


def _loneliness(place: int, dots: Sequence[tuple[float, float]]) -> float:
    """Return how far a dot is from the nearest others."""
    x, y = dots[place]
    far = sorted(math.hypot(x - a, y - b) for n, (a, b) in enumerate(dots) if n != place)
    return sum(far[:_NEAREST])


def _around(x: float, y: float, reach: float) -> _Box:
    return _Box(x - reach, y - reach, x + reach, y + reach)


def _nearest(dot: tuple[float, float], box: _Box) -> tuple[float, float]:
    """Return the point of a box that is nearest to a dot."""
    return min(max(dot[0], box.left), box.right), min(max(dot[1], box.low), box.high)


def _line(dot: tuple[float, float], box: _Box) -> list[_Box]:
    """Return small boxes along the line from a dot to its label, outside both."""
    (x, y), (end_x, end_y) = dot, _nearest(dot, box)
    parts = [n / _PARTS for n in range(1, _PARTS)]
    found = [_around(x + t * (end_x - x), y + t * (end_y - y), 1) for t in parts]
    return [part for part in found if not part.shared(box)]


def _best(
    dot: tuple[float, float],
    size: tuple[float, float],
    room: tuple[float, float],
    others: Sequence[_Box],
) -> tuple[_Box, bool]:
    """Return the first free place, else the one that covers least."""
    inside = _Box(0, 0, *room)
    least, found = float("inf"), None
    for box, far in _places(dot, size):
        outside = size[0] * size[1] - box.shared(inside)
        drawn = [box, *(_line(dot, box) if far else ())]
        covered = sum(part.shared(other) for part in drawn for other in others) + 4 * outside
        if covered <= 1e-6:
            return box, far
        if covered < least:
            least, found = covered, (box, far)
    if found is None:
        raise ValueError("there is no place to try")
    return found


def _places(dot: tuple[float, float], size: tuple[float, float]) -> Iterator[tuple[_Box, bool]]:
    (x, y), (width, height) = dot, size
    for step in _STEPS:
        for right, up in _DIRECTIONS:
            reach = _DOT + step
            middle_x = x + right * (reach + width / 2)
            middle_y = y + up * (reach + height / 2)
            left, low = middle_x - width / 2, middle_y - height / 2
            yield _Box(left, low, left + width, low + height), step > 0
