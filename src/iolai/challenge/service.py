"""A service that is open, and who asks it for something."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from iolai.challenge.clock import stamp, utc_now
from iolai.challenge.secrets import read_secret
from iolai.challenge.toml_table import read_toml
from iolai.errors import InputError
from iolai.records import Role
from iolai.store import Blobs, Store, migrate, open_store, sqlite_url

__all__ = ["Actor", "Service", "ServiceSettings", "default_home", "open_service"]

_KEYS = ("database", "secret", "session_hours", "max_upload_mib", "rates")
#: ``log_in`` is for one name from one address, ``log_in_all`` for all names from one address: a
#: class behind one address must not lock itself out, nor a stranger the owner of a name.
#: ``old_password`` is for changing one's own, ``upload`` for beginning one.
_RATES = {
    "log_in": (10, 300),
    "log_in_all": (200, 300),
    "register": (60, 3600),
    "submit": (120, 3600),
    "old_password": (10, 300),
    "upload": (60, 3600),
}


@dataclass(frozen=True, slots=True)
class Actor:
    """Who asks: an account, nobody known, or the organiser at the machine itself.

    ``account`` is the account's id; ``address`` where the request came from, for rate limits.
    """

    account: str = ""
    name: str = "anonymous"
    role: Role | None = None
    address: str = ""

    @classmethod
    def anonymous(cls, address: str = "") -> Actor:
        """Somebody who has not logged in."""
        return cls(address=address)

    @classmethod
    def local(cls, user: str = "", account: str = "") -> Actor:
        """Whoever may run commands on the machine, and so may do everything.

        ``user`` is who that is to the system, ``account`` the id of the account in whose name it is
        done. Both go into the author of events, in a form that no request can have: there an author
        is an account's id, or ``anonymous``.
        """
        name = f"local:{user}" if user else "local"
        return cls(name=f"{name} as {account}" if account else name, role=Role.ADMIN)

    @property
    def author(self) -> str:
        """What events name: an account's id, ``anonymous``, or ``local`` (see there)."""
        return self.account or self.name


@dataclass(frozen=True, slots=True)
class ServiceSettings:
    """What ``iolai.toml`` in the home says; all of it may be left out.

    ``rates`` gives, by what is tried, how often and within how many seconds.
    """

    database: str = ""
    secret: str = ""
    session_hours: float = 14 * 24
    max_upload_mib: int = 8 * 1024
    rates: dict[str, tuple[int, int]] = field(default_factory=lambda: dict(_RATES))


@dataclass(frozen=True)
class Service:
    """A home that is open. ``now`` is the clock: tests hand in their own.

    ``resolve_revision`` finds the commit that a revision of a repository stands for, so that
    what was handed in is pinned; None where the service has no way to ask.
    """

    home: Path
    settings: ServiceSettings
    store: Store
    blobs: Blobs
    secret: bytes = field(repr=False)
    now: Callable[[], datetime] = utc_now
    resolve_revision: Callable[[str, str], str] | None = None

    def stamp(self) -> str:
        """Return the time now as the service keeps times."""
        return stamp(self.now())

    def close(self) -> None:
        """Close the database."""
        self.store.close()


def default_home() -> Path:
    """Return the home that is used where none is named: ``IOLAI_HOME``, else ``./iolai-home``."""
    import os

    return Path(os.environ.get("IOLAI_HOME") or "iolai-home")


def open_service(
    home: Path,
    *,
    now: Callable[[], datetime] = utc_now,
    resolve_revision: Callable[[str, str], str] | None = None,
) -> Service:
    """Open a home, made where it is not there, and bring its database up to date.

    Raises InputError where a setting is wrong, others may read the secret, or it is lost.
    """
    home = home.resolve()  # steps run with other working folders, and compare places
    _make_folders(home)
    settings = _read_settings(home / "iolai.toml")
    secret = read_secret(_place_of_secret(home, settings))
    store = open_store(settings.database or sqlite_url(home / "store.sqlite"))
    migrate(store)
    if store.is_sqlite and not settings.database:
        (home / "store.sqlite").chmod(0o600)
    return Service(home, settings, store, Blobs(home / "blobs"), secret, now, resolve_revision)


def _place_of_secret(home: Path, settings: ServiceSettings) -> Path:
    """Return where the secret is, or shall be; raises InputError where one was and is lost."""
    place = home / (settings.secret or "secret")
    if not place.exists() and any((home / "keys").iterdir()):
        raise InputError(
            f"the secret {place} is gone, and answer keys here are sealed with it",
            hint="Restore it from where you keep it; with a new one no key could be opened.",
        )
    return place


def _make_folders(home: Path) -> None:
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        for name in ("blobs", "keys", "uploads", "runs"):
            (home / name).mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"the home {home} cannot be made: {error.strerror}",
            hint="Name a folder that you may write to with --home, or in IOLAI_HOME.",
        ) from error


def _read_settings(path: Path) -> ServiceSettings:
    if not path.exists():
        return ServiceSettings()
    table = read_toml(path)
    table.refuse_unknown(_KEYS)
    limits = table.table("rates")
    limits.refuse_unknown(tuple(_RATES))
    rates = dict(_RATES)
    for name, value in limits.values.items():
        fits = isinstance(value, list) and len(value) == 2
        if not fits or not all(type(one) is int and one > 0 for one in value):
            raise limits.wrong(
                name, "two whole numbers are wanted here", f"Write {name} = [tries, seconds]."
            )
        rates[name] = (value[0], value[1])
    return ServiceSettings(
        database=table.string("database", ""),
        secret=table.string("secret", ""),
        session_hours=table.number("session_hours", 14 * 24, low=0.01, high=10_000),
        max_upload_mib=table.whole("max_upload_mib", 8 * 1024, low=1, high=1 << 20),
        rates=rates,
    )
