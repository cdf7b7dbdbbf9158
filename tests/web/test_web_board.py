"""The board's page: rendered once for a version and a role, never stale, for whom it is."""

from __future__ import annotations

import re

import pytest
from starlette.testclient import TestClient

from iolai.challenge import boards, challenges, submissions, teams
from iolai.challenge.service import Actor
from iolai.records import Phase, Role
from iolai.web.pages import board as board_pages
from site_for_tests import SLUG, Site, form_text, predictions

PATH = f"/challenges/{SLUG}/board"


def _submit(site: Site, name: str, n_right: int) -> None:
    site.clock.move(minutes=1)
    submissions.submit_predictions(site.service, site.actor(name), SLUG, predictions(n_right))
    site.run_all()


@pytest.fixture
def played(site: Site) -> Site:
    """Two teams with a score each."""
    site.clock.set(6)
    for name, n_right in (("mira", 4), ("noor", 6)):
        site.person(name)
        teams.create_team(site.service, site.actor(name), SLUG, f"Team {name}")
        _submit(site, name, n_right)
    return site


def _names(site: Site, path: str = PATH) -> list[str]:
    page = site.visitor().get(path).text
    return re.findall(r'<a href="/challenges/summer/board/\w+"><bdi>([^<]+)</bdi>', page)


def test_it_is_rendered_once_and_anew_after_a_verdict(played: Site) -> None:
    cache = played.app.state.boards
    assert _names(played) == _names(played) == ["Team noor", "Team mira"]
    assert cache.n_rendered == 1
    _submit(played, "mira", 9)
    assert _names(played) == ["Team mira", "Team noor"]
    assert cache.n_rendered == 2


def test_a_browser_that_has_it_is_told_so(played: Site) -> None:
    browser = played.visitor()
    first = browser.get(PATH)
    assert first.headers["cache-control"] == "private, no-cache"
    tag = {"if-none-match": first.headers["etag"]}
    again = browser.get(PATH, headers=tag)
    assert (again.status_code, again.content) == (304, b"")
    # What somebody who has logged in gets is another page.
    assert played.person("mira").get(PATH, headers=tag).status_code == 200
    _submit(played, "mira", 9)
    assert browser.get(PATH, headers=tag).status_code == 200


def test_a_visitor_gets_it_compressed_and_nobody_else(played: Site) -> None:
    packed = played.visitor().get(PATH, headers={"accept-encoding": "gzip"})
    assert packed.headers["content-encoding"] == "gzip"
    plain = played.visitor().get(PATH, headers={"accept-encoding": "identity"})
    assert "content-encoding" not in plain.headers
    assert packed.text == plain.text
    assert int(packed.headers["content-length"]) < len(plain.content) / 2
    assert packed.headers["etag"] != plain.headers["etag"]
    # A page with a form's secret in it is not compressed: its length would tell of the secret.
    own = played.person("mira").get(PATH, headers={"accept-encoding": "gzip"})
    assert "content-encoding" not in own.headers


def test_the_freeze_comes_with_the_time_alone(played: Site) -> None:
    before = _names(played)
    played.clock.set(25, hour=1)
    _submit(played, "mira", 9)
    page = played.visitor().get(PATH).text
    assert "as it stood at the freeze" in page
    assert _names(played) == before


def test_what_is_kept_for_the_desk_is_kept_from_others(played: Site) -> None:
    played.person("zoe", Role.ORGANISER)
    final = f"{PATH}?kind=final"
    assert played.person("zoe").get(final).status_code == 200
    assert played.visitor().get(final).status_code == 404
    assert played.person("mira").get(final).status_code == 404
    assert "The final board:" not in played.visitor().get(PATH).text


def test_after_publication_the_final_board_is_the_board(played: Site) -> None:
    local = Actor.local()
    challenges.set_phase(played.service, local, SLUG, Phase.FINAL, "over")
    challenges.publish(played.service, local, SLUG, "done")
    assert "The final board: 2 entries" in played.visitor().get(PATH).text
    assert "over the public tasks alone" in played.visitor().get(f"{PATH}?kind=public").text


def test_one_visitor_s_page_holds_nothing_of_another_s(played: Site) -> None:
    browser = played.person("mira")
    own = browser.get(f"{PATH}?done=team").text
    assert "mira</a>" in own
    page = played.visitor().get(f"{PATH}?done=account").text
    assert "your account is there" not in page.lower()
    assert "mira</a>" not in played.visitor().get(PATH).text
    assert 'name="csrf"' not in played.visitor().get(PATH).text
    assert browser.cookies["iolai_session"] not in own


def test_an_empty_board_says_what_to_do(site: Site) -> None:
    page = site.visitor().get(PATH).text
    assert "Nobody stands on it yet" in page
    assert f'<a href="/challenges/{SLUG}">When submissions open</a>' in page
    assert "<table" not in page
    site.clock.set(6)
    assert f'<a href="/challenges/{SLUG}/team">' in site.visitor().get(PATH).text


