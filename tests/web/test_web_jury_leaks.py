"""What a juror must not learn before the time: whose a paper is, and what the other gave.

Canaries stand in the names of contestants, in what they wrote, in the metadata of their files and
in jurors' notes. Every GET route is walked by every juror, with every id there is; answers are
looked through with their headers, PDFs with their text and metadata, images as bytes.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from pathlib import Path

import pypdfium2
import pytest
from fastapi.routing import iter_route_contexts
from sqlalchemy import text
from starlette.testclient import TestClient
from test_web_leaks import _check_page

from iolai.challenge.jury import contestants
from iolai.challenge.service import Service
from iolai.records import Role
from jury_for_tests import JURORS, LOCAL, PEOPLE, SYSTEMS, Marking, begun, draft, page_of_text
from site_for_tests import SLUG, Site, make_site, use_database

pytestmark = pytest.mark.system("pango")
PROBLEM = "1000101"
#: In the names of all contestants, people's files and their metadata.
CANARY = "kanari"


@pytest.fixture(
    scope="module",
    params=[
        "sqlite",
        pytest.param("postgresql", marks=[pytest.mark.system("postgresql"), pytest.mark.slow]),
    ],
)
def marking(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, made_home: Path
) -> Iterator[Marking]:
    folder = tmp_path_factory.mktemp("leaks")
    if request.param == "sqlite":
        site = make_site(folder, made_home)
    else:
        use_database(folder, request.getfixturevalue("postgres_server").new_database())
        site = make_site(folder)
    # Six papers and four jurors: each pair has one paper.
    drafted = draft(site, problems=(PROBLEM,), people=(*PEOPLE, "Gnukanari", "Lamakanari"))
    pdf = page_of_text("Drawn without its author.", author=PEOPLE[1])
    assert CANARY.encode() in pdf
    files = [(PROBLEM, f"{PEOPLE[1]}.pdf", pdf)]
    contestants.add_person(site.service, LOCAL, SLUG, PEOPLE[1], files)
    site.person("zoe", Role.ORGANISER)
    marking = _play(drafted)
    yield marking
    site.service.close()


def _play(marking: Marking) -> Marking:
    """Everybody has a share marked; juror-a and juror-b have handed everything over."""
    from iolai.challenge.jury import beginning

    beginning.begin(marking.service, LOCAL, SLUG, "now")
    for name in JURORS:
        for number in marking.numbers(name):
            marking.mark_all(name, number, 0.5 if name == "juror-b" else 1.0, _note(name))
    for name in JURORS[:2]:
        for number in marking.numbers(name):
            assert marking.hand_over(name, number).kept
    return marking


def _note(name: str) -> str:
    return f"note of {name[-1]}, a wagtail"


def _ids(marking: Marking) -> dict[str, list[str]]:
    numbers = [str(number) for number in marking.all_numbers()]
    rows = contestants.list_contestants(marking.service, LOCAL, SLUG)
    none = ["none"]
    return {
        "slug": [SLUG],
        "number": [*numbers, "100", "1"],
        "page": ["1", "2"],
        "problem": [PROBLEM, "1000105"],
        "contestant_id": [one.id for one in rows],
        "team_id": [],
        "name": ["desk.js"],
        **dict.fromkeys(("submission_id", "proposal_id", "upload_id", "token_id"), none),
    }


def _paths(marking: Marking) -> list[str]:
    ids = _ids(marking)
    found = []
    for route in iter_route_contexts(marking.site.app.routes):
        path = route.path or ""
        if "GET" in (route.methods or ()):
            names = re.findall(r"{(\w+)}", path)
            every = itertools.product(*(ids[name] for name in names))
            found += [path.format(**dict(zip(names, values, strict=True))) for values in every]
    assert sum("/jury" in path for path in found) > 50
    return found


def _readable(content: bytes, kind: str) -> str:
    """Return what can be read in an answer's body: of a PDF its text and its metadata too."""
    said = content.decode("utf-8", "replace")
    if kind != "application/pdf":
        return said
    document = pypdfium2.PdfDocument(content)
    pages = [page.get_textpage().get_text_range() for page in document]
    return "\n".join([said, *pages, str(document.get_metadata_dict())])


