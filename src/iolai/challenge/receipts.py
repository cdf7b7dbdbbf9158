"""Receipts: signed texts that say what was accepted when, so that nobody need take our word.

A receipt is one line of JSON: ``claims``, their Ed25519 ``signature`` (RFC 8032, base64) over the
canonical form of the claims (sorted keys, no spaces, UTF-8), and the ``public_key`` (base64).
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

from iolai.challenge.secrets import derived
from iolai.challenge.service import Service
from iolai.errors import InputError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

__all__ = ["public_key", "sign", "verify"]


def _private(service: Service) -> Ed25519PrivateKey:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return Ed25519PrivateKey.from_private_bytes(derived(service.secret, "receipts"))


def public_key(service: Service) -> str:
    """Return the key that receipts of this service are verified with, as base64."""
    return base64.b64encode(_private(service).public_key().public_bytes_raw()).decode()


def sign(service: Service, claims: Mapping[str, object]) -> str:
    """Return the receipt for some claims."""
    signature = _private(service).sign(_canonical(claims))
    receipt = {
        "claims": dict(claims),
        "signature": base64.b64encode(signature).decode(),
        "public_key": public_key(service),
    }
    return json.dumps(receipt, ensure_ascii=False, sort_keys=True)


def verify(text: str, expected_key: str = "") -> dict[str, object]:
    """Return a receipt's claims where its signature is right.

    ``expected_key`` is the service's published key; without it only the receipt's own key is
    used, which shows that nothing was changed since but not who signed. Raises InputError.
    """
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        receipt = json.loads(text)
        claims, signature = receipt["claims"], base64.b64decode(receipt["signature"])
        key = str(receipt["public_key"])
        if expected_key and key != expected_key:
            raise InputError(
                "the receipt was signed by another service",
                hint="Compare the public key with the one on the challenge's page.",
            )
        verifier = Ed25519PublicKey.from_public_bytes(base64.b64decode(key))
        verifier.verify(signature, _canonical(claims))
    except InvalidSignature:
        raise InputError(
            "the signature does not fit: the receipt was changed",
            hint="Ask for the receipt again; the service keeps it.",
        ) from None
    except (ValueError, KeyError, TypeError) as error:
        raise InputError("this is no receipt", hint="Hand in its whole text.") from error
    return dict(claims)


def _canonical(claims: Mapping[str, object]) -> bytes:
    return json.dumps(
        dict(claims), ensure_ascii=False, sort_keys=True, separators=(",", ":")
    ).encode()
