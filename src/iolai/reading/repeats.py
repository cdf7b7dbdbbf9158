"""What stands around every answer of a task: the item's own form, or one and the same lead-in.

Both are taken off only where most answers have them, so that a form which belongs to one answer
stays. A single answer to a single item is enough only for what says itself that it is a lead-in.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from iolai.reading.layout import BLANK

__all__ = ["LEAD_IN", "without_item_texts", "without_lead_ins"]

#: In characters: what is longer is neither a form to be repeated nor an answer that repeats one.
_MAX_ITEM, _MAX_ANSWER = 300, 2000
_OPENERS, _CLOSERS = r"[\"'“‘«*_`(\[]{0,3}", r"[\"'”’»*_`)\].?!]{0,4}"
_BETWEEN = (
    r"\s{0,4}(?:=>|-{1,2}>|→|⇒|⟶|=|[:：](?=\s)|\||\t|(?<=\s)[-–—]{1,2}(?=\s)|[,;](?=\s)"
    r"|\b(?:means|meaning|is\stranslated\s(?:as|to|into)|translates\s(?:as|to|into)|is)(?=\s))\s{0,4}"
)
_BEHIND = r"\s{0,4}(?:(?:=|←|<-|\||\s[-–—]\s)\s{0,4}"

#: "The answer is", "English translation:", "It means": words about the answer, never part of it.
LEAD_IN = re.compile(
    r"[*_]{0,3}(?:(?:(?:so|thus|hence|therefore),?\s)?(?:the\s|my\s)?(?:[\w-]{1,20}\s){0,2}"
    r"(?:answers?|translations?|meaning|solution)"
    r"(?:\s(?:to|for|of|in|into|from)\s[^:=\n]{1,60}?)?"
    r"[*_]{0,3}(?:\s(?:is|are|would\sbe|should\sbe|must\sbe)\b\s?:?|\s?(?:[:：]|=|-{1,2}>|→))"
    r"|(?:this|it)\s(?:means|translates\s(?:to|as|into))\b\s?:?)(?:[*_]{1,3}(?=\s))?\s{0,4}(?=\S)",
    re.IGNORECASE,
)
_OWN_LEAD_IN = re.compile(r"[^\W\d_][^:：=→\n]{0,40}?\s?(?:[:：]|=|→)\s{1,4}(?=\S)")


def without_item_texts(answers: Sequence[str], texts: Sequence[str]) -> list[str]:
    """Take the items' own forms off answers such as ``katon = houses`` or ``houses (katon)``.

    ``texts`` are what stands beside the items' labels. Where most answers have their item's form
    in front of them, behind them, or around them (a sentence with a blank, written out), it goes.
    """
    if len(texts) != len(answers):
        return list(answers)
    bare = [_without_item(answer, text) for answer, text in zip(answers, texts, strict=True)]
    return _where_most(answers, bare)


def without_lead_ins(answers: Sequence[str]) -> list[str]:
    """Take off "The answer is" and its like, or the same words with a colon before all answers."""
    bare = _where_most(answers, [_without_lead_in(answer) for answer in answers])
    if bare != list(answers):
        return bare
    found = [_OWN_LEAD_IN.match(answer) for answer in answers if answer]
    leads = {" ".join(match[0].casefold().split()) for match in found if match}
    if len(found) < 2 or None in found or len(leads) > 1:
        return list(answers)
    return [_OWN_LEAD_IN.sub("", answer, count=1) for answer in answers]


def _without_lead_in(answer: str) -> str:
    lead = LEAD_IN.match(answer)
    # 'The answer is "a".' ends a sentence of its own.
    return answer[lead.end() :].removesuffix(".") if lead is not None else answer


def _where_most(answers: Sequence[str], bare: list[str]) -> list[str]:
    """Return ``bare`` where it differs in most answers, else the answers as they came."""
    filled = sum(1 for answer in answers if answer)
    changed = sum(1 for one, other in zip(answers, bare, strict=True) if one != other)
    is_most = changed > 1 and 2 * changed > filled
    return bare if is_most or changed == len(answers) == 1 else list(answers)


def _without_item(answer: str, text: str) -> str:
    """Return what is left of an answer without the form of its item, the answer where nothing."""
    for form in _forms(text) if len(answer) <= _MAX_ANSWER else ():
        for pattern in _patterns(form):
            match = pattern.fullmatch(answer)
            if match is not None:
                return match["rest"].strip()
    return answer


def _forms(text: str) -> tuple[str, ...]:
    cells = [text, text.split("|")[0]]
    return tuple(
        dict.fromkeys(cell.strip() for cell in cells if 0 < len(cell.strip()) <= _MAX_ITEM)
    )


def _patterns(form: str) -> list[re.Pattern[str]]:
    flags = re.IGNORECASE | re.DOTALL
    ends = [_literally(part) for part in BLANK.split(form)]
    if len(ends) == 2 and re.search(r"\w\w", form.replace("_", " ")):
        around = rf"{ends[0]}\s{{0,4}}(?P<rest>\S.*?)\s{{0,4}}{ends[1]}\.?"
        return [re.compile(around, flags)]
    word = _literally(form.rstrip(".?! "))
    if len(ends) != 1 or not re.search(r"\w", form):
        return []
    quoted = rf"{_OPENERS}{word}{_CLOSERS}"
    return [
        re.compile(rf"{quoted}{_BETWEEN}(?P<rest>\S.*)", flags),
        re.compile(rf"{quoted}\s{{0,4}}[(\[](?P<rest>\S[^()\[\]]*)[)\]]\.?", flags),
        re.compile(rf"(?P<rest>\S.*?)(?:\s{{0,4}}[(\[]{quoted}[)\]]|{_BEHIND}{quoted}))", flags),
    ]


def _literally(text: str) -> str:
    """Return a pattern for ``text`` with any white space between its words."""
    return r"\s{1,4}".join(map(re.escape, text.split()))
