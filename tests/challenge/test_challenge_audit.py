"""Events alone rebuild what is looked up."""

from __future__ import annotations

import pytest

from iolai.challenge import accounts, audit, challenges, proposals, teams
from iolai.challenge.service import Actor
from iolai.errors import ForbiddenError
from iolai.records import Role, RunState
from iolai.store import runs
from world import World, answers


def _story(world: World) -> None:
    """A bit of everything that leaves rows behind."""
    service, admin = world.service, Actor.local()
    world.create()
    world.create("other")
    for name in ("Ada", "Ben", "Cem", "Dea"):
        accounts.make_account(service, admin, name, "a long password", Role.PARTICIPANT)
    found = accounts.list_accounts(service, admin)
    people = {one.name: Actor(one.id, one.name, one.role) for one in found}
    accounts.set_role(service, admin, "Dea", Role.JUROR)
    accounts.delete_account(service, admin, "Cem", "asked for it")
    team = teams.create_team(service, people["Ada"], "small", "Team A")
    teams.join(service, people["Ben"], "small", team.join_code)
    teams.create_team(service, people["Ben"], "other", "Team B")
    teams.leave(service, people["Ben"], "small")
    world.scored(people["Ada"], answers(2))
    world.decide(world.submit(people["Ada"], answers(3)), "crashed")
    world.submit(people["Ada"], answers(4))
    first = proposals.propose_rejudge(service, admin, "small", None, "look again")
    proposals.cancel(service, admin, first.id, "no")
    second = proposals.propose_key(service, admin, "small", world.folder / "solution.csv", "same")
    proposals.apply(service, admin, second.id)
    proposals.propose_rejudge(service, admin, "small", None, "later")
    challenges.delete(service, admin, "other", "a trial")


def test_events_alone_rebuild_what_is_looked_up(any_world: World) -> None:
    _story(any_world)
    service = any_world.service
    assert audit.differences(service, Actor.local()) == ()
    with service.store.read() as connection:
        waiting = runs.list_runs(connection, states=[RunState.QUEUED])
    with service.store.write() as connection:
        runs.update_run(connection, waiting[0].id, state=RunState.DONE)
    (told,) = audit.differences(service, Actor.local())
    assert told == f"states: 2 differ, first {waiting[0].id}=done in the rows alone"


def test_only_organisers_ask_for_it(world: World) -> None:
    with pytest.raises(ForbiddenError):
        audit.differences(world.service, world.person("Somebody"))
