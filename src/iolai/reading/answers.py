"""Cleaning of single answers: labels, bullets, emphasis and curly quotes taken off."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from iolai.reading.labels import default_labels, take_labels
from iolai.reading.latex import without_latex
from iolai.reading.repeats import without_item_texts, without_lead_ins
from iolai.reading.wrapping import without_tags, without_thinking
from iolai.text import normalise_answer

__all__ = ["Answers", "Asked", "StepText", "clean_answers", "mixes_options", "place_by_labels"]

Answers = list[str]
#: kind, detail, before, after
StepText = tuple[str, str, str, str]

_MAX_ROUNDS = 6
_CURLY_PAIRS = {"“": "”", "”": "”", "„": "“", "«": "»", "‹": "›", "「": "」"}
_BULLET = re.compile(r"[-*•‣·–>]\s+(?=\S)")
_ESCAPE = re.compile(
    r"\\u(?P<code>[0-9A-Fa-f]{4})|&(?:amp|quot|apos|lt|gt|nbsp|#\d{2,4}|#x[0-9A-Fa-f]{2,4});"
)
_BOLD = re.compile(r"(\*\*|__|~~)(?=\S)(.+)(?<=\S)\1")
_LIGHT = re.compile(r"([*_`])(?=\S)([^*_`]+)(?<=\S)\1")
_OPTION_TEXT = re.compile(
    r"(?:option\s+)?[(\[]?([A-Za-z]{1,2}\d?)(?:[)\].:]+(?:\s+.*)?|\s+[-–—=→(]\s*.*)",
    re.IGNORECASE | re.DOTALL,
)


_OPTION_NAMED = re.compile(
    r"(?:option|letter|choice|answer)\s{1,4}[(\[]?([A-Za-z]{1,2}\d?)[)\]]?\.?", re.IGNORECASE
)
_OPTION_BEHIND = re.compile(
    r"\w[^\w\s]?\s(?:[-–—=→:]|->|=>)\s{1,4}[(\[]?([A-Za-z]{1,2}\d?)[)\]]?\.?$"
)
_PAIR = re.compile(
    r"[(\[]?(\w{1,3})(?:[)\]]?[.:)]?\s{1,4}|[)\].:]|\s?(?:-|–|=|→|->)\s?)[(\[]?(\w{1,3})[)\].]?"
)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a task asks for: a label and a text an item (``""`` for none), options' letters."""

    labels: tuple[str, ...]
    options: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()


def clean_answers(answers: Answers, asked: Asked) -> tuple[Answers, list[StepText] | None]:
    """Return the answers without marks that are no part of them, and the steps taken.

    Goes on until nothing changes. The steps are None, and the answers as they came, where that
    takes suspiciously long.
    """
    cleaned, steps = list(answers), list[StepText]()
    for _ in range(_MAX_ROUNDS):
        before = list(cleaned)
        for kind, detail, rule in _RULES:
            after = rule(cleaned, asked)
            if after != cleaned:
                steps.append((kind, detail, "\n".join(cleaned), "\n".join(after)))
                cleaned = after
        if cleaned == before:
            return cleaned, steps
    return list(answers), None


def place_by_labels(
    found: Sequence[str], answers: Sequence[str], labels: Sequence[str]
) -> Answers | None:
    """Put answers into the order of the items by their labels; None where these are others."""
    if not found or len(set(found)) < len(found):
        return None
    for known in (tuple(labels), *default_labels(len(labels))):
        if set(found) <= set(known) and len(set(known)) == len(known):
            placed = dict(zip(found, answers, strict=True))
            return [placed.get(label, "") for label in known]
    return None


def _labels(answers: Answers, asked: Asked) -> Answers:
    filled = [answer for answer in answers if answer]
    taken = take_labels(filled, asked.labels, options=asked.options)
    if taken is None:
        return answers
    placed = dict(taken)
    return [placed.get(place, "").strip() for place in range(len(asked.labels))]


def _bullets(answers: Answers, asked: Asked) -> Answers:
    del asked
    filled = [answer for answer in answers if answer]
    if not filled or not all(_BULLET.match(answer) for answer in filled):
        return answers
    return [_BULLET.sub("", answer, count=1).strip() for answer in answers]


def _emphasis(answers: Answers, asked: Asked) -> Answers:
    del asked
    bold = [_unbold(answer) for answer in answers]
    filled = [answer for answer in bold if answer]
    # A single asterisk, line or backtick may be a letter or a mark of the language: all or none.
    if filled and all(_LIGHT.fullmatch(answer) for answer in filled):
        return [match[2].strip() if (match := _LIGHT.fullmatch(a)) else a for a in bold]
    return bold


