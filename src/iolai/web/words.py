"""What states, phases and events are called on the pages, and in which tone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from iolai.records import Phase, RunState

__all__ = [
    "NEXT",
    "OUTCOMES",
    "PHASES",
    "STEPS",
    "Word",
    "outcome_word",
    "phase_word",
]


@dataclass(frozen=True, slots=True)
class Word:
    """A word and its tone: ``good``, ``bad``, ``now`` (under way) or nothing."""

    text: str
    tone: str = ""


PHASES: Mapping[str, Word] = {
    Phase.PLANNED: Word("planned"),
    Phase.REGISTRATION: Word("registration", "now"),
    Phase.OPEN: Word("open", "now"),
    Phase.FROZEN: Word("board frozen", "now"),
    Phase.FINAL: Word("closed"),
}
#: What happens when a phase begins.
NEXT: Mapping[str, str] = {
    Phase.PLANNED: "The challenge is planned again",
    Phase.REGISTRATION: "Registration begins",
    Phase.OPEN: "Submissions open",
    Phase.FROZEN: "The board is frozen",
    Phase.FINAL: "Submissions close",
}
STEPS: tuple[tuple[str, str], ...] = (
    (RunState.QUEUED, "Queued"),
    (RunState.FETCHING, "Fetching"),
    (RunState.RUNNING, "Running"),
    (RunState.COLLECTING, "Collecting"),
    (RunState.SCORING, "Scoring"),
    (RunState.DONE, "Done"),
)
OUTCOMES: Mapping[str, Word] = {
    "ok": Word("scored", "good"),
    "timed_out": Word("timed out", "bad"),
    "out_of_memory": Word("out of memory", "bad"),
    "crashed": Word("crashed", "bad"),
    "no_output": Word("no output", "bad"),
    "bad_output": Word("output not readable", "bad"),
    "refused": Word("refused", "bad"),
    "platform_fault": Word("our fault", "bad"),
    "cancelled": Word("cancelled"),
}


def outcome_word(outcome: str, state: str) -> Word:
    """Say how a run ended, or at which step it is."""
    if outcome:
        return OUTCOMES.get(outcome, Word(outcome.replace("_", " "), "bad"))
    return Word(dict(STEPS).get(state, state).lower(), "now")


def phase_word(phase: str, *, published: bool) -> Word:
    """Say where a challenge stands; after publication it is final."""
    if published:
        return Word("final", "good")
    return PHASES[phase]
