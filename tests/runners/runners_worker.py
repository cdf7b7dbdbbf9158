"""A process that runs entries as another user: reads a request a line, writes an outcome a line.

Started by root it imports all it needs, then gives root up: its interpreter may stand where the
other user could not read it.
"""

from __future__ import annotations

import importlib
import json
import os
import pkgutil
import sys


def main(source: str, uid: str) -> None:
    sys.path.insert(0, source)
    for module in ("ctypes.util", "encodings.ascii", "encodings.utf_8_sig", "resource"):
        importlib.import_module(module)
    import iolai.runners
    from iolai.runners.seccomp import filter_program

    for found in pkgutil.iter_modules(iolai.runners.__path__):
        importlib.import_module(f"iolai.runners.{found.name}")
    filter_program()
    if uid and os.geteuid() == 0:
        os.setgroups([])
        os.setgid(int(uid))
        os.setuid(int(uid))
    for line in sys.stdin:
        message = json.loads(line)
        runner = iolai.runners.get_runner("local", mechanism=message["mechanism"])
        request = iolai.runners.RunRequest.from_json(message["request"])
        try:
            answer = runner.run(request).to_json()
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
