"""The backend openai against a server that stalls, refuses, breaks off and talks nonsense."""

from __future__ import annotations

import email.utils
import os
import signal
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fake_server import FakeServer, running

from iolai.errors import InputError
from iolai.evaluation import solve
from iolai.solvers.llm.backends.openai import OpenAiBackend, open_openai
from iolai.solvers.llm.config import LlmConfig
from iolai.solvers.llm.request import (
    BackendError,
    Completion,
    Decoding,
    Failed,
    Message,
    Request,
    Scores,
    SettingError,
)
from sample import PROBLEMS


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


def test_a_good_answer_comes_whole(server: FakeServer) -> None:
    completion = opened(server).generate(request(seed=7, max_tokens=55))
    assert (completion.text, completion.finish) == ("house\ndog", "stop")
    assert (completion.n_prompt_tokens, completion.n_tokens) == (30, 4)
    (body,) = server.bodies
    assert (body["seed"], body["max_tokens"], body["stream"]) == (7, 55, True)
    assert body["messages"] == [{"role": "user", "content": "kati?"}]
    assert body["cache_prompt"] is False


@pytest.mark.parametrize(
    "behaviour",
    ["status 429", "status 500", "status 503", "stall", "silent", "cut", "garbage", "page", "odd"],
)
def test_what_may_pass_is_tried_again(server: FakeServer, behaviour: str) -> None:
    server.behaviours = [behaviour, behaviour]
    completion = opened(server).generate(request())
    assert completion.text == "house\ndog"
    assert len(server.bodies) == 3


def test_the_server_says_how_long_to_wait(server: FakeServer) -> None:
    server.behaviours = ["status 429 1"]
    opened(server).generate(request())
    assert server.times[1] - server.times[0] >= 1.0
    date = email.utils.format_datetime(email.utils.localtime().replace(microsecond=0), usegmt=False)
    server.behaviours = [f"status 503 {date.replace(' ', '_')}"]
    assert opened(server).generate(request()).text == "house\ndog"


def test_no_wait_reaches_past_the_deadline(server: FakeServer) -> None:
    server.behaviours = ["status 429 60"] * 9
    start = time.monotonic()
    with pytest.raises(BackendError, match="status 429"):
        opened(server).generate(request(2.0))
    assert time.monotonic() - start < 1.0
    assert len(server.bodies) == 1


@pytest.mark.parametrize("behaviour", ["stall", "silent", "drip", "drip_headers"])
def test_the_deadline_is_kept_whatever_the_server_does(server: FakeServer, behaviour: str) -> None:
    server.behaviours = [behaviour] * 9
    start = time.monotonic()
    backend = opened(server, stall_s=60.0)
    try:
        completion = backend.generate(request(0.8))
    except BackendError:
        assert behaviour != "stall"
    else:
        assert (completion.text, completion.finish) == ("half an ans", "deadline")
        assert completion.is_cut
    assert time.monotonic() - start < 1.8


def test_a_refusal_that_will_not_pass_is_not_tried_again(server: FakeServer) -> None:
    server.behaviours = ["status 401"] * 3
    with pytest.raises(BackendError, match="401") as caught:
        opened(server).generate(request())
    assert "api_key_env" in caught.value.hint
    assert len(server.bodies) == 1


def test_tries_are_counted(server: FakeServer) -> None:
    server.behaviours = ["status 503"] * 9
    with pytest.raises(BackendError, match="gave no answer"):
        opened(server, max_tries=3).generate(request())
    assert len(server.bodies) == 3


def test_a_text_that_broke_off_every_time_is_kept_as_cut(server: FakeServer) -> None:
    server.behaviours = ["status 503", "cut", "cut"]
    completion = opened(server, max_tries=3).generate(request())
    assert (completion.text, completion.finish) == ("half an ans", "cut")


def test_a_finished_answer_is_not_lost_to_a_line_that_stays_open(server: FakeServer) -> None:
    server.behaviours = ["unended"]
    completion = opened(server).generate(request())
    assert (completion.text, completion.finish) == ("finished", "stop")
    assert len(server.bodies) == 1


