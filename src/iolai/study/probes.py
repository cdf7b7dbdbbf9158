"""Knowledge probes: four-way choices about a language, made from a problem set by rules.

A *fact* probe asks what is said of the language (its family, branch, place, number of speakers);
its distractors are the other problems' facts of that kind. A *word* probe asks which of four is a
word of the language; its distractors are forms of other languages in the same script. Distractors
are as near in length as can be had. None is right too: facts that share a name with the right one
are left out, and so are words of the same language or family, and words that stand on the sheet.
Invented languages are not asked about; nobody can know them. Their words may be distractors.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from iolai.records import (
    AnswerKey,
    Condition,
    Outcome,
    Problem,
    ProblemSet,
    Reference,
    Task,
    TaskKey,
)
from iolai.solvers.induction.reader import Sheet, read_sheet
from iolai.study.facts import FACT_KINDS, facts_of
from iolai.study.languages import iso_code, language_names
from iolai.study.outcomes import scored
from iolai.text import nfc, script

__all__ = [
    "CHANCE",
    "N_OPTIONS",
    "Probe",
    "forms_of",
    "make_probes",
    "probe_outcome",
    "read_choice",
]

N_OPTIONS = 4
CHANCE = 1 / N_OPTIONS
LETTERS = "ABCD"
#: Shorter words are too often words of several languages.
MIN_WORD = 4
#: The distractors are drawn among so many that are nearest in length.
_NEAREST = 6
_INVENTED = ("art", "")

_QUESTIONS = {
    "family": "To which language family does {} belong?",
    "branch": "To which branch of its family does {} belong?",
    "place": "Where is {} mainly spoken?",
    "speakers": "About how many people speak {}?",
}


@dataclass(frozen=True, slots=True)
class Probe:
    """One four-way choice. ``kind`` is ``fact`` or ``word``; ``answer`` the place of the right one.

    ``about`` says which fact it is (``family``...) or which word.
    """

    id: str
    kind: str
    problem: str
    language: str
    about: str
    question: str
    options: tuple[str, str, str, str]
    answer: int

    @property
    def letter(self) -> str:
        """The letter of the right option."""
        return LETTERS[self.answer]

    @property
    def task(self) -> Task:
        """The probe as a task without a context: question and options, one letter to give."""
        lines = [f"{letter}. {text}" for letter, text in zip(LETTERS, self.options, strict=True)]
        query = "\n".join((self.question, *lines, "Answer with the letter alone."))
        return Task(self.id, "", query, task_type=self.kind, eval_type="single")

    @property
    def key(self) -> TaskKey:
        """The key of that task."""
        return TaskKey(self.id, (Reference((self.letter,)),), task_type=self.kind)


def read_choice(reply: str) -> str:
    """Return the letter that a reply chooses, or "" where it chooses none or several.

    A letter by itself counts, as does one that begins the reply or stands after "answer"; in a
    reply of several sentences the last such letter does.
    """
    text = reply.strip()
    bare = re.fullmatch(r"[\s(\[\"'*]*([A-Da-d])[\s)\].:\"'*]*", text)
    if bare:
        return bare[1].upper()
    said = re.findall(r"(?i:answer|option|choice)(?: is|:)*[\s(*\"]*([A-D])\b", text)
    if said:
        return str(said[-1])
    begins = re.match(r"[(\[*]*([A-D])[).\]:*]+(?:\s|$)", text)
    if begins:
        return begins[1]
    alone = set(re.findall(r"(?<![\w'])([B-D])(?![\w'])", text))
    return alone.pop() if len(alone) == 1 else ""


def probe_outcome(
    probe: Probe, reply: str, *, model: str, seed: int, state: str = "answered", **rest: Any
) -> Outcome:
    """Return the outcome of a reply to a probe; one that chooses no letter is unreadable.

    ``rest`` are further fields of ``Outcome`` (tokens, seconds...).
    """
    letter = read_choice(reply)
    return scored(
        probe.key,
        letter,
        model=model,
        condition=rest.pop("condition", Condition("probe")),
        seed=seed,
        problem=probe.problem,
        kind="probe",
        language=probe.language,
        chance=CHANCE,
        reply=reply,
        state="unreadable" if state == "answered" and not letter else state,
        **rest,
    )


def forms_of(problem: Problem, key: AnswerKey | None = None) -> tuple[str, ...]:
    """Return the words that a sheet shows of its language, and those that its key asks for.

    A word that stands in a meaning too (a name of a person) proves nothing and is left out.
    """
    sheet = read_sheet(problem)
    cells = list(_form_texts(sheet))
    for task in sheet.tasks:
        own = key.get(task.id) if key is not None else None
        if own is not None and len(own.references) == len(task.items):
            pairs = zip(task.items, own.references, strict=True)
            cells += [r.alternatives[0] for i, r in pairs if i.target == "form" and r.alternatives]
    glosses = {word.lower() for text in _gloss_texts(sheet) for word in _words(text)}
    words = dict.fromkeys(word for text in cells for word in _words(text))
    return tuple(word for word in words if word.lower() not in glosses)


def _form_texts(sheet: Sheet) -> Sequence[str]:
    texts = []
    for table in sheet.tables:
        for row in table.rows:
            if not any("..." in cell.text for cell in row.cells):  # a row of headings
                texts += [row.cells[place].text for place in table.places("form")]
    return [*texts, *(entry.text for pair in sheet.lists for entry in pair.forms)]


def _gloss_texts(sheet: Sheet) -> Sequence[str]:
    texts = [
        row.cells[place].text
        for table in sheet.tables
        for row in table.rows
        for place in table.places("gloss")
    ]
    return [*texts, *(entry.text for pair in sheet.lists for entry in pair.glosses)]


def _words(text: str) -> list[str]:
    words = (word.strip(".,;:!?()[]\"'“”") for word in nfc(text).split())
    return [word for word in words if len(word) >= MIN_WORD and all(map(_is_letter, word))]


def _is_letter(character: str) -> bool:
    return character.isalpha() or not character.isascii()


def make_probes(
    problems: ProblemSet,
    key: AnswerKey | None = None,
    *,
    facts: Mapping[str, Mapping[str, str]] | None = None,
    n_words: int = 3,
    seed: int = 0,
) -> tuple[Probe, ...]:
    """Return the probes that can be made, problem by problem: facts first, then words.

    ``facts`` are as in ``facts_of``. The order of the options, and which distractors are taken of
    the nearest, depend on ``seed`` and the probe alone. A problem gives fewer where three
    distractors cannot be had.
    """
    known = {problem.id: facts_of(problem, facts) for problem in problems}
    forms = {problem.id: forms_of(problem, key) for problem in problems}
    probes: list[Probe] = []
    for problem in problems:
        code = iso_code(problem.tasks[0]) if problem.tasks else ""
        names = language_names(problem)
        if code in _INVENTED or not names:
            continue
        maker = _Maker(problem, code, names[0], seed)
        probes += _fact_probes(maker, known)
        strangers = [p for p in problems if _is_stranger(p, problem, known)]
        probes += _word_probes(maker, forms, strangers, n_words)
    return tuple(probes)


@dataclass(frozen=True, slots=True)
class _Maker:
    problem: Problem
    code: str
    name: str
    seed: int

    def probe(
        self, kind: str, about: str, question: str, right: str, wrong: Sequence[str]
    ) -> Probe | None:
        """Return a probe, or None where there are not three distractors."""
        identity = f"{self.problem.id}-{kind}-{about}"
        digest = hashlib.sha256(f"{self.seed}\x1f{identity}".encode()).digest()
        draw = random.Random(digest)  # noqa: S311 -- no secret: it must give the same again
        nearest = sorted(dict.fromkeys(wrong), key=lambda w: (abs(len(w) - len(right)), w))
        pool = nearest[:_NEAREST]
        if len(pool) < N_OPTIONS - 1 or (kind == "word" and not _between(right, pool)):
            return None
        taken = draw.sample(pool, N_OPTIONS - 1)
        while kind == "word" and not _between(right, taken):
            taken = draw.sample(pool, N_OPTIONS - 1)
        options = [right, *taken]
        draw.shuffle(options)
        one, two, three, four = options
        return Probe(
            id=identity,
            kind=kind,
            problem=self.problem.id,
            language=self.code,
            about=about,
            question=question,
            options=(one, two, three, four),
            answer=options.index(right),
        )


def _fact_probes(maker: _Maker, known: Mapping[str, Mapping[str, str]]) -> list[Probe]:
    made = []
    own = known[maker.problem.id]
    for kind in FACT_KINDS:
        if kind not in own:
            continue
        right = own[kind]
        others = [facts[kind] for facts in known.values() if kind in facts]
        wrong = [fact for fact in others if not _overlap(fact, right)]
        question = _QUESTIONS[kind].format(maker.name)
        made.append(maker.probe("fact", kind, question, right, wrong))
    return [probe for probe in made if probe is not None]


def _overlap(one: str, other: str) -> bool:
    """Say whether two facts may both be right: they share a name or a figure, or one holds the
    other."""
    names = [set(re.findall(r"\b[A-Z][\w-]+|\d[\d,.]*", fact)) for fact in (one, other)]
    return bool(names[0] & names[1]) or one in other or other in one


def _is_stranger(other: Problem, problem: Problem, known: Mapping[str, Mapping[str, str]]) -> bool:
    """Say whether another problem's words are surely none of this problem's language."""
    codes = [iso_code(p.tasks[0]) if p.tasks else "" for p in (other, problem)]
    families = [known[p.id].get("family") for p in (other, problem)]
    if other.id == problem.id or (codes[0] == codes[1] and codes[0] not in _INVENTED):
        return False
    return codes[0] in _INVENTED or None in families or families[0] != families[1]


def _word_probes(
    maker: _Maker,
    forms: Mapping[str, Sequence[str]],
    strangers: Sequence[Problem],
    n_words: int,
) -> list[Probe]:
    sheet = "\n".join(f"{task.context}\n{task.query}" for task in maker.problem.tasks).lower()
    pool = {
        word.lower() for other in strangers for word in forms[other.id] if word.lower() not in sheet
    }
    own = sorted(forms[maker.problem.id], key=lambda word: (-len(word), word))
    made: list[Probe] = []
    for word in own:
        if len(made) == n_words:
            break
        alike = [other for other in pool if _script(other) == _script(word)]
        question = f"Which of these is a word of {maker.name}?"
        probe = maker.probe("word", word, question, word.lower(), alike)
        if probe is not None:
            made.append(probe)
    return made


def _between(right: str, wrong: Sequence[str]) -> bool:
    """Say whether a word does not stick out by its length: no longest one, and no shortest."""
    lengths = [len(word) for word in wrong]
    return min(lengths) <= len(right) <= max(lengths)


def _script(word: str) -> str:
    return script(word[0])
