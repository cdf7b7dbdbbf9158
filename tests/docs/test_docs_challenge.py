"""The whole challenge.toml that the page shows is one that can be read."""

from __future__ import annotations

import re
from pathlib import Path

from iolai.challenge.settings import _TOP, read_challenge_toml
from world import World

PAGE = Path(__file__).parents[2] / "docs/challenge-toml.md"


def test_the_file_on_the_page_is_read_and_shows_every_key(world: World) -> None:
    world.write_files()
    for name in ("rules.md", "nearest.csv"):
        (world.folder / name).write_text("be fair", encoding="utf-8")
    (text,) = re.findall(r"```toml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    path = world.folder / "challenge.toml"
    path.write_text(text, encoding="utf-8")
    settings, files = read_challenge_toml(path)
    assert settings.slug == "winter-2026"
    assert files.n_public == 8
    assert [key for key in _TOP if key not in files.toml.values] == []
