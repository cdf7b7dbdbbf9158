from __future__ import annotations

from iolai.solvers.base import Budget
from iolai.solvers.induction.reader import (
    Cell,
    Column,
    Entry,
    Lists,
    Row,
    Sheet,
    SheetItem,
    Table,
    TaskSheet,
)
from iolai.solvers.induction.transcription import Spelling, Transcription, collect_pairs

# c is k before a back vowel and s before a front one; sh is one sound; final b is p.
PAIRS = [
    ("cano", "kano"), ("cire", "sire"), ("pacu", "paku"), ("loce", "lose"), ("shano", "ʃano"),
    ("mish", "miʃ"), ("tab", "tap"), ("bola", "bola"), ("rob", "rop"), ("corib", "korip"),
    ("sola", "sola"), ("hate", "hate"), ("cena", "sena"), ("nubo", "nubo"),
]  # fmt: skip


def _best(spelling: Spelling, word: str) -> str:
    outputs = spelling.predict(word)
    assert sum(outputs.values()) <= 1 + 1e-9
    return max(outputs, key=lambda text: outputs[text])


def _sheet(rows: list[tuple[str, ...]], roles: tuple[str, ...], *items: SheetItem) -> Sheet:
    table = Table(
        tuple(Column(role) for role in roles),
        tuple(Row(tuple(Cell(text) for text in row)) for row in rows),
    )
    return Sheet("x", (TaskSheet("1", items, "translate", tables=(table,)),), tables=(table,))


def test_contexts_decide() -> None:
    spelling = Spelling(PAIRS)
    assert _best(spelling, "cola") == "kola"
    assert _best(spelling, "cira") == "sira"
    assert _best(spelling, "lanub") == "lanup"
    assert _best(spelling, "bosh") == "boʃ"


def test_the_other_direction() -> None:
    spelling = Spelling([(other, one) for one, other in PAIRS])
    assert _best(spelling, "ʃola") == "shola"
    assert _best(spelling, "kona") == "cona"


def test_rules_are_told_once_with_minimal_contexts() -> None:
    rules = Spelling(PAIRS).described()
    assert len(rules) == len(set(rules))
    assert "b → p / _#" in rules
    assert not any(rule.startswith("n →") for rule in rules)


def test_inherent_vowels_are_spelt_out() -> None:
    pairs = [("கம்", "kam"), ("மகா", "makā"), ("தம்", "tam"), ("மாத", "māta"), ("கத்", "kat")]
    spelling = Spelling(pairs)
    assert _best(spelling, "தாம்") == "tām"
    assert "· → a" in spelling.described()


def test_unknown_segments_stand_for_themselves() -> None:
    assert _best(Spelling(PAIRS), "7") == "7"


def test_pairs_from_columns_cells_and_two_forms() -> None:
    columns = _sheet([("cano", "[kano]", "dog")], ("form", "phonetic", "gloss"))
    assert collect_pairs(columns, Budget()) == (("cano", "kano"),)
    cells = _sheet([("cano [kano] 'dog'", "cire [sire] 'ox'")], ("form", "gloss"))
    assert collect_pairs(cells, Budget()) == (("cano", "kano"), ("cire", "sire"))
    forms = _sheet([("кано", "kano", "dog")], ("form", "form", "gloss"))
    assert collect_pairs(forms, Budget()) == (("кано", "kano"),)


def test_pairs_from_matched_lists_of_two_spellings() -> None:
    words = ["Takomi", "Silena", "Maruba", "Wentiko", "Obares", "Nilo", "Kamelin", "Soturawe"]
    cipher = str.maketrans("takomislenrubw", "гфдшщзцлярпбэн")
    forms = tuple(Entry(str(i), w.lower().translate(cipher)) for i, w in enumerate(words))
    glosses = tuple(Entry(w[0], w) for w in sorted(words))
    sheet = Sheet("x", (), lists=(Lists(forms, glosses),))
    pairs = collect_pairs(sheet, Budget())
    assert len(pairs) >= 6
    assert all(one == other.lower().translate(cipher) for one, other in pairs)


def test_answers_both_directions_and_drops_glosses() -> None:
    items = (
        SheetItem("1", "cola 'sea'", "translate", "form", "phonetic"),
        SheetItem("2", "[ʃola] 'sky'", "translate", "gloss", "form"),
        SheetItem("3", "sea", "translate", "gloss", "form"),
    )
    sheet = _sheet([(a, f"[{b}]") for a, b in PAIRS], ("form", "phonetic"), *items)
    (proposal,) = Transcription().propose(sheet, Budget())
    assert proposal.answers[0, 0][0].text == "kola"
    assert proposal.answers[0, 1][0].text == "shola"
    assert (0, 2) not in proposal.answers
    assert proposal.grammar.rules
    assert 0 < proposal.grammar.left_out <= 1


def test_silent_where_nothing_is_transcribed() -> None:
    item = SheetItem("1", "sea", "translate", "gloss", "form")
    sheet = _sheet([("a", "b")], ("form", "gloss"), item)
    assert not list(Transcription().propose(sheet, Budget()))
