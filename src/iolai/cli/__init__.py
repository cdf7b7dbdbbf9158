"""The command line: one file per command, each imported only when it is called for."""

from iolai.cli.app import main

__all__ = ["main"]
