"""The pairs of forms and glosses that a sheet gives, wherever they stand."""

from __future__ import annotations

from collections.abc import Sequence

from iolai.solvers.induction.reader import Sheet, Table

__all__ = ["example_pairs"]


def example_pairs(sheet: Sheet, column: str = "") -> list[tuple[str, str]]:
    """Return the distinct (form, gloss) pairs of tables and notes.

    ``column`` names the form column where tables have several; else the first is taken.
    """
    pairs: dict[str, str] = {}
    for table in sheet.tables:
        forms, glosses = table.places("form"), table.places("gloss")
        if not forms or not glosses:
            continue
        place = _place(table, forms, column)
        for row in table.rows:
            form, gloss = row.cells[place].text, row.cells[glosses[0]].text
            if form and gloss:
                pairs.setdefault(form, gloss)
    for note in sheet.notes:
        pairs.setdefault(note.form, note.gloss)
    return list(pairs.items())


def _place(table: Table, forms: Sequence[int], column: str) -> int:
    return next((k for k in forms if table.columns[k].name == column), forms[0])
