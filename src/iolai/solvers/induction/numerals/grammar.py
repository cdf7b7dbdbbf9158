"""A finished number grammar: names for numbers, numbers for names, and the rules in words."""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import inf, log2

from iolai.solvers.induction.numerals.arithmetic import (
    SHORT,
    Construction,
    Reading,
    State,
    readings,
    whole_of,
)
from iolai.solvers.induction.numerals.valuation import ROOM
from iolai.solvers.induction.numerals.words import Segmentation
from iolai.solvers.induction.printed.numbers import IN_ORDER, Joint, print_lexicon

__all__ = ["NumberGrammar"]

_N_PHRASES, _N_READINGS = 4, 4
_OUTSIDE = 2.5
_RARE = 3.0
_CONFLICT = 6.0
_TURNED, _UNMET = 4.0, 1.0
_NEW_JOINT = 15.0
_BY_HEART = 2.5
_BARE = 5.0
_RANK = 2.5
#: Longer names are not told apart by their joints, which would take too long.
_LONG = 9
_MAX_DEPTH = 4
_NEW_LANDMARK = 8.0
_UNPACKED = 5.0
_STRICT, _LAX = 7.5, 14.0
#: Where the known names do not tell, products are joined before differences, and sums last.
_TIGHT = (SHORT, "*", "-", ">", "+")
_FAR, _FAR_OUT = 3, 6.0
_WORK = 1500
#: Steps of work: a number named, and two parts joined.
_PHRASE_STEPS, _PART_STEPS = 30.0, 8.0


@dataclass(frozen=True, slots=True)
class _Phrase:
    """Morphs that name a number, what saying it so costs, and the unit it is counted in."""

    cost: float
    morphs: tuple[str, ...]
    unit: int
    top: Construction | None = None


@dataclass(frozen=True, slots=True)
class _Use:
    """One use of a construction in a known name: the values of its parts, the unit of the big.

    ``head`` is the morph of the bigger part that stands at the joint; ``inner`` are the
    constructions that the small and the big part are made by, None where a part is one morph.
    """

    made: Construction
    small: int
    big: int
    unit: int
    head: str = ""
    inner: tuple[Construction | None, Construction | None] = (None, None)


