"""The engine reasons over structure: order of examples and letters of forms do not matter."""

from __future__ import annotations

from collections import Counter

import pytest
from disguised import MODES, disguised

from iolai.evaluation import evaluate, read_builtin
from iolai.metrics import score_predictions
from iolai.reading import read_items
from iolai.records import Prediction, PredictionSet, Problem
from iolai.solvers.induction.hearing import sounds_of
from iolai.solvers.induction.printed import parse_sections
from iolai.solvers.induction.printed.changes import Changes
from iolai.solvers.induction.printed.section import make_section
from iolai.solvers.induction.programs import landmarks
from iolai.solvers.induction.reader import read_sheet
from iolai.solvers.induction.segments import Sounds, has_known_sound, kind, taken_for
from iolai.stats import geometric_mean, paired_difference, resampled_scores, spans_zero

PROBLEMS, KEY = read_builtin()


@pytest.mark.parametrize("mode", MODES)
def test_a_disguise_keeps_items_layouts_and_references_together(mode: str) -> None:
    problems, key = disguised(PROBLEMS, KEY, mode, 0)
    n_changed = 0
    for before, after in zip(PROBLEMS, problems, strict=True):
        n_changed += before != after
        for one, other in zip(before.tasks, after.tasks, strict=True):
            assert len(read_items(one)) == len(read_items(other))
        kinds = [
            [(t.layout, len(t.items)) for t in read_sheet(problem).tasks]
            for problem in (before, after)
        ]
        assert kinds[0] == kinds[1]
    assert n_changed >= 9
    perfect = PredictionSet(
        tuple(Prediction.of_items(t.id, [r.alternatives[0] for r in t.references]) for t in key)
    )
    assert score_predictions(perfect, key).overall.exact_match == 1


def test_only_the_order_changes_where_examples_are_shuffled() -> None:
    problems, key = disguised(PROBLEMS, KEY, "shuffled", 0)
    assert key == KEY
    for before, after in zip(PROBLEMS.tasks, problems.tasks, strict=True):
        assert Counter(before.context) == Counter(after.context)
        assert before.query == after.query


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("mode", MODES)
def test_no_disguise_changes_what_a_column_or_an_item_is_taken_for(mode: str, seed: int) -> None:
    problems, _ = disguised(PROBLEMS, KEY, mode, seed)
    for before, after in zip(PROBLEMS, problems, strict=True):
        read = [
            (
                [[c.role for c in table.columns] for table in sheet.tables],
                [(i.layout, i.source, i.target) for task in sheet.tasks for i in task.items],
            )
            for sheet in (read_sheet(before), read_sheet(after))
        ]
        assert read[0] == read[1]


@pytest.mark.parametrize("mode", MODES[1:])
def test_a_form_is_renamed_alike_wherever_it_stands(mode: str) -> None:
    problems, _ = disguised(PROBLEMS, KEY, mode, 0)
    (before,) = (p for p in PROBLEMS if p.id == "1000110")
    (after,) = (p for p in problems if p.id == "1000110")
    pairs = [
        {r.cells[1].text: r.cells[0].text for t in read_sheet(p).tables for r in t.rows}
        for p in (before, after)
    ]
    assert pairs[0].keys() == pairs[1].keys()
    letters: dict[str, set[str]] = {}
    for gloss, form in pairs[0].items():
        assert len(form) == len(pairs[1][gloss])
        for one, other in zip(form, pairs[1][gloss], strict=True):
            letters.setdefault(one, set()).add(other)
    assert all(len(found) == 1 for found in letters.values())
    assert len({min(found) for found in letters.values()}) == len(letters)


@pytest.mark.parametrize("mode", MODES[1:])
def test_equations_and_options_are_renamed_and_their_glosses_are_not(mode: str) -> None:
    problems, _ = disguised(PROBLEMS, KEY, mode, 0)
    (sums,) = (p for p in problems if p.id == "1000111")
    (plain,) = (p for p in PROBLEMS if p.id == "1000111")
    equations = set(sums.tasks[0].context.partition("(A)")[2].split())
    words = [word for item in read_items(sums.tasks[0]) for word in item.text.split()]
    assert equations.issuperset(words)
    assert not set(plain.tasks[0].query.split("\n")[1].split()[1:]) <= equations
    assert "All numbers are positive whole numbers." in sums.tasks[0].context
    (script,) = (p for p in problems if p.id == "1000105")
    assert "'tongue'" in script.tasks[1].query
    assert "(ear)" in script.tasks[0].query
    assert "kādu (ear)" not in script.tasks[0].query


@pytest.mark.parametrize("problem", PROBLEMS.problems, ids=lambda problem: problem.id)
def test_letters_of_a_real_language_are_what_they_are_known_as(problem: Problem) -> None:
    assert sounds_of(read_sheet(problem)) is None


def test_vowels_are_heard_where_letters_are_exchanged_for_any_others() -> None:
    problems, _ = disguised(PROBLEMS, KEY, "permuted", 0)
    heard = {problem.id: sounds_of(read_sheet(problem)) for problem in problems}
    assert sum(sounds is not None for sounds in heard.values()) >= 10
    (script,) = (sounds for name, sounds in heard.items() if name == "1000105")
    assert script is not None
    # Transliterated Tamil: its five vowels in other letters, and all its consonants.
    assert script.vowels == frozenset("gikpn")
    assert not script.vowels & script.consonants


def test_what_letters_are_taken_for_holds_within_its_block_only() -> None:
    with taken_for(Sounds(frozenset("td"), frozenset("ae"))):
        assert [kind(letter) for letter in "tda\u00e9o1"] == ["V", "V", "C", "C", "V", "-"]
        assert landmarks(("t", "a"))["before vowel 1"] == 0
        assert not has_known_sound("\u00e9")
    assert [kind(letter) for letter in "tda"] == ["C", "C", "V"]
    assert landmarks(("t", "a"))["before vowel 1"] == 1
    assert has_known_sound("\u00e9")


def test_a_printed_grammar_says_what_its_letters_are_taken_for() -> None:
    # The first syllable twice, in letters whose vowels are t, k and p.
    pairs = [("ate", "atate"), ("okeo", "okokeo"), ("epa", "epepa")]
    rule = "a copy from before the first consonant to after the first vowel is put at the start"
    plain = make_section("Changes, one to two", Changes.parse([rule]), pairs)
    assert plain.share == 0
    with taken_for(Sounds(frozenset("tkp"), frozenset("aoe"))):
        section = make_section("Changes, one to two", Changes.parse([rule]), pairs)
    assert "Vowels here: k p t; consonants: a e o" in str(section)
    assert section.share == 1
    (reread,) = parse_sections(str(section))
    made = reread.theory().regenerate([one for one, _ in pairs], ())
    assert made == [other for _, other in pairs]


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
def test_scores_in_disguise_are_within_noise(mode: str) -> None:
    limit = 120.0 * len(PROBLEMS)
    plain = evaluate(PROBLEMS, KEY, "induction", jobs=2, time_limit=limit).score
    problems, key = disguised(PROBLEMS, KEY, mode, 0)
    made = evaluate(problems, key, "induction", jobs=2, time_limit=limit).score
    values = [[(t.exact_match, t.chrf) for t in score.tasks] for score in (plain, made)]
    scores = resampled_scores(values, [t.points for t in plain.tasks], geometric_mean)
    assert spans_zero(paired_difference(scores[:, 0], scores[:, 1], level=0.95))
