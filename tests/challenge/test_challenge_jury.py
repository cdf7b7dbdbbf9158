"""The jury's work as the door offers it: drafting, marking, talk, the third, the seal."""

from __future__ import annotations

import csv
import io
import json
import shutil
import threading
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from command_line import run
from iolai.challenge import accounts, backups, transfer
from iolai.challenge.jury import (
    beginning,
    contestants,
    desk,
    discussing,
    exporting,
    jurors,
    packets,
    papers,
    results,
    rubrics,
    sealing,
    settings,
)
from iolai.challenge.jury.desk import NewMark
from iolai.challenge.jury.state import JurySettings, find_jury
from iolai.challenge.service import Actor, open_service
from iolai.errors import ConflictError, ForbiddenError, InputError, NotFoundError
from iolai.formats import render_rubric
from iolai.records import ContestantKind, Criterion, EventKind, MarkKind, Role, Thresholds
from iolai.store.contestants import list_contestants
from iolai.store.events import list_events
from iolai.store.marks import list_marks
from iolai.store.papers import list_assignments, list_papers
from jury_for_tests import (
    JURORS,
    LOCAL,
    PEOPLE,
    SYSTEMS,
    Marking,
    begun,
    draft,
    new_id,
    own,
)
from postgres import PostgresServer
from site_for_tests import SLUG, Clock, Site, hash_quickly, make_site, use_database

PROBLEM = "1000101"


@pytest.fixture(scope="module", autouse=True)
def quick_hashing() -> Iterator[None]:
    patch = hash_quickly()
    yield
    patch.undo()


def _made(folder: Path, make: Callable[..., Marking]) -> Path:
    marking = make(make_site(folder), problems=(PROBLEM,))
    marking.service.close()
    return folder


@pytest.fixture(scope="module")
def drafted_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _made(tmp_path_factory.mktemp("drafted"), draft)


@pytest.fixture(scope="module")
def begun_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _made(tmp_path_factory.mktemp("begun"), begun)


def _opened(home: Path, folder: Path) -> Marking:
    shutil.copytree(home, folder, dirs_exist_ok=True)
    clock = Clock()
    clock.set(6)
    service = open_service(folder / "home", now=clock)
    return Marking(Site(service, None, clock, folder))  # type: ignore[arg-type]


@pytest.fixture
def drafting(drafted_home: Path, tmp_path: Path) -> Iterator[Marking]:
    marking = _opened(drafted_home, tmp_path)
    yield marking
    marking.service.close()


@pytest.fixture
def marking(begun_home: Path, tmp_path: Path) -> Iterator[Marking]:
    marking = _opened(begun_home, tmp_path)
    yield marking
    marking.service.close()


# -- drafting -------------------------------------------------------------------------------------


def test_a_rubric_gets_the_next_version_and_keeps_its_text(drafting: Marking) -> None:
    before = rubrics.get_rubric(drafting.service, LOCAL, SLUG, PROBLEM)
    assert before.rubric is not None
    assert (before.rubric.version, before.notes) == (1, ())
    text = before.text.replace("points = 4\n", "points = 5\n", 1)
    after = rubrics.set_rubric(drafting.service, LOCAL, SLUG, PROBLEM, text)
    assert after.rubric is not None
    assert after.rubric.version == 2
    assert after.notes == ("its points sum to 21, not 20",)
    assert after.text == render_rubric(after.rubric)


def test_a_rubric_of_another_problem_or_task_is_refused(drafting: Marking) -> None:
    text = rubrics.get_rubric(drafting.service, LOCAL, SLUG, PROBLEM).text
    for wrong in (text.replace(PROBLEM, "1000105", 1), text.replace("10001010200", "999")):
        with pytest.raises(InputError, match=r"of problem|does not have"):
            rubrics.set_rubric(drafting.service, LOCAL, SLUG, PROBLEM, wrong)
    assert rubrics.get_rubric(drafting.service, LOCAL, SLUG, PROBLEM).text == text


def test_only_jurors_accounts_mark(drafting: Marking) -> None:
    service = drafting.service
    accounts.make_account(service, LOCAL, "zoe", "correct horse battery", Role.ORGANISER)
    for name in ("zoe", "mira"):
        with pytest.raises(InputError, match="is no juror"):
            jurors.set_group(service, LOCAL, SLUG, PROBLEM, [*JURORS, name])


def test_what_lacks_is_listed_and_refused(drafting: Marking) -> None:
    service = drafting.service
    assert beginning.lacks(service, LOCAL, SLUG) == ()
    jurors.set_group(service, LOCAL, SLUG, PROBLEM, JURORS[:1])
    assert len(beginning.lacks(service, LOCAL, SLUG)) == 1
    with pytest.raises(ConflictError, match="has 1 jurors"):
        beginning.begin(service, LOCAL, SLUG, "now")
    with service.store.read() as connection:
        assert list_papers(connection, _id(drafting)) == ()


def _id(marking: Marking) -> str:
    from iolai.challenge.state import find_state

    with marking.service.store.read() as connection:
        return find_state(marking.service, connection, SLUG).id


def test_selecting_again_replaces_the_systems(drafting: Marking) -> None:
    service = drafting.service
    entries = contestants.list_entries(service, LOCAL, SLUG)
    assert [entry.name for entry in entries] == ["Wombatkanari", "Quaggakanari"]
    assert all(entry.selected for entry in entries)
    found = contestants.select(service, LOCAL, SLUG, [entries[0].team], "one is enough")
    assert [one.name for one in found] == ["Wombatkanari", *PEOPLE]
    with pytest.raises(NotFoundError, match="no entry"):
        contestants.select(service, LOCAL, SLUG, ["nobody"], "why not")
    with pytest.raises(InputError, match="reason"):
        contestants.select(service, LOCAL, SLUG, [], " ")


