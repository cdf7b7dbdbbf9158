"""The jury's tables: contestants, papers, who marks what, and marks, which are never changed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_GROWING = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Make the tables, then the triggers of ``mark``."""
    _make_contestant()
    _make_paper()
    _make_assignment()
    _make_mark()
    _keep_from_change("mark")


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


def _make_contestant() -> None:
    op.create_table(
        "contestant",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("challenge", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("folded_name", sa.Text(), nullable=False),
        sa.Column("team", sa.Text(), server_default="", nullable=False),
        sa.Column("run", sa.Text(), server_default="", nullable=False),
        sa.Column("work", sa.Text(), server_default="", nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.Column("withdrawn_at", sa.Text(), server_default="", nullable=False),
        sa.ForeignKeyConstraint(
            ["challenge"], ["challenge.id"], name=op.f("fk_contestant_challenge")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_contestant")),
    )
    op.create_index(op.f("ix_contestant_challenge"), "contestant", ["challenge"], unique=False)


def _make_paper() -> None:
    op.create_table(
        "paper",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("challenge", sa.Text(), nullable=False),
        sa.Column("problem", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("content", sa.Text(), server_default="", nullable=False),
        sa.Column("withdrawn_at", sa.Text(), server_default="", nullable=False),
        sa.ForeignKeyConstraint(["challenge"], ["challenge.id"], name=op.f("fk_paper_challenge")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_paper")),
        sa.UniqueConstraint("challenge", "number", name=op.f("uq_paper_challenge_number")),
    )


def _make_assignment() -> None:
    op.create_table(
        "assignment",
        sa.Column("id", _GROWING, autoincrement=True, nullable=False),
        sa.Column("paper", sa.Text(), nullable=False),
        sa.Column("juror", sa.Text(), nullable=False),
        sa.Column("is_third", sa.Boolean(), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        sa.Column("ended_at", sa.Text(), server_default="", nullable=False),
        sa.ForeignKeyConstraint(["juror"], ["account.id"], name=op.f("fk_assignment_juror")),
        sa.ForeignKeyConstraint(["paper"], ["paper.id"], name=op.f("fk_assignment_paper")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_assignment")),
    )
    op.create_index(op.f("ix_assignment_juror"), "assignment", ["juror"], unique=False)
    op.create_index(op.f("ix_assignment_paper"), "assignment", ["paper"], unique=False)


def _make_mark() -> None:
    op.create_table(
        "mark",
        sa.Column("id", _GROWING, autoincrement=True, nullable=False),
        sa.Column("paper", sa.Text(), nullable=False),
        sa.Column("juror", sa.Text(), nullable=False),
        sa.Column("criterion", sa.Text(), nullable=False),
        sa.Column("points", sa.Float(), nullable=True),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("rubric_version", sa.Integer(), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["juror"], ["account.id"], name=op.f("fk_mark_juror")),
        sa.ForeignKeyConstraint(["paper"], ["paper.id"], name=op.f("fk_mark_paper")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_mark")),
        sa.UniqueConstraint("client_id", name=op.f("uq_mark_client_id")),
    )
    op.create_index(op.f("ix_mark_juror"), "mark", ["juror"], unique=False)
    op.create_index("ix_mark_paper", "mark", ["paper", "id"], unique=False)
