"""How far to trust a grammar: examples regenerated, and examples translated when left out."""

from __future__ import annotations

from collections.abc import Sequence

from iolai.solvers.base import Budget
from iolai.solvers.induction.translation.corpus import Corpus, bare_form
from iolai.solvers.induction.translation.into_english import IntoEnglish
from iolai.solvers.induction.translation.into_form import IntoForm
from iolai.text import normalise_answer

__all__ = ["share_left_out", "share_regenerated"]

_N_TESTED = 4
_N_FITS = 2
Pairs = Sequence[tuple[str, str]]


def share_regenerated(corpus: Corpus, budget: Budget) -> float:
    """Return the share of some examples whose forms the grammar builds from their glosses."""
    into_form = IntoForm(corpus)
    tested = _spread(len(corpus.examples))
    right = 0
    for place in tested:
        example = corpus.examples[place]
        best = into_form.translate(example.gloss, budget, n_best=1)
        right += bool(best) and bare_form(best[0][0]) == example.form
    return right / len(tested) if tested else 0.0


def share_left_out(pairs: Pairs, target: str, budget: Budget) -> float:
    """Return the share of some examples translated rightly by the grammar of all others.

    ``target`` is ``gloss`` or ``form``. The share is held towards a low prior, because few are
    tested: (right + 0.2) / (tested + 1).
    """
    right = n_tested = 0
    for place in _spread(len(pairs)):
        if budget.seconds_left <= 0:
            break
        rest = [pair for i, pair in enumerate(pairs) if i != place]
        form, gloss = pairs[place]
        seeds = [budget.seed + k for k in range(_N_FITS)]
        corpus = Corpus(rest, [gloss], seeds=seeds, budget=budget)
        if target == "gloss":
            best, wanted = IntoEnglish(corpus).translate(form, budget, n_best=1), gloss
        else:
            best, wanted = IntoForm(corpus).translate(gloss, budget, n_best=1), form
        right += bool(best) and normalise_answer(best[0][0]) == normalise_answer(wanted)
        n_tested += 1
    return (right + 0.2) / (n_tested + 1)


def _spread(n: int) -> list[int]:
    if n <= _N_TESTED:
        return list(range(n))
    return sorted({round(i * (n - 1) / (_N_TESTED - 1)) for i in range(_N_TESTED)})
