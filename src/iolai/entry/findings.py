"""What ``iolai entry check`` can find: one table of kinds, each with what to do about it."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["ENTRY_KINDS", "EntryFinding"]

#: kind -> what to do about it
ENTRY_KINDS: dict[str, str] = {
    "no-script": "The challenge runs script.py at the top of the folder; put it there.",
    "unreadable": "Check the permissions; what you cannot read cannot be uploaded.",
    "too-large": "Leave out what the entry does not need; weights can be quantised.",
    "too-many-files": "Leave out what the entry does not need, or pack small files together.",
    "link": "Replace the link by a copy of what it points to.",
    "odd-file": "An entry holds ordinary files with plain names; delete or rename it.",
    "old-output": "Delete it: in the challenge the folder begins without it.",
    "secret": "Take it out and revoke it: whoever gets the entry gets the secret.",
    "not-utf-8": "Save the file again with the encoding UTF-8.",
    "byte-order-mark": "Save the file as UTF-8 without a byte order mark.",
    "line-ends": "Save the file with the line ends of Unix (LF).",
    "syntax": "Write it for Python 3.10, which is what runs there.",
    "newer-python": "This came after Python 3.10, which is what runs there; do it another way.",
    "missing-module": "Bring it along in the folder or as a wheel, or do without; nothing can be "
    "installed there.",
    "wheel": "Fetch the wheel for Python 3.10 on Linux x86-64: pip download --python-version 3.10.",
    "missing-file": "Put the file into the folder; what is not in it is not there.",
    "incomplete-model": "Copy all files of the model into the folder; what git left out, git lfs "
    "pull fetches.",
    "absolute-path": "Use a path relative to script.py; this one exists on your machine only.",
    "home-folder": "Use the entry's folder or /tmp; the home folder there is empty.",
    "environment": "Write the value into the script; no variable of yours is set there.",
    "not-json": "Write the file anew, or copy it again: a library that reads it stops there.",
    "settings": "Set it to what it may be: docs/language-models.md has all fields and options.",
    "network": "There is no network there; bring along what it would fetch.",
    "hub-id": "Save the model into the folder and name that folder instead.",
    "install": "Nothing can be installed there; bring it along in the folder or as a wheel.",
    "no-test-set": "Read the test set from /tmp/data/test.csv.",
    "no-output": "Write the answers to submission.csv in the working directory.",
    "late-output": "Write placeholders for all tasks first: when time runs out, or the model does "
    "not fit, they are all there is.",
    "other-output": "Only submission.csv is collected; write what you need meanwhile under /tmp.",
    "decoding": "This default applies silently; name the setting in the call that generates.",
}


@dataclass(frozen=True, slots=True, order=True)
class EntryFinding:
    """One thing that would fail, or not do what it seems to.

    ``file`` is relative to the entry's folder, with ``/``; empty where it concerns the whole.
    ``line`` counts from 1, 0 where there is none.
    """

    file: str
    line: int
    kind: str
    text: str

    @property
    def hint(self) -> str:
        """What to do about it."""
        return ENTRY_KINDS[self.kind]
