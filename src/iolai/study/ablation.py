"""Ablation: the language's name, family, place and notes taken out of context and query.

For the built-in problems an editor has written down, sheet by sheet, which words go and what
stands in their place (``data/studies/ablation.toml``); other problems are treated by rules, whose
changes are shown as a diff so that somebody can look at them. The forms of the language are data
and stay, personal names in examples too.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from pathlib import Path

from iolai.errors import FormatError, Place
from iolai.files import read_text
from iolai.records import Problem, ProblemSet, Task
from iolai.study.languages import language_names

__all__ = [
    "PLACEHOLDER",
    "Ablated",
    "Edit",
    "ablate_problems",
    "ablate_task",
    "ablation_diff",
    "builtin_edits",
    "read_edits",
]

#: What stands for a name that a rule took out.
PLACEHOLDER = "Language X"
_HINT = (
    'Write a table for each problem\'s id, with edits = [["text as it stands", "in its place"]].'
)


@dataclass(frozen=True, slots=True)
class Edit:
    """A text of the sheet, as it stands, and what comes in its place."""

    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Ablated:
    """A task after ablation, the edits that were made, and by what: ``editor`` or ``rules``."""

    task: Task
    edits: tuple[Edit, ...]
    by: str


def read_edits(path: Path) -> dict[str, tuple[Edit, ...]]:
    """Read an editor's list, by problem id; raises FormatError naming the problem."""
    return _parsed(read_text(path), path)


@cache
def builtin_edits() -> Mapping[str, tuple[Edit, ...]]:
    """Return the editor's list for the built-in problems."""
    file = resources.files("iolai") / "data" / "studies" / "ablation.toml"
    return _parsed(file.read_text(encoding="utf-8"), "ablation.toml")


def _parsed(text: str, path: Path | str) -> dict[str, tuple[Edit, ...]]:
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise FormatError(f"no TOML: {error}", place=Place(path), hint=_HINT) from error
    result = {}
    for problem, table in tables.items():
        edits = table.get("edits") if isinstance(table, dict) else None
        if not isinstance(edits, list) or not all(_is_pair(edit) for edit in edits):
            raise FormatError(f"problem {problem} has no edits", place=Place(path), hint=_HINT)
        result[problem] = tuple(Edit(*edit) for edit in edits)
    return result


def _is_pair(edit: object) -> bool:
    return (
        isinstance(edit, list)
        and len(edit) == 2
        and all(isinstance(text, str) for text in edit)
        and bool(edit[0])
    )


def ablate_problems(
    problems: ProblemSet, edits: Mapping[str, Sequence[Edit]] | None = None
) -> ProblemSet:
    """Return a problem set without what names its languages; see ``ablate_task``."""
    return replace(
        problems,
        problems=tuple(
            replace(
                problem,
                tasks=tuple(ablate_task(task, problem, edits).task for task in problem.tasks),
                title="",
                language="",
            )
            for problem in problems
        ),
    )


def ablate_task(
    task: Task, problem: Problem, edits: Mapping[str, Sequence[Edit]] | None = None
) -> Ablated:
    """Return a task without what names its language: by the editor's list, else by the rules.

    ``edits`` is a list such as ``read_edits`` gives; without one, that of the built-in problems.
    The codes of the language go too. An edit counts where its text stands in the task; the sheet
    may have changed since the editor read it, so rules take out what the list leaves behind.
    """
    listed = (builtin_edits() if edits is None else edits).get(problem.id)
    made: list[Edit] = []
    texts = [task.context, task.query]
    if listed is not None:
        for edit in listed:
            if any(edit.before in text for text in texts):
                texts = [text.replace(edit.before, edit.after) for text in texts]
                made.append(edit)
    names = language_names(problem)
    left = any(_pattern(names).search(text) for text in texts) if names else False
    by_editor = listed is not None and not left
    if not by_editor:
        for place, text in enumerate(texts):
            texts[place], found = _by_rules(text, names)
            made += found
    ablated = replace(task, context=texts[0], query=texts[1], task_lang=())
    return Ablated(ablated, tuple(made), "editor" if by_editor else "rules")


#: Sentences that tell about the language and show nothing of it.
_NOTES = re.compile(
    r"\b(?:is|are|was|were) spoken\b|\bspeakers\b|\bspoken (?:by|in)\b"
    r"|\bbelongs? to the\b|\blanguage family\b|\bmembers? of the [A-Z]\w+ "
    r"|\bis an? (?:[\w-]+ ){0,3}language\b|\b(?:extinct|endangered)\b|\bnative to\b"
)
_SENTENCE = re.compile(r"[^\s.!?][^.!?\n]*[.!?]+(?=\s|$) ?")
#: Asides that place the language: "(dialect of ...)", "(a X language ...)", ", a language of ...".
_ABOUT = r"(?:in )?(?:the |an? )?(?:[\w-]+ )?(?:dialect|language|subdialect|variety|spoken)\b"
_ASIDE = re.compile(rf" ?\({_ABOUT}[^()]*\)|, an? (?:[\w-]+ )?language\b[^,.;:()\n]*(?=[,.;:])")


def _by_rules(text: str, names: Sequence[str]) -> tuple[str, list[Edit]]:
    """Take out notes about the language, asides that place it, and its names."""
    edits: list[Edit] = []
    for aside in (*_notes(text), *(match[0] for match in _ASIDE.finditer(text))):
        if aside in text:  # it may have stood within another one
            text = text.replace(aside, "", 1)
            edits.append(Edit(aside, ""))
    if names:
        found = dict.fromkeys(match[0] for match in _pattern(names).finditer(text))
        edits += [Edit(name, PLACEHOLDER) for name in found]
        text = _pattern(names).sub(PLACEHOLDER, text)
    return text, edits


def _notes(text: str) -> Iterator[str]:
    """Yield the sentences that speak about the language; one that holds data stays."""
    for match in _SENTENCE.finditer(text):
        sentence = match[0]
        if _NOTES.search(sentence) and not re.search(r"[:=|—]|\bHere (?:is|are)\b", sentence):
            yield sentence


def _pattern(names: Sequence[str]) -> re.Pattern[str]:
    """Match any of the names as whole words, the article and the word "language" with them."""
    choices = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    return re.compile(rf"(?:\b[Tt]he )?(?<![\w-])(?:{choices})(?: languages?)?(?![\w-])")


def ablation_diff(task: Task, ablated: Task) -> str:
    """Return what ablation changed, line by line (``-`` as it was, ``+`` as it is now)."""
    lines: list[str] = []
    for name in ("context", "query"):
        before, after = getattr(task, name), getattr(ablated, name)
        lines += difflib.unified_diff(
            before.splitlines(),
            after.splitlines(),
            f"{task.id} {name}",
            f"{task.id} {name}, ablated",
            n=0,
            lineterm="",
        )
    return "\n".join(lines)
