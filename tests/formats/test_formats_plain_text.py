"""Plain text: every corner of the format, and every error with its line."""

from __future__ import annotations

import pytest

from iolai import formats
from iolai.errors import FormatError, InputError
from iolai.formats.plain_text import parse_plain_text, render_plain_text
from iolai.records import AnswerKey, Problem, ProblemSet, Reference, Task, TaskKey


def _task(text: str) -> Task:
    problems = parse_plain_text(text).problems
    assert problems is not None
    return problems.tasks[0]


def _key(text: str) -> TaskKey:
    key = parse_plain_text(text).key
    assert key is not None
    return key.tasks[0]


def _ids(text: str, first_number: int = 1) -> tuple[list[str], list[str]]:
    problems = parse_plain_text(text, first_number=first_number).problems
    assert problems is not None
    return [problem.id for problem in problems], [task.id for task in problems.tasks]


def test_the_smallest_problem() -> None:
    document = formats.parse_document("# T\n## Task\nq")
    assert document.problems is not None
    (problem,) = document.problems
    assert problem == Problem("1000001", (Task("10000010100", "", "q"),), "T")
    assert document.key is None


def test_settings_stand_under_their_heading() -> None:
    text = (
        "# T\nID: 77\nLanguage : Vesh: the lower [x]\nwork_lang:eng_Latn\ntask_lang: a, b\n\nc: d\n"
        "## TASK 3: last\nid: 5\nType: translation\neval: single\n\nsplit: this\nq\n"
        "## task\nwork_lang:\ntask_lang: z\n"
    )
    problems = parse_plain_text(text).problems
    assert problems is not None
    (problem,) = problems
    assert (problem.id, problem.language) == ("77", "Vesh: the lower [x]")
    first, second = problem.tasks
    assert first == Task(
        "5", "c: d", "split: this\nq", "translation", "single", "eng_Latn", ("a", "b")
    )
    assert (second.work_lang, second.task_lang, second.query) == ("", ("z",), "")


def test_text_may_follow_a_heading_at_once() -> None:
    assert _task("# T\nSome words: here\n## Task 1\n1. x: y\n").context == "Some words: here"
    assert _task("# T\n## Task 1\n1. x: y\n").query == "1. x: y"


def test_blank_lines_around_a_text_are_not_its_own() -> None:
    task = _task("# T\n\n \n\n  a\n\n\nb  \n\t\n\n## Task 1\n\nq\n\n\n")
    assert (task.context, task.query) == ("  a\n\n\nb  ", "q")


def test_a_backslash_keeps_a_line() -> None:
    text = "# T\n\n\\\n\\# a\n\\\\b\n c\\d \\# e\n\\f\n\\\n## Task 1\n"
    assert _task(text).context == "\n# a\n\\b\n c\\d \\# e\nf\n"


def test_crlf_files_and_carriage_returns() -> None:
    unix = "# T\nlanguage: x\n\na\nb\n## Task 1\nq\n### Answers\n1. a\n"
    document = parse_plain_text(unix.replace("\n", "\r\n"))
    expected = parse_plain_text(unix)
    assert (document.problems, document.key) == (expected.problems, expected.key)
    assert _task("# T\n\na\r\nb\rc\r\n## Task 1\r\n").context == "a\r\nb\rc\r"


def test_answers_and_alternatives() -> None:
    key = _key(
        "# T\n## Task 1\nq\n### answers\n\n1. a | b  |  c\n2) d|e\n\n3.   f \\| g\n4. \\e\n"
        "5. x\\ny\\s\n6. \\\\n \\|\n7. 1. h\n8. | | |\n".replace("8. | | |\n", "8. \\| | \\|\n")
    )
    assert [reference.alternatives for reference in key.references] == [
        ("a", "b", "c"),
        ("d|e",),
        ("f | g",),
        ("",),
        ("x\ny ",),
        ("\\n |",),
        ("1. h",),
        ("|", "|"),
    ]
    assert key.eval_type == "multi"
    assert all(reference.as_list for reference in key.references)


def test_defaults_of_a_key() -> None:
    text = "# T\n## Task 1\nq\n### Answers\n1. a\n"
    key = _key(text)
    assert (key.points, key.split, key.eval_type, key.explanation) == (1, "", "single", "")
    assert not key.references[0].as_list
    assert _task(text).eval_type == "single"


