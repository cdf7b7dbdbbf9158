"""Layouts of olympiad sheets, on one invented language: what is read is the same in each."""

from __future__ import annotations

import pytest

from iolai.records import Problem, Task
from iolai.solvers.induction.reader import Sheet, read_sheet
from iolai.solvers.induction.reader.word_pairs import open_pair

PAIRS = [
    ("mako sulo", "The dog sees the cat."),
    ("tiri mako", "The bird hears the dog."),
    ("sulo tirin", "The cat hears the birds."),
    ("sulon mako", "The cats see the dog."),
]
WORDS = [("mako", "dog"), ("tirin", "birds"), ("sulo", "cat"), ("kelo", "man")]
INTRO = "Here are some examples in Ulani and their English translations:\n\n"
INTO_ENGLISH = "Translate into English:\n\n5. kelo tiri\n6. makon sulo"
INTO_ULANI = "Translate into Ulani:\n\n7. The man sees the bird.\n8. The dogs hear the man."


def sheet(context: str, *queries: str) -> Sheet:
    tasks = (Task(f"t{n}", context, query, "") for n, query in enumerate(queries))
    return read_sheet(Problem("p", tuple(tasks)))


def lines(pattern: str, pairs: list[tuple[str, str]] = PAIRS) -> str:
    return "\n".join(pattern.format(n=n, f=f, g=g) for n, (f, g) in enumerate(pairs, start=1))


def pairs_of(read: Sheet) -> list[tuple[str, ...]]:
    (table,) = read.tables
    assert [column.role for column in table.columns] == ["form", "gloss"]
    return [tuple(cell.text for cell in row.cells) for row in table.rows]


@pytest.mark.parametrize(
    "pattern",
    [
        "{n}. {f} ‘{g}’", "{n}. {f} '{g}'", '{f} "{g}"', "{n}) {f} “{g}”", "{n}. {f} «{g}»",
        "{n}. {f}: {g}", "{n}. {f} → {g}", "{f} -> {g}", "{n}.  {f}  {g}", "{n:<4}{f:<20}{g}",
        "{n}. {f}– {g}", "{f}—{g}", "{n}.\u2002{f}\u2003{g}", "{n}.\u00a0{f}\u00a0–\u00a0{g}",
        "{n}. **{f}** — {g}", "{n}. *{f}* – '{g}'", "({n}) {f} — {g}", "{n} | {f} | {g}",
        "| {n}. | {f} | {g} |", "{n} & \\textit{{{f}}} & {g} \\\\", "\u200f{n}. {f} — \u200e{g}",
        "({n}) {f}\n‘{g}’", "{n}. {f}\n\n{g}\n", "{f}\n‘{g}’\n", "{n}. {f}\n   a-b c-d\n   ‘{g}’\n",
        "{n}. {f} — {g}*", "- {f} – {g}", "* {f} | {g}", "• {f}\t{g}", "– {f} = {g}",
        "- {f}\n  {g}", "{f}\n    {g}", "{f}\n{g}", "{f}\n\t{g}",
    ],
)  # fmt: skip
def test_pairs_are_the_same_in_every_layout(pattern: str) -> None:
    assert pairs_of(sheet(INTRO + lines(pattern), INTO_ENGLISH, INTO_ULANI)) == PAIRS


@pytest.mark.parametrize("pattern", ["{f} ({g})", "{n}. {f} ({g})"])
def test_meanings_in_brackets(pattern: str) -> None:
    assert pairs_of(sheet(INTRO + lines(pattern, WORDS), INTO_ENGLISH)) == WORDS


def test_remarks_in_brackets_of_a_few_lines_are_no_meanings() -> None:
    read = sheet("Words of Ulani:\n\nmako\ntiri (old)\nsulo\nkelo (rare)\nnaru (new)", INTO_ENGLISH)
    assert not read.tables


@pytest.mark.parametrize(
    "line",
    ["Ulani words: mako ‘dog’, tirin ‘birds’, sulo ‘cat’, kelo ‘man’.",
     "Ulani words: mako — dog; tirin — birds; sulo — cat; kelo — man."],
)  # fmt: skip
def test_pairs_within_one_line(line: str) -> None:
    assert pairs_of(sheet(line, INTO_ENGLISH)) == WORDS


