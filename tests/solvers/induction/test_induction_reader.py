"""The reader on invented sheets: every layout, and what no layout explains."""

from __future__ import annotations

import pytest

from iolai.records import Problem, Task
from iolai.solvers.induction.reader import Cell, Row, Sheet, read_sheet
from iolai.solvers.induction.reader.roles import _triples, column_roles, similarity

INTO_ENGLISH = "Translate into English:\n\n5. mako tiri\n6. tiri sulo"
PAIRS = [
    ("mako sulo", "the dog sees the cat"),
    ("tiri mako", "the bird hears the dog"),
    ("sulo tiri", "the cat hears the bird"),
    ("sulo mako", "the cat sees the dog"),
]


def sheet(*tasks: tuple[str, str], types: str = "translation") -> Sheet:
    return read_sheet(
        Problem("p", tuple(Task(f"t{n}", c, q, types) for n, (c, q) in enumerate(tasks)))
    )


@pytest.mark.parametrize("separator", [" | ", "\t", " – ", " — ", " - ", " = ", "    "])
@pytest.mark.parametrize("labelled", [True, False])
def test_pairs_whatever_parts_them(separator: str, labelled: bool) -> None:
    lines = [
        (f"{n}. " if labelled else "") + form + separator + gloss
        for n, (form, gloss) in enumerate(PAIRS, start=1)
    ]
    read = sheet(("Here are sentences in Ewkish:\n\n" + "\n".join(lines), INTO_ENGLISH))
    (table,) = read.tables
    assert [column.role for column in table.columns] == ["form", "gloss"]
    assert [tuple(cell.text for cell in row.cells) for row in table.rows] == PAIRS
    (task,) = read.tasks
    assert [(i.label, i.text, i.source, i.target) for i in task.items] == [
        ("5", "mako tiri", "form", "gloss"),
        ("6", "tiri sulo", "form", "gloss"),
    ]


def test_pairs_across_lines() -> None:
    lines = "\n".join(f"{n}. {f}\n{g}" for n, (f, g) in enumerate(PAIRS, start=1))
    (table,) = sheet((lines, INTO_ENGLISH)).tables
    assert [tuple(cell.text for cell in row.cells) for row in table.rows] == PAIRS


def test_glosses_may_come_first() -> None:
    lines = "\n".join(f"{g} | {f}" for f, g in PAIRS)
    read = sheet((lines, INTO_ENGLISH), (lines, "Translate into Ewkish:\n\nthe cat sees the bird"))
    (table,) = read.tables
    assert [column.role for column in table.columns] == ["gloss", "form"]
    assert read.tasks[1].items[0].target == "form"
    assert read.tasks[1].items[0].target_name == "Ewkish"


def test_columns_of_a_paradigm_with_blanks() -> None:
    context = (
        "Singular | Plural | Translation\nmako | makori | dog\ntiri | (1) | bird\n"
        "(2) | sulori | cat"
    )
    read = sheet((context, "Fill in the blanks (1-2)."), types="fill_blanks")
    (table,) = read.tables
    assert [(c.role, c.name) for c in table.columns] == [
        ("form", "Singular"),
        ("form", "Plural"),
        ("gloss", "Translation"),
    ]
    assert [item.place for item in read.tasks[0].items] == [(0, 1, 1), (0, 2, 0)]
    assert {item.layout for item in read.tasks[0].items} == {"blank"}


def test_blanks_in_the_query() -> None:
    context = " | | North | South\nmako | dog | makori | makomako\ntiri | bird | tiriri | tiritiri"
    query = "Fill in the blanks (1-2).\n\n | | North | South\nsulo | cat | (1) | (2)"
    read = sheet((context, query), types="fill_blanks")
    assert [item.place for item in read.tasks[0].items] == [(1, 0, 2), (1, 0, 3)]
    assert [item.target_name for item in read.tasks[0].items] == ["North", "South"]


def test_open_cells_are_no_blanks() -> None:
    context = "mako | makori | dog\n- | tiriri | bird\nsulo | (1) | the cat"
    read = sheet((context, "Fill in the blank (1)."), types="fill_blanks")
    assert [label for _, _, label in read.tables[0].blanks()] == ["1"]


def test_two_unordered_lists_in_the_context() -> None:
    context = "Words in arbitrary order:\n\n1. mako\n2. tiri\n3. sulo\n\nA. dog\nB. cat\nC. bird"
    read = sheet(
        (context, "Determine the correct correspondences."),
        (context, "Translate into English:\n4. x"),
    )
    match, translate = read.tasks
    assert match.layout == "match"
    assert [e.text for e in match.matching[0].forms] == ["mako", "tiri", "sulo"]
    assert [(e.label, e.text) for e in match.matching[0].glosses][1] == ("B", "cat")
    assert translate.layout == "translate"
    assert not translate.matching
    assert translate.lists == match.matching


