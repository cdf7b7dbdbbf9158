"""The OpenAPI document: what the framework knows of the operations, and what it cannot know.

That is the error that every operation may answer with (RFC 9457), an example of each kind, what
the parameters are, and how a program says who it is.
"""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

__all__ = ["REFUSALS", "document"]

_ABOUT = """\
Everything that the pages do, for programs. A program says who it is with a token: \
`Authorization: Bearer TOKEN`. `POST /api/v1/tokens` makes one of a name and a password, and the \
page `/account` makes others. Without one it sees what a visitor sees.

Scores are in [0, 1], times are UTC texts as `2026-07-01T12:00:00.000000Z`, lengths of time \
seconds; null stands for what does not exist, or may not be seen yet. A refused request is \
answered with a problem (RFC 9457) whose `detail` says what is wrong and whose `hint` what to do.\
"""
_TAGS = {
    "accounts": "Accounts, log-in, tokens.",
    "challenges": "Challenges, their problems and boards: what everybody may see.",
    "team": "One's own team.",
    "submissions": "Handing in, and what becomes of it.",
    "uploads": "Large archives in pieces, resumed where they were broken off.",
    "desk": "The organiser's desk.",
    "jury": "The jury's work: a juror's papers, marks and talk; an organiser's rubrics and seal.",
}
#: Of each status: when it is answered, what its title is, and an example of detail and hint.
_PROBLEMS: dict[int, tuple[str, str, str, str]] = {
    400: (
        "The request cannot be read.",
        "Bad Request",
        "There was an error parsing the body",
        "Check the address; what it leads to may not be there for you.",
    ),
    401: (
        "The token is missing, unknown, revoked or has ended.",
        "Unauthorized",
        "The token is not valid.",
        "Log in, or send a valid API token: Authorization: Bearer TOKEN.",
    ),
    403: (
        "This is not for whoever asks.",
        "Forbidden",
        "this is not for the role participant: rejudge",
        "Ask an organiser if it should be.",
    ),
    404: (
        "It is not there, or its existence is hidden from whoever asks.",
        "Not Found",
        "there is no such submission",
        "Check the address.",
    ),
    409: (
        "It is not possible as things stand now: in this phase, twice, or too late.",
        "Conflict",
        "this is not possible while the challenge is in the phase final",
        "It is possible in the phases: open, frozen.",
    ),
    413: (
        "The body is too large.",
        "Content Too Large",
        "What was sent is larger than the 1,048,576 bytes that may be sent here.",
        "Send less, or upload an archive in pieces: iolai submit does.",
    ),
    422: (
        "What was sent is not what the operation takes.",
        "Unprocessable Content",
        "3 runs are chosen; at most 2 may be",
        "Choose the 2 that should count.",
    ),
    429: (
        "The quota of the day is used up (`next_at` says when the next begins), or too much was "
        "tried in a short time (`Retry-After` says for how many seconds to wait).",
        "Too Many Requests",
        "the quota of 10 submissions for 2026-07-01 (UTC) is used up",
        "The next day begins at 2026-07-02T00:00Z.",
    ),
    503: (
        "The service cannot do it now; nothing was kept of the request.",
        "Service Unavailable",
        "the database cannot be reached",
        "This is a fault of the service. Try again later.",
    ),
    507: (
        "The service's disk is full; nothing was kept of the request.",
        "Insufficient Storage",
        "there is no room left on the disk",
        "Nothing was kept of this. Try again when there is room on the disk.",
    ),
}
_PROBLEM = {
    "type": "object",
    "title": "Problem",
    "description": "Why a request was refused (RFC 9457).",
    "required": ["type", "title", "status", "detail", "hint"],
    "properties": {
        "type": {"type": "string", "description": "Always `about:blank`."},
        "title": {"type": "string", "description": "The status in words."},
        "status": {"type": "integer", "description": "The HTTP status."},
        "detail": {"type": "string", "description": "What is wrong, and where."},
        "hint": {"type": "string", "description": "What to do about it."},
        "next_at": {
            "type": "string",
            "description": "When the next quota day begins; only where a quota is used up.",
        },
    },
}
_PARAMETERS = {
    "slug": "The challenge's short name, as in its address.",
    "name": "The account's name.",
    "team_id": "The team's id.",
    "submission_id": "The submission's id.",
    "upload_id": "The upload's id.",
    "token_id": "The token's id, not the token.",
    "proposal_id": "The proposal's id.",
    "note": "A note for one's own team.",
    "offset": "Where the piece begins: as many bytes as have arrived.",
    "before": "Only events with a smaller id: that of the last of the page before.",
    "limit": "How many events at most.",
    "reason": "Why it is done; it is kept in the audit log.",
    "number": "The number that jurors call the paper by.",
    "page": "Which page of the paper; the first is 1.",
    "problem": "The problem's id.",
    "contestant_id": "The contestant's id.",
    "wanted": "How many entries to propose.",
    "every_task": "Only entries with an explanation on every task are proposed.",
}
#: What every operation may answer with, for the router: filled in below, in one place.
REFUSALS: dict[int | str, dict[str, Any]] = {
    status: {"description": about} for status, (about, *_) in _PROBLEMS.items()
}


def document(app: FastAPI) -> dict[str, Any]:
    """Return the OpenAPI document of an application, made once."""
    if app.openapi_schema is None:
        made = get_openapi(
            title=app.title,
            version=app.version,
            description=_ABOUT,
            routes=app.routes,
            tags=[{"name": name, "description": about} for name, about in _TAGS.items()],
        )
        components = made.setdefault("components", {})
        components.setdefault("schemas", {})["Problem"] = _PROBLEM
        components["responses"] = {str(status): _refusal(status) for status in _PROBLEMS}
        about = "A token of an account; a visitor has none."
        components["securitySchemes"] = {
            "token": {"type": "http", "scheme": "bearer", "description": about}
        }
        made["security"] = [{"token": []}, {}]
        for methods in made["paths"].values():
            for operation in methods.values():
                _complete(operation)
        app.openapi_schema = made
    return app.openapi_schema


def _refusal(status: int) -> dict[str, Any]:
    about, title, detail, hint = _PROBLEMS[status]
    example: dict[str, Any] = {"type": "about:blank", "title": title, "status": status}
    example |= {"detail": detail, "hint": hint}
    if status == 429:
        example["next_at"] = "2026-07-02T00:00:00.000000Z"
    content = {"schema": {"$ref": "#/components/schemas/Problem"}, "example": example}
    return {"description": about, "content": {"application/problem+json": content}}


def _complete(operation: dict[str, Any]) -> None:
    operation["summary"] = operation["description"].split("\n")[0].replace("``", "").rstrip(".")
    for parameter in operation.get("parameters", []):
        parameter.setdefault("description", _PARAMETERS.get(parameter["name"], ""))
    for status in operation["responses"]:
        if status.isdigit() and int(status) in _PROBLEMS:
            operation["responses"][status] = {"$ref": f"#/components/responses/{status}"}
