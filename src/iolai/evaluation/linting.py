"""Linting an answer key: what in it would cost a right answer its points, or a reader the sense."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from iolai.metrics import score_task
from iolai.reading import read_items, read_options
from iolai.records import (
    EVAL_TYPES,
    SPLITS,
    TASK_TYPES,
    AnswerKey,
    Prediction,
    PredictionSet,
    ProblemSet,
    Reference,
    Task,
    TaskKey,
)
from iolai.text import APOSTROPHES, is_nfc, nfc, normalise_answer

__all__ = ["FAULT", "LINT_KINDS", "NOTE", "LintFinding", "lint_key", "perfect_predictions"]

FAULT, NOTE = "fault", "note"

#: kind -> (how bad, what to do)
LINT_KINDS: dict[str, tuple[str, str]] = {
    "self-score": (FAULT, "A perfect prediction loses here; write the reference as an answer is."),
    "empty-reference": (FAULT, "No prediction can match it; give an answer, or 0 points."),
    "no-items": (FAULT, "Give the task at least one reference."),
    "bare-in-multi": (FAULT, "With eval_type multi, write each reference as a list."),
    "list-in-single": (FAULT, "Several alternatives need eval_type multi."),
    "alternatives-in-text": (FAULT, "If these are alternatives, use a list and eval_type multi."),
    "same-alternatives": (NOTE, "Two alternatives are equal once normalised; keep one."),
    "unknown-eval-type": (FAULT, f"Use one of: {', '.join(EVAL_TYPES)}."),
    "unknown-task-type": (FAULT, f"Use one of: {', '.join(TASK_TYPES)}."),
    "unknown-split": (FAULT, f"Use one of: {', '.join(SPLITS)}; or leave the split blank for all."),
    "some-without-split": (FAULT, "Give every task a split, or none."),
    "no-points": (FAULT, "No task has points, so nothing can be scored; give points."),
    "weightless": (NOTE, "A task of 0 points is shown, never scored; is that meant?"),
    "split-lacks-type": (FAULT, "This split says nothing about that task type; move a task over."),
    "not-nfc": (NOTE, "Scored alike, but local scripts that compare raw text differ; save as NFC."),
    "foreign-character": (FAULT, "The problem never shows this character; check the reference."),
    "letter-outside-options": (FAULT, "The problem has no such option; check the reference."),
    "letter-twice": (NOTE, "A matching is usually one-to-one; is that meant?"),
    "item-count": (FAULT, "The query seems to ask for another number of answers; check both."),
    "no-such-task": (FAULT, "The key has a task that the problems lack; check the ids."),
    "no-key": (FAULT, "The problems have a task that the key lacks; check the ids."),
}


@dataclass(frozen=True, slots=True)
class LintFinding:
    """One thing to look at; ``item`` counts from 1, None where it concerns more than one item."""

    kind: str
    id: str
    item: int | None
    text: str

    @property
    def level(self) -> str:
        """``fault`` or ``note``."""
        return LINT_KINDS[self.kind][0]

    @property
    def is_fault(self) -> bool:
        """Whether it costs right answers their points, or makes no sense."""
        return self.level == FAULT

    @property
    def hint(self) -> str:
        """What to do about it."""
        return LINT_KINDS[self.kind][1]


def lint_key(key: AnswerKey, problems: ProblemSet | None = None) -> tuple[LintFinding, ...]:
    """Look an answer key through, against its problems where they are given."""
    findings = [finding for task in key for finding in _lint_task(task)]
    findings += _lint_whole(key)
    if problems is not None:
        findings += _lint_against(key, problems)
    return tuple(findings)


def _lint_task(task: TaskKey) -> Iterator[LintFinding]:
    if not task.references:
        yield LintFinding("no-items", task.id, None, "no reference")
    yield from _self_score(task)
    for number, reference in enumerate(task.references, start=1):
        for kind, text in _lint_reference(reference, task):
            yield LintFinding(kind, task.id, number, text)
    known = (
        ("unknown-eval-type", task.eval_type, EVAL_TYPES),
        ("unknown-task-type", task.task_type, TASK_TYPES),
        ("unknown-split", task.split, (*SPLITS, "")),
    )
    for kind, value, values in known:
        if value not in values:
            yield LintFinding(kind, task.id, None, repr(value))
    if task.points == 0:
        yield LintFinding("weightless", task.id, None, "0 points")


def perfect_predictions(key: AnswerKey) -> PredictionSet:
    """Return predictions that give the first alternative of every reference."""
    return PredictionSet(tuple(_perfect(task) for task in key))


def _perfect(task: TaskKey) -> Prediction:
    return Prediction.of_items(task.id, (r.alternatives[0] for r in task.references), "")


def _self_score(task: TaskKey) -> Iterator[LintFinding]:
    """Score the first alternatives as a prediction: each item must come out as an exact match."""
    for number, item in enumerate(score_task(_perfect(task), task).items, start=1):
        if not normalise_answer(item.predicted):
            yield LintFinding("empty-reference", task.id, number, repr(item.predicted))
        elif item.exact_match < 1:
            text = f"{item.predicted!r} scores {item.exact_match}"
            yield LintFinding("self-score", task.id, number, text)


def _lint_reference(reference: Reference, task: TaskKey) -> Iterator[tuple[str, str]]:
    texts = reference.alternatives
    if task.eval_type == "multi" and not reference.as_list:
        yield "bare-in-multi", repr(texts[0])
    if task.eval_type != "multi" and len(texts) > 1:
        yield "list-in-single", " | ".join(texts)
    if len({normalise_answer(text) for text in texts}) < len(texts):
        yield "same-alternatives", " | ".join(texts)
    for text in texts:
        if not is_nfc(text):
            yield "not-nfc", f"{text!r} is {nfc(text)!r} in NFC"
        if _looks_like_alternatives(text):
            yield "alternatives-in-text", repr(text)


def _looks_like_alternatives(text: str) -> bool:
    """``a / b``, ``a; b`` or ``a | b`` within one short text."""
    return len(text) < 120 and re.search(r"\S\s*(?:\s/\s|;|\|)\s*\S", text) is not None


def _lint_whole(key: AnswerKey) -> Iterator[LintFinding]:
    if all(task.points == 0 for task in key):
        yield LintFinding("no-points", "", None, "all tasks have 0 points")
    with_split = [task for task in key if task.split]
    if with_split and len(with_split) < len(key):
        names = ", ".join(task.id for task in key if not task.split)
        yield LintFinding("some-without-split", "", None, f"no split: {names}")
    scored = [task for task in key if task.points > 0]
    types = sorted({task.task_type for task in scored})
    for split in sorted({task.split for task in with_split}):
        present = {task.task_type for task in scored if task.split == split}
        for task_type in types:
            if task_type not in present:
                yield LintFinding("split-lacks-type", "", None, f"{split} has no {task_type}")


def _lint_against(key: AnswerKey, problems: ProblemSet) -> Iterator[LintFinding]:
    found: set[str] = set()
    for problem in problems:
        shown = "\n".join(text for task in problem.tasks for text in (task.context, task.query))
        for task in problem.tasks:
            task_key = key.get(task.id)
            if task_key is None:
                yield LintFinding("no-key", task.id, None, "not in the key")
            else:
                found.add(task_key.id)
                yield from _lint_pair(task_key, task, shown)
    for task_key in key:
        if task_key.id not in found:
            yield LintFinding("no-such-task", task_key.id, None, "not among the problems")


def _lint_pair(key: TaskKey, task: Task, shown: str) -> Iterator[LintFinding]:
    """Compare a key with its task; ``shown`` is all that the task's problem shows."""
    n_read = len(read_items(task))
    if n_read and n_read != key.n_items:
        text = f"the key has {key.n_items} references, the query seems to ask for {n_read}"
        yield LintFinding("item-count", key.id, None, text)
    if options := read_options(task):
        yield from _lint_letters(key, options)
    elif key.points > 0:
        yield from _lint_characters(key, shown)


