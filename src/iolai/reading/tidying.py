r"""What typesetting leaves in a sheet: marks of bold and italics, LaTeX, HTML, odd blanks.

Only what is certain goes: marks that come in pairs around words. ``*mako`` alone is a form that is
not attested, ``you_{sg}`` a gloss, ``__`` a blank to fill in. Lines stay lines, so that a number of
one is the same before and after.
"""

from __future__ import annotations

import re

from iolai.text import ZERO_WIDTH

__all__ = ["tidied"]

_LONGEST = 400

#: What draws nothing: soft hyphens, zero-width blanks, marks of direction.
_UNDRAWN = dict.fromkeys(
    map(ord, ZERO_WIDTH + "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
)
#: Wide blanks part columns as three narrow ones do; the other blanks of a page are blanks.
_BLANKS = str.maketrans(
    {"\u2001": "   ", "\u2003": "   "}
    | dict.fromkeys("\u2000\u2002\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f", " ")
)
_STRONG_LABEL = re.compile(
    r"^([ \t]{0,20})\*{1,2}(\d{1,3}|[A-Za-z])[.)]?\*{1,2}[.)]?[ \t]{1,20}(?=\S)", re.MULTILINE
)
_STRONG = re.compile(rf"\*\*(?=[^\s*])([^*\n]{{1,{_LONGEST}}})(?<=\S)\*\*")
_EMPHASIS = re.compile(rf"(?<![\w*\\])\*(?=[^\s*])([^*\n]{{1,{_LONGEST}}})(?<=\S)\*(?![\w*])")
#: A mark of a footnote behind a word.
_FOOTNOTE = re.compile(r"(?<=[\w.])(?:\*{1,3}|[†‡])(?=[ \t]*(?:$|\|))", re.MULTILINE)
_UNDERLINED = re.compile(rf"(?<![\w\\])_(?=[^\W_])([^_\n|]{{1,{_LONGEST}}})(?<=[^\s_])_(?!\w)")
_TAG = re.compile(r"</?(?:b|i|em|strong|u|span|small|p|div)>", re.IGNORECASE)
_ENTITY = re.compile(r"&(?:nbsp|amp|lt|gt|quot|apos|mdash|ndash);")
_ENTITIES = {
    "&nbsp;": " ", "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&apos;": "'",
    "&mdash;": "—", "&ndash;": "–",
}  # fmt: skip
_COMMAND = re.compile(
    rf"\\(?:text(?:bf|it|sc|rm|tt|sf)?|emph|underline|math(?:it|bf|rm|sf|tt))\{{([^{{}}\n]{{0,{_LONGEST}}})\}}"
)
_MATHS = re.compile(rf"\$(?=[^\s$])([^$\n]{{1,{_LONGEST}}})(?<=\S)\$")
_SIGNS = re.compile(r"\\(times|cdot|to|rightarrow|quad|qquad)(?![A-Za-z])|\\([-*_&%#$.])")
_DRAWN = {"times": "×", "cdot": "×", "to": "→", "rightarrow": "→", "quad": "   ", "qquad": "   "}
_ROW = re.compile(r"[ \t]{0,20}\\\\[ \t]{0,20}(?:\\hline)?[ \t]{0,20}$", re.MULTILINE)
_RULE = re.compile(
    r"^[ \t]{0,20}\\(?:hline|(?:top|mid|bottom)rule|(?:begin|end)\{[a-z*]{1,20}\}[^\n]{0,80})"
    r"[ \t]{0,20}$",
    re.MULTILINE,
)


def tidied(text: str) -> str:
    """Return a sheet's text without the marks of typesetting, line by line the same."""
    text = text.replace("\r\n", "\n").translate(_UNDRAWN).translate(_BLANKS)
    if "&" in text:
        text = _ENTITY.sub(lambda match: _ENTITIES[match[0]], text)
    if "\\" in text or "$" in text:
        text = _without_latex(text)
    if "<" in text:
        text = _TAG.sub("", text)
    if "*" in text:
        text = _STRONG_LABEL.sub(r"\1\2. ", text)
        text = _EMPHASIS.sub(r"\1", _STRONG.sub(r"\1", text))
    if any(mark in text for mark in "*†‡"):
        text = _FOOTNOTE.sub("", text)
    return _UNDERLINED.sub(r"\1", text) if "_" in text else text


def _without_latex(text: str) -> str:
    """Take the commands of LaTeX off; where rows end in ``\\\\`` their cells stand between bars."""
    if _ROW.search(text):
        rows = (
            _ROW.sub("", line).replace(" & ", " | ") if _ROW.search(line) else line
            for line in _RULE.sub("", text).split("\n")
        )
        text = "\n".join(rows)
    for _ in range(3):
        bare = _COMMAND.sub(r"\1", text)
        if bare == text:
            break
        text = bare
    text = _SIGNS.sub(lambda match: _DRAWN.get(match[1] or "", match[2] or ""), text)
    return _MATHS.sub(r"\1", text)
