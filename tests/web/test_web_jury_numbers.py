"""Points come as numbers, of those that the criterion allows: nothing is read into them."""

from __future__ import annotations

import json

import pytest

from jury_for_tests import PEOPLE, begun, new_id
from site_for_tests import SLUG, Site

JURY = f"/api/v1/challenges/{SLUG}/jury"


def test_points_are_numbers_and_those_that_are_allowed(site: Site) -> None:
    marking = begun(site, problems=("1000101",), people=PEOPLE[:1])
    (number, *_) = marking.numbers("juror-a")
    program = site.program("juror-a")

    def sent(points: str, **more: object) -> tuple[int, str]:
        """Send points as they stand in JSON, and return the status and what is said."""
        mark = {"client_id": new_id(), "criterion": "1000101-t1", "rubric_version": 1, **more}
        body = json.dumps({"marks": [{**mark, "points": 0}]})
        answer = program.post(
            f"{JURY}/papers/{number}/marks",
            content=body.replace('"points": 0', f'"points": {points}'),
            headers={"content-type": "application/json"},
        )
        return answer.status_code, answer.text

    for points in ("true", '"2"', "[2]", "NaN", "Infinity", "1e400", "{}"):
        assert sent(points)[0] == 422, points
    for points in ("5", "-1", "2.25", "3.0000000001", "1e300"):
        status, said = sent(points)
        assert status == 200
        assert json.loads(said)[0]["kept"] is False, points
        assert "It allows 0, 1, 2, 3, 4" in said
    assert "cannot get 3.0000000001 points" in sent("3.0000000001")[1]
    assert sent("2", rubric_version="1")[0] == 422
    assert sent("2", age_ms=-1)[0] == 422
    for points in ("2", "2.0", "null"):
        assert json.loads(sent(points)[1])[0]["kept"] is True, points


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("settings", {"gold": "70"}),
        ("settings", {"gold": True}),
        ("beginning", {"reason": "now", "seed": "7"}),
        ("withdrawals", {"number": "101", "reason": "no"}),
        ("rubrics/1000101/preview", {"text": "x", "base": "1"}),
    ],
)
def test_other_numbers_are_numbers_too(site: Site, path: str, body: dict[str, object]) -> None:
    from iolai.records import Role

    site.person("zoe", Role.ORGANISER)
    program = site.program("zoe")
    ask = program.put if path == "settings" else program.post
    assert ask(f"{JURY}/{path}", json=body).status_code == 422
