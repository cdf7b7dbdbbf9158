"""The lenient reading: items by understanding labels, fences, objects and preambles.

It never counts for a score. It stands beside the official reading to show what a prediction was
meant to say, and reports every step. Where two readings are possible it is ``ambiguous``: the
official reading is kept, and the step says why.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Literal as Choice

from iolai.reading.answers import Answers, Asked, clean_answers, mixes_options
from iolai.reading.keys import key_field, place_by_keys
from iolai.reading.labels import answer_labels, take_labels
from iolai.reading.latex import boxed, without_latex
from iolai.reading.lines import join_below, numbers_eaten, says_nothing
from iolai.reading.literals import Literal, Pairs, Value, find_literals, read_literal
from iolai.reading.mending import decoded, has_missing_commas, joined_objects, mended_list
from iolai.reading.official import OfficialReading, parse_json_list, read_official
from iolai.reading.repeats import without_item_texts
from iolai.reading.squeezed import Split, split_at_labels, split_squeezed
from iolai.reading.wrapping import (
    after_final_marker,
    inside_fences,
    is_preamble,
    is_remark,
    without_tags,
    without_thinking,
)

__all__ = ["MAX_TEXT", "LenientReading", "Status", "Step", "read_lenient"]

Status = Choice["same", "repaired", "ambiguous", "unreadable"]

#: A text that is longer, its thinking left out, is no prediction; it gets the official reading.
MAX_TEXT = 50_000
_MAX_SHOWN = 200
_MAX_NESTING = 3

_ANSWER_FIELD = re.compile(
    r"(?:final[_ ])?(?:answers?|predictions?|preds?|items|results?|output|translations?|solutions?"
    r"|response|value|text)",
    re.IGNORECASE,
)
_OTHER_FIELD = re.compile(
    r"id|explanations?|reasoning|rationale|analysis|notes?|thinking|thoughts?|confidence|rules?"
    r"|comments?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a lenient reading: what was found, and the text before and after it."""

    kind: str
    detail: str
    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class LenientReading:
    """What a prediction was meant to say.

    ``items`` has exactly the number of items asked for; ``n_read`` is how many answers were found
    before padding or cutting. ``status``: ``same`` as the official reading; ``repaired``;
    ``ambiguous`` or ``unreadable``, where the items are those of the official reading.
    """

    items: tuple[str, ...]
    steps: tuple[Step, ...]
    status: Status
    n_read: int


@dataclass(slots=True)
class _Reader:
    """The state of one reading: what is asked for, the steps taken, and a doubt that ends it."""

    asked: Asked
    steps: list[Step] = field(default_factory=list)
    doubt: str = ""
    nothing: str = ""

    @property
    def n(self) -> int:
        return len(self.asked.labels)

    def step(self, kind: str, detail: str, before: str, after: str) -> None:
        self.steps.append(Step(kind, detail, _shown(before), _shown(after)))

    @property
    def steps_once(self) -> tuple[Step, ...]:
        return tuple(dict.fromkeys(self.steps))


def _shown(text: str) -> str:
    return text if len(text) <= _MAX_SHOWN else text[: _MAX_SHOWN - 1] + "…"


def read_lenient(
    text: str,
    labels: Sequence[str] | int,
    *,
    options: Sequence[str] = (),
    texts: Sequence[str] = (),
) -> LenientReading:
    """Read a prediction into one item for each of the query's ``labels`` (or that many items).

    ``options`` are the letters of a matching task: they are answers, not labels. ``texts`` are
    what stands beside the labels, where that is known: an answer may repeat it.
    """
    wanted = ("",) * labels if isinstance(labels, int) else tuple(labels)
    official = read_official(text, len(wanted))
    if official.is_blank or not wanted:
        return LenientReading(official.items, (), "same", official.n_read)
    reader = _Reader(Asked(wanted, tuple(options), tuple(texts)))
    if len(text) > MAX_TEXT and len(without_thinking(text)[0]) > MAX_TEXT:
        reader.nothing = f"{len(text)} characters are too many for a prediction"
    answers = [] if reader.nothing else _clean(reader, _answers_of_text(reader, text, 0))
    return _result(reader, answers, official)


