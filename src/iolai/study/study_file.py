"""``study.toml``: what a study asks of whom, how often, and what it may spend.

docs/guide-researcher.md shows a whole file. Every mistake in it is an error that names the field.
"""

from __future__ import annotations

import reprlib
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from iolai.errors import FormatError, InputError, Place
from iolai.files import read_text
from iolai.records.study import CONTEXTS, Condition
from iolai.study.prompting import builtin_prompts
from iolai.study.simulating import PlantedModel, PlantedWorld

__all__ = [
    "BEST",
    "BUILTIN",
    "FormatSearch",
    "Spending",
    "Study",
    "StudyModel",
    "condition_of",
    "parse_study",
    "read_study",
    "study_file",
]

#: The prompt that stands for each model's best answer format.
BEST = "best"
BUILTIN = "built-in"
FILE = "study.toml"
_HINT = "See docs/guide-researcher.md for the fields of study.toml and a whole example."

#: Bounds of the numbers in the file: seeds fit 32 bits, as some servers want them; logits and
#: spreads beyond 50 and prices beyond a million dollars are slips of the pen.
_MOST_SEED = 2**32 - 1
_MOST_LOGIT = 50
_MOST_DOLLARS = 1_000_000
_MOST_SETTING = 1_000_000

#: Models that answer whole problems by themselves, of any prompt.
SOLVERS = "iolai"


@dataclass(frozen=True, slots=True)
class Spending:
    """What every model may spend alike: output tokens and seconds a task; dollars for the study.

    A solver that answers a whole problem at once has the seconds of all its tasks together.
    ``dollars`` is None where there is no limit.
    """

    tokens: int = 512
    seconds: float = 120.0
    dollars: float | None = None


@dataclass(frozen=True, slots=True)
class FormatSearch:
    """Which prompts are tried to find each model's best, on how many problems left out.

    ``n_problems`` are drawn by the study's seed and not compared on.
    """

    among: tuple[str, ...] = ()
    n_problems: int = 3


@dataclass(frozen=True, slots=True)
class StudyModel:
    """What answers. ``target`` is inspect-ai's name of it (``openai/...``, ``iolai/induction``,
    ``iolai-lm/smollm2``), empty for a simulated one, whose truth is ``planted``.

    ``settings`` decide the decoding, ``args`` go to the provider as they are. ``sends`` names
    settings that the user knows to arrive. ``dollars_in`` and ``dollars_out`` are per million
    tokens. ``conditions`` and ``seeds`` are None where the study's hold.
    """

    name: str
    target: str = ""
    tier: str = ""
    settings: Mapping[str, float] = field(default_factory=dict)
    args: Mapping[str, Any] = field(default_factory=dict)
    sends: tuple[str, ...] = ()
    planted: PlantedModel | None = None
    dollars_in: float = 0.0
    dollars_out: float = 0.0
    connections: int = 4
    conditions: tuple[Condition, ...] | None = None
    seeds: tuple[int, ...] | None = None

    @property
    def kind(self) -> str:
        """``simulated``, ``solver`` (a whole problem at a time) or ``prompted``."""
        if self.planted is not None:
            return "simulated"
        return "solver" if self.target.split("/")[0] == SOLVERS else "prompted"


@dataclass(frozen=True)
class Study:
    """A study as its file says. Paths are resolved from the file's folder.

    ``problems`` is the path of a problem set, or ``built-in``; ``only`` are the ids of those that
    are asked (all where empty). ``licence`` is that of the problems: where it is empty their text
    may not be released. ``n_words`` is the number of word probes a language (0: no probes at all).
    ``beside`` are files that were handed in (``BESIDE``), which ``beside_synthetic`` marks as made
    up.
    """

    folder: Path
    title: str = "A study"
    problems: str = BUILTIN
    only: tuple[str, ...] = ()
    licence: str = ""
    conditions: tuple[Condition, ...] = (Condition(),)
    seeds: tuple[int, ...] = (0,)
    n_words: int = 0
    spending: Spending = field(default_factory=Spending)
    formats: FormatSearch = field(default_factory=FormatSearch)
    models: tuple[StudyModel, ...] = ()
    world: PlantedWorld = field(default_factory=PlantedWorld)
    beside: Mapping[str, str] = field(default_factory=dict)
    beside_synthetic: bool = False
    level: float = 0.9
    n_resamples: int = 10_000
    seed: int = 0

    @property
    def prompts(self) -> Path:
        """The folder of the study's own prompts; it need not exist."""
        return self.folder / "prompts"

    def path(self, name: str) -> Path:
        """Return a path of the file, from its folder."""
        return self.folder / name