def test_a_challenge_that_is_not_there(site: Site) -> None:
    assert site.visitor().get("/challenges/winter/board").status_code == 404


@pytest.fixture
def few_rows(played: Site, monkeypatch: pytest.MonkeyPatch) -> Site:
    """Five teams on a board of two rows a page."""
    monkeypatch.setattr(board_pages, "ROWS", 2)
    for number, name in enumerate(("ana", "bo", "cy")):
        played.person(name)
        teams.create_team(played.service, played.actor(name), SLUG, f"Crew {name}")
        _submit(played, name, 3 - number)
    return played


def test_a_long_board_has_pages(few_rows: Site) -> None:
    whole = ["Team noor", "Team mira", "Crew ana", "Crew bo", "Crew cy"]
    pages = [_names(few_rows, f"{PATH}?page={page}") for page in (1, 2, 3)]
    assert [name for page in pages for name in page] == whole
    assert few_rows.app.state.boards.n_rendered == 3
    page = few_rows.visitor().get(f"{PATH}?page=2").text
    assert re.findall(
        r'<a href="([^"]+)"( aria-current="page")?><span class="hidden">Page', page
    ) == [
        ("?kind=public&amp;page=1", ""),
        ("?kind=public&amp;page=2", ' aria-current="page"'),
        ("?kind=public&amp;page=3", ""),
    ]
    assert "Rows 3 to 4 of 5" in page
    assert [few_rows.visitor().get(f"{PATH}?page={n}").status_code for n in (4, 0, 10**9)] == [
        404,
        422,
        422,
    ]


def test_one_s_own_row_is_a_click_away(few_rows: Site) -> None:
    for name, place in (("noor", 1), ("cy", 5)):
        page = few_rows.person(name).get(f"{PATH}?page=2").text
        found = re.search(r'<a href="([^"]+)">Your team is in row (\d)</a>', page)
        assert found is not None
        assert int(found[2]) == place
        address, _, row = found[1].replace("&amp;", "&").partition("#")
        shown = few_rows.person(name).get(address).text
        assert re.search(rf'id="{row}">.*?{name}</bdi>', shown, re.DOTALL)
    few_rows.person("teamless")
    for browser in (few_rows.visitor(), few_rows.person("teamless")):
        assert "Your team is" not in browser.get(PATH).text


def test_a_team_is_found_by_its_name(few_rows: Site) -> None:
    assert _names(few_rows, f"{PATH}?find=CREW") == ["Crew ana", "Crew bo"]
    assert _names(few_rows, f"{PATH}?find=crew&page=2") == ["Crew cy"]
    rendered = few_rows.app.state.boards.n_rendered
    page = few_rows.visitor().get(f"{PATH}?find=<b>nobody").text
    assert "No team on the board has “<bdi>&lt;b&gt;nobody</bdi>”" in page
    assert 'class="board' not in page
    assert few_rows.app.state.boards.n_rendered == rendered
    # Its rank is that of the whole board.
    row = few_rows.visitor().get(f"{PATH}?find=bo").text
    assert re.search(r'data-of="rank" data-sort="4"', row)


def test_the_api_gives_a_board_in_pages(few_rows: Site) -> None:
    program, path = few_rows.visitor(), f"/api/v1{PATH}/public"
    seen: list[str] = []
    offset: int | None = 0
    while offset is not None:
        page = program.get(path, params={"offset": offset, "limit": 2}).json()
        assert page["n_rows"] == 5
        seen += [row["team"] for row in page["rows"]]
        offset = page["next_offset"]
    assert seen == ["Team noor", "Team mira", "Crew ana", "Crew bo", "Crew cy"]
    found = program.get(path, params={"find": "bo"}).json()
    assert [(row["rank"], row["team"]) for row in found["rows"]] == [(4, "Crew bo")]
    assert program.get(path, params={"limit": 0}).status_code == 422
    operation = program.get("/api/v1/openapi.json").json()["paths"]
    told = operation["/api/v1/challenges/{slug}/board/public"]["get"]["parameters"]
    assert {"limit", "offset", "find"} < {one["name"] for one in told}


def test_the_version_moves_with_events_and_with_time(played: Site) -> None:
    seen = [boards.version(played.service, SLUG)]
    assert boards.version(played.service, SLUG) == seen[0]
    _submit(played, "mira", 9)
    seen.append(boards.version(played.service, SLUG))
    played.clock.set(25, hour=1)
    seen.append(boards.version(played.service, SLUG))
    played.clock.set(31, hour=1)
    seen.append(boards.version(played.service, SLUG))
    assert seen == sorted(set(seen))
    played.clock.set(26)  # a clock that was set back
    assert boards.version(played.service, SLUG) == seen[2]


