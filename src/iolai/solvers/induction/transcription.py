"""Spelling and sound: words written two ways, and rules in context from either to the other.

Each segment of a word gives a chunk of 0 to 3 segments of its other writing (aligned by expectation
maximisation). What it gives where is a decision list (Rivest 1987): the context that foretells a
chunk most surely decides, contexts being neighbours or their classes.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from iolai.records import Candidate
from iolai.solvers.base import Budget
from iolai.solvers.induction.grammar import Grammar, Proposal, Slot, ranked
from iolai.solvers.induction.matching import match_lists
from iolai.solvers.induction.matching.clues import are_two_spellings, without_remark
from iolai.solvers.induction.printed import Section
from iolai.solvers.induction.printed.making import letters_section
from iolai.solvers.induction.reader import Sheet, SheetItem
from iolai.solvers.induction.rewriting import Rewriting, make_rewriter
from iolai.solvers.induction.segments import (
    INHERENT,
    base,
    has_inherent_vowels,
    has_known_sound,
    is_vowel,
    segments,
    with_inherent_vowels,
)

__all__ = ["Rule", "Spelling", "Transcription", "collect_pairs"]

Word = tuple[str, ...]
Pair = tuple[str, str]

_INLINE = re.compile(r"([^\s\[\]()|–—]+)\s*\[([^\[\]()\d]+)\]")
_GLOSS = re.compile(r"\s*[‘'“\"(][^’'”\")]*[’'”\")]?\s*[–—-]?\s*$")
_MAX_CHUNK = 3
_N_TURNS = 8
_MAX_LEFT_OUT = 12
_SURE_PAIR = 0.5
_CLASSES = {
    "voiceless": frozenset("ptkqfsxcʃθçχħʈʂɸʦʧ"),
    "voiced": frozenset("bdgvzɡʒðɣʁɖʐβɟʣʤɦ"),
    "nasal": frozenset("mnŋɲɳɴɱ"),
    "liquid": frozenset("lrɾɭʎɫɹʀɽ"),
    "front vowel": frozenset("eiyɛɪøœæě"),
    "back vowel": frozenset("aouɔʊɑʌɯ"),
}


@dataclass(frozen=True, slots=True)
class Rule:
    """``before`` gives ``after`` between ``left`` and ``right``; ``""`` is any context.

    Contexts are a segment, ``#`` (the word's edge) or a class in angle brackets.
    """

    before: str
    after: str
    left: str
    right: str
    hits: int
    misses: int

    def __str__(self) -> str:
        context = f" / {self.left}_{self.right}" if self.left or self.right else ""
        return f"{self.before} → {self.after or '∅'}{context}"


class Spelling:
    """Learns from pairs of writings to turn the first into the second."""

    def __init__(self, pairs: Sequence[Pair]) -> None:
        self.has_inherent = any(has_inherent_vowels(one) for one, _ in pairs)
        self._aligned = _align([(self._split(one), segments(other)) for one, other in pairs])
        seen: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
        for source, chunks in self._aligned:
            padded = ("#", *source, "#")
            for place, chunk in enumerate(chunks):
                seen[source[place]].append((padded[place], padded[place + 2], chunk))
        self.rules = {before: _decisions(before, cases) for before, cases in seen.items()}

    def predict(self, word: str, n_best: int = 4) -> dict[str, float]:
        """Return likely outputs with probabilities; a segment never met stands for itself."""
        source = self._split(word)
        padded = ("#", *source, "#")
        beam: dict[str, float] = {"": 1.0}
        for place, segment in enumerate(source):
            choices = self._choices(segment, padded[place], padded[place + 2])
            grown: dict[str, float] = defaultdict(float)
            for text, weight in beam.items():
                for chunk, share in choices:
                    grown[text + chunk] += weight * share
            best = sorted(grown.items(), key=lambda pair: (-pair[1], pair[0]))
            beam = dict(best[:n_best])
        return beam

    def used_rules(self) -> dict[str, tuple[Rule, ...]]:
        """Return each segment's rules that decide where the examples meet it, in their order."""
        used: dict[str, set[Rule]] = defaultdict(set)
        for source, _ in self._aligned:
            padded = ("#", *source, "#")
            for place, segment in enumerate(source):
                used[segment].add(self._fitting(segment, padded[place], padded[place + 2])[0])
        return {
            segment: tuple(rule for rule in self.rules[segment] if rule in rules)
            for segment, rules in used.items()
        }

    def described(self) -> tuple[str, ...]:
        """Return the rules that decide where the examples meet them, each once."""
        rules = (rule for found in self.used_rules().values() for rule in found)
        return tuple(sorted({str(r) for r in rules if r.left or r.right or r.after != r.before}))

    def _fitting(self, segment: str, left: str, right: str) -> list[Rule]:
        lefts, rights = _contexts(left), _contexts(right)
        return [
            rule
            for rule in self.rules.get(segment, ())
            if rule.left in lefts and rule.right in rights
        ]

    def _choices(self, segment: str, left: str, right: str) -> list[tuple[str, float]]:
        """Return chunks with shares: the first rule that fits leads, later ones back it up."""
        if segment == INHERENT and segment not in self.rules:
            return [("", 1.0)]
        fitting = self._fitting(segment, left, right)
        if not fitting:
            return [(segment, 1.0)]
        shares: dict[str, float] = {}
        left_over = 1.0
        for rule in fitting:
            if rule.after not in shares and len(shares) < 3:
                shares[rule.after] = left_over * (rule.hits + 0.3) / (rule.hits + rule.misses + 0.6)
                left_over -= shares[rule.after]
        return list(shares.items())

    def _split(self, word: str) -> Word:
        """Split a word; in scripts that kill inherent vowels by a sign these are spelt out."""
        return with_inherent_vowels(word) if self.has_inherent else segments(word)


