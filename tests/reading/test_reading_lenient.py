"""The lenient reading: what it understands, what it leaves alone, and that it says so."""

from __future__ import annotations

import json
import time

import pytest

from iolai.reading import KINDS, read_lenient, read_official
from iolai.reading.lenient import MAX_TEXT
from iolai.reading.literals import find_literals, read_literal

LABELS = ("16", "17", "18")
ABC = ("a", "b", "c")
REPAIRED = [
    ('```json\n["a","b","c"]\n```', "fenced-json"),
    ("```\na\nb\nc\n```", "fenced-json"),
    ('Sure!\n```json\n["a","b","c"]\n```\nI hope it helps.', "fenced-json"),
    ('```json\n["a","b","c"]', "fenced-json"),
    ('{"answers": ["a","b","c"]}', "json-object"),
    ('{"answers": ["a","b","c"], "explanation": "x, y, z"}', "json-object"),
    ('{"16": "a", "18": "c", "17": "b"}', "json-object"),
    ('{"1": "a", "2": "b", "3": "c"}', "json-object"),
    ('{"item_2": "b", "item_1": "a", "item_3": "c"}', "json-object"),
    ('{"answers": {"16": "a", "17": "b", "18": "c"}}', "json-object"),
    ('{"first": "a", "second": "b", "third": "c"}', "json-object"),
    (
        '[{"id": 1, "answer": "a"}, {"id": 2, "answer": "b"}, {"id": 3, "answer": "c"}]',
        "json-object",
    ),
    ('[{"18": "c"}, {"16": "a"}, {"17": "b"}]', "json-object"),
    ("['a', 'b', 'c']", "python-literal"),
    ("('a', 'b', 'c')", "python-literal"),
    ('["a", "b", "c",]', "python-literal"),
    ("[“a”, “b”, “c”]", "python-literal"),
    ('["1. a", "2. b", "3. c"]', "labels-kept"),
    ('["16. a", "17. b", "18. c"]', "labels-kept"),
    ('["17. b", "16. a", "18. c"]', "labels-kept"),
    ("(1) a\n(2) b\n(3) c", "labels-kept"),
    ("1: a\n2: b\n3: c", "labels-kept"),
    ("a. a\nb. b\nc. c", "labels-kept"),
    ("II. b\nI. a\nIII. c", "labels-kept"),
    ("**Answer 16:** a\n**Answer 17:** b\n**Answer 18:** c", "labels-kept"),
    ("**Answer 1**: a\n**Answer 2**: b\n**Answer 3**: c", "labels-kept"),
    ('["Answer 3: c", "Answer 1: a", "Answer 2: b"]', "labels-kept"),
    ("Item no. 16 - a\nItem no. 17 - b\nItem no. 18 - c", "labels-kept"),
    ('["Q16: a", "Q17: b", "Q18: c"]', "labels-kept"),
    ('["#1 a", "#2 b", "#3 c"]', "labels-kept"),
    ("16 a\n17 b\n18 c", "labels-kept"),
    ('["16\\ta", "17\\tb", "18\\tc"]', "labels-kept"),
    ("**16**: a\n**17**: b\n**18**: c", "labels-kept"),
    ("Answer 16:\na\nAnswer 17:\nb\nAnswer 18:\nc", "labels-kept"),
    ("(16)\na\n(17)\nb\n(18)\nc", "labels-kept"),
    ("1\\. a\n2\\. b\n3\\. c", "labels-kept"),
    ("１．a\n２．b\n３．c", "labels-kept"),
    ("② b\n① a\n③ c", "labels-kept"),
    ("1\ufe0f\u20e3 a\n2\ufe0f\u20e3 b\n3\ufe0f\u20e3 c", "labels-kept"),
    ("1\ta\n2\tb\n3\tc", "labels-kept"),
    ('["0: a", "1: b", "2: c"]', "labels-kept"),
    ('{"id": 2, "answer": "b"}\n{"id": 1, "answer": "a"}\n{"id": 3, "answer": "c"}', "json-object"),
    ('{"16": "a"}\n{"17": "b"}\n{"18": "c"}', "json-object"),
    ("# | answer\n--|--\n16 | a\n17 | b\n18 | c", "markdown-table"),
    ("16 | a\n17 | b\n18 | c", "markdown-table"),
    ("a / b / c", "squeezed"),
    ("Draft:\n1. x\n2. y\n3. z\nFinal:\n1. a\n2. b\n3. c", "preamble"),
    ("Answer 16: a; Answer 17: b; Answer 18: c", "squeezed"),
    ("Answer: a\nAnswer: b\nAnswer: c", "lead-in"),
    ("**Answer:** a\n**Answer:** b\n**Answer:** c", "lead-in"),
    ('["The answer is a", "The answer is b.", "c"]', "lead-in"),
    ('["It means a", "It means b", "It means c"]', "lead-in"),
    ('["The best translation of x is a", "The best translation of y is b", "c"]', "lead-in"),
    ('["English: a", "English: b", "English: c"]', "lead-in"),
    ("- a\n- b\n- c", "bullets"),
    ('["> a", "> b", "> c"]', "bullets"),
    ('["_a_", "_b_", "_c_"]', "emphasis"),
    ('["~~a~~", "b", "c"]', "emphasis"),
    ('["a;", "b;", "c"]', "separators"),
    (r'["\\boxed{a}", "b", "$c$"]', "latex"),
    (r'["\boxed{a}", "\text{b}", "c"]', "latex"),
    ("1. $\\boxed{\\text{a}}$\n2. \\textbf{b}\n3. \\(c\\)", "latex"),
    ('We get \\boxed{["a", "b", "c"]}.', "latex"),
    ("\\boxed{a; b; c}", "latex"),
    (r'["\\boxed{a; b; c}"]', "latex"),
    ("It is \\boxed{a} and \\boxed{b}, then \\boxed{c}.", "latex"),
    (r'["\\u0061", "&#98;", "c"]', "escapes"),
    ('["<item1>a</item1>", "<item2>b</item2>", "c"]', "tags"),
    ('["<b>a</b>", "<answer>b</answer>", "c"]', "tags"),
    ("<answer>\na\nb\nc\n</answer>", "tags"),
    ("1. **a**\n2. **b**\n3. **c**", "emphasis"),
    ("**16. a**\n**17. b**\n**18. c**", "labels-kept"),
    ("`a`\n`b`\n`c`", "emphasis"),
    ("| # | answer |\n|---|---|\n| 16 | a |\n| 17 | b |\n| 18 | c |", "markdown-table"),
    ("FINAL ANSWERS:\na\nb\nc", "preamble"),
    ("Here are the answers:\n\n1. a\n2. b\n3. c", "preamble"),
    ('The answers are ["a","b","c"].', "preamble"),
    ('I am not sure.\n\n**Final Answer:**\n["a", "b", "c"]', "preamble"),
    ('<think>["x","y","z"]</think>["a","b","c"]', "thinking"),
    ("it must be b</think>\n\na\nb\nc", "thinking"),
    ('["a", "b", "c"', "truncated"),
    ("a; b; c", "squeezed"),
    ('["a; b; c"]', "squeezed"),
    ('["a", "b; c"]', "squeezed"),
    ('["a, b, c"]', "squeezed"),
    ('["1. a 2. b 3. c"]', "squeezed"),
    ("16. a; 17. b; 18. c", "squeezed"),
    ("a\tb\tc", "squeezed"),
    (r"a\nb\nc", "squeezed"),
    ("a<br>b<br>c", "squeezed"),
    ('["a\\nb\\nc"]', "squeezed"),
    ('["[\\"a\\", \\"b\\", \\"c\\"]"]', "squeezed"),
    (r'"[\"a\", \"b\", \"c\"]"', "escapes"),
    (r'"{\"answers\": [\"a\", \"b\", \"c\"]}"', "escapes"),
    (r"[\"a\", \"b\", \"c\"]", "escapes"),
    ('["a" "b" "c"]', "python-literal"),
    ('["a",\n"b"\n"c"]', "python-literal"),
    ("[$a$, $b$, $c$]", "latex"),
    (r"[$\boxed{a}$, \text{b}, c]", "latex"),
    ("$\\boxed{\\text{a, b, c}}$", "latex"),
    ("The final answer is $\\boxed{a; b; c}$.", "latex"),
    ("(1)=a, (2)=b, (3)=c", "squeezed"),
    ("(16)=a\n(17)=b\n(18)=c", "labels-kept"),
    ('["“a”", "b", "«c»"]', "curly-quotes"),
    ('[["a"], ["b"], ["c"]]', "nested-list"),
    ('[["a", "b", "c"]]', "nested-list"),
]