def test_notes_on_sounds_are_no_pairs() -> None:
    note = 'dh is pronounced as th in "this", kh as ch in "loch", zh as s in "measure".'
    assert not sheet(note, INTO_ENGLISH).tables


def test_a_rule_below_a_row_makes_it_the_header_and_rows_are_broken_where_all_cells_are() -> None:
    context = (
        "| Ulani | English |\n|---|:--:|\n| mako sulo<br>mako sulon | A dog sees a cat.<br>"
        "A dog sees cats. |\n| tiri mako | The bird<br>hears the dog. |\n| kelo tiri | A man |"
    )
    read = sheet(context, INTO_ENGLISH)
    assert [column.name for column in read.tables[0].columns] == ["Ulani", "English"]
    assert pairs_of(read)[:3] == [
        ("mako sulo", "A dog sees a cat."),
        ("mako sulon", "A dog sees cats."),
        ("tiri mako", "The bird hears the dog."),
    ]


def test_persons_name_the_columns_of_a_paradigm() -> None:
    context = "| | 1sg | 2sg |\n|---|---|---|\n| to see | nako | nakos |\n| to go | vati | (1) |"
    (table,) = sheet(context, "Fill in the gap (1).").tables
    assert [(c.role, c.name) for c in table.columns] == [
        ("gloss", ""), ("form", "1sg"), ("form", "2sg"),
    ]  # fmt: skip


def test_numbers_before_values_stay_where_nothing_says_that_they_are_labels() -> None:
    context = "1 | sa | one\n2 | vek | two\n3 | mur | three"
    (table,) = sheet(context, "Write in numerals:\n(a) mur sa").tables
    assert [column.role for column in table.columns][:2] == ["value", "form"]


def test_lines_that_go_on_below_are_joined() -> None:
    context = (
        "1. mako sulo te\n   kelo — The dog that the\n   man knows.\n2. tiri te\n   kelo — The bird"
        "\n   of the man.\n3. sulo tirin — The cat hears the birds."
    )
    assert pairs_of(sheet(context, INTO_ENGLISH))[0] == (
        "mako sulo te kelo", "The dog that the man knows.",
    )  # fmt: skip


def test_a_table_of_two_numbered_lists_holds_no_pairs() -> None:
    rows = "| 1. | mako | A. | birds |\n| 2. | tirin | B. | man |\n| 3. | kelo | C. | dog |"
    read = sheet(f"In arbitrary order:\n\n{rows}", "Determine the correct correspondences.")
    assert not read.tables
    assert [e.text for e in read.lists[0].glosses] == ["birds", "man", "dog"]


def test_labels_in_brackets_of_equations() -> None:
    sums = "(1) sa² = sa\n(2) vek² + sa = lim\n(3) tol – sa = mur"
    read = sheet(sums, "Write the equalities (1)–(3) in numerals.")
    assert [(e.label, e.text) for e in read.equations] == [
        ("1", "sa² = sa"), ("2", "vek² + sa = lim"), ("3", "tol – sa = mur"),
    ]  # fmt: skip


def asked(read: Sheet) -> list[tuple[str, str, str, str]]:
    return [(i.label, i.text, i.layout, i.target) for task in read.tasks for i in task.items]


def test_parts_of_a_query_each_have_their_direction_and_are_no_options() -> None:
    context = INTRO + lines("{n}. {f} — {g}")
    both = f"(a) {INTO_ENGLISH}\n\n(b) {INTO_ULANI}"
    assert asked(sheet(context, both)) == [
        ("5", "kelo tiri", "translate", "gloss"),
        ("6", "makon sulo", "translate", "gloss"),
        ("7", "The man sees the bird.", "translate", "form"),
        ("8", "The dogs hear the man.", "translate", "form"),
    ]
    assert [way for *_, way in asked(sheet(context, f"(b) {INTO_ULANI}"))] == ["form", "form"]


