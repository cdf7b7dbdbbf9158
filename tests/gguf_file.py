"""A GGUF file of one small tensor, for tests that look at its header."""

from __future__ import annotations

import struct


def gguf_text(value: str) -> bytes:
    return struct.pack("<Q", len(value)) + value.encode()


def gguf(version: int = 3, n_fields: int = 3, kind: int = 2, n_data: int = 36) -> bytes:
    """A file of one tensor of 64 weights, in blocks of 32 with 18 bytes each (Q4_0)."""
    fields = [
        gguf_text("general.name") + struct.pack("<I", 8) + gguf_text("tiny"),
        gguf_text("tokens") + struct.pack("<IIQ", 9, 8, 2) + gguf_text("a") + gguf_text("b"),
        gguf_text("general.alignment") + struct.pack("<II", 4, 64),
    ]
    head = b"GGUF" + struct.pack("<IQQ", version, 1, n_fields) + b"".join(fields)
    head += gguf_text("weight") + struct.pack("<IQQIQ", 2, 32, 2, kind, 0)
    return head + bytes(-len(head) % 64) + bytes(n_data)
