"""A challenge service over HTTP: what ``iolai submit`` and ``iolai team`` ask it with."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Annotated, Any

import typer

from iolai.errors import InputError, IolaiError, MissingPartError, why_no_answer

if TYPE_CHECKING:
    import httpx

__all__ = ["Account", "Remote", "ServerOption", "connect", "forget", "known_account", "remember"]

ServerOption = Annotated[
    str | None,
    typer.Option("--server", help="The service's address; else the one you logged in to."),
]
_PIECE = 4 << 20
#: So many uploads that were begun are remembered, for going on with them.
_UPLOADS = 20
_TRIES = 6
_TIMEOUT_S = 60.0


@dataclass(frozen=True, slots=True)
class Account:
    """Where somebody is logged in: address of the service, API token, the service's public key.

    The public key is kept from the first log-in on, so that a receipt is later verified with the
    key of then, not with one that is sent beside it.
    """

    server: str
    name: str = ""
    token: str = ""
    token_id: str = ""
    public_key: str = ""


def connect(server: str | None = None, *, needs_account: bool = True) -> Remote:
    """Return the service to ask: ``--server``, else IOLAI_SERVER, else the one logged in to.

    IOLAI_TOKEN replaces the token that log-in has kept. Raises InputError where no service or no
    account is known.
    """
    account = known_account(server)
    if needs_account and not account.token:
        raise InputError(
            f"you are not logged in to {account.server}",
            hint=f"Run: iolai team login NAME --server {account.server}",
        )
    return Remote(account)


def known_account(server: str | None = None) -> Account:
    """Return the account kept for a service; without a token where there is none."""
    kept = _kept()
    address = server or os.environ.get("IOLAI_SERVER") or str(kept.get("last", ""))
    if not address:
        raise InputError(
            "no service is named",
            hint="Give --server https://... or set IOLAI_SERVER; log-in remembers it.",
        )
    address = address.rstrip("/")
    if not address.startswith(("http://", "https://")):
        raise InputError(f"{address!r} is no address of a service", hint="Begin with https://.")
    found = Account(address, **kept.get("accounts", {}).get(address, {}))
    token = os.environ.get("IOLAI_TOKEN", "")
    return replace(found, token=token) if token else found


def remember(account: Account) -> None:
    """Keep an account in a file that only its owner may read."""
    kept = _kept()
    data = asdict(account)
    server = data.pop("server")
    accounts = {**kept.get("accounts", {}), server: data}
    _keep({**kept, "last": server, "accounts": accounts})


def forget(account: Account) -> None:
    """Forget the token for a service."""
    kept = _kept()
    accounts = dict(kept.get("accounts", {}))
    accounts.pop(account.server, None)
    _keep({**kept, "accounts": accounts})


def _keep_upload(name: str, upload: str) -> None:
    kept = _kept()
    uploads = {**kept.get("uploads", {}), name: upload}
    _keep({**kept, "uploads": dict(list(uploads.items())[-_UPLOADS:])})


def _kept() -> dict[str, Any]:
    try:
        found = json.loads(_place().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _keep(data: dict[str, Any]) -> None:
    from iolai.files import write_whole

    place = _place()
    place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    if not place.exists():  # made before the secret is in it, so that nobody reads it meanwhile
        place.touch(mode=0o600)
    write_whole(place, json.dumps(data, indent=2) + "\n")


def _place() -> Path:
    base = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(base) / "iolai" / "client.json"


class Remote:
    """Requests to one service, closed at the end of the block that it is used in.

    Every refusal becomes an IolaiError with the service's own hint.
    """

    #: Replaced in tests, so that nothing leaves the process.
    make_client: Callable[..., httpx.Client] | None = None

    def __init__(self, account: Account) -> None:
        self.account = account
        headers = {"authorization": f"Bearer {account.token}"} if account.token else {}
        self._client = _make_client(account.server, headers)

    def __enter__(self) -> Remote:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._client.close()

    def get(self, path: str, **query: Any) -> Any:
        """Return the JSON that a path holds."""
        return self._asked("GET", path, params=query).json()

    def text(self, path: str) -> str:
        """Return the text that a path holds."""
        return self._asked("GET", path).text

    def send(self, method: str, path: str, body: Any = None, **query: Any) -> Any:
        """Send JSON, and return the JSON of the answer, None where there is none."""
        answer = self._asked(method, path, json=body, params=query)
        return answer.json() if answer.content else None

    def send_bytes(self, method: str, path: str, data: bytes, **query: Any) -> Any:
        """Send bytes, and return the JSON of the answer."""
        headers = {"content-type": "application/octet-stream"}
        return self._asked(method, path, content=data, params=query, headers=headers).json()

    def upload(self, path: Path, on_progress: Callable[[int, int], None]) -> str:
        """Upload a file in pieces, and return the upload's id; what has arrived is not sent again.

        A lost connection is tried again; an upload that was broken off goes on where it was, also
        in another process. ``on_progress`` is told the bytes sent and in all.
        """
        size, sha256 = path.stat().st_size, _hash(path)
        found = self._begun(path.name, size, sha256)
        on_progress(found["offset"], size)
        with path.open("rb") as file:
            while found["offset"] < size:
                file.seek(found["offset"])
                found = self._sent(found, file.read(_PIECE))
                on_progress(found["offset"], size)
        return str(found["id"])

    def _begun(self, name: str, size: int, sha256: str) -> dict[str, Any]:
        """Find the upload of these bytes that was broken off, else begin one."""
        known = _kept().get("uploads", {}).get(f"{self.account.server} {sha256}")
        found = self._state(known) if known else None
        if found is None:
            body = {"name": name, "size": size, "sha256": sha256}
            found = self.send("POST", "/uploads", body)
            _keep_upload(f"{self.account.server} {sha256}", str(found["id"]))
        return found

    def _sent(self, upload: dict[str, Any], piece: bytes) -> dict[str, Any]:
        """Send one piece; where the connection is lost, ask how much arrived and go on there."""
        for pause in _pauses():
            try:
                path = f"/uploads/{upload['id']}"
                sent: dict[str, Any] = self.send_bytes(
                    "PATCH", path, piece, offset=upload["offset"]
                )
                return sent
            except _UnreachableError:
                if pause is None:
                    raise
                time.sleep(pause)
                now = self._state(upload["id"])
                if now is not None and now["offset"] != upload["offset"]:
                    return now
        raise AssertionError(upload)  # the last pause is None, which raises

    def _state(self, upload: str) -> dict[str, Any] | None:
        try:
            found: dict[str, Any] = self.get(f"/uploads/{upload}")
        except (_UnreachableError, InputError):
            return None
        return found

    def _asked(self, method: str, path: str, **options: Any) -> httpx.Response:
        import httpx

        try:
            answer = self._client.request(method, f"/api/v1{path}", **options)
        except httpx.TransportError as error:
            raise _UnreachableError(
                f"{self.account.server} cannot be reached: {why_no_answer(error, 'it')}",
                hint="Check the address and the network; nothing is lost, run the command again.",
            ) from error
        if answer.is_success:
            return answer
        raise _refusal(answer)


class _UnreachableError(IolaiError):
    """The service did not answer."""


def _pauses() -> Iterator[float | None]:
    yield from (2.0**n / 4 for n in range(_TRIES - 1))
    yield None


def _refusal(answer: httpx.Response) -> IolaiError:
    try:
        said = answer.json()
        message, hint = str(said["detail"]), str(said["hint"])
    except (ValueError, KeyError, TypeError):
        message = f"the service answered {answer.status_code}"
        hint = "Check the address: it may not be that of a challenge service."
    return InputError(message, hint=hint)


def _make_client(server: str, headers: dict[str, str]) -> httpx.Client:
    if Remote.make_client is not None:
        return Remote.make_client(server, headers)
    try:
        import httpx
    except ImportError as error:
        raise MissingPartError(
            "asking a challenge service needs the library httpx",
            hint="Install it: pip install 'iolai[client]'.",
        ) from error
    return httpx.Client(base_url=server, headers=headers, timeout=_TIMEOUT_S)


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
