"""A gloss as a row of tokens, each a stem with features, and back: ``realise(parse(g)) == g``.

Verb groups are one token (``will not be eating``: eat + FUT + NEG + PROG), nouns carry number and
possession, pronouns person and role. Person and number of verbs are agreement: they are worked out
when a gloss is put together, never stored. What the rules cannot give back exactly is kept as plain
words, so every gloss can be taken apart and put together without loss.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from iolai.solvers.induction.english.inflection import Inflections, is_irregular_plural
from iolai.solvers.induction.english.verbs import BARE_AFTER, COMMON

__all__ = ["English", "Token"]

#: Pronouns: person-number and role (S subject, O object, P possessor).
_PRONOUNS = {
    "i": ("1sg", "S"), "me": ("1sg", "O"), "my": ("1sg", "P"),
    "we": ("1pl", "S"), "us": ("1pl", "O"), "our": ("1pl", "P"),
    "you": ("2", "S"), "your": ("2", "P"),
    "thou": ("2sg", "S"), "thee": ("2sg", "O"), "thy": ("2sg", "P"),
    "he": ("3sg.m", "S"), "him": ("3sg.m", "O"), "his": ("3sg.m", "P"),
    "she": ("3sg.f", "S"), "her": ("3sg.f", "O"),
    "it": ("3sg.n", "S"), "its": ("3sg.n", "P"),
    "they": ("3pl", "S"), "them": ("3pl", "O"), "their": ("3pl", "P"),
    "he/she": ("3sg", "S"), "him/her": ("3sg", "O"), "his/her": ("3sg", "P"),
    "s/he": ("3sg.c", "S"),
}  # fmt: skip
_SURFACE = {value: word for word, value in _PRONOUNS.items()} | {
    ("3sg.f", "P"): "her", ("2", "O"): "you", ("3sg.n", "O"): "it",
    ("3sg.c", "O"): "him/her", ("3sg.c", "P"): "his/her",
}  # fmt: skip
_AUX = {
    "will": "FUT", "would": "COND", "did": "PAST", "do": "PRES", "does": "PRES", "can": "CAN",
    "could": "COULD", "must": "MUST", "should": "SHOULD", "may": "MAY",
}  # fmt: skip
_BE = {"is": "PRES", "are": "PRES", "am": "PRES", "was": "PAST", "were": "PAST"}
_HAVE = {"have": "PRES", "has": "PRES", "had": "PAST"}
#: The feature and form of a verb whose auxiliary stands in front of its subject.
_AFTER_FRONTED = {"be": ("PROG", "PROG"), "have": ("PERF", "DONE")}
#: What shows that the verb before it is one, where it opens a gloss.
_AFTER_ORDER = frozenset(("the", "a", "an", "my", "your", "his", "our", "their", "me", "him", "us",
                          "them"))  # fmt: skip
_SHORT = {
    "didn't": "did not", "don't": "do not", "doesn't": "does not", "won't": "will not",
    "isn't": "is not", "aren't": "are not", "wasn't": "was not", "weren't": "were not",
    "haven't": "have not", "hasn't": "has not", "hadn't": "had not",
}  # fmt: skip
_DETERMINERS = {"the": "DEF", "a": "INDEF", "an": "INDEF"}
_PREPOSITIONS = frozenset(
    ("of", "in", "on", "at", "to", "from", "with", "without", "for", "by", "into", "onto", "under",
     "over", "above", "behind", "near", "through", "about", "after", "before", "between", "like",
     "inside", "outside", "against", "around", "across", "along", "toward", "towards", "beside",
     "below", "beneath", "during", "until")
)  # fmt: skip
_WH = frozenset(("who", "whom", "what", "which", "where", "when", "why", "how"))
_LINKS = frozenset(("and", "or", "but", "because", "if", "that", "as", "than", "whose")) | _WH
_ADVERBS = frozenset(
    ("not", "there", "here", "this", "these", "those", "too", "also", "just", "always", "very",
     "up", "away", "out", "off", "down", "back", "again", "only", "really", "now", "today",
     "yesterday", "tomorrow", "soon", "ago", "never", "often", "sometimes", "usually", "already",
     "still", "probably", "perhaps", "maybe", "quickly", "slowly", "suddenly", "loudly")
)  # fmt: skip
_OPAQUE = _PREPOSITIONS | _LINKS | _ADVERBS
_TOKEN = re.compile(
    r"\d{1,2}(?=:\d\d\b)|(?<=\d):\d\d\b"
    r"|\((?:[^()\s]{1,14}/[^()\s]{1,14}|(?:they|he|she|it|I|we|you))\)"
    r"|(?:[Ww]e|[Yy]ou|[Tt]hey|us|them)\s(?:guys|both|all|two)\b"
    r"|[^\W_]+(?:['’./-][^\W_]+)*['’]?(?:\s?\((?:sg|pl|du|m|f|masc|fem|incl|excl|inclusive|exclusive|singular|plural|dual)\.?\)|_\{[^}]*\})?"
    r"|\([^)]*\)|\S"
)
#: Hours and minutes are tokens of their own: many languages count by quarters, or to the hour.
_MINUTES = re.compile(r"(?<=\d) (?=:\d\d\b)")
_NUMBER_MARK = re.compile(r"\s?\((\w+)\.?\)$|_\{([^}]*)\}$|\s(guys|both|all|two)$")
_NUMBERS = {"guys": "pl", "all": "pl", "both": "du", "two": "du"}
_REMARK = re.compile(r"\s*\((?:i\.\s?e\.|e\.\s?g\.|lit\b)[^)]*\)", re.IGNORECASE)
_PUNCTUATION = ".?!,;:"


@dataclass(frozen=True, slots=True)
class Token:
    """A stem with features.

    ``kind``: n noun, v verb, pro pronoun, adj, aux (in front of its subject), x anything else.
    ``role``: S, O, C (what somebody is), P (possessor), or the preposition a noun stands after;
    ``""`` elsewhere.
    ``after`` is punctuation that follows within the sentence.
    """

    stem: str
    kind: str
    feats: frozenset[str] = frozenset()
    role: str = ""
    after: str = ""


class English:
    """Takes a problem's glosses apart and puts new ones together in the same style."""

    def __init__(self, glosses: Iterable[str], phrases: Iterable[str] = ()) -> None:
        """Learn the style of ``glosses``; ``phrases`` are known to be one unit each."""
        glosses = [_REMARK.sub("", gloss) for gloss in glosses]
        words = [[w.lower() for w in _TOKEN.findall(gloss)] for gloss in glosses]
        self._inflections = Inflections()
        self._inflections.words = frozenset(word for gloss in words for word in gloss)
        self._inflections.verbs = frozenset(_sure_verbs(words, self._inflections))
        # In a list of single words "rests" may be a noun; where there are sentences it is a verb.
        stops = sum(gloss.rstrip().endswith((".", "?", "!")) for gloss in glosses)
        has_sentences = bool(self._inflections.verbs) or stops * 3 > len(glosses)
        self._verbs = self._inflections.verbs | (COMMON if has_sentences else frozenset())
        self._marks = _pronoun_marks(w for gloss in glosses for w in _TOKEN.findall(gloss))
        self._short = any("n't" in gloss or "n’t" in gloss for gloss in glosses)
        self._apostrophe = "’" if any("’" in gloss for gloss in glosses) else "'"
        capital = [gloss[:1].isupper() for gloss in glosses if not gloss.startswith("I ")]
        self._capital = sum(capital) * 2 > len(capital)
        self._stop = sum(gloss.rstrip().endswith(".") for gloss in glosses) * 3 > len(glosses)
        self._names = _names(glosses)
        self._phrases = frozenset(phrases)
        self._phrases |= _fixed_phrases([self._parse(gloss) for gloss in glosses])

    def parse(self, gloss: str) -> tuple[Token, ...]:
        """Return the tokens of a gloss; plain words where the rules would not give it back."""
        gloss = _REMARK.sub("", gloss).strip()
        tokens = self._parse(gloss)
        for found in (_joined(tokens, self._phrases), tokens, self._many(tokens)):
            if _bare(self.realise(found)) == _bare(gloss):
                return found
        return tuple(Token(word, "x") for word in gloss.split())

    def _many(self, tokens: Sequence[Token]) -> tuple[Token, ...]:
        """Take subjects that look alike in both numbers (``fish``) for plurals: ``the fish see``.

        Only where the gloss would not come back otherwise.
        """
        return tuple(
            replace(token, feats=token.feats | {"PL"})
            if token.kind == "n"
            and token.role == "S"
            and not token.feats & {"INDEF", "POSS", "PL"}
            and self._inflections.plural_of(token.stem) == token.stem
            else token
            for token in tokens
        )

    def realise(self, tokens: Sequence[Token]) -> str:
        """Return the gloss of some tokens, verbs agreeing with their subjects."""
        words: list[str] = []
        for place, token in enumerate(tokens):
            words.append(self._word(tokens, place, token) + token.after)
        text = " ".join(word for word in words if word)
        text = _MINUTES.sub("", text)
        if self._capital:
            text = re.sub(r"(?:^|(?<=[.?!] ))\w", lambda match: match[0].upper(), text)
        end = text[-1:] in _PUNCTUATION
        return text if end or not self._stop else f"{text}."

    # --- taking apart -----------------------------------------------------------------------

    def _parse(self, gloss: str) -> tuple[Token, ...]:
        words = self._words(gloss)
        tokens: list[Token] = []
        place = 0
        state = _Clause()
        while place < len(words):
            word, after = words[place]
            token, place = self._next(words, place, word, state)
            if place > 0:
                after = words[place - 1][1]
            tokens.append(replace(token, after=after))
            state.see(tokens[-1])
        return _with_roles(tokens)

    def _words(self, gloss: str) -> list[tuple[str, str]]:
        """Return the words with the punctuation after each; short negations written out."""
        out: list[tuple[str, str]] = []
        for raw in _TOKEN.findall(gloss):
            if raw in _PUNCTUATION and out:
                out[-1] = (out[-1][0], out[-1][1] + raw)
                continue
            word = raw if raw in self._names or raw == "I" else raw[:1].lower() + raw[1:]
            short = _SHORT.get(word.replace("’", "'").lower())
            out.extend((part, "") for part in (short.split() if short else [word]))
        if out and self._stop and out[-1][1] == ".":
            out[-1] = (out[-1][0], "")
        return out

    def _next(
        self, words: Sequence[tuple[str, str]], place: int, word: str, state: _Clause
    ) -> tuple[Token, int]:
        """Read one token; returns it and the place after it."""
        low = word.lower()
        bare, mark = _unmarked(low)
        if bare in _PRONOUNS or bare == "her":
            return self._pronoun(words, place, bare, mark, state), place + 1
        if low in _DETERMINERS and place + 1 < len(words) and not words[place][1]:
            token, after = self._next(words, place + 1, words[place + 1][0], state.in_noun_phrase())
            if token.kind in ("n", "adj"):
                return replace(token, feats=token.feats | {_DETERMINERS[low]}), after
            return Token(word, "x"), place + 1
        group = self._order(words, place) or self._verb_group(words, place, state)
        if group is not None:
            return group
        if low in _OPAQUE:
            return Token(low, "x"), place + 1
        if word[:1] in "(:":
            return Token(word, "x"), place + 1
        return self._noun(words, place, word, state), place + 1

    def _pronoun(
        self, words: Sequence[tuple[str, str]], place: int, bare: str, mark: str, state: _Clause
    ) -> Token:
        person, role = _PRONOUNS.get(bare, ("3sg.f", "O"))
        following = words[place + 1][0].lower() if place + 1 < len(words) else ""
        if bare == "her" and following and not words[place][1] and following not in _OPAQUE:
            role = "P"
        if bare in ("you", "it") and (state.has_verb or state.after_preposition):
            role = "O"
        if mark:
            person = f"{person.rstrip('plsg')}{mark}" if mark in ("sg", "pl", "du") else person
            person = person if mark in ("sg", "pl", "du") else f"{person}~{mark}"
        return Token(person, "pro", role=role)

    def _verb_group(
        self, words: Sequence[tuple[str, str]], place: int, state: _Clause
    ) -> tuple[Token, int] | None:
        """Read auxiliaries, negation and the verb as one token, where a verb can stand."""
        if state.wants_noun:
            return None
        low = words[place][0].lower()
        if low == "to":
            return self._infinitive(words, place, state)
        if low in _BE:
            return self._be_group(words, place, state)
        if low not in _AUX:
            perfect = self._have_group(words, place, state) if low in _HAVE else None
            return perfect or self._finite(low, place, state)
        feats, here = _negated({_AUX[low]}, words, place + 1)
        if not state.has_subject and not (state.after_wh and self._is_bare_verb(words, here)):
            return Token("do", "aux", frozenset(feats)), here
        if here >= len(words):
            return None
        verb = words[here][0].lower()
        if verb == "be" and (passive := self._passive(words, here + 1, feats)):
            return passive
        if verb in ("be", "have") and here + 1 < len(words):
            feature, form = ("PROG", "PROG") if verb == "be" else ("PERF", "DONE")
            inner = self._inflections.base_of(words[here + 1][0].lower(), form)
            if inner:
                return Token(inner, "v", frozenset(feats | {feature})), here + 2
        return Token(verb, "v", frozenset(feats)), here + 1

    def _order(self, words: Sequence[tuple[str, str]], place: int) -> tuple[Token, int] | None:
        """Read a verb that opens a gloss as an order: ``Go!``, ``do not eat the meat``."""
        if place or words[-1][1].endswith("?"):
            return None
        low, feats, here = words[0][0].lower(), {"IMP"}, 0
        if low == "do":
            feats, here = _negated(feats, words, 1)
            if "NEG" not in feats:
                return None
        if not self._is_bare_verb(words, here) or words[here][0].lower() in ("be", "have"):
            return None
        follows = words[here + 1][0].lower() if here + 1 < len(words) else ""
        is_called = words[-1][1].endswith("!")
        if is_called or "NEG" in feats or follows in _AFTER_ORDER:
            return Token(words[here][0].lower(), "v", frozenset(feats)), here + 1
        return None

    def _is_bare_verb(self, words: Sequence[tuple[str, str]], place: int) -> bool:
        word = words[place][0].lower() if place < len(words) else ""
        return word in COMMON or word in self._verbs

    def _passive(
        self, words: Sequence[tuple[str, str]], place: int, feats: set[str]
    ) -> tuple[Token, int] | None:
        """Read what follows "be" as the passive of a verb that the sheet uses, or with "by"."""
        feats = feats | {"PASS"}
        if place < len(words) and words[place][0] == "being":
            feats, place = feats | {"PROG"}, place + 1
        if place >= len(words):
            return None
        done = self._inflections.base_of(words[place][0].lower(), "DONE")
        has_agent = place + 1 < len(words) and words[place + 1][0] == "by"
        if done and (done in self._inflections.verbs or (has_agent and done in COMMON)):
            return Token(done, "v", frozenset(feats)), place + 1
        return None

    def _have_group(
        self, words: Sequence[tuple[str, str]], place: int, state: _Clause
    ) -> tuple[Token, int] | None:
        """Read a perfect, or its auxiliary in front of the subject; None where "have" is a verb."""
        feats, here = _negated({_HAVE[words[place][0].lower()], "PERF"}, words, place + 1)
        done = [self._inflections.base_of(word.lower(), "DONE") for word, _ in words[here:]]
        asks_who = state.after_wh and any(done[:1])
        if not state.has_subject and not asks_who:
            stands_first = (not place or state.after_wh) and any(done[1:])
            return (Token("have", "aux", frozenset(feats)), here) if stands_first else None
        if state.has_verb or not done or not done[0]:
            return None
        if done[0] == "be" and here + 1 < len(words):
            inner = self._inflections.base_of(words[here + 1][0].lower(), "PROG")
            if inner:
                return Token(inner, "v", frozenset(feats | {"PROG"})), here + 2
        return Token(done[0], "v", frozenset(feats)), here + 1

    def _infinitive(
        self, words: Sequence[tuple[str, str]], place: int, state: _Clause
    ) -> tuple[Token, int] | None:
        bare = words[place + 1][0].lower() if place + 1 < len(words) else ""
        is_verb = bare in self._inflections.verbs or (state.after_verb and bare in self._verbs)
        if is_verb and bare not in _DETERMINERS:
            return Token(bare, "v", frozenset({"INF"})), place + 2
        return None

    def _be_group(
        self, words: Sequence[tuple[str, str]], place: int, state: _Clause
    ) -> tuple[Token, int]:
        feats, here = _negated({_BE[words[place][0].lower()]}, words, place + 1)
        if not state.has_subject:
            return Token("be", "aux", frozenset(feats)), here
        if passive := self._passive(words, here, feats):
            return passive
        if here < len(words):
            inner = self._inflections.base_of(words[here][0].lower(), "PROG")
            if inner:
                return Token(inner, "v", frozenset(feats | {"PROG"})), here + 1
        return Token("be", "v", frozenset(feats)), here

    def _finite(self, verb: str, here: int, state: _Clause) -> tuple[Token, int] | None:
        """Read a verb without auxiliaries: saw, sees, see; only where a subject precedes."""
        verbs = self._verbs
        if verb[:1] == "(":
            return None
        if state.takes_bare_verb and verb in verbs:
            return Token(verb, "v"), here + 1
        if not (state.has_subject or state.after_wh) or state.has_verb:
            return None
        if state.fronted:
            feature, form = _AFTER_FRONTED.get(state.fronted, ("", ""))
            inner = self._inflections.base_of(verb, form) if form else None
            if inner:
                return Token(inner, "v", frozenset({feature})), here + 1
            known = state.fronted == "do" and verb.isalpha() and verb not in _OPAQUE
            return (Token(verb, "v"), here + 1) if known else None
        past = self._inflections.base_of(verb, "PAST")
        if past:
            return Token(past, "v", frozenset({"PAST"})), here + 1
        third = self._inflections.base_of(verb, "3SG")
        if third and third in verbs:
            return Token(third, "v", frozenset({"PRES"})), here + 1
        if verb in verbs or (state.subject_is_pronoun and verb not in _OPAQUE):
            base = third if third and state.subject_is_third else verb
            return Token(base, "v", frozenset({"PRES"})), here + 1
        return None

    def _noun(
        self, words: Sequence[tuple[str, str]], place: int, word: str, state: _Clause
    ) -> Token:
        feats: set[str] = set()
        owner = re.fullmatch(r"(.+?)(?:['’]s|(?<=s)['’])", word)
        if owner is not None:
            feats.add("POSS")
            word = owner[1]
        following = words[place + 1][0].lower() if place + 1 < len(words) else ""
        is_last = not following or bool(words[place][1]) or not self._goes_on(following, state)
        is_name = word in self._names and word[:-1] not in self._names
        one = None if is_name else self._inflections.singular(word)
        # Adjectives have no plural: "the birds dance" goes on with a verb.
        is_verb_next = following in self._verbs and not state.has_verb
        is_last = is_last or (one is not None and one != word and is_verb_next)
        if one is not None and (is_last or "POSS" in feats or is_irregular_plural(word)):
            return Token(one, "n", frozenset(feats | {"PL"}))
        return Token(word, "n" if is_last or "POSS" in feats else "adj", frozenset(feats))

    def _goes_on(self, word: str, state: _Clause) -> bool:
        """Say whether a word may be the noun after an adjective."""
        known = word in _OPAQUE or word in _AUX or word in _BE or word in _DETERMINERS
        if known or _unmarked(word)[0] in _PRONOUNS or not word[:1].isalnum():
            return False
        if state.has_verb:
            return not (state.verb in BARE_AFTER and word in self._verbs)
        past, third = (self._inflections.base_of(word, f) for f in ("PAST", "3SG"))
        return not past and word not in self._inflections.verbs and third not in self._verbs

    # --- putting together -------------------------------------------------------------------

    def _word(self, tokens: Sequence[Token], place: int, token: Token) -> str:
        if token.kind == "pro":
            return self._pronoun_word(token)
        if token.kind in ("v", "aux"):
            return self._verb_words(token, *_agreement(tokens, place))
        if token.kind == "x":
            return token.stem
        word = self._inflections.plural_of(token.stem) if "PL" in token.feats else token.stem
        if "POSS" in token.feats:
            word += self._apostrophe if word.endswith("s") else f"{self._apostrophe}s"
        if "DEF" in token.feats:
            return f"the {word}"
        if "INDEF" in token.feats:
            return f"{'an' if word[:1].lower() in 'aeiou' else 'a'} {word}"
        return word

    def _pronoun_word(self, token: Token) -> str:
        person, role = token.stem, token.role
        suffix = self._marks.get(person, "")
        bare = person.partition("~")[0]
        for known in _persons_to_try(bare, is_marked=bool(suffix)):
            word = _SURFACE.get((known, role)) or _SURFACE.get((known, "S"))
            if word:
                break
        else:
            word = person
        return ("I" if word == "i" else word) + suffix

    def _verb_words(self, token: Token, person: str, is_plural: bool) -> str:
        feats, stem = token.feats, token.stem
        third = person == "3" and not is_plural
        negation = ["not"] if "NEG" in feats else []
        if "INF" in feats:
            return f"to {stem}"
        if "IMP" in feats:
            return self._shortened(f"do not {stem}" if negation else stem)
        if token.kind == "aux":
            return self._auxiliary(stem, feats, person, is_plural=is_plural)
        if feats in ({"PROG"}, {"PERF"}):
            return self._inflections.inflect(stem, "PROG" if "PROG" in feats else "DONE")
        modal = next((m for m, f in _AUX.items() if f in feats and f not in ("PAST", "PRES")), "")
        if "PERF" in feats:
            have = [modal, *negation, "have"] if modal else [_have(feats, third=third), *negation]
            return self._shortened(" ".join([*have, self._after_have(stem, feats)]))
        if "PROG" in feats or "PASS" in feats:
            be = [modal, *negation, "be"] if modal else [_be(feats, person, is_plural), *negation]
            if "PASS" in feats:
                being = ["being"] if "PROG" in feats else []
                done = self._inflections.inflect(stem, "DONE")
                return self._shortened(" ".join([*be, *being, done]))
            return self._shortened(" ".join([*be, self._inflections.inflect(stem, "PROG")]))
        if modal:
            return " ".join([modal, *negation, stem])
        if stem == "be":
            return self._shortened(" ".join([_be(feats, person, is_plural), *negation]))
        return self._simple_verb(stem, feats, third=third)

    def _auxiliary(self, stem: str, feats: frozenset[str], person: str, *, is_plural: bool) -> str:
        """Return an auxiliary in front of its subject."""
        third = person == "3" and not is_plural
        negation = ["not"] if "NEG" in feats else []
        if stem in ("be", "have"):
            word = _be(feats, person, is_plural) if stem == "be" else _have(feats, third=third)
            return self._shortened(" ".join([word, *negation]))
        word = _first(feats, {"FUT": "will", "PAST": "did", "COND": "would", "CAN": "can"})
        return " ".join([word or ("does" if third else "do"), *negation])

    def _after_have(self, stem: str, feats: frozenset[str]) -> str:
        if "PROG" in feats:
            return f"been {self._inflections.inflect(stem, 'PROG')}"
        return self._inflections.inflect(stem, "DONE")

    def _simple_verb(self, stem: str, feats: frozenset[str], *, third: bool) -> str:
        """Return a verb without modal and aspect: sees, saw, does not see."""
        if "NEG" in feats:
            do = "did" if "PAST" in feats else "does" if third else "do"
            return self._shortened(f"{do} not {stem}")
        if "PAST" in feats:
            return self._inflections.inflect(stem, "PAST")
        return self._inflections.inflect(stem, "3SG") if "PRES" in feats and third else stem

    def _shortened(self, words: str) -> str:
        if not self._short:
            return words
        for short, full in _SHORT.items():
            if words.startswith(full):
                return short.replace("'", self._apostrophe) + words[len(full) :]
        return words