def _result(reader: _Reader, answers: Answers, official: OfficialReading) -> LenientReading:
    if reader.nothing or reader.doubt:
        status: Status = "unreadable" if reader.nothing else "ambiguous"
        reader.step(status, reader.nothing or reader.doubt, "", "")
        return LenientReading(official.items, reader.steps_once, status, official.n_read)
    items = tuple(answers[: reader.n]) + ("",) * (reader.n - len(answers))
    if items == official.items:
        return LenientReading(items, (), "same", official.n_read)
    return LenientReading(items, reader.steps_once, "repaired", len(answers))


def _clean(reader: _Reader, answers: Answers) -> Answers:
    if reader.nothing or reader.doubt:
        return answers
    cleaned, steps = clean_answers(answers, reader.asked)
    if steps is None:
        reader.doubt = "labels or marks are nested too deeply to be taken off"
        return answers
    for kind, detail, before, after in steps:
        reader.step(kind, detail, before, after)
    if mixes_options(cleaned, reader.asked):
        reader.doubt = "each answer has two letters or numbers, and either may be meant"
    return cleaned


# --- text -----------------------------------------------------------------------------------


def _answers_of_text(reader: _Reader, text: str, nesting: int) -> Answers:
    """Return the answers in a text: a clean list as it is, else unwrapped and read."""
    elements = parse_json_list(text)
    if elements is not None:
        return _answers_of_list(reader, _plain(elements), text, nesting)
    text = _unwrapped(reader, text)
    if reader.nothing or reader.doubt:
        return []
    bare = text.strip()
    elements = parse_json_list(bare)
    if elements is not None:
        return _answers_of_list(reader, _plain(elements), bare, nesting)
    objects = joined_objects(bare, reader.n)
    if objects is not None:
        return _answers_of_text(reader, objects, nesting)
    inside = decoded(bare)
    if inside is not None and nesting < _MAX_NESTING:
        reader.step("escapes", "a list that is a JSON string itself", bare, inside)
        return _answers_of_text(reader, inside, nesting + 1)
    mended = mended_list(bare, reader.n)
    if mended is not None:
        kind, detail, inside = mended
        reader.step(kind, detail, bare, inside)
        return _answers_of_text(reader, inside, nesting)
    return _answers_without_list(reader, text, bare, nesting)


def _answers_without_list(reader: _Reader, text: str, bare: str, nesting: int) -> Answers:
    """Return the answers in a text that is no JSON list: a list in it, else its lines."""
    literal = _the_literal(reader, bare)
    if reader.doubt:
        return []
    if literal is not None:
        return _answers_of_literal(reader, literal, bare, nesting)
    # The official rule looks at the white space before a line.
    return _answers_of_lines(reader, text, nesting)


def _unwrapped(reader: _Reader, text: str) -> str:
    """Take off thinking and a final-answer marker, and open the fence that holds the answers."""
    bare, is_open = without_thinking(text)
    if is_open:
        reader.step("truncated", "a thinking block is never closed", text, bare.strip())
    elif bare != text:
        reader.step("thinking", "a thinking block stands before the answers", text, bare.strip())
    if not bare.strip():
        reader.nothing = "nothing is left beside the thinking"
        return ""
    after = after_final_marker(bare)
    if after is not None:
        reader.step("preamble", "the answers begin after their announcement", bare, after)
        bare = after
    untagged = without_tags(bare)
    if untagged != bare:
        reader.step("tags", "tags stand around the answers", bare, untagged)
    bare = _unboxed(reader, untagged)
    blocks = inside_fences(bare)
    if len(blocks) > 1:
        fitting = [block for block in blocks if _fits(reader, block)]
        if len(set(fitting)) != 1:
            reader.doubt = f"{len(blocks)} fenced blocks, and no single one fits"
            return bare
        blocks = (fitting[0],)
    if blocks:
        reader.step("fenced-json", "the answers are inside a Markdown fence", bare, blocks[0])
        bare = blocks[0]
    return bare


