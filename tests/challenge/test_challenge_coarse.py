"""What a team is told before the results are published has few digits, whatever was scored."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from iolai.challenge import boards, challenges, submissions
from iolai.challenge.coarse import TASK_DIGITS, TOTAL_DIGITS
from iolai.challenge.service import Actor
from world import World, answers

STRANGER = Actor.anonymous()


def _figures(value: object) -> Iterator[float]:
    """Every float in what is told, however deep, but those that are the challenge's settings."""
    if isinstance(value, float):
        yield value
    elif dataclasses.is_dataclass(value):
        names = [one.name for one in dataclasses.fields(value)]
        yield from (f for n in names if n != "rates" for f in _figures(getattr(value, n)))
    elif isinstance(value, dict):
        yield from (f for one in value.values() for f in _figures(one))
    elif isinstance(value, tuple | list):
        yield from (f for one in value for f in _figures(one))


def _has_digits(value: float, n_digits: int) -> bool:
    return value == round(value, n_digits)


def _play(world: World) -> tuple[Actor, str, str]:
    world.create(see="items = true")
    actor, team = world.team("Team A")
    # Right answers with something behind them: their chrF has many digits.
    view = world.scored(actor, answers(2, wrong="kalatopq"))
    return actor, team.id, view.submission.id


def test_a_team_gets_rounded_figures_until_the_results_are_published(world: World) -> None:
    actor, team, submission = _play(world)
    service = world.service
    exact = submissions.submission_view(service, world.organiser, submission).public
    assert exact is not None
    assert not all(_has_digits(f, TOTAL_DIGITS) for f in _figures(exact))
    told = submissions.submission_view(service, actor, submission).public
    assert told is not None
    assert all(_has_digits(f, TOTAL_DIGITS) for f in _figures(told.score))
    assert all(_has_digits(f, TASK_DIGITS) for f in _figures((told.tasks, told.by_task_type)))
    for who in (actor, STRANGER):
        board = boards.public_board(service, who, "small")
        assert all(_has_digits(f, TOTAL_DIGITS) for f in _figures(board.rows))
        (row,) = board.rows
        assert all(_has_digits(f, TASK_DIGITS) for f in _figures(row.by_task_type))
        assert all(_has_digits(f, TASK_DIGITS) for f in _figures(row.by_problem))
        reached = [(line.mean, line.best) for line in board.tasks]
        assert all(_has_digits(f, TASK_DIGITS) for f in _figures(reached))
        lines = boards.history(service, who, "small", team)
        assert all(_has_digits(f, TOTAL_DIGITS) for f in _figures(lines))
        assert all(
            _has_digits(f, TOTAL_DIGITS) for f in _figures(boards.why(service, who, "small", team))
        )


def test_published_figures_have_all_their_digits(world: World) -> None:
    actor, _, submission = _play(world)
    world.clock.set("2026-08-02T00:00")
    challenges.publish(world.service, world.organiser, "small")
    service = world.service
    told = submissions.submission_view(service, actor, submission).public
    assert told == submissions.submission_view(service, world.organiser, submission).public
    board = boards.public_board(service, STRANGER, "small")
    assert not all(_has_digits(f, TOTAL_DIGITS) for f in _figures(board.rows))
