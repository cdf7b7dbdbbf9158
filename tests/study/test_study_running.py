"""Running a study: kills, failures, stalls, rate limits, budgets, changes of the plan."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

pytest.importorskip("inspect_ai", reason="needs the extra `study`")

from study_provider import calls_of, study_text

from iolai.errors import InputError
from iolai.solvers.llm.request import SettingError
from iolai.study import asking
from iolai.study.ablation_effects import ablation_tables
from iolai.study.asking import Patience
from iolai.study.assembling import study_material
from iolai.study.journal import read_journal
from iolai.study.outcomes import read_outcomes
from iolai.study.plan import make_plan
from iolai.study.running import Ran, finished_plan, run_study
from iolai.study.scores import score_tables
from iolai.study.study_file import read_study

HERE = Path(__file__).parent
QUICK = Patience(n_tries=3, pause_s=0.01)


def prepare(folder: Path, text: str = "", **behaviour: object) -> Path:
    (folder / "study.toml").write_text(text or study_text(folder), encoding="utf-8")
    behave(folder, **behaviour)
    return folder


def behave(folder: Path, **behaviour: object) -> None:
    (folder / "behaviour").write_text(json.dumps(behaviour), encoding="utf-8")


def run(folder: Path, **options: object) -> Ran:
    return run_study(read_study(folder), patience=QUICK, **options)  # type: ignore[arg-type]


def states(ran: Ran) -> Counter[str]:
    return Counter(result.state for result in ran.results.values())


def test_each_call_is_made_once_with_its_own_seed_and_never_again(tmp_path: Path) -> None:
    ran = run(prepare(tmp_path))
    assert (ran.n_made, ran.n_kept, ran.n_left) == (8, 0, 0)
    calls = calls_of(tmp_path)
    assert len(calls) == len(set(calls)) == 8
    assert Counter(seed for _, seed in calls) == {0: 4, 1: 4}
    again = run(tmp_path)
    assert (again.n_made, again.n_kept) == (0, 8)
    assert len(calls_of(tmp_path)) == 8
    outcomes = read_outcomes(tmp_path / "outcomes.jsonl")
    assert outcomes == ran.outcomes == finished_plan(read_study(tmp_path)).outcomes
    assert {outcome.text for outcome in outcomes} == {"a\na\na"}
    # 100 tokens in at 1000 dollars a million, 10 out at 10000.
    assert [outcome.cost for outcome in outcomes] == [pytest.approx(0.2)] * 8
    assert (tmp_path / "plan.csv").read_text(encoding="utf-8").count(",answered") == 8


def test_a_plan_changed_in_the_middle_asks_what_is_new_and_keeps_the_rest(tmp_path: Path) -> None:
    prepare(tmp_path)
    assert run(tmp_path, limit=3).left == {"the limit of this run is reached": 5}
    prepare(tmp_path, study_text(tmp_path, seeds="[1, 2]"))
    ran = run(tmp_path)
    # Three of seed 0 are in the journal; nobody asks for them any more.
    assert (ran.n_made, ran.n_kept, ran.n_unused) == (8, 0, 3)
    back = run(prepare(tmp_path, study_text(tmp_path, seeds="[0, 1, 2]")))
    assert (back.n_made, back.n_kept) == (1, 11)
    assert max(Counter(calls_of(tmp_path)).values()) == 1


def test_a_provider_that_is_busy_is_asked_again_after_a_pause(tmp_path: Path) -> None:
    ran = run(prepare(tmp_path, busy=2), limit=1)
    (result,) = ran.results.values()
    assert (result.state, result.n_tries) == ("answered", 3)
    assert len(calls_of(tmp_path)) == 3


def test_a_provider_that_stays_busy_ends_in_an_error_that_says_so(tmp_path: Path) -> None:
    ran = run(prepare(tmp_path, busy=99), limit=1)
    (result,) = ran.results.values()
    assert (result.state, result.n_tries) == ("error", 3)
    assert "429 too many requests" in result.detail


def test_a_provider_that_fails_is_given_up_and_asked_again_on_demand(tmp_path: Path) -> None:
    ran = run(prepare(tmp_path, fails=True))
    assert states(ran) == {"error": 5}
    assert ran.left == {"counted failed 5 times in a row": 3}
    detail = {result.detail for result in ran.results.values()}
    assert detail == {"ValueError: the weights are gone"}
    assert {o.exact_match for o in ran.outcomes} == {0.0}
    behave(tmp_path)
    assert states(run(tmp_path)) == {"error": 5, "answered": 3}
    mended = run(tmp_path, again_failed=True)
    assert states(mended) == {"answered": 8}
    assert mended.n_made == 5


def test_a_provider_that_stalls_is_left_when_the_time_of_the_call_is_over(tmp_path: Path) -> None:
    text = study_text(tmp_path, budget="tokens = 40\nseconds = 0.2")
    begun = time.monotonic()
    ran = run(prepare(tmp_path, text, seconds=600), limit=2)
    assert time.monotonic() - begun < 60
    assert states(ran) == {"timeout": 2}
    assert all(0.2 <= result.seconds < 5 for result in ran.results.values())
    assert {o.state for o in ran.outcomes} == {"timeout"}


def test_the_same_number_of_tokens_is_sent_for_every_call_and_money_stops_the_study(
    tmp_path: Path,
) -> None:
    text = study_text(tmp_path, budget="tokens = 33\ndollars = 0.5")
    ran = run(prepare(tmp_path, text))
    # 0.2 dollars a call: the third goes over the limit, the fourth is not made.
    assert ran.n_made == 3
    assert ran.left == {"the study's 0.5 dollars are spent": 5}
    assert ran.dollars == pytest.approx(0.6)
    lines = (tmp_path / "calls").read_text(encoding="utf-8").splitlines()
    assert {json.loads(line)[3] for line in lines} == {33}


def test_equal_calls_of_another_study_are_taken_over(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    run(prepare(one))
    prepare(two, study_text(one, seeds="[1, 2]"))
    ran = run(two, reuse=(one,))
    assert (ran.n_made, ran.n_kept) == (4, 4)
    with pytest.raises(InputError, match="no journal"):
        run(two, reuse=(tmp_path,))


def test_a_model_that_cannot_be_opened_is_an_error_before_anything_is_asked(
    tmp_path: Path,
) -> None:
    more = '[[models]]\nname = "x"\nmodel = "nowhere/any"\nsends = ["seed"]'
    with pytest.raises(InputError, match="the model x"):
        run(prepare(tmp_path, study_text(tmp_path, more=more)))
    assert calls_of(tmp_path) == []


def test_a_setting_that_was_not_obeyed_stops_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def disobedient(*_: object) -> None:
        raise SettingError("decoded with another penalty", hint="Look.")

    monkeypatch.setattr(asking, "ask", disobedient)
    monkeypatch.setattr("iolai.study.running.ask", disobedient)
    with pytest.raises(SettingError, match="another penalty"):
        run(prepare(tmp_path))
    assert read_journal(tmp_path / "journal.jsonl").results == {}


def start(folder: Path) -> subprocess.Popen[bytes]:
    code = (
        "import sys; sys.path.insert(0, sys.argv[2]); import study_provider\n"
        "from pathlib import Path\n"
        "from iolai.study.running import run_study\n"
        "from iolai.study.study_file import read_study\n"
        "run_study(read_study(Path(sys.argv[1])))\n"
    )
    words = [sys.executable, "-c", code, str(folder), str(HERE)]
    return subprocess.Popen(words, start_new_session=True, stderr=subprocess.DEVNULL)


@pytest.mark.parametrize(
    "moments", [(6,), pytest.param((1, 4, 13), marks=pytest.mark.slow)], ids=["once", "thrice"]
)
def test_a_killed_study_goes_on_and_repeats_no_finished_call(
    moments: tuple[int, ...], tmp_path: Path
) -> None:
    prepare(tmp_path, study_text(tmp_path, seeds="[0, 1, 2, 3]"), seconds=0.05)
    journal = tmp_path / "journal.jsonl"
    once: set[tuple[str, int]] = set()
    kept: dict[tuple[str, int], int] = {}
    for n_lines in moments:
        process = start(tmp_path)
        while process.poll() is None:
            if journal.exists() and journal.read_bytes().count(b"\n") >= n_lines:
                break
            time.sleep(0.01)
        assert process.poll() is None, "the run ended before it was killed"
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        finished = read_journal(journal).results
        by_id = {call.id: call for call in make_plan(read_study(tmp_path)).calls}
        for number in finished:
            once.add((by_id[number].prompt, by_id[number].seed))
        before = {asked: n for asked, n in Counter(calls_of(tmp_path)).items() if asked in once}
        for asked, n in kept.items():
            assert before[asked] == n, "a finished call was made again"
        kept = before
        with journal.open("ab") as stream:
            stream.write(b'{"call":"torn')  # what a kill within a write leaves
        assert read_journal(journal).results == finished
    ran = run(tmp_path)
    assert ran.n_left == 0
    assert ran.n_kept == len(finished)
    assert {asked: Counter(calls_of(tmp_path))[asked] for asked in kept} == kept
    counts = Counter(calls_of(tmp_path))
    assert len(counts) == 16
    # One call at a time was under way here, so each kill can have cost one call and no more.
    assert sum(counts.values()) - 16 <= len(moments)
    assert run(tmp_path).n_made == 0
    assert Counter(calls_of(tmp_path)) == counts


BEST_AND_ITS_OWN = """
[problems]
only = ["1000109", "1000112"]
[ask]
conditions = ["best", "lines", "lines+ablated"]
[format]
among = ["lines", "json"]
problems = 1
[statistics]
resamples = 100
[[models]]
name = "lines-best"
simulated = { ability = 1.0, effects = { json = -6.0, ablated = -2.0 } }
[[models]]
name = "json-best"
simulated = { ability = 1.0, effects = { lines = -6.0, ablated = -2.0 } }
"""


def test_what_best_stands_for_is_asked_once_and_is_in_every_table(tmp_path: Path) -> None:
    ran = run(prepare(tmp_path, BEST_AND_ITS_OWN))
    assert (ran.n_made, ran.n_left) == (len(ran.plan.distinct), 0)
    names = {
        model: {o.condition.name for o in ran.outcomes if o.model == model and o.kind == "task"}
        for model in ("lines-best", "json-best")
    }
    assert names["lines-best"] == names["json-best"] == {"best", "lines", "lines+ablated"}
    assert len(ran.plan.calls) > len(ran.plan.distinct)
    material = study_material(ran)
    ablation = ablation_tables(material)[0]
    assert [row[0].value for row in ablation.rows] == ["lines-best", "json-best"]
    calls = {row[0].value: row[1].value for row in score_tables(material)[-1].rows}
    for model, n in calls.items():
        distinct = [call for call in ran.plan.distinct if call.kind == "task"]
        assert n == sum(call.model.name == model for call in distinct)
