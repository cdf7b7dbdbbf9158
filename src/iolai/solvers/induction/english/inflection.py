"""English inflection both ways: plural, past, participle, third person. Irregular forms are listed.

Taking an ending off is a guess where English spelling is ambiguous (hoped: hop or hope); the words
a problem itself shows decide first (:class:`Inflections` remembers them), then spelling rules.
"""

from __future__ import annotations

import re

__all__ = ["Inflections", "is_irregular_plural", "plural", "present"]

_IRREGULAR_PAST = """
arise arose arisen|be was/were been|beat beat beaten|become became become|begin began begun|bend
bent bent|bind bound bound|bite bit bitten|bleed bled bled|blow blew blown|break broke broken|bring
brought brought|build built built|burn burned burned|buy bought bought|catch caught caught|choose
chose chosen|come came come|creep crept crept|cut cut cut|deal dealt dealt|dig dug dug|do did
done|draw drew drawn|drink drank drunk|drive drove driven|eat ate eaten|fall fell fallen|feed fed
fed|feel felt felt|fight fought fought|find found found|flee fled fled|fly flew flown|forbid
forbade forbidden|forget forgot forgotten|forgive forgave forgiven|freeze froze frozen|get got
got|give gave given|go went gone|grind ground ground|grow grew grown|hang hung hung|have had
had|hear heard heard|hide hid hidden|hit hit hit|hold held held|hurt hurt hurt|keep kept kept|kneel
knelt knelt|know knew known|lead led led|leave left left|lend lent lent|let let let|lie lay
lain|light lit lit|lose lost lost|make made made|mean meant meant|meet met met|pay paid paid|put
put put|read read read|ride rode ridden|ring rang rung|rise rose risen|run ran run|say said
said|see saw seen|seek sought sought|sell sold sold|send sent sent|set set set|sew sewed sewn|shake
shook shaken|shine shone shone|shoot shot shot|show showed shown|shut shut shut|sing sang sung|sink
sank sunk|sit sat sat|slay slew slain|sleep slept slept|speak spoke spoken|spend spent spent|spin
spun spun|split split split|spread spread spread|stand stood stood|steal stole stolen|stick stuck
stuck|sting stung stung|strike struck struck|swear swore sworn|sweep swept swept|swim swam swum|
swing swung swung|take took taken|teach taught taught|tear tore torn|tell told told|think thought
thought|throw threw thrown|tread trod trodden|understand understood understood|wake woke woken|wear
wore worn|weave wove woven|weep wept wept|win won won|write wrote written
"""
_IRREGULAR_PLURAL = """
man men|woman women|child children|person people|foot feet|tooth teeth|goose geese|mouse mice|ox
oxen|knife knives|wife wives|life lives|leaf leaves|wolf wolves|calf calves|half halves|thief
thieves|loaf loaves|shelf shelves|self selves|fish fish|sheep sheep|deer deer
"""


def _triples() -> dict[str, tuple[str, str]]:
    rows = (entry.split() for entry in " ".join(_IRREGULAR_PAST.split()).split("|"))
    return {row[0]: (row[1], row[2]) for row in rows}


def _plurals() -> dict[str, str]:
    rows = (entry.split() for entry in " ".join(_IRREGULAR_PLURAL.split()).split("|"))
    return {row[0]: row[1] for row in rows}


