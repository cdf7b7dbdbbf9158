"""What all requests of a run may use together, and have used; several threads ask at a time."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from iolai.solvers.llm.backends.replies import Reply
from iolai.solvers.llm.request import BackendError

__all__ = ["Bounds", "Spending", "new_tokens"]

#: A token has four letters or so, where a server does not say how many tokens a text is.
_LETTERS_PER_TOKEN = 4


@dataclass(frozen=True, slots=True)
class Bounds:
    """The most tokens, prompts included, and the most money; 0 stands for no bound.

    Prices are for a million tokens, in the currency of ``cost``.
    """

    n_tokens: int = 0
    cost: float = 0.0
    price_in: float = 0.0
    price_out: float = 0.0


class Spending:
    """Counts what is used, and keeps back what requests under way may use yet."""

    def __init__(self, bounds: Bounds) -> None:
        self.n_prompt = 0
        self.n_new = 0
        self.n_tries = 0
        self._bounds = bounds
        self._kept_prompt = 0
        self._kept_new = 0
        self._lock = threading.Lock()

    @property
    def cost(self) -> float:
        """What has been used, in money."""
        return self._cost(self.n_prompt, self.n_new)

    def _cost(self, n_prompt: int, n_new: int) -> float:
        return (n_prompt * self._bounds.price_in + n_new * self._bounds.price_out) / 1e6

    def keep(self, n_prompt: int, n_new: int) -> int:
        """Keep back a request's prompt tokens and ``n_new`` new ones; return how many new ones.

        They are fewer where no more are left. Raises BackendError where none is.
        """
        with self._lock:
            kept = min(n_new, self._left(n_prompt))
            if kept < 1:
                n_tokens = self.n_prompt + self.n_new
                raise BackendError(
                    f"the budget of this run is spent: {n_tokens} tokens, cost {self.cost:.4f}",
                    hint="Raise max_total_tokens or max_cost in [options].",
                )
            self._kept_prompt += n_prompt
            self._kept_new += kept
            return kept

    def _left(self, n_prompt: int) -> int:
        """Return how many new tokens a further request with such a prompt may have."""
        n_prompt += self.n_prompt + self._kept_prompt
        n_new = self.n_new + self._kept_new
        left = 10**9
        if self._bounds.n_tokens:
            left = min(left, self._bounds.n_tokens - n_prompt - n_new)
        if self._bounds.cost:
            money = self._bounds.cost - self._cost(n_prompt, n_new)
            each = self._bounds.price_out / 1e6
            left = min(left, int(money / each) if each else 10**9 if money > 0 else 0)
        return left

    def settle(self, n_prompt: int, n_new: int, reply: Reply) -> tuple[int, int]:
        """Count one try in the place of what was kept back for it; return its tokens, by kind.

        ``n_prompt`` stands where the server wrote and does not say how many tokens it read.
        """
        used = reply.n_prompt_tokens or (n_prompt if reply.text else 0), new_tokens(reply)
        with self._lock:
            self._kept_prompt -= n_prompt
            self._kept_new -= n_new
            self.n_tries += 1
            self.n_prompt += used[0]
            self.n_new += used[1]
        return used


def new_tokens(reply: Reply) -> int:
    """Return the new tokens of a reply: each piece is one at least where the server is silent.

    A guess by length is at most what was asked for: that is what a server stops at.
    """
    by_length = -(-len(reply.text) // _LETTERS_PER_TOKEN)
    by_length = min(by_length, reply.most_tokens or by_length)
    return reply.n_tokens or max(reply.n_pieces, by_length)
