"""How likely each of a few choices is, from the likeliest tokens that a server lists."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from iolai.solvers.llm.received import log_probability

__all__ = ["are_told_apart", "score_choices"]

_FLOOR = -30.0


def are_told_apart(choices: Sequence[str]) -> bool:
    """Say whether no choice begins another: then one token may tell them all apart."""
    return not any(
        one != other and other.startswith(one) for one in choices for other in choices
    ) and len(set(choices)) == len(choices)


def score_choices(top: Iterable[tuple[str, object]], choices: Sequence[str]) -> list[float] | None:
    """Return each choice's natural log-probability, from (token, log-probability) pairs.

    The mass of a choice is that of the tokens which are its beginning and no other's, blanks
    around a token left aside. A choice that is not listed gets the least log-probability of the
    list. None where one token cannot tell the choices apart, none of them is listed, or what is
    listed are no log-probabilities.
    """
    if not are_told_apart(choices):
        return None
    pairs = []
    for text, said in top:
        logprob = log_probability(said)
        if logprob is None:
            return None
        pairs.append((text, logprob))
    mass = [0.0] * len(choices)
    for text, logprob in pairs:
        token = text.strip()
        begun = [k for k, choice in enumerate(choices) if token and choice.startswith(token)]
        if len(begun) == 1:
            mass[begun[0]] += math.exp(logprob)
    if not any(mass):
        return None
    floor = min((logprob for _, logprob in pairs), default=_FLOOR)
    return [math.log(share) if share > 0 else max(floor, _FLOOR) for share in mass]
