"""The official score against cases worked out by hand, one a clause, and against real records."""

from __future__ import annotations

import json
import sys
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import iolai.metrics.chrf
import iolai.metrics.exact_match
import iolai.metrics.official
import iolai.reading.official
import iolai.text
from iolai.records import AnswerKey, Prediction, PredictionSet, Reference, TaskKey

GOLDEN = json.loads(
    (Path(__file__).parents[1] / "golden/official/cases.json").read_text(encoding="utf-8")
)
OFFICIAL = iolai.metrics.official
# The package's door gives the functions their modules' names, so the modules are taken from here.
CHRF = sys.modules["iolai.metrics.chrf"]
EXACT_MATCH = sys.modules["iolai.metrics.exact_match"]


def expected_chrf(case: dict[str, Any]) -> float:
    """The F-score of the precisions and recalls that a case writes out as fractions."""
    if "chrf" in case:
        return float(case["chrf"])
    p = sum(map(Fraction, case["p"])) / len(case["p"])
    r = sum(map(Fraction, case["r"])) / len(case["r"])
    return float(5 * p * r / (4 * p + r))


def wrong_readings(read_official: Any) -> list[str]:
    wrong = []
    for case in GOLDEN["read"]:
        reading = read_official(case["pred"], case["n"])
        got = list(reading.items), reading.n_read, reading.n_counted, reading.is_blank
        blank = not case["pred"].strip()
        if got != (case["items"], case["n_read"], case["n_counted"], blank):
            wrong.append(case["clause"])
    return wrong


def wrong_normal_forms(normalise_answer: Any) -> list[str]:
    return [c["clause"] for c in GOLDEN["norm"] if normalise_answer(c["text"]) != c["normal"]]


def wrong_items(score_item: Any) -> list[str]:
    wrong = []
    for case in GOLDEN["item"]:
        em, chrf = score_item(case["pred"], case["alternatives"])
        if em != case["em"] or abs(chrf - expected_chrf(case)) > 1e-12:
            wrong.append(case["clause"])
    return wrong


def golden_set() -> tuple[AnswerKey, PredictionSet]:
    case = GOLDEN["set"]
    key = AnswerKey(
        tuple(
            TaskKey(
                id=task["id"],
                references=tuple(Reference(tuple(texts)) for texts in task["references"]),
                split=task["split"],
                points=task["points"],
                task_type=task["task_type"],
            )
            for task in case["key"]
        )
    )
    rows = tuple(Prediction(row["id"], row["pred"], row["explanation"]) for row in case["rows"])
    return key, PredictionSet(rows)


def wrong_aggregates(score_predictions: Any) -> list[str]:
    key, predictions = golden_set()
    score = score_predictions(predictions, key)
    case = GOLDEN["set"]
    pairs = [("overall", case["overall"], score.overall), ("rates", case["rates"], score.rates)]
    pairs += [(split, case["splits"][split], score.splits[split]) for split in case["splits"]]
    return [
        f"{where}.{name}"
        for where, expected, got in pairs
        for name, value in expected.items()
        if getattr(got, name) != pytest.approx(value, abs=1e-12)
    ]


def test_each_clause_of_the_reading() -> None:
    assert wrong_readings(iolai.reading.official.read_official) == []


def test_each_clause_of_the_normalisation() -> None:
    assert wrong_normal_forms(iolai.text.normalise_answer) == []


def test_each_clause_of_the_item_score() -> None:
    assert wrong_items(OFFICIAL.score_item) == []


def test_each_clause_of_the_aggregate() -> None:
    assert wrong_aggregates(OFFICIAL.score_predictions) == []


def test_warnings_name_every_liberty_taken() -> None:
    key, predictions = golden_set()
    text = "\n".join(OFFICIAL.score_predictions(predictions, key).warnings)
    for said in ("'10': read as task 010", "task 010: 2 rows", "'99'", "task 4: no row"):
        assert said in text


def test_a_set_without_points_has_no_score() -> None:
    key = AnswerKey((TaskKey("1", (Reference(("a",)),), points=0),))
    score = OFFICIAL.score_predictions(PredictionSet((Prediction("1", "a"),)), key)
    assert (score.overall.score, score.overall.n_tasks, score.splits) == (None, 1, {})


