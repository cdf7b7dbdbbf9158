"""The checks: each looks at one case and yields what it finds. None of them changes anything.

Where a key is at hand it prevents false alarms: an answer that is right is never found fault with.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

from iolai.reading.case import Answer, Case, shortened
from iolai.reading.findings import KINDS, Cost, Finding
from iolai.reading.labels import answer_labels, default_labels, families
from iolai.reading.repeats import LEAD_IN, without_item_texts
from iolai.text import (
    APOSTROPHES,
    ZERO_WIDTH,
    fold_apostrophes,
    fold_colons,
    fold_diacritics,
    fold_lookalikes,
    fold_punctuation,
    fold_spaces,
    is_mark,
    is_nfc,
    nfc,
    normalise_answer,
)

__all__ = ["CHECKS"]

_PLACEHOLDER = re.compile(
    r"\?+|\.{2,}|…+|[-–—]+|_+|\(\?\)|n/a|n\.a\.|nan|null|tbd|tba|todo|idk|x{3,}"
    r"|<(?:[a-z]{1,12}[_ ]){0,3}(?:answers?|translations?|word|form|text|unknown|blank|missing"
    r"|empty|placeholder|here|letter|number|item|guess|sentence|meaning)"
    r"(?:[_ ]?\d{1,3})?(?:[_ ]here)?>"
    r"|\[(?:unknown|blank|answer|placeholder|missing|empty|your answer)\]|i (?:do not|don'?t) know"
    r"|unknown|undefined|(?:i'?m )?not sure|error: .{0,80}|your answer(?: here)?"
    r"|no answer|not available|cannot (?:be )?determined?|unanswered|placeholder|answer ?\d*",
)
_PROSE = re.compile(
    r"(?:the (?:correct |right |best |final )?(?:answers?|translations?|word|form|sentence)s?\b"
    r"|i (?:think|believe|would|cannot|can't|am sorry)\b|to (?:solve|translate|determine|answer"
    r"|find|explain|complete|fill)\b|based on\b|from (?:the|these) (?:context|examples|data)\b"
    r"|sorry\b|as an ai\b|let'?s\b|let us\b|we (?:need|can|know|see)\b|it (?:seems|appears)\b"
    r"|this (?:word|means|is|would|sentence|form)\b|therefore\b|since\b|in this (?:task|problem)\b"
    r"|unfortunately\b|given (?:the|that)\b|here\b)",
)
_AROUND = '?!.,;:()[]*_" '
_ABOUT_ITEM = re.compile(r"(?:the )?(?:answer|translation|meaning)s? (?:of|to|for) ")
_ABOUT_ANSWERS = re.compile(r"answer|translation|meaning|solution", re.IGNORECASE)
#: A remark behind an answer: "houses (plural)", "house / hut".
_OWN_NOTE = re.compile(
    r"\w\W?\s{1,4}[(\[][^()\[\]]{2,}[)\]]\W{0,2}$|\w\W?\s{1,4}(?:/{1,2}|#|—|–)\s{1,4}\w"
)
_OWN_NOTE_LINE = re.compile(
    r"\w\W?[ \t]{1,4}[(\[](?!\d{1,3}[)\]]|\w[)\]])[^()\[\]\n]{2,80}[)\]]"
    r"|\w\W?[ \t]{1,4}(?:/{1,2}|#|—|–)[ \t]{1,4}\w"
)
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_SPECIAL_TOKEN = re.compile(
    r"<\|[^|<>\n]{1,30}\|>|</?s>|\[/?INST\]|<(?:start|end)_of_turn>|<[be]os>|<unk>|<pad>"
    r"|</?think(?:ing)?>"
)
_NUMBER = re.compile(r"[-−–+]?\d[\d., ]*")
_EXPLAIN = re.compile(r"\b(?:explain|describe|why|state the rules?|comment)\b", re.IGNORECASE)
_MANY_LINES = 15
_SHORT_COUNT = 3
_MANY_WORDS = 12


def _how_it_is_written(case: Case) -> Iterator[Finding]:
    """Report the steps of the lenient reading, unless the key says that they do harm."""
    if case.is_belied:
        return
    kinds = {step.kind for step in case.lenient.steps}
    firsts = {step.kind: step for step in reversed(case.lenient.steps)}
    for step in case.lenient.steps:
        if step is not firsts[step.kind]:
            continue  # met again deeper inside: said once
        kind = step.kind
        if kind == "unreadable" and "truncated" in kinds:
            continue  # said once
        if kind == "labels-kept" and len(kinds) > 1 and not _has_labels(case):
            continue  # the official rule takes them off too
        if kind == "labels-kept" and case.official.is_json_list:
            kind = "labels-in-list"
        detail = step.detail if kind in ("ambiguous", "unreadable", "squeezed") else ""
        yield case.about_all(kind, step.before or case.text, _cost_of_writing(case), detail)


def _has_labels(case: Case) -> bool:
    return any(any(answer_labels(item)) for item in case.official.items)


def _cost_of_writing(case: Case) -> Cost | None:
    if case.lenient.status == "ambiguous":
        return None  # nobody can say what was meant
    if case.lenient.status == "unreadable":
        return case.cost_of(case.official_answers)
    return case.gain


def _count(case: Case) -> Iterator[Finding]:
    read, expected = case.official.n_read, case.n
    if not any(answer.text for answer in (*case.official_answers, *case.answers)):
        yield case.about_all("empty", case.text, case.cost_of(case.official_answers))
        return
    as_meant = case.lenient.n_read if case.lenient.status == "repaired" else read
    if expected in (read, as_meant) or case.lenient.status == "unreadable":
        return
    if as_meant > expected and not case.knows_count:
        return  # one item is but a default where the query shows no number
    lost = case.cost_of(case.answers[as_meant:]) if as_meant < expected else None
    answers, items = ("" if n == 1 else "s" for n in (as_meant, expected))
    kind = "range-count" if _is_count_of_range(case, as_meant) else "wrong-count"
    yield case.about_all(kind, f"{as_meant} answer{answers} for {expected} item{items}", lost)


def _is_count_of_range(case: Case, read: int) -> bool:
    """Say whether somebody counted to the number of the last label: 19 answers for 16-19."""
    first, last = case.items[0].label, case.items[-1].label
    return (
        read > case.n
        and families(last).get("number", families(last).get("upper")) == read
        and first != last
    )


def _empty_items(case: Case) -> Iterator[Finding]:
    own = min(case.lenient.n_read, case.n)
    if not any(answer.text for answer in case.answers):
        return
    for answer in case.answers[:own]:
        if not answer.plain and not answer.is_right and not _is_placeholder(answer):
            yield case.about("empty", answer)


def _placeholders(case: Case) -> Iterator[Finding]:
    counts = _only_counts(case)
    for answer in case.answers:
        if (counts or _is_placeholder(answer)) and not answer.is_right:
            yield case.about("placeholder", answer)


def _only_counts(case: Case) -> bool:
    """Say whether the answers are but 1, 2, 3 ... or a, b, c ... where no such thing is asked for.

    No sheet asks for such a row, unless its items are two or three.
    """
    answers = tuple(answer.plain for answer in case.answers)
    if case.options or case.n <= _SHORT_COUNT or answers not in default_labels(case.n):
        return False
    known = {normalise_answer(text) for a in case.answers for text in a.references or ()}
    return not known & set(answers)


def _is_placeholder(answer: Answer) -> bool:
    bare = answer.text.strip()
    inside = bare[1:-1] if bare[:1] in ("(", "[", "<") and bare[-1:] in (")", "]", ">") else bare
    is_one = any(_PLACEHOLDER.fullmatch(text.lower()) is not None for text in (bare, inside))
    return bare in ("None", "NULL") or is_one


def _letters(case: Case) -> Iterator[Finding]:
    """Check the answers of a matching task against the options, and against each other."""
    if not case.options or case.lenient.status in ("ambiguous", "unreadable"):
        return
    legal = {normalise_answer(option) for option in case.options}
    users: dict[str, list[Answer]] = defaultdict(list)
    for answer in case.answers:
        if not answer.plain or _is_placeholder(answer) or answer.is_right:
            continue
        if answer.plain not in legal:
            doubled = answer.plain * 2
            hint = KINDS["letter-outside-options"].hint
            if doubled in legal:
                hint = f"Is {doubled.upper()} meant? {hint}"
            yield case.about("letter-outside-options", answer, hint)
    for answer in case.answers:
        users[answer.plain].append(answer)
    if case.n > len(legal):
        return
    for letter, same in users.items():
        if letter in legal and len(same) > 1 and not all(answer.is_right for answer in same):
            labels = ", ".join(answer.item.label for answer in same)
            text = f"{same[0].text} for {labels}"
            wrong = [answer for answer in same if not answer.is_right]
            yield case.about_all("duplicate-letter", text, case.cost_of(wrong))


def _echoes(case: Case) -> Iterator[Finding]:
    """Find answers that repeat the query: all of them with a key, else only where many do."""
    if case.options:
        return
    asked = [answer for answer in case.answers if answer.item.text or case.has_labels]
    echoes = [answer for answer in asked if _is_echo(answer, case) and not answer.is_right]
    has_key = case.key is not None and case.score_item is not None
    if has_key or (echoes and len(echoes) >= max(min(2, len(asked)), len(asked) / 2)):
        for answer in echoes:
            yield case.about("echo-of-query", answer)


def _is_echo(answer: Answer, case: Case) -> bool:
    asked = normalise_answer(answer.item.text)
    first_cell = normalise_answer(answer.item.text.split("|")[0])
    label = answer.item.label.lower() if case.has_labels else ""
    is_label = bool(label) and answer.plain.strip(_AROUND) == label
    said = _ABOUT_ITEM.sub("", answer.plain, count=1).strip(_AROUND)
    # Only at the ends: inside a word a hyphen may be what was asked for.
    echoes = {text.strip(_AROUND) for text in (asked, first_cell)} - {""}
    return is_label or answer.plain in {asked, first_cell} - {""} or said in echoes


def _repeats(case: Case) -> Iterator[Finding]:
    """Find one answer in most slots, or (with a key) where several slots want different ones."""
    groups: dict[str, list[Answer]] = defaultdict(list)
    for answer in case.answers:
        if answer.plain and not _is_placeholder(answer):
            groups[answer.plain].append(answer)
    for same in groups.values():
        wrong = [answer for answer in same if not answer.is_right]
        many = len(same) > 2 and 2 * len(same) > case.n
        if many and len(wrong) > 1:
            labels = ", ".join(answer.item.label for answer in same if answer.item.label)
            where = f"in {labels}" if labels else f"{len(same)} times"
            text = f"{shortened(same[0].text)} {where}"
            yield case.about_all("repeated-answer", text, case.cost_of(wrong))


def _prose(case: Case) -> Iterator[Finding]:
    if case.n == 1 and _EXPLAIN.search(case.items[0].text):
        return
    for answer in case.answers:
        if not answer.is_right and _is_prose(answer, case.sheet):
            yield case.about("prose", answer)


def _is_prose(answer: Answer, sheet: str) -> bool:
    if _leads_in(answer, sheet):
        return True
    n_words = len(answer.text.split())
    talks_about_it = n_words > 4 and _PROSE.match(answer.plain) is not None
    if answer.references is not None:
        longest = max((len(text.split()) for text in answer.references), default=0)
        return n_words > 3 * longest + 5 or (talks_about_it and n_words > longest + 3)
    # Without a key a sentence may be the very translation that is asked for.
    asked = len(answer.item.text.split())
    return talks_about_it and n_words > max(_MANY_WORDS, 3 * asked)


def _leads_in(answer: Answer, sheet: str) -> bool:
    """Say whether an answer begins "The answer is", where the sheet never speaks of answers."""
    lead = LEAD_IN.match(answer.text)
    about = _ABOUT_ANSWERS.search(lead[0]) if lead is not None else None
    if about is None:
        return False
    return answer.references is not None or about[0].lower() not in sheet.lower()


def _extra_text(case: Case) -> Iterator[Finding]:
    """Find more than the answer: its item's form before it, the right answer among other words.

    Without a key a bracket behind an answer, or " / " in it, is more than it where most answers
    have it and nothing in the sheet has.
    """
    if case.options or case.lenient.status in ("ambiguous", "unreadable"):
        return
    odd = [answer for answer in case.answers if _OWN_NOTE.search(answer.text)]
    is_habit = len(odd) > 1 and 2 * len(odd) > case.n and not _OWN_NOTE_LINE.search(case.sheet)
    for answer in case.answers:
        if answer.is_right or _is_prose(answer, case.sheet) or _is_spoilt(answer.text):
            continue  # said elsewhere
        if without_item_texts([answer.text], [answer.item.text]) != [answer.text]:
            yield case.about("item-repeated", answer)
        elif answer.references is None:
            if is_habit and bool(case.sheet) and answer in odd:
                yield case.about("extra-text", answer)
        elif (reference := _reference_inside(answer)) and not _is_near_miss(answer):
            hint = f"The key has {shortened(reference)}. {KINDS['extra-text'].hint}"
            yield case.about("extra-text", answer, hint)


def _is_spoilt(text: str) -> bool:
    """Say whether raw model text or unseen characters are the fault, which other checks report."""
    is_raw = "\n" in text or _CONTROL.search(text) or _SPECIAL_TOKEN.search(text)
    return bool(is_raw) or any(character in ZERO_WIDTH for character in text)


def _reference_inside(answer: Answer) -> str:
    """Return the longest reference that stands whole among other words, or nothing."""
    inside = [
        plain
        for text in answer.references or ()
        if (plain := normalise_answer(text))
        and _stands_in(plain, answer.plain)
        and not _are_numbers(plain, answer.plain)
    ]
    return max(inside, key=len, default="")


def _stands_in(part: str, whole: str) -> bool:
    found = whole.find(part)
    while found >= 0:
        before, after = whole[max(0, found - 2) : found][::-1], whole[found + len(part) :][:2]
        if not any(map(_goes_on, (before, after))):
            return True
        found = whole.find(part, found + 1)
    return False


def _goes_on(beside: str) -> bool:
    """Say whether a word goes on there: with a letter, or with what may be one inside a word."""
    may_be_letter = beside[:1] in f"{APOSTROPHES}:ː-" and beside[1:].isalnum()
    return beside[:1].isalnum() or is_mark(beside[:1]) or may_be_letter


def _raw_text(case: Case) -> Iterator[Finding]:
    texts = (case.text, *(answer.text for answer in case.official_answers))
    control = next((found for text in texts if (found := _CONTROL.search(text))), None)
    token = _SPECIAL_TOKEN.search(case.text)
    broken = next((a for a in case.official_answers if "\n" in a.text), None)
    n_lines = case.text.count("\n") + 1
    is_long = not case.official.is_json_list and n_lines > case.n + _MANY_LINES
    if control is not None:
        seen = f"the control character U+{ord(control[0]):04X}"
    elif token is not None and not _is_thinking_found(case):
        seen = f"the special token {token[0]}"
    elif broken is not None:
        seen = f"a line break inside the answer {shortened(broken.text)}"
    elif is_long:
        seen = f"{n_lines} lines of text for {case.n} items"
    else:
        return
    yield case.about_all("raw-model-text", seen, None)


def _is_thinking_found(case: Case) -> bool:
    return any(step.kind in ("thinking", "truncated") for step in case.lenient.steps)


_Fold = Callable[[str], str]
_FOLDS: tuple[tuple[str, _Fold], ...] = (
    ("near-miss-apostrophe", fold_apostrophes),
    ("near-miss-colon", fold_colons),
    ("near-miss-lookalike", fold_lookalikes),
    ("near-miss-spacing", fold_spaces),
    ("near-miss-punctuation", fold_punctuation),
    ("near-miss-diacritics", fold_diacritics),
)


def _near_misses(case: Case) -> Iterator[Finding]:
    for answer in case.answers:
        kind, reference = _near_miss(answer)
        if kind:
            hint = f"The key has {shortened(reference)}. {KINDS[kind].hint}"
            yield case.about(kind, answer, hint)


def _is_near_miss(answer: Answer) -> bool:
    return bool(_near_miss(answer)[0])


def _near_miss(answer: Answer) -> tuple[str, str]:
    """Return the kind of a near miss and the reference, two empty texts where it is none."""
    plain = answer.plain
    if answer.is_right or not plain or any(c in ZERO_WIDTH for c in plain):
        return "", ""
    references = [normalise_answer(text) for text in answer.references or ()]
    references = [text for text in references if not _are_numbers(plain, text)]
    for kind, fold in _FOLDS:
        for reference in references:
            if _equal(plain, reference, [fold]):
                return kind, reference
    folds = [fold for _, fold in _FOLDS]
    for pair in [*combinations(folds, 2), folds]:
        for reference in references:
            if _equal(plain, reference, pair):
                return "near-miss", reference
    return "", ""


def _are_numbers(one: str, other: str) -> bool:
    """Say whether both are numbers and not the same: a minus or a point is no spelling there."""
    return all(map(_NUMBER.fullmatch, (one, other))) and _bare_number(one) != _bare_number(other)


def _bare_number(text: str) -> str:
    return re.sub(r"[ ,]", "", text).replace("−", "-").replace("–", "-").removeprefix("+")


def _equal(one: str, other: str, folds: Sequence[_Fold]) -> bool:
    for fold in folds:
        one, other = fold(one), fold(other)
    return bool(one.strip()) and one.strip() == other.strip()


def _unseen(case: Case) -> Iterator[Finding]:
    """Find characters that nobody sees but the score does, unless the sheet has them too."""
    for answer in case.answers:
        seen = next((c for c in answer.text if c in ZERO_WIDTH and c not in case.sheet), "")
        if seen and not answer.is_right:
            hint = f"It holds U+{ord(seen):04X}. {KINDS['unseen-character'].hint}"
            yield case.about("unseen-character", answer, hint)


def _not_nfc(case: Case) -> Iterator[Finding]:
    """Find answers that only the official score's NFC makes equal to what the sheet writes."""
    sheet_is_nfc = is_nfc(case.sheet)
    for answer in case.answers:
        if is_nfc(answer.text):
            continue
        if answer.references is not None:
            differs = answer.text not in answer.references
        else:
            differs = bool(case.sheet) and sheet_is_nfc
        if differs:
            hint = f"It is {shortened(nfc(answer.text))} in NFC. {KINDS['not-nfc'].hint}"
            yield Finding("not-nfc", answer.item.label, shortened(answer.text), hint)


Check = Callable[[Case], Iterator[Finding]]
#: What is done with every prediction, in this order.
CHECKS: tuple[Check, ...] = (
    _how_it_is_written,
    _raw_text,
    _count,
    _empty_items,
    _placeholders,
    _letters,
    _echoes,
    _repeats,
    _prose,
    _extra_text,
    _near_misses,
    _unseen,
    _not_nfc,
)