def test_a_form_that_is_set_stays() -> None:
    text = "# T\n## Task 1\neval: multi\npoints: 0\nsplit: private\n\nq\n### Answers\n1. a\n"
    key = _key(text)
    assert (key.eval_type, key.points, key.split) == ("multi", 0, "private")
    assert key.references[0].as_list


def test_parts_of_a_task_in_any_order() -> None:
    text = "# T\nc\n## Task 1\nq\n### EXPLANATION\nwhy: so\n\n### Context\nown\n### Answers\n1. a\n"
    assert _task(text) == Task("10000010100", "own", "q", "", "single")
    assert _key(text).explanation == "why: so"


def test_an_own_context_may_be_empty() -> None:
    assert _task("# T\nc\n## Task 1\nq\n### Context\n").context == ""


def test_ids_are_made_by_position() -> None:
    text = "# A\n## Task 7\n## Task\n# B\n## Task 1\n"
    assert _ids(text) == (
        ["1000001", "1000002"],
        ["10000010100", "10000010200", "10000020100"],
    )
    assert _ids(text, first_number=12)[1] == ["10000120100", "10000120200", "10000130100"]


@pytest.mark.parametrize(
    ("head", "first", "second", "problem", "made"),
    [
        ("id: 1000107\n", "", "", "1000107", ["10001070100", "10001070200"]),
        ("id: 01201701\n", "", "", "01201701", ["012017010100", "012017010200"]),
        ("id: kin\n", "", "", "kin", ["kin-1", "kin-2"]),
        ("", "id: 10001070300\n", "id: 10001070500\n", "1000107", ["10001070300", "10001070500"]),
        ("", "id: a\n", "id: b\n", "a", ["a", "b"]),
        ("", "id: a\n", "", "a", ["a", "10000010200"]),
        ("id: 9\n", "id: a\n", "", "9", ["a", "9-2"]),
    ],
)
def test_ids_that_are_partly_given(
    head: str, first: str, second: str, problem: str, made: list[str]
) -> None:
    assert _ids(f"# T\n{head}\n## Task\n{first}\n## Task\n{second}\n") == ([problem], made)


def test_what_has_no_number_left_needs_an_id() -> None:
    with pytest.raises(FormatError, match="no id can be made") as caught:
        parse_plain_text("# T\n" + "## Task\n" * 100)
    assert caught.value.place.row == 101
    with pytest.raises(FormatError, match="no id can be made"):
        parse_plain_text("# T\n## Task\n", first_number=100)


def test_an_explanation_without_answers_warns() -> None:
    document = parse_plain_text("# T\n## Task 1\nq\n### Explanation\nwhy\n")
    assert document.key is None
    assert "line 4: an explanation without answers" in document.warnings[0]


