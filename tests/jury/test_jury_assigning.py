"""Assignment: two jurors a paper, even loads, mixed pairs, no conflict, the same for one seed."""

from __future__ import annotations

import itertools
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iolai.errors import InputError
from iolai.jury.assigning import assign, assign_all, choose_third, reassign
from iolai.records import Assignment, Conflict, Paper

JURORS = tuple("abcdefgh")


def papers_of(n_papers: int, problem: str = "x") -> list[Paper]:
    return [Paper(f"{problem}{n}", problem, f"contestant {n}") for n in range(n_papers)]


def loads_of(assignments: tuple[Assignment, ...], jurors: tuple[str, ...]) -> list[int]:
    counts = Counter(juror for one in assignments for juror in one.pair)
    return [counts[juror] for juror in jurors]


@st.composite
def settings_with_conflicts(
    draw: st.DrawFn, n_jurors: int = 6, n_papers: int = 12
) -> tuple[list[Paper], tuple[str, ...], list[Conflict]]:
    jurors = JURORS[: draw(st.integers(2, n_jurors))]
    papers = papers_of(draw(st.integers(1, n_papers)))
    conflicts = [
        Conflict(juror, paper.contestant)
        for paper in papers
        for juror in draw(st.lists(st.sampled_from(jurors), max_size=3))
    ]
    return papers, jurors, conflicts


def possible_pairs(
    paper: Paper, jurors: tuple[str, ...], conflicts: list[Conflict]
) -> list[tuple[str, str]]:
    able = [juror for juror in jurors if Conflict(juror, paper.contestant) not in conflicts]
    return list(itertools.combinations(able, 2))


@settings(deadline=None)
@given(settings_with_conflicts(), st.integers(0, 5), st.randoms())
def test_every_paper_gets_two_jurors_without_a_conflict(case, seed, shuffler) -> None:
    papers, jurors, conflicts = case
    hopeless = [one for one in papers if not possible_pairs(one, jurors, conflicts)]
    if hopeless:
        with pytest.raises(InputError) as caught:
            assign(papers, jurors, conflicts, seed=seed)
        assert any(f"paper {one.id} " in caught.value.message for one in hopeless)
        return
    made = assign(papers, jurors, conflicts, seed=seed)
    assert [one.paper for one in made] == [one.id for one in papers]
    for paper, one in zip(papers, made, strict=True):
        assert tuple(sorted(one.pair)) in possible_pairs(paper, jurors, conflicts)
    # The order in which papers, jurors and conflicts are given does not matter.
    mixed, mixed_jurors = list(papers), list(jurors)
    shuffler.shuffle(mixed)
    shuffler.shuffle(mixed_jurors)
    again = assign(mixed, mixed_jurors, conflicts[::-1], seed=seed)
    assert {one.paper: one for one in again} == {one.paper: one for one in made}


@settings(deadline=None)
@given(settings_with_conflicts(n_jurors=4, n_papers=5), st.integers(0, 3))
def test_loads_are_as_even_as_conflicts_permit(case, seed) -> None:
    papers, jurors, conflicts = case
    choices = [possible_pairs(one, jurors, conflicts) for one in papers]
    if not all(choices):
        return
    best = min(
        sum(n**2 for n in Counter(itertools.chain(*pairs)).values())
        for pairs in itertools.product(*choices)
    )
    made = assign(papers, jurors, conflicts, seed=seed)
    assert sum(n**2 for n in loads_of(made, jurors)) == best


@settings(deadline=None)
@given(st.integers(2, 8), st.integers(1, 40), st.integers(0, 9))
def test_without_conflicts_loads_and_pairs_are_even(n_jurors, n_papers, seed) -> None:
    jurors = JURORS[:n_jurors]
    made = assign(papers_of(n_papers), jurors, seed=seed)
    loads = loads_of(made, jurors)
    assert max(loads) - min(loads) <= 1
    together = Counter(tuple(sorted(one.pair)) for one in made)
    counts = [together[pair] for pair in itertools.combinations(jurors, 2)]
    assert max(counts) - min(counts) <= 1


def test_a_seed_draws_another_assignment() -> None:
    papers = papers_of(12)
    drawn = {assign(papers, JURORS[:4], seed=seed) for seed in range(5)}
    assert len(drawn) == 5
    firsts = Counter(one.pair[0] for made in drawn for one in made)
    assert set(firsts) == set(JURORS[:4]), "whoever comes first is drawn too"


