"""challenge.toml: a whole one is read as written, and every fault is named with line and key."""

from __future__ import annotations

from pathlib import Path

import pytest

from iolai.challenge import challenges
from iolai.challenge.settings import (
    ChallengeSettings,
    Seen,
    read_challenge_toml,
    settings_from_json,
    settings_to_json,
    settings_to_toml,
)
from iolai.errors import ConflictError, FormatError, InputError
from iolai.records import Phase
from iolai.runners import Limits
from world import TASKS, World

WHOLE = """\
slug = "winter-26"
title = "Winter 2026"
description = "Six tasks."
rules = "rules.md"
problems = "test.csv"
key = "solution.csv"
explanations = "required"
selections = 3
quota_per_day = 7
team_size = 4
max_submission_mib = 10

[phases]
registration = 2026-06-01T00:00:00Z
open = 2026-07-01T02:00:00+02:00
freeze = 2026-07-28T00:00:00Z
close = 2026-08-01T00:00:00Z

[split]
public = ["12026010100", "12026020200"]

[points]
12026010100 = 2.5

[limits]
wall_s = 60
memory_mib = 512

[runner]
name = "slurm"
runs = "/srv/runs"
options = ["--partition=gpu"]

[see]
problems = "open"
log = false

[[baseline]]
name = "First"
predictions = "one.csv"

[[baseline]]
name = "Second"
predictions = "two.csv"
"""


@pytest.fixture
def folder(world: World) -> Path:
    world.write_files()
    for name in ("rules.md", "one.csv", "two.csv"):
        (world.folder / name).write_text("be fair", encoding="utf-8")
    return world.folder


def write(folder: Path, text: str) -> Path:
    path = folder / "challenge.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_whole_file_is_read_as_it_is_written(folder: Path) -> None:
    settings, files = read_challenge_toml(write(folder, WHOLE))
    assert settings == ChallengeSettings(
        slug="winter-26",
        title="Winter 2026",
        registration="2026-06-01T00:00:00.000000Z",
        open="2026-07-01T00:00:00.000000Z",
        freeze="2026-07-28T00:00:00.000000Z",
        close="2026-08-01T00:00:00.000000Z",
        description="Six tasks.",
        rules="be fair",
        explanations="required",
        n_selections=3,
        quota_per_day=7,
        team_size=4,
        max_submission_mib=10,
        limits=Limits(wall_s=60, memory_mib=512),
        runner="slurm",
        runner_options={"runs": "/srv/runs", "options": ["--partition=gpu"]},
        seen=Seen(problems="open", log=False),
    )
    assert files.public == ("12026010100", "12026020200")
    assert files.points == {"12026010100": 2.5}
    assert [name for name, _ in files.baselines] == ["First", "Second"]
    assert settings_from_json(settings_to_json(settings)) == settings


def test_what_is_written_as_toml_is_read_as_the_same(folder: Path) -> None:
    settings, _ = read_challenge_toml(write(folder, WHOLE))
    again = 'problems = "test.csv"\nkey = "solution.csv"\nrules = "rules.md"\n'
    other, _ = read_challenge_toml(write(folder, again + settings_to_toml(settings)))
    assert other == settings


