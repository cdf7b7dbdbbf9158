"""Runs a study: asks what is not in the journal yet, model by model, and keeps every result.

A study's folder holds ``study.toml`` and whatever comes of it:

    journal.jsonl     every finished call, for ever
    outcomes.jsonl    the long table of the plan's calls; outcomes.csv for other tools
    plan.csv          the calls, numbered, with the state of each
    logs/             inspect-ai's logs, for its viewer
"""

from __future__ import annotations

import csv
import gc
import io
import warnings
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from inspect_ai import eval as inspect_eval
from inspect_ai.model import GenerateConfig, Model, ModelOutput, get_model

from iolai.errors import InputError
from iolai.files import write_whole
from iolai.records.study import Outcome
from iolai.solvers.llm.request import SettingError
from iolai.study.asking import Patience, ask
from iolai.study.collecting import best_formats, plan_outcomes
from iolai.study.journal import CallResult, JournalWriter, read_journal
from iolai.study.outcomes import item_csv, write_outcomes
from iolai.study.plan import Call, Plan, make_plan, read_sheets
from iolai.study.study_file import Study, StudyModel
from iolai.study.tasks import calls_task

__all__ = ["Ran", "StudyFiles", "finished_plan", "open_model", "run_study"]

#: A model whose calls fail so often in a row, and never succeed, is not asked further.
_ENOUGH_FAILURES = 5
_FAILED = ("error", "timeout")
#: Settings that inspect-ai does not know; servers that do take them in the body of a request.
_IN_BODY: tuple[str, ...] = ("repetition_penalty", "min_p")

OnCall = Callable[[Call, CallResult], None]
OnPlan = Callable[[Plan, int], None]


@dataclass(frozen=True, slots=True)
class StudyFiles:
    """Where things are in a study's folder."""

    folder: Path

    @property
    def journal(self) -> Path:
        """Every finished call."""
        return self.folder / "journal.jsonl"

    @property
    def outcomes(self) -> Path:
        """The long table."""
        return self.folder / "outcomes.jsonl"

    @property
    def plan(self) -> Path:
        """The calls, numbered, with the state of each."""
        return self.folder / "plan.csv"

    @property
    def logs(self) -> Path:
        """inspect-ai's logs."""
        return self.folder / "logs"


@dataclass
class Ran:
    """What a run of a study came to. ``left`` says why calls were not made, and how many.

    ``n_made`` counts the calls of this run, ``n_kept`` those whose results were there before,
    ``n_again`` those that had been under way when an earlier run was stopped, ``n_unused`` the
    results in the journal that no call of the plan asks for any more.
    """

    plan: Plan
    results: dict[str, CallResult] = field(default_factory=dict)
    n_made: int = 0
    n_kept: int = 0
    n_again: int = 0
    n_unused: int = 0
    left: dict[str, int] = field(default_factory=dict)

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """The long table of the plan's finished calls."""
        return plan_outcomes(self.plan, self.results)

    @property
    def n_left(self) -> int:
        """How many calls of the plan have no result."""
        return sum(call.id not in self.results for call in self.plan.distinct)

    @property
    def dollars(self) -> float:
        """What the plan's calls cost, by the prices of the study."""
        return _dollars(self.plan.distinct, self.results)


def _dollars(calls: Iterable[Call], results: Mapping[str, CallResult]) -> float:
    return sum(
        (
            results[call.id].tokens_in * call.model.dollars_in
            + results[call.id].tokens_out * call.model.dollars_out
        )
        / 1e6
        for call in calls
        if call.id in results
    )


def finished_plan(study: Study) -> Ran:
    """Return a study as its journal has it, without asking anything."""
    journal = read_journal(StudyFiles(study.folder).journal)
    sheets = read_sheets(study)
    plan = make_plan(study, sheets)
    if plan.needs_formats:
        plan = make_plan(study, sheets, best_formats(plan, journal.results))
    return _kept(plan, journal.results)


def _kept(plan: Plan, results: Mapping[str, CallResult]) -> Ran:
    mine = {call.id: results[call.id] for call in plan.calls if call.id in results}
    return Ran(plan, mine, n_kept=len(mine), n_unused=len(set(results) - set(mine)))


