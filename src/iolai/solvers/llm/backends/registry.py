"""The backends by name: a backend is one file in this package plus one line here."""

from __future__ import annotations

from collections.abc import Callable

from iolai.errors import UnknownNameError
from iolai.solvers.llm.backends.base import Backend
from iolai.solvers.llm.config import LlmConfig

__all__ = ["BACKENDS", "open_backend", "require_options"]


def _llama(config: LlmConfig) -> Backend:
    from iolai.solvers.llm.backends.llama import open_llama

    return open_llama(config)


def _transformers(config: LlmConfig) -> Backend:
    from iolai.solvers.llm.backends.transformers import open_transformers

    return open_transformers(config)


def _openai(config: LlmConfig) -> Backend:
    from iolai.solvers.llm.backends.openai import open_openai

    return open_openai(config)


def _look_at_llama(config: LlmConfig) -> object:
    from iolai.solvers.llm.backends.llama import llama_options

    return llama_options(config)


def _look_at_transformers(config: LlmConfig) -> object:
    from iolai.solvers.llm.backends.transformers import transformers_options

    return transformers_options(config)


BACKENDS: dict[str, Callable[[LlmConfig], Backend]] = {
    "llama": _llama,
    "openai": _openai,
    "transformers": _transformers,
}

#: How to look at the options of a backend that would load a model when it is opened.
_LOOK: dict[str, Callable[[LlmConfig], object]] = {
    "llama": _look_at_llama,
    "transformers": _look_at_transformers,
}


def open_backend(config: LlmConfig) -> Backend:
    """Load the model of a configuration; raises UnknownNameError for an unknown backend."""
    try:
        make = BACKENDS[config.backend]
    except KeyError:
        raise UnknownNameError("backend", config.backend, BACKENDS) from None
    return make(config)


def require_options(config: LlmConfig) -> None:
    """Raise what ``open_backend`` would for the name and the options alone; no model is loaded.

    Raises UnknownNameError for an unknown backend, InputError for an option that is none.
    """
    if config.backend not in BACKENDS:
        raise UnknownNameError("backend", config.backend, BACKENDS)
    _LOOK.get(config.backend, open_backend)(config)