class _Clause:
    """What has been read of the clause so far."""

    def __init__(self) -> None:
        self.has_subject = self.has_verb = False
        self.subject_is_pronoun = self.subject_is_third = False
        self.wants_noun = self.after_preposition = self.after_wh = self.after_noun = False
        self.after_verb = False
        self.fronted = self.verb = ""
        self.takes_bare_verb = False

    def in_noun_phrase(self) -> _Clause:
        """Return the state after a determiner."""
        inner = _Clause()
        inner.has_verb, inner.verb, inner.wants_noun = self.has_verb, self.verb, True
        return inner

    def see(self, token: Token) -> None:
        """Take a token into account."""
        self.wants_noun = token.kind == "adj" or (token.kind == "pro" and token.role == "P")
        is_object = self.after_preposition
        self.after_preposition = token.stem in _PREPOSITIONS
        is_relative = token.stem == "that" and self.after_noun
        self.after_wh = token.stem in _WH or is_relative
        self.after_noun = token.kind == "n"
        self.after_verb = token.kind == "v"
        is_person = token.kind in ("n", "pro") and token.role != "P" and "POSS" not in token.feats
        self.takes_bare_verb = is_person and self.has_verb and self.verb in BARE_AFTER
        if token.kind == "v":
            self.has_verb, self.verb = True, token.stem
        elif token.kind == "aux":
            self.fronted = token.stem
        elif is_person:
            self.has_subject = True
            if not is_object:
                self.subject_is_pronoun = token.kind == "pro"
                self.subject_is_third = token.stem.startswith("3sg")
        elif token.stem in ("there", "(they)", "(he/she)", "(I)"):
            self.has_subject = self.subject_is_pronoun = True
            self.subject_is_third = token.stem == "(he/she)"
        if token.after[-1:] in (".", "?", "!", ";"):
            self.__init__()  # type: ignore[misc]
        elif token.stem in _LINKS or token.after[-1:] == ",":
            self.has_verb = False
            self.fronted = ""
            if token.stem not in ("and", "or") and not token.after:
                self.has_subject = False
            if token.after[-1:] == ",":
                self.has_subject = self.subject_is_pronoun = False


