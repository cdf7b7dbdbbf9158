"""Making and changing the tables: Alembic's migrations, run from here."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config

from iolai.store.engine import Store

__all__ = ["migrate"]


def migrate(store: Store) -> None:
    """Bring the database's tables to this version of the program; harmless where they are."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).with_name("migrations")))
    with store.write() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
