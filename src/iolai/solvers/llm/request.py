"""What is asked of a language model and what comes back; nothing is left to a default."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Literal

from iolai.errors import InputError, IolaiError

__all__ = [
    "GREEDY",
    "BackendError",
    "Completion",
    "Decoding",
    "Failed",
    "Finish",
    "Message",
    "Request",
    "Scores",
    "SettingError",
]


class BackendError(IolaiError):
    """A model gave no completion: the server failed, the text was cut, memory ran out."""


class SettingError(InputError):
    """A decoding setting that this backend cannot honour, or did not."""


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation; ``role`` is ``system``, ``user`` or ``assistant``."""

    role: str
    text: str


@dataclass(frozen=True, slots=True)
class Decoding:
    """How the next token is chosen; every value is sent, whatever the model's files say.

    ``temperature`` 0 is greedy: the likeliest token, always. ``top_k`` 0 and ``top_p`` 1 cut
    nothing off. ``repetition_penalty`` 1 leaves repeated tokens alone, which is what forms with
    shared stems, affixes and reduplication need.
    """

    temperature: float = 0.0
    top_p: float = 1.0
    top_k: int = 0
    min_p: float = 0.0
    repetition_penalty: float = 1.0
    presence_penalty: float = 0.0
    frequency_penalty: float = 0.0

    def __post_init__(self) -> None:
        legal = {
            "temperature": 0 <= self.temperature <= 5,
            "top_p": 0 < self.top_p <= 1,
            "top_k": self.top_k >= 0,
            "min_p": 0 <= self.min_p < 1,
            "repetition_penalty": 0 < self.repetition_penalty <= 5,
            "presence_penalty": -2 <= self.presence_penalty <= 2,
            "frequency_penalty": -2 <= self.frequency_penalty <= 2,
        }
        for name, holds in legal.items():
            if not holds:
                raise SettingError(
                    f"{name} cannot be {getattr(self, name)}",
                    hint="See the recipe's page for the values each setting takes.",
                )

    @property
    def is_greedy(self) -> bool:
        """Whether it draws nothing at random."""
        return self.temperature == 0

    def as_dict(self) -> dict[str, float]:
        """Return the settings by name."""
        return dict(asdict(self))


GREEDY = Decoding()


@dataclass(frozen=True, slots=True)
class Request:
    """One call: at most ``max_tokens`` new tokens, done before ``deadline``.

    ``deadline`` is a reading of ``time.monotonic``; infinity where there is none. ``grammar`` (in
    GBNF, llama.cpp's notation) bounds what may be written; a backend that takes none refuses.
    ``most_tokens`` bounds the new tokens of all tries together, where a backend makes several; 0:
    each may have ``max_tokens``.
    """

    messages: tuple[Message, ...]
    decoding: Decoding = GREEDY
    max_tokens: int = 512
    seed: int = 0
    deadline: float = float("inf")
    stop: tuple[str, ...] = ()
    grammar: str = ""
    most_tokens: int = 0

    @property
    def text(self) -> str:
        """All messages as one text, for counting its tokens."""
        return "\n".join(message.text for message in self.messages)


#: Why a completion ended; all but ``stop`` mean that the text may lack its end. ``cut``: the
#: connection broke off.
Finish = Literal["stop", "length", "deadline", "cut"]


@dataclass(frozen=True, slots=True)
class Completion:
    """What came back.

    ``settings`` are those that the backend says were in effect, by the names of ``Decoding``;
    empty where it was not asked to say or was stopped before it could. ``n_lost_*`` are what
    earlier tries at the same request have used.
    """

    text: str
    finish: Finish
    n_prompt_tokens: int
    n_tokens: int
    seconds: float
    settings: Mapping[str, float] = field(default_factory=dict)
    n_lost_prompt_tokens: int = 0
    n_lost_tokens: int = 0

    @property
    def is_cut(self) -> bool:
        """Whether the text may lack its end."""
        return self.finish != "stop"

    @property
    def tokens_per_second(self) -> float:
        """New tokens per second; 0 where no time passed."""
        return self.n_tokens / self.seconds if self.seconds > 0 else 0.0


@dataclass(frozen=True, slots=True)
class Failed:
    """A request that got no answer: why, and the tokens that its tries have used all the same."""

    error: IolaiError
    n_prompt_tokens: int = 0
    n_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Scores:
    """How likely each of several choices is, by natural log-probabilities; a score writes nothing.

    ``values`` is None where they cannot be told apart, or the deadline was over.
    ``n_prompt_tokens`` is what was read for it, as often as it was read.
    """

    values: list[float] | None
    n_prompt_tokens: int = 0
