"""The jury's work as the door offers it: drafting, marking, talk, the third, unsealing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from iolai.challenge.jury import results
from jury_for_tests import JURORS, PROBLEMS, begun
from site_for_tests import SLUG, hash_quickly, make_site


@pytest.fixture(scope="module", autouse=True)
def quick_hashing() -> Iterator[None]:
    patch = hash_quickly()
    yield
    patch.undo()


def test_a_whole_marking(tmp_path: Path) -> None:
    site = make_site(tmp_path)
    marking = begun(site)
    numbers = marking.all_numbers()
    assert len(numbers) == 4 * len(PROBLEMS)
    assert sorted(len(marking.numbers(name)) for name in JURORS) == [6, 6, 6, 6]
    marking.settle(shares=(1.0, 0.5))
    marking.unseal()
    found = results.result(site.service, marking.juror("juror-a"), SLUG)
    assert len(found.result.contestants) == 4
