"""What is found in an entry's other files: settings that decode silently, and secrets."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from iolai.entry.findings import EntryFinding
from iolai.entry.reach import Entry

__all__ = ["find_secrets", "find_silent_settings"]

#: The values that change nothing. A model's own generation_config.json often holds others, and
#: they apply unless the call that generates names the setting.
_NEUTRAL = {
    "do_sample": (False,),
    "encoder_repetition_penalty": (1.0,),
    "no_repeat_ngram_size": (0,),
    "repetition_penalty": (1.0,),
    "temperature": (1.0,),
    "top_k": (0, 50),
    "top_p": (1.0,),
}
_MAX_TEXT = 1 << 20
_SECRETS = {
    "a Hugging Face token": rb"\bhf_[A-Za-z0-9]{30,}\b",
    "an OpenAI or Anthropic key": rb"\bsk-(?=[\w-]*\d)(?=[\w-]*[A-Z])[\w-]{20,}",
    "a GitHub token": rb"\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_\w{22,})\b",
    "an AWS key": rb"\bA(?:KI|SI)A[A-Z0-9]{16}\b",
    "a Google key": rb"\bAIza[\w-]{35}\b",
    "a Slack token": rb"\bxox[abprs]-[\w-]{10,}",
    "a private key": rb"-----BEGIN [A-Z ]*PRIVATE KEY-----",
}
_ANY_SECRET = re.compile(
    b"|".join(b"(?P<s%d>%s)" % (n, rule) for n, rule in enumerate(_SECRETS.values()))
)


def find_silent_settings(entry: Entry) -> Iterator[EntryFinding]:
    """Find settings of generation that apply although no call names them."""
    named = {name for source in entry.sources for node in source.nodes for name in _named(node)}
    for path in entry.folder.sizes:
        if PurePosixPath(path).name != "generation_config.json":
            continue
        try:
            text = (entry.folder.root / path).read_text(encoding="utf-8-sig")
            settings = json.loads(text)
        except OSError:
            continue  # told with the other files
        except (ValueError, RecursionError) as error:
            yield EntryFinding(path, 0, "not-json", str(error))
            continue
        for name, neutral in _NEUTRAL.items():
            value = settings.get(name) if isinstance(settings, dict) else None
            if value is not None and value not in neutral and name not in named:
                line = text.count("\n", 0, text.find(f'"{name}"')) + 1
                yield EntryFinding(path, line, "decoding", f"{name} is {json.dumps(value)}")


def _named(node: ast.AST) -> Iterator[str]:
    """Yield names that a call or a dictionary gives a value."""
    if isinstance(node, ast.keyword) and node.arg:
        yield node.arg
    elif isinstance(node, ast.Dict):
        keys = (key for key in node.keys if isinstance(key, ast.Constant))
        yield from (key.value for key in keys if isinstance(key.value, str))
    elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
        yield node.attr


def find_secrets(entry: Entry) -> Iterator[EntryFinding]:
    """Find what looks like a token in any text file; it is never shown in full."""
    for path, size in entry.folder.sizes.items():
        if size > _MAX_TEXT:
            continue
        try:
            data = (entry.folder.root / path).read_bytes()
        except OSError:
            yield EntryFinding(path, 0, "unreadable", "the file cannot be read")
            continue
        if b"\0" in data:
            continue
        for match in _ANY_SECRET.finditer(data):
            name = list(_SECRETS)[int((match.lastgroup or "s0")[1:])]
            line = data.count(b"\n", 0, match.start()) + 1
            start = match[0][:4].decode("ascii", "replace")
            yield EntryFinding(path, line, "secret", f"{name}, {start}…")
