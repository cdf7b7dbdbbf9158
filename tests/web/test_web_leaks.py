"""What nobody may see: a canary in the key, private scores before publication, others' things.

Every GET route of the application is walked, with every id there is, by everybody who is not at
the desk; the pages are looked at for faults that a screen reader would meet on the way.
"""

from __future__ import annotations

import itertools
import re
import zipfile
from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from fastapi.routing import iter_route_contexts
from starlette.testclient import TestClient

from iolai.challenge import boards, challenges, proposals, submissions, teams, transfer
from iolai.challenge.service import Actor, Service, open_service
from iolai.records import Role
from iolai.web import create_app
from site_for_tests import SLUG, Clock, Site, predictions, write_challenge

CANARY = "kanarivogel"
MINE = ("a note of our own", "x of our own")
LOCAL = Actor.local()


def _with_canary(folder: Path) -> Path:
    """Write a challenge with a canary among the references of every task."""
    path = write_challenge(folder)
    for sheet in (folder / "problems").rglob("problem.txt"):
        text = sheet.read_text(encoding="utf-8")
        marked = re.sub(r"(### Answers\n\d+\. [^\n|]*)", rf"\1 | {CANARY}", text)
        assert marked.count(CANARY) == text.count("### Answers") > 0
        sheet.write_text(marked, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("leaks")
    clock = Clock()
    service = open_service(folder / "home", now=clock)
    (folder / "source").mkdir()
    challenges.create(service, LOCAL, _with_canary(folder / "source"))
    site = Site(service, create_app(service), clock, folder)
    for name in ("mira", "noor", "olek"):
        site.person(name)
    site.person("jo", Role.JUROR)
    site.clock.set(6)
    _play(site)
    yield site
    service.close()


def _play(site: Site) -> None:
    """Two teams hand something in; one run fails with the key in its log, one is rejudged."""
    for name, n_right in (("mira", 4), ("noor", 7)):
        actor = site.actor(name)
        teams.create_team(site.service, actor, SLUG, f"Team {name}")
        note, answer = MINE if name == "mira" else ("another", "x")
        data = predictions(n_right).replace(b'""x""', f'""{answer}""'.encode())
        submissions.submit_predictions(site.service, actor, SLUG, data, note)
        submissions.submit_repository(site.service, actor, SLUG, "a/b", "0" * 40, note)
    site.run_all()
    proposals.propose_rejudge(site.service, LOCAL, SLUG, None, "a reason for the desk")
    site.run_all()
    site.clock.set(1, month=8)


def _ids(service: Service) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {"slug": [SLUG, "none"], "number": ["1", "2", "3", "99"]}
    lines = teams.list_teams(service, LOCAL, SLUG)
    found["team_id"] = [line.team.id for line in lines]
    views = [teams.view_team(service, LOCAL, SLUG, line.team.id) for line in lines]
    found["submission_id"] = [one.submission.id for view in views for one in view.submissions]
    found["proposal_id"] = [one.id for one in proposals.list_proposals(service, LOCAL, SLUG)]
    found |= {"upload_id": ["none"], "token_id": ["none"], "name": ["site.js"]}
    return found | {"problem": ["1000101"], "page": ["1"], "contestant_id": ["none"]}


def _paths(site: Site) -> list[str]:
    """Return every address that a GET route can have here."""
    ids = _ids(site.service)
    found = []
    for route in iter_route_contexts(site.app.routes):
        if "GET" not in (route.methods or ()):
            continue
        path = route.path or ""
        names = re.findall(r"{(\w+)}", path)
        every = itertools.product(*(ids[name] for name in names))
        found += [path.format(**dict(zip(names, values, strict=True))) for values in every]
    assert len(found) > 60
    return [*found, f"/challenges/{SLUG}/board?kind=final", f"/challenges/{SLUG}/board?kind=public"]


def _browsers(site: Site, *names: str) -> Iterator[tuple[str, TestClient]]:
    yield "visitor", site.visitor()
    for name in names:
        yield f"{name} on pages", site.person(name)
        yield f"{name} in the API", site.program(name)


def _walk(site: Site, *names: str) -> Iterator[tuple[str, str, str]]:
    """Yield who asked, for what, and the whole answer, its headers too."""
    for who, browser in _browsers(site, *names):
        for path in _paths(site):
            answer = browser.get(path)
            assert answer.status_code < 500 or path == "/healthz", (who, path)
            if answer.headers.get("content-type", "").startswith("text/html"):
                _check_page(path, answer.text)
            yield who, path, f"{answer.headers}\n{answer.text}"


class _Page(HTMLParser):
    """Collects what must not occur twice, and what must have a name."""

    def __init__(self) -> None:
        super().__init__()
        self.ids: Counter[str] = Counter()
        self.labelled: set[str] = set()
        self.controls: list[dict[str, str | None]] = []
        self.headings: list[int] = []
        self.depth_of_label = 0
        self.references: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if found.get("id"):
            self.ids[str(found["id"])] += 1
        self.depth_of_label += tag == "label"
        if tag == "label" and found.get("for"):
            self.labelled.add(str(found["for"]))
        if tag in ("input", "select", "textarea") and found.get("type") != "hidden":
            self.controls.append({**found, "inside": "yes" if self.depth_of_label else None})
        if re.fullmatch(r"h[1-6]", tag):
            self.headings.append(int(tag[1]))
        for name in ("aria-labelledby", "aria-describedby"):
            self.references += str(found.get(name) or "").split()

    def handle_endtag(self, tag: str) -> None:
        self.depth_of_label -= tag == "label"


def _check_page(path: str, html: str) -> None:
    page = _Page()
    page.feed(html)
    twice = [name for name, n in page.ids.items() if n > 1]
    assert twice == [], (path, twice)
    assert set(page.references) <= set(page.ids), path
    for control in page.controls:
        named = control.get("id") in page.labelled or control["inside"] or control.get("aria-label")
        assert named, (path, control)
    if not path.endswith("/live"):
        assert page.headings.count(1) == 1, path
        steps = zip(page.headings, page.headings[1:], strict=False)
        assert all(after <= before + 1 for before, after in steps), (path, page.headings)


Answers = list[tuple[str, str, str]]


@pytest.fixture(scope="module")
def answers(site: Site) -> Answers:
    """Every answer to everybody who is not at the desk."""
    return list(_walk(site, "mira", "noor", "olek", "jo"))


def test_the_canary_is_nowhere(answers: Answers) -> None:
    assert len(answers) > 400
    for who, path, answer in answers:
        assert CANARY not in answer, (who, path)


def test_the_canary_is_in_no_log(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    for _, browser in _browsers(site, "mira"):
        for path in _paths(site):
            browser.get(path)
    browser = site.person("mira")
    assert browser.post(f"/challenges/{SLUG}/team/create").status_code == 403
    assert caplog.records
    assert CANARY not in caplog.text


def test_the_canary_is_in_no_export_without_the_key(site: Site, tmp_path: Path) -> None:
    target = tmp_path / "export.zip"
    transfer.export_challenge(site.service, LOCAL, SLUG, target, with_key=False)
    with zipfile.ZipFile(target) as archive:
        for name in archive.namelist():
            assert CANARY.encode() not in archive.read(name), name


def _private_figures(service: Service) -> set[str]:
    """Return the scores over all tasks, as pages and as the API write them, unlike public ones."""
    final = boards.final_board(service, LOCAL, SLUG)
    public = boards.public_board(service, LOCAL, SLUG)

    def written(rows: tuple) -> set[str]:  # type: ignore[type-arg]
        values = [v for row in rows for v in (row.score, row.exact_match, row.chrf) if v]
        return {f"{100 * v:.2f}" for v in values} | {repr(v) for v in values}

    found = written(final.rows) - written(public.rows)
    assert found
    return found


def test_private_scores_are_nowhere_before_publication(site: Site, answers: Answers) -> None:
    figures = _private_figures(site.service)
    private = {
        task.id
        for task in challenges.get(site.service, LOCAL, SLUG).tasks
        if task.split == "private"
    }
    for who, path, answer in answers:
        assert not [figure for figure in figures if figure in answer], (who, path)
        assert "a reason for the desk" not in answer, (who, path)
        if "problems" not in path:  # the sheets show every task, without a word on its split
            assert not [task for task in private if task in answer], (who, path)


def test_the_desk_sees_private_scores(site: Site) -> None:
    """The figures looked for above are those that would be shown."""
    figures = _private_figures(site.service)
    site.person("zoe", Role.ORGANISER)
    page = site.person("zoe").get(f"/challenges/{SLUG}/board?kind=final").text
    assert [figure for figure in figures if figure in page]


def test_another_team_sees_nothing_of_ours(site: Site, answers: Answers) -> None:
    (mine,) = [
        line
        for line in teams.list_teams(site.service, LOCAL, SLUG)
        if line.team.name == "Team mira"
    ]
    view = teams.view_team(site.service, LOCAL, SLUG, mine.team.id)
    secrets = [*MINE, view.join_code, *(one.receipt for one in view.submissions)]
    secrets += [one.submission.id for one in view.submissions]
    secrets += [one.submission.blob for one in view.submissions if one.submission.blob]
    others = [one for one in answers if "mira" not in one[0]]
    for who, path, answer in others:
        asked = [secret for secret in secrets if secret in path]
        found = [secret for secret in secrets if secret in answer and secret not in asked]
        assert found == [], (who, path, found)
    own = "".join(answer for who, _, answer in answers if "mira" in who)
    assert [secret for secret in secrets if secret not in own and secret[0] != "{"] == []


def test_after_publication_everybody_sees_the_final_board(site: Site) -> None:
    figures = _private_figures(site.service)
    challenges.publish(site.service, LOCAL, SLUG, "done")
    page = site.visitor().get(f"/challenges/{SLUG}/board").text
    assert [figure for figure in figures if figure in page]
    assert CANARY not in page
