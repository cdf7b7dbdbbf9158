"""Serves a home on a port until it is killed, again for each line of stdin that names a port.

The parent loads everything once and forks, so that a server is there at once.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import uvicorn

from iolai.challenge.service import open_service
from iolai.web import create_app


def main(home: str) -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            app = create_app(open_service(Path(home)))
            uvicorn.run(app, port=int(line), log_level="critical", lifespan="off")
            os._exit(0)
        print(child, flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
