"""The explanation report: each kind is found in a bad explanation, and not in good ones."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from iolai.board import BoardEntry, explanation_uses, shared_explanations
from iolai.formats import builtin_path, read_document, read_records
from iolai.jury.explanations import CHECKS, ExplainedEntry, explanation_report
from iolai.jury.selecting import propose
from iolai.records import (
    ExplanationFinding,
    ExplanationReport,
    Prediction,
    PredictionSet,
    Problem,
    ProblemSet,
    Task,
)

CONTEXT = """Here are some words of a language:
kitaba — the house; kitabali — the houses
solaba — the boat; solabali — the boats
menuva — a bird; menuvali — birds
"""
TASKS = (
    Task("92026010100", CONTEXT, "Translate:\n1. kitabali\n2. menuva\n3. solabali", "translation"),
    Task(
        "92026010200",
        f"{CONTEXT}\nA. the stone\nB. the stones\nC. the fish",
        "Match the words with their translations:\n1. pedaba\n2. pedabali\n3. nuraba",
        "match_letters",
    ),
)
OTHER = Task("92026020100", "aa — one\nbb — two\n", "Write: 1. aa bb", "num_to_text")
THIRD = Task("92026030100", "cc — red\ndd — blue\n", "Write: 1. cc dd", "translation")
PROBLEMS = ProblemSet(
    (Problem("9202601", TASKS), Problem("9202602", (OTHER,)), Problem("9202603", (THIRD,)))
)
GOOD = (
    "Nouns are built from a stem, -ba where the thing is known (kita-ba), -va where it is not, "
    "and -li in the plural, which comes last: sola-ba-li is 'the boats'."
)


def look(text: str, task: str = "92026010100", answers: tuple[str, ...] = ()) -> list[str]:
    return [one.kind for one in findings(text, task, answers)]


def findings(
    text: str, task: str = "92026010100", answers: tuple[str, ...] = ()
) -> list[ExplanationFinding]:
    rows = PredictionSet((Prediction.of_items(task, answers, text),))
    found = explanation_report([ExplainedEntry("e", "team", rows)], PROBLEMS).findings
    return [one for one in found if one.task == task]


def report_of(*entries: tuple[str, dict[str, str]], ids: tuple[str, ...] = ()) -> ExplanationReport:
    made = [
        ExplainedEntry(
            f"entry of {team}",
            team.rstrip("'"),
            PredictionSet(tuple(Prediction(task, "", text) for task, text in texts.items())),
        )
        for team, texts in entries
    ]
    return explanation_report(made, None, ids)


BAD = [
    ("empty", " \n "),
    ("cut", "The plural is formed by the suffix -li, and the known form by the"),
    ("cut", "- The plural has the suffix -li in every known word"),
    ("cut", "- -ba: known\n- -va: not known\n- -li: plural, as in"),
    ("cut", "The suffix -li marks plurals. For example, in kitabali the stem is kita, the last"),
    ("raw_reasoning", "<think>The stem is kita-.</think> The plural has -li."),
    (
        "raw_reasoning",
        "Wait, -ba may be plural. Hmm, that doesn't fit. Let me check: -li is plural.",
    ),
    ("hedged", "The plural is typically marked by -li, and -ba often stands for known things."),
    (
        "tour",
        "The word 'kitaba' means 'the house'. The word 'solaba' means 'the boat'. "
        "'menuva' means 'a bird'. 'kitabali' means 'the houses'.",
    ),
    ("tour", "1: kitabali = the houses\n2: menuva = a bird\n3: solabali = the boats\n4: x = y"),
    ("foreign_forms", "The plural has the suffix 'zuk' after the stem."),
    ("foreign_forms", "The stem is 'kitå' and -li is the plural."),
    ("foreign_forms", "The plural ends in the vowel /ø/ before -li."),
    ("impossible", "'kitaba' has five syllables, so that -li is its plural."),
    ("impossible", "'kitabali' has two syllables, so that -li is its plural."),
    ("unexplained", "The NMLZ comes after the stem, -li after it."),
    ("unexplained", "Plurals of class B have -li; all others are singular."),
]


@pytest.mark.parametrize(("kind", "text"), BAD)
def test_each_kind_is_found(kind: str, text: str) -> None:
    found = [one for one in findings(text) if one.kind == kind]
    assert len(found) == 1, look(text)
    if found[0].start >= 0:
        place = found[0].start
        assert text[place:].startswith(found[0].quotation)


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        "Stem + -ba (known) or -va (not known) + -li (plural)",
        "Usually -li is last; here it always is.",
        "The plural of a stem [x] is [x]-li, whatever letters /x/ stands for.",
        "- -ba: known\n- -va: not known\n- -li: plural",
        "1: kita-ba-li 'the houses'. 2: menu-va 'a bird'. The suffix 'li' is the plural.",
        "'kitaba' has three syllables; -li adds one, so that 'kitabali' has four syllables.",
        "Nominaliser (NMLZ) -ba. The NMLZ comes before the plural -li.",
        "Class B are the birds, and class B has -va; SOV is the order.",
        "We first looked for what the plurals have in common: -li. Each known thing has -ba.",
        "'kitaba' ist 'das Haus', und -li steht im Plural.",
        "⟨ba⟩ → known, ⟨va⟩ → not known, -li → plural",
    ],
)
def test_good_explanations_pass(text: str) -> None:
    assert look(text, answers=("the houses", "a bird", "the boats")) == []


def test_a_letter_outside_the_options() -> None:
    task = "92026010200"
    assert look(GOOD, task, ("A", "B", "F")) == ["impossible"]
    assert look(GOOD, task, ("A", "B", "C")) == []


def test_an_explanation_that_has_another_answer_than_the_entry() -> None:
    task = "92026010200"
    right = f"{GOOD} So 1 is A, 2 – B, and 3 corresponds to C."
    assert look(right, task, ("A", "B", "C")) == []
    (found,) = findings(right, task, ("A", "C", "C"))
    assert (found.kind, found.quotation) == ("contradicting", "2 – B")
    assert "item 2" in found.message
    listed = f"{GOOD}\n1. the houses\n2. a bird\n3. the boat"
    assert look(listed, answers=("the houses", "a bird", "the boats")) == ["contradicting"]
    assert look(listed, answers=("the houses", "a bird", "the boat")) == []
    prose = f"{GOOD}\n1. kitaba and plural\n2. without -li\n3. plural"
    assert look(prose, answers=("the houses", "a bird", "the boats")) == []


def test_one_text_under_several_tasks_and_in_several_teams() -> None:
    same, own = "The order is free.", "The verb is last."
    report = report_of(
        ("a", {"1": same, "2": f" {same} ", "3": own}), ("b", {"1": "Other.", "2": same})
    )
    found = defaultdict(set)
    for one in report.findings:
        found[one.kind].add((one.entry, one.task))
    assert found == {
        "repeated": {("entry of a", "1"), ("entry of a", "2")},
        "shared": {("entry of a", "1"), ("entry of a", "2"), ("entry of b", "2")},
    }
    shared = next(one for one in report.findings if one.kind == "shared")
    assert shared.message.endswith("other teams: b")


def test_two_entries_of_one_team_share_nothing() -> None:
    report = report_of(("a", {"1": "One text."}), ("a'", {"1": "One text."}))
    assert report.findings == ()


def test_a_frame_of_words_for_every_problem() -> None:
    frame = "To solve this problem we compare the given words and find that {} marks the plural."
    texts = {
        "92026010100": frame.format("'li'"),
        "92026020100": frame.format("'bb'"),
        "92026030100": frame.format("'dd'"),
    }
    report = report_of(("a", texts))
    assert Counter(one.kind for one in report.findings) == {"templated": 3}
    two_problems = dict(list(texts.items())[:2])
    assert report_of(("a", two_problems)).findings == (), "two may be alike by chance"
    one_problem = {f"920260101{n}00": frame.format(f"'{n}x'") for n in range(3)}
    assert report_of(("a", one_problem)).findings == (), (
        "the tasks of a problem have rules in common"
    )


@pytest.mark.parametrize(
    ("one", "other", "clash"),
    [
        ("The order is SOV.", "The order is Subject-Verb-Object.", True),
        ("The order is SOV.", "The order is subject, object, verb.", False),
        ("The verb comes before the subject.", "The subject precedes the verb.", True),
        ("The verb comes before the subject.", "The verb always precedes the subject.", False),
        ("'bali' means 'of the house'.", "'bali' means 'yesterday'.", True),
        ("'bali' means 'of the house'.", "'bali' is 'house'.", False),
        ("'bali' means 'house'.", "'balu' means 'boat'.", False),
    ],
)
def test_tasks_of_one_problem_that_disagree(one: str, other: str, clash: bool) -> None:
    within = report_of(("a", {"92026010100": one, "92026010200": other})).findings
    assert [(f.kind, f.task) for f in within] == [("inconsistent", "92026010200")] * clash
    across = report_of(("a", {"92026010100": one, "92026020100": other})).findings
    assert across == ()


def test_problems_are_those_of_the_set_whatever_the_ids() -> None:
    rows = PredictionSet(
        (Prediction("first", "", "The order is SOV."), Prediction("second", "", "It is SVO."))
    )
    tasks = (Task("first", "a", "1. a"), Task("second", "a", "1. a"))
    for problems, n_found in (
        ((Problem("x", tasks),), 1),
        (tuple(Problem(t.id, (t,)) for t in tasks), 0),
    ):
        report = explanation_report([ExplainedEntry("e", "t", rows)], ProblemSet(problems))
        assert len([f for f in report.findings if f.kind == "inconsistent"]) == n_found


def test_without_a_context_the_report_says_what_it_did_not_check() -> None:
    needing = {check.kind for check in CHECKS if check.needs_context}
    assert needing == {"foreign_forms", "impossible", "unexplained", "contradicting"}
    report = report_of(("a", {"1": "The suffix 'zuk' is NMLZ."}), ids=("1", "2"))
    assert report.not_checked == dict.fromkeys(needing, "not checked: no context")
    assert [(one.kind, one.task) for one in report.findings] == [("empty", "2")]
    assert (report.n_tasks, report.n_explained) == ({"entry of a": 2}, {"entry of a": 1})
    blank = ProblemSet((Problem("x", (Task("1", " ", "q"), Task("2", "kita", "1. kita"))),))
    rows = PredictionSet((Prediction("1", "", "All."), Prediction("2", "", "All.")))
    partly = explanation_report([ExplainedEntry("e", "t", rows)], blank)
    assert set(partly.not_checked.values()) == {"not checked: no context for 1 of 2 tasks"}
    assert explanation_report([ExplainedEntry("e", "t", rows)], PROBLEMS).not_checked == {}


def test_the_built_in_explanations_have_no_findings() -> None:
    document = read_document(builtin_path())
    assert document.key is not None
    rows = [
        Prediction.of_items(
            key.id, [one.alternatives[0] for one in key.references], key.explanation
        )
        for key in document.key
    ]
    report = explanation_report(
        [ExplainedEntry("key", "key", PredictionSet(tuple(rows)))], document.problems
    )
    assert len(rows) > 40
    assert report.findings == ()


def test_the_archived_records_have_what_was_counted_in_them(records_folder: Path) -> None:
    """The same figures come from the board, which counts repeated and shared texts on its own."""
    records = read_records(records_folder)
    ids = tuple(key.id for key in records.key)
    report = explanation_report(
        [ExplainedEntry(e.team, e.team, e.predictions) for e in records.entries], None, ids
    )
    by_kind: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for one in report.findings:
        by_kind[one.kind][one.entry].add(one.task)
    board = [BoardEntry(e.team, predictions=e.predictions) for e in records.entries]
    uses = explanation_uses(board)
    assert set(by_kind["repeated"]) == {use.team for use in uses if use.repeated}
    assert set(by_kind["shared"]) == {
        team for one in shared_explanations(board) for team in one.teams
    }
    half = {use.team for use in uses if 2 * use.n_unfinished >= use.n_explanations}
    cut = {team for team, tasks in by_kind["cut"].items() if len(tasks) >= 7}
    assert len(half) == 5
    assert cut == half
    assert set(report.not_checked.values()) == {"not checked: no context"}
    assert not {"foreign_forms", "impossible", "unexplained", "contradicting"} & set(by_kind)


@pytest.mark.parametrize(
    "part",
    [
        "'",
        '"a" ',
        "a-",
        "-a",
        "(",
        "1. ",
        "A: ",
        "the verb ",
        "SOV ",
        "wait, ",
        "'x' means ",
        "class B ",
        "NMLZ ",
        "a.",
        "\n",
        "- a\n",
        "[ø]",
        "/ø/",
        "'a' has ",
        "é",
        " ",
        "\t",
        "a",
        "_",
        "'a' maybe ",
        "1. a     ",
        "'maybe' ",
    ],
)
def test_a_hostile_text_costs_little(part: str) -> None:
    text = part * (200_000 // len(part))
    start = time.process_time()
    look(f"1. a{text}x", answers=("a", "b", "c"))
    assert time.process_time() - start < 6


def test_many_terms_and_many_claims_cost_little() -> None:
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    terms = " ".join(f"{a}{b}{c}Q marks" for a in letters for b in letters for c in "XYZW")
    claims = " ".join(f"'x' means 'w{n}'." for n in range(4_000))
    frames = " ".join(f"this is word {a}{b} of it" for a in letters for b in letters)
    start = time.process_time()
    report_of(*(("a", {name: text}) for name in ("1", "2") for text in (terms, claims, frames)))
    rows = {task.id: f"{claims} {frames} {n}" for n, task in enumerate((*TASKS, OTHER, THIRD))}
    predictions = PredictionSet(
        tuple(Prediction.of_items(*(name, (), rows[name])) for name in rows)
    )
    explanation_report([ExplainedEntry("e", "team", predictions)], PROBLEMS)
    look(terms)
    assert time.process_time() - start < 6


def test_selecting_takes_the_best_that_can_be_marked() -> None:
    report = report_of(
        ("a", {"1": "", "2": ""}),
        ("b", {"1": "The verb is last.", "2": ""}),
        ("c", {"1": "The noun is first.", "2": "It is often so, typically."}),
        ("d", {"1": "One.", "2": "Two."}),
    )
    names = [f"entry of {team}" for team in "abcd"]
    found = propose(names, report, 2)
    assert [(one.entry, one.rank) for one in found.proposed] == [(names[1], 2), (names[2], 3)]
    assert [one.reason for one in found.withheld] == [
        "it has no explanation",
        "2 entries rank above it",
    ]
    assert found.proposed[1].reason == "explanations on 2 of 2 tasks; to look at: hedged"
    strict = propose(names, report, 2, require_all=True)
    assert [one.entry for one in strict.proposed] == names[2:]
    assert strict.withheld[1].reason == "1 of its 2 tasks have no explanation"


def test_the_page_lists_every_check() -> None:
    page = (Path(__file__).parents[2] / "docs/explanations.md").read_text(encoding="utf-8")
    listed = [
        (line.split("`")[1], line.split("|")[3].strip() == "yes")
        for line in page.splitlines()
        if line.startswith("| `")
    ]
    assert listed == [(check.kind, check.needs_context) for check in CHECKS]
