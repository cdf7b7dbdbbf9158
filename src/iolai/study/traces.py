"""Traces in what the models wrote: knowledge that the problem did not give, loops, cut-offs.

A mention is found, not judged: that a word stands there does not show that it led to the answer.
Words that the task itself holds are no trace of knowledge and are not counted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources

from iolai.reading import ends_unfinished
from iolai.records import Cell, Column, Outcome, Problem, Table, Task
from iolai.study.ablation import ablate_task
from iolai.study.comparing import count, text
from iolai.study.languages import language_names
from iolai.study.material import Material
from iolai.study.outcomes import grouped
from iolai.text import squeeze

__all__ = ["KINDS", "Trace", "find_traces", "longest_loop", "trace_tables"]

_AROUND = 60  # characters of an example on either side
_EXAMPLES = 3  # of one kind and model
#: So many times in a row a passage stands until it is a loop, and the share of the text it fills.
_MIN_REPEATS = 4
_MIN_SHARE = 0.2
_MIN_LENGTH = 80  # characters: a shorter row is a list, a ruler, a word of the language
_MAX_LOOKED_AT = 20_000  # characters from the end, where loops are


@dataclass(frozen=True, slots=True)
class Trace:
    """One thing found in a reply: its ``kind`` and where, with the text around it."""

    kind: str
    word: str
    excerpt: str


#: What is looked for, in the order of the columns: kind -> title.
KINDS: dict[str, str] = {
    "family": "A language family is named",
    "typology": "A term of typology",
    "language": "The language is named though not given",
    "loop": "A loop",
    "truncated": "Stops in the middle",
}


def find_traces(outcome: Outcome, task: Task, problem: Problem) -> tuple[Trace, ...]:
    """Return what is found in one reply; ``task`` is as the model was given it."""
    written = outcome.reply or "\n".join(filter(None, (outcome.text, outcome.explanation)))
    given = f"{task.context}\n{task.query}"
    found = [*_mentions("family", _families(), written, given)]
    found += _mentions("typology", _terms(), written, given)
    names = _pattern(language_names(problem), 0)
    found += _mentions("language", names, written, given) if names else []
    loop = longest_loop(written)
    if loop:
        found.append(Trace("loop", loop, squeeze(loop)[: 2 * _AROUND]))
    if outcome.state == "truncated" or ends_unfinished(outcome.explanation):
        found.append(Trace("truncated", outcome.state, squeeze(written[-2 * _AROUND :])))
    return tuple(found)


def longest_loop(written: str) -> str:
    """Return the passage that a text ends in repeating, or "" where it does not.

    The passage stands at least four times in a row, and the row fills 80 characters and a fifth
    of the text.
    """
    end = written[-_MAX_LOOKED_AT:].rstrip()
    for length in range(1, len(end) // _MIN_REPEATS + 1):
        passage = end[-length:]
        times = 1
        while end.endswith(passage, 0, len(end) - times * length) and times * length < len(end):
            times += 1
        filled = times * length
        if times >= _MIN_REPEATS and filled >= max(_MIN_LENGTH, _MIN_SHARE * len(end)):
            return passage
    return ""


def _mentions(kind: str, words: re.Pattern[str], written: str, given: str) -> Iterator[Trace]:
    """Yield each different word found once, unless the task holds it."""
    seen: set[str] = set()
    for match in words.finditer(written):
        word = match[0]
        key = word.casefold()
        if key in seen or re.search(rf"\b{re.escape(word)}\b", given, re.IGNORECASE):
            continue
        seen.add(key)
        start, end = max(0, match.start() - _AROUND), match.end() + _AROUND
        yield Trace(kind, word, squeeze(written[start:end]))


def _pattern(words: Sequence[str], flags: int) -> re.Pattern[str] | None:
    if not words:
        return None
    choices = "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
    return re.compile(rf"\b(?:{choices})\b", flags)


@cache
def _word_lists() -> dict[str, tuple[str, ...]]:
    file = resources.files("iolai") / "data" / "studies" / "typology.txt"
    lists: dict[str, list[str]] = {}
    section = ""
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            section = line.strip("[]")
        elif line and not line.startswith("#"):
            lists.setdefault(section, []).append(line)
    return {name: tuple(words) for name, words in lists.items()}


@cache
def _families() -> re.Pattern[str]:
    return _required(_pattern(_word_lists()["families"], 0))


@cache
def _terms() -> re.Pattern[str]:
    return _required(_pattern(_word_lists()["terms"], re.IGNORECASE))


def _required(pattern: re.Pattern[str] | None) -> re.Pattern[str]:
    if pattern is None:
        raise ValueError("the list of words is empty")
    return pattern


def trace_tables(
    material: Material, as_given: Callable[[Outcome, Task, Problem], Task] | None = None
) -> tuple[Table, ...]:
    """Return ``traces`` (counts by model) and ``trace-examples``.

    ``as_given`` returns a task as the model saw it under the outcome's condition; by default an
    ablated context counts as one that does not name the language.
    """
    see = as_given or _as_given
    places = {task.id: (task, problem) for problem in material.problems for task in problem.tasks}
    found: dict[str, list[tuple[Outcome, Trace]]] = {}
    calls = grouped((o for o in material.replies if o.task in places), lambda o: o.model)
    for model, outcomes in calls.items():
        found[model] = [
            (outcome, trace)
            for outcome in outcomes
            for trace in find_traces(
                outcome, see(outcome, *places[outcome.task]), places[outcome.task][1]
            )
        ]
    reason = "" if calls else "no outcome belongs to a problem that was handed in"
    return _counts(calls, found, reason), _examples(found, reason)


def _as_given(outcome: Outcome, task: Task, problem: Problem) -> Task:
    return _ablated(task, problem) if outcome.condition.context == "ablated" else task


@lru_cache(maxsize=1 << 10)
def _ablated(task: Task, problem: Problem) -> Task:
    return ablate_task(task, problem).task


def _counts(
    calls: dict[str, tuple[Outcome, ...]],
    found: dict[str, list[tuple[Outcome, Trace]]],
    reason: str,
) -> Table:
    columns = (
        Column("model", "Model"),
        Column("replies", "Replies", "count"),
        *(Column(kind, title, "count") for kind, title in KINDS.items()),
    )
    rows = []
    for model, outcomes in calls.items():
        fake = any(outcome.synthetic for outcome in outcomes)
        cells = [text(model), count(len(outcomes), synthetic=fake)]
        for kind in KINDS:
            replies = {id(outcome) for outcome, trace in found[model] if trace.kind == kind}
            cells.append(Cell(float(len(replies)), len(outcomes), synthetic=fake))
        rows.append(tuple(cells))
    notes = (
        "Counts of replies, over all conditions. A word that the task itself holds is not counted; "
        "a mention does not show that it led to the answer.",
    )
    return Table("traces", "Traces in the replies", columns, tuple(rows), notes, reason)


def _examples(found: dict[str, list[tuple[Outcome, Trace]]], reason: str) -> Table:
    columns = (
        Column("model", "Model"),
        Column("kind", "Kind"),
        Column("task", "Task"),
        Column("condition", "Condition"),
        Column("word", "What"),
        Column("excerpt", "Where it stands"),
    )
    rows = []
    for model, traces in found.items():
        for kind, title in KINDS.items():
            own = [(outcome, trace) for outcome, trace in traces if trace.kind == kind]
            for outcome, trace in own[:_EXAMPLES]:
                cells = (model, title, outcome.task, outcome.condition.name)
                excerpt = text(trace.excerpt, synthetic=outcome.synthetic)
                rows.append((*map(text, cells), text(squeeze(trace.word)[:_AROUND]), excerpt))
    notes = (f"At most {_EXAMPLES} of a kind for each model, the first that were found.",)
    if not rows and not reason:
        reason = "nothing of the kind was found in any reply"
    return Table("trace-examples", "Examples of traces", columns, tuple(rows), notes, reason)