#: (what is replaced, by what, line, key, what is said)
FAULTS: list[tuple[str, str, int | None, str, str]] = [
    (
        'slug = "winter-26"',
        'slug = "Winter 26"',
        1,
        "slug",
        "'Winter 26' cannot be part of an address",
    ),
    ('slug = "winter-26"\n', "", None, "slug", "slug is missing"),
    ('title = "Winter 2026"', 'title = " "', 2, "title", "the text is blank"),
    ('title = "Winter 2026"', "title = 3", 2, "title", "a text is wanted here"),
    ("team_size = 4", "teamsize = 4", 10, "teamsize", "there is no key teamsize"),
    (
        "team_size = 4",
        "team_size = 0",
        10,
        "team_size",
        "a whole number from 1 to 10000 is wanted here",
    ),
    (
        "selections = 3",
        "selections = true",
        8,
        "selections",
        "a whole number from 1 to 100 is wanted",
    ),
    (
        "quota_per_day = 7",
        "quota_per_day = 1.5",
        9,
        "quota_per_day",
        "a whole number from 1 to 100000",
    ),
    ('"required"', '"always"', 7, "explanations", "'always' is none of the words"),
    ('"rules.md"', '"laws.md"', 4, "rules", "there is no "),
    ('problems = "test.csv"', 'problems = "nowhere.csv"', 5, "problems", "there is no "),
    ('key = "solution.csv"\n', "", None, "key", "key is missing"),
    (
        "00:00:00Z\nopen",
        "00:00:00\nopen",
        14,
        "phases.registration",
        "a date and time with its zone",
    ),
    (
        "2026-06-01T00:00:00Z",
        '"1 June"',
        14,
        "phases.registration",
        "a date and time with its zone",
    ),
    ("close = 2026-08-01T00:00:00Z\n", "", 13, "phases.close", "close is missing"),
    (
        "freeze = 2026-07-28",
        "freeze = 2026-08-28",
        17,
        "phases.close",
        "close (2026-08-01T00:00:00.000000Z) is before",
    ),
    (
        "registration = 2026-06-01",
        "registration = 2026-07-09",
        15,
        "phases.open",
        "is before registration",
    ),
    ("freeze = ", "froze = ", 16, "phases.froze", "there is no key froze"),
    (
        'public = ["12026010100", "12026020200"]',
        'public = "all"',
        20,
        "split.public",
        "a list of task ids, or the number",
    ),
    ("12026010100 = 2.5", "12026010100 = -1", 23, "points.12026010100", "a number from 0 to"),
    ("wall_s = 60", "wall_s = 0", 26, "limits.wall_s", "a number from 0.1 to"),
    ("memory_mib = 512", "memory = 512", 27, "limits.memory", "there is no key memory"),
    ('name = "slurm"', 'name = "cloud"', 30, "runner.name", "'cloud' is none of the words"),
    ('runs = "/srv/runs"', 'run = "/srv/runs"', 31, "runner.run", "there is no key run"),
    ('runs = "/srv/runs"\n', "", 29, "runner.runs", "runs is missing"),
    ('"/srv/runs"', '"runs"', 31, "runner.runs", "'runs' is no whole path"),
    ('"/srv/runs"', '"/srv/runs"\npoll_s = "2"', 32, "runner.poll_s", "a number from 0.01"),
    ('["--partition=gpu"]', '"gpu"', 32, "runner.options", "a list of texts is wanted here"),
    ('"slurm"', '"hf_jobs"\ntoken = "x"', 31, "runner.token", "there is no key token"),
    ('"Winter 2026"', '"Winter \\u202e2026"', 2, "title", "the text holds U+202E (RIGHT-TO-LEFT"),
    ('"Winter 2026"', '"Winter\\n2026"', 2, "title", "the text holds U+000A"),
    ('"Six tasks."', '"Six \\u0000"', 3, "description", "the text holds U+0000"),
    ('name = "First"', 'name = "Fir\\u200bst"', 39, "baseline.name", "the text holds U+200B"),
    ('problems = "open"', 'problems = "later"', 35, "see.problems", "'later' is none of the words"),
    ("log = false", 'log = "no"', 36, "see.log", "true or false is wanted here"),
    ('name = "Second"', 'name = "first"', 43, "baseline.name", "'first' stands there twice"),
    ('name = "Second"', 'name = "Fіrst"', 43, "baseline.name", "stands there twice, as 'First'"),
    ('name = "Second"', 'name = "Fi\\u200drst"', 43, "baseline.name", "stands there twice, as"),
    ('name = "Second"', 'name = "Second\\uFE0F"', 43, "baseline.name", "the text holds U+FE0F"),
    ('name = "Second"', 'name = "---"', 43, "baseline.name", "the name holds no letter"),
    ('"Winter 2026"', '"Winter\\uFE0F"', 2, "title", "the text holds U+FE0F"),
    ('"/srv/runs"', '"/srv/\\u0000runs"', 31, "runner.runs", "the text holds U+0000"),
    ('"/srv/runs"', '"/srv/\\u202eruns"', 31, "runner.runs", "the text holds U+202E"),
    ('"--partition=gpu"', '"--partition=\\u202e"', 32, "runner.options", "the text holds U+202E"),
    ('"two.csv"', '"three.csv"', 44, "baseline.predictions", "there is no "),
    ('title = "Winter 2026"', "title = Winter", 2, "9", "not TOML"),
    ("[see]", "see = 3\n[other]", None, "other", "there is no key other"),
]


@pytest.mark.parametrize(
    ("old", "new", "line", "key", "said"),
    FAULTS,
    ids=[f"{fault[3]}-{fault[1][:20]}" for fault in FAULTS],
)
def test_every_fault_is_named_with_its_line_and_key(
    folder: Path, old: str, new: str, line: int | None, key: str, said: str
) -> None:
    assert old in WHOLE
    path = write(folder, WHOLE.replace(old, new, 1))
    with pytest.raises(FormatError) as caught:
        read_challenge_toml(path)
    error = caught.value
    assert (error.place.row, error.place.column) == (line, key) or (
        line is None and error.place.column == key
    )
    assert error.what.startswith(said) or said in error.what
    assert f" key {key}: " in error.message or error.what.startswith("not TOML")
    assert error.hint


def test_a_slip_in_a_key_is_told_the_nearest(folder: Path) -> None:
    with pytest.raises(FormatError) as caught:
        read_challenge_toml(write(folder, WHOLE.replace("team_size", "teamsize")))
    assert caught.value.hint.startswith("Did you mean team_size?")


@pytest.mark.parametrize(
    ("tables", "said"),
    [
        ({"split": 'public = ["77"]'}, "the key has no task '77'"),
        ({"split": "public = 6"}, "6 of 6 tasks with points cannot be public"),
        ({"points": "77 = 1.0"}, "the key has no such task"),
        ({"baseline": 'name = "B"\npredictions = "other.csv"'}, "no row of"),
        ({"baseline": 'name = "B"\npredictions = "solution.csv"'}, "no predictions file"),
    ],
)
def test_what_does_not_fit_the_key_is_refused_and_leaves_nothing(
    world: World, tables: dict[str, str], said: str
) -> None:
    world.write_files()
    (world.folder / "other.csv").write_text("id,pred\n1,x\n", encoding="utf-8")
    with pytest.raises(InputError, match=said):
        world.create(**tables)
    assert challenges.list_challenges(world.service, world.organiser) == ()
    assert list((world.service.home / "keys").iterdir()) == []