@dataclass
class NumberGrammar:
    """A lexicon and constructions, with how the known names use them.

    ``known`` are names with their values, from which the ranges, spellings and gaps are learnt.
    """

    state: State
    segmentation: Segmentation
    known: Sequence[tuple[str, int]]
    _uses: dict[Construction, list[_Use]] = field(default_factory=lambda: defaultdict(list))
    _gaps: dict[tuple[str, str], Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    _spellings: dict[tuple[str, ...], Counter[str]] = field(
        default_factory=lambda: defaultdict(Counter)
    )
    _phrases: dict[tuple[int, int], list[_Phrase]] = field(default_factory=dict)
    _failed: dict[int, int] = field(default_factory=dict)
    _bases: set[int] = field(default_factory=set)
    _counted: set[str] = field(default_factory=set)
    _ops: dict[tuple[str, bool], set[str]] = field(default_factory=lambda: defaultdict(set))
    _nested: set[tuple[Construction, int, Construction]] = field(default_factory=set)
    _nested_at: set[tuple[Construction, int, Construction, int]] = field(default_factory=set)
    _given: dict[int, list[_Phrase]] = field(default_factory=lambda: defaultdict(list))
    _is_by_heart: bool = True
    _idles: dict[tuple[str, ...], Counter[tuple[str, ...]]] = field(
        default_factory=lambda: defaultdict(Counter)
    )
    _tolerance: float = _STRICT
    _work: int = _WORK

    def __post_init__(self) -> None:
        for name, value in self.known:
            morphs = self.segmentation.morphs(name)
            if self.state.knows(morphs):
                best = self._reading_of(morphs, value)
                if best is not None and best.parts:
                    said = _Phrase(_BY_HEART, self._bare(morphs), best.unit, _top(best))
                    self._given[value].append(said)
                for use in self._uses_in(morphs, value):
                    self._uses[use.made].append(use)
                    for nesting in _nestings(use.made, use.inner):
                        self._nested.add(nesting)
                        self._nested_at.add((*nesting, use.unit))
                    if not use.made.link:
                        self._ops[use.head, use.made.small_first].add(use.made.op)
        products = (use for uses in self._uses.values() for use in uses if use.made.op == "*")
        self._bases.update(use.big for use in products)
        self._counted.update(self._always_counted())
        for name, _ in self.known:
            self._learn_spelling(name)

    def _always_counted(self) -> set[str]:
        """Return the bases that no known name has without a number that counts them."""
        rows = [self.segmentation.morphs(name) for name, _ in self.known]
        seen = Counter(morph for row in rows for morph in row)
        counted = Counter(
            use.head for made, uses in self._uses.items() if made.op == "*" for use in uses
        )
        return {head for head, n in counted.items() if n > 1 and n >= seen[head]}

    # --- words to figures ---------------------------------------------------------------

    def values(self, name: str) -> list[int]:
        """Return the numbers a name may stand for, the likeliest first."""
        morphs = self.segmentation.morphs(name)
        if not morphs or not self.state.knows(morphs):
            return []
        found = readings(morphs, self.state)
        if len({reading.value for reading in found}) < 2 or len(morphs) > _LONG:
            return [reading.value for reading in found[:1]]
        self._work = _WORK
        said: dict[int, float] = {}
        for reading in found:
            strangeness = self._strangeness(morphs, reading)
            said[reading.value] = min(strangeness, said.get(reading.value, inf))
        return sorted(said, key=lambda value: (said[value], value))

    def _strangeness(self, morphs: tuple[str, ...], reading: Reading) -> float:
        met = self._uses if self._uses else self.state.constructions
        new = sum(1 for part in reading.parts if part not in met)
        if new or not self._uses:
            return _NEW_JOINT * new
        uses = self._joints(morphs, reading.value, reading.parts)
        if len(uses) < len(reading.parts):
            return _NEW_JOINT * len(reading.parts)
        largest = max((value for _, value in self.known), default=1)
        phrases = self.phrases(reading.value)
        rank = next(
            (i for i, p in enumerate(phrases) if p.morphs == self._bare(morphs)), _N_PHRASES
        )
        size = max(0.0, log2(reading.value / largest) - 1.0)
        return sum(map(self._oddity, uses)) + size + _RANK * rank

    def _oddity(self, use: _Use) -> float:
        """What a use costs beside those of the known names."""
        met = self._uses[use.made]
        cost = self._range_cost(use.made, use.small, use.big)
        cost += self._unusual(use.made, use.small, use.unit)
        cost += self._conflict(use.made, use.head) + self._nesting_cost(
            use.made, use.inner, use.unit
        )
        if use.made.op not in ("*", SHORT) and all(old.unit != use.unit for old in met):
            cost += _NEW_LANDMARK
        return cost

    def _conflict(self, made: Construction, head: str) -> float:
        """What it costs that a morph is met on this side of a part, but not with this meaning."""
        ops = self._ops.get((head, made.small_first), set())
        return _CONFLICT if not made.link and ops and made.op not in ops else 0.0

    def _nesting_cost(
        self,
        made: Construction,
        inner: tuple[Construction | None, Construction | None],
        unit: int,
    ) -> float:
        """What it costs that a part is made as in no known name, or beside no such unit.

        More where the known names have it the other way round, the joint within such a part.
        """
        cost = 0.0
        for outer, place, part in _nestings(made, inner):
            if (outer, place, part) not in self._nested:
                turned = part != outer and any((part, k, outer) in self._nested for k in (0, 1))
                cost += _TURNED if turned else _UNMET
            elif (outer, place, part, unit) not in self._nested_at:
                cost += _UNMET
        return cost

    def n_conflicts(self) -> int:
        """Return how often a morph beside a part means now a sum, now a product."""
        return sum(len(ops) - 1 for ops in self._ops.values())

    # --- figures to words ---------------------------------------------------------------

    def names(self, value: int) -> list[str]:
        """Return names for a number, the likeliest first."""
        self._work = _WORK
        phrases = self.phrases(value)
        if not phrases:
            kept = self._phrases, self._failed, self._tolerance
            self._phrases, self._failed, self._tolerance, self._work = {}, {}, _LAX, _WORK
            phrases = self.phrases(value)
            self._phrases, self._failed, self._tolerance = kept
        return [text for phrase in phrases if (text := self.spell(phrase.morphs))]

    def phrases(self, value: int, depth: int = 0) -> list[_Phrase]:
        """Return the cheapest rows of morphs for a number.

        Where parts may be bigger than what they make, a number may be met again by way of itself:
        there what is found is kept for each depth, else once for all.
        """
        key = (value, depth if self._goes_round else 0)
        if key in self._phrases:
            return self._phrases[key]
        self._work -= 1
        enough = self.state.fuel.meter.take(_PHRASE_STEPS)
        if not enough or self._work < 0 or depth > _MAX_DEPTH or value < 1:
            return []
        if not self._goes_round and self._failed.get(value, _MAX_DEPTH + 1) <= depth:
            return []
        found: dict[tuple[str, ...], _Phrase] = {}
        parts = self._made(value, depth) if depth < _MAX_DEPTH else ()
        for phrase in (*self._atoms(value), *parts):
            old = found.get(phrase.morphs)
            if old is None or phrase.cost < old.cost:
                found[phrase.morphs] = phrase
        best = heapq.nsmallest(_N_PHRASES, found.values(), key=lambda p: (p.cost, p.morphs))
        if self._goes_round or depth == 0 or best:
            self._phrases[key] = best
        else:
            self._failed[value] = depth
        return best

    @property
    def _goes_round(self) -> bool:
        """Say whether a part may be bigger than the number that is made of it."""
        return any(made.op in ("-", ">", SHORT) for made in self._uses)

    def _atoms(self, value: int) -> Iterator[_Phrase]:
        for morph, meaning in self.state.lexicon.items():
            if meaning == value and isinstance(meaning, int):
                yield _Phrase(1.0 + _BARE * (morph in self._counted), (morph,), value)
        if self._is_by_heart:
            yield from self._given.get(value, ())

    def _made(self, value: int, depth: int) -> Iterator[_Phrase]:
        for made in sorted(self._uses, key=repr):
            if made.op == SHORT:
                yield from self._shortened(made, value, depth)
                continue
            for small, big in self._parts(made, value):
                if not self.state.fuel.meter.take(_PART_STEPS):
                    return
                if small < 1 or big < 1 or value in (small, big) or big > _FAR * value:
                    continue
                cost = 1.0 + self._range_cost(made, small, big)
                if cost > self._tolerance:
                    continue
                bigs = self.phrases(big, depth + 1)
                smalls = self.phrases(small, depth + 1) if bigs else []
                for one in smalls[:2]:
                    for other in bigs[:2]:
                        yield from self._joined(made, (small, one), (big, other), cost)

    def _shortened(self, made: Construction, value: int, depth: int) -> Iterator[_Phrase]:
        """Name a number by what it lacks of a whole."""
        small = made.step - value
        if small < 1:
            return
        cost = 1.0 + self._range_cost(made, small, made.step)
        for one in self.phrases(small, depth + 1)[:2] if cost <= self._tolerance else ():
            inner = self._nesting_cost(made, (one.top, None), made.step)
            yield _Phrase(cost + one.cost + inner, (made.link, *one.morphs), value, made)

    def _parts(self, made: Construction, value: int) -> Iterator[tuple[int, int]]:
        """Yield (small part, big part) that a construction joins to a number."""
        units = sorted({use.unit for use in self._uses[made]} | self._bases)
        if made.op == "*":
            yield from ((value // base, base) for base in units if value % base == 0)
        elif made.op == "+":
            rests = {value % unit for unit in units}
            rests |= {rest + unit for unit in units if (rest := value % unit) + unit < ROOM * unit}
            yield from ((rest, value - rest) for rest in sorted(rests))
        elif made.op == "-":
            smalls = {use.small for use in self._uses[made]} | {-value % unit for unit in units}
            yield from ((small, value + small) for small in sorted(smalls))
        else:
            for size in [made.step] if made.step else units:
                yield value % size, value - value % size + size

    def _joined(
        self,
        made: Construction,
        small: tuple[int, _Phrase],
        big: tuple[int, _Phrase],
        cost: float,
    ) -> Iterator[_Phrase]:
        one, other = small[1], big[1]
        limit = other.unit
        if made.op == ">":
            limit = made.step or other.unit
            if big[0] % limit:
                return
        if made.op == "*":
            if len(other.morphs) > 1 or small[0] >= big[0] ** 2:
                return
            cost -= _BARE * (other.morphs[0] in self._counted)
        elif small[0] >= limit:
            overflows = any(use.small >= use.unit for use in self._uses[made])
            if made.op != "+" or not overflows or small[0] >= ROOM * limit:
                return
            cost += _OUTSIDE
        link = (made.link,) if made.link else ()
        first, second = (one, other) if made.small_first else (other, one)
        unit = big[0] if made.op == "*" else one.unit
        if made.op != "*" and all(use.unit != other.unit for use in self._uses[made]):
            cost += _NEW_LANDMARK
        morphs = (*first.morphs, *link, *second.morphs)
        cost += self._conflict(made, other.morphs[0 if made.small_first else -1])
        cost += self._nesting_cost(made, (one.top, other.top), other.unit)
        cost += self._unusual(made, small[0], other.unit)
        yield _Phrase(cost + one.cost + other.cost, morphs, unit, made)

    def _unusual(self, made: Construction, small: int, unit: int) -> float:
        """What a part taken from a bigger one costs that is taken from no such unit."""
        if made.op != "-":
            return 0.0
        smalls = [use.small for use in self._uses[made] if use.unit == unit]
        return _OUTSIDE * bool(smalls and not min(smalls) <= small <= max(smalls))

    def _range_cost(self, made: Construction, small: int, big: int) -> float:
        """Cost of parts unlike those met, and of a number not packed by its largest base.

        Packing: of the ways to name a number the one whose head is as large as can be is taken
        (Hurford 1975).
        """
        uses = self._uses[made]
        smalls = [use.small for use in uses]
        cost = _RARE / len(uses)
        if not min(smalls) <= small <= max(smalls):
            cost += _OUTSIDE if self._goes_round and made.op != "*" else 0.3
        if made.op == "*":
            cost += 0.0 if big in self._bases else _NEW_LANDMARK
            cost += min(3.0, log2(max(1.0, small / (max(smalls) + 1.0))))
            cost += _UNPACKED * any(big < base <= small * big for base in self._bases)
        elif made.op in ("-", ">"):
            largest = max(use.big for use in uses)
            cost += min(_FAR_OUT, 2.0 * max(0.0, log2(big / largest)))
        elif made.op == "+":
            cost += _UNPACKED * any(big < base <= small + big for base in self._bases)
        return cost

    # --- what the known names show --------------------------------------------------------

    def _uses_in(self, morphs: tuple[str, ...], value: int) -> list[_Use]:
        """Return the joints of a known name under its reading."""
        best = self._reading_of(morphs, value) if len(morphs) > 1 else None
        return self._joints(morphs, value, best.parts) if best is not None else []

    def _reading_of(self, morphs: tuple[str, ...], value: int) -> Reading | None:
        """Return the reading of a known name: of constructions met so far, as far as can be.

        Of several such readings the one whose smaller parts are smallest is taken: each part is
        packed by the biggest that there is (Hurford 1975).
        """
        found = [r for r in readings(morphs, self.state) if r.value == value]
        new = [sum(p not in self.state.constructions for p in r.parts) for r in found]
        found = [r for r, n in zip(found, new, strict=True) if n == min(new)]
        if len(found) < 2:
            return found[0] if found else None
        return min(found[:_N_READINGS], key=lambda r: self._sum_of_smalls(morphs, r))

    def _sum_of_smalls(self, morphs: tuple[str, ...], reading: Reading) -> float:
        uses = self._joints(morphs, reading.value, reading.parts)
        return sum(use.small for use in uses) if len(uses) == len(reading.parts) else inf

    def _joints(
        self, morphs: tuple[str, ...], value: int, parts: tuple[Construction, ...]
    ) -> list[_Use]:
        if not parts:
            return []
        made = parts[-1]
        morphs = self._bare(morphs)
        if made.op == SHORT:
            rest = self._joints(morphs[1:], made.step - value, parts[:-1])
            inside = parts[-2] if len(parts) > 1 else None
            use = _Use(made, made.step - value, made.step, made.step, "", (inside, None))
            return [*rest, use]
        for i in range(1, len(morphs)):
            link = (made.link,) if made.link else ()
            if morphs[i : i + len(link)] != link:
                continue
            left, right = morphs[:i], morphs[i + len(link) :]
            if not right:
                continue
            small, big = (left, right) if made.small_first else (right, left)
            for one in readings(small, self.state):
                for other in readings(big, self.state):
                    if not self.state.fuel.meter.take(_PART_STEPS):
                        return []
                    if (*one.parts, *other.parts, made) == parts and value == _result(
                        made, one, other
                    ):
                        rest = self._joints(small, one.value, one.parts)
                        rest += self._joints(big, other.value, other.parts)
                        head = right[0] if made.small_first else left[-1]
                        inner = (_top(one), _top(other))
                        use = _Use(made, one.value, other.value, other.unit, head, inner)
                        return [*rest, use]
        return []

    def _bare(self, morphs: tuple[str, ...]) -> tuple[str, ...]:
        """Leave out the morphs that say nothing."""
        return tuple(m for m in morphs if self.state.lexicon.get(m) != "0")

    def _learn_idles(self, name: str) -> None:
        """Learn between which morphs a morph stands that says nothing."""
        waiting: list[str] = []
        bare = ("", *self._bare(self.segmentation.morphs(name)), "", "")
        at = 0
        for morph in (*self.segmentation.morphs(name), ""):
            if self.state.lexicon.get(morph) == "0":
                waiting.append(morph)
                continue
            for place in self._places(*bare[at : at + 3]):
                self._idles[place][tuple(waiting)] += 1
            waiting = []
            at += 1

    def _places(self, before: str, after: str, later: str) -> list[tuple[str, ...]]:
        """Return the names of a place between two morphs, the most exact first."""
        kinds = self._kind(before), self._kind(after), self._kind(later)
        return [
            (before, after, later),
            (before, after, kinds[2]),
            (kinds[0], after, kinds[2]),
            (before, kinds[1], kinds[2]),
            kinds,
            (before, after),
            (before, kinds[1]),
            (kinds[0], after),
        ]

    def _with_idles(self, morphs: tuple[str, ...]) -> tuple[str, ...]:
        """Put the morphs that say nothing where the known names have them."""
        padded = ("", *morphs, "", "")
        out: list[str] = []
        for at in range(len(morphs) + 1):
            votes = next(
                (v for p in self._places(*padded[at : at + 3]) if (v := self._idles.get(p))), None
            )
            out += votes.most_common(1)[0][0] if votes else ()
            out += padded[at + 1 : at + 2]
        return tuple(morph for morph in out if morph)

    def _learn_spelling(self, name: str) -> None:
        self._learn_idles(name)
        before, last = "", ""
        for gap, morph, spelt in self.segmentation.spelt(name):
            if before:
                ends = (before, self._kind(before), ""), (morph, self._kind(morph), "")
                for pair in ((one, other) for one in ends[0] for other in ends[1]):
                    self._gaps[pair][gap] += 1
            edge = before if before and not gap else " "
            for key in dict.fromkeys(((morph, before), (morph, edge), (morph, ""))):
                self._spellings[key][spelt] += 1
            if before and not gap:
                self._spellings[before, "", morph][last] += 1
            before, last = morph, spelt

    def spell(self, morphs: tuple[str, ...]) -> str:
        """Write a row of morphs with the gaps and spellings of the known names.

        Nothing where the only morph is one that has no letters.
        """
        text, before = "", ""
        morphs = self._with_idles(morphs)
        for morph, after in pairwise((*morphs, "")):
            if before:
                text += self._gap(before, morph)
            edge = before if before and not self._gap(before, morph) else " "
            keys: list[tuple[str, ...]] = [(morph, "", after)] if after else []
            if after and self._gap(morph, after):
                keys = []
            keys += [(morph, before or " "), (morph, edge), (morph, "")]
            options = next((found for key in keys if (found := self._spellings.get(key))), None)
            text += options.most_common(1)[0][0] if options else morph
            before = morph
        return text

    def _gap(self, before: str, morph: str) -> str:
        """Return the gap between two morphs: as met, else as between others of their kinds."""
        kinds = self._kind(before), self._kind(morph)
        for pairs in (
            [(before, morph)],
            [(before, kinds[1]), (kinds[0], morph)],
            [kinds],
            [("", morph), (before, "")],
        ):
            votes = sum((self._gaps.get(pair, Counter()) for pair in pairs), Counter[str]())
            if votes:
                return votes.most_common(1)[0][0]
        return " "

    def _kind(self, morph: str) -> str:
        """Return the kind of a morph in a form no morph has: a base, a number, a link's op."""
        meaning = self.state.lexicon.get(morph, "")
        if isinstance(meaning, int):
            return " base" if meaning in self._bases else " number"
        return f" {meaning}"

    # --- proof and rules ------------------------------------------------------------------

    def verified(self) -> float:
        """Return the share of the known names that the grammar gives for their values."""
        n = len(self.known)
        return (n - self.n_unsaid()) / n if n else 0.0

    def n_unsaid(self) -> int:
        """Return how many of the known names the grammar does not give for their values.

        No name is taken as known by heart here.
        """
        kept = self._phrases, self._failed
        self._phrases, self._failed, self._is_by_heart = {}, {}, False
        n = sum(1 for name, value in self.known if self._said(value) != name)
        (self._phrases, self._failed), self._is_by_heart = kept, True
        return n

    def _said(self, value: int) -> str:
        self._work = _WORK
        phrases = self.phrases(value)
        return self.spell(phrases[0].morphs) if phrases else ""

    def rules(self) -> tuple[str, ...]:
        """Return the grammar as a linguist writes it."""
        by_value: dict[int, list[str]] = defaultdict(list)
        for morph, meaning in self.state.lexicon.items():
            if isinstance(meaning, int):
                by_value[meaning] += [morph, *self._variants(morph)]
        idle = [morph for morph, meaning in self.state.lexicon.items() if meaning == "0"]
        first, last = print_lexicon(by_value, self._bases, idle)
        ordered = self._by_tightness()
        made_in_order = ordered or sorted(self._uses, key=repr)
        joints = [
            str(Joint(made.op, made.small_first, made.link, made.step, self._spans(made)))
            for made in made_in_order
            if made.op != SHORT
        ]
        if ordered and len(joints) > 1:
            joints.insert(0, IN_ORDER)
        short = [
            f'"{morph} A" = {whole} − A'
            for morph, meaning in self.state.lexicon.items()
            if (whole := whole_of(meaning))
        ]
        return (*first, *joints, *short, *last)

    def _by_tightness(self) -> list[Construction]:
        """Return the joints so that each stands after those found inside its parts.

        Nothing where the known names have two joints inside each other both ways round.
        """
        inside: dict[Construction, set[Construction]] = {made: set() for made in self._uses}
        for outer, _, part in self._nested:
            if part != outer and part in inside and outer in inside:
                inside[outer].add(part)
        ordered: list[Construction] = []
        left = sorted(inside, key=lambda made: (_TIGHT.index(made.op), repr(made)))
        while left:
            free = next((made for made in left if inside[made] <= set(ordered)), None)
            if free is None:
                return []
            left.remove(free)
            ordered.append(free)
        return ordered

    def _variants(self, morph: str) -> list[str]:
        """Return other spellings of a morph in the known names."""
        plain = morph.removesuffix("-")
        return [spelt for spelt in self._spellings.get((morph, ""), ()) if spelt != plain]

    def _spans(self, made: Construction) -> dict[int, tuple[int, int]]:
        """Return the least and greatest smaller part, by unit for what is taken away."""
        smalls: dict[int, list[int]] = defaultdict(list)
        for use in self._uses[made]:
            smalls[use.unit if made.op == "-" else 0].append(use.small)
        if len({(min(each), max(each)) for each in smalls.values()}) == 1:
            smalls = {0: next(iter(smalls.values()))}
        return {unit: (min(each), max(each)) for unit, each in smalls.items()}


def _top(reading: Reading) -> Construction | None:
    return reading.parts[-1] if reading.parts else None


def _nestings(
    made: Construction, inner: tuple[Construction | None, Construction | None]
) -> list[tuple[Construction, int, Construction]]:
    """Return (construction, place of the part, what the part is made by) of its two parts."""
    return [(made, place, part) for place, part in enumerate(inner) if part is not None]


def _result(made: Construction, small: Reading, big: Reading) -> int:
    if made.op == "*":
        return small.value * big.value
    if made.op == "+":  # no number where the parts stand the other way round
        return big.value + small.value if small.value < ROOM * big.unit else 0
    if made.op == "-":
        return big.value - small.value
    return big.value - (made.step or big.unit) + small.value