@pytest.mark.parametrize(("text", "kind"), REPAIRED)
def test_what_it_repairs(text: str, kind: str) -> None:
    assert read_official(text, 3).items != ABC
    reading = read_lenient(text, LABELS)
    assert (reading.items, reading.status) == (ABC, "repaired")
    assert kind in [step.kind for step in reading.steps]
    assert {step.kind for step in reading.steps} <= set(KINDS)


@pytest.mark.parametrize(("text", "kind"), REPAIRED)
def test_reading_a_repaired_prediction_again_changes_nothing(text: str, kind: str) -> None:
    items = read_lenient(text, LABELS).items
    again = read_lenient(json.dumps(list(items)), LABELS)
    assert (again.items, again.status, again.steps) == (items, "same", ())


@pytest.mark.parametrize(
    ("text", "labels", "items"),
    [
        ('["a","b","c"]', LABELS, ABC),
        ("1. a\n2. b\n3. c", LABELS, ABC),
        ("a\nb\nc", LABELS, ABC),
        ('["2. person", "x", "y"]', LABELS, ("2. person", "x", "y")),
        ('["2. person"]', ("1",), ("2. person",)),
        ('["2. person", "1. person"]', ("1", "2"), ("2. person", "1. person")),
        ('["a; b", "c", "d"]', LABELS, ("a; b", "c", "d")),
        ('["a"]', LABELS, ("a", "", "")),
        ("[ort igi]", ("1",), ("[ort igi]",)),
        ("[bø:va]\n[kno:ar]\n[kvø:a]", LABELS, ("[bø:va]", "[kno:ar]", "[kvø:a]")),
        ('["k:ii", "*foo", "“a” or “b”"]', LABELS, ("k:ii", "*foo", "“a” or “b”")),
        ('["Answer 16: a", "b", "c"]', LABELS, ("Answer 16: a", "b", "c")),
        ('["18 dogs", "17 dogs", "16 dogs"]', LABELS, ("18 dogs", "17 dogs", "16 dogs")),
        ('["1 dog", "2 dogs", "3 dogs"]', ("1", "2", "3"), ("1 dog", "2 dogs", "3 dogs")),
        ('["The answer is a", "b", "c"]', LABELS, ("The answer is a", "b", "c")),
        ('["I see: a", "you see: b", "c"]', LABELS, ("I see: a", "you see: b", "c")),
        (r'["\\ud83d", "\\u12", "a & b; c"]', LABELS, (r"\ud83d", r"\u12", "a & b; c")),
        ('["$5", "{b}", "a < b > c"]', LABELS, ("$5", "{b}", "a < b > c")),
        ('["16", "17", "18"]', LABELS, ("16", "17", "18")),
        ('["(16)", "(17)", "(18)"]', LABELS, ("(16)", "(17)", "(18)")),
        ('["_a", "b_", "c"]', LABELS, ("_a", "b_", "c")),
        ('["<b>a</b> and <b>b</b>", "b", "c"]', LABELS, ("<b>a</b> and <b>b</b>", "b", "c")),
        ('["a", null, 5]', LABELS, ("a", "", "5")),
        ("", LABELS, ("", "", "")),
        ("null", ("1",), ("null",)),
        ("(one’s) own mother", ("1",), ("(one’s) own mother",)),
    ],
)
def test_what_it_leaves_alone(text: str, labels: tuple[str, ...], items: tuple[str, ...]) -> None:
    reading = read_lenient(text, labels)
    assert (reading.items, reading.status, reading.steps) == (items, "same", ())


