"""Answers given by keys, ``{"16": "a"}`` or ``[{"id": 16, "answer": "a"}]``, put into order.

The order of the file counts only where the keys say nothing about another one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from iolai.reading.answers import Answers, Asked, place_by_labels
from iolai.text import normalise_answer

__all__ = ["key_field", "place_by_keys"]

_KEY_NUMBER = re.compile(r"\D{0,20}(\d{1,3})\W{0,3}")


def place_by_keys(keys: Sequence[str], answers: Sequence[str], asked: Asked) -> tuple[Answers, str]:
    """Return the answers in the order of the items, and a doubt where the keys allow no order.

    A key is an item's label, its own form, or a number (``item_3``); the letters of a matching
    task's options are none of these.
    """
    bare = [key.strip(" ().:") for key in keys]
    are_letters = set(bare) <= set(asked.options) and not set(bare) <= set(asked.labels)
    if are_letters and not {normalise_answer(text) for text in answers} <= _plain(asked.options):
        return [], "the keys are letters of options: which are the answers?"
    numbers = [match[1] if (match := _KEY_NUMBER.fullmatch(key)) else "" for key in bare]
    for found in (bare, numbers):
        placed = place_by_labels(found, answers, asked.labels)
        if placed is not None:
            return placed, ""
    placed = _place_by_forms(bare, answers, asked.texts) or _place_by_numbers(numbers, answers)
    if placed is not None and len(placed) == len(asked.labels):
        return placed, ""
    says_order = bool(_plain(bare) & _plain(asked.texts)) or numbers != sorted(numbers, key=_value)
    if len(answers) == len(asked.labels) and not (says_order and _differ(keys)):
        return list(answers), ""
    return [], "the keys are not the labels of the query"


def _plain(texts: Sequence[str]) -> set[str]:
    return {normalise_answer(text) for text in texts} - {""}


def _differ(keys: Sequence[str]) -> bool:
    return len(set(keys)) > 1


def _value(number: str) -> int:
    return int(number or 0)


def _place_by_forms(
    keys: Sequence[str], answers: Sequence[str], texts: Sequence[str]
) -> Answers | None:
    """Place answers whose keys are the items' own forms; None where some are others."""
    forms = [normalise_answer(text) for text in texts]
    found = [normalise_answer(key) for key in keys]
    if not found or len(set(forms)) < len(forms) or len(set(found)) < len(found):
        return None
    if not set(found) <= set(forms):
        return None
    placed = dict(zip(found, answers, strict=True))
    return [placed.get(form, "") for form in forms]


def _place_by_numbers(numbers: Sequence[str], answers: Sequence[str]) -> Answers | None:
    """Place answers by numbers that are an unbroken count, wherever it begins."""
    if not numbers or not all(numbers):
        return None
    values = [int(number) for number in numbers]
    if sorted(values) != list(range(min(values), min(values) + len(values))):
        return None
    pairs = zip(values, answers, strict=True)
    return [answer for _, answer in sorted(pairs, key=lambda pair: pair[0])]


def key_field(
    rows: Sequence[dict[str, str]], answers: Sequence[str], asked: Asked
) -> tuple[Answers | None, str]:
    """Place the answers of a list of objects by the field of these that names the items.

    ``rows`` are the fields beside the answers. None where no field names the items; a doubt where
    two fields disagree or the one there is gives no order.
    """
    fields = [name for name in (rows[0] if rows else {}) if all(name in row for row in rows)]
    found: list[Answers] = []
    doubt = ""
    for name in fields:
        values = [row[name] for row in rows]
        if not _names_items(values, asked):
            continue
        placed, doubt = place_by_keys(values, answers, asked)
        if placed and placed not in found:
            found.append(placed)
    if len(found) > 1:
        return None, "the fields of the objects disagree about the order"
    return (found[0], "") if found else (None, doubt)


def _names_items(values: Sequence[str], asked: Asked) -> bool:
    """Say whether a field's values are short, all different, and labels, forms or numbers."""
    bare = [value.strip(" ().:") for value in values]
    if len(set(bare)) < len(bare):
        return False
    if _plain(bare) & _plain(asked.texts) or set(bare) & ({*asked.labels, *asked.options} - {""}):
        return True
    return all(_KEY_NUMBER.fullmatch(value) for value in bare)
