"""The first tables, and the triggers that keep what was decided from being changed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

#: Facts: rows of these tables are inserted and never changed or deleted.
FACTS = ("event", "submission", "verdict", "score", "answer_key")


def upgrade() -> None:
    """Make all tables, then the triggers."""
    _make_account()
    _make_challenge()
    _make_event()
    _make_rate()
    _make_worker()
    _make_answer_key()
    _make_api_token()
    _make_proposal()
    _make_session()
    _make_team()
    _make_upload()
    _make_member()
    _make_submission()
    _make_run()
    _make_score()
    _make_step_result()
    _make_verdict()
    for table in FACTS:
        _keep_from_change(table)


def _keep_from_change(table: str) -> None:
    """Make triggers by which the database refuses to change or delete a row of a table."""
    message = f"rows of {table} are never changed"
    if op.get_bind().dialect.name == "sqlite":
        for change in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER {table}_no_{change.lower()} BEFORE {change} ON {table} "
                f"BEGIN SELECT RAISE(ABORT, '{message}'); END"
            )
        return
    op.execute(
        f"CREATE FUNCTION refuse_{table}_change() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN RAISE EXCEPTION '{message}'; END $$"
    )
    for change, each in (("UPDATE OR DELETE", "ROW"), ("TRUNCATE", "STATEMENT")):
        op.execute(
            f"CREATE TRIGGER {table}_no_{change.split()[0].lower()} BEFORE {change} ON {table} "
            f"FOR EACH {each} EXECUTE FUNCTION refuse_{table}_change()"
        )


def _make_account() -> None:
    op.create_table(
        "account",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("folded_name", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("password_hash", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.Column("deleted_at", sa.Text(), server_default="", nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_account")),
        sa.UniqueConstraint("folded_name", name=op.f("uq_account_folded_name")),
    )


def _make_challenge() -> None:
    op.create_table(
        "challenge",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("slug", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.Column("deleted_at", sa.Text(), server_default="", nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_challenge")),
        sa.UniqueConstraint("slug", name=op.f("uq_challenge_slug")),
    )


def _make_event() -> None:
    op.create_table(
        "event",
        sa.Column(
            "id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=True,
            nullable=False,
        ),
        sa.Column("at", sa.Text(), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("challenge", sa.Text(), server_default="", nullable=False),
        sa.Column("team", sa.Text(), server_default="", nullable=False),
        sa.Column("submission", sa.Text(), server_default="", nullable=False),
        sa.Column("run", sa.Text(), server_default="", nullable=False),
        sa.Column("reason", sa.Text(), server_default="", nullable=False),
        sa.Column("data", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_event")),
    )
    op.create_index("ix_event_challenge_kind", "event", ["challenge", "kind", "id"], unique=False)
    op.create_index("ix_event_submission", "event", ["submission", "id"], unique=False)
    op.create_index("ix_event_team", "event", ["team", "id"], unique=False)


def _make_rate() -> None:
    op.create_table(
        "rate",
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("window", sa.Text(), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("subject", "window", name=op.f("pk_rate")),
    )


def _make_worker() -> None:
    op.create_table(
        "worker",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("process", sa.Text(), nullable=False),
        sa.Column("started_at", sa.Text(), nullable=False),
        sa.Column("heartbeat_at", sa.Text(), nullable=False),
        sa.Column("slots", sa.Integer(), nullable=False),
        sa.Column("ended_at", sa.Text(), server_default="", nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_worker")),
    )


def _make_answer_key() -> None:
    op.create_table(
        "answer_key",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("challenge", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.Column("tasks", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["challenge"], ["challenge.id"], name=op.f("fk_answer_key_challenge")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_answer_key")),
    )
    op.create_index(op.f("ix_answer_key_challenge"), "answer_key", ["challenge"], unique=False)


def _make_api_token() -> None:
    op.create_table(
        "api_token",
        sa.Column("token_hash", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.Column("revoked_at", sa.Text(), server_default="", nullable=False),
        sa.ForeignKeyConstraint(["account"], ["account.id"], name=op.f("fk_api_token_account")),
        sa.PrimaryKeyConstraint("token_hash", name=op.f("pk_api_token")),
        sa.UniqueConstraint("id", name=op.f("uq_api_token_id")),
    )
    op.create_index(op.f("ix_api_token_account"), "api_token", ["account"], unique=False)


def _make_proposal() -> None:
    op.create_table(
        "proposal",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("challenge", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), server_default="", nullable=False),
        sa.ForeignKeyConstraint(
            ["challenge"], ["challenge.id"], name=op.f("fk_proposal_challenge")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_proposal")),
    )
    op.create_index(op.f("ix_proposal_challenge"), "proposal", ["challenge"], unique=False)


def _make_session() -> None:
    op.create_table(
        "session",
        sa.Column("token_hash", sa.Text(), nullable=False),
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("csrf", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.Column("expires_at", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["account"], ["account.id"], name=op.f("fk_session_account")),
        sa.PrimaryKeyConstraint("token_hash", name=op.f("pk_session")),
    )
    op.create_index(op.f("ix_session_account"), "session", ["account"], unique=False)


def _make_team() -> None:
    op.create_table(
        "team",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("challenge", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("folded_name", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.Column("join_code", sa.Text(), server_default="", nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("deleted_at", sa.Text(), server_default="", nullable=False),
        sa.ForeignKeyConstraint(["challenge"], ["challenge.id"], name=op.f("fk_team_challenge")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_team")),
        sa.UniqueConstraint("challenge", "folded_name", name=op.f("uq_team_challenge_folded_name")),
    )
    op.create_index(op.f("ix_team_join_code"), "team", ["join_code"], unique=False)


def _make_upload() -> None:
    op.create_table(
        "upload",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("offset", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.Column("done", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["account"], ["account.id"], name=op.f("fk_upload_account")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_upload")),
    )
    op.create_index(op.f("ix_upload_account"), "upload", ["account"], unique=False)


def _make_member() -> None:
    op.create_table(
        "member",
        sa.Column("challenge", sa.Text(), nullable=False),
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("team", sa.Text(), nullable=False),
        sa.Column("joined_at", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["account"], ["account.id"], name=op.f("fk_member_account")),
        sa.ForeignKeyConstraint(["challenge"], ["challenge.id"], name=op.f("fk_member_challenge")),
        sa.ForeignKeyConstraint(["team"], ["team.id"], name=op.f("fk_member_team")),
        sa.PrimaryKeyConstraint("challenge", "account", name=op.f("pk_member")),
    )
    op.create_index(op.f("ix_member_team"), "member", ["team"], unique=False)


def _make_submission() -> None:
    op.create_table(
        "submission",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("challenge", sa.Text(), nullable=False),
        sa.Column("team", sa.Text(), nullable=False),
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("received_at", sa.Text(), nullable=False),
        sa.Column("blob", sa.Text(), server_default="", nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("source", sa.Text(), server_default="", nullable=False),
        sa.Column("revision", sa.Text(), server_default="", nullable=False),
        sa.Column("note", sa.Text(), server_default="", nullable=False),
        sa.Column("receipt", sa.Text(), server_default="", nullable=False),
        sa.ForeignKeyConstraint(
            ["challenge"], ["challenge.id"], name=op.f("fk_submission_challenge")
        ),
        sa.ForeignKeyConstraint(["team"], ["team.id"], name=op.f("fk_submission_team")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_submission")),
    )
    op.create_index(
        "ix_submission_challenge_received", "submission", ["challenge", "received_at"], unique=False
    )
    op.create_index(
        "ix_submission_team_received", "submission", ["team", "received_at"], unique=False
    )


def _make_run() -> None:
    op.create_table(
        "run",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("submission", sa.Text(), nullable=False),
        sa.Column("challenge", sa.Text(), nullable=False),
        sa.Column("team", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("queued_at", sa.Text(), nullable=False),
        sa.Column("tag", sa.BigInteger(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("proposal", sa.Text(), server_default="", nullable=False),
        sa.Column("worker", sa.Text(), server_default="", nullable=False),
        sa.Column("handle", sa.Text(), server_default="", nullable=False),
        sa.Column("started_at", sa.Text(), server_default="", nullable=False),
        sa.Column("ended_at", sa.Text(), server_default="", nullable=False),
        sa.ForeignKeyConstraint(["challenge"], ["challenge.id"], name=op.f("fk_run_challenge")),
        sa.ForeignKeyConstraint(["submission"], ["submission.id"], name=op.f("fk_run_submission")),
        sa.ForeignKeyConstraint(["team"], ["team.id"], name=op.f("fk_run_team")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_run")),
    )
    op.create_index("ix_run_challenge_team", "run", ["challenge", "team"], unique=False)
    op.create_index(op.f("ix_run_proposal"), "run", ["proposal"], unique=False)
    op.create_index("ix_run_state_tag", "run", ["state", "tag"], unique=False)
    op.create_index(op.f("ix_run_submission"), "run", ["submission"], unique=False)
    op.create_index("ix_run_team_tag", "run", ["team", "tag"], unique=False)


def _make_score() -> None:
    op.create_table(
        "score",
        sa.Column("run", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        sa.Column("signature", sa.Text(), nullable=False),
        sa.Column("figures", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["key"], ["answer_key.id"], name=op.f("fk_score_key")),
        sa.ForeignKeyConstraint(["run"], ["run.id"], name=op.f("fk_score_run")),
        sa.PrimaryKeyConstraint("run", "key", name=op.f("pk_score")),
    )
    op.create_index("ix_score_key", "score", ["key"], unique=False)


def _make_step_result() -> None:
    op.create_table(
        "step_result",
        sa.Column("run", sa.Text(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("step", sa.Text(), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["run"], ["run.id"], name=op.f("fk_step_result_run")),
        sa.PrimaryKeyConstraint("run", "attempt", "step", name=op.f("pk_step_result")),
    )


def _make_verdict() -> None:
    op.create_table(
        "verdict",
        sa.Column("run", sa.Text(), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("n_answered", sa.Integer(), nullable=False),
        sa.Column("n_tasks", sa.Integer(), nullable=False),
        sa.Column("wall_s", sa.Float(), nullable=False),
        sa.Column("cpu_s", sa.Float(), nullable=False),
        sa.Column("peak_mib", sa.Float(), nullable=False),
        sa.Column("mechanism", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("output", sa.Text(), nullable=False),
        sa.Column("log", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["run"], ["run.id"], name=op.f("fk_verdict_run")),
        sa.PrimaryKeyConstraint("run", name=op.f("pk_verdict")),
    )
    op.create_index("ix_verdict_at", "verdict", ["at"], unique=False)
