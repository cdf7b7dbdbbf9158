"""What is found in the entries' explanations, and which entries are proposed for marking.

It proposes; people decide (``contestants.select``), and their reason is kept.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from iolai.challenge.jury.contestants import Entry, entries_of
from iolai.challenge.jury.state import find_jury, problems_of
from iolai.challenge.permissions import Action, require
from iolai.challenge.service import Actor, Service
from iolai.challenge.state import scope_of
from iolai.jury.explanations import CHECKS, ExplainedEntry, explanation_report
from iolai.jury.selecting import propose
from iolai.records import ExplanationReport, JurySelection, ProblemSet

__all__ = ["Explanations", "report"]

DEFAULT_WANTED = 10


@dataclass(frozen=True)
class Explanations:
    """The report on all entries, what each kind of finding means, and the proposal.

    ``counts`` are findings by entry and kind; entries are called by their teams' names.
    """

    entries: tuple[Entry, ...]
    report: ExplanationReport
    selection: JurySelection
    meanings: dict[str, str]
    counts: dict[str, dict[str, int]]


def report(
    service: Service,
    actor: Actor,
    slug: str,
    *,
    n_wanted: int = DEFAULT_WANTED,
    require_all: bool = False,
) -> Explanations:
    """Look at the explanations of all entries; for an organiser.

    ``require_all``: only entries with an explanation on every task are proposed.
    """
    with service.store.read() as connection:
        jury = find_jury(service, connection, slug)
        require(actor, Action.MANAGE_JURY, scope_of(jury.challenge))
        entries = entries_of(service, connection, jury)
    problems = ProblemSet(tuple(problems_of(service, jury).values()))
    given = [ExplainedEntry(one.name, one.team, one.predictions) for one in entries]
    found = explanation_report(given, problems)
    names = [one.name for one in entries]
    counts: dict[str, Counter[str]] = {name: Counter() for name in names}
    for finding in found.findings:
        counts[finding.entry][finding.kind] += 1
    return Explanations(
        entries=entries,
        report=found,
        selection=propose(names, found, n_wanted, require_all=require_all),
        meanings={check.kind: check.meaning for check in CHECKS},
        counts={name: dict(some) for name, some in counts.items()},
    )