def _lint_letters(key: TaskKey, options: Iterable[str]) -> Iterator[LintFinding]:
    legal = {option.lower() for option in options}
    used: dict[str, int] = {}
    for number, reference in enumerate(key.references, start=1):
        for text in reference.alternatives:
            letter = normalise_answer(text)
            if letter not in legal:
                yield LintFinding("letter-outside-options", key.id, number, repr(text))
            elif letter in used and used[letter] != number:
                yield LintFinding("letter-twice", key.id, number, f"{text!r}, as in {used[letter]}")
            used.setdefault(letter, number)


def _lint_characters(key: TaskKey, shown: str) -> Iterator[LintFinding]:
    """Letters beyond ASCII, and apostrophes, must stand somewhere in the problem.

    Plain letters, digits and punctuation belong to the working language too, so they are not held
    against a reference; an ASCII apostrophe is, where the problem writes it with another sign. An
    item with one alternative that the problem can spell is fine.
    """
    signs = {_as_scored(character) for character in nfc(shown).lower()}
    for number, reference in enumerate(key.references, start=1):
        foreign = [_foreign(text, signs) for text in reference.alternatives]
        if all(foreign):
            for text, names in zip(reference.alternatives, foreign, strict=True):
                yield LintFinding("foreign-character", key.id, number, f"{names} in {text!r}")


def _foreign(text: str, signs: set[str]) -> str:
    """Name the characters of ``text`` that are not among ``signs``; empty where there are none."""
    other_apostrophes = signs & set(APOSTROPHES) - {"'"}
    return ", ".join(
        f"{character!r} (U+{ord(character):04X})"
        for character in sorted(set(nfc(text).lower()))
        if _as_scored(character) not in signs
        and (not character.isascii() or (character == "'" and other_apostrophes))
    )


def _as_scored(character: str) -> str:
    """Return a character as the normalisation leaves it: curly single quotes are straight."""
    return normalise_answer(character) or character
