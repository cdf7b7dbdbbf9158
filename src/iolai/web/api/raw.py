"""Bodies that are bytes, whatever their content type says."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Depends, Request

__all__ = ["RAW", "RawBody"]

#: What the OpenAPI document says of such a body.
RAW: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}


async def _read(request: Request) -> bytes:
    return await request.body()


RawBody = Annotated[bytes, Depends(_read)]
