"""Prompts are files: a text with ``{context}``, ``{query}`` and the like, filled in here."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from iolai.errors import FormatError, Place, UnknownNameError
from iolai.files import read_text
from iolai.solvers.llm.request import Message

__all__ = ["PROMPTS", "Prompt", "fitted", "load_prompt"]

PROMPTS = Path(__file__).resolve().parents[2] / "data" / "prompts"

_FIELD = re.compile(r"\{(\w+)\}")
_FIELDS = frozenset(
    {"context", "query", "n_items", "labels", "item", "options", "answers", "title", "failed"}
)
#: What stands between the system's part and the user's, on a line of its own.
_SYSTEM = "=== user ==="


class Prompt:
    """A prompt's template; ``fill`` gives the messages. Unknown fields are found at loading."""

    def __init__(self, text: str, path: Path) -> None:
        unknown = sorted(set(_FIELD.findall(text)) - _FIELDS)
        if unknown:
            raise FormatError(
                f"{{{unknown[0]}}} is no field of a prompt",
                place=Place(path),
                hint=f"Fields: {', '.join(sorted(_FIELDS))}.",
            )
        system, mark, user = text.partition(_SYSTEM)
        self._parts = [("system", system), ("user", user)] if mark else [("user", text)]
        self.text = text

    def fill(self, values: Mapping[str, str]) -> tuple[Message, ...]:
        """Return the messages with every field replaced; a field without a value becomes empty."""
        return tuple(
            Message(role, _FIELD.sub(lambda found: values.get(found[1], ""), part).strip())
            for role, part in self._parts
            if part.strip()
        )


def load_prompt(name: str) -> Prompt:
    """Read a prompt by its name among those of iolai, or by the path of a ``.txt`` file."""
    path = Path(name)
    if path.suffix != ".txt":
        path = PROMPTS / f"{name}.txt"
        if not path.is_file():
            known = (file.stem for file in PROMPTS.glob("*.txt"))
            raise UnknownNameError("prompt", name, known)
    return Prompt(read_text(path), path)


def fitted(context: str, n_over: int, n_tokens: int) -> str:
    """Cut a context of ``n_tokens`` by ``n_over`` tokens and a few more, in its middle.

    Whole lines go, those in the middle first: the beginning says what the sheet is, the end
    stands next to the query.
    """
    if n_over <= 0 or not context:
        return context
    keep = max(0, len(context) - int(len(context) * (n_over + 16) / max(1, n_tokens)))
    lines = context.split("\n")
    while len(lines) > 1 and sum(map(len, lines)) + len(lines) > keep:
        del lines[len(lines) // 2]
    cut = "\n".join(lines)
    return cut if len(cut) <= keep else cut[:keep]  # one endless line
