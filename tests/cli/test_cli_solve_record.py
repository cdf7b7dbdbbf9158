"""``iolai solve`` with a model: what it says, what it records, what it refuses."""

from __future__ import annotations

import itertools
import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from fake_server import FakeServer, running

from command_line import run
from iolai.cli.solving_record import RunRecord
from iolai.evaluation import Solving
from iolai.version import __version__

EXAMPLE = Path(__file__).parents[2] / "examples/problem.txt"


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with running() as fake:
        yield fake


def config_for(server: FakeServer, folder: Path) -> Path:
    path = folder / "fake.json"
    options = {"base_url": server.url, "dialect": "llama.cpp", "stall_s": 1.0}
    model = {"backend": "openai", "model": "m", "max_samples": 2, "options": options}
    path.write_text(json.dumps(model), encoding="utf-8")
    return path


def test_a_run_with_a_model_leaves_answers_and_a_record(server: FakeServer, tmp_path: Path) -> None:
    server.answer = lambda body: "houses\ndogs\nin the house"
    solver = f"llm:{config_for(server, tmp_path)}"
    out, record = tmp_path / "out.csv", tmp_path / "record.json"
    done = run("solve", EXAMPLE, "--solver", solver, "--out", out, "--record", record, "--seed", 4)
    assert done.code == 0, done.err
    assert "tokens/s)" in done.err
    assert '[""houses"", ""dogs"", ""in the house""]' in out.read_text(encoding="utf-8")
    said = json.loads(record.read_text(encoding="utf-8"))
    assert (said["iolai"], said["solver"], said["seed"]) == (__version__, solver, 4)
    assert (said["n_problems"], said["n_solved"], said["time_limit"]) == (1, 1, None)
    assert said["n_calls"] == len(server.bodies) - 2  # the two that see whether it obeys
    assert said["n_tokens"] == 4 * said["n_calls"]
    (problem,) = said["problems"].values()
    assert set(problem["by_stage"]) == {"anchor", "samples", "explanation"}
    assert said["made_by"]["settings"]["sampling"]["in effect"]["temperature"] == 0.5
    assert "{query}" in said["made_by"]["prompts"]["plain"]


def test_a_run_in_which_no_call_was_answered_says_so(server: FakeServer, tmp_path: Path) -> None:
    server.behaviours = ["good", "good"] + ["status 400"] * 99
    out, record = tmp_path / "out.csv", tmp_path / "record.json"
    solver = f"llm:{config_for(server, tmp_path)}"
    done = run("solve", EXAMPLE, "--solver", solver, "--out", out, "--record", record, "--json")
    assert done.code == 1
    assert "the model answered no call on 1 of 1 problems (" in done.err
    assert "failed: anchor: the server at" in done.err
    assert "status 400" in done.err
    said = json.loads(record.read_text(encoding="utf-8"))
    items = [item for task in json.loads(done.out) for item in task["items"]]
    assert all(item["is_placeholder"] for item in items)
    assert said["n_placeholders"] == len(items)
    assert f"warning: {len(items)} items have a placeholder, not an answer" in done.err
    assert said["unanswered"] == list(said["problems"])
    (cost,) = said["problems"].values()
    assert "status 400" in str(cost["failures"])
    server.behaviours = ["good", "good", "status 400"]
    done = run("solve", EXAMPLE, "--solver", solver, "--explain")
    assert done.code == 0
    assert "answered no call" not in done.err


def test_settings_that_change_in_the_middle_leave_nothing_and_exit_with_1(
    server: FakeServer, tmp_path: Path
) -> None:
    def answer(body: object) -> str:
        if len(server.bodies) > 2:  # once each way of decoding was seen to be obeyed
            server.own_settings = {"repeat_penalty": 1.1}
        return "house"

    server.answer = answer
    done = run("solve", EXAMPLE, "--solver", f"llm:{config_for(server, tmp_path)}")
    assert done.code == 1
    assert "no problem was solved" in done.err
    assert "decoded with repetition_penalty 1.1 where 1 was asked for" in done.err


