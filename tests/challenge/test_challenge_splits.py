"""A proposed split is balanced over the task types, and anyone can draw it again."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iolai.challenge.splits import propose_split
from iolai.errors import InputError
from iolai.records import AnswerKey, Reference, TaskKey


def key_of(types: dict[str, int], *, weightless: int = 0) -> AnswerKey:
    tasks = [
        TaskKey(f"{name}{number}", (Reference(("x",)),), task_type=name)
        for name, count in types.items()
        for number in range(count)
    ]
    tasks += [TaskKey(f"w{n}", (Reference(("x",)),), points=0.0) for n in range(weightless)]
    return AnswerKey(tuple(tasks))


def counts(key: AnswerKey, split: dict[str, str], name: str = "public") -> Counter[str]:
    return Counter(task.task_type for task in key if split[task.id] == name and task.points)


def test_eight_of_fourteen_as_in_the_challenge() -> None:
    key = key_of({"translation": 7, "fill_blanks": 4, "match_letters": 3})
    split = propose_split(key, 8)
    assert counts(key, split) == {"translation": 4, "fill_blanks": 2, "match_letters": 2}
    assert counts(key, split, "private") == {
        "translation": 3,
        "fill_blanks": 2,
        "match_letters": 1,
    }


def test_the_seed_draws_it_again_and_another_seed_another() -> None:
    key = key_of({"translation": 12, "fill_blanks": 8})
    assert propose_split(key, 10, 5) == propose_split(key, 10, 5)
    assert any(propose_split(key, 10, seed) != propose_split(key, 10, 5) for seed in range(5))


def test_a_small_type_still_has_a_task_in_each_split() -> None:
    key = key_of({"translation": 20, "match_letters": 2})
    assert counts(key, propose_split(key, 3))["match_letters"] == 1
    assert counts(key, propose_split(key, 19))["match_letters"] == 1


def test_tasks_without_points_are_public_and_not_counted() -> None:
    key = key_of({"translation": 4}, weightless=2)
    split = propose_split(key, 2)
    assert split["w0"] == split["w1"] == "public"
    assert sum(counts(key, split).values()) == 2


@pytest.mark.parametrize("n_public", [0, -1, 4, 5])
def test_both_splits_need_a_task(n_public: int) -> None:
    with pytest.raises(InputError, match="cannot be public"):
        propose_split(key_of({"translation": 4}), n_public)


@given(
    st.dictionaries(st.sampled_from("abcde"), st.integers(1, 9), min_size=1),
    st.integers(1, 40),
    st.integers(0, 3),
)
def test_exactly_so_many_and_each_type_within_one_of_its_share_or_in_both(
    types: dict[str, int], n_public: int, seed: int
) -> None:
    key = key_of(types)
    total = sum(types.values())
    if n_public >= total:
        return
    found = counts(key, propose_split(key, n_public, seed))
    assert sum(found.values()) == n_public
    for name, size in types.items():
        share = size * n_public / total
        assert 0 <= found[name] <= size
        assert abs(found[name] - share) < 2 or size < 2