def test_numerals_with_values_and_in_sums() -> None:
    context = "3 | mako\n5 | tiri\n15 | mako tiri"
    read = sheet(
        (context, "Write in numerals:\n\ntiri mako"), (context, "Write out in Ewkish:\n\n8")
    )
    assert [column.role for column in read.tables[0].columns] == ["value", "form"]
    assert [(t.layout, t.items[0].target) for t in read.tasks] == [
        ("number", "value"),
        ("number", "form"),
    ]
    sums = sheet(
        ("Sums:\n1. mako + tiri = sulo\n2. tiri × tiri = mako", "Write in numerals (1-2).")
    )
    assert [e.text for e in sums.equations] == ["mako + tiri = sulo", "tiri × tiri = mako"]
    assert [item.text for item in sums.tasks[0].items] == [
        "mako + tiri = sulo",
        "tiri × tiri = mako",
    ]


def test_blanks_in_such_cells_are_found_whether_their_line_has_one_cell_or_two() -> None:
    rows = "\n".join(f"{w} [{w}] 'x' — {w}ri [{w}ri] 'xs'" for w in ("mako", "tiri", "sulo"))
    query = (
        "Fill in the blanks (1)–(4).\n\n(1) [keta] 'y' — (2) [ketari] 'ys'\nkamo [(3)] 'z'\n"
        "lami [lami] 'v' — (4) [lamiri] 'vs'\nnoke [noke] 'u' — nokeri [nokeri] 'us'"
    )
    read = sheet((f"{rows}\nkesu [kesu] 'w'", query))
    assert "kesu" in [row.cells[0].text for row in read.tables[0].rows]
    items = read.tasks[0].items
    assert [(i.label, i.layout, i.target) for i in items] == [
        ("1", "blank", "form"), ("2", "blank", "form"), ("3", "blank", "phonetic"),
        ("4", "blank", "form"),
    ]  # fmt: skip


def test_words_beside_equations_are_the_languages_whatever_they_look_like() -> None:
    sums = "Sums:\n1. the + is = of the\n2. is × is = the of"
    complete, words = sheet(
        (sums, "Complete these:\n1. the + of = ____\n2. ____ × is = of"),
        (sums, "Which are these?\n1. the of\n2. is the"),
    ).tasks
    assert {(i.source, i.target) for i in complete.items} == {("", "form")}
    assert {(i.source, i.target) for i in words.items} == {("form", "value")}


def test_numerals_and_values_out_of_order() -> None:
    context = (
        "Numerals in alphabetical order, values ascending:\n\nmako, sulo, tiri, ewko\n\n3, 5, 8, 13"
    )
    (pair,) = sheet((context, "Write in numerals:\n\nmako sulo")).lists
    assert [e.text for e in pair.glosses] == ["3", "5", "8", "13"]


def test_values_told_in_prose() -> None:
    context = "The squares of the numbers 1 to 3 in arbitrary order:\n\nmako\ntiri\nsulo"
    (pair,) = sheet((context, "Write in numerals:\n\nmako sulo")).lists
    assert [e.text for e in pair.glosses] == ["1", "4", "9"]


def test_transcription_in_brackets() -> None:
    context = "mako | [mago] | dog\ntiri | [tʃiri] | the bird\nsulo | [zulo] | cat"
    read = sheet((context, "Transcribe the following words:\n\n4. kamo | fish"))
    assert [column.role for column in read.tables[0].columns] == ["form", "phonetic", "gloss"]
    item = read.tasks[0].items[0]
    assert (item.text, item.source, item.target) == ("kamo", "form", "phonetic")


@pytest.mark.parametrize("glosses", [("dog", "bird", "cat"), ("kůň", "dýně", "týden")])
def test_word_transcription_and_gloss_in_one_cell(glosses: tuple[str, ...]) -> None:
    context = "\n".join(
        f"{w} [{w}] '{g}' — {w}ri [{w}ri] '{g}s'"
        for w, g in zip(("mako", "tiri", "sulo"), glosses, strict=True)
    )
    (table,) = sheet((context, "Transcribe these words:\n\n1. kamo")).tables
    assert [column.role for column in table.columns] == ["form", "phonetic", "gloss"]
    assert [row.cells[1].text for row in table.rows] == [
        "[mako]", "[makori]", "[tiri]", "[tiriri]", "[sulo]", "[sulori]",
    ]  # fmt: skip


def test_questions_with_texts_are_no_blanks_of_the_table() -> None:
    context = "noun | one | many\ndog | mako | (1)\nbird | (2) | tiriri\ncat | sulo | sulori"
    blanks, words = sheet(
        (context, "Fill in the blanks (1-2)."),
        (context, "Write in Ewkish:\n\n1. dogs\n2. cats\n3. birds"),
        types="fill_blanks",
    ).tasks
    assert {item.layout for item in blanks.items} == {"blank"}
    assert {item.place for item in words.items} == {None}


def test_words_given_in_the_query() -> None:
    query = (
        "Here is one more word:\n\newk | tip\n\n"
        "The word olo means ‘egg’. Translate into Ewkish:\n\n1. cat"
    )
    read = sheet(("\n".join(f"{f} | {g}" for f, g in PAIRS), query))
    assert [(note.form, note.gloss) for note in read.notes] == [("olo", "egg")]
    assert ("ewk", "tip") in [
        tuple(cell.text for cell in row.cells) for table in read.tables for row in table.rows
    ]