def study_file(path: Path) -> Path:
    """Return the ``study.toml`` that a path means: the file, or the folder that holds it."""
    return path / FILE if path.is_dir() else path


def read_study(path: Path) -> Study:
    """Read a study by its folder or its file; raises InputError and FormatError."""
    file = study_file(path)
    return parse_study(read_text(file), file)


def parse_study(text: str, path: Path) -> Study:
    """Read the text of a study; ``path`` is where it stands. Raises FormatError."""
    try:
        table = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # TOML's own, and numbers of too many digits
        raise FormatError(f"no TOML: {error}", place=Place(path), hint=_HINT) from error
    try:
        return _study(table, path)
    except (TypeError, ValueError, InputError) as error:
        said = error.message if isinstance(error, InputError) else str(error)
        raise FormatError(said, place=Place(path), hint=_HINT) from error


_PARTS = ("title", "problems", "ask", "budget", "format", "models", "world", "beside", "statistics")
#: What can stand in ``[beside]``, and what it names.
BESIDE = ("entries", "jury", "presence", "board", "edits", "facts")


def _study(table: dict[str, Any], path: Path) -> Study:
    _known("study.toml", table, _PARTS)
    problems = _table(table, "problems", ("source", "only", "licence"))
    ask = _table(table, "ask", ("conditions", "seeds", "word_probes"))
    statistics = _table(table, "statistics", ("level", "resamples", "seed"))
    beside = _table(table, "beside", (*BESIDE, "synthetic"))
    models = tuple(_model(entry, place) for place, entry in enumerate(table.get("models", ()), 1))
    study = Study(
        folder=path.parent,
        title=_typed(table, "title", str, "A study"),
        problems=_typed(problems, "source", str, BUILTIN),
        only=tuple(_texts(problems, "only")),
        licence=_typed(problems, "licence", str, ""),
        conditions=tuple(map(condition_of, _texts(ask, "conditions") or ["lines"])),
        seeds=_seeds(ask) or (0,),
        n_words=_whole(ask, "word_probes", 0, "[ask] ", 0, 1000),
        spending=_spending(_table(table, "budget", ("tokens", "seconds", "dollars"))),
        formats=_formats(_table(table, "format", ("among", "problems"))),
        models=models,
        world=_world(_table(table, "world", ("difficulty", "effect", "noise", "seed"))),
        beside={name: _typed(beside, name, str, "") for name in BESIDE if name in beside},
        beside_synthetic=_typed(beside, "synthetic", bool, False),
        level=_number(statistics, "level", 0.9, "[statistics] ", 0.5, 0.9999),
        n_resamples=_whole(statistics, "resamples", 10_000, "[statistics] ", 100, 100_000),
        seed=_whole(statistics, "seed", 0, "[statistics] ", 0, _MOST_SEED),
    )
    _require_sense(study)
    return study


def _require_sense(study: Study) -> None:
    names = [model.name for model in study.models]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"two models are called {twice[0]!r}")
    if not study.models:
        raise ValueError("it has no [[models]]")
    asks_best = any(condition.prompt == BEST for condition in _all_conditions(study))
    if asks_best != bool(study.formats.among):
        raise ValueError(
            f'the prompt "{BEST}" and [format] among go together: one names the prompts to try, '
            "the other asks with the best of them"
        )
    _require_known_effects(study)


