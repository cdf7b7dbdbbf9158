"""``iolai entry check`` on an entry with iolai's recipe: configuration, model, libraries."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from gguf_file import gguf
from iolai.entry import check_entry, new_entry


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new entry whose copy of iolai is empty: the rules look at what the script names."""
    folder = tmp_path_factory.mktemp("template") / "entry"
    new_entry(folder, "llm")
    shutil.rmtree(folder / "vendor/iolai")
    for library in ("iolai", "xllamacpp"):
        (folder / "vendor" / library).mkdir()
        (folder / "vendor" / library / "__init__.py").write_text("", encoding="utf-8")
    for room in ("records", "solvers"):
        (folder / f"vendor/iolai/{room}.py").write_text("", encoding="utf-8")
    (folder / "weights/model.gguf").write_bytes(gguf())
    assert check_entry(folder) == ()
    return folder


@pytest.fixture
def entry(template: Path, tmp_path: Path) -> Path:
    """An entry that lacks nothing: with weights as far as they are looked at, and the library."""
    return Path(shutil.copytree(template, tmp_path / "entry"))


def found(folder: Path) -> list[tuple[str, str]]:
    return [(finding.file, finding.kind) for finding in check_entry(folder)]


def configure(folder: Path, **fields: Any) -> None:
    path = folder / "model.json"
    table = json.loads(path.read_text(encoding="utf-8")) | fields
    path.write_text(json.dumps(table), encoding="utf-8")


def test_what_a_new_entry_lacks_is_said(tmp_path: Path) -> None:
    new_entry(tmp_path / "entry", "llm")
    missing = [("model.json", "incomplete-model"), ("model.json", "missing-module")]
    assert found(tmp_path / "entry") == missing


def test_the_configuration_must_be_there_and_be_json(entry: Path) -> None:
    for text in ("{", "[]", "[" * 100_000):
        (entry / "model.json").write_text(text, encoding="utf-8")
        assert found(entry) == [("model.json", "not-json")]
    (entry / "model.json").unlink()
    assert found(entry) == [("script.py", "missing-file")]


@pytest.mark.parametrize(
    ("fields", "kinds"),
    [
        ({"backend": "openai"}, ["network"]),
        ({"backend": "transformers", "model": "a/b", "options": {"from_hub": True}}, ["hub-id"]),
        ({"backend": "transformers", "model": "a/b"}, ["incomplete-model"]),
        ({"model": "/data/model.gguf"}, ["absolute-path"]),
        ({"model": "../model.gguf"}, ["incomplete-model"]),
        ({"model": "package:some/model.gguf"}, []),
        ({"backend": ["llama"], "model": 5, "options": []}, []),
    ],
)
def test_what_the_configuration_asks_for_must_be_had(
    entry: Path, fields: dict[str, Any], kinds: list[str]
) -> None:
    configure(entry, **fields)
    assert found(entry) == [("model.json", kind) for kind in kinds]


def test_weights_that_are_none_are_found(entry: Path) -> None:
    model = entry / "weights/model.gguf"
    model.write_bytes(b"version https")
    assert found(entry) == [("weights/model.gguf", "incomplete-model")]
    model.unlink()
    model.mkdir()
    (model / "part").write_bytes(b"x")
    assert found(entry) == [("weights/model.gguf", "incomplete-model")]


def test_llama_takes_a_file_and_no_folder(entry: Path) -> None:
    configure(entry, model="weights")
    assert found(entry) == [("weights", "incomplete-model")]


def test_all_parts_of_a_model_in_parts_must_be_there(entry: Path) -> None:
    configure(entry, model="weights/m-00001-of-00003.gguf")
    (entry / "weights/m-00001-of-00003.gguf").write_bytes(gguf())
    (entry / "weights/m-00003-of-00003.gguf").write_bytes(gguf()[:-1])
    assert found(entry) == [
        ("weights/m-00002-of-00003.gguf", "incomplete-model"),
        ("weights/m-00003-of-00003.gguf", "incomplete-model"),
    ]


def test_a_folder_for_transformers_must_be_whole(entry: Path) -> None:
    configure(entry, backend="transformers", model="weights", options={})
    (entry / "weights/model.gguf").unlink()
    assert found(entry) == [("model.json", "incomplete-model")] * 3
    (entry / "weights/config.json").write_text("{}", encoding="utf-8")
    (entry / "weights/tokenizer.json").write_text("{}", encoding="utf-8")
    (entry / "weights/model.safetensors").write_bytes(b"{}")
    assert found(entry) == [("weights/model.safetensors", "incomplete-model")]
