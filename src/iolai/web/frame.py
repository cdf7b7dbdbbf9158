"""What stands around every page of a challenge: its title and the tabs that the asker may open."""

from __future__ import annotations

from typing import Any

from iolai.challenge.challenges import ChallengeView
from iolai.challenge.permissions import Action, may
from iolai.challenge.service import Actor
from iolai.records import Role
from iolai.web.cutting import challenge_shape

__all__ = ["challenge_frame"]


def challenge_frame(actor: Actor, view: ChallengeView, here: str) -> dict[str, Any]:
    """Return title and tabs; ``here`` is the key of the tab that is open."""
    base = f"/challenges/{view.settings.slug}"
    tabs = [("challenge", "", "Challenge")]
    if view.problems is not None:
        tabs.append(("problems", "/problems", "Problems"))
    tabs.append(("board", "/board", "Board"))
    if actor.role is Role.PARTICIPANT:
        tabs.append(("team", "/team", "My team"))
    if may(actor, Action.VIEW_MARKING):
        tabs.append(("jury", "/jury", "Jury"))
    elif view.jury_released:
        tabs.append(("jury", "/jury/results", "Jury"))
    if may(actor, Action.VIEW_QUEUE):
        tabs.append(("desk", "/desk", "Desk"))
    return {
        "challenge": challenge_shape(view),
        "base": base,
        "here": here,
        "tabs": [{"key": key, "href": base + path, "name": name} for key, path, name in tabs],
    }