@pytest.mark.parametrize(
    "query",
    ["*5.* **kelo tiri**\n*6.* **makon sulo**", "*5* kelo tiri\n*6* makon sulo",
     "| 5. | kelo tiri |\n| 6. | makon sulo |", "5 | kelo tiri\n6 | makon sulo",
     "\u200f5. kelo tiri\n\u200f6. makon sulo"],
)  # fmt: skip
def test_labels_of_items_whatever_their_type(query: str) -> None:
    read = sheet(INTRO + lines("{n}. {f} — {g}"), f"Translate into English:\n{query}")
    assert [row[:2] for row in asked(read)] == [("5", "kelo tiri"), ("6", "makon sulo")]
    assert len(read.tables) == 1


@pytest.mark.parametrize(
    ("query", "items"),
    [
        ("(b) Translate into Ulani: 6. cats; 7. a dog", [("6", "cats"), ("7", "a dog")]),
        ("Translate into Ulani: the cats", [("", "the cats")]),
        ("Say in Ulani:\n- the cats\n- a dog", [("", "the cats"), ("", "a dog")]),
        ("Translate into Ulani: 1. cats, 2. a dog", [("1", "cats"), ("2", "a dog")]),
        ("What do these mean in English?\nkelo\nsulo", [("", "kelo"), ("", "sulo")]),
    ],
)  # fmt: skip
def test_items_of_short_queries(query: str, items: list[tuple[str, str]]) -> None:
    read = sheet(INTRO + lines("{n}. {f} — {g}"), query)
    assert [row[:2] for row in asked(read)] == items


@pytest.mark.parametrize("name", ["Ékali", "ǃXuni", "Òlu", "North Ulani"])
def test_names_of_languages_in_any_alphabet(name: str) -> None:
    read = sheet(INTRO + lines("{n}. {f} — {g}"), f"Translate into {name}:\n5. The cat.")
    assert [(i.target, i.target_name) for i in read.tasks[0].items] == [("form", name)]


def columns_of(read: Sheet) -> list[tuple[str, str]]:
    return [(column.role, column.name) for column in read.tables[0].columns]


def test_several_pairs_on_each_line() -> None:
    context = "nako 'I see', nakos 'you see'\nluvo 'I hear', luvos 'you hear'"
    assert pairs_of(sheet(context, INTO_ENGLISH))[1:3] == [("nakos", "you see"), ("luvo", "I hear")]


@pytest.mark.parametrize(
    ("pattern", "roles"),
    [
        ("{f} – {f}n ({g})", ["form", "form", "gloss"]),
        ("{f} [{f}] — ‘{g}’", ["form", "phonetic", "gloss"]),
        ("{n}. {f} /{f}/ {g}", ["form", "phonetic", "gloss"]),
        ("{f} / {g}", ["form", "gloss"]),
        ("{f};{g}", ["form", "gloss"]),
    ],
)
def test_columns_within_cells_and_behind_weak_signs(pattern: str, roles: list[str]) -> None:
    read = sheet(lines(pattern, WORDS), INTO_ENGLISH)
    assert [role for role, _ in columns_of(read)] == roles
    assert [row.cells[-1].text for row in read.tables[0].rows] == [gloss for _, gloss in WORDS]


def test_a_remark_on_every_meaning_stays_with_it() -> None:
    context = "mako – the dog (toma)\ntirin – the birds (rike)\nkelo – the man (pala)"
    assert [role for role, _ in columns_of(sheet(context, INTO_ENGLISH))] == ["form", "gloss"]


def test_another_script_beside_latin_letters() -> None:
    read = sheet("1. ᚠᚢ fu\n2. ᚦᚨ tha\n3. ᚱᚲ rk", "Transcribe:\n4. ᚱᚨ")
    assert [cell.text for cell in read.tables[0].rows[1].cells] == ["ᚦᚨ", "tha"]


def test_a_line_of_names_whose_corner_is_empty() -> None:
    context = (
        "           here     there\nI see      nako     nakit\nyou see    nakos    nakist\n"
        "he sees    naki     (1)"
    )
    read = sheet(context, "Fill in the blank (1).")
    assert columns_of(read) == [("gloss", ""), ("form", "here"), ("form", "there")]


