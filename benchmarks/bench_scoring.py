"""How fast scoring is: chrF against sacrebleu and the plain definition, and a whole challenge.

Run by ``make bench``. The texts are made up from a fixed seed: answers of one to four words, each
prediction a reference with some letters changed, as in a real challenge.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Callable

from sacrebleu.metrics import CHRF

from iolai.metrics import chrf, score_predictions
from iolai.metrics.official import _score_item
from iolai.records import AnswerKey, Prediction, PredictionSet, Reference, TaskKey

N_ENTRIES, N_TASKS, N_ITEMS = 731, 14, 7
N_CHUNKS = 10


def plain_chrf(prediction: str, reference: str) -> float:
    """The definition, written down word by word and with no thought of speed."""
    texts = prediction.replace(" ", ""), reference.replace(" ", "")
    precisions, recalls = [], []
    for n in range(1, 7):
        predicted, expected = (
            Counter(text[i : i + n] for i in range(len(text) - n + 1)) for text in texts
        )
        matches = sum((predicted & expected).values())
        if predicted:
            precisions.append(matches / sum(predicted.values()))
        if expected:
            recalls.append(matches / sum(expected.values()))
    if not precisions or not recalls:
        return float(texts[0] == texts[1])
    p, r = sum(precisions) / len(precisions), sum(recalls) / len(recalls)
    return 5 * p * r / (4 * p + r) if p + r else 0.0


def make_answer(rng: random.Random) -> str:
    """One to four words of two to four open syllables."""
    words = (
        "".join(rng.choice("ptkmnslrwyhb") + rng.choice("aeiou") for _ in range(rng.randint(2, 4)))
        for _ in range(rng.randint(1, 4))
    )
    return " ".join(words)


def spoil(answer: str, rng: random.Random) -> str:
    """Change about a third of the letters."""
    return "".join(rng.choice("aeioutkn") if rng.random() < 0.33 else c for c in answer)


def make_pairs(n_pairs: int, seed: int = 0) -> list[tuple[str, str]]:
    """Return distinct pairs of a prediction and its reference."""
    rng = random.Random(seed)  # noqa: S311 -- benchmark data, not a secret
    pairs: dict[tuple[str, str], None] = {}
    while len(pairs) < n_pairs:
        reference = make_answer(rng)
        pairs[spoil(reference, rng), reference] = None
    return list(pairs)


def make_challenge(seed: int = 0) -> tuple[AnswerKey, list[PredictionSet]]:
    """Return a key of 14 tasks and 731 prediction sets, half of whose pairs occur twice."""
    rng = random.Random(seed)  # noqa: S311 -- benchmark data, not a secret
    references = [[make_answer(rng) for _ in range(N_ITEMS)] for _ in range(N_TASKS)]
    key = AnswerKey(
        tuple(
            TaskKey(str(number), tuple(Reference((text,)) for text in texts))
            for number, texts in enumerate(references, start=1)
        )
    )
    seen: list[list[list[str]]] = [[[] for _ in range(N_ITEMS)] for _ in range(N_TASKS)]

    def answer(task: int, item: int) -> str:
        earlier = seen[task][item]
        if earlier and rng.random() < 0.5:
            return rng.choice(earlier)
        earlier.append(spoil(references[task][item], rng))
        return earlier[-1]

    sets = [
        PredictionSet(
            tuple(
                Prediction.of_items(str(task + 1), [answer(task, i) for i in range(N_ITEMS)])
                for task in range(N_TASKS)
            )
        )
        for _ in range(N_ENTRIES)
    ]
    return key, sets


def seconds(*works: Callable[[int], object]) -> list[float]:
    """Return the CPU seconds of each work over all ten chunks, each chunk at its best of three.

    A work gets the number of the chunk. The works take turns on every chunk, so that whatever else
    the machine does meets them alike.
    """
    best = [[float("inf")] * N_CHUNKS for _ in works]
    for _ in range(3):
        for chunk in range(N_CHUNKS):
            for which, work in enumerate(works):
                start = time.process_time()
                work(chunk)
                best[which][chunk] = min(best[which][chunk], time.process_time() - start)
    return [sum(times) for times in best]


def measure(pairs: list[tuple[str, str]]) -> dict[str, float]:
    """Return the seconds of chrF, its plain definition, sacrebleu, and a challenge scored again."""
    sacrebleu = CHRF()
    key, sets = make_challenge()

    def rescore(chunk: int) -> None:
        if chunk == 0:
            _score_item.cache_clear()  # each turn over the challenge begins with an empty cache
        for predictions in sets[chunk::N_CHUNKS]:
            score_predictions(predictions, key)

    ours, plain, theirs, challenge = seconds(
        lambda chunk: [chrf(*pair) for pair in pairs[chunk::N_CHUNKS]],
        lambda chunk: [plain_chrf(*pair) for pair in pairs[chunk::N_CHUNKS]],
        lambda chunk: [sacrebleu.sentence_score(p, [r]) for p, r in pairs[chunk::N_CHUNKS]],
        rescore,
    )
    return {
        "pairs": len(pairs),
        "chrf_s": ours,
        "plain_s": plain,
        "sacrebleu_s": theirs,
        "rescore_731_entries_s": challenge,
        "times_sacrebleu": theirs / ours,
        "times_plain": plain / ours,
    }


def main() -> None:
    """Measure, check that fast and plain agree, and print a table or JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=100_000)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()

    pairs = make_pairs(options.pairs)
    differing = sum(abs(chrf(*pair) - plain_chrf(*pair)) > 1e-12 for pair in pairs)
    if differing:
        sys.exit(f"chrF and its plain definition differ on {differing} of {len(pairs)} pairs")
    figures = measure(pairs)
    if options.json:
        json.dump(figures, sys.stdout, indent=2)
        return
    for name, value in figures.items():
        sys.stdout.write(f"{name:24} {value:12,.3f}\n")


if __name__ == "__main__":
    main()