FORMS = ("kato-n", "the  dog | x", "su ____ ri")


@pytest.mark.parametrize(
    "answers",
    [
        ["kato-n = a", "the dog: b", "su c ri"],
        ["kato-n – a", "“the dog” → b", "c"],
        ["**kato-n** means a", "the dog | x | b", "c"],
        ["a (kato-n)", "b = the dog", "Su c ri."],
        ["1. kato-n = a", "2. the dog = b", "3. c"],
        ["kato-n (a)", "the dog, b", "c"],
    ],
)
def test_an_items_own_form_is_taken_off_where_most_answers_have_it(answers: list[str]) -> None:
    reading = read_lenient(json.dumps(answers), LABELS, texts=FORMS)
    assert reading.items == ABC
    assert "item-repeated" in [step.kind for step in reading.steps]


@pytest.mark.parametrize(
    "answers",
    [
        ["kato-n = a", "b", "c"],
        ["kato-na", "the dogs", "suri"],
        ["kato-n", "the dog", "su ____ ri"],
        ["a=b", "dog: b", "su ri c"],
        ["kato-n-a", "the dog-b", "c"],
    ],
)
def test_an_items_own_form_stays_where_it_may_be_part_of_an_answer(answers: list[str]) -> None:
    reading = read_lenient(json.dumps(answers), LABELS, texts=FORMS)
    assert (reading.items, reading.status) == (tuple(answers), "same")