def test_an_answer_that_is_not_streamed_is_read_too(server: FakeServer) -> None:
    server.behaviours = ["whole"]
    assert opened(server).generate(request()).text == "whole"


EVENT = (
    '{"choices": [{"delta": {"content": "dom"}, "finish_reason": "stop"}], "__verbose": SETTINGS}'
)


@pytest.mark.parametrize(
    "stream",
    [
        f"\ufeffdata: {EVENT}\n\n",
        f"data: {EVENT}",
        f"data:{EVENT}\r\n\r\ndata:[DONE]\r\n\r\n",
        f": hello\nid: 5\ndata: {EVENT}\n",
        "data: " + EVENT.replace(", ", ",\ndata: ") + "\n\n",
        "data:\n\ndata: " + EVENT.replace(", ", ",\ndata: ") + "\ndata: [DONE]",
    ],
)
def test_events_may_be_written_in_every_legal_way(server: FakeServer, stream: str) -> None:
    server.behaviours = [f"raw {stream}"]
    assert opened(server).generate(request()).text == "dom"
    assert len(server.bodies) == 1


@pytest.mark.parametrize("reason", ["abort", "error", "tool_calls", "something new"])
def test_a_text_ended_by_what_is_no_end_is_not_whole(server: FakeServer, reason: str) -> None:
    server.behaviours = [f"finish {reason}"]
    assert opened(server).generate(request()).text == "house\ndog"
    server.behaviours = [f"finish {reason}"] * 2
    completion = opened(server, max_tries=2).generate(request())
    assert (completion.text, completion.is_cut) == ("half an ans", True)


def test_what_a_filter_cut_is_not_asked_for_again(server: FakeServer) -> None:
    server.behaviours = ["finish content_filter"]
    assert opened(server).generate(request()).is_cut
    assert len(server.bodies) == 1


def test_finished_answers_survive_their_neighbours(server: FakeServer) -> None:
    server.behaviours = ["good", "status 400", "stall", "good"]
    start = time.monotonic()
    backend = opened(server, max_tries=1, concurrency=1)
    found = backend.generate_all([request(5.0, seed=k) for k in range(4)])
    assert [None if isinstance(c, Failed) else c.text for c in found] == [
        "house\ndog",
        None,
        "half an ans",
        "house\ndog",
    ]
    assert time.monotonic() - start < 4


def test_requests_run_at_the_same_time_as_far_as_allowed(server: FakeServer) -> None:
    server.behaviours = ["slow"] * 8
    backend = opened(server, concurrency=4, stall_s=5.0)
    found = backend.generate_all([request(seed=k) for k in range(8)])
    assert all(isinstance(done, Completion) for done in found)
    assert server.most_at_once == 4


def test_settings_go_by_the_name_that_the_server_knows(server: FakeServer) -> None:
    decoding = Decoding(temperature=0.5, top_p=0.95, repetition_penalty=1.0)
    completion = opened(server).generate(request(decoding=decoding))
    assert completion.settings == decoding.as_dict()
    (body,) = server.bodies
    assert body["repeat_penalty"] == 1.0
    assert "repetition_penalty" not in body


def test_a_default_of_the_server_is_found_out(server: FakeServer) -> None:
    server.own_settings = {"repeat_penalty": 1.1}
    for trusts in (False, True):
        with pytest.raises(SettingError, match=r"repetition_penalty 1\.1 where 1 was asked for"):
            opened(server, trust_settings=trusts).generate(request())


def test_a_server_that_reports_nothing_has_to_be_trusted(server: FakeServer) -> None:
    server.reports = False
    with pytest.raises(SettingError, match="does not say which temperature"):
        opened(server).generate(request())
    with pytest.raises(SettingError, match="does not say"):
        opened(server, dialect="vllm").generate(request())
    completion = opened(server, dialect="vllm", trust_settings=True).generate(request())
    assert completion.text == "house\ndog"
    assert completion.settings == {}
    assert server.bodies[-1]["repetition_penalty"] == 1.0
    assert server.bodies[-1]["top_k"] == -1


