"""Structured logs: one line for each thing that happened, for people or as JSON.

Logs go to stderr. They name runs, steps and workers, never the content of an entry or a key.
"""

from __future__ import annotations

import logging
import sys
import traceback
from pathlib import Path
from typing import Any

import structlog

from iolai.errors import IolaiError

__all__ = ["configure_logs", "described", "get_log"]


_N_FRAMES = 6
_FIRST: list[Any] = [
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
]


def configure_logs(*, as_json: bool = False, level: str = "INFO") -> None:
    """Choose how this process logs; the logs of libraries come out alike, from warnings on."""
    ending: Any = structlog.dev.ConsoleRenderer(
        colors=sys.stderr.isatty(),
        exception_formatter=structlog.dev.plain_traceback,  # the others show local variables
    )
    last: list[Any] = [ending]
    if as_json:
        ending = structlog.processors.JSONRenderer()
        last = [structlog.processors.format_exc_info, ending]
    handler = logging.StreamHandler(sys.stderr)
    formatter = structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=_FIRST,
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *last],
    )
    handler.setFormatter(formatter)
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger("iolai").setLevel(level)


def get_log(name: str) -> structlog.stdlib.BoundLogger:
    """Return the logger of a part of the service; it writes nowhere else than ``logging`` does."""
    log: structlog.stdlib.BoundLogger = structlog.wrap_logger(
        logging.getLogger(f"iolai.{name}"),
        wrapper_class=structlog.stdlib.BoundLogger,
        processors=[
            structlog.stdlib.filter_by_level,
            *_FIRST,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
    )
    return log


def described(error: BaseException) -> str:
    """Return what may be written down of an error: its kind, and what is known to be harmless.

    The message of an error that nobody foresaw may quote what was being worked on, a reference
    even; of that one only the places in the program are told.
    """
    name = type(error).__name__
    if isinstance(error, IolaiError | OSError):
        return f"{name}: {error}"
    frames = traceback.extract_tb(error.__traceback__)[-_N_FRAMES:]
    places = " < ".join(
        f"{Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in reversed(frames)
    )
    return f"{name} at {places}"