def _unboxed(reader: _Reader, text: str) -> str:
    """Take the answers out of the box, or the boxes, that LaTeX draws around what counts."""
    inside = list(boxed(text))
    n_lines = sum(1 for line in text.split("\n") if line.strip())
    if text.lstrip()[:1] == "[":
        return text  # boxes inside a list
    if len(inside) == 1 and (reader.n == 1 or n_lines != reader.n):
        bare = without_latex(inside[0])
    elif len(inside) == reader.n != n_lines and not any("\n" in answer for answer in inside):
        bare = "\n".join(inside)
    else:
        bare = without_latex(text)
    if bare == text or not bare.strip():
        return text
    reader.step("latex", "the answers are inside LaTeX", text, bare)
    return bare


def _fits(reader: _Reader, block: str) -> bool:
    elements = parse_json_list(block)
    if elements is not None:
        return len(elements) == reader.n
    return sum(1 for line in block.split("\n") if line.strip()) == reader.n


def _the_literal(reader: _Reader, text: str) -> Literal | None:
    """Return the one list or object in the text; a doubt where several would do."""
    whole = read_literal(text) if text[:1] in ("[", "(", "{") else None
    if whole is not None and _is_all(whole, text, reader.n):
        return whole
    found = [literal for literal in find_literals(text) if not literal.has_bare_words]
    fitting = [literal for literal in found if _size(literal.value) == reader.n]
    if len({repr(literal.value) for literal in fitting}) > 1:
        reader.doubt = f"{len(fitting)} lists in the text have {reader.n} elements"
        return None
    if fitting:
        return fitting[-1]
    return found[0] if len(found) == 1 and _is_the_point(found[0], text) else None


def _is_all(literal: Literal, text: str, n_items: int) -> bool:
    """Say whether a list is all the text. ``[A, C]`` is one, ``[orí igi]`` a transcription."""
    if text[literal.end :].strip(" \t\r\n,;."):
        return False
    return not literal.has_bare_words or (n_items > 1 and _size(literal.value) == n_items)


def _size(value: Value) -> int:
    if isinstance(value, Pairs):
        keys = [value_of for key, value_of in value.pairs if _ANSWER_FIELD.fullmatch(key)]
        return _size(keys[0]) if len(keys) == 1 else len(value.pairs)
    if isinstance(value, tuple):
        return _size(value[0]) if len(value) == 1 and isinstance(value[0], tuple) else len(value)
    return 1


def _is_the_point(literal: Literal, text: str) -> bool:
    """Say whether a list of the wrong size still is the prediction: it holds strings, at an end."""
    value = literal.value
    if isinstance(value, tuple) and not any(isinstance(element, str) for element in value):
        return False
    begins_line = not text[: literal.start].rpartition("\n")[2].strip()
    return begins_line and (
        literal.is_cut_off or not text[literal.end :].partition("\n")[0].strip()
    )


# --- lists and objects ----------------------------------------------------------------------


def _plain(element: object) -> Value:
    """Turn what the JSON parser gives into the values that the reading works on."""
    if isinstance(element, list):
        return tuple(_plain(member) for member in element)
    if isinstance(element, dict):
        return Pairs(tuple((str(key), _plain(value)) for key, value in element.items()))
    return None if element is None else str(element).strip()