def test_points_and_split_of_the_file_count(world: World) -> None:
    world.create(split='public = ["12026010100"]', points="12026020100 = 0.0")
    view = challenges.get(world.service, world.organiser, "small")
    assert [task.id for task in view.tasks if task.split == "public"] == ["12026010100"]
    assert {task.id: task.points for task in view.tasks}["12026020100"] == 0
    world.create("other", split="public = 3")
    split = [t.split for t in challenges.get(world.service, world.organiser, "other").tasks]
    assert split.count("public") == 3


def test_a_slug_is_given_once_even_after_its_challenge_is_deleted(world: World) -> None:
    world.create()
    challenges.delete(world.service, world.organiser, "small", "a trial")
    assert challenges.list_challenges(world.service, world.organiser) == ()
    with pytest.raises(ConflictError, match="already is a challenge small"):
        world.create()
    assert len(list((world.service.home / "keys").iterdir())) == 1


def test_settings_change_by_the_file_with_a_reason_and_the_key_stays(world: World) -> None:
    world.create()
    (world.folder / "solution.csv").unlink()  # the service needs it no more
    path = world.toml(top="quota_per_day = 99", split="public = 1")
    with pytest.raises(InputError, match="a reason is wanted"):
        challenges.update(world.service, world.organiser, "small", path, " ")
    view = challenges.update(world.service, world.organiser, "small", path, "more")
    assert view.settings.quota_per_day == 99
    assert sum(task.split == "public" for task in view.tasks) == 3, "splits go by the key"
    other = world.toml("another")
    with pytest.raises(FormatError, match="the challenge is small"):
        challenges.update(world.service, world.organiser, "small", other, "more")


@pytest.mark.parametrize(
    ("set_at", "name", "asked_at", "phase"),
    [
        ("2026-06-10T00:00", "open", "2026-06-20T00:00", "open"),
        ("2026-06-10T00:00", "open", "2026-07-29T00:00", "frozen"),
        ("2026-06-10T00:00", "final", "2026-07-29T00:00", "final"),
        ("2026-07-29T00:00", "open", "2026-07-30T00:00", "open"),
        ("2026-07-29T00:00", "open", "2026-08-02T00:00", "final"),
        ("2026-08-02T00:00", "open", "2026-09-02T00:00", "open"),
    ],
)
def test_a_set_phase_holds_until_the_time_of_a_later_phase(
    world: World, set_at: str, name: str, asked_at: str, phase: str
) -> None:
    world.create()
    world.clock.set(set_at)
    challenges.set_phase(world.service, world.organiser, "small", Phase(name), "so it be")
    world.clock.set(asked_at)
    assert challenges.get(world.service, world.organiser, "small").phase == phase


def test_a_set_phase_outlives_a_clock_that_steps_back(world: World) -> None:
    """What was set last counts, not what carries the latest time."""
    world.create()

    def set_phase(phase: Phase) -> None:
        challenges.set_phase(world.service, world.organiser, "small", phase, "so it be")

    def phase() -> Phase:
        return challenges.get(world.service, world.organiser, "small").phase

    world.clock.set("2026-07-10T12:00")
    set_phase(Phase.FROZEN)
    world.clock.set("2026-07-10T11:00")
    assert phase() is Phase.FROZEN
    set_phase(Phase.OPEN)
    assert phase() is Phase.OPEN, "the later event, with the earlier time"
    world.clock.set("2026-07-10T12:30")
    assert phase() is Phase.OPEN
    world.clock.set("2026-07-28T01:00")
    assert phase() is Phase.FROZEN, "by its time"


def test_times_give_the_phases_and_what_comes_next(world: World) -> None:
    world.create()
    world.clock.set("2026-05-01T00:00")
    view = challenges.get(world.service, world.organiser, "small")
    assert view.phase is Phase.PLANNED
    assert view.next_change == ("2026-06-01T00:00:00.000000Z", Phase.REGISTRATION)
    world.clock.set("2026-08-01T00:00")
    view = challenges.get(world.service, world.organiser, "small")
    assert (view.phase, view.next_change) == (Phase.FINAL, None)


def test_strangers_see_the_public_tasks_and_no_machines(world: World) -> None:
    from iolai.challenge.service import Actor

    world.create(runner='name = "slurm"\nruns = "/srv/gpu7"')
    view = challenges.get(world.service, Actor.anonymous(), "small")
    assert "gpu7" not in repr(view)
    assert {task.split for task in view.tasks} == {"public"}
    assert view.n_submissions is None
    whole = challenges.get(world.service, world.organiser, "small")
    assert "gpu7" in repr(whole)
    assert len(whole.tasks) == len(TASKS)
