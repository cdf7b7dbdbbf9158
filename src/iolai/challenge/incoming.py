"""What an export from elsewhere may bring: rows of its own challenge, and none that touch another.

An export is a file that somebody hands over, so nothing in it is believed: every row must be of
the challenge that is imported and refer only to rows that come with it, ids and hashes must look
like such (some become names of files), and answer keys get new ids.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

from iolai.challenge.scorebook import with_digests
from iolai.challenge.secrets import new_id
from iolai.challenge.settings import checked_settings
from iolai.challenge.sound import require_sound
from iolai.errors import InputError
from iolai.records import EventKind, KeyTask, RunState

__all__ = ["JURY_PREFIX", "TABLES", "Incoming"]

#: What the kinds of the jury's events begin with: they do not travel.
JURY_PREFIX = "jury_"

#: The tables of a challenge, each after those that it refers to.
TABLES = (
    *("answer_key", "team", "member", "submission", "proposal", "run"),
    *("verdict", "score", "step_result", "event"),
)
_REFERS: dict[str, dict[str, str]] = {
    "answer_key": {},
    "team": {},
    "member": {"account": "account", "team": "team"},
    "submission": {"team": "team"},
    "proposal": {"key": "answer_key"},
    "run": {"submission": "submission", "team": "team", "proposal": "proposal"},
    "verdict": {"run": "run"},
    "score": {"run": "run", "key": "answer_key"},
    "step_result": {"run": "run"},
    "event": {"team": "team", "submission": "submission", "run": "run"},
}
#: What the data of events may refer to.
_IN_DATA = {"key": "answer_key", "base": "answer_key", "proposal": "proposal"}
#: References that may be ``""``.
_OPTIONAL = {
    ("proposal", "key"),
    ("run", "proposal"),
    *(("event", one) for one in _REFERS["event"]),
}
_OF_RUNS = ("verdict", "score", "step_result")
_BLOBS = {"submission": ("blob",), "verdict": ("output", "log")}
_ID = re.compile(r"[0-9A-Za-z]{1,64}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_MAX_TAG = 1 << 40
#: Kinds that are about people or the whole home, and are of no challenge.
_FOREIGN = {
    *(EventKind.ACCOUNT_MADE, EventKind.ACCOUNT_DELETED, EventKind.ROLE_SET),
    *(EventKind.PASSWORD_SET, EventKind.LOGGED_IN, EventKind.LOGIN_FAILED),
    *(EventKind.TOKEN_MADE, EventKind.TOKEN_REVOKED),
    *(EventKind.WORKER_LOST, EventKind.RESTORED),
    *(kind for kind in EventKind if kind.startswith(JURY_PREFIX)),
}


@dataclass
class Incoming:
    """An export while its rows go in, table by table in the order of ``TABLES``.

    ``digests`` gives, by the id that a key has in the export, the digests of its tasks in this
    home. ``key_ids`` gives each key's new id, as soon as its row was seen.
    """

    challenge: str
    slug: str
    digests: dict[str, dict[str, str]]
    key_ids: dict[str, str] = field(default_factory=dict)
    _ids: dict[str, set[str]] = field(default_factory=dict)
    _ended: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        """Refuse a challenge whose id could not be one."""
        self._require(_ID.fullmatch(self.challenge), "challenge", "an id that is none")

    def people(self, rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return the rows of accounts; raises InputError where one could be none."""
        found = [{name: row[name] for name in ("id", "name", "created_at")} for row in rows]
        for row in found:
            self._require_sound("account", row)
            self._remember("account", row)
        return found

    def rows(self, table: str, rows: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """Yield the rows as this home keeps them; raises InputError where one is out of place."""
        for row in rows:
            self._check(table, row)
            if table != "step_result" or row["run"] in self._ended:
                yield self._fitted(table, row)

    def _check(self, table: str, row: dict[str, Any]) -> None:
        if table not in _OF_RUNS:
            own = row["challenge"] == self.challenge
            self._require(own, table, "a row of another challenge")
        for column, other in _REFERS[table].items():
            is_known = row[column] in self._ids.get(other, ())
            is_empty = row[column] == "" and (table, column) in _OPTIONAL
            self._require(is_known or is_empty, table, f"a {column} that does not come with it")
        for column in _BLOBS.get(table, ()):
            self._require_blob(table, row[column])
        if table in _REFERS and "id" in row and table != "event":
            self._remember(table, row)
        if table == "run":
            self._require(0 <= int(row["tag"]) < _MAX_TAG, table, "a tag out of bounds")
        self._require_sound(table, row)
        if table == "event":
            self._check_event(row)

    def _check_event(self, row: dict[str, Any]) -> None:
        kind, data = EventKind(row["kind"]), json.loads(row["data"])
        self._require(kind not in _FOREIGN, "event", f"the kind {kind.value}")
        for name, table in _IN_DATA.items():
            known = {"", *self._ids.get(table, ())}
            self._require(data.get(name, "") in known, "event", f"a {name} of another challenge")
        for name in ("submissions", "counts"):
            own = self._ids.get("submission", set())
            self._require(set(data.get(name, ())) <= own, "event", "another's submissions")
        if kind is EventKind.CHALLENGE_DEFINED:
            settings = checked_settings(data["settings"])
            self._require(settings.slug == self.slug, "event", "another slug")
            self._require_blob("event", data.get("problems", ""))
            for one in data["settings"]["baselines"]:
                self._require_blob("event", one["blob"])

    def _remember(self, table: str, row: dict[str, Any]) -> None:
        self._require(_ID.fullmatch(row["id"]), table, "an id that is none")
        self._ids.setdefault(table, set()).add(row["id"])
        if table == "answer_key":
            self.key_ids[row["id"]] = new_id()
        if table == "run" and row["state"] == RunState.DONE.value:
            self._ended.add(row["id"])

    def _require_blob(self, table: str, name: str) -> None:
        self._require(name == "" or _SHA256.fullmatch(name), table, "a hash that is none")

    def _require_sound(self, table: str, row: dict[str, Any]) -> None:
        try:
            require_sound(table, row)
        except (KeyError, TypeError, ValueError, AttributeError, InputError) as error:
            what = error.message if isinstance(error, InputError) else str(error)
            raise InputError(
                f"the export of {self.slug} is refused: a row {table} holds what no row does "
                f"({what[:120]})",
                hint="Take an export that iolai wrote, and that nobody changed.",
            ) from error

    def _require(self, fits: object, table: str, what: str) -> None:
        if not fits:
            raise InputError(
                f"the export of {self.slug} is refused: its rows {table} hold {what}",
                hint="Take an export that iolai wrote, and that nobody changed.",
            )

    def _fitted(self, table: str, row: dict[str, Any]) -> dict[str, Any]:
        """Make a row fit this home: keys have new ids, digests are keyed with its secret."""
        if table == "answer_key":
            return row | {"id": self.key_ids[row["id"]], "tasks": self._tasks(row)}
        if table == "score":
            digests = self.digests.get(row["key"])
            body = with_digests(row["body"], digests) if digests else row["body"]
            return row | {"key": self.key_ids[row["key"]], "body": body}
        if table == "proposal" and row["key"]:
            return row | {"key": self.key_ids[row["key"]]}
        if table == "run" and row["id"] not in self._ended:
            return row | {"worker": "", "handle": ""}
        if table == "event":
            data = json.loads(row["data"])
            keys = [name for name in ("key", "base") if data.get(name)]
            new = {name: self.key_ids[data[name]] for name in keys}
            return row | {"data": json.dumps(data | new)} if new else row
        return row

    def _tasks(self, row: dict[str, Any]) -> str:
        known = self.digests.get(row["id"], {})
        tasks = [KeyTask(**task) for task in json.loads(row["tasks"])]
        return json.dumps([asdict(t) | {"digest": known.get(t.id, t.digest)} for t in tasks])