def _answers_of_literal(reader: _Reader, literal: Literal, text: str, nesting: int) -> Answers:
    around = (text[: literal.start] + text[literal.end :]).strip(" \t\r\n,;.")
    inside = text[literal.start : literal.end]
    elements = literal.value if isinstance(literal.value, tuple) else ()
    if any(isinstance(element, str) and has_missing_commas(element) for element in elements):
        reader.doubt = "commas are missing in the list"
        return []
    if around and not literal.is_cut_off:
        reader.step("preamble", "text stands around the list of answers", text, inside)
    if literal.is_cut_off:
        reader.step("truncated", "the list is cut off; its whole elements are kept", text, inside)
    elif isinstance(literal.value, tuple) and parse_json_list(inside) is None:
        reader.step("python-literal", "a list, but not in JSON", inside, repr(literal.value))
    return _answers_of_list(reader, literal.value, inside, nesting)


def _answers_of_list(reader: _Reader, value: Value, text: str, nesting: int) -> Answers:
    """Return the answers of a list or an object."""
    if isinstance(value, Pairs):
        reader.step("json-object", "an object instead of a list", text, "")
        return _answers_of_object(reader, value, text, nesting)
    if not isinstance(value, tuple):
        return _scalar(reader, value, nesting)
    if any(isinstance(element, tuple | Pairs) for element in value):
        return _answers_of_nested(reader, value, text, nesting)
    texts = ["" if element is None else str(element).strip() for element in value]
    if len(texts) > 2:  # of two, one may well end so by itself
        texts = _without_separators(reader, texts)
    return _unsqueezed(reader, texts, nesting)


def _scalar(reader: _Reader, value: Value, nesting: int) -> Answers:
    text = value if isinstance(value, str) else ""
    return _unsqueezed(reader, [text], nesting)


def _answers_of_nested(
    reader: _Reader, value: tuple[Value, ...], text: str, nesting: int
) -> Answers:
    if nesting >= _MAX_NESTING:
        reader.doubt = "lists are nested too deeply"
        return []
    if len(value) == 1:
        reader.step("nested-list", "a list inside a list", text, repr(value[0]))
        return _answers_of_list(reader, value[0], text, nesting + 1)
    if all(isinstance(element, Pairs) for element in value):
        reader.step("json-object", "a list of objects", text, "")
        return _answers_of_objects(reader, [p for p in value if isinstance(p, Pairs)])
    members = [element if isinstance(element, tuple) else (element,) for element in value]
    flat = [member for element in members for member in element]
    is_plain = not any(isinstance(member, tuple | Pairs) for member in flat)
    if is_plain and (max(map(len, members)) <= 1 or len(flat) == reader.n != len(value)):
        reader.step("nested-list", "lists inside the list", text, repr(tuple(flat)))
        return ["" if member is None else str(member).strip() for member in flat]
    reader.doubt = "inner lists may be alternatives or answers of their own"
    return []


def _answers_of_object(reader: _Reader, value: Pairs, text: str, nesting: int) -> Answers:
    pairs = [(key, member) for key, member in value.pairs if not _OTHER_FIELD.fullmatch(key)]
    named = [(key, member) for key, member in pairs if _ANSWER_FIELD.fullmatch(key)]
    if nesting >= _MAX_NESTING:
        reader.doubt = "objects are nested too deeply"
        return []
    for some in (named, pairs):
        if len(some) == 1:
            member = some[0][1]
            if isinstance(member, str) and reader.n > 1:
                return _answers_of_text(reader, member, nesting + 1)
            return _answers_of_list(reader, member, text, nesting + 1)
    lists = [member for _, member in pairs if isinstance(member, tuple | Pairs)]
    if len(lists) == 1:
        return _answers_of_list(reader, lists[0], text, nesting + 1)
    if lists:
        reader.doubt = f"the object holds {len(lists)} lists"
        return []
    return _by_keys(reader, pairs)


