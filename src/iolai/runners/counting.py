"""How many tasks an entry has answered so far, told while it runs."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from iolai.runners.collect import collect_output

__all__ = ["AnswerCounter", "OnAnswered"]

#: Called with the number of tasks answered so far, whenever it has changed.
OnAnswered = Callable[[int], None]

_PAUSE_S = 1.0
#: After a look that took long, as many times as long until the next: the run's limits are watched
#: by the same thread.
_PAUSE_FACTOR = 50
#: Larger outputs are not looked into while an entry runs.
_MAX_BYTES = 2 << 20


class AnswerCounter:
    """Looks into the output of a running entry, at most once a second and never for long."""

    def __init__(
        self,
        on_answered: OnAnswered | None,
        folder_fd: int,
        task_ids: Sequence[str],
        max_bytes: int,
    ) -> None:
        self._on_answered = on_answered
        self._folder_fd, self._task_ids, self._max_bytes = (
            folder_fd,
            task_ids,
            min(max_bytes, _MAX_BYTES),
        )
        self._next_look = 0.0
        self._n_answered = 0

    def look(self) -> None:
        """Count the rows that are answered, where it is time to and somebody wants to know."""
        now = time.monotonic()
        if self._on_answered is None or now < self._next_look:
            return
        found = collect_output(
            self._folder_fd, self._task_ids, max_bytes=self._max_bytes, was_cut_short=True
        )
        end = time.monotonic()
        self._next_look = end + max(_PAUSE_S, _PAUSE_FACTOR * (end - now))
        if found.n_answered != self._n_answered:
            self._n_answered = found.n_answered
            self._on_answered(found.n_answered)
