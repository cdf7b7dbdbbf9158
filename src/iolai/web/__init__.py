"""Pages and API of a challenge service. No rules: those are in ``iolai.challenge``."""

from iolai.web.app import app_of_home, create_app

__all__ = ["app_of_home", "create_app"]
