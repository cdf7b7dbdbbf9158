"""The plan of a study: every call it takes, numbered, each known by what decides its result.

A call is one question to one model under one condition with one seed: a task, or for a solver a
whole problem, or a probe. Its id is a digest of all that decides its result (the model with its
settings, the prompt's text, the tasks' texts as they are given, the seed, the budget), so that a
changed prompt makes new calls and an unchanged one is never asked twice. Two conditions of a model
that ask the very same thing (``best`` and the prompt that it stands for) are two calls of one id:
asked once, and in the tables of both.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from iolai.errors import InputError
from iolai.evaluation import read_builtin, read_problems_with_key
from iolai.files import read_text
from iolai.records import AnswerKey, Problem, ProblemSet, Task, TaskKey
from iolai.records.study import Condition
from iolai.study.ablation import Edit, ablate_problems, read_edits
from iolai.study.facts import read_facts
from iolai.study.languages import iso_code
from iolai.study.probes import Probe, make_probes
from iolai.study.prompting import load_study_prompt
from iolai.study.settings import require_sendable
from iolai.study.study_file import BEST, BUILTIN, Study, StudyModel
from iolai.version import __version__

__all__ = ["FORMAT", "Call", "Plan", "Sheets", "make_plan", "read_sheets"]

#: The kind of calls that only find a model's best answer format.
FORMAT = "format"
_PROBE = Condition("probe")


@dataclass(frozen=True, slots=True)
class Call:
    """One call. ``kind`` is ``task``, ``probe`` or ``format``; ``number`` counts from 1.

    ``problem`` is as it is given (ablated where the condition says so), ``tasks`` are those of it
    that this call asks. ``prompt`` is the text that is sent, empty for a solver. ``asked_with`` is
    the prompt's name where the condition's prompt is ``best``.
    """

    id: str
    number: int
    model: StudyModel
    condition: Condition
    seed: int
    problem: Problem
    tasks: tuple[Task, ...]
    keys: tuple[TaskKey, ...]
    kind: str = "task"
    prompt: str = ""
    probe: Probe | None = None
    asked_with: str = ""
    language: str = ""

    @property
    def name(self) -> str:
        """Say what is asked, for people and for inspect-ai's logs."""
        asked = self.problem.id if len(self.tasks) > 1 else self.tasks[0].id
        return f"{self.model.name} / {self.condition.name} / {asked} / seed {self.seed}"


@dataclass(frozen=True)
class Sheets:
    """The problems of a study in both forms, their key, and the probes made from them."""

    whole: ProblemSet
    ablated: ProblemSet
    key: AnswerKey
    probes: tuple[Probe, ...] = ()
    left_out: tuple[str, ...] = ()

    @property
    def languages(self) -> dict[str, str]:
        """The ISO 639-3 code of each problem's language, by its id."""
        return {problem.id: iso_code(problem.tasks[0]) for problem in self.whole if problem.tasks}

    def under(self, condition: Condition) -> ProblemSet:
        """Return the problems as a condition gives them."""
        return self.ablated if condition.context == "ablated" else self.whole


@dataclass(frozen=True)
class Plan:
    """All calls of a study, in the order in which they are made.

    Calls of one id under two conditions share one result; ``distinct`` has each id once.
    """

    study: Study
    sheets: Sheets
    calls: tuple[Call, ...]

    @cached_property
    def distinct(self) -> tuple[Call, ...]:
        """The calls that are made: each id once, the first that has it."""
        first: dict[str, Call] = {}
        for call in self.calls:
            first.setdefault(call.id, call)
        return tuple(first.values())

    def of_kind(self, kind: str) -> tuple[Call, ...]:
        """Return the calls of one kind."""
        return tuple(call for call in self.calls if call.kind == kind)

    @property
    def needs_formats(self) -> bool:
        """Whether calls are missing because the best formats are not known yet."""
        return bool(self.study.formats.among) and not any(call.asked_with for call in self.calls)


