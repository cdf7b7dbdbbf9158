"""``iolai check``: one small file a fault, and what it must say of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from command_line import run

GOLDEN = Path(__file__).parents[1] / "golden/check"
PROBLEMS = GOLDEN / "problems"
A, B, C, D = "10009010100", "10009010200", "10009020100", "010009030100"
FOUR = [16, 17, 18, 19]

#: file -> task -> what is found: (kind, item, what it costs in exact match of the task)
EXPECTED: dict[str, dict[str, list[tuple[str, str, float | None]]]] = {
    "00-perfect": {},
    "01-fenced-json": {A: [("fenced-json", "", 1)]},
    "02-json-object": {A: [("json-object", "", 1)]},
    "02-json-object-by-label": {A: [("json-object", "", 1)]},
    "02-json-object-by-id": {A: [("json-object", "", 1)]},
    "02-json-object-by-form": {A: [("json-object", "", 1)]},
    "03-python-literal": {A: [("python-literal", "", 1)]},
    "03-trailing-comma": {A: [("python-literal", "", 1)]},
    "03-tuple": {A: [("python-literal", "", 1)]},
    "03-commas-missing": {A: [("python-literal", "", 1)]},
    "04-labels-in-list": {A: [("labels-in-list", "", 1)]},
    "05-labels-kept": {A: [("labels-kept", "", 1)]},
    "05-labels-colon": {A: [("labels-kept", "", 1)]},
    "05-labels-letters": {A: [("labels-kept", "", 1)]},
    "05-bullets": {A: [("bullets", "", 1)]},
    "05-emphasis": {A: [("emphasis", "", 1)]},
    "05-item-repeated": {A: [("item-repeated", "", 1)]},
    "05-item-repeated-dash": {A: [("item-repeated", "", 1)]},
    "05-item-repeated-once": {A: [("item-repeated", "16", 0.25)]},
    "05-labels-worded": {A: [("labels-kept", "", 1)]},
    "05-labels-recounted": {A: [("labels-kept", "", 1)]},
    "05-labels-above": {A: [("labels-kept", "", 1)]},
    "05-number-as-label": {D: [("number-as-label", "", 1)]},
    "05-forms-above": {A: [("labels-kept", "", 1)]},
    "05-latex": {A: [("latex", "", 1)]},
    "05-latex-unescaped": {A: [("latex", "", 1)]},
    "05-tags": {A: [("tags", "", 1)]},
    "06-latex-around": {A: [("latex", "", 1)]},
    "06-lead-in": {A: [("lead-in", "", 1)]},
    "06-preamble": {A: [("preamble", "", 1)]},
    "06-thinking": {A: [("thinking", "", 1)]},
    "06-truncated": {A: [("truncated", "", 1)]},
    "07-squeezed": {A: [("squeezed", "", 1)]},
    "07-ambiguous": {A: [("ambiguous", "", None), ("wrong-count", "", 0.75)]},
    "07-ambiguous-map": {
        C: [("json-object", "", None), ("ambiguous", "", None), ("wrong-count", "", 0.666667)]
    },
    "07-ambiguous-torn": {A: [("ambiguous", "", None), ("wrong-count", "", 0.75)]},
    "08-curly-quotes": {A: [("curly-quotes", "", 0.25)]},
    "09-range-count": {A: [("range-count", "", None)]},
    "09-wrong-count": {A: [("wrong-count", "", 0.25)]},
    "10-letter-outside-options": {
        C: [("letter-outside-options", "1", 0.333333), ("letter-outside-options", "3", 0.333333)]
    },
    "10-duplicate-letter": {C: [("duplicate-letter", "", 0.333333)]},
    "11-placeholder": {A: [("placeholder", str(n), 0.25) for n in FOUR[1:]]},
    "11-echo-of-query": {A: [("echo-of-query", str(n), 0.25) for n in FOUR]},
    "11-echo-of-label": {A: [("echo-of-query", str(n), 0.25) for n in FOUR]},
    "11-extra-text": {A: [("extra-text", str(n), 0.25) for n in FOUR]},
    "11-extra-text-once": {A: [("extra-text", "16", 0.25)]},
    "11-prose-once": {A: [("prose", "18", 0.25)]},
    "11-repeated-answer": {A: [("repeated-answer", "", 0.75)]},
    "11-prose": {A: [("prose", "17", 0.25)]},
    "11-empty": {A: [("empty", "17", 0.25)], B: [("empty", "", 1)]},
    "12-raw-model-text": {A: [("raw-model-text", "", None)]},
    "12-escapes": {B: [("escapes", "", 0.2)]},
    "12-escapes-list": {A: [("escapes", "", 1)]},
    "12-unseen-character": {A: [("unseen-character", "16", 0.25)]},
    "13-near-miss-apostrophe": {B: [("near-miss-apostrophe", "22", 0.2)]},
    "13-near-miss-colon": {B: [("near-miss-colon", "23", 0.2)]},
    "13-near-miss-diacritics": {B: [("near-miss-diacritics", "24", 0.2)]},
    "14-not-nfc": {B: [("not-nfc", "24", None)]},
    "16-id-lost-zeros": {D: [("id-lost-zeros", "", None)]},
    "16-id-differs": {A: [("id-differs", "", None)]},
    "16-id-decimal": {A: [("id-decimal", "", 1)]},
    "16-missing-row": {A: [("missing-row", "", 1)]},
    "16-unknown-id": {"10009990100": [("unknown-id", "", None)]},
    "16-duplicate-id": {A: [("duplicate-id", "", None)]},
}
NEEDS_KEY = {name for name in EXPECTED if "near-miss" in name} | {"11-extra-text-once"}


def test_every_golden_file_is_expected() -> None:
    assert {path.stem for path in GOLDEN.glob("*.csv")} == set(EXPECTED)


def check(name: str, problems: Path) -> tuple[int, list[dict[str, Any]]]:
    outcome = run("check", GOLDEN / f"{name}.csv", problems, "--json")
    return outcome.code, json.loads(outcome.out)


@pytest.mark.parametrize("name", EXPECTED)
def test_what_is_found_and_what_it_costs(name: str) -> None:
    code, tasks = check(name, PROBLEMS)
    found = {
        task["id"]: [
            (f["kind"], f["item"], f["cost"] and f["cost"]["exact_match"]) for f in task["findings"]
        ]
        for task in tasks
        if task["findings"]
    }
    assert found == EXPECTED[name]
    assert code == (1 if EXPECTED[name] else 0)


@pytest.mark.parametrize("name", EXPECTED)
def test_the_same_is_found_without_references(name: str) -> None:
    code, tasks = check(name, PROBLEMS / "test.csv")
    found = {t["id"]: [(f["kind"], f["item"]) for f in t["findings"]] for t in tasks}
    expected = {} if name in NEEDS_KEY else EXPECTED[name]
    assert {name: kinds for name, kinds in found.items() if kinds} == {
        task: [(kind, item) for kind, item, _ in kinds] for task, kinds in expected.items()
    }
    assert all(finding["cost"] is None for task in tasks for finding in task["findings"])
    assert code == (1 if expected else 0)


def test_the_json_has_what_scripts_rely_on() -> None:
    _, tasks = check("01-fenced-json", PROBLEMS)
    task = tasks[0]
    assert (task["id"], task["expected"], task["read"], task["row"]) == (A, 4, 3, 2)
    assert [slot["text"] for slot in task["slots"]][:1] == ["```json"]
    assert {"kind", "item", "text", "hint", "cost", "row"} == set(task["findings"][0])
    assert task["lenient"]["status"] == "repaired"
    assert task["lenient"]["items"] == ["houses", "in the dog", "dogs", "in the river"]
    assert task["score"]["exact_match"] == 0
    assert task["lenient_score"]["exact_match"] == 1


def test_what_a_person_sees() -> None:
    outcome = run("check", GOLDEN / "11-placeholder.csv", PROBLEMS)
    assert "Task 10009010100, line 2: expected 4, read 4" in outcome.out
    assert "  16 (katon) <- houses" in outcome.out
    assert "placeholder, items 17-19: ?; n/a; ...   costs EM 75.0, chrF 75.0" in outcome.out
    assert outcome.out.count("Give a guess") == 1
    assert A in outcome.out
    assert B not in outcome.out
    assert "4 tasks: 3 clean, 1 with findings." in outcome.out
    assert "if read as meant" in outcome.out
    assert outcome.code == 1


def test_what_several_findings_share_is_said_once(tmp_path: Path) -> None:
    answers = ["1) **houses**", "2) **in the dog**", "3) **dogs**", "4) **in the river**"]
    path = tmp_path / "submission.csv"
    rest = (GOLDEN / "00-perfect.csv").read_text("utf-8").splitlines()[2:]
    cell = json.dumps(answers).replace('"', '""')
    path.write_text("\n".join(["id,pred", f'{A},"{cell}"', *rest]), encoding="utf-8")
    outcome = run("check", path, PROBLEMS)
    assert "labels-in-list: 1) **houses**" in outcome.out
    assert "emphasis: **houses**" in outcome.out
    assert outcome.out.count("costs EM 100.0") == 1


def test_findings_of_one_kind_are_one_line_with_the_hints_of_each() -> None:
    outcome = run("check", GOLDEN / "10-letter-outside-options.csv", PROBLEMS)
    assert "letter-outside-options, items 1, 3: [; I   costs EM 66.7" in outcome.out
    assert "3: Is II meant?" in outcome.out
    assert outcome.out.count("Use the letters of the options") == 1


def test_all_tasks_are_shown_on_demand() -> None:
    outcome = run("check", GOLDEN / "00-perfect.csv", PROBLEMS, "--all")
    assert all(name in outcome.out for name in (A, B, C, D))
    assert outcome.code == 0


def test_unusable_input_is_one_message(tmp_path: Path) -> None:
    other = tmp_path / "submission.csv"
    other.write_text("id,pred\n5,a\n", encoding="utf-8")
    outcome = run("check", other, PROBLEMS)
    assert (outcome.code, outcome.out) == (2, "")
    assert "no row of" in outcome.err
    assert "hint:" in outcome.err
