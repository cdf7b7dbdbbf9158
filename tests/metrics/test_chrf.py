"""chrF's short cuts against the definition written down plainly."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iolai.metrics import chrf


def plain_chrf(prediction: str, reference: str) -> float:
    precisions, recalls = [], []
    for n in range(1, 7):
        predicted, expected = (
            Counter(text[i : i + n] for i in range(len(text) - n + 1))
            for text in (prediction.replace(" ", ""), reference.replace(" ", ""))
        )
        matches = sum((predicted & expected).values())
        if predicted:
            precisions.append(matches / sum(predicted.values()))
        if expected:
            recalls.append(matches / sum(expected.values()))
    if not precisions or not recalls:
        return float(not precisions and not recalls)
    p, r = sum(precisions) / len(precisions), sum(recalls) / len(recalls)
    return 5 * p * r / (4 * p + r) if p + r else 0.0


few_letters = st.text(alphabet="ab ", max_size=30)
any_text = st.text(max_size=30)
long_text = st.text(alphabet="abc", min_size=200, max_size=400)


@given(few_letters, few_letters)
def test_equals_the_definition_where_much_repeats(prediction: str, reference: str) -> None:
    assert chrf(prediction, reference) == pytest.approx(
        plain_chrf(prediction, reference), abs=1e-12
    )


@given(any_text, any_text)
def test_equals_the_definition_on_any_text(prediction: str, reference: str) -> None:
    assert chrf(prediction, reference) == pytest.approx(
        plain_chrf(prediction, reference), abs=1e-12
    )


@given(few_letters, long_text)
def test_equals_the_definition_on_long_references(prediction: str, reference: str) -> None:
    for one, other in (
        (prediction, reference),
        (reference, prediction),
        (reference, reference[5:]),
    ):
        assert chrf(one, other) == pytest.approx(plain_chrf(one, other), abs=1e-12)


def test_departs_from_the_common_orders_of_sacrebleu() -> None:
    # Of "a" and "abc" only n = 1 is common: its mean alone would give R = 1/3 and F = 0.3846...
    assert chrf("a", "abc") == pytest.approx(5 * 1 * (1 / 9) / (4 * 1 + 1 / 9))


def test_a_megabyte_takes_no_more_than_linear_time() -> None:
    assert 0 < chrf("ab" * 500_000, "abba") < 0.01
