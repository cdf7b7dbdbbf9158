"""chrF as the challenge computed it: a character n-gram F-score for one pair of texts.

Formula (rule 4 of the official score, IOL-AI Challenge 2026; after Popović 2015, "chrF: character
n-gram F-score for automatic MT evaluation"): n-grams of 1 to 6 characters, spaces removed. For
each n, precision = matches / n-grams of the prediction, where it has any, and recall = matches /
n-grams of the reference, where it has any. P and R are the means of the precisions and of the
recalls that exist, each over its own n's; F = (1 + β²)PR / (β²P + R) with β = 2. sacrebleu takes
the means over the n's that *both* sides have, so it differs whenever a text is shorter than 6.
"""

from __future__ import annotations

from collections import Counter

__all__ = ["BETA", "MAX_ORDER", "chrf"]

MAX_ORDER = 6
BETA = 2

# Looking a piece up in a longer reference costs more than counting all of its n-grams once.
_LONG = 256


def chrf(prediction: str, reference: str) -> float:
    """Return the chrF of two texts, in [0, 1]; they are taken as they are, not normalised.

    Two texts without any character but spaces give 1, one such text gives 0.
    """
    predicted = prediction.replace(" ", "")
    expected = reference.replace(" ", "")
    if predicted == expected:
        return 1.0
    if not predicted or not expected:
        return 0.0
    return _f_score(_matches(predicted, expected), len(predicted), len(expected))


def _matches(predicted: str, expected: str) -> list[int]:
    """Return the number of matching n-grams for n = 1, 2, ...; orders left out have none.

    A matching (n+1)-gram begins with a matching n-gram, so each order looks only where the one
    before it matched; and where no matching n-gram repeats, no longer one does. In answers that
    are half wrong this leaves little to do beyond n = 2.
    """
    if len(expected) > _LONG:
        return _matches_by_counting(predicted, expected)
    common = set(predicted).intersection(expected)
    if not common:
        return []
    matches = [sum([min(predicted.count(c), expected.count(c)) for c in common])]
    hits = [i for i, c in enumerate(predicted) if c in common]
    repeats = True
    for n in range(2, min(len(predicted), len(expected), MAX_ORDER) + 1):
        if hits[-1] + n > len(predicted):
            hits.pop()  # no n-gram begins so near the end
        hits = [i for i in hits if predicted[i : i + n] in expected]
        if not hits:
            break
        if repeats:
            grams = [predicted[i : i + n] for i in hits]
            distinct = set(grams)
            repeats = len(distinct) < len(grams)
        matches.append(_shared(grams, distinct, expected) if repeats else len(hits))
    return matches


def _shared(grams: list[str], distinct: set[str], expected: str) -> int:
    """Count ``grams``, all of which occur in ``expected``, each at most as often as there."""
    return sum(min(grams.count(gram), _occurrences(gram, expected)) for gram in distinct)


def _occurrences(gram: str, text: str) -> int:
    """Count the places where ``gram`` begins in ``text``, overlapping ones too."""
    count, start = 0, text.find(gram)
    while start >= 0:
        count += 1
        start = text.find(gram, start + 1)
    return count


def _matches_by_counting(predicted: str, expected: str) -> list[int]:
    """The same as ``_matches`` in time linear in both lengths."""
    matches = []
    for n in range(1, min(len(predicted), len(expected), MAX_ORDER) + 1):
        shared = _ngrams(predicted, n) & _ngrams(expected, n)
        if not shared:
            break
        matches.append(sum(shared.values()))
    return matches


def _ngrams(text: str, n: int) -> Counter[str]:
    return Counter(text[i : i + n] for i in range(len(text) - n + 1))


def _f_score(matches: list[int], n_predicted: int, n_expected: int) -> float:
    """Combine the matches per order; the other arguments are the two lengths in characters."""
    if not matches:
        return 0.0
    precision = recall = 0.0
    for n, hits in enumerate(matches):
        precision += hits / (n_predicted - n)
        recall += hits / (n_expected - n)
    precision /= min(n_predicted, MAX_ORDER)
    recall /= min(n_expected, MAX_ORDER)
    weight = BETA * BETA
    return (1 + weight) * precision * recall / (weight * precision + recall)
