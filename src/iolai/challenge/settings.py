"""What a challenge is set to, and the file that says so: ``challenge.toml``.

The file names problems and key by paths relative to itself; the service keeps copies and reads the
file no more. ``docs/challenge-toml.md`` shows a whole file.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from iolai.challenge.clock import moment
from iolai.challenge.names import checked_name, fold_name
from iolai.challenge.toml_table import TomlTable, read_toml
from iolai.errors import InputError
from iolai.files import read_text
from iolai.records import Phase
from iolai.runners import DEFAULT_RUNNER, RUNNERS, Limits, RunnerOption, runner_options

__all__ = [
    "Baseline",
    "ChallengeFiles",
    "ChallengeSettings",
    "Seen",
    "checked_settings",
    "read_challenge_toml",
    "settings_from_json",
    "settings_to_json",
    "settings_to_toml",
]

_SLUG = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?")
_TOP = (
    "slug",
    "title",
    "description",
    "rules",
    "problems",
    "key",
    "explanations",
    "selections",
    "quota_per_day",
    "team_size",
    "max_submission_mib",
    "phases",
    "split",
    "points",
    "limits",
    "runner",
    "see",
    "baseline",
)
_EXPLANATIONS = ("optional", "required")
#: From which phase on participants see the problems; the test set of a challenge is usually
#: shown at its end.
_PROBLEMS_SEEN = ("never", "registration", "open", "final")
_MAX_WALL_S = 7 * 24 * 3600


@dataclass(frozen=True, slots=True)
class Seen:
    """What participants may see. ``problems`` is the phase from which on, or ``never``.

    ``board``: the public board while the challenge runs. Of their own submissions: ``tasks`` the
    public score of each task, ``readings`` what was read into which slot, ``items`` what each slot
    scored, ``log`` the log's tail. With ``items`` a team can find out a public key by trying: for
    each slot it is told whether a guess was right.
    """

    problems: str = "final"
    board: bool = True
    tasks: bool = True
    readings: bool = True
    log: bool = True
    items: bool = False

    def problems_in(self, phase: Phase) -> bool:
        """Say whether participants see the problems in a phase."""
        if self.problems == "never":
            return False
        order = list(Phase)
        return order.index(phase) >= order.index(Phase(self.problems))


@dataclass(frozen=True, slots=True)
class Baseline:
    """A row of the board to measure by: its name, and the blob of its predictions."""

    name: str
    blob: str


@dataclass(frozen=True)
class ChallengeSettings:
    """What a challenge is set to. Times are UTC texts; ``freeze`` equals ``close`` for no freeze.

    ``n_selections`` is how many runs a team may choose for its final result, ``quota_per_day``
    how many submissions it has on a UTC day.
    """

    slug: str
    title: str
    registration: str
    open: str
    freeze: str
    close: str
    description: str = ""
    rules: str = ""
    explanations: str = "optional"
    n_selections: int = 2
    quota_per_day: int = 10
    team_size: int = 5
    max_submission_mib: int = 4096
    limits: Limits = Limits()  # noqa: RUF009 -- immutable
    runner: str = DEFAULT_RUNNER
    runner_options: Mapping[str, Any] = field(default_factory=dict)
    seen: Seen = Seen()
    baselines: tuple[Baseline, ...] = ()


@dataclass(frozen=True)
class ChallengeFiles:
    """What ``challenge.toml`` says beside the settings: where things are, and how to weigh tasks.

    ``public`` lists the ids of the public split; ``n_public`` asks for a proposed split of that
    many public tasks; both None: the key's own split. ``points`` overrides those of the key.
    """

    toml: TomlTable
    problems: Path | None
    key: Path
    public: tuple[str, ...] | None
    n_public: int | None
    split_seed: int
    points: Mapping[str, float]
    baselines: tuple[tuple[str, Path], ...]


def read_challenge_toml(
    path: Path, *, is_new: bool = True
) -> tuple[ChallengeSettings, ChallengeFiles]:
    """Read a challenge's file; raises FormatError naming line and key.

    Problems and key must be there where the challenge ``is_new``: a service keeps its own copies.
    """
    table = read_toml(path)
    return replace(_settings(table), rules=_rules(table)), _files(table, is_new=is_new)


def _settings(table: TomlTable) -> ChallengeSettings:
    table.refuse_unknown(_TOP)
    slug = table.string("slug")
    if not _SLUG.fullmatch(slug):
        raise table.wrong(
            "slug",
            f"{slug!r} cannot be part of an address",
            "Use up to 64 small letters, digits and hyphens.",
        )
    name, options = _runner(table.table("runner"))
    return ChallengeSettings(
        slug=slug,
        title=table.line("title"),
        **_phases(table.table("phases")),  # type: ignore[arg-type]
        description=table.line("description", ""),
        explanations=table.choice("explanations", _EXPLANATIONS, "optional"),
        n_selections=table.whole("selections", 2, low=1, high=100),
        quota_per_day=table.whole("quota_per_day", 10, low=1, high=100_000),
        team_size=table.whole("team_size", 5, low=1, high=10_000),
        max_submission_mib=table.whole("max_submission_mib", 4096, low=1, high=1 << 20),
        limits=_limits(table.table("limits")),
        runner=name,
        runner_options=options,
        seen=_seen(table.table("see")),
    )


def _files(table: TomlTable, *, is_new: bool) -> ChallengeFiles:
    split = table.table("split")
    split.refuse_unknown(("public", "seed"))
    public = split.values.get("public")
    is_number = isinstance(public, int) and not isinstance(public, bool)
    is_list = isinstance(public, list) and all(isinstance(one, str) for one in public)
    if public is not None and not is_number and not is_list:
        raise split.wrong(
            "public",
            "a list of task ids, or the number of public tasks, is wanted here",
            'Write public = ["12026010100", ...], or public = 8 for a proposed split.',
        )
    points = table.table("points")
    weights = {
        task: points.number(task, None, low=0.0, high=1e6) for task in map(str, points.values)
    }
    return ChallengeFiles(
        toml=table,
        problems=_path(table, "problems", needed=False) if is_new else None,
        key=(_path(table, "key") if is_new else None) or Path(),
        public=tuple(public) if isinstance(public, list) else None,
        n_public=public if isinstance(public, int) else None,
        split_seed=split.whole("seed", 0, low=0, high=2**31),
        points=weights,
        baselines=tuple(_baselines(table)),
    )


def _path(table: TomlTable, key: str, *, needed: bool = True) -> Path | None:
    if not needed and key not in table.values:
        return None
    path = table.path.parent / table.string(key)
    if not path.exists():
        raise table.wrong(key, f"there is no {path}", "Paths start at the folder of this file.")
    return path


def _baselines(table: TomlTable) -> list[tuple[str, Path]]:
    found: list[tuple[str, Path]] = []
    for one in table.tables("baseline"):
        one.refuse_unknown(("name", "predictions"))
        name, path = _baseline_name(one), _path(one, "predictions")
        twin = next((other for other, _ in found if fold_name(other) == fold_name(name)), None)
        if twin is not None:
            like = "" if twin == name else f", as {twin!r}"
            raise one.wrong("name", f"{name!r} stands there twice{like}", "Give each its own name.")
        found.append((name, path or Path()))
    return found


def _baseline_name(table: TomlTable) -> str:
    name = table.line("name")
    try:
        return checked_name(name)
    except InputError as error:
        raise table.wrong("name", error.message, error.hint) from error


def _rules(table: TomlTable) -> str:
    path = _path(table, "rules", needed=False)
    return "" if path is None else read_text(path)


def _phases(table: TomlTable) -> dict[str, str]:
    table.refuse_unknown(("registration", "open", "freeze", "close"))
    times = {name: table.time(name) for name in ("registration", "open", "close")}
    times["freeze"] = table.time("freeze", times["close"])
    order = ("registration", "open", "freeze", "close")
    for earlier, following in itertools.pairwise(order):
        if times[earlier] > times[following]:
            raise table.wrong(
                following,
                f"{following} ({times[following]}) is before {earlier} ({times[earlier]})",
                f"The order is {', '.join(order)}.",
            )
    if times["open"] == times["close"]:
        raise table.wrong("close", "it closes when it opens", "Leave time between them.")
    return times


def _limits(table: TomlTable) -> Limits:
    table.refuse_unknown(tuple(one.name for one in fields(Limits)))
    default = Limits()
    whole = ("memory_mib", "n_processes", "disk_mib", "n_inodes", "output_mib", "log_mib")
    values: dict[str, Any] = {
        name: table.whole(name, getattr(default, name), low=1, high=1 << 40) for name in whole
    }
    values["wall_s"] = table.number("wall_s", default.wall_s, low=0.1, high=_MAX_WALL_S)
    if "cpu_s" in table.values:
        values["cpu_s"] = table.number("cpu_s", None, low=0.1, high=1e9)
    if "n_cpus" in table.values:
        values["n_cpus"] = table.whole("n_cpus", None, low=1, high=1 << 16)
    return Limits(**values)


def _runner(table: TomlTable) -> tuple[str, dict[str, Any]]:
    name = table.choice("name", tuple(RUNNERS), DEFAULT_RUNNER)
    known = runner_options(name)
    table.refuse_unknown(("name", *(option.name for option in known)))
    wanted = [one for one in known if one.is_needed or one.name in table.values]
    return name, {one.name: _runner_option(table, one) for one in wanted}


def _runner_option(table: TomlTable, option: RunnerOption) -> Any:
    if option.kind == "number":
        return table.number(option.name, None, low=0.01, high=86_400)
    if option.kind == "texts":
        return table.lines(option.name)
    value = table.line(option.name)
    if option.kind == "path" and not Path(value).is_absolute():
        raise table.wrong(option.name, f"{value!r} is no whole path", "Begin it with a slash.")
    return value


def _seen(table: TomlTable) -> Seen:
    table.refuse_unknown(tuple(one.name for one in fields(Seen)))
    return Seen(
        problems=table.choice("problems", _PROBLEMS_SEEN, "final"),
        board=table.flag("board", True),
        tasks=table.flag("tasks", True),
        readings=table.flag("readings", True),
        log=table.flag("log", True),
        items=table.flag("items", False),
    )


def settings_to_json(settings: ChallengeSettings) -> dict[str, Any]:
    """Return a form that JSON can hold."""
    return asdict(settings)


def settings_from_json(value: Mapping[str, Any]) -> ChallengeSettings:
    """Read what ``settings_to_json`` wrote."""
    return ChallengeSettings(
        **{
            **value,
            "limits": Limits(**value["limits"]),
            "seen": Seen(**value["seen"]),
            "baselines": tuple(Baseline(**one) for one in value["baselines"]),
        }
    )


def checked_settings(value: Mapping[str, Any]) -> ChallengeSettings:
    """Read what ``settings_to_json`` wrote, elsewhere maybe, as strictly as a file is read.

    Raises FormatError where a file with these settings would be refused, and ValueError, KeyError
    or TypeError where they are not of this form.
    """
    settings = settings_from_json(value)
    names = [checked_name(one.name) for one in settings.baselines]
    blobs = [one.blob for one in settings.baselines]
    if not isinstance(settings.rules, str) or not all(_BLOB.fullmatch(one) for one in blobs):
        raise ValueError("rules or baselines that are none")
    if len({fold_name(name) for name in names}) != len(names):
        raise ValueError("a baseline twice")
    read = _settings(TomlTable(_as_file(settings), Path("its settings"), ""))
    if replace(read, rules=settings.rules, baselines=settings.baselines) != settings:
        raise ValueError("settings that no file gives")
    return settings


_BLOB = re.compile(r"[0-9a-f]{64}")


def _as_file(settings: ChallengeSettings) -> dict[str, Any]:
    """Return the settings as the tables of a file, beside the paths, split and points."""
    names = ("slug", "title", "description", "explanations", "quota_per_day", "team_size")
    times = ("registration", "open", "freeze", "close")
    return {
        **{name: getattr(settings, name) for name in names},
        "max_submission_mib": settings.max_submission_mib,
        "selections": settings.n_selections,
        "phases": {name: moment(getattr(settings, name)) for name in times},
        "limits": {k: v for k, v in asdict(settings.limits).items() if v is not None},
        "runner": {"name": settings.runner, **settings.runner_options},
        "see": asdict(settings.seen),
    }


def settings_to_toml(settings: ChallengeSettings) -> str:
    """Write the settings as ``challenge.toml`` has them, beside the paths, split and points."""
    lines = [
        f"{name} = {_toml(value)}"
        for name, value in (
            ("slug", settings.slug),
            ("title", settings.title),
            ("description", settings.description),
            ("explanations", settings.explanations),
            ("selections", settings.n_selections),
            ("quota_per_day", settings.quota_per_day),
            ("team_size", settings.team_size),
            ("max_submission_mib", settings.max_submission_mib),
        )
    ]
    times = ("registration", "open", "freeze", "close")
    tables = {
        "phases": {name: _Bare(getattr(settings, name)) for name in times},
        "limits": {k: v for k, v in asdict(settings.limits).items() if v is not None},
        "runner": {"name": settings.runner, **settings.runner_options},
        "see": asdict(settings.seen),
    }
    for head, values in tables.items():
        lines += ["", f"[{head}]"]
        lines += [f"{name} = {_toml(value)}" for name, value in values.items()]
    return "\n".join(lines) + "\n"


class _Bare(str):
    """A text that TOML writes without quotes."""


def _toml(value: object) -> str:
    import json

    if isinstance(value, _Bare):
        return str(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_toml, value))}]"
    return json.dumps(value, ensure_ascii=False)