def test_the_signature_names_version_reading_and_normalisation() -> None:
    key, predictions = golden_set()
    assert str(OFFICIAL.score_predictions(predictions, key).signature) == (
        f"official|reading:official|norm:iol-ai-2026|iolai:{iolai.__version__}"
    )


# Taking any clause out must fail a case. Each mutant is a module's own source with one clause
# changed; the old text must stand in the source, so that a mutant cannot silently be no mutant.
READING_MUTANTS = {
    "blank": ("if not text.strip():", "if False:"),
    "json list": ("if isinstance(value, list) else None", "if False else None"),
    "only lists": ("return value if isinstance(value, list) else None", "return list(value)"),
    "null": (
        'return "" if element is None else str(element).strip()',
        "return str(element).strip()",
    ),
    "strip elements": ("else str(element).strip()", "else str(element)"),
    "label period": (r"\d+[.)]\s*", r"\d+[)]\s*"),
    "label bracket": (r"\d+[.)]\s*", r"\d+[.]\s*"),
    "unicode digits": (r"\d+[.)]\s*", r"[0-9]+[.)]\s*"),
    "several digits": (r"\d+[.)]\s*", r"\d[.)]\s*"),
    "one label": ('sub("", line, count=1)', 'sub("", line)'),
    "label before stripping": ("_LINE_LABEL.match(line)", "_LINE_LABEL.match(line.strip())"),
    "label at line start": ("if _LINE_LABEL.match(line)", "if True"),
    "no label on elements": (
        "else str(element).strip()",
        'else _LINE_LABEL.sub("", str(element)).strip()',
    ),
    "strip lines": (
        "line, count=1).strip() if _LINE_LABEL.match(line) else line.strip()",
        "line, count=1) if _LINE_LABEL.match(line) else line",
    ),
    "line feed only": ('text.split("\\n")', "text.splitlines()"),
    "drop empty lines": (
        "for read in map(_line_text, lines) if read]",
        "for read in map(_line_text, lines)]",
    ),
    "count raw lines": (
        "n_counted = sum(1 for line in lines if line.strip())",
        "n_counted = len(own)",
    ),
    "pad": ('+ ("",) * (n_items - len(own))', ""),
    "cut": ("own[:n_items]", "own"),
}
NORM_MUTANTS = {
    "nfc": ("text = nfc(text).translate", "text = text.translate"),
    "U+2019": ('"\\u2019": "\'", ', ""),
    "U+2018": (', "\\u2018": "\'"', ""),
    "strip first": ("translate(_CURLY_TO_STRAIGHT).strip()", "translate(_CURLY_TO_STRAIGHT)"),
    "quotes": ('text[0] in "\'\\""', "False"),
    "single quotes": ('text[0] in "\'\\""', "text[0] in '\"'"),
    "double quotes": ('text[0] in "\'\\""', 'text[0] in "\'"'),
    "same quote": ("text[0] == text[-1] and", 'text[-1] in "\'\\"" and'),
    "lone quote": ("if len(text) >= 2 and", "if"),
    "one pair": ("    if len(text) >= 2", "    while len(text) >= 2"),
    "strip inside": ("text[1:-1].strip()", "text[1:-1]"),
    "lower": ('" ", text.lower()', '" ", text'),
    "no case folding": ('" ", text.lower()', '" ", text.casefold()'),
    "white space": ('text = re.sub(r"\\s+", " ", text.lower())', "text = text.lower()"),
    "periods": ('.rstrip(".")', ""),
    "all trailing periods": ('text.rstrip(".")', 'text.removesuffix(".")'),
    "strip last": ('rstrip(".").strip()', 'rstrip(".")'),
}
CHRF_MUTANTS = {
    "spaces": ('predicted = prediction.replace(" ", "")', "predicted = prediction"),
    "spaces in the reference": ('expected = reference.replace(" ", "")', "expected = reference"),
    "two empty": (
        "if predicted == expected:\n        return 1.0",
        "if predicted == expected:\n        return float(bool(predicted))",
    ),
    "one empty": (
        "if not predicted or not expected:\n        return 0.0",
        "if not predicted or not expected:\n        return 1.0",
    ),
    "order": ("MAX_ORDER = 6", "MAX_ORDER = 5"),
    "order above": ("MAX_ORDER = 6", "MAX_ORDER = 7"),
    "beta": ("BETA = 2", "BETA = 1"),
    "precision's own orders": (
        "precision /= min(n_predicted, MAX_ORDER)",
        "precision /= min(n_predicted, n_expected, MAX_ORDER)",
    ),
    "recall's own orders": (
        "recall /= min(n_expected, MAX_ORDER)",
        "recall /= min(n_predicted, n_expected, MAX_ORDER)",
    ),
    "multiset": ("min(grams.count(gram), _occurrences(gram, expected))", "grams.count(gram)"),
    "distinct": ("repeats = True", "repeats = False"),
    "single letters as a multiset": (
        "min(predicted.count(c), expected.count(c))",
        "predicted.count(c)",
    ),
    "overlapping": ("text.find(gram, start + 1)", "text.find(gram, start + len(gram))"),
}
OFFICIAL_MUTANTS = {
    "normalise the prediction": (
        "predicted = normalise_answer(prediction)",
        "predicted = prediction",
    ),
    "normalise the reference": ("_normalised(alternative) for", "alternative for"),
    "best exact match": ("max((_EXACT_MATCH", "min((_EXACT_MATCH"),
    "best chrF": ("max((_CHRF", "min((_CHRF"),
    "points weigh EM": ("sum(task.points * task.exact_match", "sum(task.exact_match"),
    "points weigh chrF": ("sum(task.points * task.chrf", "sum(task.chrf"),
    "square root": ("math.sqrt(em * chrf)", "em * chrf"),
    "mean over items": ("return sum(values) / len(values) if", "return sum(values) if"),
    "blank explanation": ("bool(explanation.strip())", "bool(explanation)"),
    "rates over all tasks": (
        "100 * count / len(tasks)",
        "100 * count / max(1, sum(t.points > 0 for t in tasks))",
    ),
}