@pytest.mark.parametrize("behaviour", ["unreported", "misreported"])
def test_a_report_that_is_missing_is_one_failed_try(server: FakeServer, behaviour: str) -> None:
    server.behaviours = [behaviour]
    completion = opened(server).generate(request())
    assert (completion.text, completion.settings) == ("house\ndog", Decoding().as_dict())
    assert (completion.n_tokens, completion.n_lost_tokens) == (4, 4)
    assert len(server.bodies) == 2


def test_settings_not_obeyed_cost_no_neighbour_its_answer(
    server: FakeServer, tmp_path: Path
) -> None:
    server.behaviours = ["good", "good", "good", *["misreported"] * 99]
    path = config_file(server, tmp_path, max_tries=2)
    *_, last = solve(PROBLEMS, f"llm:{path}", time_limit=20)
    assert last.failed == ()
    texts = [item.text for answer in last.answers for item in answer.items]
    assert "house" in texts, "the one of the two asked at once that was answered well"
    assert any("does not say which temperature" in why for why, _ in last.why_calls_failed)


@pytest.mark.parametrize("dialect", ["ollama", "openai"])
def test_what_cannot_be_sent_is_an_error_when_it_is_opened(
    server: FakeServer, dialect: str
) -> None:
    with pytest.raises(SettingError, match="top_k 0 cannot be sent"):
        opened(server, dialect=dialect)
    backend = opened(server, dialect=dialect, trust_settings=True)
    backend.generate(request())
    assert not {"top_k", "min_p", "repetition_penalty", "repeat_penalty"} & set(server.bodies[0])
    with pytest.raises(SettingError, match=r"repetition_penalty 1\.1 cannot be sent"):
        backend.generate(request(decoding=Decoding(repetition_penalty=1.1)))


def test_the_budget_of_a_run_is_kept(server: FakeServer) -> None:
    backend = opened(server, max_total_tokens=60)
    backend.generate(request())
    backend.generate(request())
    with pytest.raises(BackendError, match="budget of this run is spent: 68 tokens"):
        backend.generate(request())
    costly = opened(server, price_per_million_in=1e6, price_per_million_out=1e6, max_cost=30.0)
    costly.generate(request())
    with pytest.raises(BackendError, match=r"cost 34\.0000"):
        costly.generate(request())
    spent: Any = costly.describe()["spent"]
    assert spent == {"n_prompt_tokens": 30, "n_tokens": 4, "n_tries": 1, "cost": 34.0}


def test_tokens_of_tries_that_failed_are_the_problems_too(server: FakeServer) -> None:
    server.behaviours = ["endless"] * 99
    completion = opened(server).generate(request(max_tokens=20, most_tokens=50))
    assert [body["max_tokens"] for body in server.bodies] == [20, 20, 10]
    assert completion.is_cut
    assert completion.n_tokens + completion.n_lost_tokens == 50
    backend = opened(server)
    (failed,) = backend.generate_all([request(max_tokens=20, most_tokens=20)])
    assert failed.n_tokens == 20


def test_no_problem_spends_more_than_its_allowance_on_tries(
    server: FakeServer, tmp_path: Path
) -> None:
    server.behaviours = ["good", "good", *["endless"] * 999]
    path = config_file(server, tmp_path, concurrency=1)
    own = path.read_text(encoding="utf-8") + (
        "\n[allowance]\nn_tokens = 100\ncall_least = 8\ncall_most = 40\n"
    )
    path.write_text(own, encoding="utf-8")
    *_, last = solve(PROBLEMS, f"llm:{path}", time_limit=30)
    asked = [body for body in server.bodies[2:] if not body.get("logprobs")]
    written = sum(body["max_tokens"] for body in asked)
    costs = last.costs.values()
    assert written == sum(int(str(cost["n_tokens"])) for cost in costs)
    assert all(int(str(cost["n_tokens"])) <= 100 for cost in costs)


