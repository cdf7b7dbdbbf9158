"""``raw_reasoning``: thinking aloud in the place of an account: tags, second thoughts, plans."""

from __future__ import annotations

import re
from collections.abc import Iterator

from iolai.jury.explanations.base import Check, Explained, Found, Whole

__all__ = ["CHECK"]

_TAG = re.compile(r"</?(?:think|thinking|reasoning|scratchpad)>", re.IGNORECASE)
_CUE = re.compile(
    r"\b(?:wait|hm{2,}|hold on|oops|oh)\b\s*[,.…!?–—-]"
    r"|\blet me (?:re-?)?(?:check|think|look|try|see|consider|examine|count|start"
    r"|verify|parse|guess)\b"
    r"|\b(?:let's|let’s|let us) (?:see|try|check|think|guess|go back|re-?check|reconsider)\b"
    r"|\bi (?:need to|should|will now|am going to|am not sure|don't know|think that|guess)\b"
    r"|\bi(?:'ll|’ll|'m not sure|’m not sure)\b"
    r"|\b(?:maybe|perhaps) (?:i|it is|it's|we should|this is)\b"
    r"|\bthat (?:does not|doesn't|doesn’t|can't|cannot) (?:work|fit|match|be right)\b"
    r"|\b(?:actually|alternatively),|\bno, (?:that|it|this|wait)\b",
    re.IGNORECASE,
)
_LEAST = 2


def _find(one: Explained, whole: Whole) -> Iterator[Found]:
    tag = _TAG.search(one.text)
    if tag is not None:
        yield Found("it holds a tag that models put around their thoughts", tag[0], tag.start())
        return
    cues = list(_CUE.finditer(one.text))
    if len(cues) >= _LEAST:
        first = cues[0]
        yield Found(f"it thinks aloud: {len(cues)} turns such as this one", first[0], first.start())


CHECK = Check("raw_reasoning", "thinking aloud in the place of an account", _find)