_PAST = _triples()
_PLURAL = _plurals()
_SINGULAR = {many: one for one, many in _PLURAL.items() if one != many}
_PAST_OF = {past: verb for verb, (past, _) in _PAST.items() if "/" not in past}
_PARTICIPLE_OF = {done: verb for verb, (_, done) in _PAST.items()}
_NO_VERBS = frozenset(
    ("nothing", "something", "anything", "everything", "thing", "king", "ring", "string", "spring",
     "wing", "morning", "evening", "during", "bed", "seed", "weed", "red", "sled", "breed")
)  # fmt: skip
#: No pasts, though they end in -ed: feed, need, speed; freed and agreed are.
_BASE_IN_EED = re.compile(r"(?<!agr)(?<!^fr)eed$")
_SIBILANT = re.compile(r"(?:s|x|z|ch|sh)$")
_DOUBLES = re.compile(r"^(?:[^aeiou]*)[aeiou][bdgklmnprt]$")
#: Plurals whose singular ends in -oe: shoes, canoes, floes.
_KEEP_E = ("shoes", "canoes", "floes", "throes")
#: Singulars in -e, by the plural without its -s: houses, nurses, axes; but gases, buses, foxes.
_KEEPS_E = re.compile(r"(?:[aeo][aeiou]s|[^g]as|os|[lr]s|(?:^|[^a-z])ax|(?:^|[^a-z])ach)e$")
_NOT_PLURAL = re.compile(r"(?:ss|us|is|'s|’s)$|^.{1,2}$")
_WANTS_E = re.compile(
    r"(?:[cvuz]|[aeiournl]s|[^aeioul]l|[rd]g|(?:^|[^aeiou])[aeiou][bdgklmnpt]|[iuo]r)$"
)
_WANTS_NO_E = re.compile(r"[aeiou][^aeiou]+(?:e[rnlt]|o[rnm]|it|al|is|us)$|ss$")


def plural(noun: str) -> str:
    """Return the plural of a noun."""
    head, _, last = noun.rpartition(" ")
    if last in _PLURAL:
        return f"{head} {_PLURAL[last]}".strip()
    for one, many in _PLURAL.items():
        if last.endswith(one) and len(one) > 4 and len(last) > len(one):
            return f"{head} {last[: -len(one)]}{many}".strip()
    if re.search(r"[^aeiou]y$", noun):
        return f"{noun[:-1]}ies"
    return f"{noun}es" if _SIBILANT.search(noun) else f"{noun}s"


def present(verb: str) -> str:
    """Return the third person singular of the present."""
    special = {"be": "is", "have": "has", "do": "does", "go": "goes"}
    return special.get(verb) or plural_like(verb)


def is_irregular_plural(noun: str) -> bool:
    """Whether a word is a plural that cannot be anything else: children, men, knives."""
    return noun in _SINGULAR and noun not in ("lives", "leaves")


def plural_like(word: str) -> str:
    """Add -s by the rules of spelling, irregular nouns apart."""
    if re.search(r"[^aeiou]y$", word):
        return f"{word[:-1]}ies"
    return f"{word}es" if _SIBILANT.search(word) or word.endswith("o") else f"{word}s"