@pytest.mark.parametrize(
    "text",
    [
        "| kato | a |\n| suri | b |\n| pelo | c |",
        "| # | x | y |\n|---|---|---|\n| 16 | kato | a |\n| 17 | suri | b |\n| 18 | pelo | c |",
    ],
)
def test_a_table_of_forms_and_answers(text: str) -> None:
    reading = read_lenient(text, LABELS, texts=("kato", "suri", "pelo"))
    assert reading.items == ABC
    assert reading.steps[0].kind == "markdown-table"
    assert read_lenient(text, LABELS, texts=("other", "forms", "there")).items != ABC


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("12.\n7.\n105.", ("12", "7", "105")),
        ("2)\n3)\n1)", ("2", "3", "1")),
        ("dog\n7.\n105.", ("dog", "7", "105")),
    ],
)
def test_numbers_with_a_period_are_answers(text: str, items: tuple[str, ...]) -> None:
    reading = read_lenient(text, LABELS)
    assert (reading.items, [step.kind for step in reading.steps]) == (items, ["number-as-label"])


@pytest.mark.parametrize("text", ["16.\n17.\n18.", "1.\n2.\n3.", "16. a\n17.\n18.", "7.\n9."])
def test_labels_without_answers_are_no_numbers(text: str) -> None:
    assert "number-as-label" not in [step.kind for step in read_lenient(text, LABELS).steps]


@pytest.mark.parametrize("label", ["16", ""])
@pytest.mark.parametrize(
    "text",
    ["(1) dog", "1: dog", '["1. dog"]', '["1) dog"]', "Answer 1: dog", "**1.** dog", "1.\ndog"],
)
def test_the_label_of_an_only_item(text: str, label: str) -> None:
    assert read_lenient(text, (label,)).items == ("dog",)


@pytest.mark.parametrize("answer", ["2. person", "(3) dogs", "a. dog", "17: dog", "1 dog", "(1)"])
def test_what_is_no_label_of_an_only_item(answer: str) -> None:
    assert read_lenient(json.dumps([answer]), ("16",)).items == (answer,)
    assert read_lenient('["(16) dog"]', ("16",)).items == ("dog",)
    assert read_lenient('["1: dog"]', ("16",), options=("1", "2")).items != ("dog",)


@pytest.mark.parametrize(
    "text",
    [
        "16. kato\n  a\n17. suri\n  b\n18. pelo\n  c",
        "Here are the answers:\n1. **kato**\na\n2. **suri**\nb\n3. **pelo**\nc",
        "kato:\na\nsuri:\nb\npelo:\nc",
        "16.\na\n17.\nb\n18.\nc",
    ],
)
def test_answers_below_their_items(text: str) -> None:
    assert read_lenient(text, LABELS, texts=("kato", "suri", "pelo")).items == ABC


def test_the_items_alone_are_never_picked_as_the_answers() -> None:
    text = "16. kato\n a\n17. suri\n b\n18. pelo\n c\nThat was all."
    reading = read_lenient(text, LABELS, texts=("kato", "suri", "pelo"))
    assert reading.items == read_official(text, 3).items
    text = "16.\na\n17.\nb\n18.\nc\nx"
    assert read_lenient(text, LABELS).items == ABC


