"""Items and options read from the layout of a task; measured on real and on built-in problems."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from iolai.evaluation import read_builtin, read_problems_with_key
from iolai.reading import read_items, read_options, read_options_text
from iolai.records import AnswerKey, Item, ProblemSet, Task

LINGUINI = Path(__file__).parents[3] / "shared/data/linguini-2003-2019.zip"

NUMBERED = "16. ka\n17. be\n18. so\n19. mi"
LISTS = "28. a\n29. b\n30. c\n\nII. x\nJJ. y\nKK. z"
CASES = [
    # labels in the query
    (f"Translate into English:\n\n{NUMBERED}", "", "16 17 18 19"),
    (f"16-19. Translate into English:\n{NUMBERED}", "", "16 17 18 19"),
    ("Translate:\nBB. a\nCC. b\nDD. c", "", "BB CC DD"),
    ("Translate:\nI. a\nII. b\nIII. c", "", "I II III"),
    ("Translate:\nh. a\ni. b\nj. c", "", "h i j"),
    ("Translate: (a) ka (b) be (c) so", "", "a b c"),
    ("Translate:\n1) ka; 2) be; 3) so", "", "1 2 3"),
    ("Translate:\n**1.** ka\n**2.** be", "", "1 2"),
    ("Translate:\n16a. ka\n16b. be\n17a. so", "", "16a 16b 17a"),
    ("Translate:\n1. ka\n2. be\nTranslate into X:\n1. so\n2. mi\n3. lo", "", "1 2 1 2 3"),
    ("1. Translate into English:\na) ka\nb) be\n2. Into X:\nc) so\nd) mi", "", "a b c d"),
    ("1. Translate into English:\na) ka\nb) be\n2. Into X:\na) so", "", "1a 1b 2a"),
    ("Here are more words:\n\n1. ka | x\n2. be | y\n\nTranslate:\n\n3. so\n4. mi", "", "3 4"),
    ("Fill in:\n15. ____ | ____ | ka\n16. ____ | so | ____", "", "15.1 15.2 16.1 16.2"),
    ("Fill in:\n1. ka ____ be\n2. ____ so", "", "1 2"),
    # a range or a list of labels in the instruction
    ("Translate 16-19 into English.", NUMBERED, "16 17 18 19"),
    ("Translate sentences 16 to 18.", NUMBERED, "16 17 18"),
    ("Fill in the gaps (1)–(5).", "", "1 2 3 4 5"),
    ("Fill in the gaps (i)-(vi).", "ka | (i)\n(ii) | be", "i ii iii iv v vi"),
    ("Translate BB–HH into English.", "", "BB CC DD EE FF GG HH"),
    ("Fill in the blanks (1), (2) and (3).", "ka (1) be (2)\n(3) so", "1 2 3"),
    ("16–18\nTranslate into English:\nka\nbe\nso", "", "16 17 18"),
    ("Match 28-30 with II-KK.", LISTS, "28 29 30"),
    # what the query only points at stands in the context
    ("Determine the correct correspondences.", LISTS, "28 29 30"),
    ("Fill in the blanks.", "ka | (1) | be\n(2) | so | mi", "1 2"),
    ("Fill in the blanks.", "ka | ____\n____ | so", "- -"),
    ("Complete the table.", "X | Y | Z\nka | be | \nso |  | mi", "- -"),
    ("Fill in the blanks: ka ____ so ____ mi", "", "- -"),
    # no labels
    ("- ka\n- be", "", "- -"),
    ("１. ka\n２. be\n３. so", "", "- - -"),
    ("① ka\n② be", "", "- -"),
    ("أ. ka\nب. be", "", "- -"),
    ("а) ka\nб) be\nв) so", "", "- - -"),
    ("ka – ?\nbe – ?\nso: ?", "", "- - -"),
    ("| X | Y |\n|---|---|\n| ka | ? |\n| ? | be |", "", "- -"),
    ("Translate ka, be and so.", "", "-"),
    ("Translate into X:\n- ka\n- be", "", "- -"),
    ("Translate into X:\n\n2 yams\n14 yams\n20 nuts", "", "- - -"),
    ("Translate into English:\nsi teŋkuŋi:\nbi teŋkuŋi:", "", "- -"),
    ("Translate into English:\nka\nbe\n\nTranslate into X:\nso\nmi", "", "- - - -"),
    ("Translate into English:\n\nka\nbe\n\nBe sure to mark the stress.", "", "- -"),
    ("Write in figures: ka be, so, mi lo", "", "- - -"),
    ("Translate the words ka, be and so into English.", "", "- - -"),
    ("Explain how colours are formed.", "", "-"),
    ("Translate into X: Bring 40 nuts, Mark!", "", "-"),
]


@pytest.mark.parametrize(("query", "context", "labels"), CASES)
def test_the_labels_of_the_items(query: str, context: str, labels: str) -> None:
    found = " ".join(item.label or "-" for item in read_items(Task("1", context, query)))
    assert found == labels


def test_an_item_has_the_text_beside_its_label() -> None:
    items = read_items(Task("1", "", "Translate:\n\n1. ka be | gloss\n2. so;\n3.\nmi"))
    assert items == (Item("1", "ka be | gloss"), Item("2", "so"), Item("3", "mi"))


def test_a_range_takes_its_texts_from_the_context() -> None:
    assert read_items(Task("1", NUMBERED, "Translate 17-18."))[1] == Item("18", "so")


def test_a_blank_has_no_text() -> None:
    items = read_items(Task("1", "ka | (1) | be", "Fill in the blanks (1-2)."))
    assert items == (Item("1", ""), Item("2", ""))


def test_an_unlabelled_line_is_an_item() -> None:
    items = read_items(Task("1", "", "Write in X:\n\n21\n48"))
    assert items == (Item("", "21"), Item("", "48"))


def test_options_are_the_letters_beside_the_numbers() -> None:
    columns = "Match:\n1. ka | A. dog\n2. be | B. cat\n3. so | C. cow"
    assert read_options(Task("1", "", columns)) == ("A", "B", "C")
    assert read_options(Task("1", LISTS, "Determine the correspondences.")) == ("II", "JJ", "KK")
    options = read_options_text(Task("1", "", columns))
    assert [(option.letter, option.text) for option in options][:2] == [("A", "dog"), ("B", "cat")]


def test_options_go_on_past_z() -> None:
    letters = [*"ABCDEFGHIJKLMNOPQRSTUVWXYZ", "AA", "BB"]
    query = "Match:\n" + "\n".join(f"{n + 1}. w{n}" for n in range(28)) + "\n"
    query += "\n".join(f"{letter}. m" for letter in letters)
    assert read_options(Task("1", "", query)) == tuple(letters)
    query = query.replace("\nAA.", "\nA1.").replace("\nBB.", "\nB1.")
    assert read_options(Task("1", "", query))[-2:] == ("A1", "B1")


def test_lettered_items_of_a_translation_are_no_options() -> None:
    task = Task("1", LISTS, "Translate into X:\n\nR. centre\nS. head\nT. nose")
    assert [item.label for item in read_items(task)] == ["R", "S", "T"]
    assert read_options(task) == ()


def test_the_task_type_is_a_hint_where_the_query_says_nothing() -> None:
    assert len(read_items(Task("1", LISTS, "Do it.", "match_letters"))) == 3
    assert read_options(Task("1", LISTS, "Do it.", "match_letters")) == ("II", "JJ", "KK")
    assert len(read_items(Task("1", LISTS, "Do it."))) == 1


def _wrong(problems: ProblemSet, key: AnswerKey) -> list[str]:
    tasks = {task.id: key.get(task.id) for task in problems.tasks}
    counts = {name: task.n_items for name, task in tasks.items() if task is not None}
    return [t.id for t in problems.tasks if len(read_items(t)) != counts[t.id]]


def _outside(problems: ProblemSet, key: AnswerKey) -> list[str]:
    """Tasks whose options are missing, or lack a letter that is a reference."""
    bad = []
    for task in problems.tasks:
        task_key = key.get(task.id)
        assert task_key is not None
        given = {text for reference in task_key.references for text in reference.alternatives}
        options = set(read_options(task))
        is_matching = task.task_type == "match_letters"
        if bool(options) != is_matching or (is_matching and not given <= options):
            bad.append(task.id)
    return bad


def test_the_built_in_problems_are_read_whole() -> None:
    problems, key = read_builtin()
    assert (_wrong(problems, key), _outside(problems, key)) == ([], [])


@pytest.mark.skipif(not LINGUINI.is_file(), reason="needs the Linguini problems in ../shared/data")
def test_items_of_the_linguini_problems() -> None:
    """Reached: the item count of all 128 tasks, and the options of all matching tasks."""
    problems, key = read_problems_with_key(LINGUINI, password="linguisticreasoning")  # noqa: S106
    assert len(problems.tasks) == 128
    assert (_wrong(problems, key), _outside(problems, key)) == ([], [])


@pytest.mark.parametrize(
    "unit", ["1. ", "(1) ", "1. a\n", "1-5 ", "| ? ", "foo:\n", "_", "(", "a. ", "the words a, "]
)
def test_a_hostile_query_takes_no_longer_than_it_must(unit: str) -> None:
    text = unit * (50_000 // len(unit))
    task = Task("1", text, text, "match_letters")
    start = time.process_time()
    assert len(read_items(task)) >= 1
    read_options(task)
    assert time.process_time() - start < 3


@pytest.mark.parametrize(
    ("query", "labels", "options"),
    [
        ("A. ka B. mo\n1. x 2. y 3. z", ["A", "B"], ("1", "2", "3", "A", "B")),
        ("A. ka B. mo C. ti\n1. x 2. y", ["1", "2"], ("A", "B", "C")),
        ("1. x 2. y\nA. ka B. mo", ["1", "2"], ("A", "B")),
    ],
)
def test_letters_above_no_fewer_numbers_are_items(
    query: str, labels: list[str], options: tuple[str, ...]
) -> None:
    task = Task("1", "", query)
    assert [item.label for item in read_items(task)] == labels
    assert read_options(task) == options


def test_labels_of_other_scripts_are_no_part_of_an_items_text() -> None:
    for query in ("Translate:\n① ka\n② be", "１．ka\n２．be", "Translate:\nа) ka\nб) be"):
        assert [item.text for item in read_items(Task("1", "", query))] == ["ka", "be"]
