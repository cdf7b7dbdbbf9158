"""docs/language-models.md agrees with the code: its configurations are read, tables complete."""

from __future__ import annotations

import re
import tomllib
from dataclasses import asdict
from pathlib import Path

import pytest

from iolai.solvers.llm.backends import llama, openai, transformers
from iolai.solvers.llm.backends.dialects import DIALECTS
from iolai.solvers.llm.backends.openai import open_openai
from iolai.solvers.llm.config_file import known_configs, parse_config
from iolai.solvers.llm.stages import STAGES

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/language-models.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)


def names(heading: str, after: str = "") -> list[str]:
    """The names in the first column of the first table with this heading, after a text."""
    page = PAGE.split(after, 1)[1] if after else PAGE
    rows = page.split(f"| {heading} |")[1].split("\n\n")[0].splitlines()[2:]
    return [name for row in rows for name in re.findall(r"`([^`]+)`", row.split("|")[1])]


def test_the_first_example_shows_the_defaults() -> None:
    shown = parse_config(EXAMPLES[0], Path("model.toml"))
    table = tomllib.loads(EXAMPLES[0])
    least = 'backend = "llama"\nmodel = "weights/model.gguf"'
    defaults = parse_config(least, Path("model.toml"))
    same = {"explain_share": 0.0}  # a rounded figure on the page
    assert asdict(shown) | same == asdict(defaults) | same
    assert table["explain_share"] == pytest.approx(defaults.explain_share, rel=1e-3)


def test_the_example_of_a_server_can_be_opened() -> None:
    (text,) = EXAMPLES[1:]
    backend = open_openai(parse_config(text, Path("server.toml")))
    assert backend.describe()["trust_settings"] is True


def test_the_tables_are_complete() -> None:
    assert names("stage") == list(STAGES)
    assert names("option", "### llama") == list(llama._OPTIONS)
    assert sorted(names("option", "### transformers")) == sorted(transformers._OPTIONS)
    assert sorted(names("option", "### openai")) == sorted(openai._OPTIONS)
    assert sorted(names("`--solver llm:...`")) == sorted(known_configs())
    assert all(f"`{dialect}`" in PAGE for dialect in DIALECTS)
