"""What a sheet says about its number names: values, sets of values, and equations.

Every fact is an equation of sums of products of powers of numbers; a number is a name, figures, or
a blank. "7 = taso" is one, and a name that may be any of several values is one with options.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from iolai.solvers.induction.reader import Sheet, Table
from iolai.solvers.induction.reader.roles import is_number

__all__ = [
    "Equation",
    "Fact",
    "Term",
    "bound_of",
    "equation_of",
    "facts_of",
    "figures_within",
    "number_in_words",
    "number_of",
    "solved_for",
    "terms_of",
]

_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_RAISED = re.compile(r"[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_SIGN = re.compile(r"\^\{|[{}()\[\]^+×*·÷=<>]|\s[−–/:-]\s|−|\s[x]\s")

_BOUND = re.compile(
    r"\bnumbers?\b.{0,60}\b(?:less|smaller|lower) than (\d{2,7})\b"
    r"|\bnumbers?\b.{0,60}\b(?:below|under|up to|at most) (\d{2,7})\b",
    re.IGNORECASE,
)
_COMPARED = re.compile(r"\S\s+[<>]\s+\S")
_LABELLED = re.compile(r"\((\d{1,3}[a-z]?|[A-Za-z]|[ivx]{2,5})\)|_{2,}|\?{1,3}")
_LEADING = re.compile(r"\((?:[A-Z]|\d{1,2})\)\s+(?=[^\s=<>+×*·÷/:^−–-].*=)(?!x\s)")
_SIGNS = {"−": "-", "–": "-", "·": "*", "×": "*", "x": "*", ":": "/", "÷": "/"}
_RELATIONS = ("=", "<", ">")
_MAX_POWER = 10**7
_FIGURES = re.compile(r"\d+(?:,\d{3})*")
_TOLD_SHARE = 0.8
_ONES = """
one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
    seventeen eighteen nineteen