def _contexts(segment: str) -> tuple[str, ...]:
    """Return what a neighbour counts as, the least special first."""
    if segment == "#":
        return ("", "#")
    known = base(segment) if has_known_sound(segment) else ""
    classes = [f"<{name}>" for name, members in _CLASSES.items() if known in members]
    kinds = ["<vowel>"] if is_vowel(segment) else ["<consonant>"] if segment.isalpha() else []
    return ("", *kinds, *classes, segment)


def _decisions(before: str, cases: Sequence[tuple[str, str, str]]) -> tuple[Rule, ...]:
    """Return a segment's rules, the surest first; the one without a context ends the list."""
    totals: Counter[tuple[str, str]] = Counter()
    hits: Counter[tuple[str, str, str]] = Counter()
    for left, right, chunk in cases:
        for one in _contexts(left):
            for other in _contexts(right):
                totals[one, other] += 1
                hits[one, other, chunk] += 1
    rules = [
        Rule(before, chunk, one, other, n, totals[one, other] - n)
        for (one, other, chunk), n in hits.items()
    ]
    return tuple(sorted(rules, key=_order))


def _order(rule: Rule) -> tuple[float, int, str, str, str]:
    """Surest first; of equally sure ones the more general, so that contexts stay minimal."""
    n_contexts = bool(rule.left) + bool(rule.right)
    sureness = math.log((rule.hits + 0.1) / (rule.misses + 0.1)) - 0.1 * n_contexts
    return (-sureness, n_contexts, rule.left, rule.right, rule.after)


# --- alignment ------------------------------------------------------------------------------

_Chances = dict[tuple[str, str], float]


def _align(pairs: Sequence[tuple[Word, Word]]) -> list[tuple[Word, Word]]:
    """Return each first word with the chunk of the second that each of its segments gives."""
    counts: _Chances = {}
    totals: dict[str, float] = {}
    for _ in range(_N_TURNS):
        grown: _Chances = defaultdict(float)
        for one, other in pairs:
            for (segment, chunk), chance in _expected(one, other, counts, totals).items():
                grown[segment, chunk] += chance
        counts = grown
        totals = defaultdict(float)
        for (segment, _), chance in counts.items():
            totals[segment] += chance
    return [(one, _best_chunks(one, other, counts, totals)) for one, other in pairs]


