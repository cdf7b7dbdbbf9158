"""Invented number systems, drawn at random: words, base, order, links, overcounting."""

from __future__ import annotations

import random
from dataclasses import dataclass

from iolai.records import Problem, Task

__all__ = ["System", "draw_system", "numeral_problem"]

_ONSETS, _VOWELS = "ptkmnslrfhvgdb", "aeiou"


@dataclass(frozen=True)
class System:
    """A number system up to the cube of its base; ``kind`` is ``+``, ``-`` or ``>``.

    ``-`` names the two numbers below a multiple by subtraction, ``>`` counts toward the next
    multiple.
    """

    base: int
    digits: tuple[str, ...]
    powers: tuple[str, str]
    kind: str
    big_first: bool
    base_last: bool
    link: str
    other_link: str
    gap: str

    def name(self, n: int) -> str:
        """Return the name of a number below the square of the base times the base."""
        if n < self.base:
            return self.digits[n - 1]
        square = self.base**2
        if n >= square:
            head = self._times(n // square, self.powers[1])
            return self._sum(head, self.name(n % square)) if n % square else head
        return self._below_square(n)

    def _below_square(self, n: int) -> str:
        tens, rest = divmod(n, self.base)
        if rest == 0:
            return self._times(tens, self.powers[0])
        following = (
            self._times(tens + 1, self.powers[0]) if tens + 1 < self.base else self.powers[1]
        )
        if self.kind == ">":
            return f"{self.digits[rest - 1]} {self.other_link} {following}"
        if self.kind == "-" and rest >= self.base - 2:
            return f"{self.digits[self.base - rest - 1]} {self.other_link} {following}"
        return self._sum(self._times(tens, self.powers[0]), self.digits[rest - 1])

    def _times(self, n: int, word: str) -> str:
        if n == 1:
            return word
        digit = self.digits[n - 1]
        return f"{digit}{self.gap}{word}" if self.base_last else f"{word}{self.gap}{digit}"

    def _sum(self, big: str, small: str) -> str:
        first, second = (big, small) if self.big_first else (small, big)
        return f"{first} {self.link} {second}" if self.link else f"{first} {second}"


def draw_system(seed: int) -> System:
    """Draw a number system."""
    rng = random.Random(seed)  # noqa: S311 - a draw for tests
    base = rng.choice([4, 5, 6, 8, 10, 12, 20])
    words: list[str] = []
    while len(words) < base + 4:
        word = "".join(rng.choice(_ONSETS) + rng.choice(_VOWELS) for _ in range(rng.choice([1, 2])))
        word += rng.choice(["", "n", "s", "k"])
        if not any(word in other or other in word for other in words):
            words.append(word)
    big_first, base_last = rng.random() < 0.7, rng.random() < 0.6
    return System(
        base=base,
        digits=tuple(words[: base - 1]),
        powers=(words[base - 1], words[base]),
        kind=rng.choice("++->"),
        big_first=big_first,
        base_last=base_last,
        link=words[base + 1] if rng.random() < 0.5 or (not big_first and base_last) else "",
        other_link=words[base + 2],
        gap=rng.choice([" ", " ", "-", ""]),
    )


def numeral_problem(
    system: System, seed: int, n_given: int = 14, n_asked: int = 5
) -> tuple[Problem, list[list[str]]]:
    """Return a problem of two tasks (to figures, to words) and the answers of each."""
    rng = random.Random(seed)  # noqa: S311 - a draw for tests
    top = min(system.base**3 - 1, 999)
    low = list(range(1, 2 * system.base))
    pool = rng.sample(low, min(4, len(low)))
    pool += rng.sample(range(2 * system.base, system.base**2), n_given // 2)
    pool += [n for n in rng.sample(range(system.base**2, top), n_given) if n not in pool]
    given = sorted(dict.fromkeys(pool))[:n_given] if len(pool) < n_given else pool[:n_given]
    morphs = {m for n in given for m in system.name(n).replace("-", " ").split()}
    rest = [n for n in range(1, top) if n not in given]
    rng.shuffle(rest)
    askable = [n for n in rest if set(system.name(n).replace("-", " ").split()) <= morphs]
    asked = (askable[:n_asked], askable[n_asked : 2 * n_asked])
    context = "\n".join(f"{n} | {system.name(n)}" for n in sorted(given))
    queries = (
        "Write in numerals:\n\n" + "\n".join(system.name(n) for n in asked[0]),
        "Write out in Ewkish:\n\n" + "\n".join(str(n) for n in asked[1]),
    )
    kinds = ("text_to_num", "num_to_text")
    tasks = tuple(
        Task(f"t{i}", context, query, kind)
        for i, (query, kind) in enumerate(zip(queries, kinds, strict=True))
    )
    answers = [[str(n) for n in asked[0]], [system.name(n) for n in asked[1]]]
    return Problem(f"invented-{seed}", tasks), answers