"""
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_ENGLISH = {word: n for n, word in enumerate(_ONES.split(), start=1)}
_ENGLISH |= {word: 10 * n for n, word in enumerate(_TENS.split(), start=2)}
_MAX_TRIED = 2000


@dataclass(frozen=True, slots=True)
class Term:
    """A number in an equation: a name, figures, or a blank with its label."""

    name: str = ""
    value: int | None = None
    blank: str | None = None


#: A side of an equation: a term, or an operator with its two sides.
Side = "Term | tuple[str, Side, Side]"


@dataclass(frozen=True, slots=True)
class Equation:
    """Two sides that are equal, or of which the left one is smaller (``sign`` is ``<``).

    ``text`` is how the sheet writes it.
    """

    left: object
    right: object
    text: str = ""
    sign: str = "="

    def terms(self) -> list[Term]:
        """Return the numbers in the order they are written."""
        return [*terms_of(self.left), *terms_of(self.right)]

    def holds(self, values: dict[Term, int]) -> bool:
        """Say whether what it says is true of some values."""
        left, right = value_of(self.left, values), value_of(self.right, values)
        if left is None or right is None:
            return False
        return left < right if self.sign == "<" else left == right


@dataclass(frozen=True, slots=True)
class Fact:
    """An equation, or a name with the values it may have; ``group`` shares those values."""

    equation: Equation | None = None
    name: str = ""
    options: tuple[int, ...] = ()
    group: int = -1

    @property
    def is_open(self) -> bool:
        """Say whether it has a blank, and so states nothing by itself."""
        return self.equation is not None and any(
            term.blank is not None for term in self.equation.terms()
        )

    def stated(self) -> tuple[str, int] | None:
        """Return a name and the value that the fact gives it outright, else None."""
        sides = (self.equation.left, self.equation.right) if self.equation else ()
        if len(sides) == 2 and self.equation and self.equation.sign == "=":
            for one, other in (sides, sides[::-1]):
                if isinstance(one, Term) and isinstance(other, Term) and one.name:
                    return (one.name, other.value) if other.value is not None else None
        return None

    def names(self) -> list[str]:
        """Return the names the fact speaks about."""
        if self.equation is None:
            return [self.name]
        return [term.name for term in self.equation.terms() if term.name]


def number_of(text: str) -> int | None:
    """Return the whole number that a text writes in figures, or None."""
    bare = re.sub(r"[\s,]", "", text.strip().rstrip("."))
    return int(bare) if bare.isascii() and bare.isdigit() and len(bare) < 10 else None


#: Signs and numbers of an equation: sheets have a dozen, and its reading goes as deep as they nest.
_MAX_PARTS = 80


# --- reading an equation --------------------------------------------------------------------


def equation_of(text: str) -> Equation | None:
    """Read an equation; None where the text is none."""
    text = _LEADING.sub("", text.strip())
    spread = _RAISED.sub(lambda m: "^" + m[0].translate(_SUPERSCRIPTS), text)
    spread = _LABELLED.sub(lambda m: f"¿{m[1] or ''}¿", spread)
    parts = _signs_and_numbers(spread)
    signs = [part for part in parts if part in _RELATIONS]
    if len(signs) != 1 or len(parts) > _MAX_PARTS:
        return None
    cut = parts.index(signs[0])
    sides = [_Parser(part).side() for part in (parts[:cut], parts[cut + 1 :])]
    if sides[0] is None or sides[1] is None:
        return None
    if signs[0] == ">":
        sides.reverse()
    return Equation(sides[0], sides[1], text, "=" if signs[0] == "=" else "<")


def _signs_and_numbers(text: str) -> list[str]:
    parts: list[str] = []
    end = 0
    for match in _SIGN.finditer(text):
        parts += [text[end : match.start()].strip(), match[0].strip()]
        end = match.end()
    parts.append(text[end:].strip())
    return [_SIGNS.get(part, part) for part in parts if part]


class _Parser:
    """Recursive descent over sums, products and powers."""

    def __init__(self, parts: list[str]) -> None:
        self._parts = parts
        self._at = 0

    def side(self) -> object | None:
        found = self._sum()
        return found if found is not None and self._at == len(self._parts) else None

    def _next(self) -> str:
        return self._parts[self._at] if self._at < len(self._parts) else ""

    def _binary(self, signs: str, lower: Callable[[], object | None]) -> object | None:
        left = lower()
        while left is not None and self._next() and self._next() in signs:
            sign = self._next()
            self._at += 1
            right = lower()
            left = None if right is None else (sign, left, right)
        return left

    def _sum(self) -> object | None:
        return self._binary("+-", self._product)

    def _product(self) -> object | None:
        return self._binary("*/", self._power)

    def _power(self) -> object | None:
        left = self._atom()
        if left is not None and self._next() in ("^", "^{"):
            closing = self._next() == "^{"
            self._at += 1
            right = self._sum() if closing else self._atom()
            if closing and self._next() == "}":
                self._at += 1
            return None if right is None else ("^", left, right)
        return left

    def _atom(self) -> object | None:
        part = self._next()
        self._at += 1
        if part in ("(", "["):
            inner = self._sum()
            self._at += 1
            return inner
        if not part or part in "+-*/^=<>{})]":
            return None
        if part.startswith("¿"):
            return Term(blank=part.strip("¿"))
        value = number_of(part)
        return Term(name=part) if value is None else Term(value=value)


def terms_of(side: object) -> Iterator[Term]:
    """Yield the numbers of a side in the order they are written."""
    if isinstance(side, Term):
        yield side
    elif isinstance(side, tuple):
        yield from terms_of(side[1])
        yield from terms_of(side[2])


def value_of(side: object, values: dict[Term, int]) -> int | None:
    """Return what a side is worth; None where it is no whole number or a term has no value."""
    if isinstance(side, Term):
        return side.value if side.value is not None else values.get(side)
    if not isinstance(side, tuple):
        return None
    one, other = value_of(side[1], values), value_of(side[2], values)
    if one is None or other is None:
        return None
    return _apply(side[0], one, other)


def solved_for(equation: Equation, blank: Term, values: dict[Term, int]) -> int | None:
    """Return the whole number above 0 that makes an equation true in place of a blank.

    None where there is none, or where another number has no value.
    """
    places = [side for side in (equation.left, equation.right) if blank in terms_of(side)]
    if equation.sign != "=" or not places:
        return None
    if equation.terms().count(blank) > 1:
        tried = (n for n in range(1, _MAX_TRIED) if equation.holds({**values, blank: n}))
        return next(tried, None)
    other = equation.right if places[0] is equation.left else equation.left
    wanted = value_of(other, values)
    return None if wanted is None else _inverted(places[0], wanted, blank, values)


def _inverted(side: object, wanted: int, blank: Term, values: dict[Term, int]) -> int | None:
    """Return what a blank is where the side it stands in is worth a number."""
    if not isinstance(side, tuple):
        return wanted if wanted > 0 else None
    sign, left, right = side
    is_left = blank in terms_of(left)
    known = value_of(right if is_left else left, values)
    if known is None:
        return None
    found = _parted(sign, wanted, known, is_left=is_left)
    return None if found is None else _inverted(left if is_left else right, found, blank, values)


def _parted(sign: str, wanted: int, known: int, *, is_left: bool) -> int | None:
    """Return the part that a sign joins with a known part to a number."""
    if sign == "+":
        return wanted - known
    if sign == "-":
        return wanted + known if is_left else known - wanted
    if sign == "*":
        return wanted // known if known and wanted % known == 0 else None
    if sign == "/":
        return wanted * known if is_left else _apply("/", known, wanted)
    powers = ((n, _apply("^", *((n, known) if is_left else (known, n)))) for n in range(1, 10**4))
    for n, power in powers:
        if power is None or power >= wanted:
            return n if power == wanted else None
    return None


def _apply(sign: str, one: int, other: int) -> int | None:
    if sign == "+":
        return one + other
    if sign == "-":
        return one - other
    if sign == "*":
        return one * other
    if sign == "/":
        return one // other if other and one % other == 0 else None
    if other < 0 or (abs(one) > 1 and other > 24) or abs(one) ** other > _MAX_POWER:
        return None
    return int(one**other)


# --- the facts of a sheet -------------------------------------------------------------------


def facts_of(sheet: Sheet) -> list[Fact]:
    """Return everything a sheet says about its number names, each once."""
    facts: list[Fact] = []
    for table in sheet.tables:
        values, forms = table.places("value"), table.places("form")
        told = [] if values else _values_told(table)
        for r, row in enumerate(table.rows):
            names = [row.cells[k].text for k in forms if row.cells[k].text]
            numbers = [number_of(row.cells[k].text) for k in values if row.cells[k].text]
            numbers += [column[r] for column in told]
            facts += [_is(name, value) for name in names for value in numbers if value]
            if not values and len(names) > 1 and sheet.equations:
                facts += [_same(names[0], name) for name in names[1:]]
    for group, pair in enumerate(sheet.lists):
        options = tuple(n for entry in pair.glosses if (n := number_of(entry.text)) is not None)
        if pair.glosses and len(options) == len(pair.glosses):
            facts += [Fact(name=e.text, options=options, group=group) for e in pair.forms]
    for entry in sheet.equations:
        equation = equation_of(entry.text)
        if equation is not None:
            facts.append(Fact(equation))
    facts += _comparisons(sheet)
    for task in sheet.tasks:
        facts += [Fact(e) for item in task.items if (e := equation_of(item.text)) is not None]
    return [fact for fact in dict.fromkeys(facts) if all(_is_name(n) for n in fact.names())]


def _values_told(table: Table) -> list[list[int | None]]:
    """Return the values of columns that tell them in words, or in figures in the same words."""
    found = []
    for place in table.places("gloss"):
        texts = [row.cells[place].text for row in table.rows]
        for read in (figures_within, number_in_words):
            values = [read(text) for text in texts]
            frames = {_FIGURES.sub("#", text) for text in texts if text}
            is_one = read is number_in_words or len(frames) == 1
            if is_one and sum(v is not None for v in values) >= _TOLD_SHARE * len(texts):
                found.append(values)
                break
    return found


def figures_within(text: str) -> int | None:
    """Return the one number that a text holds in figures: a year, a price; None for several."""
    runs = _FIGURES.findall(text)
    return number_of(runs[0]) if len(runs) == 1 else None


def number_in_words(text: str) -> int | None:
    """Return the number that a text writes in English words, or None."""
    total, part = 0, 0
    words = [word for word in re.split(r"[\s-]+", text.strip().lower()) if word != "and"]
    for word in words:
        if word in _ENGLISH:
            part += _ENGLISH[word]
        elif word == "hundred":
            part = max(1, part) * 100
        elif word == "thousand":
            total, part = total + max(1, part) * 1000, 0
        elif word != "a" or len(words) < 2:
            return None
    return total + part or None


def bound_of(sheet: Sheet) -> int:
    """Return the number that the sheet says no number of it exceeds; a large one if it does not."""
    bounds = [
        int(match[1] or match[2]) for task in sheet.tasks for match in _BOUND.finditer(task.prose)
    ]
    return max(bounds, default=_MAX_POWER)


def _comparisons(sheet: Sheet) -> list[Fact]:
    """Return what loose lines say about which name is the smaller number."""
    lines = [
        line for task in sheet.tasks for line in task.prose.split("\n") if _COMPARED.search(line)
    ]
    found = [equation_of(line) for line in lines]
    return [Fact(each) for each in found if each is not None and each.sign == "<"]


def _is(name: str, value: int) -> Fact:
    return Fact(Equation(Term(name), Term(value=value), f"{value} = {name}"))


def _same(one: str, other: str) -> Fact:
    return Fact(Equation(Term(one), Term(other), f"{one} = {other}"))


def _is_name(text: str) -> bool:
    return not is_number(text) and any(c.isalpha() for c in text) and len(text) < 120
