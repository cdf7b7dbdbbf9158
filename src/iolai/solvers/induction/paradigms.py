"""Blanks in tables, and spelling to transcription: one column of a table from the others."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from iolai.records import Candidate
from iolai.solvers.base import Budget
from iolai.solvers.induction.grammar import Grammar, Proposal, Slot, ranked
from iolai.solvers.induction.printed import Section
from iolai.solvers.induction.printed.making import changes_section
from iolai.solvers.induction.reader import Sheet, SheetItem, Table, TaskSheet
from iolai.solvers.induction.rewriting import Rewriting, make_rewriter

__all__ = ["Paradigms", "put_rules_first"]

#: (places of the source and the target column, the columns' names)
_Way = tuple[int, int]
_Key = tuple[tuple[tuple[str, str], ...], _Way]
_Answers = dict[Slot, tuple[Candidate, ...]]
#: (place, label, text it is made from) of an item
_Asked = tuple[Slot, str, str]
_ROUND_TRIP = 1.5
#: Of so many examples rules have to give every one to come before all other answers; and so many
#: have to stay as they are for that to be one of the rules.
_ENOUGH_TO_TRUST, _ENOUGH_UNCHANGED = 4, 2
_NO_RULE = (
    "No rule gives two examples or more; the cells were filled letter by letter, by their likeness "
    "to the examples."
)
#: Longer cells are no words, and are not rewritten.
_LONGEST_WORD = 300
#: Blanks whose answers all models vote on, and are tried backwards; those after them are filled by
#: the rules alone, so that a sheet of thousands is answered in its time.
_MOST_VOTED = 200
_QUOTED = re.compile(r"\s*['‘“\"(][^'’”\")]*['’”\")]\s*$")


class Paradigms:
    """Fills a cell from each other cell of its row, the ways weighted by leaving rows out."""

    def propose(self, sheet: Sheet, budget: Budget) -> Iterator[Proposal]:
        """Yield one proposal with the answers to all blanks and transcriptions of the sheet."""
        columns = _Columns(sheet, budget)
        answers: _Answers = {}
        for t, task in enumerate(sheet.tasks):
            for i, item in enumerate(task.items):
                if answers and budget.seconds_left <= 0:
                    break
                found = columns.answer(task, item, (t, i))
                if found:
                    answers[t, i] = found
        if answers:
            rules = columns.rules()
            for one in rules:
                if one.is_trusted:
                    put_rules_first(one.section, one.pairs, one.asked, answers)
            yield Proposal(columns.grammar(rules, answers), answers)


@dataclass(frozen=True, slots=True)
class _Rules:
    """The changes printed for a column, the pairs they were found in, the items that ask for it."""

    section: Section
    pairs: tuple[tuple[str, str], ...]
    asked: Sequence[_Asked]

    @property
    def is_trusted(self) -> bool:
        """Whether the rules give every example, of enough."""
        return self.section.n_examples >= _ENOUGH_TO_TRUST and not self.section.unexplained

    def naming(self, answers: _Answers) -> Section:
        """Return the section with the labels of the answers that its rules give too."""
        rows = [(label, word, answers[slot][0].text) for slot, label, word in self.asked]
        return self.section.with_items(rows)


class _Columns:
    """Rewriters between columns, made when first needed."""

    def __init__(self, sheet: Sheet, budget: Budget) -> None:
        self._sheet = sheet
        self._budget = budget
        self._rewriters: dict[_Key, Rewriting] = {}
        self._asked: dict[_Key, list[_Asked]] = {}
        self._n_answered = 0
        self._keys: dict[tuple[int, int, _Way], _Key] = {}

    def answer(self, task: TaskSheet, item: SheetItem, slot: Slot) -> tuple[Candidate, ...]:
        """Return candidates for a blank or a transcription; nothing for other items."""
        label = item.label or str(slot[1] + 1)
        self._n_answered += item.layout == "blank"
        if item.layout == "blank" and item.place is not None:
            t, r, c = item.place
            row = task.tables[t].rows[r]
            given = {k: cell.text for k, cell in enumerate(row.cells) if cell.text}
            between = self._filled(task, task.tables[t], given, c)
            return self._vote(task, task.tables[t], given, c, (slot, label), between)
        is_sound = "phonetic" in (item.source, item.target)
        if item.layout == "translate" and is_sound and len(item.text) <= _LONGEST_WORD:
            word = _QUOTED.sub("", item.text).strip()
            for table in task.tables:
                way = _spelling_way(table, item, word)
                if way is not None:
                    return self._vote(task, table, {way[0]: word}, way[1], (slot, label), {})
        return ()

    def rules(self) -> list[_Rules]:
        """Return for each column asked for the changes from the column that tells most of it."""
        best: dict[tuple[str, int], _Key] = {}
        for key in sorted(self._asked, key=lambda k: (-self._rewriters[k].left_out, k[1])):
            best.setdefault((self._names(key[1])[1], key[1][1]), key)
        found = []
        for pairs, way in best.values():
            if self._budget.seconds_left <= 0:
                break
            section = changes_section(*self._names(way), pairs, ())
            found.append(_Rules(section, pairs, self._asked[pairs, way]))
        return found

    def grammar(self, rules: Sequence[_Rules], answers: _Answers) -> Grammar:
        """Return the grammar that prints some rules and names the answers in accord with them."""
        sections = tuple(found.naming(answers) for found in rules if found.section.share > 0)
        plain = () if sections else (_NO_RULE,)
        rate = max((rewriter.left_out for rewriter in self._rewriters.values()), default=0.0)
        return Grammar("paradigm", plain, float(len(plain)), rate, rate, sections)

    def _names(self, way: _Way) -> tuple[str, str]:
        named = [t.columns for t in self._sheet.tables if len(t.columns) > max(way)]
        one, other = (
            next((columns[k].name for columns in named if columns[k].name), f"column {k + 1}")
            for k in way
        )
        return one, other

    def _filled(
        self, task: TaskSheet, table: Table, given: dict[int, str], target: int
    ) -> dict[int, Candidate]:
        """Return what other open cells of a row hold, where that is surer than what is asked.

        They are steps on the way: the plural of a word tells more of its cases than the singular.
        """
        role = table.columns[target].role
        open_columns = [
            k
            for k, column in enumerate(table.columns)
            if k != target and k not in given and column.role == role
        ]
        if not open_columns or self._n_answered > _MOST_VOTED:
            return {}
        between: dict[int, Candidate] = {}
        straight = self._vote(task, table, given, target, None, {})
        least = straight[0].weight if straight else 0.0
        for k in open_columns:
            found = self._vote(task, table, given, k, None, {})
            if found and found[0].weight > least:
                between[k] = found[0]
        return between

    def _vote(
        self,
        task: TaskSheet,
        table: Table,
        given: dict[int, str],
        target: int,
        asked: tuple[Slot, str] | None,
        between: dict[int, Candidate],
    ) -> tuple[Candidate, ...]:
        votes: dict[str, float] = defaultdict(float)
        wants_gloss = table.columns[target].role == "gloss"
        sources = [k for k in given if (table.columns[k].role == "gloss") == wants_gloss]
        total = 0.0
        used: dict[_Key, str] = {}
        texts = {k: (given[k], 1.0) for k in sources or given}
        texts = {k: one for k, one in texts.items() if len(one[0]) <= _LONGEST_WORD}
        texts.update({k: (found.text, found.weight) for k, found in between.items()})
        for source, (word, trust) in texts.items():
            if votes and self._budget.seconds_left <= 0:
                break
            key = self._key(task, table, (source, target))
            rewriter = self._rewriter(key)
            if rewriter is None:
                continue
            if asked is not None and source in given:
                used[key] = word
            weight = trust * (0.05 + rewriter.left_out**2)
            total += weight
            is_brief = self._n_answered > _MOST_VOTED
            back = None if is_brief else self._rewriter(self._key(task, table, (target, source)))
            for text, share in rewriter.predict(word, is_brief=is_brief).items():
                is_sound = is_brief or self._returns(back, text, word)
                votes[text] += weight * share * (_ROUND_TRIP if is_sound else 1.0)
        shares = {text: min(1.0, vote / total / _ROUND_TRIP) for text, vote in votes.items()}
        found = ranked(shares)
        for key, text in used.items():
            if asked is not None and found:
                self._asked.setdefault(key, []).append((*asked, text))
        return found

    def _returns(self, back: Rewriting | None, text: str, source: str) -> bool:
        """Say whether the way back leads from a text to the source, as far as there is time."""
        if back is None or self._budget.seconds_left <= 0:
            return False
        outputs = back.predict(text)
        return bool(outputs) and max(outputs, key=lambda t: (outputs[t], t)) == source

    def _key(self, task: TaskSheet, table: Table, way: _Way) -> _Key:
        """Return the pairs of the task's tables of that width, and of others with its columns.

        Kept: a table of thousands of blanks is gone through once for each way.
        """
        place = (id(task), id(table), way)  # the sheet holds both as long as this is used
        if place not in self._keys:
            self._keys[place] = self._pairs_of(task, table, way), way
        return self._keys[place]

    def _pairs_of(self, task: TaskSheet, table: Table, way: _Way) -> tuple[tuple[str, str], ...]:
        pairs: list[tuple[str, str]] = []
        for other in dict.fromkeys((*task.tables, *self._sheet.tables)):
            alike = other in task.tables and len(other.columns) == len(table.columns)
            named = any(column.name for column in table.columns)
            if alike or (named and other.columns == table.columns):
                pairs += [(row.cells[way[0]].text, row.cells[way[1]].text) for row in other.rows]
        return tuple((one, other) for one, other in pairs if one and other)

    def _rewriter(self, key: _Key) -> Rewriting | None:
        if len(key[0]) < 2:
            return None
        if key not in self._rewriters:
            self._rewriters[key] = make_rewriter(key[0], self._budget)
        return self._rewriters[key]


def put_rules_first(
    section: Section, pairs: Sequence[tuple[str, str]], asked: Sequence[_Asked], answers: _Answers
) -> None:
    """Put what the rules make of the words asked before all other answers."""
    may_stay = sum(one == other for one, other in dict.fromkeys(pairs)) >= _ENOUGH_UNCHANGED
    made = section.rules().regenerate([word for _, _, word in asked], ())
    for (slot, _, word), text in zip(asked, made, strict=True):
        first = answers[slot][0]
        if text and text != first.text and (text != word or may_stay):
            weights = {one.text: one.weight for one in answers[slot]}
            weights[first.text] = weights.get(text, first.weight / 2)
            weights[text] = first.weight
            answers[slot] = ranked(weights)


def _spelling_way(table: Table, item: SheetItem, word: str) -> _Way | None:
    """Return the columns that hold a word's spelling and transcription, source first.

    A transcription without brackets looks like any other column: then the source is the column
    whose letters the word has, the target the other that is no gloss.
    """
    sources, targets = table.places(item.source), table.places(item.target)
    if sources and targets:
        return sources[0], targets[0]
    columns = [
        k for k, c in enumerate(table.columns) if c.role != "gloss" or len(table.columns) == 2
    ]
    if len(columns) < 2:
        return None
    letters = [{x for row in table.rows for x in row.cells[k].text.lower()} for k in columns]
    known = [sum(x in found for x in word.lower()) for found in letters]
    if item.target == "phonetic" and known[0] == max(known):
        source = 0
    else:
        source = max(range(len(columns)), key=lambda k: (known[k], k))
    target = next(k for k in range(len(columns)) if k != source)
    return columns[source], columns[target]