def _arcs(one: Word, other: Word, place: int) -> Iterator[tuple[int, int]]:
    """Yield the spans of the second word that a segment may give; the last takes any rest."""
    n, m = len(one), len(other)
    for start in range(m + 1):
        ends = list(range(start, min(m, start + _MAX_CHUNK) + 1))
        if place == n - 1:
            ends = [m]
        for end in ends:
            yield start, end


def _chance(segment: str, chunk: Word, counts: _Chances, totals: dict[str, float]) -> float:
    """Return the chance of a chunk; single segments and likeness are likely at first."""
    text = "".join(chunk)
    prior = (0.1, 0.2, 0.02, 0.002)[len(chunk)] if len(chunk) <= _MAX_CHUNK else 1e-6
    if len(chunk) == 1 and base(text) == base(segment):
        prior = 1.0
    return (counts.get((segment, text), 0.0) + 0.3 * prior) / (totals.get(segment, 0.0) + 1.0)


def _expected(one: Word, other: Word, counts: _Chances, totals: dict[str, float]) -> _Chances:
    """Return how often each segment is expected to give each chunk in a pair of words."""
    n, m = len(one), len(other)
    forward = [[1.0] + [0.0] * m]
    steps: list[dict[tuple[int, int], float]] = []
    for place, segment in enumerate(one):
        arcs = {
            (i, k): _chance(segment, other[i:k], counts, totals)
            for i, k in _arcs(one, other, place)
        }
        row = [0.0] * (m + 1)
        for (i, k), chance in arcs.items():
            row[k] += forward[-1][i] * chance
        steps.append(arcs)
        forward.append(row)
    total = forward[-1][m]
    found: _Chances = defaultdict(float)
    backward = [0.0] * m + [1.0]
    for place in range(n - 1, -1, -1):
        before = [0.0] * (m + 1)
        for (i, k), chance in steps[place].items():
            before[i] += chance * backward[k]
            if total > 0:
                share = forward[place][i] * chance * backward[k] / total
                found[one[place], "".join(other[i:k])] += share
        backward = before
    return found


def _best_chunks(one: Word, other: Word, counts: _Chances, totals: dict[str, float]) -> Word:
    """Return the likeliest chunks."""
    best: list[dict[int, tuple[float, int]]] = [{0: (1.0, 0)}]
    for place, segment in enumerate(one):
        row: dict[int, tuple[float, int]] = {}
        for start, end in _arcs(one, other, place):
            if start not in best[-1]:
                continue
            chance = best[-1][start][0] * _chance(segment, other[start:end], counts, totals)
            if end not in row or chance > row[end][0]:
                row[end] = (chance, start)
        best.append(row)
    chunks: list[str] = []
    end = len(other)
    for place in range(len(one), 0, -1):
        start = best[place][end][1]
        chunks.append("".join(other[start:end]))
        end = start
    return tuple(chunks[::-1])


# --- the part solver ------------------------------------------------------------------------


class Transcription:
    """Answers items that ask for a transcription, or for the spelling of one."""

    def propose(self, sheet: Sheet, budget: Budget) -> Iterator[Proposal]:
        """Yield one proposal with the answers to all such items."""
        asked = [
            ((t, i), item)
            for t, task in enumerate(sheet.tasks)
            for i, item in enumerate(task.items)
            if _is_asked(item)
        ]
        pairs = collect_pairs(sheet, budget) if asked else ()
        if len(pairs) < 3:
            return
        ways: dict[bool, _Way] = {}
        answers: dict[Slot, tuple[Candidate, ...]] = {}
        for slot, item in asked:
            to_sound = not _is_sound(item)
            if to_sound not in ways:
                ways[to_sound] = _Way(pairs if to_sound else [p[::-1] for p in pairs], budget)
            found = ways[to_sound].answer(_bare(item.text))
            if found:
                answers[slot] = found
        rules = tuple(rule for way in ways.values() for rule in way.rules())
        sections = tuple(
            way.section(
                "spelling to sound" if to_sound else "sound to spelling",
                [
                    (item.label or str(slot[1] + 1), _bare(item.text), answers[slot][0].text)
                    for slot, item in asked
                    if slot in answers and to_sound != _is_sound(item)
                ],
            )
            for to_sound, way in ways.items()
        )
        rate = min((way.left_out for way in ways.values()), default=0.0)
        if answers:
            grammar = Grammar("transcription", rules, float(len(rules)), rate, rate, sections)
            yield Proposal(grammar, answers)


