"""Pages and API of a challenge service. No rules: those are in ``iolai.challenge``."""

from iolai.web.app import create_app

__all__ = ["create_app"]