class Inflections:
    """Endings off and on, true to the words a problem shows."""

    def __init__(self, verbs: frozenset[str] = frozenset()) -> None:
        self.verbs = verbs
        self.words: frozenset[str] = frozenset()
        self._seen: dict[tuple[str, str], str] = {}

    def singular(self, noun: str) -> str | None:
        """Return the singular where a noun looks like a plural, else None."""
        if noun in _SINGULAR:
            return self._note(_SINGULAR[noun], "PL", noun)
        for many, one in _SINGULAR.items():
            if noun.endswith(many) and len(many) > 3:
                return self._note(noun[: -len(many)] + one, "PL", noun)
        if not noun.endswith("s") or _NOT_PLURAL.search(noun):
            return None
        if noun.endswith("ies") and len(noun) > 4:
            return self._note(f"{noun[:-3]}y", "PL", noun)
        if re.search(r"[^aeiou]oes$", noun) and len(noun) > 5 and not noun.endswith(_KEEP_E):
            return self._note(noun[:-2], "PL", noun)
        if re.search(r"(?:[sx]|ch|sh|zz)es$", noun) and not self._ends_in_e(noun[:-1]):
            return self._note(noun[:-2], "PL", noun)
        return self._note(noun[:-1], "PL", noun)

    def _ends_in_e(self, noun: str) -> bool:
        """Whether the singular of a noun in -es ends in -e: what the problem writes decides."""
        if noun in self.words or noun[:-1] in self.words:
            return noun in self.words
        return _KEEPS_E.search(noun) is not None

    def base_of(self, verb: str, feature: str) -> str | None:
        """Return the base of a verb form: ``PAST``, ``PROG`` (-ing), ``DONE``, ``3SG``; or None."""
        if feature == "PAST" and verb in _PAST_OF:
            return self._note(_PAST_OF[verb], feature, verb)
        if feature == "DONE" and verb in _PARTICIPLE_OF:
            return self._note(_PARTICIPLE_OF[verb], feature, verb)
        if feature == "3SG":
            if verb in ("has", "does", "goes", "is"):
                return {"has": "have", "does": "do", "goes": "go", "is": "be"}[verb]
            return self._plain_s(verb)
        ending = "ing" if feature == "PROG" else "ed"
        if ending == "ed" and _BASE_IN_EED.search(verb):
            return None
        if verb in _NO_VERBS or not verb.endswith(ending) or len(verb) < len(ending) + 2:
            return None
        return self._note(self._restored(verb[: -len(ending)], ending), feature, verb)

    def inflect(self, verb: str, feature: str) -> str:
        """Return a form of a verb: ``PAST``, ``PROG``, ``DONE`` or ``3SG``."""
        seen = self._seen.get((verb, feature))
        if seen is not None:
            return seen
        head, blank, rest = verb.partition(" ")
        if blank:  # "wait for": "waited for"
            return f"{self.inflect(head, feature)} {rest}"
        if feature == "3SG":
            return present(verb)
        if feature in ("PAST", "DONE") and verb in _PAST:
            return _PAST[verb][feature == "DONE"]
        ending = "ing" if feature == "PROG" else "ed"
        if verb.endswith("ie") and ending == "ing":
            return f"{verb[:-2]}ying"
        if verb.endswith("e") and not verb.endswith(("ee", "ye")):
            return verb[:-1] + ending
        if ending == "ed" and re.search(r"[^aeiou]y$", verb):
            return f"{verb[:-1]}ied"
        return (verb + verb[-1] if _DOUBLES.match(verb) else verb) + ending

    def plural_of(self, noun: str) -> str:
        """Return a noun's plural, as the problem writes it where it does."""
        head, blank, last = noun.rpartition(" ")
        return self._seen.get((noun, "PL")) or (
            f"{head} {self.plural_of(last)}" if blank else plural(noun)
        )

    def _note(self, base: str, feature: str, form: str) -> str:
        self._seen.setdefault((base, feature), form)
        return base

    def _plain_s(self, verb: str) -> str | None:
        if not verb.endswith("s") or verb.endswith("ss") or len(verb) < 3:
            return None
        if verb.endswith("ies") and len(verb) > 4:
            return f"{verb[:-3]}y"
        # Of the verbs in -ses and -zes most end in -e (chase, close, freeze), unless in -ss or -zz.
        if re.search(r"(?:ss|zz|x|ch|sh|o)es$", verb):
            return verb[:-2]
        return verb[:-1]

    def _restored(self, stem: str, ending: str) -> str:
        """Return the verb that an ending was taken from: hopp-ed, hop-ed, hope-d, carri-ed."""
        if ending == "ed" and (stem.endswith("e") or re.fullmatch(r"[^aeiou]i", stem)):
            return f"{stem}e"
        options = [stem, f"{stem}e"]
        if len(stem) > 2 and stem[-1] == stem[-2] and stem[-1] not in "sl":
            options.insert(0, stem[:-1])
        if ending == "ed" and stem.endswith("i"):
            return f"{stem[:-1]}y"
        if ending == "ing" and stem.endswith("y") and len(stem) == 2:
            options.insert(0, f"{stem[:-1]}ie")
        for option in options:
            if option in self.verbs or option in _PAST:
                return option
        if options[0] != stem:
            return options[0]
        return f"{stem}e" if _WANTS_E.search(stem) and not _WANTS_NO_E.search(stem) else stem