@pytest.mark.parametrize(
    ("query", "labels"),
    [("7. (a) kelo (b) makon", ["a", "b"]), ("7 kelo\n8 makon", ["7", "8"])],
)
def test_labels_without_a_stop_and_labels_within_labels(query: str, labels: list[str]) -> None:
    read = sheet(INTRO + lines("{n}. {f} — {g}"), f"Translate into English:\n{query}")
    found = [row[:2] for row in asked(read)]
    assert found == [(labels[0], "kelo"), (labels[1], "makon")]


def test_a_blank_in_a_numbered_equation_is_one_item() -> None:
    sums = "(1) sa + vek = mur\n(2) mur × mur = tol\n(3) tol + ___ = vek tol"
    assert len(sheet(sums, "Fill in the gap.").tasks[0].items) == 1


CHANGED = [
    ("pata", "pada"), ("kiki", "kigi"), ("tupo", "tubo"), ("mektu", "mektu"), ("miko", "migo"),
    ("sepe", "sebe"), ("lapi", "labi"),
]  # fmt: skip
PLURALS = [("pata", "patat"), ("kiki", "kikit"), ("satak", "satakt"), ("miko", "mikot")]


def cells_asked(read: Sheet) -> list[tuple[str, int]]:
    """Return of each item that is a blank what stands beside it, and its column."""
    found = []
    for task in read.tasks:
        for item in task.items:
            assert item.layout == "blank"
            assert item.place is not None
            t, r, c = item.place
            cells = task.tables[t].rows[r].cells
            found.append((next(cell.text for cell in cells if cell.text), c))
    return found


@pytest.mark.parametrize(
    ("head", "sign", "query", "column"),
    [
        ("singular | plural", " | ", "Give the plural of:", 1),
        ("singular | plural", " | ", "Give the singular of these plurals:", 0),
        ("Old Ulani | New Ulani", " | ", "Give the New Ulani forms of these words:", 1),
        ("Old Ulani | New Ulani", " | ", "Write the following words in Old Ulani:", 0),
        ("Words of Old Ulani and of New Ulani:\n", " – ", "Translate into New Ulani:", 1),
        ("Words of Old Ulani and of New Ulani:\n", " – ", "Translate into Old Ulani:", 0),
        ("Words of Ulani and Tiri:\n", " → ", "What are the words of Tiri?", 1),
        ("Some words change:\n", " > ", "Change these words in the same way:", 1),
    ],
)
def test_words_asked_beside_words_are_blanks(head: str, sign: str, query: str, column: int) -> None:
    context = "\n".join([head, *(sign.join(pair) for pair in CHANGED)])
    read = sheet(context, f"{query}\n1. poki\n2. katap")
    assert [column.role for column in read.tables[0].columns] == ["form", "form"]
    assert len(read.tables[0].rows) == len(CHANGED)
    assert cells_asked(read) == [("poki", column), ("katap", column)]


@pytest.mark.parametrize(
    "query",
    ["Give the plural of:\n1. poki\n2. katap\n\nGive the singular of:\n3. rabit",
     "Give the plural of: 1. poki 2. katap\nGive the singular of: 3. rabit",
     "Give the plural of: 1. poki 2. katap Give the singular of: 3. rabit",
     "(a) Give the plural of: poki, katap. (b) Give the singular of: rabit"],
)  # fmt: skip
@pytest.mark.parametrize("head", ["singular | plural\n", ""])
def test_each_word_is_asked_for_as_its_own_instruction_says(query: str, head: str) -> None:
    context = head + "\n".join(" | ".join(pair) for pair in PLURALS)
    assert cells_asked(sheet(context, query)) == [("poki", 1), ("katap", 1), ("rabit", 0)]


