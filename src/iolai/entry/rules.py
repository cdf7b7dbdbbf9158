"""What in a script's code would fail where it runs: imports, network, paths, variables."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from iolai.entry.environment import NEWER_NAMES, STANDARD_LIBRARY
from iolai.entry.findings import EntryFinding
from iolai.entry.paths import SET_THERE, path_of
from iolai.entry.reach import Entry
from iolai.entry.source import Call, Source

__all__ = ["find_in_code"]

_NETWORK_MODULES = (
    "aiohttp",
    "anthropic",
    "boto3",
    "ftplib",
    "gdown",
    "google.generativeai",
    "http.client",
    "httpx",
    "openai",
    "paramiko",
    "requests",
    "smtplib",
    "socket",
    "urllib.request",
    "urllib3",
    "wandb",
    "websockets",
)
_NETWORK_CALLS = frozenset(
    {
        "huggingface_hub.hf_hub_download",
        "huggingface_hub.login",
        "huggingface_hub.snapshot_download",
        "nltk.download",
        "torch.hub.load",
        "torch.hub.load_state_dict_from_url",
    }
)
#: method -> names of the argument that is a model or data set; it may also come first
_LOADERS = {
    "LLM": ("model",),
    "SentenceTransformer": ("model_name_or_path",),
    "from_pretrained": ("pretrained_model_name_or_path", "repo_id"),
    "load_dataset": ("path",),
    "pipeline": ("model",),
}
_HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*(?:/[\w.-]+)?")
_COMMAND_CALLS = re.compile(r"os\.(?:system|popen|exec\w+|spawn\w+)|subprocess\.\w+")
_INSTALL = re.compile(r"\b(?:pip3?|conda|mamba|apt|apt-get|uv)\b.*\binstall\b")
_FETCH = re.compile(r"\b(?:curl|wget|aria2c|huggingface-cli|git (?:clone|lfs|pull)|ollama)\b")

_HOME = re.compile(r"~[\w.-]*/|/root(?:/|$)|/home/\w|/Users/\w|[A-Za-z]:[\\/]Users[\\/]")
_ABSOLUTE = re.compile(
    r"/(?:content|kaggle|mnt|media|workspace|scratch|Volumes|srv|data|opt|app)/[\w.]"
    r"|[A-Za-z]:[\\/][\w.]|\\\\[\w.-]+\\[\w$]|file://"
)
_HOME_CALLS = frozenset({"os.path.expanduser", "pathlib.Path.home"})

# Possessive quantifiers and atomic groups came to regular expressions with Python 3.11.
_LATER_IN_REGEX = re.compile(r"[*+?}]\+|\(\?>")
_CLASS_OR_ESCAPE = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]", re.DOTALL)


def find_in_code(entry: Entry) -> Iterator[EntryFinding]:
    """Yield what is found in the files that the script reaches."""
    for source in entry.sources:
        for rule in (_imports, _newer_names, _calls, _texts, _variables):
            for line, kind, text in rule(source, entry):
                yield EntryFinding(source.path, line, kind, text)


_Found = Iterator[tuple[int, str, str]]


def _imports(source: Source, entry: Entry) -> _Found:
    known = STANDARD_LIBRARY | entry.environment.modules
    for line in source.imports:
        if line.is_guarded or entry.has_module(line):
            continue
        names = {line.module, *(f"{line.module}.{name}" for name in line.names)}
        if network := [name for name in _NETWORK_MODULES if _is_or_is_in(names, name)]:
            yield line.line, "network", f"{network[0]} is imported"
        elif line.top not in known:
            text = f"{line.top} is neither in Python 3.10, nor in the environment, nor here"
            yield line.line, "missing-module", text


def _is_or_is_in(names: set[str], module: str) -> bool:
    return any(name == module or name.startswith(f"{module}.") for name in names)


def _newer_names(source: Source, entry: Entry) -> _Found:
    del entry
    for line in source.imports:
        later = NEWER_NAMES.get(line.module, frozenset()) & set(line.names)
        if later and not line.is_guarded and not line.level:
            yield line.line, "newer-python", f"{line.module} has no {', '.join(sorted(later))}"
    for node in source.nodes:
        if isinstance(node, ast.Attribute):
            module, _, name = source.name_of(node).rpartition(".")
            if name in NEWER_NAMES.get(module, ()):
                yield node.lineno, "newer-python", f"{module} has no {name}"
        elif isinstance(node, ast.Name) and node.id in NEWER_NAMES["builtins"]:
            yield node.lineno, "newer-python", f"there is no {node.id}"
    for call in source.calls:
        if call.name.startswith("re."):
            pattern = call.argument(0, "pattern")
            text = pattern.value if isinstance(pattern, ast.Constant) else None
            if isinstance(text, str) and _LATER_IN_REGEX.search(_CLASS_OR_ESCAPE.sub("_", text)):
                said = "regular expressions have no possessive quantifiers or atomic groups"
                yield call.line, "newer-python", said


def _calls(source: Source, entry: Entry) -> _Found:
    for call in source.calls:
        if call.name in _NETWORK_CALLS:
            yield call.line, "network", f"{call.name} is called"
        elif call.method in _LOADERS:
            yield from _hub_id(call, source, entry)
        elif _COMMAND_CALLS.fullmatch(call.name):
            yield from _command(call)
        elif call.name in _HOME_CALLS:
            yield call.line, "home-folder", f"{call.name} is called"


def _hub_id(call: Call, source: Source, entry: Entry) -> _Found:
    place = 1 if call.method == "pipeline" else 0
    name = path_of(call.argument(place, *_LOADERS[call.method]), source)
    if name and _HUB_ID.fullmatch(name) and not entry.folder.has(name):
        text = f"{name!r} is no folder of the entry, so it would be looked for on the hub"
        yield call.line, "hub-id", text


def _command(call: Call) -> _Found:
    parts = [
        node.value
        for node in ast.walk(call.node)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    command = " ".join(parts)
    if match := _INSTALL.search(command):
        yield call.line, "install", match[0]
    elif match := _FETCH.search(command):
        yield call.line, "network", f"{match[0]} is run"


def _texts(source: Source, entry: Entry) -> _Found:
    del entry
    for line, text in source.texts:
        shown = repr(text if len(text) <= 60 else text[:60] + "…")
        if _HOME.match(text):
            yield line, "home-folder", shown
        elif _ABSOLUTE.match(text):
            yield line, "absolute-path", shown


def _variables(source: Source, entry: Entry) -> _Found:
    """Find variables that are asked for without a way out: ``os.environ["X"]``."""
    del entry
    for node in source.nodes:
        if (
            isinstance(node, ast.Subscript)
            and isinstance(node.ctx, ast.Load)
            and source.name_of(node.value) == "os.environ"
            and isinstance(node.slice, ast.Constant)
            and node.slice.value not in SET_THERE
        ):
            yield node.lineno, "environment", f"the variable {node.slice.value!r} is asked for"