def _with_roles(tokens: Sequence[Token]) -> tuple[Token, ...]:
    """Give each noun its role: subject, object, possessor, or the preposition before it."""
    out: list[Token] = []
    preposition, has_verb = "", any(token.kind == "v" for token in tokens)
    seen_verb, object_role = False, "O"
    for token in tokens:
        role = token.role
        if token.kind == "v":
            seen_verb, preposition = True, ""
            object_role = "C" if token.stem == "be" else "O"
        elif token.kind == "x":
            preposition = token.stem if token.stem in _PREPOSITIONS else ""
            seen_verb = seen_verb and token.stem not in _LINKS
        elif token.kind in ("n", "adj"):
            role = preposition or (object_role if seen_verb else "S" if has_verb else "")
            if "POSS" in token.feats:
                role = "P"
        if token.kind == "n" and role != "P":
            preposition = ""
        out.append(replace(token, role=role))
    return tuple(out)


def _agreement(tokens: Sequence[Token], place: int) -> tuple[str, bool]:
    """Return the person and plurality of a verb's subject."""
    if place and tokens[place - 1].stem in ("that", "who", "which"):
        head = next((t for t in tokens[:place][::-1] if t.kind == "n"), None)
        return "3", head is not None and "PL" in head.feats
    forward = tokens[place].kind == "aux" or (place > 0 and tokens[place - 1].stem == "there")
    order = range(place + 1, len(tokens)) if forward else range(place)[::-1]
    for i in order:
        token = tokens[i]
        if token.kind == "pro" and token.role == "S":
            many = not token.stem.startswith(("1sg", "3sg"))
            return token.stem[:1], many
        is_head = token.kind == "n" and "POSS" not in token.feats
        if is_head and (token.role in ("S", "") or forward):
            joined = i > 1 and tokens[i - 1].stem == "and" and not forward
            return "3", "PL" in token.feats or joined
        if token.stem.lower() == "(they)":
            return "3", True
    return "3", False