def _browsers(site: Site, name: str) -> Iterator[TestClient]:
    yield site.person(name)
    yield site.program(name)


def _walk(marking: Marking, name: str, part: str) -> Iterator[tuple[str, int, str]]:
    """Yield every address that has ``part`` in it, with its status and the whole answer."""
    for browser in _browsers(marking.site, name):
        for path in (path for path in _paths(marking) if part in path):
            answer = browser.get(path)
            assert answer.status_code < 500 or path == "/healthz", path
            kind = answer.headers.get("content-type", "")
            if kind.startswith("text/html") and "packets" not in path:
                _check_page(path, answer.text)
            body = _readable(answer.content, kind)
            yield path, answer.status_code, f"{answer.headers}\n{body}"


Answers = dict[str, list[tuple[str, int, str]]]


@pytest.fixture(scope="module", params=["quick", pytest.param("all", marks=pytest.mark.slow)])
def answers(marking: Marking, request: pytest.FixtureRequest) -> Answers:
    """Every answer before anything is settled, or those of the jury's routes to two jurors.

    juror-b has handed everything over, juror-c nothing.
    """
    is_quick = request.param == "quick"
    names = ("juror-b", "juror-c") if is_quick else (*JURORS, "zoe", "mira")
    part = "/jury/p" if is_quick else "/"
    return {name: list(_walk(marking, name, part)) for name in names}


def test_no_juror_learns_a_name(marking: Marking, answers: Answers) -> None:
    teams = {f"/challenges/{SLUG}/board", f"/api/v1/challenges/{SLUG}/board"}
    for name in set(answers) & set(JURORS):
        for path, _, answer in answers[name]:
            if not any(path.startswith(board) for board in teams):  # who takes part is public
                assert CANARY not in answer.lower(), (name, path)
    manage = marking.site.person("zoe").get(f"/challenges/{SLUG}/jury/manage").text
    assert all(one in manage for one in (*SYSTEMS.values(), *PEOPLE)), "the organiser sees them"


def test_nobody_learns_of_anothers_marks(marking: Marking, answers: Answers) -> None:
    both = {n for n in marking.all_numbers() if set(marking.pair(n)) == set(JURORS[:2])}
    for name in answers:
        for path, _, answer in answers[name]:
            found = [one for one in JURORS if _note(one) in answer and one != name]
            is_open = any(f"/papers/{n}/talk" in path or f"/papers/{n}" in path for n in both)
            allowed = set(JURORS[:2]) if is_open and name in JURORS[:2] else set()
            assert set(found) <= allowed, (name, path, found)
    for name in set(answers) & set(JURORS):
        own = "".join(answer for _, _, answer in answers[name])
        assert _note(name) in own


def test_guessing_numbers_tells_nothing(marking: Marking) -> None:
    """Whether a number is no paper's, another's, or a withdrawn one: the answers are the same."""
    browser, api = marking.site.person("juror-a"), marking.site.program("juror-a")
    mine = set(marking.numbers("juror-a"))
    others = [number for number in marking.all_numbers() if number not in mine]
    free = next(n for n in range(101, 1_000) if n not in set(marking.all_numbers()))
    assert others
    for client, place in ((browser, ""), (api, "/api/v1")):
        for end in ("", "/talk", "/pages/1"):
            found = set()
            for number in (*others, free):
                path = f"{place}/challenges/{SLUG}/jury/papers/{number}{end}"
                answer = client.get(path)
                said = answer.text.replace(str(number), "N").replace(path, "PATH")
                found.add((answer.status_code, re.sub(r'value="[^"]*"', "", said)))
            assert len(found) == 1
            assert next(iter(found))[0] == 404


def test_nothing_tells_whether_the_other_has_handed_over(marking: Marking) -> None:
    """Papers of one juror look alike, whether the other of the pair is done with them or not."""
    api = marking.site.program("juror-c")
    lines = api.get(f"/api/v1/challenges/{SLUG}/jury/queue").json()
    partners = {
        line["number"]: next(n for n in marking.pair(line["number"]) if n != "juror-c")
        for line in lines
    }
    assert {name in JURORS[:2] for name in partners.values()} == {True, False}
    shown = set()
    for line in lines:
        paper = api.get(f"/api/v1/challenges/{SLUG}/jury/papers/{line['number']}").json()
        about = {k: line[k] for k in ("part", "desk", "state", "n_open")}
        shown.add((tuple(about.items()), paper["both"], tuple(paper["marks"].keys())))
    assert len(shown) == 1


