"""What draws nothing no longer tells two names apart: names that are kept are folded anew."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from iolai.text import without_ignorable

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Fold the names of accounts, teams and contestants, but where another has that name."""
    for name, whose in (("account", ()), ("team", ("challenge",)), ("contestant", ("challenge",))):
        _refold(name, whose)


def _refold(name: str, whose: tuple[str, ...]) -> None:
    """Fold the names of a table, which are unique together with the columns ``whose``."""
    table = sa.table(name, *map(sa.column, ("id", "folded_name", *whose)))
    connection = op.get_bind()
    rows = connection.execute(sa.select(table).order_by(table.c.id)).all()
    taken = {(row.folded_name, *(getattr(row, one) for one in whose)) for row in rows}
    for row in rows:
        folded = without_ignorable(row.folded_name)
        place = (folded, *(getattr(row, one) for one in whose))
        if folded == row.folded_name or place in taken:
            continue
        taken.add(place)
        change = sa.update(table).where(table.c.id == row.id).values(folded_name=folded)
        connection.execute(change)
