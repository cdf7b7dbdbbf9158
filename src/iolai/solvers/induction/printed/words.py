"""Word by word: which morphs express what a gloss says, how words are built, how they stand.

The unit of the printed grammar is a kind of word (subject, verb ...) with a pattern of slots, and a
lexicon from meanings to morphs. What a gloss means is read as the engine reads English.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from iolai.solvers.induction.english import English
from iolai.solvers.induction.printed.allomorphs import (
    SILENT,
    Alternatives,
    Place,
    find_alternatives,
    first_conditions,
)
from iolai.solvers.induction.printed.contexts import is_plain
from iolai.solvers.induction.printed.names import meaning_name, slot_name
from iolai.solvers.induction.translation.units import Unit, units_of

__all__ = ["Analysis", "Words", "find_words"]

_ORDER = "Order of words: "
_HYPHENED = "Hyphens stand between the parts of a word."
_STEM = "stem"
#: The least likeness (as by Dice) of the examples with a piece and those with its meaning.
_SURE = 0.6
_OF_NOUNS = frozenset(("N", "D", "case"))
_AGREEING = ("subject ", "object ", "possessor ")


@dataclass(frozen=True, slots=True)
class Analysis:
    """An example taken apart: its words, each a row of (morph, unit or None), and all its units."""

    words: tuple[tuple[tuple[str, Unit | None], ...], ...]
    units: tuple[Unit, ...]


@dataclass(frozen=True)
class Words:
    """``order`` of the kinds of words; ``patterns``: the slots of each; ``lexicon``.

    ``is_hyphened`` says that the parts of a word are written with hyphens between them.
    """

    order: tuple[str, ...]
    patterns: Mapping[str, tuple[str, ...]]
    lexicon: Mapping[str, Alternatives]
    _hosts: Mapping[str, str] = field(default_factory=dict)
    is_hyphened: bool = False

    def lines(self) -> tuple[str, ...]:
        """Return the order of words, their patterns, then the lexicon."""
        rows = [f"{_ORDER}{', '.join(self.order)}."] if len(self.order) > 1 else []
        rows += [_HYPHENED] if self.is_hyphened else []
        rows += [
            f"{name} = {' + '.join(self.patterns[name])}"
            for name in self.order
            if len(self.patterns.get(name, ())) > 1
        ]
        entries = sorted(self.lexicon.items(), key=lambda e: (e[0][:1] == "“", e[0].lower()))
        rows += [f"{name}: {alternatives}" for name, alternatives in entries]
        return tuple(rows)

    @staticmethod
    def parse(lines: Sequence[str]) -> Words:
        """Read the grammar back."""
        order: tuple[str, ...] = ()
        patterns: dict[str, tuple[str, ...]] = {}
        lexicon: dict[str, Alternatives] = {}
        for line in lines:
            if line.startswith(_ORDER):
                order = tuple(line.removeprefix(_ORDER).removesuffix(".").split(", "))
            elif line == _HYPHENED:
                continue
            elif " = " in line:
                name, _, slots = line.partition(" = ")
                patterns[name] = tuple(slots.split(" + "))
            else:
                name, _, alternatives = line.rpartition(": ")
                lexicon[name] = Alternatives.parse(alternatives)
        order = order or tuple(patterns)
        hosts = {slot: name for name, slots in patterns.items() for slot in slots if slot != _STEM}
        return Words(order, patterns, lexicon, hosts, _HYPHENED in lines)

    def regenerate(self, inputs: Sequence[str], options: Sequence[str]) -> list[str]:
        """Return the form of each gloss."""
        english = English(inputs, (name.strip("“”") for name in self.lexicon if " " in name))
        return [self.form(units_of(english.parse(gloss))) for gloss in inputs]

    def form(self, units: Sequence[Unit]) -> str:
        """Return the words that express some units, ``""`` where a stem of them has no entry.

        A pronoun needs none where verbs or nouns agree with it.
        """
        if not all(self._is_said(unit) for unit in units if unit.is_stem):
            return ""
        known = [unit for unit in units if meaning_name(unit) in self.lexicon]
        rows = self._rows(known)
        words = [self._word(kind, members, units) for kind, members in rows]
        return " ".join(word for word in words if word)

    def _is_said(self, unit: Unit) -> bool:
        if meaning_name(unit) in self.lexicon:
            return True
        return unit.slot == "stem:pro" and any(n.startswith(_AGREEING) for n in self.lexicon)

    def without_wholes(self, pairs: Iterable[tuple[str, str]]) -> Words:
        """Return the grammar without morphs that are a whole example where the meaning says so.

        ``pairs`` are (gloss, form). Such an entry would repeat an example, not explain it.
        """
        wholes = {form for gloss, form in pairs if " " in gloss and " " not in form}
        lexicon = {
            name: Alternatives(
                tuple(
                    (morph, condition)
                    for morph, condition in alternatives.choices
                    if not condition.startswith("with ") or _bare(morph) not in wholes
                )
            )
            for name, alternatives in self.lexicon.items()
        }
        return replace(self, lexicon=lexicon)

    def supported(self, analyses: Sequence[Analysis], given: Iterable[int]) -> Words:
        """Return what examples support: what the ``given`` ones need, and pieces that are sure.

        A piece is sure that stands in two examples or more that say its meaning, and hardly
        elsewhere. Of the order of words and morphs is said what the given examples have.
        """
        needed = {meaning_name(unit) for i in given for unit in analyses[i].units}
        lexicon = {}
        for name, alternatives in self.lexicon.items():
            if name in needed:
                lexicon[name] = alternatives
            elif sure := _sure(name, alternatives, analyses):
                lexicon[name] = Alternatives(((sure, ""),))
        slots = {slot_name(unit) for i in given for unit in analyses[i].units}
        order = tuple(
            kind for kind in self.order if slots.intersection((kind, *self.patterns.get(kind, ())))
        )
        patterns = {
            kind: tuple(slot for slot in self.patterns[kind] if slot == _STEM or slot in slots)
            for kind in order
            if kind in self.patterns
        }
        hosts = {slot: kind for slot, kind in self._hosts.items() if slot in slots}
        return Words(order, patterns, lexicon, hosts, self.is_hyphened)

    def _rows(self, units: Sequence[Unit]) -> list[tuple[str, list[Unit]]]:
        """Give every unit its word, and put the words into their order."""
        heads = [unit for unit in units if self._host(unit) == slot_name(unit)]
        rows: list[tuple[str, int, list[Unit]]] = [
            (slot_name(head), head.token, [head]) for head in heads
        ]
        for unit in units:
            host = self._host(unit)
            if host == slot_name(unit):
                continue
            near = [row for row in rows if row[0] == host]
            if near:
                min(near, key=lambda row: abs(row[1] - unit.token))[2].append(unit)
            else:
                rows.append((host, unit.token, [unit]))
        place = {kind: i for i, kind in enumerate(self.order)}
        rows.sort(key=lambda row: (place.get(row[0], len(place)), row[1]))
        return [(kind, members) for kind, _, members in rows]

    def _host(self, unit: Unit) -> str:
        return self._hosts.get(slot_name(unit), slot_name(unit))

    def _word(self, kind: str, members: Sequence[Unit], units: Sequence[Unit]) -> str:
        slots = {slot: i for i, slot in enumerate(self.patterns.get(kind, (_STEM,)))}
        stem = slots.get(_STEM, 0)
        rows = sorted(members, key=lambda u: slots.get(slot_name(u), stem))
        names = [meaning_name(unit) for unit in rows]
        parts: list[str] = []
        for i, name in enumerate(names):
            after = self._usual(names[i + 1]) if i + 1 < len(names) else ""
            place = Place("".join(parts), after, _beside(rows[i], units))
            parts.append(_bare(self.lexicon[name].at(place)))
        return ("-" if self.is_hyphened else "").join(filter(None, parts))

    def _usual(self, name: str) -> str:
        morph = self.lexicon[name].choices[-1][0]
        return "" if morph == SILENT else _bare(morph)


def _bare(morph: str) -> str:
    return morph.removeprefix("-").removesuffix("-")


def _sure(name: str, alternatives: Alternatives, analyses: Sequence[Analysis]) -> str:
    """Return the morph of a meaning that stands where the meaning is said, "" where none does."""
    said = {i for i, one in enumerate(analyses) if name in map(meaning_name, one.units)}
    for morph, _ in reversed(alternatives.choices):
        text = _bare(morph)
        there = {
            i
            for i, one in enumerate(analyses)
            if any(text in "".join(part for part, _ in word) for word in one.words)
        }
        both = len(said & there)
        if morph != SILENT and both > 1 and both * both >= _SURE * len(said) * len(there):
            return morph
    return ""


# --- from analyses to a grammar -------------------------------------------------------------


def find_words(analyses: Sequence[Analysis]) -> Words:
    """Return the grammar that the analyses of examples share."""
    hosts = _hosts(analyses)
    order = _ranked(
        [_kind(word, hosts) for word in analysis.words if _kind(word, hosts)]
        for analysis in analyses
    )
    patterns = {kind: _pattern(kind, analyses, hosts) for kind in order}
    return Words(tuple(order), patterns, _lexicon(analyses, patterns))


def _hosts(analyses: Sequence[Analysis]) -> dict[str, str]:
    """Return for each slot the kind of word it stands in most often."""
    seen: dict[str, Counter[str]] = defaultdict(Counter)
    for analysis in analyses:
        for word in analysis.words:
            head = _head(word)
            for _, unit in word:
                if unit is not None:
                    seen[slot_name(unit)][slot_name(head) if head else slot_name(unit)] += 1
    return {
        slot: min(counts, key=lambda kind: (-counts[kind], kind)) for slot, counts in seen.items()
    }


def _head(word: Iterable[tuple[str, Unit | None]]) -> Unit | None:
    """Return the unit that a word is about: a noun, verb or adjective before anything else."""
    units = [unit for _, unit in word if unit is not None]
    content = [u for u in units if u.slot in ("stem:n", "stem:v", "stem:adj")]
    stems = [u for u in units if u.is_stem]
    return next(iter((*content, *stems, *units)), None)


def _kind(word: Sequence[tuple[str, Unit | None]], hosts: Mapping[str, str]) -> str:
    head = _head(word)
    if head is None:
        return ""
    return hosts.get(slot_name(head), slot_name(head))


def _ranked(rows: Iterable[Sequence[str]]) -> list[str]:
    """Return names so that as many pairs as can be stand as they do in most rows."""
    before: Counter[tuple[str, str]] = Counter()
    names: dict[str, None] = {}
    for row in rows:
        names.update(dict.fromkeys(row))
        for i, one in enumerate(row):
            before.update((one, other) for other in row[i + 1 :] if other != one)
    wins = {
        one: sum((before[one, two] > before[two, one]) - (before[one, two] < before[two, one])
                 for two in names)
        for one in names
    }  # fmt: skip
    return sorted(names, key=lambda name: (-wins[name], name))


def _pattern(kind: str, analyses: Sequence[Analysis], hosts: Mapping[str, str]) -> tuple[str, ...]:
    rows = []
    for analysis in analyses:
        for word in analysis.words:
            if _kind(word, hosts) == kind:
                slots = [slot_name(unit) for _, unit in word if unit is not None]
                rows.append([_STEM if s == kind else s for s in slots if hosts[s] == kind])
    return tuple(_ranked(rows)) or (_STEM,)


def _lexicon(
    analyses: Sequence[Analysis], patterns: Mapping[str, tuple[str, ...]]
) -> dict[str, Alternatives]:
    seen: dict[str, list[tuple[str, Place]]] = defaultdict(list)
    slots: dict[str, str] = {}
    for analysis in analyses:
        said: set[tuple[str, int]] = set()
        for word in analysis.words:
            before = ""
            for i, (morph, unit) in enumerate(word):
                if unit is not None and is_plain(morph):
                    name = meaning_name(unit)
                    after = word[i + 1][0] if i + 1 < len(word) else ""
                    beside = _beside(unit, analysis.units)
                    seen[name].append((morph, Place(before, after, beside)))
                    said.add((name, unit.token))
                    slots[name] = slot_name(unit)
                before += morph
        for unit in analysis.units:
            name = meaning_name(unit)
            slots.setdefault(name, slot_name(unit))
            if (name, unit.token) not in said:
                seen[name].append((SILENT, Place(None, None, _beside(unit, analysis.units))))
    seen = {n: places for n, places in seen.items() if any(morph != SILENT for morph, _ in places)}
    shared = Counter(
        condition for places in seen.values() for condition in first_conditions(places)
    )
    found = {
        name: _hyphenated(find_alternatives(places, shared), slots[name], patterns)
        for name, places in seen.items()
    }
    return {n: a for n, a in found.items() if a.choices != ((SILENT, ""),)}


def _beside(unit: Unit, units: Sequence[Unit]) -> frozenset[str]:
    """Return what may be a condition of a unit's morph: what else is meant.

    Number, case and article of other nouns say nothing of a noun; its role says what a pronoun is.
    """
    others: Iterable[Unit] = units
    if unit.group.rpartition("/")[2].startswith("n.") and unit.slot != "stem:pro":
        others = (u for u in units if u.token == unit.token or u.slot not in _OF_NOUNS)
    role = {slot_name(unit)} if unit.slot == "stem:pro" else set()
    return (frozenset(map(meaning_name, others)) | role) - {meaning_name(unit)}


def _hyphenated(
    alternatives: Alternatives, slot: str, patterns: Mapping[str, tuple[str, ...]]
) -> Alternatives:
    """Write morphs with a hyphen where, by the pattern of their word, something is joined."""
    for kind, slots in patterns.items():
        name = _STEM if kind == slot else slot
        if name in slots and len(slots) > 1:
            i, stem = slots.index(name), slots.index(_STEM) if _STEM in slots else 0
            left = "-" if i > stem else ""
            right = "-" if i < stem else ""
            return Alternatives(
                tuple(
                    (m if m == SILENT else f"{left}{m}{right}", c) for m, c in alternatives.choices
                )
            )
    return alternatives