def _require_known_effects(study: Study) -> None:
    prompts = {condition.prompt for condition in _all_conditions(study)} - {BEST}
    known = sorted({*builtin_prompts(), *prompts, *study.formats.among})
    known += ["explanation", "ablated", "explanation+ablated"]
    for model in study.models:
        for name in model.planted.effects if model.planted is not None else ():
            if name not in known:
                raise ValueError(
                    f"effects of {model.name} has no field {name!r}; fields: {', '.join(known)}"
                )


def _all_conditions(study: Study) -> list[Condition]:
    own = (model.conditions or () for model in study.models)
    return [*study.conditions, *(condition for conditions in own for condition in conditions)]


def condition_of(name: str) -> Condition:
    """Read a condition's name: a prompt, then ``+explanation`` and ``+ablated`` as wished."""
    prompt, *rest = name.split("+")
    explanation = "explanation" in rest
    contexts = [part for part in rest if part != "explanation"]
    if not prompt or len(contexts) > 1 or any(part not in CONTEXTS for part in contexts):
        raise ValueError(
            f"{name!r} is no condition; write a prompt's name, with +explanation, +ablated or both"
        )
    return Condition(prompt, explanation, contexts[0] if contexts else "whole")


def _spending(table: dict[str, Any]) -> Spending:
    where, dollars = "[budget] ", None
    if "dollars" in table:
        dollars = _number(table, "dollars", 0.0, where, 0, _MOST_DOLLARS)
    return Spending(
        _whole(table, "tokens", Spending().tokens, where, 1, 10_000_000),
        _number(table, "seconds", Spending().seconds, where, 0.001, 604_800),
        dollars,
    )


def _world(table: dict[str, Any]) -> PlantedWorld:
    plain = PlantedWorld()
    spreads = {
        name: _number(table, name, getattr(plain, name), "[world] ", 0, _MOST_LOGIT)
        for name in ("difficulty", "effect", "noise")
    }
    return PlantedWorld(
        **spreads, seed=_whole(table, "seed", plain.seed, "[world] ", 0, _MOST_SEED)
    )


def _formats(table: dict[str, Any]) -> FormatSearch:
    made = FormatSearch(
        tuple(_texts(table, "among")),
        _whole(table, "problems", FormatSearch().n_problems, "[format] ", 1, 1_000_000),
    )
    if made.among and len(set(made.among)) < 2:
        raise ValueError("[format] among needs two different prompts or more")
    return made


_MODEL = (
    *("name", "model", "tier", "settings", "args", "sends", "simulated", "price", "connections"),
    *("conditions", "seeds"),
)
_SETTINGS = (
    *("temperature", "top_p", "top_k", "min_p", "repetition_penalty"),
    *("presence_penalty", "frequency_penalty"),
)


def _model(entry: dict[str, Any], place: int) -> StudyModel:
    where = f"model {place}"
    _known(where, entry, _MODEL)
    name = _typed(entry, "name", str, "")
    target = _typed(entry, "model", str, "")
    if not name or bool(target) == ("simulated" in entry):
        raise ValueError(f"{where} needs a name, and either model or simulated")
    if target and "/" not in target:
        raise ValueError(f"{where}: {target!r} lacks its provider, as in iolai/induction")
    price = _table(entry, "price", ("input", "output"))
    settings = _table(entry, "settings", _SETTINGS)
    priced = f"{where}: price."
    own = _texts(entry, "conditions")
    return StudyModel(
        name=name,
        target=target,
        tier=_typed(entry, "tier", str, ""),
        settings={
            key: _number(settings, key, 0.0, f"{where}: settings.", -_MOST_SETTING, _MOST_SETTING)
            for key in settings
        },
        args=_table(entry, "args", None),
        sends=tuple(_texts(entry, "sends")),
        planted=_planted(name, entry["simulated"]) if "simulated" in entry else None,
        dollars_in=_number(price, "input", 0.0, priced, 0, _MOST_DOLLARS),
        dollars_out=_number(price, "output", 0.0, priced, 0, _MOST_DOLLARS),
        connections=_whole(entry, "connections", 4, f"{where}: ", 1, 1000),
        conditions=tuple(map(condition_of, own)) if own else None,
        seeds=_seeds(entry) or None,
    )


