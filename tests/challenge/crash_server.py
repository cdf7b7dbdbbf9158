"""A server that accepts submissions until it is killed, and writes down each receipt it gave."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from crash_service import predictions

from iolai.challenge.receipts import public_key, verify
from iolai.challenge.service import Actor, open_service
from iolai.challenge.submissions import submit_predictions
from iolai.records import Role


def main(home: str, account: str, receipts: str) -> None:
    service = open_service(Path(home))
    actor = Actor(account, "anna", Role.PARTICIPANT)
    handle = os.open(receipts, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    while True:
        view = submit_predictions(service, actor, "crash", predictions())
        verify(view.receipt, public_key(service))
        os.write(handle, f"{view.submission.id}\n".encode())


if __name__ == "__main__":
    main(*sys.argv[1:])
