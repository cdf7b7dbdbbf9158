"""Whether a text ends as a finished sentence does."""

from __future__ import annotations

import pytest

from iolai.reading import ends_unfinished


@pytest.mark.parametrize(
    ("text", "unfinished"),
    [
        ("The verb comes last.", False),
        ("Is it so?", False),
        ('It means "house."', False),
        ('It means "house".', False),
        ("The rule is *final*.**", False),
        ("(See above.)", False),
        ("以上です。", False),
        ("and so on…", False),
        ("The suffix -ka marks the", True),
        ("word order is SOV,", True),
        ("- **Morphemes**:", True),
        ("for example (as in", True),
        ('it means "house"', True),
        ("", False),
        ("  \n", False),
    ],
)
def test_ends_unfinished(text: str, unfinished: bool) -> None:
    assert ends_unfinished(text) is unfinished
