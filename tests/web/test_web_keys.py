"""A key that is sent: sealed before anything of it touches a disk."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

from iolai.challenge import proposals, scoring
from iolai.challenge.service import Actor
from iolai.formats import render_solution_csv
from iolai.records import AnswerKey, Reference, Role
from iolai.web.headers import FORM_BYTES
from site_for_tests import SLUG, Site, form_text

CANARY = "kanarivogel"


def corrected(site: Site) -> bytes:
    """The key of the site's challenge, with a canary among the references."""
    key = scoring.reveal_key(site.service, Actor.local(), SLUG, "for a test")
    first, *others = key.tasks
    more = Reference((*first.references[0].alternatives, CANARY))
    changed = replace(first, references=(more, *first.references[1:]))
    return render_solution_csv(AnswerKey((changed, *others))).encode()


@pytest.mark.parametrize("way", ["page", "api"])
def test_a_key_that_is_sent_is_nowhere_in_the_clear(
    site: Site, monkeypatch: pytest.MonkeyPatch, way: str, tmp_path: Path
) -> None:
    """Looked for while it is scored, when it was once in a file of its own."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "no-such-folder"))
    looked: list[int] = []
    rescore = proposals.rescore

    def look_and_score(*given: object) -> object:
        files = [path for path in site.folder.rglob("*") if path.is_file()]
        looked.append(len(files))
        assert not [path for path in files if CANARY.encode() in path.read_bytes()]
        return rescore(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(proposals, "rescore", look_and_score)
    data = corrected(site)
    if way == "page":
        desk = site.person("olga", Role.ORGANISER)
        form = {"reason": "a typo", "csrf": form_text(desk, f"/challenges/{SLUG}/desk")}
        files = {"file": ("solution.csv", data)}
        answer = desk.post(f"/challenges/{SLUG}/desk/key", data=form, files=files)
        assert answer.status_code == 303
    else:
        site.person("olga", Role.ORGANISER)
        path = f"/api/v1/challenges/{SLUG}/proposals/key"
        answer = site.program("olga").post(path, content=data, params={"reason": "a typo"})
        assert answer.status_code == 201
    assert looked
    assert looked[0] > 3
    made = proposals.list_proposals(site.service, Actor.local(), SLUG)
    assert [one.reason for one in made] == ["a typo"]


def test_a_form_with_a_key_is_never_large_enough_for_a_file(site: Site) -> None:
    desk = site.person("olga", Role.ORGANISER)
    form = {"reason": "a typo", "csrf": form_text(desk, f"/challenges/{SLUG}/desk")}
    files = {"file": ("solution.csv", b"x" * FORM_BYTES)}
    answer = desk.post(f"/challenges/{SLUG}/desk/key", data=form, files=files)
    assert answer.status_code == 413


@pytest.mark.parametrize("data", [b"", b"id,pred\n1,a\n", b"\xff\xfe", b"PK\x03\x04"])
def test_what_is_no_key_is_refused(site: Site, data: bytes) -> None:
    site.person("olga", Role.ORGANISER)
    path = f"/api/v1/challenges/{SLUG}/proposals/key"
    answer = site.program("olga").post(path, content=data, params={"reason": "a typo"})
    assert answer.status_code == 422
    assert not list((site.service.home / "keys").glob("*.sealed"))[1:]