def test_blinding_takes_names_out_unless_they_stay(drafting: Marking) -> None:
    service = drafting.service
    (row, *_) = contestants.list_contestants(service, LOCAL, SLUG)
    assert row.name == "Quaggakanari"

    def said() -> str:
        _, found = papers.preview_blinding(service, LOCAL, SLUG, row.id)
        (paper,) = [one for one in found if one.problem == PROBLEM]
        return paper.content.answers[0].explanation

    assert "uagga" not in said()
    assert "-lar" in said()
    settings.set_settings(service, LOCAL, SLUG, JurySettings(kept_names=("quaggakanari",)))
    assert "Quaggakanari" in said()
    settings.set_settings(service, LOCAL, SLUG, JurySettings(blind_names=("back vowel",)))
    assert "back vowel" not in said()


def test_conflicts_are_kept_apart(drafting: Marking) -> None:
    service = drafting.service
    found = contestants.list_contestants(service, LOCAL, SLUG)
    for one in found[:2]:
        jurors.set_conflict(service, LOCAL, SLUG, "juror-a", one.id)
    jurors.set_conflict(service, LOCAL, SLUG, "juror-b", found[2].id)
    jurors.set_conflict(service, LOCAL, SLUG, "juror-b", found[2].id, holds=False)
    held = jurors.list_conflicts(service, LOCAL, SLUG)
    assert [(one.juror, one.contestant) for one in held] == [
        ("juror-a", found[0].name),
        ("juror-a", found[1].name),
    ]
    beginning.begin(service, LOCAL, SLUG, "now", seed=3)
    drafting.settle()
    drafting.unseal()
    owners = _owners(drafting)
    assert {owners[n] for n in drafting.numbers("juror-a")} <= {found[2].name, found[3].name}


def _owners(marking: Marking) -> dict[int, str]:
    """Return whose each paper is, by its number, of a marking that is unsealed."""
    with marking.service.store.read() as connection:
        jury = find_jury(marking.service, connection, SLUG)
        owners = sealing.contestants_of_papers(marking.service, jury)
        names = {one.id: one.name for one in list_contestants(connection, jury.id)}
        return {paper.number: names[owners[paper.id]] for paper in list_papers(connection, jury.id)}


def test_a_paper_that_cannot_be_assigned_is_named(drafting: Marking) -> None:
    service = drafting.service
    (one, *_) = contestants.list_contestants(service, LOCAL, SLUG)
    for name in JURORS[:3]:
        jurors.set_conflict(service, LOCAL, SLUG, name, one.id)
    with pytest.raises(InputError, match=one.name):
        beginning.begin(service, LOCAL, SLUG, "now")


# -- the beginning --------------------------------------------------------------------------------


def test_the_assignment_follows_the_seed_and_numbers_do_not(
    drafted_home: Path, tmp_path: Path
) -> None:
    found = []
    for name in ("one", "other"):
        marking = _opened(drafted_home, tmp_path / name)
        beginning.begin(marking.service, LOCAL, SLUG, "now", seed=5)
        found.append(marking.all_numbers())
        with marking.service.store.read() as connection:
            (event,) = list_events(connection, kinds=(EventKind.MARKING_BEGUN,))
        assert event.data["seed"] == 5
        marking.service.close()
    assert found[0] != found[1], "the same numbers twice, of 899"


def test_after_the_beginning_nothing_of_the_draft_changes(marking: Marking) -> None:
    service = marking.service
    (one, *_) = contestants.list_contestants(service, LOCAL, SLUG)
    text = rubrics.get_rubric(service, LOCAL, SLUG, PROBLEM).text
    for change in (
        lambda: rubrics.set_rubric(service, LOCAL, SLUG, PROBLEM, text),
        lambda: contestants.select(service, LOCAL, SLUG, [], "none"),
        lambda: contestants.add_person(service, LOCAL, SLUG, "Late", [(PROBLEM, "a.txt", b"x")]),
        lambda: contestants.withdraw(service, LOCAL, SLUG, one.id, "no"),
        lambda: jurors.set_conflict(service, LOCAL, SLUG, "juror-a", one.id),
        lambda: jurors.set_group(service, LOCAL, SLUG, PROBLEM, JURORS[:3]),
        lambda: beginning.begin(service, LOCAL, SLUG, "again"),
        lambda: settings.set_settings(service, LOCAL, SLUG, JurySettings(blind_names=("x",))),
    ):
        with pytest.raises(ConflictError):
            change()


# -- marking --------------------------------------------------------------------------------------


def test_marks_are_appended_and_the_newest_counts(marking: Marking) -> None:
    (number, *_) = marking.numbers("juror-a")
    name = marking.criteria("juror-a", number)[0].id
    for points in (4.0, 2.0, None, 3.0):
        (saved,) = marking.save("juror-a", number, [own(name, points)])
        assert saved.kept
    paper = desk.open_desk(marking.service, marking.juror("juror-a"), SLUG, number)
    assert paper.own[name].points == 3.0
    with marking.service.store.read() as connection:
        given = list_marks(connection, _id(marking))
    assert [mark.points for mark in given] == [4.0, 2.0, None, 3.0]


