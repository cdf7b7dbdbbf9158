"""What a run with a model has cost so far: a line while it runs, and a file that stays."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from iolai.evaluation import Solving

__all__ = ["RunRecord"]


@dataclass(slots=True)
class RunRecord:
    """One run of a solver on a problem set; its time begins when this is made."""

    solver: str
    seed: int
    time_limit: float | None
    begun: float = field(default_factory=time.monotonic)
    is_interrupted: bool = False

    @property
    def seconds(self) -> float:
        """Seconds since the run began."""
        return time.monotonic() - self.begun

    def line(self, state: Solving) -> str:
        """Return one line about a run: speed and time left where a model says what it spends."""
        parts = [f"solving with {self.solver}"]
        if state.costs:
            totals = _totals(state)
            parts.append(f"{_speed(totals):.0f} tokens/s")
            if self.time_limit is not None:
                parts.append(f"at most {max(0.0, self.time_limit - self.seconds):.0f} s left")
        return " · ".join(parts)

    def summary(self, state: Solving) -> str:
        """Return what a model has spent, in one line; empty where there was none."""
        if not state.costs:
            return ""
        totals = _totals(state)
        failed = f", {totals['n_failed']} failed" if totals["n_failed"] else ""
        return (
            f"{totals['n_tokens']} tokens in {totals['seconds_of_calls']:.1f} s "
            f"({_speed(totals):.0f} tokens/s), {totals['n_calls']} calls{failed}; "
            f"{self.seconds:.1f} s in all"
        )

    def write(self, path: Path, state: Solving) -> None:
        """Write the record as JSON, whole; raises OutputError where that cannot be done."""
        from iolai.files import write_whole

        text = json.dumps(self._as_dict(state), ensure_ascii=False, indent=2)
        write_whole(path, text + "\n")

    def _as_dict(self, state: Solving) -> dict[str, Any]:
        from iolai.version import __version__

        return {
            "iolai": __version__,
            "solver": self.solver,
            "seed": self.seed,
            "time_limit": self.time_limit,
            "seconds": round(self.seconds, 3),
            "n_problems": state.n_problems,
            "n_solved": state.n_solved,
            "is_interrupted": self.is_interrupted,
            "out_of_time": list(state.out_of_time),
            "failed": dict(state.failed),
            "unanswered": list(state.unanswered),
            "n_placeholders": state.n_placeholders,
            **_totals(state),
            "made_by": dict(state.made_by),
            "problems": {name: dict(cost) for name, cost in state.costs.items()},
        }


def _totals(state: Solving) -> dict[str, Any]:
    """Add up what the problems have cost; calls' seconds, without what lies between them."""
    names = ("n_calls", "n_failed", "n_prompt_tokens", "n_tokens")
    if not state.costs:
        return {}
    totals: dict[str, Any] = {
        name: sum(_number(cost.get(name)) for cost in state.costs.values()) for name in names
    }
    totals = {name: int(value) for name, value in totals.items()}
    totals["seconds_of_calls"] = round(
        sum(_number(cost.get("seconds")) for cost in state.costs.values()), 3
    )
    return totals


def _speed(totals: dict[str, Any]) -> float:
    seconds = float(totals["seconds_of_calls"])
    return float(totals["n_tokens"] / seconds) if seconds > 0 else 0.0


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0