def read_sheets(study: Study) -> Sheets:
    """Read the problems of a study; raises InputError for an id that it names and they lack."""
    if study.problems == BUILTIN:
        problems, key = read_builtin()
    else:
        problems, key = read_problems_with_key(study.path(study.problems))
    unknown = sorted(set(study.only) - {problem.id for problem in problems})
    if unknown:
        known = ", ".join(problem.id for problem in problems)
        raise InputError(f"there is no problem {unknown[0]!r}", hint=f"Problems: {known}.")
    if study.only:
        chosen = tuple(problem for problem in problems if problem.id in set(study.only))
        problems = replace(problems, problems=chosen)
    edits: Mapping[str, Sequence[Edit]] | None = None
    if "edits" in study.beside:
        edits = read_edits(study.path(study.beside["edits"]))
    probes: tuple[Probe, ...] = ()
    if study.n_words:
        facts = read_facts(study.path(study.beside["facts"])) if "facts" in study.beside else None
        probes = make_probes(problems, key, facts=facts, n_words=study.n_words, seed=study.seed)
    return Sheets(
        problems, ablate_problems(problems, edits), key, probes, _left_out(study, problems)
    )


def _left_out(study: Study, problems: ProblemSet) -> tuple[str, ...]:
    """Draw the problems on which formats are tried; those are not compared on."""
    if not study.formats.among:
        return ()
    ids = [problem.id for problem in problems]
    if study.formats.n_problems >= len(ids):
        raise InputError(
            f"[format] leaves out {study.formats.n_problems} of {len(ids)} problems",
            hint="Leave at least one problem to compare the models on.",
        )
    draw = random.Random(f"formats/{study.seed}")  # noqa: S311 -- no secret: it must repeat
    return tuple(sorted(draw.sample(ids, study.formats.n_problems)))


def make_plan(
    study: Study, sheets: Sheets | None = None, formats: Mapping[str, str] | None = None
) -> Plan:
    """Number the calls of a study.

    ``formats`` gives the best prompt by model, once it is known; until then the plan holds only
    the calls that find it, and those that do not depend on it. Raises SettingError where a
    model's settings cannot be sent, UnknownNameError for an unknown prompt, InputError where two
    models would be asked the very same with the same settings.
    """
    for model in study.models:
        require_sendable(model, study.seeds if model.seeds is None else model.seeds)
    sheets = sheets or read_sheets(study)
    made = _numbered(_calls(study, sheets, formats or {}))
    if not formats:  # once they are known, what was asked is kept and shared, never refused
        _require_different(made)
    return Plan(study, sheets, made)


def _numbered(calls: Iterator[Call]) -> tuple[Call, ...]:
    seen: dict[tuple[str, str, Condition], Call] = {}
    for call in calls:
        key = (call.id, call.model.name, call.condition)
        seen.setdefault(key, replace(call, number=len(seen) + 1))
    return tuple(seen.values())


def _require_different(calls: Sequence[Call]) -> None:
    """Raise InputError where one call belongs to two models: they differ in name alone."""
    owners: dict[str, Call] = {}
    for call in calls:
        first = owners.setdefault(call.id, call).model.name
        if first != call.model.name:
            raise InputError(
                f"the models {first!r} and {call.model.name!r} have the same target and settings, "
                f"and both ask {call.name.partition(' / ')[2]}",
                hint="Take one of them out, or give it settings, conditions or seeds of its own; "
                "to ask one model more than once, give it more seeds.",
            )


def _calls(study: Study, sheets: Sheets, formats: Mapping[str, str]) -> Iterator[Call]:
    for model in study.models:
        yield from _format_calls(study, sheets, model)
    for model in study.models:
        seeds = study.seeds if model.seeds is None else model.seeds
        for condition, prompt in _asked(study, model, formats):
            for seed in seeds:
                yield from _task_calls(study, sheets, model, condition, seed, prompt)
        if model.kind != "solver":
            for probe in sheets.probes:
                for seed in seeds:
                    yield _probe_call(study, model, probe, seed)


def _asked(
    study: Study, model: StudyModel, formats: Mapping[str, str]
) -> Iterator[tuple[Condition, str]]:
    """Yield the conditions that a model is asked under, each with the prompt's name."""
    for condition in study.conditions if model.conditions is None else model.conditions:
        prompt = condition.prompt
        if model.kind == "solver":
            if not condition.explanation:  # it explains anyway: there are not two ways to ask
                yield condition, prompt
        elif prompt != BEST:
            yield condition, prompt
        elif model.name in formats:
            yield condition, formats[model.name]