def _answers_of_objects(reader: _Reader, objects: Sequence[Pairs]) -> Answers:
    """Read ``[{"id": 1, "answer": "a"}, ...]`` and ``[{"1": "a"}, {"2": "b"}]``."""
    pairs: list[tuple[str, Value]] = []
    for member in objects:
        named = [pair for pair in member.pairs if _ANSWER_FIELD.fullmatch(pair[0])]
        chosen = named if len(named) == 1 else list(member.pairs)
        if len(chosen) != 1:
            reader.doubt = "each object has several values, and none is named an answer"
            return []
        pairs.append(chosen[0])
    beside = [
        {
            key: value
            for key, value in member.pairs
            if isinstance(value, str) and key != pair[0] and _may_name_items(key)
        }
        for member, pair in zip(objects, pairs, strict=True)
    ]
    texts = _texts_of(reader, pairs)
    placed, doubt = key_field(beside, texts, reader.asked)
    if reader.doubt or doubt:
        reader.doubt = reader.doubt or doubt
        return []
    return placed if placed is not None else _by_keys(reader, pairs)


def _may_name_items(key: str) -> bool:
    return key.lower() == "id" or _OTHER_FIELD.fullmatch(key) is None


def _texts_of(reader: _Reader, pairs: Sequence[tuple[str, Value]]) -> Answers:
    if any(isinstance(value, tuple | Pairs) for _, value in pairs):
        reader.doubt = "the object's values are lists"
    return ["" if value is None else str(value).strip() for _, value in pairs]


def _by_keys(reader: _Reader, pairs: Sequence[tuple[str, Value]]) -> Answers:
    """Put values into the query's order by their keys where these say it."""
    texts = _texts_of(reader, pairs)
    if reader.doubt:
        return []
    placed, reader.doubt = place_by_keys([key for key, _ in pairs], texts, reader.asked)
    return placed


# --- lines ----------------------------------------------------------------------------------


def _answers_of_lines(reader: _Reader, text: str, nesting: int) -> Answers:
    lines = _joined(reader, [line for line in text.split("\n") if line.strip()])
    lines = _without_remarks(reader, lines)
    if not lines:
        reader.nothing = "nothing is left but remarks"
        return []
    numbers = numbers_eaten(lines, reader.asked.labels)
    if numbers:
        reader.step("number-as-label", "numbers", "\n".join(lines), "\n".join(numbers))
        return numbers
    bare = [line.strip() for line in lines]
    raw = _rows(reader, bare)
    steps = clean_answers(raw, reader.asked)[1] if len(raw) <= reader.n else ()
    is_labelled = any(kind == "labels-kept" for kind, *_ in steps or ())  # a bare "2." is a slot
    if (
        raw != bare
        or is_labelled
        or (len(raw) == 1 and split_at_labels(raw[0], reader.asked.labels))
    ):
        return _unsqueezed(reader, raw, nesting)
    own = [line for line in read_official("\n".join(lines), len(lines)).items if line]
    return _unsqueezed(reader, _without_separators(reader, own), nesting)


def _joined(reader: _Reader, lines: list[str]) -> list[str]:
    """Put labels and forms that stand on lines of their own before the answers below them."""
    begin = next((n for n, line in enumerate(lines) if not is_preamble(line)), 0)
    for kept in (lines, lines[begin:]):
        joined = join_below(kept, reader.asked.labels, reader.asked.texts)
        is_form = bool(joined) and joined == [line.strip() for line in kept[1::2]]
        if joined and (is_form or _are_labelled(reader, joined)):
            if is_form:
                reader.step("item-repeated", "forms above", "\n".join(kept), "\n".join(joined))
            return joined
    return lines


def _are_labelled(reader: _Reader, lines: list[str]) -> bool:
    return take_labels(lines, reader.asked.labels, options=reader.asked.options) is not None


def _without_separators(reader: _Reader, lines: list[str]) -> list[str]:
    """Take off the commas or semicolons that end every answer but perhaps the last."""
    for mark in (",", ";"):
        if len(lines) == reader.n > 1 and all(line.endswith(mark) for line in lines[:-1]):
            bare = [line.removesuffix(mark).rstrip() for line in lines]
            if all(bare):
                before, after = "\n".join(lines), "\n".join(bare)
                reader.step("separators", "each answer ends in a separator", before, after)
                return bare
    return lines