def test_the_same_client_id_again_changes_nothing(marking: Marking) -> None:
    first, second = marking.numbers("juror-a")[:2]
    name = marking.criteria("juror-a", first)[0].id
    mark = own(name, 2.0)
    assert marking.save("juror-a", first, [mark, mark])[1].kept
    assert marking.save("juror-a", first, [own(name, 4.0)])[0].kept
    assert marking.save("juror-a", first, [mark])[0].kept, "answered as the first time"
    with marking.service.store.read() as connection:
        assert [one.points for one in list_marks(connection, _id(marking))] == [2.0, 4.0]
    (elsewhere,) = marking.save("juror-a", second, [mark])
    assert not elsewhere.kept
    other = marking.pair(first)
    other.remove("juror-a")
    (stolen,) = marking.save(other[0], first, [mark])
    assert not stolen.kept


def test_of_two_marks_the_one_made_later_counts_and_both_are_kept(marking: Marking) -> None:
    (number, *_) = marking.numbers("juror-a")
    name = marking.criteria("juror-a", number)[0].id
    clock = marking.site.clock
    elsewhere = own(name, 4.0)
    assert marking.save("juror-a", number, [elsewhere])[0].message == ""
    clock.move(minutes=10)
    late = replace(own(name, 1.0), age_s=1_200)
    (answer,) = marking.save("juror-a", number, [late])
    assert answer.kept
    assert answer.message == "older than what you marked elsewhere: 4 counts"
    assert marking.save("juror-a", number, [late]) == (answer,), "and again as the first time"
    newer = replace(own(name, 2.0), age_s=300)
    assert marking.save("juror-a", number, [newer])[0].message == ""
    # What one page made is in its order, however slow the line was.
    then = replace(own(name, 3.0), age_s=500, after=newer.client_id)
    assert marking.save("juror-a", number, [then])[0].message == ""
    for age in (-5.0, 1e300):
        again = replace(own(name, 0.0), age_s=age, after=then.client_id)
        assert marking.save("juror-a", number, [again])[0].kept
        then = again
    with marking.service.store.read() as connection:
        given = list_marks(connection, _id(marking))
    assert [(one.kind, one.points) for one in given] == [
        ("own", 4.0), ("late", 1.0), ("own", 2.0), ("own", 3.0), ("own", 0.0), ("own", 0.0),
    ]  # fmt: skip
    assert given[1].made_at < given[0].made_at < given[1].at


def test_points_outside_the_steps_are_refused_one_by_one(marking: Marking) -> None:
    (number, *_) = marking.numbers("juror-a")
    names = [one.id for one in marking.criteria("juror-a", number)]
    saved = marking.save(
        "juror-a", number, [own(names[0], 3.7), own(names[1], 2.0), own("none", 1.0)]
    )
    assert [one.kept for one in saved] == [False, True, False]
    assert "0, 1, 2, 3, 4" in saved[0].hint


def test_handing_over_needs_every_mark_and_closes_them(marking: Marking) -> None:
    (number, *_) = marking.numbers("juror-a")
    assert not marking.hand_over("juror-a", number).kept
    marking.mark_all("juror-a", number)
    assert marking.hand_over("juror-a", number).kept
    (late,) = marking.save("juror-a", number, [own(marking.criteria("juror-a", number)[0].id, 0.0)])
    assert not late.kept
    assert "handed over" in late.message


def test_a_paper_is_hidden_from_all_who_do_not_mark_it(marking: Marking) -> None:
    (number, *_) = marking.all_numbers()
    service = marking.service
    outside = [name for name in JURORS if name not in marking.pair(number)]
    for actor in (marking.juror(outside[0]), LOCAL):
        for ask in (
            lambda who: desk.open_desk(service, who, SLUG, number),
            lambda who: desk.save(service, who, SLUG, number, [own("x", 1.0)]),
            lambda who: discussing.view(service, who, SLUG, number),
            lambda who: desk.page_image(service, who, SLUG, number, 1),
        ):
            with pytest.raises(NotFoundError, match="no such paper"):
                ask(actor)
    with pytest.raises(ForbiddenError):
        desk.open_desk(service, marking.juror("mira"), SLUG, number)


# -- talk -----------------------------------------------------------------------------------------


def _differing(marking: Marking) -> tuple[int, str, str, str]:
    """Return a paper both handed over, its pair, and the first criterion on which they differ."""
    number = marking.all_numbers()[0]
    first, second = marking.pair(number)
    marking.mark_all(first, number, 1.0, "so good")
    marking.hand_over(first, number)
    marking.mark_all(second, number, 0.0, "so bad")
    marking.hand_over(second, number)
    talk = discussing.view(marking.service, marking.juror(first), SLUG, number)
    return number, first, second, talk.differences[0].criterion.id


def test_the_others_marks_are_seen_when_both_have_handed_over(marking: Marking) -> None:
    number = marking.all_numbers()[0]
    first, second = marking.pair(number)
    marking.mark_all(first, number)
    marking.hand_over(first, number)
    marking.mark_all(second, number, 0.0)
    for name in (first, second):
        with pytest.raises(ConflictError, match="not handed over by both"):
            discussing.view(marking.service, marking.juror(name), SLUG, number)
    marking.hand_over(second, number)
    talk = discussing.view(marking.service, marking.juror(first), SLUG, number)
    assert [mark.whose for mark in talk.differences[0].marks] == ["you", second]
    assert [mark.points for mark in talk.differences[0].marks] == [4.0, 0.0]


