"""What stands on a paper, as a blob: answers, explanations, typed text, pages as images."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from iolai.challenge.service import Service
from iolai.records.jury import PaperAnswer

__all__ = ["PaperContent", "load_content", "load_work", "store_content", "store_work"]


@dataclass(frozen=True, slots=True)
class PaperContent:
    """The content of a paper. ``pages`` are blobs of images, in order."""

    answers: tuple[PaperAnswer, ...] = ()
    text: str = ""
    pages: tuple[str, ...] = ()

    @property
    def is_blank(self) -> bool:
        """Whether nothing was handed in."""
        said = any("".join(one.answers).strip() or one.explanation.strip() for one in self.answers)
        return not (said or self.text.strip() or self.pages)


def store_content(service: Service, content: PaperContent) -> str:
    """Keep a paper's content and return its blob."""
    return service.blobs.put(_dump(_content_data(content)))


def load_content(service: Service, blob: str) -> PaperContent:
    """Read what ``store_content`` kept."""
    return _content(json.loads(service.blobs.read(blob)))


def store_work(service: Service, work: Mapping[str, PaperContent]) -> str:
    """Keep what a contestant handed in, by problem, and return its blob."""
    return service.blobs.put(_dump({problem: _content_data(one) for problem, one in work.items()}))


def load_work(service: Service, blob: str) -> dict[str, PaperContent]:
    """Read what ``store_work`` kept."""
    return {problem: _content(one) for problem, one in json.loads(service.blobs.read(blob)).items()}


def _dump(value: object) -> bytes:
    # Halves of surrogate pairs, which a text of a stranger may hold, are written as escapes.
    return json.dumps(value, ensure_ascii=True, separators=(",", ":")).encode()


def _content_data(content: PaperContent) -> dict[str, object]:
    return {
        "answers": [[one.task, list(one.answers), one.explanation] for one in content.answers],
        "text": content.text,
        "pages": list(content.pages),
    }


def _content(data: Mapping[str, Any]) -> PaperContent:
    answers = tuple(PaperAnswer(task, tuple(some), said) for task, some, said in data["answers"])
    return PaperContent(answers, data["text"], tuple(data["pages"]))