@pytest.mark.parametrize(
    ("text", "row", "column", "word"),
    [
        ("hello\n# T\n## Task 1\n", 1, None, "before the first heading"),
        ("# T\nc\n", 1, None, "has no task"),
        ("# T\n## Task\n# U\n", 3, None, "has no task"),
        ("## Task 1\nq\n# T\n## Task 2\n", 1, None, "first problem"),
        ("# T\n### Answers\n1. a\n## Task 1\n", 2, None, "before the first task"),
        ("# T\n## Tusk 1\n", 2, None, "## Task 1"),
        ("# T\n## Task 1\n### Answer\n1. a\n", 3, None, "'answers'"),
        ("# T\n## Task 1\n### Notes\n", 3, None, "Known: context, answers, explanation"),
        ("# T\n#hash\n## Task 1\n", 2, None, "backslash"),
        ("# T\n#### deep\n## Task 1\n", 2, None, "backslash"),
        ("# T\nlangauge: x\n## Task 1\n", 2, "langauge", "'language'"),
        ("# T\npoints: 1\n## Task 1\n", 2, "points", "Known: id, language"),
        ("# T\nNote: x\n## Task 1\n", 2, "Note", "blank line"),
        ("# T\n## Task 1\nponts: 1\n", 3, "ponts", "'points'"),
        ("# T\nid: 1\nid: 2\n## Task 1\n", 3, "id", "twice"),
        ("# T\n## Task 1\n### Answers\n1. a\n### ANSWERS\n1. a\n", 5, None, "line 3"),
        ("# T\n## Task 1\npoints: -1\n", 3, "points", "range"),
        ("# T\n## Task 1\npoints: many\n", 3, "points", "number"),
        ("# T\n## Task 1\nsplit: dev\n", 3, "split", "public or private"),
        ("# T\n## Task 1\nid:\n", 3, "id", "blank"),
        ("# T\nid: \\q\n## Task 1\n", 2, "id", "no escape \\q"),
        ("# T\\\n## Task 1\n", 1, None, "no escape"),
        ("# T\n## Task 1\nid: 7\n\n## Task 2\nid: 07\n", 6, "id", "line 3"),
        ("# T\nid: 7\n## Task 1\n# U\nid: 07\n## Task 1\nid: 1\n", 5, "id", "line 2"),
        ("# T\n## Task 1\n### Answers\n", 3, None, "no answers under"),
        ("# T\n## Task 1\n### Answers\n2. a\n", 4, "answer 1", "numbered from 1"),
        ("# T\n## Task 1\n### Answers\n1. a\n\n3. b\n", 6, "answer 2", "numbered from 1"),
        ("# T\n## Task 1\n### Answers\n1. a\nb\n", 5, "answer 2", "\\n"),
        ("# T\n## Task 1\n### Answers\n1.a\n", 4, "answer 1", "`1. the answer`"),
        ("# T\n## Task 1\n### Answers\n1.\n", 4, "answer 1", "\\e"),
        ("# T\n## Task 1\n### Answers\n1. a |\n", 4, "answer 1", "\\|"),
        ("# T\n## Task 1\n### Answers\n1. | a\n", 4, "answer 1", "no answer here"),
        ("# T\n## Task 1\n### Answers\n1. a |  | b\n", 4, "answer 1", "no answer here"),
        ("# T\n## Task 1\n### Answers\n1. a\\b\n", 4, "answer 1", "no escape \\b"),
        ("# T\n## Task 1\n### Answers\n1. a\n## Task 2\n", 5, None, "has no answers"),
    ],
)
def test_errors_have_their_place(text: str, row: int, column: str | None, word: str) -> None:
    with pytest.raises(FormatError) as caught:
        formats.parse_document(text)
    assert (caught.value.place.row, caught.value.place.column) == (row, column)
    assert word in caught.value.message + caught.value.hint


def _set() -> tuple[ProblemSet, AnswerKey]:
    tasks = (
        Task("10001010100", "c1\n\nc2", "1. q", "translation", "multi", "eng_Latn", ("a", "b")),
        Task("10001010200", "other", "# q", "fill_blanks", "single", "eng_Latn", ("c",)),
    )
    key = AnswerKey(
        (
            TaskKey(
                "10001010100",
                (Reference(("x | y", "z")), Reference(("w",))),
                "public",
                2,
                "translation",
                "multi",
                "Because.",
            ),
            TaskKey("10001010200", (Reference(("",)),), "", 0.5, "fill_blanks", "single"),
        )
    )
    return ProblemSet((Problem("1000101", tasks, "T", "Vesh [x]"),)), key


def test_what_is_written_reads_like_a_sheet() -> None:
    problems, key = _set()
    assert render_plain_text(problems, key) == (
        "# T\nid: 1000101\nlanguage: Vesh [x]\nwork_lang: eng_Latn\ntask_lang: a, b\n\n"
        "c1\n\nc2\n\n"
        "## Task 1\nid: 10001010100\ntype: translation\neval: multi\npoints: 2\nsplit: public\n\n"
        "1. q\n\n"
        "### Answers\n1. x \\| y | z\n2. w\n\n"
        "### Explanation\nBecause.\n\n"
        "## Task 2\nid: 10001010200\ntype: fill_blanks\neval: single\npoints: 0.5\n"
        "task_lang: c\n\n"
        "\\# q\n\n"
        "### Context\nother\n\n"
        "### Answers\n1. \\e\n"
    )


def test_the_sheet_without_a_key_shows_nothing_of_it() -> None:
    problems, _ = _set()
    sheet = render_plain_text(problems)
    for word in ("Answers", "Explanation", "points", "split"):
        assert word not in sheet
    assert "eval: multi" in sheet


