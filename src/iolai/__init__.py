"""Run, enter, judge and study a linguistics-olympiad AI challenge, and solve its problems."""

from iolai.version import __version__

__all__ = ["__version__"]