def _format_calls(study: Study, sheets: Sheets, model: StudyModel) -> Iterator[Call]:
    if model.kind == "solver":
        return
    seed = (study.seeds if model.seeds is None else model.seeds)[0]
    for prompt in study.formats.among:
        condition = Condition(prompt)
        for problem in sheets.whole:
            if problem.id in sheets.left_out:
                for task in problem.tasks:
                    yield _call(
                        study, sheets, model, condition, seed, problem, (task,), prompt, FORMAT
                    )


def _task_calls(
    study: Study, sheets: Sheets, model: StudyModel, condition: Condition, seed: int, prompt: str
) -> Iterator[Call]:
    for problem in sheets.under(condition):
        if problem.id in sheets.left_out:
            continue
        parts = [problem.tasks] if model.kind == "solver" else [(task,) for task in problem.tasks]
        for tasks in parts:
            keyed = tuple(task for task in tasks if sheets.key.get(task.id) is not None)
            if keyed:
                yield _call(study, sheets, model, condition, seed, problem, keyed, prompt, "task")


def _call(
    study: Study,
    sheets: Sheets,
    model: StudyModel,
    condition: Condition,
    seed: int,
    problem: Problem,
    tasks: tuple[Task, ...],
    prompt: str,
    kind: str,
) -> Call:
    keys = tuple(key for task in tasks if (key := sheets.key.get(task.id)) is not None)
    asked = replace(condition, prompt=prompt)
    text = ""
    if model.kind == "prompted":
        template = load_study_prompt(asked, study.prompts)
        text = template.fill(tasks[0], keys[0].n_items)
    elif model.kind == "simulated":
        load_study_prompt(asked, study.prompts)  # an unknown prompt is an error here too
    decides = {
        **_of_model(study, model),
        "condition": asdict(asked),
        "seed": seed,
        "prompt": text,
        "tasks": [[task.id, task.context, task.query] for task in tasks],
        "n_items": [key.n_items for key in keys],
        "references": [str(key.references) for key in keys] if model.kind == "simulated" else [],
        "kind": kind,
    }
    return Call(
        id=_digest(decides),
        number=0,
        model=model,
        condition=condition,
        seed=seed,
        problem=problem,
        tasks=tasks,
        keys=keys,
        kind=kind,
        prompt=text,
        asked_with=prompt if condition.prompt == BEST != prompt else "",
        language=sheets.languages.get(problem.id, ""),
    )


def _probe_call(study: Study, model: StudyModel, probe: Probe, seed: int) -> Call:
    decides = {
        **_of_model(study, model),
        "seed": seed,
        "prompt": probe.task.query,
        "id": probe.id,
        "kind": "probe",
    }
    problem = Problem(probe.problem, (probe.task,))
    return Call(
        id=_digest(decides),
        number=0,
        model=model,
        condition=_PROBE,
        seed=seed,
        problem=problem,
        tasks=problem.tasks,
        keys=(probe.key,),
        kind="probe",
        prompt=probe.task.query,
        probe=probe,
    )


def _of_model(study: Study, model: StudyModel) -> dict[str, Any]:
    """Return what of a model decides its results."""
    ours = model.target.startswith("iolai")
    return {
        "target": model.target,
        "settings": dict(model.settings),
        "args": dict(model.args),
        "planted": asdict(model.planted) if model.planted is not None else None,
        "world": asdict(study.world) if model.planted is not None else None,
        "configuration": _configuration(model.target),
        "version": __version__ if ours else "",
        "tokens": study.spending.tokens,
        "seconds": study.spending.seconds,
    }


def _configuration(target: str) -> str:
    """Return the text of the configuration that a target of ours names, "" where it names none."""
    from iolai.solvers.llm.config_file import config_path

    provider, _, name = target.partition("/")
    if provider == "iolai-lm":
        return read_text(config_path(name))
    family, colon, config = name.partition(":")
    if provider != "iolai" or not colon:
        return ""
    if family == "llm":
        return read_text(config_path(config))
    return read_text(Path(config)) if Path(config).is_file() else config


def _digest(decides: Mapping[str, Any]) -> str:
    text = json.dumps(decides, ensure_ascii=True, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:20]
