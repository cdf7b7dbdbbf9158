"""What a problem's answers may cost, counted the same way for every model.

The formulas for a call's tokens are those of the winning entry of the IOL-AI Challenge 2026.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field

from iolai.solvers.llm.request import Completion, Failed
from iolai.text import squeeze, visible

__all__ = ["DEFAULT_ALLOWANCE", "Allowance", "Meter"]


@dataclass(frozen=True, slots=True)
class Allowance:
    """The limits of one problem: tokens as a model counts them, seconds by the budget's clock.

    ``n_tokens`` bounds the new tokens of all calls together; ``call_*`` those of one call:
    max(least, min(most, share of the seconds left x tokens per second)).
    """

    n_tokens: int = 20_000
    n_prompt_tokens: int = 6_144
    call_least: int = 192
    call_most: int = 900
    call_share: float = 0.4


DEFAULT_ALLOWANCE = Allowance()
#: So many different reasons why calls failed are kept, each so long.
_MOST_REASONS, _LONGEST_REASON = 10, 300


@dataclass(slots=True)
class Meter:
    """Counts what a problem has cost so far; one for each problem.

    ``failures`` counts the calls that failed, by stage and reason.
    """

    allowance: Allowance
    deadline: float = float("inf")
    clock: Callable[[], float] = time.monotonic
    by_stage: dict[str, dict[str, float]] = field(default_factory=dict)
    failures: dict[str, int] = field(default_factory=dict)

    @property
    def n_tokens(self) -> int:
        """New tokens so far."""
        return int(self._sum("n_tokens"))

    @property
    def seconds(self) -> float:
        """Seconds that calls have taken so far; calls at the same time count once."""
        return self._sum("seconds")

    @property
    def seconds_left(self) -> float:
        """Seconds until the problem's time is over, never below 0."""
        return max(0.0, self.deadline - self.clock())

    def end_in_real_time(self, reserve_s: float = 0.0) -> float:
        """Return when the problem's time is over as a reading of ``time.monotonic``.

        The meter's own clock may stand while other problems are worked on.
        """
        return time.monotonic() + max(0.0, self.seconds_left - reserve_s)

    @property
    def tokens_left(self) -> int:
        """New tokens that all further calls may have together."""
        return max(0, self.allowance.n_tokens - self.n_tokens)

    @property
    def tokens_per_second(self) -> float:
        """The speed seen so far; 0 before the first call."""
        return self.n_tokens / self.seconds if self.seconds > 0 else 0.0

    def call_tokens(self, reserve_s: float = 0.0, n_calls: int = 1) -> int:
        """Return how many new tokens the next call may have, 0 where there is nothing left.

        ``reserve_s`` seconds are held back for later stages; ``n_calls`` calls are made at once,
        so that each gets its part of the tokens left.
        """
        limits, left = self.allowance, self.seconds_left - reserve_s
        if left <= 0 or self.tokens_left <= 0:
            return 0
        wanted = limits.call_most
        if left != float("inf") and self.tokens_per_second > 0:
            by_clock = int(limits.call_share * left * self.tokens_per_second)
            wanted = max(limits.call_least, min(limits.call_most, by_clock))
        return min(wanted, self.tokens_left // n_calls)

    def spend(self, stage: str, calls: Sequence[Completion | Failed], seconds: float) -> None:
        """Count calls that together took so many seconds, with all that their tries have used."""
        entry = self.by_stage.setdefault(
            stage,
            {"n_calls": 0, "n_failed": 0, "n_prompt_tokens": 0, "n_tokens": 0, "seconds": 0.0},
        )
        entry["n_calls"] += len(calls)
        entry["seconds"] += seconds
        for call in calls:
            entry["n_prompt_tokens"] += call.n_prompt_tokens
            entry["n_tokens"] += call.n_tokens
            if isinstance(call, Failed):
                entry["n_failed"] += 1
                self._note_failure(stage, call)
            else:
                entry["n_prompt_tokens"] += call.n_lost_prompt_tokens
                entry["n_tokens"] += call.n_lost_tokens

    def _note_failure(self, stage: str, call: Failed) -> None:
        reason = f"{stage}: {squeeze(visible(call.error.message))[:_LONGEST_REASON]}"
        if reason not in self.failures and len(self.failures) >= _MOST_REASONS:
            reason = "other reasons"
        self.failures[reason] = self.failures.get(reason, 0) + 1

    def _sum(self, name: str) -> float:
        return sum(entry[name] for entry in self.by_stage.values())

    def as_dict(self) -> dict[str, object]:
        """Return the counts for the run's record."""
        return {
            "allowance": asdict(self.allowance),
            "n_calls": int(self._sum("n_calls")),
            "n_failed": int(self._sum("n_failed")),
            "n_prompt_tokens": int(self._sum("n_prompt_tokens")),
            "n_tokens": self.n_tokens,
            "failures": dict(self.failures),
            "seconds": round(self.seconds, 3),
            "tokens_per_second": round(self.tokens_per_second, 2),
            "by_stage": {
                stage: {**entry, "seconds": round(entry["seconds"], 3)}
                for stage, entry in self.by_stage.items()
            },
        }
