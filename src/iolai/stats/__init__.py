"""Statistics: bootstrap intervals and bands, permutation tests, corrections, correlations.

The unit is the task: a challenge has few tasks and many items, and the items of one task stand or
fall together. numpy is imported where it is used, so that importing this room costs nothing. A
call that makes no sense raises ValueError; data that allow no figure are a named state
(``NoInterval``, ``NoTest``, ``NoCorrelation``), never a nan.
"""

from iolai.stats.bootstrap import (
    DEFAULT_LEVEL,
    DEFAULT_RESAMPLES,
    Interval,
    NoInterval,
    bands,
    bootstrap_interval,
    geometric_mean,
    paired_difference,
    percentile_interval,
    percentile_intervals,
    resampled_scores,
    spans_zero,
    why_no_interval,
)
from iolai.stats.correcting import CORRECTIONS, benjamini_hochberg, holm
from iolai.stats.correlating import Correlation, NoCorrelation, correlation
from iolai.stats.permutation import (
    MAX_EXACT,
    NoTest,
    Permutation,
    exchange_test,
    sign_flip_test,
    within_groups_test,
)

__all__ = [
    "CORRECTIONS",
    "DEFAULT_LEVEL",
    "DEFAULT_RESAMPLES",
    "MAX_EXACT",
    "Correlation",
    "Interval",
    "NoCorrelation",
    "NoInterval",
    "NoTest",
    "Permutation",
    "bands",
    "benjamini_hochberg",
    "bootstrap_interval",
    "correlation",
    "exchange_test",
    "geometric_mean",
    "holm",
    "paired_difference",
    "percentile_interval",
    "percentile_intervals",
    "resampled_scores",
    "sign_flip_test",
    "spans_zero",
    "why_no_interval",
    "within_groups_test",
]