def test_two_who_propose_the_same_agree(marking: Marking) -> None:
    number, first, second, criterion = _differing(marking)
    for name in (first, second):
        discussing.propose(
            *(marking.service, marking.juror(name), SLUG, number, criterion),
            *(3.0, "in between", new_id()),
        )
    talk = discussing.view(marking.service, marking.juror(first), SLUG, number)
    assert talk.differences[0].counted is not None
    assert talk.differences[0].counted.points == 3.0


def test_accepting_what_was_replaced_is_refused(marking: Marking) -> None:
    number, first, second, criterion = _differing(marking)
    place = (marking.service, marking.juror(first), SLUG, number, criterion)
    discussing.propose(*place, 3.0, "in between", new_id())
    seen = discussing.view(marking.service, marking.juror(second), SLUG, number)
    proposal = seen.differences[0].proposal
    assert proposal is not None
    discussing.propose(*place, 1.0, "on second thoughts", new_id())
    with pytest.raises(ConflictError, match="another proposal"):
        discussing.accept(
            *(marking.service, marking.juror(second), SLUG, number, criterion),
            *(proposal.id, new_id()),
        )


def test_a_form_sent_twice_is_harmless_and_another_is_not_taken_for_it(marking: Marking) -> None:
    number, first, _, criterion = _differing(marking)
    place = (marking.service, marking.juror(first), SLUG, number, criterion)
    name = new_id()
    for _ in range(2):
        discussing.propose(*place, 3.0, "in between", name)
    with pytest.raises(ConflictError, match="sent before"):
        discussing.escalate(*place, "", name)
    with marking.service.store.read() as connection:
        given = list_marks(connection, _id(marking))
    assert sum(mark.kind is MarkKind.PROPOSED for mark in given) == 1


def test_a_third_decides_what_was_escalated_and_sees_no_names(marking: Marking) -> None:
    number, first, second, criterion = _differing(marking)
    service = marking.service
    thirds = [name for name in JURORS if name not in (first, second)]
    assert all(number not in marking.numbers(name) for name in thirds)
    discussing.escalate(
        *(service, marking.juror(first), SLUG, number, criterion, "we cannot agree", new_id())
    )
    (third,) = [name for name in thirds if number in marking.numbers(name)]
    talk = discussing.view(service, marking.juror(third), SLUG, number)
    assert [one.criterion.id for one in talk.differences] == [criterion]
    assert {mark.whose for mark in talk.differences[0].marks} == {"one juror", "the other juror"}
    place = (SLUG, number, criterion)
    with pytest.raises(NotFoundError):
        discussing.propose(service, marking.juror(third), *place, 2.0, "mine", new_id())
    with pytest.raises(NotFoundError):
        discussing.decide(service, marking.juror(first), *place, 2.0, "mine", new_id())
    discussing.decide(service, marking.juror(third), *place, 2.0, "half of it", new_id())
    seen = discussing.view(service, marking.juror(first), SLUG, number)
    assert seen.differences[0].counted is not None
    assert (seen.differences[0].counted.points, seen.differences[0].counted.by) == (2.0, "third")


def test_an_absent_juror_is_replaced_and_marks_given_stay(marking: Marking) -> None:
    service = marking.service
    numbers = marking.numbers("juror-a")
    marking.mark_all("juror-a", numbers[0])
    marking.hand_over("juror-a", numbers[0])
    other = next(name for name in marking.pair(numbers[1]) if name != "juror-a")
    marking.mark_all(other, numbers[1])
    changed = jurors.replace_juror(service, LOCAL, SLUG, "juror-a", "ill")
    assert sorted(changed) == sorted(numbers[1:])
    assert marking.numbers("juror-a") == [numbers[0]]
    assert other in marking.pair(numbers[1])
    line = next(
        one for one in desk.queue(service, marking.juror(other), SLUG) if one.number == numbers[1]
    )
    assert line.n_marked == line.n_criteria
    with pytest.raises(ConflictError, match="none of these"):
        jurors.replace_juror(service, LOCAL, SLUG, "juror-a", "ill")


def test_a_paper_is_given_back_with_its_marks(marking: Marking) -> None:
    number, first, second, _ = _differing(marking)
    service = marking.service
    jurors.reopen(service, LOCAL, SLUG, number, first, "a slip")
    (saved,) = marking.save(first, number, [own("1000101-t1", 0.0)])
    assert saved.kept
    with pytest.raises(ConflictError, match="not handed over by both"):
        discussing.view(service, marking.juror(second), SLUG, number)
    assert marking.hand_over(first, number).kept
    talk = discussing.view(service, marking.juror(second), SLUG, number)
    assert "1000101-t1" not in {one.criterion.id for one in talk.differences}
    assert len(talk.differences) == 6
    outsider = next(name for name in JURORS if name not in (first, second))
    with pytest.raises(ConflictError, match="has not handed over"):
        jurors.reopen(service, LOCAL, SLUG, number, outsider, "a slip")


def test_a_preview_says_what_the_points_would_sum_to(marking: Marking) -> None:
    held = rubrics.get_rubric(marking.service, LOCAL, SLUG, PROBLEM).rubric
    *kept, last = held.criteria
    more = replace(held, criteria=(*kept, replace(last, points=last.points + 1, steps=())))
    seen = rubrics.preview_amendment(marking.service, LOCAL, SLUG, PROBLEM, render_rubric(more))
    assert seen.notes == ("its points sum to 21, not 20",)
    same = rubrics.preview_amendment(marking.service, LOCAL, SLUG, PROBLEM, render_rubric(held))
    assert same.notes == ()