@pytest.mark.parametrize(
    "text",
    [
        '[{"id": 18, "answer": "c"}, {"id": 16, "answer": "a"}, {"id": 17, "answer": "b"}]',
        '[{"no": 3, "text": "c"}, {"no": 1, "text": "a"}, {"no": 2, "text": "b"}]',
        '[{"id": 2, "answer": "c"}, {"id": 0, "answer": "a"}, {"id": 1, "answer": "b"}]',
        '[{"word": "pelo", "answer": "c"}, {"word": "kato", "answer": "a"}, '
        '{"word": "suri", "answer": "b"}]',
        '[{"id": 1, "confidence": 3, "answer": "a"}, {"id": 2, "confidence": 2, "answer": "b"}, '
        '{"id": 3, "confidence": 1, "answer": "c"}]',
        '{"pelo": "c", "kato": "a", "suri": "b"}',
        '{"answers": {"2": "c", "0": "a", "1": "b"}}',
    ],
)
def test_the_keys_of_objects_say_the_order(text: str) -> None:
    assert read_lenient(text, LABELS, texts=("kato", "suri", "pelo")).items == ABC


@pytest.mark.parametrize(
    "text",
    [
        '{"pelo": "c", "kato": "a", "x": "b"}',
        '{"7": "c", "3": "a", "5": "b"}',
        '[{"no": 3, "id": 1, "text": "c"}, {"no": 1, "id": 2, "text": "a"}, '
        '{"no": 2, "id": 3, "text": "b"}]',
        '[{"no": 9, "text": "c"}, {"no": 1, "text": "a"}, {"no": 4, "text": "b"}]',
    ],
)
def test_keys_that_say_another_order_than_the_file_are_never_passed_over(text: str) -> None:
    reading = read_lenient(text, LABELS, texts=("kato", "suri", "pelo"))
    assert reading.status == "ambiguous"


@pytest.mark.parametrize(
    ("text", "status", "items"),
    [
        ("(a) 2\n(b) 3\n(c) 1", "ambiguous", ("(a) 2", "(b) 3", "(c) 1")),
        ('["a-2", "b-3", "c-1"]', "ambiguous", ("a-2", "b-3", "c-1")),
        ("a. c\nb. a\nc. b", "repaired", ("c", "a", "b")),
        ("b. c\na. b\nc. a", "ambiguous", ("b. c", "a. b", "c. a")),
        ("a. dog\nc. cat\nb. a", "repaired", ("a", "c", "b")),
        ('{"a": 2, "b": 3, "c": 1}', "ambiguous", ('{"a": 2, "b": 3, "c": 1}', "", "")),
        ('{"a": "c", "b": "a", "c": "b"}', "repaired", ("c", "a", "b")),
    ],
)
def test_letters_of_options_as_labels(text: str, status: str, items: tuple[str, ...]) -> None:
    reading = read_lenient(text, ("1", "2", "3"), options=ABC)
    assert (reading.status, reading.items) == (status, items)


def test_one_item_is_enough_for_its_own_form() -> None:
    assert read_lenient('["kato = a"]', ("1",), texts=("kato",)).items == ("a",)
    assert read_lenient('["kato = a"]', ("1",), texts=("",)).items == ("kato = a",)


@pytest.mark.parametrize(
    "text",
    [
        "a; b; c; d",
        "a (x, y), b",
        'say "a, b", c',
        r"[$\boxed{12}$, $7$]",
        '["a" "b" "c" "d"]',
        r"\"a\", \"b\", \"c",
        '["a, b"]',
        '[["a", "x"], ["b"], ["c"]]',
        '["a","b","c"]\n["a","b","d"]',
        '{"x": ["a"], "y": ["b"]}',
        '{"x": "a", "y": "b"}',
        "```\na\nb\nc\n```\nor\n```\na\nb\nd\n```",
    ],
)
def test_two_readings_are_never_guessed_between(text: str) -> None:
    reading = read_lenient(text, LABELS)
    assert reading.status == "ambiguous"
    assert reading.items == read_official(text, 3).items
    assert reading.steps[-1].kind == "ambiguous"
    assert reading.steps[-1].detail


def test_unfinished_thinking_is_unreadable_and_truncated() -> None:
    reading = read_lenient("<think>it is a\nor b", LABELS)
    assert reading.status == "unreadable"
    assert [step.kind for step in reading.steps] == ["truncated", "unreadable"]
    assert reading.items == ("<think>it is a", "or b", "")


def test_a_list_that_is_cut_off_keeps_its_whole_elements() -> None:
    reading = read_lenient('["a", "b", "unfini', LABELS)
    assert (reading.items, reading.n_read) == (("a", "b", ""), 2)


def test_a_slot_left_empty_keeps_its_place() -> None:
    assert read_lenient("16. a\n17.\n18. c", LABELS).items == ("a", "", "c")
    assert read_lenient('["16. a", "18. c"]', LABELS).items == ("a", "", "c")


