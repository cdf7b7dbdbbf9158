"""What a server says is judged before it is believed, and what it echoes is never passed on."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fake_server import FakeServer, running
from scripted import Scripted, answer_of, config, recipe

from iolai.errors import InputError
from iolai.evaluation import solve
from iolai.solvers.llm import Llm
from iolai.solvers.llm.backends.base import TokenCount, require_equal
from iolai.solvers.llm.backends.choices import score_choices
from iolai.solvers.llm.backends.dialects import renamed
from iolai.solvers.llm.backends.openai import OpenAiBackend, open_openai
from iolai.solvers.llm.backends.replies import Reply
from iolai.solvers.llm.backends.spending import Bounds, Spending
from iolai.solvers.llm.config import LlmConfig
from iolai.solvers.llm.received import count, log_probability, number
from iolai.solvers.llm.request import (
    BackendError,
    Completion,
    Decoding,
    Message,
    Request,
    SettingError,
)
from iolai.text import printable
from sample import PROBLEMS

NAN, INF = float("nan"), float("inf")
KEY = 'sk-"long\\and-very-secret'


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with running() as fake:
        yield fake


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("iolai.solvers.llm.backends.openai._FIRST_WAIT_S", 0.02)


def opened(server: FakeServer, **options: Any) -> OpenAiBackend:
    options = {"base_url": server.url, "dialect": "llama.cpp", "stall_s": 0.3, **options}
    return open_openai(LlmConfig("fake", "openai", "m", options))


def request(seconds: float = 20.0, **more: Any) -> Request:
    return Request((Message("user", "kati?"),), deadline=time.monotonic() + seconds, **more)


# --- numbers ----------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [NAN, INF, -INF, True, "3", None, [1], 10**400])
def test_what_is_no_finite_number_was_not_said(value: object) -> None:
    assert number(value) is None
    assert count(value, 100) == 0


def test_numbers_out_of_range_were_not_said() -> None:
    assert (number(2), count(7, 7), count(8, 7), count(-1, 7)) == (2.0, 7, 0, 0)
    assert (log_probability(-INF), log_probability(-2), log_probability(1e-4)) == (-INF, -2.0, 0.0)
    assert [log_probability(value) for value in (NAN, INF, 1e6, "x", None, True)] == [None] * 6


def test_settings_that_are_no_numbers_are_no_confirmation() -> None:
    said = dict.fromkeys(("temperature", "top_p", "min_p", "repeat_penalty"), NAN)
    assert renamed({**said, "top_k": True, "presence_penalty": 0}) == {"presence_penalty": 0.0}
    with pytest.raises(SettingError):
        require_equal(Decoding(), dict.fromkeys(Decoding().as_dict(), NAN), "it")


@pytest.mark.parametrize("wrong", [NAN, INF, 1e6, "much", None])
def test_letters_are_not_assigned_by_what_are_no_log_probabilities(wrong: object) -> None:
    assert score_choices([("A", -0.1), ("B", wrong)], ["A", "B"]) is None
    assert score_choices([("A", -0.1), ("B", -INF)], ["A", "B"]) == pytest.approx([-0.1, -30.0])
    rows = Scripted(lambda asked: "B\nC\nA", row=lambda asked, choices: [wrong] * len(choices))
    solver = recipe(rows, stages=("anchor", "letters"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        last = answer_of(solver, 1)
    assert [item.text for item in last[0].items] == ["B", "C", "A"]
    notes: Any = next(iter(solver.records.values()))["notes"]
    assert "nothing was scored" in notes[0]


@pytest.mark.parametrize(
    "event",
    [
        "[" * 100_000,
        '{"usage": {"completion_tokens": ' + "9" * 10_000 + "}}",
        '{"choices": 5}',
        '{"choices": [5]}',
        '{"choices": [{"delta": [1]}]}',
        '{"choices": [{"logprobs": {"content": [{}]}}]}',
        "[]",
        "null",
    ],
)
def test_an_event_that_is_none_is_one_failed_try(server: FakeServer, event: str) -> None:
    server.behaviours = [f"event {event}"]
    assert opened(server).generate(request()).text == "house\ndog"
    assert len(server.bodies) == 2


@pytest.mark.parametrize("verbose", ["5", "[1]", "null", '"all"'])
def test_a_report_that_is_none_counts_for_nothing(server: FakeServer, verbose: str) -> None:
    server.behaviours = [f'last_event {{"__verbose": {verbose}}}']
    completion = opened(server).generate(request())
    assert completion.settings == Decoding().as_dict()  # of the event before


@pytest.mark.parametrize("tokens", ["Infinity", "NaN", "-1000000", "1000000000000000", '"few"'])
def test_counts_that_cannot_be_are_not_believed(server: FakeServer, tokens: str) -> None:
    usage = f'{{"usage": {{"prompt_tokens": {tokens}, "completion_tokens": {tokens}}}}}'
    server.reports = True
    server.behaviours = [f"last_event {usage}"] * 2
    backend = opened(server)
    completion = backend.generate(request())
    assert (completion.n_prompt_tokens, completion.n_tokens) == (30, 4)  # of the event before
    spent: Any = backend.describe()["spent"]
    assert (spent["n_prompt_tokens"], spent["n_tokens"]) == (30, 4)


def test_a_text_far_longer_than_asked_for_is_no_answer(server: FakeServer) -> None:
    server.behaviours = ["chatter"] * 2
    completion = opened(server, max_tries=2).generate(request(max_tokens=50))
    assert completion.is_cut
    assert len(completion.text) == 16 * 50 + 1000


# --- text -------------------------------------------------------------------------------------


def test_what_a_model_writes_becomes_what_a_person_could_have_typed() -> None:
    assert printable("hou\ud83dse\r\ndogs\x85in\u2028on\rby") == "house\ndogs\nin\non\nby"
    assert printable("\x1b]0;pwned\x07\x1b[31mdogs\x1b[2J\x9b1m\x1b") == "dogs"
    assert printable("ho\x00use\x08\x7f \u202ekati\u2066") == "house kati"
    kept = "k\u2019i\u02bc\ttá\u0301 \u200d\u200f עִ\n[31m]"
    assert printable(kept) == kept


def test_no_unseen_character_of_a_model_stands_in_an_answer() -> None:
    backend = Scripted(lambda asked: "ho\x00use\ud83d\n\x1b[31mdog\x1b[0m \u202e")
    last = answer_of(recipe(backend), 0)
    assert [item.text for item in last[0].items] == ["house", "dog"]
    assert last[0].explanation == "house\ndog"


def test_half_of_a_surrogate_pair_has_a_count_of_tokens() -> None:
    counter = TokenCount()
    assert counter("\ud83d") >= 1
    counter.learn("\ud83d" * 2000, 50)


# --- the key ----------------------------------------------------------------------------------


@pytest.fixture
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_KEY", KEY + "\n")  # as a file of one line gives it


@pytest.mark.usefixtures("_key")
@pytest.mark.parametrize("behaviour", ["echo 401", "echo 400", "echo 503", "echo_error"])
def test_a_key_that_is_echoed_is_in_no_message(server: FakeServer, behaviour: str) -> None:
    server.behaviours = [behaviour]
    backend = opened(server, api_key_env="FAKE_KEY", max_tries=1)
    with pytest.raises(BackendError) as caught:
        backend.generate(request())
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"
    assert "very-secret" not in caught.value.message
    assert "[key]" in caught.value.message
    assert "\x1b" not in caught.value.message
    assert len(caught.value.message) < 300


@pytest.mark.usefixtures("_key")
def test_a_key_that_is_echoed_is_in_no_answer(server: FakeServer) -> None:
    server.behaviours = ["echo 200"]
    completion = opened(server, api_key_env="FAKE_KEY").generate(request())
    assert completion.text == "what is Bearer [key]?"


@pytest.mark.usefixtures("_key")
@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"base_url": "http://me:very-secret@127.0.0.1:9/v1"}, "more than an address"),
        ({"base_url": "http://me:very-secret@127.0.0.1:x/v1"}, "cannot be"),
        ({"base_url": "http://127.0.0.1:9/v1?key=very-secret"}, "more than an address"),
        ({"base_url": "http://127.0.0.1:9/v 1"}, "cannot be"),
        ({"base_url": "http://127.0.0.1:0/v1"}, "cannot be"),
        ({"base_url": 5}, "cannot be"),
        ({"api_key_env": "sk-very-secret"}, "is not set"),
        ({"api_key_env": "no_such_variable_very_secret"}, "is not set"),
        ({"api_key_env": "BAD_KEY"}, "holds no key"),
    ],
)
def test_a_secret_in_the_wrong_place_is_refused_and_not_repeated(
    monkeypatch: pytest.MonkeyPatch, options: dict[str, Any], words: str
) -> None:
    monkeypatch.setenv("BAD_KEY", "very\nsecret")
    with pytest.raises(InputError, match=words) as caught:
        open_openai(LlmConfig("x", "openai", "m", {"dialect": "llama.cpp", **options}))
    said = caught.value.message + caught.value.hint
    assert not [word for word in ("very-secret", "very_secret", "very\nsecret") if word in said]


def test_a_redirect_says_where_to(server: FakeServer) -> None:
    server.behaviours = ["redirect"] * 2
    with pytest.raises(BackendError, match=r"redirect to http://elsewhere\.example") as caught:
        opened(server).generate(request())
    assert "not followed" in caught.value.hint
    assert len(server.bodies) == 1


def test_a_page_is_named_as_one(server: FakeServer) -> None:
    server.behaviours = ["page"]
    with pytest.raises(BackendError, match=r"a page \(text/html\)"):
        opened(server, max_tries=1).generate(request())


# --- budget -----------------------------------------------------------------------------------


def test_new_tokens_are_cut_to_what_the_run_has_left(server: FakeServer) -> None:
    backend = opened(server, max_total_tokens=60)
    backend.generate(request(max_tokens=500))
    assert server.bodies[0]["max_tokens"] == 60 - backend.count_tokens("kati?")
    backend.generate(request(max_tokens=500))
    assert server.bodies[1]["max_tokens"] == 60 - 34 - backend.count_tokens("kati?")


def test_requests_at_the_same_time_share_what_is_left(server: FakeServer) -> None:
    server.behaviours = ["slow"] * 4
    found = opened(server, max_total_tokens=60, stall_s=5.0).generate_all(
        [request(seed=k, max_tokens=50) for k in range(4)]
    )
    assert sum(body["max_tokens"] for body in server.bodies) <= 60
    assert len([done for done in found if isinstance(done, Completion)]) == len(server.bodies) < 4


def test_money_bounds_new_tokens_too() -> None:
    spending = Spending(Bounds(cost=1.0, price_in=10_000, price_out=20_000))
    assert spending.keep(50, 500) == 25
    with pytest.raises(BackendError, match="is spent: 0 tokens"):
        spending.keep(1, 1)
    spending.settle(50, 25, Reply(text="x" * 16, n_pieces=1))
    assert (spending.n_prompt, spending.n_new, spending.cost) == (50, 4, 0.58)
    assert spending.keep(2, 500) == 20
    assert Spending(Bounds(cost=1.0, price_in=10_000)).keep(50, 500) == 500
    with pytest.raises(BackendError):
        Spending(Bounds(cost=1.0, price_in=10_000)).keep(100, 500)


# --- time -------------------------------------------------------------------------------------


def config_file(server: FakeServer, folder: Path, **options: Any) -> Path:
    options = {"base_url": server.url, "dialect": "llama.cpp", **options}
    model = {"backend": "openai", "model": "m", "max_samples": 2, "options": options}
    path = folder / "fake.json"
    path.write_text(json.dumps(model), encoding="utf-8")
    return path


def test_a_server_that_never_speaks_is_left_within_the_sets_time(
    server: FakeServer, tmp_path: Path
) -> None:
    server.behaviours = ["silent"] * 50
    start = time.monotonic()
    with pytest.raises(BackendError, match="gave no answer"):
        list(solve(PROBLEMS, f"llm:{config_file(server, tmp_path)}", time_limit=1.0))
    assert time.monotonic() - start < 3.0


def test_a_model_too_slow_for_one_token_is_found_out_at_the_start() -> None:
    solver = Llm(config(), lambda _: Scripted(lambda asked: ("", "deadline")))
    with pytest.raises(BackendError, match="did not write one token"):
        solver.open()


@pytest.mark.parametrize("seconds", ["3600", "Fri, 31 Dec 9999 23:59:59 GMT"])
def test_nobody_waits_for_an_hour(
    server: FakeServer, monkeypatch: pytest.MonkeyPatch, seconds: str
) -> None:
    monkeypatch.setattr("fake_server._Handler.do_status", _later(seconds))
    server.behaviours = ["status 429"] * 3
    start = time.monotonic()
    with pytest.raises(BackendError, match="status 429"):
        opened(server).generate(Request((Message("user", "kati?"),)))
    assert time.monotonic() - start < 3.0
    assert len(server.bodies) == 1


def _later(seconds: str) -> Any:
    def do_status(self: Any, body: dict[str, Any], behaviour: str) -> None:
        self._begin(429, Retry_After=seconds)

    return do_status


def test_a_request_without_a_deadline_has_one_all_the_same(server: FakeServer) -> None:
    server.behaviours = ["drip"] * 9
    start = time.monotonic()
    with pytest.raises(BackendError, match="the time was over"):
        opened(server, stall_s=30.0, request_s=1.0).generate(Request((Message("user", "?"),)))
    assert time.monotonic() - start < 3.0


def test_a_server_that_is_dead_for_long_is_asked_no_more(server: FakeServer) -> None:
    server.behaviours = ["status 503", "good", "status 503", "status 503"]
    backend = opened(server, max_tries=1, give_up_s=0.1)
    with pytest.raises(BackendError, match="status 503"):
        backend.generate(request())
    assert backend.generate(request()).text == "house\ndog"  # within the time: it is hoped for
    with pytest.raises(BackendError, match="status 503"):
        backend.generate(request())
    time.sleep(0.15)
    with pytest.raises(BackendError, match=r"asked no more: no answer for .* status 503"):
        backend.generate(request())
    assert len(server.bodies) == 3


@pytest.mark.parametrize("behaviour", ["silent", "drip", "status 429 100"])
def test_an_interrupt_waits_for_no_server(server: FakeServer, behaviour: str) -> None:
    server.behaviours = [behaviour] * 8
    backend = opened(server, stall_s=60.0)
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        backend.generate_all([request(300.0, seed=k) for k in range(8)])
    assert time.monotonic() - start < 3.0


def test_a_run_without_a_limit_ends_when_the_server_dies(
    server: FakeServer, tmp_path: Path
) -> None:
    server.behaviours = ["good"] * 2 + ["silent"] * 500
    path = config_file(server, tmp_path, stall_s=0.2, max_tries=2, give_up_s=0.5)
    start = time.monotonic()
    *_, last = solve(PROBLEMS, f"llm:{path}")
    assert time.monotonic() - start < 6.0
    assert last.n_solved == len(PROBLEMS)