@pytest.mark.parametrize(
    "query",
    ["Translate into English: 1. tirin 2. mako Translate into Ulani: 3. cats",
     "Translate into English: tirin; mako\nTranslate into Ulani: cats"],
)  # fmt: skip
def test_instructions_behind_one_another_each_have_their_direction(query: str) -> None:
    found = [row[1:] for row in asked(sheet(INTRO + lines("{f} – {g}", WORDS), query))]
    assert found == [
        ("tirin", "translate", "gloss"),
        ("mako", "translate", "gloss"),
        ("cats", "translate", "form"),
    ]


OPEN_TABLE = [
    ("", "singular", "plural"), ("stone", "pata", "patat"), ("house", "kiki", ""),
    ("bird", "", "satakt"), ("fish", "miko", ""), ("dog", "tupo", "tupot"),
]  # fmt: skip


@pytest.mark.parametrize("row", ["{}\t{}\t{}", "{} | {} | {}", "| {} | {} | {} |"])
@pytest.mark.parametrize("query", ["Fill in the gaps.", "Give the missing forms.", "In the query"])
def test_empty_cells_are_blanks_where_the_query_asks_to_fill_in(row: str, query: str) -> None:
    context, asks = "\n".join(row.format(*cells) for cells in OPEN_TABLE), query
    if query == "In the query":
        context, asks = "", f"Fill in the empty cells:\n\n{context}"
    read = sheet(context, asks)
    (table,) = read.tables
    assert [c.role for c in table.columns] == ["gloss", "form", "form"]
    assert [c.name for c in table.columns] == ["", "singular", "plural"]
    assert len(table.rows) == 5
    assert [item.place for item in read.tasks[0].items] == [(0, 1, 2), (0, 2, 1), (0, 3, 2)]


def test_empty_cells_of_a_table_of_tabs_keep_their_columns_whatever_is_asked() -> None:
    context = "\n".join("\t".join(cells).rstrip() for cells in OPEN_TABLE)
    read = sheet(context, "Translate into English:\n1. patat")
    (table,) = read.tables
    assert [cell.text for cell in table.rows[2].cells] == ["bird", "", "satakt"]
    assert len(read.tasks[0].items) == 1


def test_tabs_that_only_align_make_no_empty_cells() -> None:
    (table,) = sheet(INTRO + lines("{f}\t\t{g}", WORDS), "Fill in the gaps.").tables
    assert len(table.columns) == 2


def test_columns_of_singulars_and_plurals_are_no_meanings_however_few_they_are() -> None:
    read = sheet("singular | plural\npata | patat\nkiki | ____", "Fill in the gap.")
    assert [column.role for column in read.tables[0].columns] == ["form", "form"]


@pytest.mark.parametrize("sign", [".", ")"])
def test_thousands_of_numbered_items_are_all_read(sign: str) -> None:
    items = "\n".join(f"{n}{sign} poki" for n in range(1, 2001))
    context = "singular | plural\n" + "\n".join(" | ".join(pair) for pair in PLURALS)
    read = sheet(context, f"Give the plural of:\n{items}")
    assert [item.label for item in read.tasks[0].items] == [str(n) for n in range(1, 2001)]
    assert cells_asked(read) == [("poki", 1)] * 2000
    assert not read.unread


def test_a_number_of_four_figures_begins_no_list() -> None:
    read = sheet(INTRO + lines("{f} – {g}", WORDS), "Translate into English:\n1066. kelo\ntirin")
    assert not any(item.label for item in read.tasks[0].items)


def test_items_numbered_too_high_are_reported() -> None:
    items = "\n".join(f"{n}. a" for n in range(1, 10_002))
    read = sheet("", f"Translate into English:\n{items}")
    assert len(read.tasks[0].items) == 9999
    assert "not understood: 2 lines of task t0 numbered past 9,999" in read.report()


@pytest.mark.parametrize(
    "head", ["Old Ulani | New Ulani", "Sentences of Old Ulani and New Ulani:\n"]
)
def test_sentences_of_two_dialects_are_asked_beside_one_another(head: str) -> None:
    words = dict(CHANGED)
    old = ["pata kiki tupo", "kiki pata", "mektu miko sepe lapi", "sepe tupo miko"]
    new = [" ".join(words[word] for word in sentence.split()) for sentence in old]
    context = "\n".join([head, *map(" | ".join, zip(old, new, strict=True))])
    query = (
        "Translate into New Ulani:\n1. lapi miko pata\n\nTranslate into Old Ulani:\n2. kigi tubo"
    )
    read = sheet(context, query)
    assert [column.role for column in read.tables[0].columns] == ["form", "form"]
    assert cells_asked(read) == [("lapi miko pata", 1), ("kigi tubo", 0)]