def test_items_that_nothing_was_read_for_are_marked(server: FakeServer, tmp_path: Path) -> None:
    server.answer = lambda body: "houses"
    solver = f"llm:{config_for(server, tmp_path)}"
    done = run("solve", EXAMPLE, "--solver", solver, "--explain")
    assert done.code == 0
    assert "houses" in done.out
    assert "placeholder" in done.out
    assert "items have a placeholder, not an answer" in done.err


def test_a_run_without_a_model_has_a_record_too(tmp_path: Path) -> None:
    record = tmp_path / "record.json"
    done = run("solve", EXAMPLE, "--solver", "nearest", "--record", record)
    assert done.code == 0
    assert "tokens" not in done.err
    said = json.loads(record.read_text(encoding="utf-8"))
    assert (said["solver"], said["n_solved"], said["failed"]) == ("nearest", 1, {})
    assert (said["made_by"], said["problems"]) == ({}, {})


def test_a_model_that_cannot_be_had_is_one_message(tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    (tmp_path / "m.toml").write_text('backend = "llama"\nmodel = "none.gguf"', encoding="utf-8")
    done = run("solve", EXAMPLE, "--solver", f"llm:{tmp_path / 'm.toml'}", "--out", out)
    assert done.code == 2
    assert "there is no model at" in done.err
    assert "Traceback" not in done.err
    assert out.is_file(), "the placeholders are there"
    wrong = run("solve", EXAMPLE, "--solver", "llm:smolm2")
    assert wrong.code == 2
    assert "Did you mean 'smollm2'?" in wrong.err


def test_the_record_never_takes_the_place_of_an_input_or_the_answers(tmp_path: Path) -> None:
    problem = tmp_path / "problem.txt"
    problem.write_text(EXAMPLE.read_text(encoding="utf-8"), encoding="utf-8")
    assert run("solve", problem, "--solver", "nearest", "--record", problem).code == 2
    assert problem.read_text(encoding="utf-8") == EXAMPLE.read_text(encoding="utf-8")
    out = tmp_path / "out.csv"
    assert run("solve", problem, "--out", out, "--record", out).code == 2
    config = tmp_path / "m.toml"
    config.write_text('backend = "llama"\nmodel = "none.gguf"', encoding="utf-8")
    for option in ("--out", "--record"):
        for family in ("llm", "hybrid"):
            done = run("solve", problem, "--solver", f"{family}:{config}", option, config)
            assert done.code == 2
            assert "would change" in done.err
    assert config.read_text(encoding="utf-8").startswith("backend")


@pytest.fixture
def _obeys_interrupts() -> Iterator[None]:
    """Take interrupts where a shell began the tests in the background, and had them ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("_obeys_interrupts")
def test_an_interrupted_run_hands_over_what_it_has(server: FakeServer, tmp_path: Path) -> None:
    asked = itertools.count(1)  # the server answers in threads: each gets a number of its own

    def answer(body: object) -> str:
        if next(asked) == 4:  # after the two that see whether it obeys, and the first anchor
            os.kill(os.getpid(), signal.SIGINT)
            server.wait(5.0)
        return "houses\ndogs\nin the house"

    server.answer = answer
    record, solver = tmp_path / "record.json", f"llm:{config_for(server, tmp_path)}"
    done = run("solve", EXAMPLE, "--solver", solver, "--record", record)
    assert done.code == 130
    assert "interrupted" in done.err
    assert done.out.startswith("id,pred,explanation")
    assert json.loads(record.read_text(encoding="utf-8"))["is_interrupted"] is True


def test_the_line_says_how_fast_it_is_and_how_long_it_can_take() -> None:
    costs = {"1": {"n_tokens": 30, "seconds": 2.0}, "2": {"n_tokens": 10, "seconds": 2.0}}
    state = Solving((), 1, 2, costs=costs)
    line = RunRecord("llm:x", 0, 1000.0).line(state)
    assert line.startswith("solving with llm:x · 10 tokens/s · at most ")
    assert RunRecord("llm:x", 0, None).line(state) == "solving with llm:x · 10 tokens/s"
    assert RunRecord("echo", 0, 9.0).line(Solving((), 1, 2)) == "solving with echo"