def _be(feats: frozenset[str], person: str, is_plural: bool) -> str:
    many = is_plural or person == "2"
    if "PAST" in feats:
        return "were" if many else "was"
    if person == "1" and not is_plural:
        return "am"
    return "are" if many else "is"


def _have(feats: frozenset[str], *, third: bool) -> str:
    return "had" if "PAST" in feats else "has" if third else "have"


def _first(feats: frozenset[str], words: dict[str, str]) -> str:
    return next((word for feat, word in words.items() if feat in feats), "")


def _persons_to_try(person: str, *, is_marked: bool) -> tuple[str, ...]:
    """Return the persons whose pronoun may serve for another: "we" for the dual, marked."""
    if not is_marked:
        return person, "2"
    plural = f"{person[:1]}pl"
    return {"1": (plural, person), "3": (person, plural)}.get(person[:1], ("2", person, plural))


def _negated(feats: set[str], words: Sequence[tuple[str, str]], here: int) -> tuple[set[str], int]:
    """Take a "not" at a place into the features; returns them and the place after it."""
    if here < len(words) and words[here][0].lower() == "not":
        return feats | {"NEG"}, here + 1
    return feats, here


def _fixed_phrases(glosses: Sequence[Sequence[Token]]) -> frozenset[str]:
    """Return the adjectives with their nouns, and verbs with prepositions, that are never apart.

    ``sweet potato``, ``wait for``, met twice or more: nothing in the data tells what either word
    would be by itself.
    """
    words = Counter(token.stem for tokens in glosses for token in tokens)
    pairs = Counter(
        (one.stem, other.stem)
        for tokens in glosses
        for one, other in pairwise(tokens)
        if _may_join(one, other)
    )
    return frozenset(
        f"{one} {other}"
        for (one, other), n in pairs.items()
        if n > 1 and words[one] == words[other] == n
    )