def test_an_amendment_reopens_what_it_touches_alone(marking: Marking) -> None:
    number, first, second, _ = _differing(marking)
    service = marking.service
    view = rubrics.get_rubric(service, LOCAL, SLUG, PROBLEM)
    text = view.text.replace(
        'when = "ú at the beginning of a word, ů elsewhere"', 'when = "where ú stands, and ů"'
    )
    assert text != view.text
    seen = rubrics.preview_amendment(service, LOCAL, SLUG, PROBLEM, text)
    assert [one.criterion for one in seen.amendment.changes] == ["1000101-r4"]
    assert [seen.numbers[one.paper] for one in seen.amendment.papers] == [number]
    rubrics.amend(service, LOCAL, SLUG, PROBLEM, text, base=seen.base, reason="clearer")
    with pytest.raises(ConflictError, match="not handed over by both"):
        discussing.view(service, marking.juror(first), SLUG, number)
    paper = desk.open_desk(service, marking.juror(first), SLUG, number)
    assert set(paper.own) == {one.id for one in paper.rubric.criteria} - {"1000101-r4"}
    with pytest.raises(ConflictError, match="version 2 by now"):
        rubrics.amend(service, LOCAL, SLUG, PROBLEM, view.text, base=1, reason="back")
    old = [NewMark(new_id(), "1000101-r4", 1.0, "", 1), NewMark(new_id(), "1000101-r3", 1.0, "", 1)]
    saved = desk.save(service, marking.juror(second), SLUG, number, old)
    assert [one.kept for one in saved] == [False, False]
    assert "version" in saved[0].message + saved[0].hint or "changed" in saved[0].message
    assert "was not reopened" in saved[1].message, "the pair has seen each other's marks"


# -- the seal, the result -------------------------------------------------------------------------


def test_unsealing_waits_for_every_paper_and_ends_marking(marking: Marking) -> None:
    service = marking.service
    organiser = Actor("org", "zoe", Role.ORGANISER)
    numbers = marking.all_numbers()
    marking.settle(numbers[1:])
    with pytest.raises(ConflictError, match="1 of 4 papers are not settled"):
        sealing.unseal(service, organiser, SLUG, "done")
    with pytest.raises(ConflictError, match="sealed"):
        results.result(service, LOCAL, SLUG)
    marking.settle(numbers[:1], (1.0, 0.5))
    for juror in JURORS:
        with pytest.raises(ForbiddenError):
            sealing.unseal(service, marking.juror(juror), SLUG, "done")
    sealing.unseal(service, organiser, SLUG, "done")
    name = marking.pair(numbers[0])[0]
    (late,) = marking.save(name, numbers[0], [own("1000101-t1", 0.0)])
    assert not late.kept
    found = results.result(service, marking.juror("juror-a"), SLUG)
    assert {one.contestant.name for one in found.result.contestants} == {*SYSTEMS.values(), *PEOPLE}
    assert settings.view_marking(service, marking.juror("juror-a"), SLUG).unsealed_why == "done"


def test_an_early_look_is_an_admins_and_everybody_sees_it(marking: Marking) -> None:
    service = marking.service
    number = marking.all_numbers()[0]
    with pytest.raises(ForbiddenError):
        sealing.open_early(service, Actor("o", "zoe", Role.ORGANISER), SLUG, number, "a doubt")
    name = sealing.open_early(service, LOCAL, SLUG, number, "a doubt")
    assert name in {*SYSTEMS.values(), *PEOPLE}
    (look,) = settings.view_marking(service, marking.juror("juror-c"), SLUG).opened
    assert (look.number, look.why, look.by) == (number, "a doubt", "local")
    beginning.withdraw_paper(service, LOCAL, SLUG, number, "it gives itself away")
    assert number not in marking.all_numbers()


def test_what_is_released_is_called_by_numbers(marking: Marking) -> None:
    service = marking.service
    marking.settle()
    marking.unseal()
    with pytest.raises(NotFoundError):
        results.result(service, Actor.anonymous(), SLUG)
    hidden = results.Anonymity(systems=False, people=True)
    results.release(service, LOCAL, SLUG, "the month is over", hidden)
    public = results.result(service, Actor.anonymous(), SLUG)
    names = {one.contestant.name for one in public.result.contestants}
    assert names == {"person 1", "person 2", *SYSTEMS.values()}
    assert not [name for name in (*PEOPLE, *JURORS) if name in repr(public)]


def test_thresholds_give_medals(marking: Marking) -> None:
    thresholds = Thresholds(gold=15.0, silver=10.0)
    settings.set_settings(marking.service, LOCAL, SLUG, JurySettings(thresholds=thresholds))
    marking.settle()
    marking.unseal()
    found = results.result(marking.service, LOCAL, SLUG)
    assert {one.medals for one in found.result.contestants} == {("gold",)}


def test_packets_are_of_ones_own_papers(marking: Marking) -> None:
    service = marking.service
    found = packets.get_packet(service, marking.juror("juror-b"), SLUG, PROBLEM)
    assert sorted(int(paper.number) for paper in found.papers) == sorted(marking.numbers("juror-b"))
    whole = packets.get_packet(service, LOCAL, SLUG, PROBLEM)
    assert [int(paper.number) for paper in whole.papers] == marking.all_numbers()
    with pytest.raises(NotFoundError):
        packets.get_packet(service, marking.juror("juror-b"), SLUG, "1000105")