def test_sentences_unlike_each_other_are_sentences_and_meanings() -> None:
    (table,) = sheet(lines("{f} | {g}", PAIRS), "Translate into Ulani:\n5. The cat hears.").tables
    assert [column.role for column in table.columns] == ["form", "gloss"]


def test_the_letters_of_items_say_in_which_column_they_stand() -> None:
    context = "\n".join(f"{one} – {other}" for one, other in PLURALS)
    assert cells_asked(sheet(context, "Go on:\n1. tupot\n2. nakat")) == [("tupot", 0), ("nakat", 0)]


@pytest.mark.parametrize("sign", [" → ", " = ", " > ", " – "])
def test_pairs_with_blanks_whatever_the_sign(sign: str) -> None:
    query = f"Fill in the blanks:\n1. poki{sign}____\n2. ?{sign}tobi"
    words = sheet(lines(f"{{f}}{sign}{{g}}", CHANGED), query)
    assert cells_asked(words) == [("poki", 1), ("tobi", 0)]
    glossed = sheet(lines(f"{{f}}{sign}{{g}}", WORDS), query.replace("tobi", "dog"))
    ways = [(item.text, item.source, item.target) for item in glossed.tasks[0].items]
    assert ways == [("poki", "form", "gloss"), ("dog", "gloss", "form")]


def test_words_like_their_meanings_are_still_glossed_where_english_is_asked_for() -> None:
    loans = [("kafe", "cafe"), ("hotela", "hotel"), ("banka", "bank"), ("tramo", "tram")]
    read = sheet(lines("{f} – {g}", loans), "Translate into English:\n1. museo")
    assert [column.role for column in read.tables[0].columns] == ["form", "gloss"]


@pytest.mark.parametrize("flip", [False, True])
def test_a_first_row_unlike_all_others_is_the_header(flip: bool) -> None:
    rows = [("Ulani word", "Sense"), *WORDS]
    context = "\n".join(" | ".join(reversed(row) if flip else row) for row in rows)
    (table,) = sheet(context, "Translate into English:\n1. keloni").tables
    assert len(table.rows) == len(WORDS)
    assert {column.name: column.role for column in table.columns} == {
        "Ulani word": "form",
        "Sense": "gloss",
    }
    framed = [("noun", "my ..."), *WORDS]
    read = sheet("\n".join(" | ".join(row) for row in framed), "Go on:\n1. tiri")
    assert [column.name for column in read.tables[0].columns] == ["noun", "my ..."]


@pytest.mark.parametrize("sign", [" | ", "\t", " – "])
@pytest.mark.parametrize(
    ("head", "query"),
    [
        (("Old Fenish", "New Fenish"), "What would these words be today?"),
        (("one", "many"), "Go on:"),
        (("older sister", "younger sister"), "Go on:"),
        (("the town", "its inhabitants"), "What are the inhabitants called?"),
        (("base", "frequentative"), "Give the frequentatives:"),
    ],
)
def test_words_that_name_the_columns_are_no_example(
    head: tuple[str, str], query: str, sign: str
) -> None:
    context = lines(f"{{f}}{sign}{{g}}", [head, *CHANGED])
    (table, _) = sheet(context, f"{query}\n1. poki\n2. katap").tables
    assert [column.name for column in table.columns] == list(head)
    assert len(table.rows) == len(CHANGED)


@pytest.mark.parametrize("head", [("Ulani sentence", "its translation"), ("Ulani", "in English")])
def test_what_says_that_a_column_translates_is_no_example(head: tuple[str, str]) -> None:
    (table,) = sheet(lines("{f} | {g}", [head, *PAIRS]), INTO_ENGLISH).tables
    assert [column.name for column in table.columns] == list(head)
    assert len(table.rows) == len(PAIRS)


