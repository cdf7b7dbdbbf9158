"""Sheets that nobody would hand in: made from good ones, or from nothing, by a seed."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

from iolai.records import Problem, Task

__all__ = ["MUTATIONS", "extreme_problems", "mutated"]

_ODD = (
    "\x00", "\x07", "\x1b[31m", "\x85", "\u2028", "\u202e", "\u202d", "\u200f", "\u200b", "\ufeff",
    "\ud83e\udd14".encode("utf-16", "surrogatepass").decode("utf-16"), "\u0301", "\u0338" * 7,
    "ﷺ", "مرحبا", "שלום", "ไทย", "हिन्दी", "漢字", "한글", "𐌰𐌱", "ǆ", "İ", "ß", "\t", "\r", "\r\n",
    "|", " | ", "||||", "(1)", "(12)", "____", "=", " = ", "²", "×", "→", "{", "}", "[", "]",
    "((((", "A.", "1.", "99999999999999999999.", "AA)", "iv.", "-", "–", "\\", "%s", "{0}", "🙂",
)  # fmt: skip
_PROSE = (
    "The speakers of this language live in a valley between two rivers, and their grandmothers "
    "tell that once upon a time a bird taught them to count. Nobody knows, of course. "
)

Mutation = Callable[[str, random.Random], str]


def _drop_lines(text: str, rng: random.Random) -> str:
    share = rng.random()
    return "\n".join(line for line in text.split("\n") if rng.random() < share)


def _repeat_lines(text: str, rng: random.Random) -> str:
    lines = text.split("\n")
    return "\n".join(line for line in lines for _ in range(rng.choice((1, 1, 2, 5, 40))))


def _shuffle_lines(text: str, rng: random.Random) -> str:
    lines = text.split("\n")
    rng.shuffle(lines)
    return "\n".join(lines)


def _drop_letters(text: str, rng: random.Random) -> str:
    share = rng.choice((0.01, 0.1, 0.5))
    return "".join(letter for letter in text if rng.random() > share)


def _insert_odd(text: str, rng: random.Random) -> str:
    pieces = list(text)
    for _ in range(rng.choice((1, 5, 50))):
        pieces.insert(rng.randint(0, len(pieces)), rng.choice(_ODD))
    return "".join(pieces)


def _other_separators(text: str, rng: random.Random) -> str:
    new = rng.choice(("\t", "  ", " - ", " – ", " = ", ":", " || ", "|", "", "\n"))
    return re.sub(r"\s*\|\s*", lambda _: new, text)


def _cut(text: str, rng: random.Random) -> str:
    start = rng.randint(0, len(text))
    return text[start : rng.randint(start, len(text))]


def _nothing(text: str, rng: random.Random) -> str:
    return rng.choice(("", " ", "\n\n\n", "?", "\x00"))


def _prose(text: str, rng: random.Random) -> str:
    return _PROSE * rng.choice((1, 20, 200))


def _renumbered(text: str, rng: random.Random) -> str:
    return re.sub(r"\d+", lambda _: str(rng.choice((0, 1, 7, 10**9, 10**30))), text)


def _many(text: str, rng: random.Random) -> str:
    n = rng.choice((300, 2000, 10_000))
    return "\n".join(f"{i}. ba{i % 97}ko ti{i % 31} | the dog {i % 97} saw it" for i in range(n))


def _one_line(text: str, rng: random.Random) -> str:
    return text.replace("\n", rng.choice((" ", "", " | ", "; ")))


def _nested(text: str, rng: random.Random) -> str:
    n = rng.choice((10, 1000, 20_000))
    return rng.choice(("(", "[", "{", "‘", "|", "_", "1.", "- ")) * n + text


def _spaces(text: str, rng: random.Random) -> str:
    return text.replace(" ", " " * rng.choice((2, 30, 3000)), rng.choice((1, 20)))


def _reversed(text: str, rng: random.Random) -> str:
    return text[::-1]


def _other_script(text: str, rng: random.Random) -> str:
    shift = rng.choice((0x3B0, 0x430, 0x5D0, 0x627, 0x915, 0x4E00)) - ord("a")
    share = rng.random()
    return "".join(
        chr(ord(c) + shift) if "a" <= c <= "z" and rng.random() < share else c for c in text
    )


def _huge_line(text: str, rng: random.Random) -> str:
    unit = rng.choice(("a", "ab ", "a | ", "1. ", "(", "mako tiri ", "\u0301", "a=", "_", "á—"))
    return text + "\n" + unit * (rng.choice((20_000, 200_000, 1_000_000)) // len(unit))


MUTATIONS: tuple[Mutation, ...] = (
    _drop_lines, _repeat_lines, _shuffle_lines, _drop_letters, _insert_odd, _other_separators,
    _cut, _nothing, _prose, _renumbered, _many, _one_line, _nested, _spaces, _reversed,
    _other_script, _huge_line,
)  # fmt: skip
#: Mutations that make a text long are drawn seldom.
_WEIGHTS = (4, 2, 4, 4, 6, 4, 4, 1, 1, 3, 1, 2, 2, 2, 2, 3, 1)


def mutated(problem: Problem, others: Sequence[Problem], rng: random.Random) -> Problem:
    """Return a problem with one to three things wrong in each of some of its texts."""
    tasks = []
    for task in problem.tasks:
        if rng.random() < 0.1:
            stranger = rng.choice(rng.choice(others).tasks)
            task = replace(task, query=stranger.query)
        if rng.random() < 0.1:
            task = replace(task, context=task.query, query=task.context)
        context, query = task.context, task.query
        if rng.random() < 0.7:
            context = _spoilt(context, rng)
        if rng.random() < 0.5:
            query = _spoilt(query, rng)
        tasks.append(replace(task, context=context, query=query))
    return replace(problem, tasks=tuple(tasks[: rng.choice((1, 2, 9))]))


def _spoilt(text: str, rng: random.Random) -> str:
    for mutation in rng.choices(MUTATIONS, _WEIGHTS, k=rng.choice((1, 1, 2, 3))):
        text = mutation(text, rng)[:2_000_000]
    return text


def extreme_problems() -> dict[str, Problem]:
    """Return the hard cases by name, each a problem of one task."""
    pairs = "\n".join(f"{i}. mako{i} tiri{i % 9} | the dog {i} slept" for i in range(10_000))
    letters = "\n".join(f"{i}. word{i}" for i in range(1, 400))
    queries = {
        "empty context": ("", "Translate into English:\n1. mako\n2. tiri"),
        "nothing at all": ("", ""),
        "query without items": ("mako | dog\ntiri | cat\nsulo | bird", "Translate."),
        "10,000 examples": (pairs, "Translate into English:\n1. mako3 tiri4"),
        "10,000 items": ("mako | dog\ntiri | cat", "Translate into English:\n" + pairs),
        "a page of prose": (_PROSE * 30, "What do you think?"),
        "long lists": (letters + "\n\n" + letters.replace(". word", ") thing"), "Match."),
        "mixed scripts": ("мако tiri | собака\nмако सूरज | dog\n漢字 mako | кот", "1. мако"),
        "right to left": ("שלום | peace\nשלומי | my peace\nכלב | dog", "Translate:\n1. כלבי"),
        "control characters": ("ma\x00ko | d\x07og\n\x1btiri | c\u202eat", "1. mako\x00\n2. \x08"),
        "a line of 5 MB": ("a" * 5_000_000, "Translate into English:\n1. a"),
        "a line of 5 MB of words": ("mako tiri " * 500_000, "Translate into English:\n1. mako"),
        "a line of 5 MB of cells": ("mako | " * 700_000, "Translate into English:\n1. mako"),
        "a line of 5 MB of brackets": ("(" * 5_000_000, "Translate into English:\n1. mako"),
        "a line of 5 MB of labels": ("1. a " * 1_000_000, "Translate into English:\n1. mako"),
        "a query of 5 MB": ("mako | dog\ntiri | cat", "1. mako " * 600_000),
        "blanks by the thousand": ("\n".join(f"mako | ({i}) | dog" for i in range(5000)), "Fill."),
        "equations by the thousand": (
            "\n".join(f"mako{i} + tiri{i} = sulo{i}" for i in range(4000)),
            "Write in numerals:\n1. mako3",
        ),
    }
    problems = {
        name: Problem(name, (Task("t", context, query),))
        for name, (context, query) in queries.items()
    }
    assert all(one != other for one, other in pairwise(problems))
    return problems
