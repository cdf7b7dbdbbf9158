"""A provider for tests, registered with inspect-ai: it counts its calls in a file and can fail.

Its behaviour is read from a JSON file at each call, so that a run in another process obeys too.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import anyio
from inspect_ai.model import GenerateConfig, ModelAPI, ModelOutput, ModelUsage, modelapi

__all__ = ["BusyError", "CountingAPI", "calls_of", "study_text"]


class BusyError(Exception):
    """The server says that it is busy."""


@modelapi(name="counting")
class CountingAPI(ModelAPI):
    """Answers ``a`` on each of three lines; ``folder`` holds its count and how it behaves."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig | None = None,
        folder: str = ".",
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config or GenerateConfig())
        self.folder = Path(folder)

    def note(self, what: str, text: str, config: GenerateConfig) -> None:
        about = [what, text, config.seed, config.max_tokens]
        line = json.dumps(about).encode() + b"\n"
        handle = os.open(self.folder / "calls", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(handle, line)
        os.close(handle)

    async def generate(
        self,
        input: Any,  # noqa: A002
        tools: Any,
        tool_choice: Any,
        config: GenerateConfig,
    ) -> ModelOutput:
        text = input[-1].text
        behaviour = json.loads((self.folder / "behaviour").read_text())
        self.note("begun", text, config)
        n_so_far = len(calls_of(self.folder))
        if behaviour.get("busy", 0) >= n_so_far:
            raise BusyError("429 too many requests")
        if behaviour.get("fails"):
            raise ValueError("the weights\nare gone")
        await anyio.sleep(behaviour.get("seconds", 0.0))
        output = ModelOutput.from_content("counting", "a\na\na")
        output.usage = ModelUsage(input_tokens=100, output_tokens=10, total_tokens=110)
        return output

    def should_retry(self, ex: BaseException) -> bool:
        return isinstance(ex, BusyError)


def calls_of(folder: Path) -> list[tuple[str, int]]:
    """Return prompt and seed of each call so far, in order."""
    file = folder / "calls"
    if not file.exists():
        return []
    lines = (json.loads(line) for line in file.read_text().splitlines())
    return [(text, seed) for _, text, seed, _ in lines]


def study_text(folder: Path, **changes: str) -> str:
    """Return a study of two problems, four tasks, two seeds, that asks the counting provider."""
    parts = {
        "conditions": '["lines"]',
        "seeds": "[0, 1]",
        "budget": "tokens = 40\nseconds = 20",
        "more": "",
        **changes,
    }
    return f"""
title = "counted"
[problems]
only = ["1000104", "1000109"]
licence = "Apache-2.0"
[ask]
conditions = {parts["conditions"]}
seeds = {parts["seeds"]}
[budget]
{parts["budget"]}
[statistics]
resamples = 200
[[models]]
name = "counted"
model = "counting/any"
sends = ["seed"]
connections = 1
price = {{ input = 1000, output = 10000 }}
args = {{ folder = "{folder}" }}
{parts["more"]}
"""
