"""Each kind of lint on the smallest key that has it, and a sound key that has none."""

from __future__ import annotations

from dataclasses import replace

import pytest

from iolai.evaluation import LINT_KINDS, lint_key
from iolai.records import AnswerKey, Problem, ProblemSet, Reference, Task, TaskKey
from sample import KEY, PROBLEMS

BASE = TaskKey(
    "1", (Reference(("abc",)), Reference(("xyz",))), split="public", task_type="translation"
)


def with_references(*references: Reference, **changes: object) -> AnswerKey:
    return AnswerKey((replace(BASE, references=references, **changes),))


def with_changes(**changes: object) -> AnswerKey:
    return AnswerKey((replace(BASE, **changes),))


FAULTY: dict[str, AnswerKey] = {
    "empty-reference": with_references(Reference((" . ",))),
    "no-items": with_references(),
    "bare-in-multi": with_references(Reference(("abc",)), eval_type="multi"),
    "list-in-single": with_references(Reference(("abc", "abd"), as_list=True)),
    "alternatives-in-text": with_references(Reference(("abc / abd",))),
    "same-alternatives": with_references(
        Reference(("abc", "Abc."), as_list=True), eval_type="multi"
    ),
    "unknown-eval-type": with_changes(eval_type="several"),
    "unknown-task-type": with_changes(task_type="riddle"),
    "unknown-split": with_changes(split="secret"),
    "some-without-split": AnswerKey((BASE, replace(BASE, id="2", split=""))),
    "no-points": with_changes(points=0),
    "weightless": with_changes(points=0),
    "split-lacks-type": AnswerKey(
        (BASE, replace(BASE, id="2", split="private", task_type="fill_blanks"))
    ),
    "not-nfc": with_references(Reference(("e\u0301",))),
}


@pytest.mark.parametrize("kind", FAULTY)
def test_each_kind_is_found(kind: str) -> None:
    findings = lint_key(FAULTY[kind])
    assert kind in {finding.kind for finding in findings}


def test_a_sound_key_has_no_finding() -> None:
    assert lint_key(AnswerKey((BASE,))) == ()


@pytest.mark.parametrize("text", ["1. a\n2. b", "a\u2028b", " x ", '"q"', "..a", "x;y", "é"])
def test_a_reference_written_oddly_still_matches_itself(text: str) -> None:
    kinds = {finding.kind for finding in lint_key(with_references(Reference((text,))))}
    assert "self-score" not in kinds


def test_a_reference_that_cannot_match_itself_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    # No text of the present rule fails against itself, so a rule that strips more stands in.
    import iolai.metrics.official as official

    monkeypatch.setitem(official.__dict__, "_EXACT_MATCH", lambda prediction, reference: 0.0)
    official._score_item.cache_clear()
    try:
        kinds = [finding.kind for finding in lint_key(AnswerKey((BASE,)))]
    finally:
        official._score_item.cache_clear()
    assert kinds == ["self-score", "self-score"]


def problem(context: str, query: str, task_id: str = "1") -> ProblemSet:
    task = Task(task_id, context, query)
    return ProblemSet((Problem(task_id, (task,)),))


def kinds_against(key: AnswerKey, problems: ProblemSet) -> list[tuple[str, int | None]]:
    return [(finding.kind, finding.item) for finding in lint_key(key, problems)]


def test_a_key_and_its_own_problems_agree() -> None:
    kinds = {finding.kind for finding in lint_key(KEY, PROBLEMS)}
    assert kinds == {"split-lacks-type"}  # the sample's private split has no matching task


def test_characters_the_problem_never_shows() -> None:
    sheet = problem("ka\u02bca – one\nŋe – two", "Translate:\n1. one\n2. two")
    key = with_references(Reference(("ka'a",)), Reference(("ɲe",)))
    assert kinds_against(key, sheet) == [("foreign-character", 1), ("foreign-character", 2)]


def test_characters_of_the_working_language_are_no_fault() -> None:
    sheet = problem("ka’a – one\nŋe – two", "Translate:\n1. ka’a\n2. ŋe")
    key = with_references(Reference(("the dog's",)), Reference(("Ŋe quiz!",)))
    assert kinds_against(key, sheet) == []


def test_letters_must_be_options_and_are_used_once() -> None:
    sheet = problem("1. ka\n2. po\n3. ti\n\nA. one\nB. two\nC. three", "Match them.")
    key = with_references(Reference(("A",)), Reference(("D",)), Reference(("a",)))
    assert kinds_against(key, sheet) == [("letter-outside-options", 2), ("letter-twice", 3)]


def test_the_number_of_items() -> None:
    sheet = problem("ka – one", "Translate:\n1. ka\n2. po\n3. ti")
    assert kinds_against(AnswerKey((BASE,)), sheet) == [("item-count", None)]


def test_ids_on_one_side_only() -> None:
    sheet = problem("ka – one\npo – two", "Translate:\n1. ka\n2. po", task_id="7")
    found = {(finding.kind, finding.id) for finding in lint_key(AnswerKey((BASE,)), sheet)}
    assert found == {("no-such-task", "1"), ("no-key", "7")}


def test_lost_zeros_of_an_id_are_the_same_task() -> None:
    sheet = problem("abc – one\nxyz – two", "Translate:\n1. one\n2. two", task_id="001")
    assert kinds_against(AnswerKey((BASE,)), sheet) == []


def test_every_kind_says_what_to_do() -> None:
    assert all(level in ("fault", "note") and hint for level, hint in LINT_KINDS.values())
