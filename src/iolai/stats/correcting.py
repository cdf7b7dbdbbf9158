"""Many comparisons at once: p-values corrected together, so that chance finds count as chance."""

from __future__ import annotations

from collections.abc import Callable, Sequence

__all__ = ["CORRECTIONS", "benjamini_hochberg", "holm"]


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Return p-values corrected so that *any* false find has at most the stated chance.

    Source: S. Holm 1979, "A simple sequentially rejective multiple test procedure". Raises
    ValueError where a value is not in [0, 1].
    """
    n = _checked(p_values)
    order = sorted(range(n), key=lambda place: p_values[place])
    corrected, so_far = [0.0] * n, 0.0
    for rank, place in enumerate(order):
        so_far = max(so_far, min(1.0, (n - rank) * p_values[place]))
        corrected[place] = so_far
    return tuple(corrected)


def benjamini_hochberg(p_values: Sequence[float]) -> tuple[float, ...]:
    """Return p-values corrected so that the stated *share* of finds is false, on average.

    Source: Y. Benjamini, Y. Hochberg 1995, "Controlling the false discovery rate". Raises
    ValueError where a value is not in [0, 1].
    """
    n = _checked(p_values)
    order = sorted(range(n), key=lambda place: p_values[place], reverse=True)
    corrected, so_far = [0.0] * n, 1.0
    for rank, place in enumerate(order):
        so_far = min(so_far, p_values[place] * n / (n - rank))
        corrected[place] = so_far
    return tuple(corrected)


def _checked(p_values: Sequence[float]) -> int:
    wrong = [p for p in p_values if not 0 <= p <= 1]
    if wrong:
        raise ValueError(f"{wrong[0]} is no p-value; they lie between 0 and 1")
    return len(p_values)


#: Corrections by name: one function above and one line here.
CORRECTIONS: dict[str, Callable[[Sequence[float]], tuple[float, ...]]] = {
    "holm": holm,
    "benjamini-hochberg": benjamini_hochberg,
}
