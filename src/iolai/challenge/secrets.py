"""The service's secret, and what is made from it: ids, tokens, keys for each purpose.

The secret is 32 random bytes in a file of mode 600 outside the database. Everything that needs a
key of its own gets one derived from it (HKDF-SHA256, RFC 5869) under a name for its purpose.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import stat
from pathlib import Path

from iolai.errors import InputError

__all__ = [
    "SECRET_BYTES",
    "derived",
    "keyed_digest",
    "new_id",
    "new_token",
    "read_secret",
    "token_hash",
]

SECRET_BYTES = 32
#: Without letters and digits that are taken for each other.
_LETTERS = "23456789abcdefghjkmnpqrstuvwxyz"
_ID_LENGTH = 12


def read_secret(path: Path) -> bytes:
    """Return the secret, made anew where there is no file.

    Raises InputError where others than the owner may read the file, or it is of another length.
    """
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return _existing(path)
    except OSError as error:
        raise InputError(
            f"the secret {path} cannot be made: {error.strerror}",
            hint="Name a place that you may write to.",
        ) from error
    with os.fdopen(handle, "wb") as stream:
        secret = secrets.token_bytes(SECRET_BYTES)
        stream.write(secret)
        stream.flush()
        os.fsync(stream.fileno())
    return secret


def _existing(path: Path) -> bytes:
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & 0o077:
        raise InputError(
            f"the secret {path} has the mode {mode:o}: others may read it",
            hint=f"Run chmod 600 {path}; if others have read it, the answer keys are not secret.",
        )
    try:
        secret = path.read_bytes()
    except OSError as error:
        raise InputError(
            f"the secret {path} cannot be read: {error.strerror}",
            hint="Run the service as the user whose file it is.",
        ) from error
    if len(secret) != SECRET_BYTES:
        raise InputError(
            f"the secret {path} has {len(secret)} bytes; it should have {SECRET_BYTES}",
            hint="Restore it from where you keep it; without it no sealed key can be opened.",
        )
    return secret


def derived(secret: bytes, purpose: str) -> bytes:
    """Return 32 bytes for one purpose."""
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    kdf = HKDF(algorithm=SHA256(), length=32, salt=None, info=f"iolai {purpose}".encode())
    return kdf.derive(secret)


def keyed_digest(key: bytes, text: str) -> str:
    """Return a digest of a text that nobody without the key can try texts against."""
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()[:32]


def new_id() -> str:
    """Return a new random id of 12 letters and digits (59 bits)."""
    return "".join(secrets.choice(_LETTERS) for _ in range(_ID_LENGTH))


def new_token() -> str:
    """Return a new random token of 43 characters (256 bits)."""
    return secrets.token_urlsafe(32)


def token_hash(token: str) -> str:
    """Return what is stored of a token: it is random, so that a plain SHA-256 will do."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
