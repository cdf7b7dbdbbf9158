"""What Alembic runs to reach the database: the connection is always handed in."""

from __future__ import annotations

from alembic import context

from iolai.store.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