def test_the_database_joins_no_paper_to_a_contestant(marking: Marking) -> None:
    service: Service = marking.service
    with service.store.read() as connection:
        papers = connection.execute(text("select * from paper")).mappings().all()
        ids = {
            row["id"] for row in connection.execute(text("select id from contestant")).mappings()
        }
        seal = connection.execute(
            text("select data from event where kind = 'jury_marking_begun'")
        ).scalar_one()
    for paper in papers:
        assert CANARY not in service.blobs.read(paper["content"]).decode().lower()
        assert not ids & {str(value) for value in paper.values()}
    assert not [one for one in ids if one in seal]
    blob = re.search(r'"seal":"([0-9a-f]{64})"', seal)
    assert blob is not None
    sealed = service.blobs.read(blob[1])
    assert not [one for one in ids if one.encode() in sealed]


def test_pages_of_people_hold_nothing_but_what_is_seen(marking: Marking) -> None:
    n_pages = 0
    for name in JURORS:
        browser = marking.site.person(name)
        for number in marking.numbers(name):
            answer = browser.get(f"/challenges/{SLUG}/jury/papers/{number}/pages/1")
            if answer.status_code == 200:
                n_pages += 1
                assert CANARY.encode() not in answer.content.lower()
                assert b"Exif" not in answer.content
                assert answer.headers["cache-control"] == "private, no-store"
                assert "content-disposition" not in answer.headers
    assert n_pages == 4  # two people with pages, two jurors each


def test_logs_hold_neither_names_nor_marks(
    marking: Marking, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    browser = marking.site.person("juror-d")
    for path in _paths(marking):
        if "/jury" in path and "/pdf" not in path:
            browser.get(path)
    assert CANARY not in caplog.text.lower()
    assert "wagtail" not in caplog.text


def test_after_unsealing_the_jury_sees_and_the_public_does_not(marking: Marking) -> None:
    for name in JURORS[2:]:
        for number in marking.numbers(name):
            assert marking.hand_over(name, number).kept
    marking.agree()
    marking.unseal()
    page = f"/challenges/{SLUG}/jury/results"
    shown = marking.site.person("juror-c").get(page).text
    assert all(one in shown for one in (*SYSTEMS.values(), *PEOPLE))
    assert marking.site.person("mira").get(page).status_code == 404
    assert marking.site.visitor().get(page).status_code == 404
    browser = marking.site.person("zoe")
    token = re.search(
        r'name="csrf" value="([^"]+)"', browser.get(page.replace("results", "manage")).text
    )
    assert token is not None
    form = {"csrf": token[1], "reason": "the month is over", "hide_people": "yes"}
    target = page.replace("results", "manage/release")
    assert browser.post(target, data=form).status_code == 303
    public = marking.site.visitor().get(page)
    assert public.status_code == 200
    assert all(one in public.text for one in SYSTEMS.values())
    assert not [one for one in (*PEOPLE, *JURORS) if one in public.text]
    api = marking.site.visitor().get(f"/api/v1/challenges/{SLUG}/jury/result").text
    assert not [one for one in (*PEOPLE, *JURORS) if one in api]


def test_numbers_are_in_no_order(tmp_path: Path, made_home: Path) -> None:
    """The contestants of two problems come in two orders: by chance alike once in 40,320."""
    from iolai.challenge.jury import sealing
    from iolai.challenge.jury.state import find_jury
    from iolai.store.papers import list_papers

    site = make_site(tmp_path, made_home)
    problems = (PROBLEM, "1000105")
    begun(site, problems=problems, people=[f"Person {n}" for n in range(6)])
    with site.service.store.read() as connection:
        jury = find_jury(site.service, connection, SLUG)
        owners = sealing._opened(site.service, jury).contestants
        rows = list_papers(connection, jury.id)
    orders = [[owners[row.id] for row in rows if row.problem == one] for one in problems]
    assert sorted(orders[0]) == sorted(orders[1])
    assert orders[0] != orders[1]
    site.service.close()