def _rows(reader: _Reader, lines: list[str]) -> list[str]:
    """Turn a Markdown table of labels and answers into labelled lines."""
    barred = [line if line.startswith("|") else f"|{line}|" for line in lines]
    if not all("|" in line for line in lines) or not all(
        line.endswith("|") and len(line) > 1 for line in barred
    ):
        return lines
    rows = [[cell.strip() for cell in line[1:-1].split("|")] for line in barred]
    rule = next((n for n, row in enumerate(rows) if all(set(c) <= set("-: ") for c in row)), -1)
    rows = _without_asked(reader, rows[rule + 1 :])
    if len(rows) > reader.n or any(len(row) != 2 for row in rows):
        return lines
    labelled = [f"{label.rstrip('.):')}. {answer}" for label, answer in rows]
    if take_labels(labelled, reader.asked.labels, options=reader.asked.options) is None:
        beside = [f"{form} | {answer}" for form, answer in rows]
        if without_item_texts(beside, reader.asked.texts) == beside:
            return lines
        labelled = beside
    reader.step("markdown-table", "a table of labels and answers", "\n".join(lines), "")
    return labelled


def _without_asked(reader: _Reader, rows: list[list[str]]) -> list[list[str]]:
    """Leave out the middle one of three columns where it repeats the items' own forms."""
    texts = [text.strip() for text in reader.asked.texts]
    repeats = bool(texts) and all(len(row) == 3 for row in rows)
    if not repeats or [row[1].strip("*_`") for row in rows] != texts:
        return rows
    return [[row[0], row[2]] for row in rows]


def _without_remarks(reader: _Reader, lines: list[str]) -> list[str]:
    """Drop announcements before the answers, and remarks after them where the count shows it."""
    kept = list(lines)
    begin = next((n for n, line in enumerate(kept) if not is_preamble(line)), len(kept) - 1)
    kept = kept[begin:]
    remark = next((n for n, line in enumerate(kept) if n > 0 and is_remark(line)), None)
    if remark == reader.n:
        kept = kept[:remark]
    if len(kept) == reader.n + 1 and kept[0].rstrip().endswith(":"):
        kept = kept[1:]
    if len(kept) > reader.n > 1:
        labelled = _labelled(reader, kept)
        kept = labelled or kept
    if kept != lines:
        reader.step(
            "preamble", "lines around the answers are none", "\n".join(lines), "\n".join(kept)
        )
    return kept


def _labelled(reader: _Reader, lines: Sequence[str]) -> list[str]:
    """Return the labelled lines where they are exactly the query's items, else nothing."""
    marked = list(islice((line for line in lines if any(answer_labels(line))), reader.n + 1))
    if len(marked) != reader.n or says_nothing(marked, reader.asked.texts):
        return []
    cleaned = clean_answers(marked, reader.asked)
    return marked if cleaned[1] else []


# --- several answers in one -----------------------------------------------------------------


def _unsqueezed(reader: _Reader, answers: Answers, nesting: int) -> Answers:
    """Take apart answers that share one slot, where it is plain how."""
    if len(answers) == 1 and reader.n > 1 and nesting < _MAX_NESTING:
        only = without_latex(answers[0])
        if only != answers[0]:
            reader.step("latex", "the answers are inside LaTeX", answers[0], only)
            answers = [only]
        if "\n" in only or only[:1] in ("[", "{", "("):
            before = len(reader.steps)
            inner = _answers_of_text(reader, only, nesting + 1)
            if reader.doubt or len(inner) > 1:
                reader.steps.insert(
                    before, Step("squeezed", "all answers in one slot", _shown(only), "")
                )
                return inner
            del reader.steps[before:]
            reader.nothing = ""
    if len(answers) >= reader.n or not answers:
        return answers
    split: Split | None = split_squeezed(answers, reader.asked.labels, reader.asked.options)
    if split is None:
        return answers
    if split.doubt:
        reader.doubt = split.doubt
        return answers
    reader.step("squeezed", split.how, "\n".join(answers), "\n".join(split.answers))
    return split.answers
