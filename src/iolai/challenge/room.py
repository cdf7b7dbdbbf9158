"""Room on the home's disk: how much is left, and what is refused where there is too little.

What is handed in is refused before anything of it is written, while there still is room for what
the service itself must write: verdicts, events, sessions.
"""

from __future__ import annotations

import shutil

from iolai.challenge.service import Service
from iolai.errors import NoRoomError

__all__ = ["LEAST_ROOM", "free_bytes", "require_room"]

#: Below so many bytes nothing is taken in any more.
LEAST_ROOM = 16 << 20


def free_bytes(service: Service) -> int:
    """Return how many bytes may still be written to the home's disk."""
    return shutil.disk_usage(service.home).free


def require_room(service: Service, n_bytes: int = 0) -> None:
    """Raise NoRoomError where so many bytes more would leave too little room."""
    if free_bytes(service) - n_bytes < LEAST_ROOM:
        raise NoRoomError("the disk of the service is full")
