"""The command line: one file per command, each imported only when it is called for."""

import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line; an interrupt ends it quietly, also while it is loaded."""
    try:
        from iolai.cli.app import main as run

        run()
    except KeyboardInterrupt:
        sys.exit(130)