def test_the_jurys_work_does_not_travel_and_a_backup_holds_it(
    marking: Marking, tmp_path: Path
) -> None:
    service, number = marking.service, marking.all_numbers()[0]
    transfer.export_challenge(service, LOCAL, SLUG, tmp_path / "export.zip", with_key=True)
    other = open_service(tmp_path / "other", now=marking.site.clock)
    transfer.import_challenge(other, LOCAL, tmp_path / "export.zip")
    assert settings.view_marking(other, LOCAL, SLUG).state == "drafting"
    other.close()
    marking.settle()
    backups.backup(service, LOCAL, tmp_path / "backup.zip")
    secret = marking.site.folder / "home" / "secret"
    backups.restore(tmp_path / "backup.zip", tmp_path / "restored", secret)
    again = open_service(tmp_path / "restored", now=marking.site.clock)
    sealing.unseal(again, LOCAL, SLUG, "restored")
    assert len(results.result(again, LOCAL, SLUG).result.contestants) == 4
    again.close()
    assert number


def test_an_export_can_be_worked_out_anew(marking: Marking) -> None:
    service = marking.service
    with pytest.raises(ConflictError, match="sealed"):
        exporting.export_jury(service, LOCAL, SLUG, results.Anonymity())
    marking.settle(shares=(1.0, 0.5))
    marking.unseal()
    data = exporting.export_jury(service, LOCAL, SLUG, results.Anonymity(systems=True))
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
        archive.extractall(marking.site.folder / "export")
    whole = b"".join(files.values()).decode()
    assert not [name for name in (*PEOPLE, *SYSTEMS.values(), *JURORS) if name in whole]
    assert not [name for name in files if name.startswith("pages/")]
    told = json.loads(files["result.json"])
    folder = marking.site.folder / "export"
    again = run(
        *("jury", "results", folder / "marks.csv", "--rubrics", folder / "rubrics"),
        *("--contestants", folder / "contestants.csv", "--json"),
    )
    assert again.code == 0, again.err
    anew = json.loads(again.out)
    assert _totals(anew) == _totals(told)
    assert len(_totals(told)) == 4


def test_an_export_tells_of_stand_ins_and_amendments(marking: Marking) -> None:
    """A juror goes after marking, a third goes too, and a rubric loses points when all is done."""
    service = marking.service
    mine = [n for n in marking.numbers("juror-a") if _problem_of(marking, n) == PROBLEM]
    marking.mark_all("juror-a", mine[0], 0.5)
    assert mine[0] in jurors.replace_juror(service, LOCAL, SLUG, "juror-a", "ill", mine[:1])
    _decide_by_two_thirds(marking, mine[1])
    marking.settle([n for n in marking.all_numbers() if n != mine[1]], (1.0, 0.5))
    last = rubrics.get_rubric(service, LOCAL, SLUG, PROBLEM).rubric.criteria[-1]
    _take_half_a_point(marking, last)
    marking.unseal()
    told, again = _exported_and_again(marking)
    assert _totals(again) == _totals(told)
    lines = csv.DictReader(io.StringIO(_marks_of_export(marking)))
    assert {line["role"] for line in lines} == {"first", "second", "third", "replaced"}
    for part in ("agreement", "comparison", "difficulty", "notes", "thresholds"):
        assert again[part] == told[part], part
    for one, other in zip(again["contestants"], told["contestants"], strict=True):
        assert one == other
    equal = {one["name"]: one["n_equal"] for one in told["agreement"][0]["criteria"]}
    assert equal[last.id] == 0, "of the marks before they saw each other's"


def test_who_stood_down_may_be_the_third_and_the_export_says_so(marking: Marking) -> None:
    """In a group of three, the juror who was replaced is the only third that there is."""
    service = marking.service
    number = next(n for n in marking.numbers("juror-a") if _problem_of(marking, n) == PROBLEM)
    first, _ = marking.pair(number)
    marking.mark_all(first, number, 0.5)
    assert jurors.replace_juror(service, LOCAL, SLUG, first, "away for a week", [number])
    pair = marking.pair(number)
    for name, share in zip(pair, (1.0, 0.5), strict=True):
        marking.mark_all(name, number, share)
        assert marking.hand_over(name, number).kept
    found = discussing.view(service, marking.juror(pair[0]), SLUG, number).differences[0]
    asked = f"{pair[1].upper()} is too strict, says {first}"
    discussing.escalate(
        *(service, marking.juror(pair[0]), SLUG, number, found.criterion.id, asked, new_id())
    )
    third = marking.third(number)
    shown = discussing.view(service, marking.juror(third), SLUG, number).differences[0]
    assert shown.asked_for == asked
    discussing.decide(
        *(service, marking.juror(third), SLUG, number, found.criterion.id),
        *(0.0, f"as {pair[0]} says, not as {PEOPLE[0]}", new_id()),
    )
    marking.agree([number])
    marking.settle([n for n in marking.all_numbers() if n != number], (1.0, 0.5))
    marking.unseal()
    told, again = _exported_and_again(marking)
    assert _totals(again) == _totals(told)
    marks = _marks_of_export(marking)
    assert " is too strict, says juror " in marks
    assert not [name for name in (*JURORS, *PEOPLE) if name.casefold() in marks.casefold()]


def _without_third(marking: Marking) -> tuple[int, str, str]:
    """Have a difference escalated and its paper given back; return it, the second, the third."""
    number = next(n for n in marking.numbers("juror-a") if _problem_of(marking, n) == PROBLEM)
    pair = marking.pair(number)
    for name, share in zip(pair, (1.0, 0.5), strict=True):
        marking.mark_all(name, number, share)
        assert marking.hand_over(name, number).kept
    asker = marking.juror(pair[0])
    for found in discussing.view(marking.service, asker, SLUG, number).differences:
        place = (number, found.criterion.id)
        discussing.escalate(marking.service, asker, SLUG, *place, "no", new_id())
    third = marking.third(number)
    jurors.reopen(marking.service, LOCAL, SLUG, number, pair[1], "wants to look again")
    return number, pair[1], third