def test_why_a_call_failed_is_said(server: FakeServer, tmp_path: Path) -> None:
    server.behaviours = ["good", "good", *["status 401"] * 99]
    *_, last = solve(PROBLEMS, f"llm:{config_file(server, tmp_path)}", time_limit=20)
    assert last.came_to_nothing
    (why, n_calls), *_ = last.why_calls_failed
    assert "status 401" in why
    assert n_calls > 0
    assert all("status 401" in str(cost["failures"]) for cost in last.costs.values())


def test_the_key_is_sent_and_never_shown(
    server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_KEY", "very-secret")
    backend = opened(server, api_key_env="FAKE_KEY")
    backend.generate(request())
    assert server.headers[0]["Authorization"] == "Bearer very-secret"
    assert "very-secret" not in str(backend.describe())
    server.behaviours = ["status 401"]
    with pytest.raises(BackendError) as caught:
        backend.generate(request())
    assert "very-secret" not in caught.value.message


def test_letters_are_scored_from_the_first_token(server: FakeServer) -> None:
    scores = opened(server).score(request(), ["A", "B", "C", "D"])
    assert isinstance(scores, Scores)
    assert scores.values == pytest.approx([-1.6, -0.3, -4.0, -4.0])
    assert opened(server).score(request(), ["A", "AA"]) == Scores(None)


def test_a_score_that_failed_says_why_and_what_it_read(server: FakeServer) -> None:
    server.behaviours = ["stall", "good"]
    backend = opened(server)
    found = backend.score(request(), ["A", "B", "C"])
    assert found.n_prompt_tokens == backend.count_tokens("kati?") + 30
    server.behaviours = ["status 400"]
    found = opened(server).score(request(), ["A", "B", "C"])
    assert isinstance(found, Failed)
    assert "status 400" in found.error.message


@pytest.mark.parametrize(
    "options",
    [
        {"base_url": "localhost"},
        {"base_url": "ftp://x/"},
        {"dialect": "no"},
        {"stalls": 1},
        {"max_cost": 2.0},
    ],
)
def test_options_that_are_none_are_named(options: dict[str, Any]) -> None:
    with pytest.raises(InputError) as caught:
        open_openai(LlmConfig("x", "openai", "m", {"dialect": "llama.cpp", **options}))
    assert caught.value.hint


def test_a_server_that_is_not_there_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    options = {"base_url": "http://127.0.0.1:9/v1", "dialect": "llama.cpp", "max_tries": 2}
    with pytest.raises(BackendError, match=r"127\.0\.0\.1:9 gave no answer: ConnectionRefused"):
        open_openai(LlmConfig("x", "openai", "m", options)).generate(request())


# --- names and addresses ----------------------------------------------------------------------


class StalledResolver:
    """Says nothing until it is let go; counts how often it is asked."""

    def __init__(self) -> None:
        self.n_asked = 0
        self.let_go = threading.Event()

    def __call__(self, *_: object, **__: object) -> list[object]:
        self.n_asked += 1
        self.let_go.wait(60)
        raise socket.gaierror(socket.EAI_AGAIN, "no answer")


@pytest.fixture
def resolver(monkeypatch: pytest.MonkeyPatch) -> Iterator[StalledResolver]:
    stalled = StalledResolver()
    monkeypatch.setattr(socket, "getaddrinfo", stalled)
    yield stalled
    stalled.let_go.set()


def named(stall_s: float = 60.0, **options: Any) -> OpenAiBackend:
    options = {"base_url": "http://a-server:80/v1", "stall_s": stall_s, **options}
    return open_openai(LlmConfig("x", "openai", "m", options | {"trust_settings": True}))


def test_the_deadline_holds_while_a_name_is_looked_up(resolver: StalledResolver) -> None:
    start = time.monotonic()
    with pytest.raises(BackendError, match=r"the time was over|no time left|nothing came"):
        named().generate(request(0.6))
    assert time.monotonic() - start < 1.2


def test_a_look_up_that_is_silent_is_a_stall_and_is_shared(resolver: StalledResolver) -> None:
    backend = named(stall_s=0.2, max_tries=3)
    with pytest.raises(BackendError, match="the name a-server was not found in time"):
        backend.generate(request())
    found = backend.generate_all([request(0.5, seed=k) for k in range(8)])
    assert all(isinstance(done, Failed) for done in found)
    assert resolver.n_asked == 1  # no thread for every try


def test_an_interrupt_waits_for_no_resolver(resolver: StalledResolver) -> None:
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        named().generate_all([request(300.0, seed=k) for k in range(8)])
    assert time.monotonic() - start < 3.0


def test_a_name_that_is_none_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: object, **__: object) -> list[object]:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with pytest.raises(BackendError, match="gaierror"):
        named(max_tries=2).generate(request())