def run_study(
    study: Study,
    *,
    again_failed: bool = False,
    limit: int | None = None,
    reuse: Sequence[Path] = (),
    patience: Patience | None = None,
    on_plan: OnPlan | None = None,
    on_call: OnCall | None = None,
) -> Ran:
    """Make the calls that have no result yet, and write the long table.

    ``again_failed`` asks again what ended in error or timeout; ``limit`` is the most calls to
    make now; ``reuse`` are folders of other studies whose finished calls are taken over where they
    are the same. ``on_plan`` is told each plan with the number of calls to make, ``on_call`` each
    result. Every model is opened before anything is asked. Raises InputError for a model that
    cannot be opened, ConflictError where another run of the study is under way, SettingError
    where a model does not obey its settings.
    """
    files = StudyFiles(study.folder)
    sheets = read_sheets(study)
    plan = make_plan(study, sheets)
    with JournalWriter(files.journal) as writer:
        journal = read_journal(files.journal)
        run = _Run(study, writer, dict(journal.results), patience or Patience(), limit, on_call)
        run.lent = _lent(reuse)
        run.again = set(_failed(plan, journal.results)) if again_failed else set()
        run.open_models(plan)
        run.make(plan, on_plan)
        if plan.needs_formats:
            plan = make_plan(study, sheets, best_formats(plan, run.results))
            if again_failed:
                run.again |= set(_failed(plan, journal.results)) - run.made
            run.make(plan, on_plan)
    ran = _kept(plan, run.results)
    ran.n_made, ran.n_kept, ran.left = len(run.made), len(ran.results) - len(run.made), run.left
    ran.n_again = len(set(journal.interrupted) & run.made)
    write_results(ran)
    return ran


def _lent(folders: Sequence[Path]) -> dict[str, CallResult]:
    """Return the answers in other studies' journals; one without a journal is an error."""
    found: dict[str, CallResult] = {}
    for folder in folders:
        journal = StudyFiles(folder).journal
        if not journal.is_file():
            raise InputError(
                f"{folder} has no {journal.name}", hint="Name the folder of a study that was run."
            )
        results = read_journal(journal).results.values()
        found |= {r.call: r for r in results if r.state not in _FAILED}
    return found


def _failed(plan: Plan, results: Mapping[str, CallResult]) -> list[str]:
    return [c.id for c in plan.calls if c.id in results and results[c.id].state in _FAILED]


def write_results(ran: Ran) -> None:
    """Write the long table, in both forms, and the numbered calls."""
    files = StudyFiles(ran.plan.study.folder)
    outcomes = ran.outcomes
    write_outcomes(files.outcomes, outcomes)
    write_whole(files.outcomes.with_suffix(".csv"), item_csv(outcomes))
    stream = io.StringIO()
    table = csv.writer(stream)
    heading = ("number", "call", "kind", "model", "condition", "asked_with", "seed")
    table.writerow((*heading, "problem", "tasks", "state"))
    for call in ran.plan.calls:
        result = ran.results.get(call.id)
        asked = " ".join(task.id for task in call.tasks)
        state = result.state if result is not None else "not asked"
        own = (call.condition.name, call.asked_with, call.seed, call.problem.id, asked, state)
        table.writerow((call.number, call.id, call.kind, call.model.name, *own))
    write_whole(files.plan, stream.getvalue())


def open_model(model: StudyModel, study: Study) -> Model:
    """Return inspect-ai's model of one of the study's; raises InputError where it cannot be."""
    settings: dict[str, Any] = dict(model.settings)
    args: dict[str, Any] = dict(model.args)
    target = model.target
    if model.planted is not None:
        target = f"iolai-sim/{model.name}"
        args = {"planted": asdict(model.planted), "world": asdict(study.world)}
    elif target.startswith("iolai-lm/"):
        args["decoding"] = settings
        settings = {}
    body: dict[str, Any] = {}
    for name in _IN_BODY:
        if name in settings:
            body[name] = settings.pop(name)
    if "top_k" in settings:
        settings["top_k"] = int(settings["top_k"])
    config = GenerateConfig(
        max_connections=model.connections,
        max_retries=0,
        extra_body=body or None,
        **settings,
    )
    try:
        made = get_model(target, config=config, memoize=False, **args)
    except InputError:
        raise
    except Exception as error:
        said = " ".join(str(error).split())[:300]
        raise InputError(
            f"the model {model.name} ({target}) cannot be opened: {said}",
            hint="Check its name, that the provider's library is installed, and its key.",
        ) from error
    if "@" in urlsplit(made.api.base_url or "").netloc:
        raise InputError(
            f"the address of the model {model.name} holds a name or a password, which would stand "
            "in the logs",
            hint="Take it out of the address, and give it as the provider's key, from outside.",
        )
    return made


