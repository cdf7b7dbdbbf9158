"""How a text ends: with the mark of a finished sentence, or without."""

from __future__ import annotations

__all__ = ["ends_unfinished"]

#: What may stand behind the last mark of a finished sentence: quotes, brackets, emphasis.
_CLOSERS = "\"'*_`)]}>»”’"
_FINISHED = (".", "!", "?", "…", "。", "！", "？", "।", "؟", "。」", "```")


def ends_unfinished(explanation: str) -> bool:
    """Say whether a text ends without the mark of a finished sentence: most often, cut off."""
    text = explanation.strip()
    bare = text.rstrip(_CLOSERS).rstrip()
    return bool(text) and not text.endswith(_FINISHED) and not bare.endswith(_FINISHED)