def test_each_problem_has_its_group() -> None:
    papers = [*papers_of(3, "x"), *papers_of(3, "y")]
    mixed = [papers[n] for n in (3, 0, 4, 1, 5, 2)]
    made = assign_all(mixed, {"x": "ab", "y": "cd"}, seed=1)
    assert [one.paper for one in made] == [one.id for one in mixed]
    assert all(set(one.pair) == set("ab" if one.paper[0] == "x" else "cd") for one in made)
    with pytest.raises(InputError, match="paper y0 of problem y"):
        assign_all(papers, {"x": "ab"}, seed=1)


def test_what_is_given_twice_is_refused() -> None:
    with pytest.raises(InputError, match="juror a is given twice"):
        assign(papers_of(2), ["a", "b", "a"], seed=0)
    with pytest.raises(InputError, match="paper x0 is given twice"):
        assign([*papers_of(1), *papers_of(1)], ["a", "b"], seed=0)


def test_no_papers_are_no_assignment() -> None:
    assert assign([], JURORS, seed=0) == ()


def test_the_third_is_neither_of_the_pair_and_has_least_to_do() -> None:
    (paper,) = papers_of(1)
    one = Assignment(paper.id, ("a", "b"))
    barred = [Conflict("c", paper.contestant)]
    chosen = {choose_third(one, paper, JURORS, barred, {"d": 1}, seed=n) for n in range(60)}
    assert chosen == set("efgh")
    assert choose_third(one, paper, "abcd", barred, {"d": 7}, seed=0) == "d"
    with pytest.raises(InputError, match="no third juror can be found for paper x0"):
        choose_third(one, paper, "abc", barred, seed=0)


@settings(deadline=None)
@given(settings_with_conflicts(n_jurors=5), st.integers(0, 3), st.data())
def test_reassigning_touches_only_what_the_absent_left(case, seed, data) -> None:
    papers, jurors, conflicts = case
    if not all(possible_pairs(one, jurors, conflicts) for one in papers):
        return
    before = assign(papers, jurors, conflicts, seed=seed)
    absent = data.draw(st.sampled_from(jurors))
    held = [one.paper for one in before if absent in one.pair]
    done = set(data.draw(st.lists(st.sampled_from(held)))) if held else set()
    left = [one for one in papers if one.id in held and one.id not in done]
    rest = tuple(juror for juror in jurors if juror != absent)
    if not all(possible_pairs(one, rest, conflicts) for one in left):
        with pytest.raises(InputError):
            reassign(before, papers, absent, jurors, done, conflicts, seed=seed)
        return
    after = reassign(before, papers, absent, jurors, done, conflicts, seed=seed)
    assert after == reassign(before, papers[::-1], absent, jurors, done, conflicts, seed=seed)
    for paper, old, new in zip(papers, before, after, strict=True):
        if paper not in left:
            assert new == old
            continue
        place = old.pair.index(absent)
        assert new.pair[1 - place] == old.pair[1 - place], "the other keeps the paper"
        assert new.pair[place] not in (absent, old.pair[1 - place])
        assert Conflict(new.pair[place], paper.contestant) not in conflicts


def test_reassigned_papers_are_spread_evenly() -> None:
    papers = papers_of(30)
    before = assign(papers, JURORS[:6], seed=4)
    after = reassign(before, papers, "a", JURORS[:6], seed=4)
    loads = loads_of(after, JURORS[1:6])
    assert max(loads) - min(loads) <= 1
    assert sum(loads) == 60


def test_an_absent_third_is_taken_off() -> None:
    papers = papers_of(2)
    before = (Assignment("x0", ("b", "c"), "a"), Assignment("x1", ("a", "b"), "c"))
    after = reassign(before, papers, "a", "abc", seed=0)
    assert after[0] == Assignment("x0", ("b", "c"))
    assert after[1] == Assignment("x1", ("c", "b")), "who marks a paper cannot be its third"


def test_a_third_stands_in_only_where_nobody_else_can() -> None:
    papers = papers_of(1)
    before = (Assignment("x0", ("a", "b"), "c"),)
    for seed in range(8):
        (after,) = reassign(before, papers, "a", "abcd", seed=seed)
        assert after == Assignment("x0", ("d", "b"), "c"), "the third has seen both marks"
    (after,) = reassign(before, papers, "a", "abc", seed=0)
    assert after == Assignment("x0", ("c", "b"))
