"""The only module that persists: tables, migrations, transactions, files named by hash.

It knows no rule: no quota, no phase, no permission. Each module here holds the plain functions for
one kind of row; they take a connection first, inside ``Store.read()`` or ``Store.write()``.
"""

from iolai.store.blobs import Blobs
from iolai.store.engine import Store, open_store, sqlite_url
from iolai.store.migrating import migrate

__all__ = ["Blobs", "Store", "migrate", "open_store", "sqlite_url"]
