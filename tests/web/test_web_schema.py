"""The OpenAPI document, thrown at the API: nothing that it allows, or forbids, ends in a fault."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import Case
from starlette.testclient import TestClient

from iolai.challenge import accounts, proposals, submissions, teams, uploads
from iolai.challenge.service import Actor
from iolai.records import Role
from jury_for_tests import one_paper
from site_for_tests import SLUG, Site, make_site, predictions

QUICK, FULL = 4, 50


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, made_home: Path) -> Iterator[Site]:
    site = make_site(tmp_path_factory.mktemp("schema"), made_home)
    site.clock.set(6)
    site.person("mira")
    site.person("zoe", Role.ADMIN)
    site.person("jo", Role.JUROR)
    yield site
    site.service.close()


@pytest.fixture(scope="module")
def ids(site: Site) -> dict[str, str]:
    """Ids of things that are there, so that requests come further than "there is none"."""
    mira = site.actor("mira")
    team = teams.create_team(site.service, mira, SLUG, "Team")
    made = submissions.submit_predictions(site.service, mira, SLUG, predictions(3))
    site.run_all()
    digest = hashlib.sha256(b"abcd").hexdigest()
    upload = uploads.begin(site.service, mira, "a.zip", 4, digest)
    proposal = proposals.propose_rejudge(site.service, Actor.local(), SLUG, None, "why")
    names = one_paper(site, "jo")
    return {
        "number": names["paper"],
        "problem": names["problem"],
        "contestant_id": names["contestant"],
        "page": "1",
        "slug": SLUG,
        "team_id": team.id,
        "submission_id": made.submission.id,
        "upload_id": upload.id,
        "proposal_id": proposal.id,
        "name": "mira",
    }


@pytest.fixture(scope="module")
def clients(site: Site, ids: dict[str, str]) -> list[TestClient]:
    """A participant, an admin and a juror, and a visitor."""
    found = [site.visitor()]
    for name in ("mira", "zoe", "jo"):
        token = accounts.make_token(site.service, site.actor(name), "t").token
        client = site.visitor()
        client.headers["authorization"] = f"Bearer {token}"
        found.append(client)
    return found


@pytest.fixture(scope="module")
def operations(site: Site) -> list[Any]:
    """The operations of the document, read once: that takes seconds."""
    schema = schemathesis.openapi.from_asgi("/api/v1/openapi.json", site.app)
    return [result.ok() for result in schema.get_all_operations()]


def test_the_document_covers_the_api(operations: list[Any]) -> None:
    assert len(operations) > 40
    assert all(one.definition.raw.get("description") for one in operations)


def test_the_document_says_what_everything_is(site: Site) -> None:
    made = site.app.openapi()
    problems = made["components"]["responses"]
    known = {tag["name"] for tag in made["tags"]}
    for path, methods in made["paths"].items():
        for method, operation in methods.items():
            said = (method, path)
            assert operation["description"].replace("``", "").startswith(operation["summary"]), said
            assert set(operation["tags"]) <= known, said
            assert all(one["description"] for one in operation.get("parameters", [])), said
            refused = {status for status in operation["responses"] if status >= "4"}
            assert refused == set(problems), said
    for status, problem in problems.items():
        (content,) = problem["content"].values()
        example = content["example"]
        assert example["status"] == int(status)
        assert set(example) >= set(made["components"]["schemas"]["Problem"]["required"])
    for name, schema in made["components"]["schemas"].items():
        assert schema.get("description"), name


def test_a_refusal_is_as_the_document_says(site: Site) -> None:
    problem = site.app.openapi()["components"]["schemas"]["Problem"]
    answer = site.visitor().get("/api/v1/submissions/none")
    assert answer.status_code == 404
    assert set(answer.json()) == set(problem["required"])
    example = site.app.openapi()["components"]["responses"]["404"]["content"]
    (shown,) = (one["example"] for one in example.values())
    assert shown["title"] == answer.json()["title"]


def _try(
    operations: list[Any], ids: dict[str, str], clients: list[TestClient], n_examples: int
) -> int:
    n_requests = 0
    for operation in operations:

        @settings(
            max_examples=n_examples,
            deadline=None,
            database=None,
            derandomize=True,
            phases=[Phase.explicit, Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy())
        def throw(case: Case) -> None:
            nonlocal n_requests
            for index, client in enumerate(clients):
                if index:
                    known = {k: ids.get(k, v) for k, v in case.path_parameters.items()}
                    case.path_parameters.update(known)
                answer = _send(client, case)
                n_requests += 1
                said = (case.method, case.formatted_path, answer.status_code, answer.text[:300])
                assert answer.status_code < 500, said
                if answer.status_code >= 400:
                    kind = answer.headers["content-type"]
                    assert kind.startswith(("application/problem+json", "text/plain")), said

        throw()
    return n_requests


def _send(client: TestClient, case: Case) -> Any:
    sent = case.as_transport_kwargs(base_url="http://testserver")
    sent["headers"] = {**dict(client.headers), **dict(sent.get("headers") or {})}
    if "authorization" in client.headers:
        sent["headers"]["authorization"] = client.headers["authorization"]
    sent.pop("cookies", None)
    if isinstance(sent.get("data"), bytes | str):
        sent["content"] = sent.pop("data")
    return client.request(**{key: value for key, value in sent.items() if value is not None})


def test_nothing_ends_in_a_fault(
    operations: list[Any], ids: dict[str, str], clients: list[TestClient]
) -> None:
    assert _try(operations, ids, clients, QUICK) > 300


@pytest.mark.slow
def test_nothing_ends_in_a_fault_in_many_tries(
    operations: list[Any], ids: dict[str, str], clients: list[TestClient]
) -> None:
    assert _try(operations, ids, clients, FULL) > 4_000
