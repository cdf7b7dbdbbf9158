"""Lists whose JSON is broken in one plain way: encoded twice, commas missing, LaTeX inside."""

from __future__ import annotations

import json
import re

from iolai.reading.latex import without_inner_latex
from iolai.reading.official import parse_json_list

__all__ = ["decoded", "has_missing_commas", "joined_objects", "mended_list"]

_NO_COMMA = re.compile(r'(?<=[^\s,\[])"\s{1,20}"(?=[^\s,\]])')
_BARE_LIST = re.compile(r"\[([^\[\]\"'{}\n]+)\]")


def decoded(text: str) -> str | None:
    """Return the text that ``text`` is as a JSON string, where that is a list or an object."""
    if text[:1] != '"':
        return None
    try:
        inside = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return inside if isinstance(inside, str) and inside.lstrip()[:1] in ("[", "{") else None


def joined_objects(text: str, n_items: int) -> str | None:
    """Return the list that ``n_items`` JSON objects, one a line, make together."""
    lines = [line.strip().rstrip(",") for line in text.split("\n") if line.strip()]
    if len(lines) != n_items or n_items < 2 or not all(line[:1] == "{" for line in lines):
        return None
    joined = f"[{', '.join(lines)}]"
    return joined if parse_json_list(joined) is not None else None


def mended_list(text: str, n_items: int) -> tuple[str, str, str] | None:
    """Return (kind of finding, detail, JSON list) where one mend gives a list of ``n_items``."""
    if text[:1] != "[":
        return None
    candidates = (
        ("escapes", "the quotes of the list are escaped", text.replace('\\"', '"')),
        ("python-literal", "commas are missing in the list", _NO_COMMA.sub('", "', text)),
        ("latex", "LaTeX inside the list", _unlatexed(text)),
    )
    for kind, detail, mended in candidates:
        elements = parse_json_list(mended) if mended != text else None
        is_plain = elements is not None and all(isinstance(e, str) for e in elements)
        if elements is not None and is_plain and len(elements) == n_items:
            return kind, detail, mended
    return None


def _unlatexed(text: str) -> str:
    """Return ``[$a$, \\text{b}]`` as ``["a", "b"]``."""
    bare = _BARE_LIST.fullmatch(plain) if (plain := without_inner_latex(text)) != text else None
    return json.dumps([part.strip() for part in bare[1].split(",")]) if bare else plain


def has_missing_commas(element: str) -> bool:
    """Say whether an element holds what looks like the end of one text and another's beginning."""
    return _NO_COMMA.search(element) is not None
