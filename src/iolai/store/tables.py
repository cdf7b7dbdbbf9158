"""The tables, as SQLAlchemy describes them. Migrations make them; nothing else may.

Every column that holds a time holds a UTC text (see ``iolai.records.service``).
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Dialect,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
)

__all__ = ["metadata"]

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)


class SafeText(TypeDecorator[str]):
    """Text that every database takes: NUL and halves of surrogate pairs become U+FFFD.

    Strangers choose names, notes, even addresses of pages; what no database can hold must be no
    error of ours, neither in writing nor in looking up.
    """

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, _dialect: Dialect) -> str | None:
        """Return what goes to the database."""
        if value is None:
            return None
        try:
            value.encode()
        except UnicodeEncodeError:
            value = value.encode("utf-8", "replace").decode()
        return value.replace("\0", "\ufffd")


#: An id that grows on both databases: SQLite wants INTEGER for that.
_GROWING = BigInteger().with_variant(Integer, "sqlite")


def _text(name: str, default: str | None = None) -> Column[str]:
    return Column(name, SafeText, nullable=False, server_default=default)


account = Table(
    "account",
    metadata,
    Column("id", SafeText, primary_key=True),
    _text("name"),
    Column("folded_name", SafeText, nullable=False, unique=True),
    _text("role"),
    _text("password_hash"),
    _text("created_at"),
    _text("deleted_at", ""),
)
session = Table(
    "session",
    metadata,
    Column("token_hash", SafeText, primary_key=True),
    Column("account", ForeignKey("account.id"), nullable=False, index=True),
    _text("csrf"),
    _text("created_at"),
    _text("expires_at"),
)
api_token = Table(
    "api_token",
    metadata,
    Column("token_hash", SafeText, primary_key=True),
    Column("id", SafeText, nullable=False, unique=True),
    Column("account", ForeignKey("account.id"), nullable=False, index=True),
    _text("name"),
    _text("created_at"),
    _text("revoked_at", ""),
)
challenge = Table(
    "challenge",
    metadata,
    Column("id", SafeText, primary_key=True),
    Column("slug", SafeText, nullable=False, unique=True),
    _text("created_at"),
    _text("deleted_at", ""),
)
answer_key = Table(
    "answer_key",
    metadata,
    Column("id", SafeText, primary_key=True),
    Column("challenge", ForeignKey("challenge.id"), nullable=False, index=True),
    _text("created_at"),
    _text("tasks"),
)
team = Table(
    "team",
    metadata,
    Column("id", SafeText, primary_key=True),
    Column("challenge", ForeignKey("challenge.id"), nullable=False),
    _text("name"),
    _text("folded_name"),
    _text("created_at"),
    Column("join_code", SafeText, nullable=False, server_default="", index=True),
    _text("kind"),
    _text("deleted_at", ""),
    UniqueConstraint("challenge", "folded_name"),
)
member = Table(
    "member",
    metadata,
    Column("challenge", ForeignKey("challenge.id"), primary_key=True),
    Column("account", ForeignKey("account.id"), primary_key=True),
    Column("team", ForeignKey("team.id"), nullable=False, index=True),
    _text("joined_at"),
)
submission = Table(
    "submission",
    metadata,
    Column("id", SafeText, primary_key=True),
    Column("challenge", ForeignKey("challenge.id"), nullable=False),
    Column("team", ForeignKey("team.id"), nullable=False),
    _text("account"),
    _text("kind"),
    _text("received_at"),
    _text("blob", ""),
    Column("size", BigInteger, nullable=False, default=0),
    _text("source", ""),
    _text("revision", ""),
    _text("note", ""),
    _text("receipt", ""),
    Index("ix_submission_team_received", "team", "received_at"),
    Index("ix_submission_challenge_received", "challenge", "received_at"),
)
run = Table(
    "run",
    metadata,
    Column("id", SafeText, primary_key=True),
    Column("submission", ForeignKey("submission.id"), nullable=False, index=True),
    Column("challenge", ForeignKey("challenge.id"), nullable=False),
    Column("team", ForeignKey("team.id"), nullable=False),
    _text("state"),
    _text("queued_at"),
    Column("tag", BigInteger, nullable=False),
    Column("attempt", Integer, nullable=False, default=1),
    Column("proposal", SafeText, nullable=False, server_default="", index=True),
    _text("worker", ""),
    _text("handle", ""),
    _text("started_at", ""),
    _text("ended_at", ""),
    Index("ix_run_state_tag", "state", "tag"),
    Index("ix_run_challenge_team", "challenge", "team"),
    Index("ix_run_team_tag", "team", "tag"),
)
#: What the steps of a run left for the next step: never more than one value for a name.
step_result = Table(
    "step_result",
    metadata,
    Column("run", ForeignKey("run.id"), primary_key=True),
    Column("attempt", Integer, primary_key=True),
    Column("step", SafeText, primary_key=True),
    _text("at"),
    _text("body"),
)
verdict = Table(
    "verdict",
    metadata,
    Column("run", ForeignKey("run.id"), primary_key=True),
    _text("at"),
    _text("outcome"),
    _text("owner"),
    Column("n_answered", Integer, nullable=False),
    Column("n_tasks", Integer, nullable=False),
    Column("wall_s", Float, nullable=False),
    Column("cpu_s", Float, nullable=False),
    Column("peak_mib", Float, nullable=False),
    _text("mechanism"),
    _text("detail"),
    _text("output"),
    _text("log"),
    Index("ix_verdict_at", "at"),
)
score = Table(
    "score",
    metadata,
    Column("run", ForeignKey("run.id"), primary_key=True),
    Column("key", ForeignKey("answer_key.id"), primary_key=True),
    _text("at"),
    _text("signature"),
    _text("figures"),
    _text("body"),
    Index("ix_score_key", "key"),
)
proposal = Table(
    "proposal",
    metadata,
    Column("id", SafeText, primary_key=True),
    Column("challenge", ForeignKey("challenge.id"), nullable=False, index=True),
    _text("kind"),
    _text("state"),
    _text("created_at"),
    _text("author"),
    _text("reason"),
    _text("key", ""),
)
event = Table(
    "event",
    metadata,
    Column("id", _GROWING, primary_key=True, autoincrement=True),
    _text("at"),
    _text("author"),
    _text("kind"),
    _text("challenge", ""),
    _text("team", ""),
    _text("submission", ""),
    _text("run", ""),
    _text("reason", ""),
    _text("data"),
    Index("ix_event_challenge_kind", "challenge", "kind", "id"),
    Index("ix_event_submission", "submission", "id"),
    Index("ix_event_team", "team", "id"),
)
#: Whose work the jury marks: a person or a system. ``work`` is a blob: what they handed in.
contestant = Table(
    "contestant",
    metadata,
    Column("id", SafeText, primary_key=True),
    Column("challenge", ForeignKey("challenge.id"), nullable=False, index=True),
    _text("kind"),
    _text("name"),
    _text("folded_name"),
    _text("team", ""),
    _text("run", ""),
    _text("work", ""),
    _text("created_at"),
    _text("withdrawn_at", ""),
)
#: A paper knows nothing of its contestant: the sealed list does. ``content`` is a blob, blinded.
paper = Table(
    "paper",
    metadata,
    Column("id", SafeText, primary_key=True),
    Column("challenge", ForeignKey("challenge.id"), nullable=False),
    _text("problem"),
    Column("number", Integer, nullable=False),
    _text("content", ""),
    _text("withdrawn_at", ""),
    UniqueConstraint("challenge", "number"),
)
#: Who marks a paper: a pair, and a third where they could not agree. Rows end, none is deleted.
assignment = Table(
    "assignment",
    metadata,
    Column("id", _GROWING, primary_key=True, autoincrement=True),
    Column("paper", ForeignKey("paper.id"), nullable=False, index=True),
    Column("juror", ForeignKey("account.id"), nullable=False, index=True),
    Column("is_third", Boolean, nullable=False, default=False),
    _text("at"),
    _text("ended_at", ""),
)
#: What jurors gave and did, in order. ``client_id`` is the page's own name for it.
mark = Table(
    "mark",
    metadata,
    Column("id", _GROWING, primary_key=True, autoincrement=True),
    Column("paper", ForeignKey("paper.id"), nullable=False),
    Column("juror", ForeignKey("account.id"), nullable=False, index=True),
    _text("criterion"),
    Column("points", Float, nullable=True),
    _text("note"),
    _text("kind"),
    Column("rubric_version", Integer, nullable=False),
    _text("at"),
    Column("client_id", SafeText, nullable=False, unique=True),
    Column("made_at", SafeText, nullable=False, server_default=""),
    Index("ix_mark_paper", "paper", "id"),
)
upload = Table(
    "upload",
    metadata,
    Column("id", SafeText, primary_key=True),
    Column("account", ForeignKey("account.id"), nullable=False, index=True),
    _text("name"),
    Column("size", BigInteger, nullable=False),
    _text("sha256"),
    Column("offset", BigInteger, nullable=False),
    _text("created_at"),
    Column("done", Boolean, nullable=False, default=False),
)
worker = Table(
    "worker",
    metadata,
    Column("id", SafeText, primary_key=True),
    _text("host"),
    _text("process"),
    _text("started_at"),
    _text("heartbeat_at"),
    Column("slots", Integer, nullable=False),
    _text("ended_at", ""),
)
#: How often something was tried of late, for rate limits: one row for each window of time.
rate = Table(
    "rate",
    metadata,
    Column("subject", SafeText, primary_key=True),
    Column("window", SafeText, primary_key=True),
    Column("n", Integer, nullable=False),
)
