from __future__ import annotations

import numpy as np
import pytest

from iolai.solvers.base import Budget
from iolai.solvers.induction.matching import Matching, match_lists
from iolai.solvers.induction.reader import Entry, Lists, Sheet, SheetItem, TaskSheet

WORDS = {"my": "na", "your": "gi", "his": "loo", "dog": "tako", "fish": "sile", "house": "marub",
         "river": "wenti", "s": "sh"}  # fmt: skip
# No two words stand in the same glosses, nor can their parts be exchanged for one another.
GLOSSES = (
    "my dog", "my dogs", "your dog", "his dog", "my house", "my houses", "your houses", "my river",
    "his rivers", "my fish", "dogs",
)  # fmt: skip
EMPTY = Sheet("x", ())


def _possessed() -> tuple[list[str], list[str]]:
    forms = []
    for gloss in GLOSSES:
        stem = gloss.removesuffix("s")
        parts = [WORDS[word] for word in stem.split()]
        forms.append("".join(parts) + (WORDS["s"] if stem != gloss else ""))
    return forms, list(GLOSSES)


def _shuffled(forms: list[str], glosses: list[str], seed: int = 3) -> tuple[Lists, list[int]]:
    order = [int(place) for place in np.random.default_rng(seed).permutation(len(glosses))]
    lists = Lists(
        tuple(Entry(str(i + 1), form) for i, form in enumerate(forms)),
        tuple(Entry(chr(65 + i), glosses[k]) for i, k in enumerate(order)),
    )
    return lists, [order.index(i) for i in range(len(forms))]


def test_recovers_shuffled_pairs_and_names_the_morphs() -> None:
    lists, truth = _shuffled(*_possessed())
    matched = match_lists(lists, EMPTY, Budget(seed=1))
    assert matched is not None
    right = sum(one == other for one, other in zip(matched.gloss_of, truth, strict=True))
    assert right >= 0.7 * len(truth)
    assert len(matched.rules) == len({rule.split(":")[0] for rule in matched.rules})
    assert any("dog" in rule and "tako" in rule for rule in matched.rules)


def test_same_seed_same_answer_and_shares_are_votes() -> None:
    lists, _ = _shuffled(*_possessed())
    one, other = (match_lists(lists, EMPTY, Budget(seed=5)) for _ in range(2))
    assert one is not None
    assert other is not None
    assert one.gloss_of == other.gloss_of
    assert (one.shares == other.shares).all()
    assert (one.shares.sum(1) <= 1 + 1e-9).all()
    sure = one.pairs(at_least=0.9)
    assert set(sure) <= set(one.pairs())


@pytest.mark.parametrize("seed", [0, 1])
def test_two_scripts(seed: int) -> None:
    words = ["Takomi", "Silena", "Maruba", "Wentiko", "Obares", "Nilo", "Kamelin", "Soturawe"]
    cipher = str.maketrans("takomislenrubw", "гфдшщзцлярпбэн")
    forms = [word.lower().translate(cipher) for word in words]
    lists, truth = _shuffled(forms, words, seed)
    matched = match_lists(lists, EMPTY, Budget(seed=seed))
    assert matched is not None
    assert list(matched.gloss_of) == truth
    assert "д = k" in matched.rules


def test_a_list_that_is_shorter_lends_a_gloss_twice() -> None:
    forms, glosses = _possessed()
    lists, _ = _shuffled(forms, glosses)
    fewer = Lists(lists.forms, lists.glosses[:-1])
    matched = match_lists(fewer, EMPTY, Budget())
    assert matched is not None
    assert len(matched.gloss_of) == len(forms)
    assert all(0 <= gloss < len(fewer.glosses) for gloss in matched.gloss_of)
    assert len(set(matched.gloss_of)) == len(fewer.glosses)


@pytest.mark.parametrize("n", [1, 200])
def test_nothing_is_said_of_lists_too_short_or_too_long(n: int) -> None:
    entries = tuple(Entry(str(i), f"word{i}") for i in range(n))
    assert match_lists(Lists(entries, entries), EMPTY, Budget()) is None


def test_answers_are_letters_with_the_assigned_one_first() -> None:
    lists, _ = _shuffled(*_possessed())
    items = tuple(SheetItem(e.label, e.text, "match", "form", "gloss") for e in lists.forms)
    sheet = Sheet("x", (TaskSheet("1", items, "match", matching=(lists,)),))
    matched = match_lists(lists, sheet, Budget())
    assert matched is not None
    (proposal,) = Matching().propose(sheet, Budget())
    firsts = [proposal.answers[0, i][0].text for i in range(len(items))]
    assert firsts == [lists.glosses[gloss].label for gloss in matched.gloss_of]
    assert sorted(firsts) == sorted(entry.label for entry in lists.glosses)
    assert all(0 <= c.weight <= 1 for found in proposal.answers.values() for c in found)


def test_stops_at_the_deadline() -> None:
    lists, _ = _shuffled(*_possessed())
    ticks = iter(range(10_000))
    budget = Budget(deadline=1.0, clock=lambda: float(next(ticks)))
    matched = match_lists(lists, EMPTY, budget)
    assert matched is not None
    assert next(ticks) < 10
