"""All three kinds of submission, handed in with a browser and run by a worker's process."""

from __future__ import annotations

import io
import re
import signal
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from iolai.challenge import audit, challenges
from iolai.challenge.service import Actor, open_service
from iolai.web import create_app
from site_for_tests import PASSWORD, SLUG, Clock, Site, predictions, write_challenge

pytestmark = [pytest.mark.slow, pytest.mark.system("chromium"), pytest.mark.system("bwrap")]

TEAM = f"/challenges/{SLUG}/team"
COMMIT = "0123456789abcdef0123456789abcdef01234567"
#: Reads the test set as any entry does, and answers the first task of each problem with its id.
SCRIPT = """\
import csv, json
with open("/tmp/data/test.csv", encoding="utf-8", newline="") as source:
    rows = list(csv.DictReader(source))
with open("submission.csv", "w", encoding="utf-8", newline="") as target:
    writer = csv.writer(target)
    writer.writerow(["id", "pred"])
    for row in rows:
        writer.writerow([row["id"], json.dumps(["{answer}"])])
print("answered", len(rows))
"""
#: How long a run may take on a machine that does much else.
PATIENCE_MS = 120_000


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """A service by the real time, since its worker has no other: open from long ago."""
    source = tmp_path / "source"
    source.mkdir()
    file = write_challenge(source)
    text = file.read_text(encoding="utf-8")
    times = {"2026-07-01": "2020-07-01", "2026-07-05": "2020-07-05"}
    times |= {"2026-07-25": "2099-07-25", "2026-07-31": "2099-07-31"}
    for old, new in times.items():
        text = text.replace(old, new)
    file.write_text(text, encoding="utf-8")
    service = open_service(tmp_path / "home")
    challenges.create(service, Actor.local(), file)
    yield Site(service, create_app(service), Clock(), tmp_path)
    service.close()


@pytest.fixture
def worker(site: Site) -> Iterator[None]:
    """A worker that fetches every repository from one folder."""
    folder = site.folder / "repository"
    folder.mkdir()
    (folder / "script.py").write_text(SCRIPT.replace("{answer}", "two"), encoding="utf-8")
    words = [sys.executable, str(Path(__file__).with_name("worker_with_hub.py"))]
    with (site.folder / "worker.log").open("wb") as log:
        process = subprocess.Popen(
            [*words, str(site.folder / "home"), str(folder)], stdout=log, stderr=log
        )
        yield
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0, (site.folder / "worker.log").read_text(encoding="utf-8")


def _open(page: Page, kind: str) -> None:
    page.goto(TEAM)
    form = page.locator("details", has_text=kind)
    if not form.evaluate("e => e.open"):
        form.locator("summary").click()


def _submit(page: Page, kind: str) -> str:
    page.locator("details", has_text=kind).locator("button").click()
    expect(page.get_by_text("Your submission is accepted")).to_be_visible()
    found = re.search(r"/submissions/(\w+)", page.url)
    assert found is not None, page.url
    return found[1]


def _archive() -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("script.py", SCRIPT.replace("{answer}", "one"))
    return target.getvalue()


def _hand_in(page: Page) -> dict[str, str]:
    kinds = ("A predictions file", "An entry as an archive", "A repository at a revision")
    found = {}
    _open(page, kinds[0])
    file = {"name": "submission.csv", "mimeType": "text/csv", "buffer": predictions(4)}
    page.get_by_label("submission.csv").set_input_files(file)  # type: ignore[arg-type]
    found["predictions"] = _submit(page, kinds[0])
    _open(page, kinds[1])
    file = {"name": "entry.zip", "mimeType": "application/zip", "buffer": _archive()}
    page.get_by_label(".tar.gz or .zip").set_input_files(file)  # type: ignore[arg-type]
    found["archive"] = _submit(page, kinds[1])
    _open(page, kinds[2])
    page.get_by_label("Repository on").fill("mira/entry")
    page.get_by_label("Commit, branch or tag").fill(COMMIT)
    found["repository"] = _submit(page, kinds[2])
    return found


@pytest.mark.usefixtures("worker")
def test_each_kind_goes_its_whole_way(site: Site, browser: Browser, address: str) -> None:
    page = browser.new_context(base_url=address).new_page()
    page.set_default_timeout(30_000)
    page.goto(f"/register?next={TEAM}")
    page.get_by_label("Account").fill("mira")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Register").click()
    page.get_by_label("The team's name").fill("The glottal stops")
    page.get_by_role("button", name="Register the team").click()
    ids = _hand_in(page)
    read = {"archive": "one", "repository": "two"}
    for kind, submission in ids.items():
        page.goto(f"/submissions/{submission}")
        word = page.locator("#life .state-word")
        expect(word).to_have_text("scored", timeout=PATIENCE_MS)  # the page changes by itself
        if kind in read:
            expect(page.locator("pre.log")).to_contain_text("answered 9")
            cells = page.locator("table tbody th").all_inner_texts()
            assert read[kind] in cells
    page.goto(TEAM)
    expect(page.get_by_text("3 of 3 runs succeeded.")).to_be_visible()
    page.goto(f"/challenges/{SLUG}/board")
    assert page.locator("table.board tbody tr").count() == 1
    page.context.close()
    assert audit.differences(site.service, Actor.local()) == ()
