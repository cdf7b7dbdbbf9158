"""What the entries of the corpus share. Each tries one thing, harmlessly, and says what it got.

``blocked`` runs an attempt that has to fail: one that works prints ESCAPED and ends the run with
exit code 3. What an attempt needs to know of the host stands in target.json.
"""

import csv
import ctypes
import json
import os

with open("target.json", encoding="utf-8") as stream:
    TARGET = json.load(stream)

LIBC = ctypes.CDLL(None, use_errno=True)


def task_ids():
    with open("/tmp/data/test.csv", encoding="utf-8", newline="") as stream:
        return [row["id"] for row in csv.DictReader(stream)]


def answer(n_tasks=None, path="submission.csv"):
    """Answer the first tasks, or all."""
    with open(path, "w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", "pred", "explanation"])
        for task_id in task_ids()[:n_tasks]:
            writer.writerow([task_id, json.dumps(["a, b", "c"]), "because\nso"])


def blocked(what, attempt):
    try:
        got = attempt()
    except Exception as error:
        print(f"blocked: {what}: {type(error).__name__}: {error}")
    else:
        if got is not None and got is not False:
            print(f"ESCAPED: {what}: {got!r}"[:300])
            os._exit(3)
        print(f"blocked: {what}: nothing there")


def syscall(number, *arguments):
    """Make a system call; raises OSError where it is refused."""
    result = LIBC.syscall(number, *arguments)
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    return result