def _may_join(one: Token, other: Token) -> bool:
    if one.after or one.stem == other.stem:
        return False
    return (one.kind == "adj" and other.kind == "n") or _is_verb_with(one, other)


def _is_verb_with(one: Token, other: Token) -> bool:
    """Say whether a verb and a preposition before its object stand side by side."""
    is_verb = one.kind == "v" and one.stem != "be" and "PASS" not in one.feats
    return is_verb and other.kind == "x" and other.stem in _PREPOSITIONS and not other.after


def _joined(tokens: Sequence[Token], phrases: frozenset[str]) -> tuple[Token, ...]:
    """Make one token of each adjective and noun, or verb and preposition, that are a phrase.

    What the preposition governed is the object of the verb then.
    """
    out: list[Token] = []
    governed = ""
    for token in tokens:
        if token.role and token.role == governed:
            out.append(replace(token, role="O"))
            governed = governed if token.kind == "adj" else ""
        elif out and _is_verb_with(out[-1], token) and f"{out[-1].stem} {token.stem}" in phrases:
            out[-1] = replace(out[-1], stem=f"{out[-1].stem} {token.stem}")
            governed = token.stem
        elif out and _may_join(out[-1], token) and f"{out[-1].stem} {token.stem}" in phrases:
            before = out.pop()
            feats = before.feats | token.feats
            out.append(replace(token, stem=f"{before.stem} {token.stem}", feats=feats))
        else:
            out.append(token)
    return tuple(out)


