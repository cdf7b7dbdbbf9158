"""Bodies that are bytes, whatever their content type says.

An operation that takes one asks in a dependency of its own first whether whoever sends it may: the
dependencies of a route are asked before its parameters, so that nobody else's body is read.
"""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Iterator
from typing import IO, Annotated, Any

from fastapi import Depends, Request

__all__ = ["RAW", "Pieces", "RawBody", "pieces"]

#: What the OpenAPI document says of such a body.
RAW: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}


#: A body that is not kept in memory is in pieces of so many bytes; up to so many it is.
_PIECE = 1 << 20


async def _read(request: Request) -> bytes:
    return await request.body()


async def _keep(request: Request) -> AsyncIterator[IO[bytes]]:
    """Keep a body in a file without a name, which goes with the request."""
    with tempfile.SpooledTemporaryFile(max_size=_PIECE) as kept:
        async for piece in request.stream():
            kept.write(piece)
        kept.seek(0)
        yield kept


def pieces(kept: IO[bytes]) -> Iterator[bytes]:
    """Yield what is kept of a body."""
    while piece := kept.read(_PIECE):
        yield piece


RawBody = Annotated[bytes, Depends(_read)]
Pieces = Annotated[IO[bytes], Depends(_keep)]
