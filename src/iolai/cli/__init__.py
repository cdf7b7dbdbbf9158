"""The command line: one file per command, each imported only when it is called for."""

import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line; an interrupt while it is still being loaded ends it quietly."""
    try:
        from iolai.cli.app import main as run
    except KeyboardInterrupt:
        sys.exit(130)
    run()