def test_why_and_history(played: Site) -> None:
    _submit(played, "mira", 2)
    (mine,) = [
        line
        for line in teams.list_teams(played.service, Actor.local(), SLUG)
        if line.team.name == "Team mira"
    ]
    page = played.visitor().get(f"{PATH}/{mine.team.id}").text
    assert "The best run by the score over the public tasks" in page
    assert page.count("<rect") == 2
    assert page.count('<tr class="strong">') == 1
    answer = played.visitor().get(f"/api/v1{PATH}/teams/{mine.team.id}").json()
    assert [line["shown"] for line in answer["history"]] == [True, False]
    assert answer["rank"] == 2


def test_a_reason_is_for_organisers_unless_they_show_it(played: Site) -> None:
    lines = teams.list_teams(played.service, Actor.local(), SLUG)
    ids = {line.team.name: line.team.id for line in lines}
    desk = played.person("zoe", Role.ORGANISER)
    for name, sent in (("Team mira", {}), ("Team noor", {"show_reason": "true"})):
        form = {"reason": f"why {name}", "csrf": form_text(desk, "/account"), **sent}
        path = f"/challenges/{SLUG}/desk/teams/{ids[name]}/disqualify"
        assert desk.post(path, data=form).status_code == 303
    for path, browser in ((PATH, played.visitor()), (f"/api/v1{PATH}/teams", played.visitor())):
        hidden = browser.get(f"{path}/{ids['Team mira']}").text
        assert "Disqualified" in hidden
        assert "why Team mira" not in hidden
        assert "why Team noor" in browser.get(f"{path}/{ids['Team noor']}").text
    assert "why Team mira" in desk.get(f"{PATH}/{ids['Team mira']}").text
    assert "why Team mira" in played.person("mira").get(f"{PATH}/{ids['Team mira']}").text


def _history(site: Site, browser: TestClient, name: str) -> list[tuple[bool, str]]:
    """The rows of a team's history: is it in bold, and what tags are there."""
    ids = {
        line.team.name: line.team.id for line in teams.list_teams(site.service, Actor.local(), SLUG)
    }
    page = browser.get(f"{PATH}/{ids[name]}").text
    rows = re.findall(r"<tr( class=\"strong\")?><th scope=\"row\">(.+?)</tr>", page, re.DOTALL)
    return [(bool(bold), " ".join(re.findall(r'"tag">([^<]+)', row))) for bold, row in rows]


def test_the_row_in_bold_is_the_run_on_the_board(played: Site) -> None:
    """A better run after the freeze is not on the public board; what counts is marked as such."""
    played.clock.set(26)
    _submit(played, "mira", 9)
    mira, stranger = played.logged_in("mira"), played.visitor()
    on_board, default = "public board", "by default"
    own = [(True, f"{on_board} {default}"), (False, default)]
    assert _history(played, mira, "Team mira") == own
    assert _history(played, stranger, "Team mira") == [(True, on_board)]
    (late,) = [
        one
        for one in teams.my_team(played.service, played.actor("mira"), SLUG).submissions
        if one.submission.received_at > "2026-07-26"
    ]
    teams.select(played.service, played.actor("mira"), SLUG, [late.submission.id])
    played.clock.set(1, month=8)
    own = [(True, on_board), (False, "selected")]
    assert _history(played, mira, "Team mira") == own
    challenges.publish(played.service, Actor.local(), SLUG, "done")
    told = [(False, on_board), (True, "final run selected")]
    assert _history(played, mira, "Team mira") == told
    assert _history(played, stranger, "Team mira") == told
    lines = teams.list_teams(played.service, Actor.local(), SLUG)
    (noor,) = [line.team.id for line in lines if line.team.name == "Team noor"]
    teams.disqualify(played.service, Actor.local(), SLUG, noor, "two accounts")
    assert _history(played, stranger, "Team noor") == [(False, default)]


def test_a_team_sees_its_final_rank_and_private_tasks_once_published(played: Site) -> None:
    page, api = f"/challenges/{SLUG}/team", f"/api/v1/challenges/{SLUG}/team"
    tasks = challenges.get(played.service, Actor.local(), SLUG).tasks
    private = [task.id for task in tasks if task.split == "private"]
    played.clock.set(1, month=8)
    mira = played.logged_in("mira")
    before = mira.get(page).text
    assert "Final rank" not in before
    assert not [one for one in private if one in before]
    program = played.program("mira")
    assert program.get(api).json()["final"] is None
    challenges.publish(played.service, Actor.local(), SLUG, "done")
    after = mira.get(page).text
    assert re.search(r'Final rank</dt><dd><span class="big">2</span> of 2', after)
    assert [one for one in private if one not in after] == []
    told = program.get(api).json()
    (mine,) = told["submissions"]
    assert (told["final"]["rank"], told["final"]["submission"]) == (2, mine["id"])
    assert [task["id"] for task in mine["private"]] == private
    assert "private" in mira.get(f"/submissions/{mine['id']}").text
    assert mira.get(f"/submissions/{mine['id']}").text.count("The private tasks") == 2