def test_a_third_is_chosen_when_a_paper_comes_back(marking: Marking) -> None:
    number, second, third = _without_third(marking)
    jurors.replace_juror(marking.service, LOCAL, SLUG, third, "ill", [number])
    with pytest.raises(ValueError, match="not enough values"):
        marking.third(number)
    assert marking.hand_over(second, number).kept
    decider = marking.juror(marking.third(number))
    for found in discussing.view(marking.service, decider, SLUG, number).differences:
        place = (number, found.criterion.id)
        discussing.decide(marking.service, decider, SLUG, *place, 0.0, "none of it", new_id())
    marking.settle([n for n in marking.all_numbers() if n != number], (1.0, 0.5))
    marking.unseal()


def test_who_has_no_paper_left_is_not_in_the_result(marking: Marking) -> None:
    marking.settle(shares=(1.0, 0.5))
    with marking.service.store.read() as connection:
        jury = find_jury(marking.service, connection, SLUG)
        numbers = {paper.id: paper.number for paper in list_papers(connection, jury.id)}
    owners = sealing._opened(marking.service, jury).contestants  # nobody else may ask so early
    gone = next(iter(owners.values()))
    for paper, owner in owners.items():
        if owner == gone:
            beginning.withdraw_paper(marking.service, LOCAL, SLUG, numbers[paper], "ill")
    marking.unseal()
    told, again = _exported_and_again(marking)
    assert len(told["contestants"]) == 3
    assert again["contestants"] == told["contestants"]
    assert again["notes"] == told["notes"]


def test_rows_of_who_is_hidden_are_in_no_order_of_names(marking: Marking) -> None:
    marking.settle(shares=(1.0, 0.5))
    marking.unseal()
    with marking.service.store.read() as connection:
        jury = find_jury(marking.service, connection, SLUG)
        hidden = results.Anonymity(systems=True)
        given = results.marked(marking.service, connection, jury, hidden)
    ids = {
        kind: [one.id for one in given.contestants if one.kind is kind] for kind in ContestantKind
    }
    assert all(own == sorted(own) and len(own) > 1 for own in ids.values())
    assert list(given.table.kinds) == [one.id for one in given.contestants]
    called = [one.name for one in given.contestants]
    assert called == ["system 1", "system 2", "person 1", "person 2"]


def _decide_by_two_thirds(marking: Marking, number: int) -> None:
    """Have a paper marked; a third decides one difference and goes, another decides the next."""
    service = marking.service
    first, second = marking.pair(number)
    for name, share in ((first, 1.0), (second, 0.5)):
        marking.mark_all(name, number, share)
        assert marking.hand_over(name, number).kept
    found = discussing.view(service, marking.juror(first), SLUG, number).differences[:2]
    for one in found:
        discussing.escalate(
            *(service, marking.juror(first), SLUG, number, one.criterion.id, "no", new_id())
        )
    thirds = []
    for one in found:
        name = marking.third(number)
        thirds.append(name)
        discussing.decide(
            *(service, marking.juror(name), SLUG, number, one.criterion.id),
            *(0.0, "none of it", new_id()),
        )
        if one is found[0]:
            jurors.replace_juror(service, LOCAL, SLUG, name, "away", [number])
    assert len(set(thirds)) == 2, "who is away is not asked again"
    marking.agree([number])


def _take_half_a_point(marking: Marking, last: Criterion) -> None:
    """Take half a point from the last criterion when all is marked; all give it the full points."""
    service = marking.service
    held = rubrics.get_rubric(service, LOCAL, SLUG, PROBLEM).rubric
    less = replace(last, points=last.points - 0.5, steps=())
    text = render_rubric(replace(held, criteria=(*held.criteria[:-1], less)))
    rubrics.amend(service, LOCAL, SLUG, PROBLEM, text, base=1, reason="too much")
    for number in marking.all_numbers():
        if _problem_of(marking, number) == PROBLEM:
            for name in marking.pair(number):
                assert marking.save(name, number, [own(last.id, less.points)])[0].kept
                assert marking.hand_over(name, number).kept


def _problem_of(marking: Marking, number: int) -> str:
    (name, *_) = marking.pair(number)
    lines = desk.queue(marking.service, marking.juror(name), SLUG)
    return next(line.problem for line in lines if line.number == number)


def _exported_and_again(marking: Marking) -> tuple[dict[str, Any], dict[str, Any]]:
    data = exporting.export_jury(marking.service, LOCAL, SLUG, results.Anonymity())
    folder = marking.site.folder / "export"
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        archive.extractall(folder)
    again = run(
        *("jury", "results", folder / "marks.csv", "--rubrics", folder / "rubrics"),
        *("--contestants", folder / "contestants.csv", "--json"),
    )
    assert again.code == 0, again.err
    return json.loads((folder / "result.json").read_text(encoding="utf-8")), json.loads(again.out)


def _marks_of_export(marking: Marking) -> str:
    return (marking.site.folder / "export" / "marks.csv").read_text(encoding="utf-8")


def _totals(result: dict[str, Any]) -> dict[str, float]:
    return {one["contestant"]["name"]: one["total"] for one in result["contestants"]}