def _is_asked(item: SheetItem) -> bool:
    if item.layout not in ("translate", "unknown") or not _bare(item.text):
        return False
    return "phonetic" in (item.source, item.target) or item.text.startswith("[")


def _is_sound(item: SheetItem) -> bool:
    return item.text.startswith("[") or item.source == "phonetic"


def _bare(text: str) -> str:
    """Take a gloss behind a word, and brackets around it, off."""
    return _GLOSS.sub("", text).strip().strip("[]/").strip()


def collect_pairs(sheet: Sheet, budget: Budget) -> tuple[Pair, ...]:
    """Return (spelling, transcription) wherever the sheet gives both.

    In a column of transcriptions; ``word [sound]`` within a cell; where the sheet has neither, in
    two columns of forms; in lists of two spellings, put together.
    """
    pairs: list[Pair] = []
    for table in sheet.tables:
        forms, sounds = table.places("form"), table.places("phonetic")
        for row in table.rows:
            for cell in row.cells:
                pairs += [(one, other) for one, other in _INLINE.findall(cell.text)]
            if forms and sounds:
                pairs.append((row.cells[forms[0]].text, _bare(row.cells[sounds[0]].text)))
    if not pairs:
        pairs = list(_two_forms(sheet))
    for lists in sheet.lists:
        texts = [[e.text for e in entries] for entries in (lists.forms, lists.glosses)]
        if are_two_spellings(texts[0], texts[1]):
            matched = match_lists(lists, sheet, budget)
            if matched is not None:
                pairs += [(one, without_remark(other)) for one, other in matched.pairs(_SURE_PAIR)]
    kept = ((one.strip(), other.strip()) for one, other in pairs)
    return tuple(dict.fromkeys((one, other) for one, other in kept if one and other))


def _two_forms(sheet: Sheet) -> Iterator[Pair]:
    for table in sheet.tables:
        forms = table.places("form")
        if len(forms) == 2:
            for row in table.rows:
                yield row.cells[forms[0]].text, row.cells[forms[1]].text


class _Way:
    """One direction: context rules, and the engine's rewriter beside them, as each deserves."""

    def __init__(self, pairs: Sequence[Pair], budget: Budget) -> None:
        self._pairs = pairs
        self._spelling = Spelling(pairs)
        self._rewriter: Rewriting = make_rewriter(pairs, budget)
        self.left_out = _left_out(pairs, budget)

    def answer(self, word: str) -> tuple[Candidate, ...]:
        """Return the vote of both, each weighted by the square of what it got right left out.

        Nothing where neither gives any left-out pair: then others may know better.
        """
        if self.left_out == 0 and self._rewriter.left_out == 0:
            return ()
        mine, theirs = 0.05 + self.left_out**2, 0.05 + self._rewriter.left_out**2
        votes: dict[str, float] = defaultdict(float)
        for text, share in self._spelling.predict(word).items():
            votes[text] += mine * share
        for text, share in self._rewriter.predict(word).items():
            votes[text] += theirs * share
        return ranked({text: vote / (mine + theirs) for text, vote in votes.items()})

    def rules(self) -> tuple[str, ...]:
        return self._spelling.described()

    def section(self, subject: str, items: Sequence[tuple[str, str, str]]) -> Section:
        return letters_section(
            subject,
            self._spelling.used_rules(),
            self._pairs,
            items,
            has_inherent=self._spelling.has_inherent,
        )


def _left_out(pairs: Sequence[Pair], budget: Budget) -> float:
    """Return the share of pairs, each left out in turn, that the rules of the others give."""
    step = max(1, math.ceil(len(pairs) / _MAX_LEFT_OUT))
    tested = right = 0
    for place in range(0, len(pairs), step):
        if budget.seconds_left <= 0:
            break
        rest = [pair for k, pair in enumerate(pairs) if k != place]
        outputs = Spelling(rest).predict(pairs[place][0])
        tested += 1
        right += max(outputs, key=lambda text: (outputs[text], text)) == pairs[place][1]
    return right / tested if tested else 0.0