class _Run:
    """One run under way: what has been made, spent and left."""

    def __init__(
        self,
        study: Study,
        writer: JournalWriter,
        results: dict[str, CallResult],
        patience: Patience,
        limit: int | None,
        on_call: OnCall | None,
    ) -> None:
        self.study = study
        self.writer = writer
        self.results = results
        self.patience = patience
        self.limit = limit
        self.on_call = on_call
        self.again: set[str] = set()
        self.made: set[str] = set()
        self.lent: dict[str, CallResult] = {}
        self.left: dict[str, int] = {}
        self._models: dict[str, Model] = {}
        self._spent = 0.0
        self._failures: dict[str, int] = {}
        self._fatal: SettingError | None = None

    def open_models(self, plan: Plan) -> None:
        """Open every model that may be asked, before anything is spent."""
        for model in plan.study.models:
            self._models[model.name] = open_model(model, plan.study)

    def make(self, plan: Plan, on_plan: OnPlan | None) -> None:
        """Make the calls of a plan that have no result, model by model."""
        for call in plan.calls:
            if call.id in self.lent and call.id not in self.results:
                self.writer.finish(self.lent[call.id])
                self.results[call.id] = self.lent[call.id]
        self.left.clear()  # what an earlier plan left is in this one too
        self._spent = _dollars(plan.distinct, self.results)
        todo = [call for call in plan.distinct if self._is_open(call)]
        if on_plan is not None:
            on_plan(plan, len(todo))
        for model in plan.study.models:
            calls = [call for call in todo if call.model.name == model.name]
            if calls:
                self._ask_all(model, calls)

    def _is_open(self, call: Call) -> bool:
        return call.id not in self.results or (call.id in self.again and call.id not in self.made)

    def _ask_all(self, model: StudyModel, calls: Sequence[Call]) -> None:
        opened = self._models[model.name]
        spending = self.study.spending

        async def ask_call(
            call: Call, answer: Callable[[GenerateConfig], Awaitable[ModelOutput]]
        ) -> CallResult | None:
            why = self._why_not(call)
            if why:
                self.left[why] = self.left.get(why, 0) + 1
                return None
            self.made.add(call.id)
            self.writer.begin(call.id)
            try:
                result = await ask(call, opened, answer, spending, self.patience)
            except SettingError as error:
                self.made.discard(call.id)
                self._fatal = self._fatal or error
                return None
            self._keep(call, result)
            return result

        is_ours = model.planted is not None or model.target.startswith("iolai")
        n_at_once = opened.api.max_connections() if is_ours else model.connections
        self._evaluate(calls_task(f"iolai_{model.name}", calls, ask_call), opened, n_at_once)
        if self._fatal is not None:
            raise self._fatal

    def _why_not(self, call: Call) -> str:
        """Say why a call is not made now; empty where it is."""
        model, limit = call.model.name, self.study.spending.dollars
        if self._fatal is not None:
            return "a setting was not obeyed"
        if self.limit is not None and len(self.made) >= self.limit:
            return "the limit of this run is reached"
        has_price = call.model.dollars_in + call.model.dollars_out > 0
        if limit is not None and has_price and self._spent >= limit:
            return f"the study's {limit:g} dollars are spent"
        if self._failures.get(model, 0) >= _ENOUGH_FAILURES:
            return f"{model} failed {_ENOUGH_FAILURES} times in a row"
        return ""

    def _keep(self, call: Call, result: CallResult) -> None:
        self.writer.finish(result)
        self.results[call.id] = result
        self._spent += _dollars((call,), self.results)
        failed = result.state == "error"
        name = call.model.name
        self._failures[name] = self._failures.get(name, 0) + 1 if failed else 0
        if self.on_call is not None:
            self.on_call(call, result)

    def _evaluate(self, task: Any, model: Model, n_at_once: int) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what the libraries below warn of is not our user's
            (log,) = inspect_eval(
                task,
                model=model,
                display="none",
                log_dir=str(StudyFiles(self.study.folder).logs),
                log_realtime=False,
                max_samples=n_at_once,
                fail_on_error=True,
                ctl_server=False,
                acp_server=False,
            )
            gc.collect()  # its streams are left open, and would warn later, of nothing to us
        if log.status == "cancelled":
            raise KeyboardInterrupt
        if log.status == "error" and log.error is not None and self._fatal is None:
            lines = log.error.message.strip().splitlines() or [""]
            raise InputError(
                f"the run of {model} broke off: {lines[-1][:300]}",
                hint="What was finished is kept; mend the cause and run the study again.",
            )