def _unbold(answer: str) -> str:
    match = _BOLD.fullmatch(answer)
    return match[2].strip() if match and match[1] not in match[2] else answer


def _curly_quotes(answers: Answers, asked: Asked) -> Answers:
    del asked
    return [_unquoted(answer) for answer in answers]


def _unquoted(answer: str) -> str:
    closing = _CURLY_PAIRS.get(answer[:1], "")
    inside = answer[1:-1]
    if not closing or not answer.endswith(closing) or not inside.strip():
        return answer
    # “a” or “b” is not one quoted answer.
    return answer if closing in inside else inside.strip()


def _letters(answers: Answers, asked: Asked) -> Answers:
    """Reduce "(A)", "A) ..." and "A - brown dog" to the letter, in a matching task."""
    legal = set(asked.options)
    if not legal or mixes_options(answers, asked):
        return answers
    labels = asked.labels if len(asked.labels) == len(answers) else ("",) * len(answers)
    return [
        _letter(answer, legal, (label, str(place)))
        for place, (answer, label) in enumerate(zip(answers, labels, strict=True), start=1)
    ]


def mixes_options(answers: Answers, asked: Asked) -> bool:
    """Say whether all answers of a matching task are like ``(a) 2``: two labels, either of use.

    An option's letter stands before another option's, or before a number of an item.
    """
    legal, known = set(asked.options), {*asked.options, *asked.labels} - {""}
    pairs = [_PAIR.fullmatch(answer) for answer in answers if answer]
    if not legal or len(pairs) < 2:
        return False
    return all(pair and pair[1] in legal and pair[2] in known for pair in pairs)


def _letter(answer: str, legal: set[str], own: Sequence[str]) -> str:
    """Return the letter in an answer; ``own`` are the labels that its item may have."""
    bare = answer.replace("**", "")
    if bare in legal:
        return bare
    found = [match[1] for rule in (_OPTION_TEXT, _OPTION_NAMED) if (match := rule.fullmatch(bare))]
    found += [match[1] for match in (_OPTION_BEHIND.search(bare),) if match]
    found += [bare.removeprefix(label) for label in own if label.isdigit()]
    letter = next((letter for letter in found if letter in legal), None)
    # A period after the letter is forgiven by the official score.
    if letter is None or normalise_answer(answer) == normalise_answer(letter):
        return answer
    return letter


def _thoughts(answers: Answers, asked: Asked) -> Answers:
    del asked
    bare = ((answer, *without_thinking(answer)) for answer in answers)
    return [
        answer if is_open or not text.strip() else text.strip() for answer, text, is_open in bare
    ]


def _latex(answers: Answers, asked: Asked) -> Answers:
    del asked
    return [without_latex(answer) for answer in answers]


def _tags(answers: Answers, asked: Asked) -> Answers:
    del asked
    return [without_tags(answer) for answer in answers]


def _escapes(answers: Answers, asked: Asked) -> Answers:
    del asked
    return [_ESCAPE.sub(_meant, answer).strip() for answer in answers]


def _meant(escape: re.Match[str]) -> str:
    """Return the letter that an escape stands for; half of a surrogate pair stays as it is."""
    if escape["code"] is None:
        return html.unescape(escape[0])
    letter = chr(int(escape["code"], 16))
    return letter if letter.isprintable() else escape[0]


def _item_texts(answers: Answers, asked: Asked) -> Answers:
    return answers if asked.options else without_item_texts(answers, asked.texts)


def _lead_ins(answers: Answers, asked: Asked) -> Answers:
    del asked
    return without_lead_ins(answers)


_Rule = Callable[[Answers, Asked], Answers]
_RULES: tuple[tuple[str, str, _Rule], ...] = (
    ("thinking", "thinking inside an answer", _thoughts),
    ("escapes", "escapes left as text", _escapes),
    ("latex", "LaTeX around an answer", _latex),
    ("tags", "tags around an answer", _tags),
    ("emphasis", "Markdown emphasis around an answer", _emphasis),
    ("bullets", "bullets before the answers", _bullets),
    ("labels-kept", "labels before the answers", _labels),
    ("item-repeated", "the items' own forms beside the answers", _item_texts),
    ("lead-in", "the same words before the answers", _lead_ins),
    ("option-text", "more than the letter of an option", _letters),
    ("curly-quotes", "curly quotes around an answer", _curly_quotes),
)