def test_writing_needs_tasks_and_the_whole_key() -> None:
    problems, key = _set()
    with pytest.raises(InputError, match="10001010200"):
        render_plain_text(problems, AnswerKey(key.tasks[:1]))
    with pytest.raises(InputError, match="no tasks"):
        render_plain_text(ProblemSet((Problem("1", ()),)))


@pytest.mark.parametrize("written", ["eval:", "Eval: "])
def test_a_blank_eval_stays_blank(written: str) -> None:
    text = f"# T\n## Task 1\n{written}\npoints: 2\n\nq\n### Answers\n1. a\n"
    problems, key = _read(text)
    assert (key.tasks[0].eval_type, problems.tasks[0].eval_type) == ("", "")
    again = formats.render_plain_text(problems, key)
    assert "\neval:\n" in again
    assert _read(again) == (problems, key)
    assert "eval" not in formats.render_plain_text(problems)


def _read(text: str) -> tuple[ProblemSet, AnswerKey]:
    document = formats.parse_document(text)
    assert document.problems is not None
    assert document.key is not None
    return document.problems, document.key


DATA = "Words of Tavi:\n\nkulo – dog\nkulomi – dogs\nsepa – house"


@pytest.mark.parametrize("title", ["", "# Tavi\n", "Tavi\n\n", "Problem 3 (20 marks)\n"])
@pytest.mark.parametrize(
    ("question", "queries"),
    [
        ("Translate into English:\n1. sepami", ["Translate into English:\n1. sepami"]),
        ("(a) Translate into English: 1. kulo\n\n(b) Translate into Tavi: 2. dog\n\nExplain.",
         ["(a) Translate into English: 1. kulo",
          "(b) Translate into Tavi: 2. dog\n\nExplain."]),
        ("Task 1\nWrite in Tavi.\n1. dog\n\nTask 2.\nHere is a word:\nrai – fish\n"
         "Give the plural:\n2. rai",
         ["Task 1\nWrite in Tavi.\n1. dog",
          "Task 2.\nHere is a word:\nrai – fish\nGive the plural:\n2. rai"]),
        ("How would you say in Tavi:\nthe dog", ["How would you say in Tavi:\nthe dog"]),
        ("tinu – ____", ["Fill in the blanks."]),
        ("tinu – (1)\n\nFill in the gaps.", ["Fill in the gaps."]),
    ],
)  # fmt: skip
def test_questions_without_headings_are_tasks(
    title: str, question: str, queries: list[str]
) -> None:
    document = formats.parse_document(f"{title}{DATA}\n\n{question}\n")
    assert document.problems is not None
    (problem,) = document.problems
    assert problem.title == title.strip("# \n")
    assert [task.query for task in problem.tasks] == queries
    assert all(task.context.startswith(DATA) for task in problem.tasks)
    assert len(document.warnings) == len(queries)
    assert all("no heading ## Task" in warning for warning in document.warnings)


@pytest.mark.parametrize(
    "meaning", ["Put the dog in the house.", "Give me the bird.", "What do you say?", "translate"]
)
def test_meanings_that_sound_like_questions_are_none(meaning: str) -> None:
    text = f"Sentences of Tavi:\n\n1. kulo\n{meaning}\n2. sepa\nI see.\n"
    with pytest.raises(InputError, match="no known format"):
        formats.parse_document(text)
    with pytest.raises(FormatError, match="has no task"):
        formats.parse_document(f"# T\n{text}")
    found = formats.parse_document(f"{text}\nTranslate into Tavi:\n3. I say.\n").problems
    assert found is not None
    assert [task.query for task in found.tasks] == ["Translate into Tavi:\n3. I say."]


@pytest.mark.parametrize(
    "text",
    [
        "once upon a time\nthere was a dog\nthe end.\n",
        "Translate into English:\n1. kulo\n",
        'id,contxt,qery\n1,"a\nb\nc\nTranslate into English:\n1. kulo"\n',
        "<html>\na\nTranslate into English:\n1. kulo\n",
    ],
)
def test_what_is_plainly_no_sheet_is_of_no_known_format(text: str) -> None:
    with pytest.raises(InputError, match="no known format"):
        formats.parse_document(text)
