"""LaTeX around answers: ``\boxed{a}``, ``\text{a}``, ``$a$``, as models that do sums write them.

In JSON ``\b`` and ``\t`` are a backspace and a tab, so that ``"\boxed{a}"`` comes as U+0008 and
``oxed{a}``, and ``"\text{a}"`` as ``ext{a}``: these are known too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["boxed", "without_inner_latex", "without_latex"]

_COMMAND = re.compile(
    r"(?:\\{1,2}(?:boxed|fbox|text(?:bf|it|rm|tt|sf|normal)?|math(?:rm|bf|it|sf|tt)|emph|underline)"
    r"|\x08oxed|\t?ext(?:bf|it|rm|tt|sf)?)\s{0,4}\{"
)
_BOX = re.compile(r"(?:\\{1,2}|\x08)b?oxed\s{0,4}\{")
_INNER = re.compile(r"\\{1,2}(?:boxed|fbox|text(?:bf|it|rm)?)\{([^{}\n]{1,200})\}")
_BRACE = re.compile(r"[{}]")
_MATHS = (("\\(", "\\)"), ("\\[", "\\]"), ("$$", "$$"), ("$", "$"))
_MAX_DEPTH = 6


def without_latex(text: str) -> str:
    """Return ``text`` without the LaTeX that is around the whole of it."""
    if not any(sign in text for sign in "\\{$"):
        return text
    bare = text.strip()
    for _ in range(_MAX_DEPTH):
        inside = _inside(bare)
        if inside is None or not inside.strip():
            break
        bare = inside.strip()
    else:
        return text
    return text if bare == text.strip() else bare


def without_inner_latex(text: str) -> str:
    """Return ``text`` without the LaTeX around its parts: ``[$\\boxed{12}$, $7$]``."""
    for _ in range(_MAX_DEPTH):
        bare = _INNER.sub(r"\1", text)
        if bare == text:
            break
        text = bare
    return text.replace("$", "") if text.count("$") % 2 == 0 else text


def _inside(text: str) -> str | None:
    for opening, closing in _MATHS:
        inside = text[len(opening) : -len(closing)]
        whole = text.startswith(opening) and text.endswith(closing)
        if whole and len(text) > len(opening + closing) and closing not in inside:
            return inside
    command = _COMMAND.match(text)
    if command is None:
        return None
    end = _closing(text, command.end())
    return text[command.end() : end] if not text[end + 1 :].strip(" .") else None


def _closing(text: str, start: int) -> int:
    """Return where the brace closes that opened before ``start``; the end where it never does."""
    depth = 1
    for brace in _BRACE.finditer(text, start):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return brace.start()
    return len(text)


def boxed(text: str) -> Iterator[str]:
    """Yield what stands in each ``\\boxed{}`` of a text, outermost ones only."""
    reached = 0
    while (box := _BOX.search(text, reached)) is not None:
        end = _closing(text, box.end())
        yield text[box.end() : end]
        reached = max(end, box.end())
