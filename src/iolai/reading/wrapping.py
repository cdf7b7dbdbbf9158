"""What models wrap their answers in: thinking, Markdown fences, a preamble, closing remarks."""

from __future__ import annotations

import re

__all__ = [
    "FENCE",
    "after_final_marker",
    "inside_fences",
    "is_preamble",
    "is_remark",
    "without_tags",
    "without_thinking",
]

_TAG = re.compile(
    r"<(?P<slash>/?)(?:think|thinking|thought|reasoning|reflection|scratchpad)>", re.IGNORECASE
)
_OPENING_TAG = re.compile(r"<([A-Za-z][A-Za-z\d_-]{0,20})(?:\s[^<>]{0,80})?>")
FENCE = re.compile(r"^[ \t]{0,3}(?:```+|~~~+)[^\n`]{0,80}$", re.MULTILINE)
_FINAL = re.compile(
    r"^[ \t]{0,8}[#>*_ \t]{0,8}(?:my\s|the\s)?(?:final\s(?:answers?|list|output)"
    r"|final(?=\s?:[*_]{0,3}[ \t]{0,8}$)|answers?|output|predictions?|solutions?|result)"
    r"(?:\s(?:is|are))?[*_]{0,3}\s?:[*_]{0,3}[ \t]*",
    re.IGNORECASE | re.MULTILINE,
)
_PREAMBLE = re.compile(
    r"[#>*_ \t]{0,8}(?:here\s(?:are|is)|the\s(?:final\s)?(?:answers?|translations?|solutions?)"
    r"|sure|certainly|of course|okay|ok|based on|final\sanswers?|my\s(?:final\s)?answers?|answers?"
    r"|translations?|output|below\sare|these\sare|let\s(?:me|us|'s)|to\ssolve)\b",
    re.IGNORECASE,
)
_REMARK = re.compile(
    r"[#>*_ \t]{0,8}(?:explanations?|reasoning|notes?|rationale|justification|analysis|confidence"
    r"|i\shope|let\sme\sknow|these\s(?:answers|translations)|please)\b",
    re.IGNORECASE,
)


def without_tags(text: str) -> str:
    """Return ``text`` without a pair of tags that stands around the whole of it: ``<b>a</b>``."""
    bare = text.strip()
    opening = _OPENING_TAG.match(bare)
    if opening is None:
        return text
    closing = f"</{opening[1]}>"
    inside = bare[opening.end() : -len(closing)].strip()
    is_around = bare.lower().endswith(closing.lower()) and len(bare) >= opening.end() + len(closing)
    return inside if is_around and inside and closing.lower() not in inside.lower() else text


def without_thinking(text: str) -> tuple[str, bool]:
    """Return ``text`` without its thinking blocks, and whether the last one is never closed.

    Where only the closing tag is there (the opening one was part of the prompt), all before it
    goes.
    """
    kept: list[str] = []
    reached, depth = 0, 0
    for tag in _TAG.finditer(text):
        closes = bool(tag["slash"])
        if not closes and depth == 0:
            kept.append(text[reached : tag.start()])
        elif closes and depth == 0:
            kept.clear()
        depth = 0 if closes else depth + 1
        reached = tag.end()
    if depth == 0:
        kept.append(text[reached:])
    return "".join(kept), depth > 0


def inside_fences(text: str) -> tuple[str, ...]:
    """Return what stands inside each Markdown fence, the last one closed or not."""
    fences = list(FENCE.finditer(text))
    if not fences:
        return ()
    ends = [*(fence.start() for fence in fences[1:]), len(text)]
    pairs = zip(fences[::2], ends[::2], strict=True)
    blocks = [text[fence.end() : end].strip("\n") for fence, end in pairs]
    return tuple(block for block in blocks if block.strip())


def after_final_marker(text: str) -> str | None:
    """Return what follows "FINAL ANSWERS:" at the start of a line; None without one.

    Of several only one that says "final" counts: "Answer: a" on every line announces no list.
    """
    markers = list(_FINAL.finditer(text))
    final = [marker for marker in markers if "final" in marker[0].lower()]
    if not final and len(markers) != 1:
        return None
    rest = text[(final or markers)[-1].end() :]
    return rest.strip("\n") if rest.strip() else None


def is_preamble(line: str) -> bool:
    """Say whether a line only announces the answers: it ends in a colon and says so."""
    bare = line.strip().rstrip("*_").rstrip()
    return bare.endswith((":", "：")) and _PREAMBLE.match(line) is not None


def is_remark(line: str) -> bool:
    """Say whether a line begins an explanation or a closing remark."""
    return _REMARK.match(line) is not None
