"""What a chat server answers, document by document; whatever is none is ``NonsenseError``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from iolai.solvers.llm.received import count
from iolai.solvers.llm.request import Finish

__all__ = ["NonsenseError", "Reply", "document", "take"]

#: So many new tokens more than were asked for may be counted: ends of turns, by some servers.
_SPARE_TOKENS = 16
#: A token is four letters or so; a text of more than these on average is not what was asked for.
_LETTERS_PER_TOKEN, _SPARE_LETTERS = 16, 1000
_SHOWN = 60
#: Why servers say that a text ended, where it came to its end or to the bound. Whatever else they
#: say (content_filter, abort, error, tool_calls) leaves half a text, or none.
_WHOLE = frozenset({"stop", "eos", "eos_token", "stop_sequence", "end_turn"})
_BOUND = frozenset({"length", "max_tokens"})


class NonsenseError(Exception):
    """What the server sent is no stream of completions."""


@dataclass(slots=True)
class Reply:
    """What came of one try; ``finish`` is ``cut`` until the server says why it ended.

    ``ended_by`` is what the server says of that, in its own word.

    ``top`` are the likeliest first tokens with their log-probabilities as the server has them,
    ``verbose`` is what llama.cpp says of its settings. ``most_tokens`` and ``most_prompt_tokens``
    are how many there can be: of a number beyond that nothing is believed.
    """

    most_tokens: int = 0
    most_prompt_tokens: int = 0
    text: str = ""
    finish: Finish = "cut"
    ended_by: str = ""
    n_pieces: int = 0
    n_tokens: int = 0
    n_prompt_tokens: int = 0
    top: list[tuple[str, object]] = field(default_factory=list)
    verbose: Mapping[str, Any] = field(default_factory=dict)


def document(text: str) -> Mapping[str, Any]:
    """Read one JSON object; raises NonsenseError for anything else, and for a server's error."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        said = "nested too deep" if isinstance(error, RecursionError) else error
        raise NonsenseError(f"no JSON: {said}") from error
    if not isinstance(found, dict):
        raise NonsenseError(f"no JSON object: {text[:_SHOWN]!r}")
    if "error" in found:
        raise NonsenseError(f"the server says: {found['error']}")
    return found


def take(reply: Reply, part: Mapping[str, Any]) -> None:
    """Add one document of the stream to what came before it; raises NonsenseError."""
    try:
        for choice in part.get("choices") or ():
            _take_choice(reply, choice)
        usage = part.get("usage") or {}
        most_tokens = reply.most_tokens + _SPARE_TOKENS
        reply.n_tokens = count(usage.get("completion_tokens"), most_tokens) or reply.n_tokens
        n_prompt = count(usage.get("prompt_tokens"), reply.most_prompt_tokens)
        reply.n_prompt_tokens = n_prompt or reply.n_prompt_tokens
        verbose = part.get("__verbose")
        reply.verbose = verbose if isinstance(verbose, dict) else reply.verbose
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise NonsenseError(f"not a chat completion: {error}") from error


def _take_choice(reply: Reply, choice: Mapping[str, Any]) -> None:
    text = (choice.get("delta") or choice.get("message") or {}).get("content") or ""
    if not isinstance(text, str):
        raise NonsenseError("the text of an answer is no text")
    most = _LETTERS_PER_TOKEN * reply.most_tokens + _SPARE_LETTERS
    if text:
        reply.text = (reply.text + text)[:most]
        reply.n_pieces += 1
    if len(reply.text) == most:
        raise NonsenseError(f"the text is longer than {reply.most_tokens} tokens can be")
    content = (choice.get("logprobs") or {}).get("content") or ()
    if content and not reply.top:
        listed = content[0]["top_logprobs"]
        reply.top = [(str(entry["token"]), entry["logprob"]) for entry in listed]
    if why := choice.get("finish_reason"):
        reply.finish = "stop" if why in _WHOLE else "length" if why in _BOUND else "cut"
        reply.ended_by = str(why)