def _planted(name: str, table: object) -> PlantedModel:
    if not isinstance(table, dict):
        raise ValueError(f"simulated of {name} is a table, such as {{ ability = 0.5 }}")
    known = [spec.name for spec in fields(PlantedModel) if spec.name != "name"]
    _known(f"simulated of {name}", table, known)
    effects = _table(table, "effects", None)
    where = f"simulated of {name}: "
    logits, share = (-_MOST_LOGIT, _MOST_LOGIT), (0, 1)
    return PlantedModel(
        name,
        effects={key: _number(effects, key, 0.0, f"{where}effects.", *logits) for key in effects},
        **{
            key: _number(table, key, 0.0, where, *(logits if key == "ability" else share))
            for key in table
            if key != "effects"
        },
    )


def _seeds(table: Mapping[str, Any]) -> tuple[int, ...]:
    seeds = table.get("seeds", [])
    good = isinstance(seeds, list) and all(
        type(seed) is int and 0 <= seed <= _MOST_SEED for seed in seeds
    )
    if not good or len(set(seeds)) != len(seeds):
        said = reprlib.repr(seeds)
        raise ValueError(
            f"seeds is a list of different whole numbers from 0 to {_MOST_SEED}, not {said}"
        )
    return tuple(seeds)


def _texts(table: Mapping[str, Any], name: str) -> list[str]:
    values = table.get(name, [])
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise ValueError(f"{name} is a list of texts")
    return values


def _table(table: Mapping[str, Any], name: str, known: Sequence[str] | None) -> dict[str, Any]:
    part = table.get(name, {})
    if not isinstance(part, dict):
        raise ValueError(f"[{name}] is a table")
    if known is not None:
        _known(f"[{name}]", part, known)
    return part


def _known(where: str, table: object, known: Sequence[str]) -> None:
    if not isinstance(table, dict):
        raise ValueError(f"{where} is a table")
    unknown = sorted(set(table) - set(known))
    if unknown:
        raise ValueError(f"{where} has no field {unknown[0]!r}; fields: {', '.join(known)}")


def _number(
    table: Mapping[str, Any], name: str, default: float, where: str, low: float, high: float
) -> float:
    """Return a field that is a number within bounds; ``where`` is written before its name."""
    return float(_bounded(table, name, default, where, low, high, float))


def _whole(
    table: Mapping[str, Any], name: str, default: int, where: str, low: int, high: int
) -> int:
    """Return a field that is a whole number within bounds; ``where`` is written before its name."""
    return int(_bounded(table, name, default, where, low, high, int))


def _bounded(
    table: Mapping[str, Any],
    name: str,
    default: float,
    where: str,
    low: float,
    high: float,
    kind: type,
) -> float:
    value = table.get(name, default)
    is_kind = isinstance(value, (int, float) if kind is float else int)
    # No nan is between two numbers, and no infinite one; a whole number may have any length.
    if isinstance(value, bool) or not is_kind or not low <= value <= high:
        word = "a whole number" if kind is int else "a number"
        raise ValueError(f"{where}{name} is {word} from {low} to {high}, not {reprlib.repr(value)}")
    return value  # type: ignore[no-any-return]


def _typed(table: Mapping[str, Any], name: str, kind: type, default: Any) -> Any:
    """Return a text, or true or false, as it stands; numbers are read by their bounds."""
    if name not in table:
        return default
    value = table[name]
    if type(value) is not kind:
        words = {str: "a text", bool: "true or false"}
        raise ValueError(f"{name} is {words[kind]}, not {reprlib.repr(value)}")
    return value
