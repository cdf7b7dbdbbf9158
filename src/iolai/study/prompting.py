"""The study's prompts, as files, and what a reply to one of them holds.

A prompt is ``NAME.txt``; the same prompt with an explanation asked for is
``NAME-explanation.txt``. A study's own stand in a folder ``prompts`` beside its ``study.toml``
and go before those that come with iolai. Fields: ``{context}``, ``{query}``, ``{n_items}``.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from iolai.errors import FormatError, Place, UnknownNameError
from iolai.files import read_text
from iolai.records import Task
from iolai.records.study import Condition

__all__ = ["Reply", "StudyPrompt", "builtin_prompts", "load_study_prompt", "split_reply"]

_FIELD = re.compile(r"\{(\w+)\}")
_FIELDS = ("context", "query", "n_items")
_EXPLAINED = "-explanation"
#: The line that stands between answers and explanation, however it was dressed up.
_MARK = re.compile(r"^[\s#*_]*EXPLANATION[\s*_]*:?[\s*_]*", re.IGNORECASE | re.MULTILINE)
_HEADING = re.compile(r"\A[\s#*_]*ANSWERS?[\s*_]*:?[\s*_]*\n", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class StudyPrompt:
    """A prompt's name and its text with fields."""

    name: str
    text: str

    def fill(self, task: Task, n_items: int) -> str:
        """Return the prompt for a task."""
        values = {"context": task.context, "query": task.query, "n_items": str(n_items)}
        return _FIELD.sub(lambda field: values[field[1]], self.text).strip()


@dataclass(frozen=True, slots=True)
class Reply:
    """The prediction and the explanation that a reply holds; either may be empty."""

    text: str
    explanation: str = ""


def builtin_prompts() -> tuple[str, ...]:
    """Return the names of the prompts that come with iolai, those with explanations apart."""
    names = (path.name.removesuffix(".txt") for path in _folder().iterdir())
    return tuple(sorted(name for name in names if not name.endswith(_EXPLAINED)))


def _folder() -> Any:
    return resources.files("iolai") / "data" / "studies" / "prompts"


def load_study_prompt(condition: Condition, own: Path | None = None) -> StudyPrompt:
    """Return the prompt of a condition; ``own`` is the study's folder of prompts.

    Raises UnknownNameError where there is none of that name, FormatError for an unknown field.
    """
    name = condition.prompt + (_EXPLAINED if condition.explanation else "")
    file = f"{name}.txt"
    if own is not None and (own / file).is_file():
        return _checked(name, read_text(own / file), own / file)
    path = _folder() / file
    if not path.is_file():
        own_names = {path.stem for path in own.glob("*.txt")} if own else set()
        raise UnknownNameError("prompt", name, {*own_names, *builtin_prompts()})
    return _checked(name, path.read_text(encoding="utf-8"), file)


def _checked(name: str, text: str, path: Path | str) -> StudyPrompt:
    found = _FIELD.findall(text)
    unknown = sorted(set(found) - set(_FIELDS))
    missing = [field for field in ("context", "query") if field not in found]
    if unknown or missing:
        what = f"{{{unknown[0]}}} is no field" if unknown else f"the prompt lacks {{{missing[0]}}}"
        raise FormatError(
            what,
            place=Place(path),
            hint=f"Fields of a study's prompt: {', '.join(f'{{{name}}}' for name in _FIELDS)}.",
        )
    return StudyPrompt(name, text)


def split_reply(reply: str, *, explanation: bool) -> Reply:
    """Take prediction and explanation from a reply.

    A JSON list, or an object with ``answers``, that begins a line and ends the reply is handed on
    as a list, without a fence or what was said before it. Otherwise the lines before the mark
    ``EXPLANATION`` are the prediction as they stand: how they are read is for the official rule.
    Without a mark it is the whole reply.
    """
    found = _json_answers(reply)
    if found is not None:
        return found
    if not explanation:
        return Reply(reply.strip())
    mark = _MARK.search(reply)
    if mark is None:
        return Reply(_HEADING.sub("", reply).strip())
    answers, rest = reply[: mark.start()], reply[mark.end() :]
    return Reply(_HEADING.sub("", answers).strip(), rest.strip())


def _json_answers(reply: str) -> Reply | None:
    start = re.search(r"^\s*([\[{])", reply, re.MULTILINE)
    if start is None:
        return None
    try:
        value, end = json.JSONDecoder().raw_decode(reply[start.start(1) :])
    except ValueError:
        return None
    if reply[start.start(1) + end :].strip(" \n\r\t`"):
        return None  # more follows, so that it is part of the text
    if isinstance(value, dict) and isinstance(value.get("answers"), list):
        explanation = value.get("explanation", "")
        text = explanation if isinstance(explanation, str) else json.dumps(explanation)
        return Reply(json.dumps(value["answers"], ensure_ascii=False), text.strip())
    if isinstance(value, list):
        return Reply(json.dumps(value, ensure_ascii=False))
    return None