@pytest.mark.parametrize("first", [("mako tiri", "dogs"), ("one", "oneli"), ("patako", "bi")])
def test_a_first_example_like_the_others_or_in_the_language_stays(first: tuple[str, str]) -> None:
    context = lines("{f} | {g}", [first, *CHANGED])
    table = sheet(context, "Go on with these words:\n1. poki\n2. katap").tables[0]
    assert [row.cells[0].text for row in table.rows][:2] == [first[0], CHANGED[0][0]]


@pytest.mark.parametrize(
    ("query", "word", "column"),
    [("Give the plural of:", "vok", 1), ("The singular of:", "goti", 0)],
)
def test_words_asked_beside_words_with_their_meanings_are_blanks(
    query: str, word: str, column: int
) -> None:
    rows = """singular | plural | meaning
nak | nagi | stone
rup | rubi | bird
mol | moli | house
dip | dibi | hand"""
    (item,) = sheet(rows, f"{query}\n1. {word}").tasks[0].items
    assert (item.layout, item.target, item.place and item.place[2]) == ("blank", "form", column)
    (item,) = sheet(rows, f"Translate the plural into English:\n1. {word}").tasks[0].items
    assert (item.layout, item.target) == ("translate", "gloss")


@pytest.mark.parametrize("head", [("noun", "my noun"), ("present", "past"), ("verb", "negative")])
def test_a_first_row_of_terms_of_grammar_is_the_header(head: tuple[str, str]) -> None:
    framed = [head, *CHANGED, ("poki", "____")]
    read = sheet("\n".join(" | ".join(row) for row in framed), "Fill in the blanks.")
    assert tuple(column.name for column in read.tables[0].columns) == head
    assert len(read.tables[0].rows) == len(CHANGED) + 1
    glosses = [("tama", "past"), *WORDS]
    read = sheet("\n".join(" | ".join(row) for row in glosses), "Translate into English:\n1. tama")
    assert len(read.tables[0].rows) == len(glosses)


def test_how_would_you_say_asks_for_the_language() -> None:
    read = sheet(INTRO + lines("{f} – {g}"), "How would you say:\n1. The man sees the bird.")
    assert [(i.source, i.target) for i in read.tasks[0].items] == [("gloss", "form")]


@pytest.mark.parametrize("mark", ["?", "...", "…"])
@pytest.mark.parametrize("sign", [" – ", " | ", " → "])
def test_open_sides_of_pairs_in_the_context_are_the_blanks(mark: str, sign: str) -> None:
    pairs = [*CHANGED, ("poki", mark), (mark, "tobi")]
    read = sheet(lines(f"{{f}}{sign}{{g}}", pairs), "Fill in the missing words.")
    assert cells_asked(read) == [("poki", 1), ("tobi", 0)]


@pytest.mark.parametrize("text", ["_ " * 50_000 + "x", "x" + " " * 100_000 + "=" + "." * 100_000])
def test_a_very_long_item_is_no_pair(text: str) -> None:
    assert open_pair(text) is None


def test_the_longest_row_may_stand_closer_than_the_others() -> None:
    width = max(len(form) for form, _ in PAIRS) + 2
    rows = "\n".join(f"{n}. {form:<{width}}{gloss}" for n, (form, gloss) in enumerate(PAIRS, 1))
    assert pairs_of(sheet(INTRO + rows, INTO_ENGLISH)) == PAIRS


@pytest.mark.parametrize("sign", [" | ", "\t"])
def test_persons_over_a_table_are_its_header(sign: str) -> None:
    rows = ["verb|I|you|he", "go|napalo|kapalo|palo", "see|natimi|?|timi", "eat|?|kasoru|?",
            "sleep|nadeke|kadeke|deke"]  # fmt: skip
    read = sheet("\n".join(row.replace("|", sign) for row in rows), "Fill in the blanks.")
    assert [column.name for column in read.tables[0].columns] == ["verb", "I", "you", "he"]
    assert len(read.tasks[0].items) == 3