def test_of_several_addresses_the_next_is_tried(
    server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    (family, kind, protocol, name, place), *_ = socket.getaddrinfo(
        "127.0.0.1", int(server.url.split(":")[2].split("/")[0]), type=socket.SOCK_STREAM
    )
    dead = (family, kind, protocol, name, ("127.0.0.1", 9))
    found = [dead, (family, kind, protocol, name, place)]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)
    assert named(dialect="llama.cpp").generate(request()).text == "house\ndog"


# --- the whole recipe -------------------------------------------------------------------------


def config_file(server: FakeServer, folder: Path, **options: Any) -> Path:
    options = {"base_url": server.url, "dialect": "llama.cpp", "stall_s": 0.3, **options}
    lines = [
        f"{name} = {str(value).lower() if isinstance(value, bool) else repr(value)}"
        for name, value in options.items()
    ]
    path = folder / "fake.toml"
    head = 'backend = "openai"\nmodel = "m"\nmax_samples = 4\n[options]\n'
    path.write_text(head + "\n".join(lines), encoding="utf-8")
    return path


def test_the_recipe_survives_a_bad_hour(server: FakeServer, tmp_path: Path) -> None:
    """Every second request goes wrong somehow; every answer that was finished is there."""
    server.behaviours = ["good", "good"]
    for bad in ("status 429 0", "status 503", "cut", "garbage", "page", "stall", "odd"):
        server.behaviours += [bad, "good"]
    server.answer = lambda body: "houses\ndog" if "1. katin" in str(body["messages"]) else "x"
    start = time.monotonic()
    path = config_file(server, tmp_path)
    *_, last = solve(PROBLEMS, f"llm:{path}", time_limit=20)
    assert time.monotonic() - start < 20
    assert last.n_solved == 2
    assert last.failed == ()
    assert [item.text for item in last.answers[0].items] == ["houses", "dog"]
    assert sorted(item.text for item in last.answers[2].items) == ["A", "B", "C"]
    assert server.behaviours == []


def test_the_set_is_over_in_time_when_the_server_dies(server: FakeServer, tmp_path: Path) -> None:
    server.behaviours = ["good"] * 4 + ["silent"] * 200
    start = time.monotonic()
    # One problem after the other: which of two asks first would be chance.
    solver = f"llm:{config_file(server, tmp_path, concurrency=1)}"
    *_, last = solve(PROBLEMS, solver, time_limit=8)
    assert time.monotonic() - start < 10
    assert [item.text for item in last.answers[0].items] == ["house", "dog"]
    assert all(item.text for answer in last.answers for item in answer.items)
    assert set(last.costs) == {problem.id for problem in PROBLEMS}
    assert sum(int(str(cost["n_failed"])) for cost in last.costs.values()) > 0


def test_settings_not_confirmed_are_recorded_as_such(server: FakeServer, tmp_path: Path) -> None:
    server.reports = False
    path = config_file(server, tmp_path)
    with pytest.raises(SettingError):
        list(solve(PROBLEMS, f"llm:{path}"))
    path = config_file(server, tmp_path, trust_settings=True)
    *_, last = solve(PROBLEMS, f"llm:{path}")
    settings: Any = last.made_by["settings"]
    assert settings["anchor"]["in effect"] == "not confirmed"
    assert settings["sampling"]["asked for"]["temperature"] == 0.5