def _unmarked(word: str) -> tuple[str, str]:
    """Part a pronoun from its number or another mark: you(sg), you (pl.), you_{sg}, you guys."""
    match = _NUMBER_MARK.search(word)
    if match is None:
        return word, ""
    mark = (match[1] or match[2] or match[3] or "").lower()
    return word[: match.start()], _NUMBERS.get(mark, mark)


def _pronoun_marks(words: Iterable[str]) -> dict[str, str]:
    """Return how this sheet writes the marks of pronouns: ``{"2sg": "(sg)"}``."""
    marks: dict[str, str] = {}
    for word in words:
        bare, mark = _unmarked(word.lower())
        if not mark or bare not in _PRONOUNS:
            continue
        person = _PRONOUNS[bare][0]
        in_number = mark in ("sg", "pl", "du")
        key = f"{person.rstrip('plsg')}{mark}" if in_number else f"{person}~{mark}"
        marks.setdefault(key, word[len(bare) :])
    return marks


def _names(glosses: Sequence[str]) -> frozenset[str]:
    """Return the words that are capitalised inside sentences."""
    inner = {w for g in glosses for w in re.findall(r"(?<=[^.?!] )[A-Z][\w’'-]*", g)}
    return frozenset(inner - {"I", "The", "A"})


def _sure_verbs(words: Sequence[Sequence[str]], inflections: Inflections) -> set[str]:
    """Return the verbs that stand where only a verb can: after an auxiliary, after "to"."""
    found: set[str] = set()
    opaque = {*_DETERMINERS, *_OPAQUE, *_PRONOUNS, *_BE, *_AUX}
    for sentence in words:
        fronted = sentence[:1] and (sentence[0] in _AUX or sentence[0] in _BE)
        for place, word in enumerate(sentence):
            before = sentence[place - 1] if place else ""
            bare = _unmarked(before)[0]
            if word in opaque or not word.isalpha():
                continue
            after_aux = before in _AUX and place > 1 and sentence[place - 2] not in _WH
            prog, done = (inflections.base_of(word, form) for form in ("PROG", "DONE"))
            if done and _is_perfect(sentence, place):
                found.add(done)
            elif prog and (before in _BE or before in ("be", "not")):
                found.add(prog)
            elif after_aux or (before == "not" and place > 1) or (before == "to" and place == 1):
                found.add(word)
            elif place == 1 and bare in _PRONOUNS and _PRONOUNS[bare][1] == "S":
                past = inflections.base_of(word, "PAST")
                third = inflections.base_of(word, "3SG") if bare in ("he", "she", "it") else None
                found.add(past or third or word)
            elif place == 2 and fronted and bare in _PRONOUNS and not prog:
                found.add(word)
            elif base := _between_nouns(sentence, place, inflections):
                found.add(base)
    return found


def _between_nouns(sentence: Sequence[str], place: int, inflections: Inflections) -> str:
    """Return the common verb that stands between a noun and a noun phrase, "" where none does.

    ``the man sees the fish``: nothing but a verb stands between a noun and an article.
    """
    before, after = sentence[place - 1 : place], sentence[place + 1 : place + 2]
    if place < 2 or not after or after[0] not in _DETERMINERS or sentence[0] not in _DETERMINERS:
        return ""
    if before[0] in _DETERMINERS or before[0] in _OPAQUE:
        return ""
    base = inflections.base_of(sentence[place], "3SG") or sentence[place]
    return base if base in COMMON else ""


def _is_perfect(sentence: Sequence[str], place: int) -> bool:
    """Say whether "have" stands before a place, a negation between them or not."""
    here = place - 1 if place and sentence[place - 1] == "not" else place
    return here > 1 and sentence[here - 1] in _HAVE


def _bare(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip().rstrip(".").replace("’", "'").lower()
