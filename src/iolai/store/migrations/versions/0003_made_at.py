"""When a mark was made, beside when it was saved: what was made offline comes later."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; marks that are there were made when they were saved."""
    op.add_column("mark", sa.Column("made_at", sa.Text(), server_default="", nullable=False))