def test_only_the_seal_is_opened_in_one_place() -> None:
    """Nothing but ``sealing`` decrypts the list, and only by its own functions is it told."""
    folder = Path(sealing.__file__).parents[1]
    texts = {path: path.read_text(encoding="utf-8") for path in folder.rglob("*.py")}
    decrypting = {path.name for path, said in texts.items() if ".decrypt(" in said}
    assert decrypting == {"keys.py", "sealing.py"}
    assert [path.name for path, said in texts.items() if "sealing import _" in said] == []
    users = {
        name: {path.name for path, said in texts.items() if name in said} - {"sealing.py"}
        for name in ("contestants_of_papers", "barred_jurors", "sealing._opened")
    }
    assert users == {
        "contestants_of_papers": {"results.py"},
        "barred_jurors": {"jurors.py"},
        "sealing._opened": set(),
    }


@pytest.mark.system("postgresql")
def test_a_marking_on_postgresql(tmp_path: Path, postgres_server: PostgresServer) -> None:
    use_database(tmp_path, postgres_server.new_database())
    marking = begun(make_site(tmp_path), problems=(PROBLEM,), people=PEOPLE[:1])
    number = marking.all_numbers()[0]
    mark = own("1000101-t1", 2.0)
    name = marking.pair(number)[0]
    found = _at_once(*(lambda: marking.save(name, number, [mark])[0] for _ in range(4)))
    assert [one.kept for one in found] == [True] * 4  # type: ignore[attr-defined]
    marking.settle(shares=(1.0, 0.5))
    marking.unseal()
    found_result = results.result(marking.service, LOCAL, SLUG)
    assert [one.total for one in found_result.result.contestants] == [20.0] * 3
    marking.service.close()


# -- races ----------------------------------------------------------------------------------------


def _at_once(*works: Callable[[], object]) -> list[object]:
    """Do things in threads that begin together; return what each gave or raised."""
    barrier, found = threading.Barrier(len(works)), [None] * len(works)

    def run(place: int) -> None:
        barrier.wait()
        try:
            found[place] = works[place]()  # type: ignore[call-overload]
        except Exception as error:
            found[place] = error  # type: ignore[call-overload]

    threads = [threading.Thread(target=run, args=(place,)) for place in range(len(works))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def test_two_hand_overs_at_once(marking: Marking) -> None:
    number = marking.all_numbers()[0]
    pair = marking.pair(number)
    for name in pair:
        marking.mark_all(name, number)
    found = _at_once(*(lambda name=name: marking.hand_over(name, number) for name in pair))
    assert [one.kept for one in found] == [True, True]  # type: ignore[attr-defined]
    assert discussing.view(marking.service, marking.juror(pair[0]), SLUG, number).state == "settled"


def test_the_same_mark_from_two_pages_at_once_is_kept_once(marking: Marking) -> None:
    number = marking.numbers("juror-a")[0]
    mark = own(marking.criteria("juror-a", number)[0].id, 2.0)
    found = _at_once(*(lambda: marking.save("juror-a", number, [mark])[0] for _ in range(4)))
    assert [one.kept for one in found] == [True] * 4  # type: ignore[attr-defined]
    with marking.service.store.read() as connection:
        assert len(list_marks(connection, _id(marking))) == 1


def test_both_propose_at_once(marking: Marking) -> None:
    number, first, second, criterion = _differing(marking)
    found = _at_once(
        *(
            lambda name=name, points=points: discussing.propose(
                *(marking.service, marking.juror(name), SLUG, number, criterion),
                *(points, "so", new_id()),
            )
            for name, points in ((first, 3.0), (second, 1.0))
        )
    )
    assert found == [None, None]
    (one, *_) = discussing.view(marking.service, marking.juror(first), SLUG, number).differences
    assert one.counted is None
    assert one.proposal is not None
    other = second if one.proposal.is_mine else first
    discussing.accept(
        *(marking.service, marking.juror(other), SLUG, number, criterion),
        *(one.proposal.id, new_id()),
    )
    (one, *_) = discussing.view(marking.service, marking.juror(first), SLUG, number).differences
    assert one.counted is not None


def test_an_amendment_while_marks_are_saved(marking: Marking) -> None:
    """Each mark is of the old rubric and reopened, or refused, or of the new one: never between."""
    service = marking.service
    number = marking.numbers("juror-a")[0]
    text = rubrics.get_rubric(service, LOCAL, SLUG, PROBLEM).text
    text = text.replace('when = "only final devoicing"', 'when = "devoicing at the end"')

    def save() -> list[desk.Saved]:
        sent = [NewMark(new_id(), "1000101-r3", 1.0, "", 1) for _ in range(12)]
        actor = marking.juror("juror-a")
        return [desk.save(service, actor, SLUG, number, [one])[0] for one in sent]

    saved, _ = _at_once(
        save, lambda: rubrics.amend(service, LOCAL, SLUG, PROBLEM, text, base=1, reason="clearer")
    )
    kept = [one.kept for one in saved]  # type: ignore[attr-defined]
    assert kept == sorted(kept, reverse=True), "kept before the amendment, refused after it"
    paper = desk.open_desk(service, marking.juror("juror-a"), SLUG, number)
    assert "1000101-r3" not in paper.own


def test_two_escalations_at_once_ask_one_third(marking: Marking) -> None:
    number, first, second, criterion = _differing(marking)
    _at_once(
        *(
            lambda name=name: discussing.escalate(
                *(marking.service, marking.juror(name), SLUG, number, criterion, "", new_id())
            )
            for name in (first, second)
        )
    )
    with marking.service.store.read() as connection:
        rows = list_assignments(connection, _id(marking))
    assert sum(row.is_third for row in rows) == 1