def test_remarks_and_subheadings() -> None:
    context = "on Monday\nmako | the dog\n(a big one)\ntiri | the bird\non Friday\nsulo | the cat"
    (table,) = sheet((context, "Translate into English:\n\nmako")).tables
    assert [row.group for row in table.rows] == ["on Monday", "on Monday", "on Friday"]
    assert table.rows[0].cells[1].text == "the dog (a big one)"


@pytest.mark.parametrize(
    ("context", "query"),
    [
        ("", ""),
        ("", "Translate."),
        ("one page of prose. " * 400, "?"),
        ("|||\n||", "|"),
        ("\u202eabc", "\x00"),
    ],
)
def test_what_cannot_be_read_is_reported(context: str, query: str) -> None:
    read = sheet((context, query))
    assert len(read.tasks[0].items) >= 1
    assert read.report()


def test_items_are_counted_once_however_many_columns_they_are_compared_with() -> None:
    assert similarity(["abab"], ["bab"]) == 0.5  # of " ab", "aba", "bab" and "ab ", the last two
    assert similarity([], ["a"]) == 0
    rows = [Row(tuple(Cell(f"kuta{i}{n}") for i in range(6))) for n in range(3)]
    items = [f"mirano soke {n}" for n in range(50)]
    _triples.cache_clear()
    column_roles(rows, [""] * 6, items, [])
    # The items, none, and each of the six columns.
    assert _triples.cache_info().misses == 8


VALUES = "7 = taso\n9 = sul\n12 = hano\n14 = kani hano\n24 = hano kani\n"
SUMS = "Here are some equations:\n\ntin + vek = 7\nvek × vek = 9\nmur − tin = 12\n"
DIFFERENCES = "Here are some equations:\n\ntin – vek = mur\nmur – tin = vek\ntin – mur = sa\n"


@pytest.mark.parametrize("context", [VALUES, SUMS, DIFFERENCES])
@pytest.mark.parametrize(
    ("query", "equations"),
    [
        ("Fill in:\n\nrin × rin = (11)\n(12) × mik = hano", "rin × rin = ___; ___ × mik = hano"),
        ("Fill in the gaps: (a) + tin = mur; vek × (b) = ka", "___ + tin = mur; vek × ___ = ka"),
        ("Fill in the gaps.\n\n1. ___ + tin = mur\n2. tin = ___", "___ + tin = mur; tin = ___"),
        ("Fill in:\n\n___ (3) + tin = mur\nvek × ___(4) = ka", "___ + tin = mur; vek × ___ = ka"),
        ("Fill in the gaps.\n\n? + tin = mur\nvek × ? = ka", "___ + tin = mur; vek × ___ = ka"),
        ("Calculate:\n\n(1) tin + mur\n(2) vek × tin", "tin + mur = ___; vek × tin = ___"),
        ("What is:\na. tin + mur = ?\nb. vek × tin = ?", "tin + mur = ___; vek × tin = ___"),
        ("(1) mek + tin = ___\n(2) vek + ___ = tin", "mek + tin = ___; vek + ___ = tin"),
        ("Fill in (1-2):\n\n(1) – tin = mur\nvek – tin = (2)", "___ – tin = mur; vek – tin = ___"),
        ("Fill in (1-2):\n\n(1) + ka = (2)\nvek + tin = (1)", "vek + tin = ___; (1) + ka = ___"),
    ],
)
def test_blanks_of_equations_are_read_however_they_are_marked(
    context: str, query: str, equations: str
) -> None:
    (task,) = sheet((context, query), types="fill_blanks").tasks
    assert "; ".join(item.text for item in task.items) == equations
    assert {(item.layout, item.source) for item in task.items} == {("number", "")}


@pytest.mark.parametrize(
    ("context", "query", "targets"),
    [
        (VALUES, "Fill in:\n\n1. taso + sul = ___\n2. ___ + taso = hano", ["form", "form"]),
        (VALUES, "Fill in:\n\n1. taso = ___\n2. 21 = ___", ["value", "form"]),
        (SUMS, "Fill in:\n\n1. tin + mur = ___\n2. ___ + vek = 7", ["value", "form"]),
        (SUMS, "Write in Ewkish:\n\n1. tin + mur = ___\n2. tin × vek", ["form", "form"]),
        (VALUES, "Write the results in figures:\n\n1. tin + mur\n2. tin × vek", ["value", "value"]),
        (VALUES, "Write each as an Ewkish numeral:\n\n1. tin + mur", ["form"]),
    ],
)
def test_a_blank_takes_what_stands_in_its_place_elsewhere(
    context: str, query: str, targets: list[str]
) -> None:
    (task,) = sheet((context, query)).tasks
    assert [item.target for item in task.items] == targets


def test_compounds_with_a_plus_are_no_sums() -> None:
    context = "mako | dog\ntiri | bird\nmakotiri | ostrich"
    (task,) = sheet((context, "Fill in:\n\n1. mako + ___ = makotiri")).tasks
    assert task.items[0].layout != "number"
