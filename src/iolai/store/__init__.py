"""The only module that persists: tables, migrations, transactions, files named by hash."""
