"""Problem sets as blobs: JSON with all their fields, so that nothing is lost."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict

from iolai.challenge.service import Service
from iolai.records import Problem, ProblemSet, Task

__all__ = ["load_problems", "store_problems"]


def store_problems(service: Service, problems: ProblemSet) -> str:
    """Keep a problem set as a blob, with all its fields, and return the blob."""
    text = json.dumps(asdict(problems), ensure_ascii=False, separators=(",", ":"))
    return service.blobs.put(text.encode("utf-8", "surrogatepass"))


def load_problems(service: Service, blob: str) -> ProblemSet:
    """Read what ``store_problems`` wrote."""
    value = json.loads(service.blobs.read(blob).decode("utf-8", "surrogatepass"))
    return ProblemSet(tuple(map(_problem, value["problems"])), name=value["name"])


def _problem(value: Mapping[str, object]) -> Problem:
    tasks = tuple(
        Task(**{**task, "task_lang": tuple(task["task_lang"])})
        for task in value["tasks"]  # type: ignore[attr-defined]
    )
    return Problem(**{**value, "tasks": tasks})  # type: ignore[arg-type]
