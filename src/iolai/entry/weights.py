"""Whether a file of weights is whole: its header is read, its tensors are not.

GGUF: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md. safetensors:
https://github.com/huggingface/safetensors#format. Both say at their beginning where each tensor
lies, so that a file which is too short is known without reading it.
"""

from __future__ import annotations

import json
import math
import os
import struct
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

__all__ = ["gguf_fault", "safetensors_fault"]

_MAGIC = b"GGUF"
_VERSIONS = (2, 3)  # what llama.cpp reads
_DEFAULT_ALIGNMENT = 32
#: kind of a value -> its bytes; a text and a list of values are read otherwise
_VALUE_BYTES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
_TEXT, _LIST = 8, 9
_WHOLE_NUMBERS = {4: "<I", 10: "<Q"}
#: kind of a tensor -> elements of a block, bytes of a block (gguf-py, ``GGML_QUANT_SIZES``)
_BLOCKS = {
    0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34),
    9: (32, 36), 10: (256, 84), 11: (256, 110), 12: (256, 144), 13: (256, 176), 14: (256, 210),
    15: (256, 292), 16: (256, 66), 17: (256, 74), 18: (256, 98), 19: (256, 50), 20: (32, 18),
    21: (256, 110), 22: (256, 82), 23: (256, 136), 24: (1, 1), 25: (1, 2), 26: (1, 4),
    27: (1, 8), 28: (1, 8), 29: (256, 56), 30: (1, 2), 34: (256, 54), 35: (256, 66), 39: (32, 17),
}  # fmt: skip
#: What is believed at most; the largest vocabularies have some 300,000 tokens and as many merges.
_MAX_TEXTS, _MAX_PAIRS, _MAX_TENSORS, _MAX_DIMENSIONS = 4_000_000, 100_000, 1_000_000, 8
_MAX_NAME, _MAX_JSON, _MAX_BYTES = 1 << 16, 64 << 20, 1 << 50


class _BrokenError(Exception):
    """What is wrong with a header."""


def gguf_fault(path: Path) -> str:
    """Return why a file can be no whole GGUF file; empty where nothing speaks against it."""
    return _fault(path, _gguf)


def safetensors_fault(path: Path) -> str:
    """Return why a file can be no whole file of safetensors; empty as above."""
    return _fault(path, _safetensors)


def _fault(path: Path, look: Callable[[BinaryIO, int], None]) -> str:
    try:
        with path.open("rb") as stream:
            look(stream, os.fstat(stream.fileno()).st_size)
    except OSError as error:
        return f"it cannot be read: {error.strerror}"
    except _BrokenError as error:
        return str(error)
    return ""


class _Header:
    """Numbers and texts from the beginning of a GGUF file, never from beyond its end."""

    def __init__(self, stream: BinaryIO, size: int) -> None:
        self._stream, self._size = stream, size
        self._n_texts = 0

    def skip(self, n_bytes: int) -> None:
        if n_bytes > self._size - self._stream.tell():
            raise _BrokenError(f"it ends within its header, after {self._size} bytes")
        self._stream.seek(n_bytes, os.SEEK_CUR)

    def read(self, n_bytes: int) -> bytes:
        data = self._stream.read(n_bytes)
        if len(data) < n_bytes:
            raise _BrokenError(f"it ends within its header, after {self._size} bytes")
        return data

    def number(self, kind: str) -> int:
        return int(struct.unpack(kind, self.read(struct.calcsize(kind)))[0])

    def count(self, most: int, what: str) -> int:
        found = self.number("<Q")
        if found > most:
            raise _BrokenError(f"its header is broken: {found} {what}")
        return found

    def name(self) -> bytes:
        return self.read(self.count(_MAX_NAME, "letters in a name"))

    def value(self, kind: int, depth: int = 0) -> int:
        """Pass over a value; return it where it is a whole number of the usual kinds, else 0."""
        if kind in _WHOLE_NUMBERS:
            return self.number(_WHOLE_NUMBERS[kind])
        if kind in _VALUE_BYTES:
            self.skip(_VALUE_BYTES[kind])
        elif kind == _TEXT:
            self._n_texts += 1
            if self._n_texts > _MAX_TEXTS:
                raise _BrokenError(f"its header is broken: more than {_MAX_TEXTS} texts")
            self.skip(self.number("<Q"))
        elif kind == _LIST and depth == 0:
            self._list()
        else:
            raise _BrokenError(f"its header is broken: a value of the kind {kind}")
        return 0

    def _list(self) -> None:
        kind, n_values = self.number("<I"), self.number("<Q")
        if kind in _VALUE_BYTES:
            self.skip(n_values * _VALUE_BYTES[kind])
            return
        for _ in range(n_values):  # ends by itself: each takes bytes of the file, or is refused
            self.value(kind, depth=1)

    def place(self) -> int:
        return self._stream.tell()


def _gguf(stream: BinaryIO, size: int) -> None:
    header = _Header(stream, size)
    if stream.read(len(_MAGIC)) != _MAGIC:
        raise _BrokenError("it is no GGUF file")
    version = header.number("<I")
    if version not in _VERSIONS:
        raise _BrokenError(f"it is GGUF of version {version}; llama.cpp reads 2 and 3")
    n_tensors = header.count(_MAX_TENSORS, "tensors")
    alignment = _DEFAULT_ALIGNMENT
    for _ in range(header.count(_MAX_PAIRS, "fields")):
        name, kind = header.name(), header.number("<I")
        value = header.value(kind)
        if name == b"general.alignment":
            alignment = value
    if not 0 < alignment <= _MAX_NAME:
        raise _BrokenError(f"its header is broken: an alignment of {alignment}")
    end = max((_tensor_end(header) for _ in range(n_tensors)), default=0)
    start = -(-header.place() // alignment) * alignment
    if n_tensors and start + end > size:
        raise _BrokenError(f"it is cut off: {size} bytes of the {start + end} that it should have")


def _tensor_end(header: _Header) -> int:
    """Read where a tensor lies; return the byte after it, counted from the first tensor's."""
    header.name()
    n_dimensions = header.number("<I")
    if n_dimensions > _MAX_DIMENSIONS:
        raise _BrokenError(f"its header is broken: a tensor of {n_dimensions} dimensions")
    n_elements = math.prod(header.number("<Q") for _ in range(n_dimensions))
    kind, offset = header.number("<I"), header.number("<Q")
    n_in_block, n_bytes = _BLOCKS.get(kind, (1, 0))  # of a kind to come nothing is known
    end = offset + -(-n_elements // n_in_block) * n_bytes
    if end > _MAX_BYTES:
        raise _BrokenError(f"its header is broken: a tensor that ends after {end:.2g} bytes")
    return end


def _safetensors(stream: BinaryIO, size: int) -> None:
    first = stream.read(8)
    n_bytes = int.from_bytes(first, "little")
    if len(first) < 8 or not 2 <= n_bytes <= _MAX_JSON:
        raise _BrokenError("it is no file of safetensors")
    if 8 + n_bytes > size:
        raise _BrokenError(f"it ends within its header, after {size} bytes")
    try:
        table = json.loads(stream.read(n_bytes))
        ends = [int(table[name]["data_offsets"][1]) for name in table if name != "__metadata__"]
    except (ValueError, TypeError, KeyError, IndexError, OverflowError, RecursionError) as error:
        raise _BrokenError("its header is broken: no table of tensors") from error
    needed = 8 + n_bytes + max(ends, default=0)
    if needed > size:
        raise _BrokenError(f"it is cut off: {size} bytes of the {needed} that it should have")