def test_an_apostrophe_does_not_end_a_string() -> None:
    assert read_lenient("['don't', 'b', 'c']", LABELS).items == ("don't", "b", "c")


def test_a_step_tells_what_it_did() -> None:
    (step,) = read_lenient('["1. a", "2. b", "3. c"]', LABELS).steps
    assert (step.kind, step.before, step.after) == ("labels-kept", "1. a\n2. b\n3. c", "a\nb\nc")


def test_letters_of_a_matching_task() -> None:
    options = ("A", "B", "C", "D")

    def items(text: str) -> tuple[str, ...]:
        return read_lenient(text, ("1", "2", "3"), options=options).items

    assert items('["A. dog", "C) cow", "(B)"]') == ("A", "C", "B")
    assert items('["1-A", "2-C", "3-B"]') == ("A", "C", "B")
    assert items('["Option A", "letter (C)", "**B**"]') == ("A", "C", "B")
    assert items('["1A", "2C", "3B"]') == ("A", "C", "B")
    assert items('["ka - A", "mo ti → C", "so = (B)"]') == ("A", "C", "B")
    assert items('["**A** – tree", "\\\\boxed{C}", "B"]') == ("A", "C", "B")
    assert items("1A 2C 3B") == items("1A, 2C, 3B") == items("ACB") == ("A", "C", "B")
    assert items("AAB") == ("AAB", "", "")
    assert items('["2A", "ka-C", "C D"]') == ("2A", "ka-C", "C D")
    assert items("C A B") == ("C", "A", "B")
    assert items("[C, A, B]") == ("C", "A", "B")
    assert items('["X. dog", "A", "B"]') == ("X. dog", "A", "B")


def test_the_number_of_items_is_enough() -> None:
    assert read_lenient('["20. a", "21. b", "22. c"]', 3).items == ABC
    assert read_lenient("a; b", 2).items == ("a", "b")
    assert read_lenient("a", 0).items == ()


def test_a_deeply_nested_text_is_no_literal() -> None:
    for text in ("[" * 100_000, '{"a":' * 50_000, "[(" * 50_000, '["a",' * 50_000):
        assert read_literal(text) is None
    assert list(find_literals("[[" * 20_000)) == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('["a", "b"]', ("a", "b")),
        (r'["a\n\"b\"", "\u0259"]', ('a\n"b"', "ə")),
        (r"['a\'b', None, 1]", ("a'b", None, "1")),
        ("('a',)", ("a",)),
        ("[]", ()),
    ],
)
def test_literals(text: str, value: object) -> None:
    literal = read_literal(text)
    assert literal is not None
    assert (literal.value, literal.end, literal.is_cut_off) == (value, len(text), False)


HOSTILE = [
    "[", '["a",', "[[", '"', "1. ", "(1) ", "1. a\n", "<think>", "<think></think>", "```\n",
    '```json\n["a","b","c"]\n```\n', "a; ", "a, ", "\\", '"\\', "*", "**a", "_", " ", "\t", '{"a":',
    '{"a":"b",', "1,", "-", "\0", "FINAL ANSWERS:\n", "answer:\n", "Here are:\n", "“", "| a |\n",
    "Note: x\n", "#", ">", "- a\n", '(("', ":", '"   ', "\\boxed{", "\\boxed{a}", "$", "{", "<b>",
    "</b>", "kato ", "kato = ", "(kato", "Answer 1: ", "Answer ", "the answer is ", "The ",
    "① ", '{"1": "a"}\n', '" "', "a - A ", "ka\n", "$a$, ", "\\text{a}, ", '[\\"',
    "a / ", "final:\n", "12.\n",
]  # fmt: skip


@pytest.mark.parametrize("unit", HOSTILE)
@pytest.mark.parametrize("size", [MAX_TEXT - 100, pytest.param(1_000_000, marks=pytest.mark.slow)])
def test_hostile_text_is_read_in_time(unit: str, size: int) -> None:
    text = unit * (size // len(unit))
    for hostile in (text, f'["{text}"]', f"x{text}x"):
        start = time.process_time()
        read_lenient(hostile, LABELS, options=("A", "B"))
        assert time.process_time() - start < 1
        read_lenient(hostile, LABELS, texts=("kato", "ka ____ to", "a | b"))
        assert time.process_time() - start < 2