def mutate(module: ModuleType, old: str, new: str) -> dict[str, Any]:
    """Return the names of ``module`` with ``old`` replaced by ``new`` in its source."""
    source = Path(str(module.__file__)).read_text(encoding="utf-8")
    assert source.count(old) >= 1, f"{old!r} no longer stands in {module.__name__}"
    names: dict[str, Any] = {"__name__": module.__name__}
    exec(compile(source.replace(old, new, 1), str(module.__file__), "exec"), names)  # noqa: S102
    return names


def fails(check: Any, function: Any) -> bool:
    """A mutant is caught by a wrong value or by a crash."""
    try:
        return bool(check(function))
    except (TypeError, ValueError, IndexError, ZeroDivisionError):
        return True


@pytest.mark.parametrize("clause", READING_MUTANTS)
def test_no_clause_of_the_reading_is_idle(clause: str) -> None:
    names = mutate(iolai.reading.official, *READING_MUTANTS[clause])
    assert fails(wrong_readings, names["read_official"])


@pytest.mark.parametrize("clause", NORM_MUTANTS)
def test_no_clause_of_the_normalisation_is_idle(clause: str) -> None:
    names = mutate(iolai.text, *NORM_MUTANTS[clause])
    assert fails(wrong_normal_forms, names["normalise_answer"])


@pytest.mark.parametrize("clause", CHRF_MUTANTS)
def test_no_clause_of_chrf_is_idle(clause: str, monkeypatch: pytest.MonkeyPatch) -> None:
    names = mutate(CHRF, *CHRF_MUTANTS[clause])
    monkeypatch.setattr(OFFICIAL, "_CHRF", names["chrf"])
    OFFICIAL._score_item.cache_clear()
    try:
        assert fails(wrong_items, OFFICIAL.score_item)
    finally:
        OFFICIAL._score_item.cache_clear()


def test_exact_match_needs_a_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    names = mutate(
        EXACT_MATCH,
        "reference and prediction == reference",
        "prediction == reference",
    )
    monkeypatch.setattr(OFFICIAL, "_EXACT_MATCH", names["exact_match"])
    OFFICIAL._score_item.cache_clear()
    try:
        assert fails(wrong_items, OFFICIAL.score_item)
    finally:
        OFFICIAL._score_item.cache_clear()


@pytest.mark.parametrize("clause", OFFICIAL_MUTANTS)
def test_no_clause_of_the_aggregate_is_idle(clause: str) -> None:
    names = mutate(OFFICIAL, *OFFICIAL_MUTANTS[clause])
    assert fails(wrong_items, names["score_item"]) or fails(
        wrong_aggregates, names["score_predictions"]
    )
