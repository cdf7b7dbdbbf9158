"""What is found in the folders of models: parts that are missing, libraries that they need.

Only folders that the script loads by a path that can be worked out are judged, and only where
transformers' own classes load them.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from iolai.entry.findings import EntryFinding
from iolai.entry.paths import path_of
from iolai.entry.reach import Entry
from iolai.entry.source import Call

__all__ = ["find_in_folder", "find_in_models", "find_pointers"]

_WEIGHTS = (".safetensors", ".bin", ".pt", ".pth", ".h5", ".msgpack")
_INDICES = ("model.safetensors.index.json", "pytorch_model.bin.index.json")
_TOKENIZERS = frozenset(
    {
        "merges.txt",
        "sentencepiece.bpe.model",
        "spiece.model",
        "spm.model",
        "tekken.json",
        "tokenizer.json",
        "tokenizer.model",
        "vocab.json",
        "vocab.txt",
    }
)
#: Arguments with which a folder is read in another way than by its usual files.
_OTHER_WAYS = frozenset({"gguf_file", "subfolder", "config", "trust_remote_code", "from_tf"})
#: kind of quantised weights -> what transformers imports to load them
_QUANTISED = {
    "aqlm": "aqlm",
    "awq": "awq",
    "bitsandbytes": "bitsandbytes",
    "compressed-tensors": "compressed_tensors",
    "gptq": "optimum",
    "hqq": "hqq",
}
#: Kinds of models that transformers has known only since after the version of the challenge.
_KNOWN_UNTIL = (4, 44)
_CAME_LATER = frozenset(
    {
        "cohere2",
        "deepseek_v3",
        "gemma3",
        "gemma3_text",
        "glm",
        "glm4",
        "gpt_oss",
        "granite",
        "llama4",
        "llama4_text",
        "mistral3",
        "mllama",
        "modernbert",
        "olmo2",
        "olmoe",
        "phimoe",
        "qwen2_5_vl",
        "qwen2_vl",
        "qwen3",
        "qwen3_moe",
        "smollm3",
    }
)
_LOADS_MODEL = re.compile(r"transformers\.AutoModel\w*\.from_pretrained")
_POINTER = b"version https://git-lfs.github.com/spec/"
_MAX_POINTER = 1024
_MAX_JSON = 8 << 20


@dataclass(frozen=True, slots=True)
class _Loaded:
    """A folder of the entry that a call loads; ``inside`` are its files' names."""

    folder: str
    inside: frozenset[str]
    file: str
    line: int

    def place(self, name: str) -> str:
        """Return the path of one of the folder's files."""
        return f"{self.folder}/{name}" if self.folder else name


def find_in_models(entry: Entry) -> Iterator[EntryFinding]:
    """Find what would keep transformers from loading a folder."""
    for source in entry.sources:
        for call in source.calls:
            yield from _attention(call, entry, source.path)
            path = path_of(call.argument(0, "pretrained_model_name_or_path"), source)
            named = {keyword.arg for keyword in call.node.keywords}
            if path is None or path not in entry.folder.folders or named & _OTHER_WAYS:
                continue
            loaded = _Loaded(path, _names_in(entry, path), source.path, call.line)
            if call.name == "transformers.AutoTokenizer.from_pretrained":
                yield from _tokenizer(loaded)
            elif _LOADS_MODEL.fullmatch(call.name):
                yield from _model(loaded, entry)


def find_in_folder(entry: Entry, folder: str, file: str) -> Iterator[EntryFinding]:
    """Find what would keep transformers from loading a model and its tokenizer from a folder.

    ``file`` is what names the folder.
    """
    loaded = _Loaded(folder, _names_in(entry, folder), file, 0)
    yield from _tokenizer(loaded)
    yield from _model(loaded, entry)


def _names_in(entry: Entry, folder: str) -> frozenset[str]:
    start = f"{folder}/" if folder else ""
    paths = (path for path in entry.folder.sizes if path.startswith(start))
    return frozenset(path.removeprefix(start) for path in paths)


def _tokenizer(loaded: _Loaded) -> Iterator[EntryFinding]:
    if not loaded.inside & _TOKENIZERS:
        text = f"{loaded.folder or '.'} has no file of a tokenizer, such as tokenizer.json"
        yield EntryFinding(loaded.file, loaded.line, "incomplete-model", text)


def _model(loaded: _Loaded, entry: Entry) -> Iterator[EntryFinding]:
    if "adapter_config.json" in loaded.inside and "config.json" not in loaded.inside:
        base = _json(entry, loaded.place("adapter_config.json")).get("base_model_name_or_path")
        if isinstance(base, str) and not entry.folder.has(base.removeprefix("./").rstrip("/")):
            text = f"the adapter's model {base!r} is no folder of the entry"
            yield EntryFinding(loaded.place("adapter_config.json"), 0, "hub-id", text)
        return
    missing = []
    if "config.json" not in loaded.inside:
        missing.append("config.json")
    if not any(name.endswith(_WEIGHTS) for name in loaded.inside):
        missing.append("file of weights, such as model.safetensors")
    for name in missing:
        text = f"{loaded.folder or '.'} has no {name}"
        yield EntryFinding(loaded.file, loaded.line, "incomplete-model", text)
    for index in sorted(loaded.inside.intersection(_INDICES)):
        yield from _shards(loaded, entry, index)
    if "config.json" in loaded.inside:
        yield from _libraries(loaded, entry)


def _shards(loaded: _Loaded, entry: Entry, index: str) -> Iterator[EntryFinding]:
    """Find parts of the weights that the list of parts names and that are not there."""
    parts = _json(entry, loaded.place(index)).get("weight_map")
    values = parts.values() if isinstance(parts, dict) else ()
    named = {part for part in values if isinstance(part, str)}
    others = {name for name in loaded.inside if name in ("model.safetensors", "pytorch_model.bin")}
    if (missing := sorted(named - loaded.inside)) and not others:
        text = f"{len(missing)} of {len(named)} parts of the weights are missing, as {missing[0]}"
        yield EntryFinding(loaded.place(index), 0, "incomplete-model", text)


def _libraries(loaded: _Loaded, entry: Entry) -> Iterator[EntryFinding]:
    """Find what a model needs and the challenge's libraries do not have."""
    place = loaded.place("config.json")
    config = _json(entry, place)
    kind = config.get("model_type")
    version = entry.environment.versions.get("transformers", ())
    is_old = () < version[:2] <= _KNOWN_UNTIL and "transformers" not in entry.brought
    if isinstance(kind, str) and kind in _CAME_LATER and is_old and "auto_map" not in config:
        said = ".".join(map(str, version))
        yield EntryFinding(place, 0, "missing-module", f"transformers {said} knows no {kind}")
    quantised = config.get("quantization_config")
    method = quantised.get("quant_method") if isinstance(quantised, dict) else None
    module = _QUANTISED.get(method) if isinstance(method, str) else None
    if module and not _can_import(entry, module):
        yield EntryFinding(
            place, 0, "missing-module", f"weights of the kind {method} need {module}"
        )


def _attention(call: Call, entry: Entry, file: str) -> Iterator[EntryFinding]:
    """Find a request for a kernel that is a library of its own."""
    for keyword in call.node.keywords:
        value = keyword.value.value if isinstance(keyword.value, ast.Constant) else None
        asked = (keyword.arg, value) in (
            ("attn_implementation", "flash_attention_2"),
            ("use_flash_attention_2", True),
        )
        if asked and not _can_import(entry, "flash_attn"):
            text = "flash_attention_2 needs flash_attn"
            yield EntryFinding(file, call.line, "missing-module", text)


def _can_import(entry: Entry, module: str) -> bool:
    return module in entry.environment.modules or entry.has(module)


def find_pointers(entry: Entry) -> Iterator[EntryFinding]:
    """Find files that git-lfs has not fetched: a few lines of text in the place of the content."""
    for path, size in entry.folder.sizes.items():
        if len(_POINTER) < size <= _MAX_POINTER:
            try:
                with (entry.folder.root / path).open("rb") as stream:
                    is_pointer = stream.read(len(_POINTER)) == _POINTER
            except OSError:
                continue
            if is_pointer:
                text = "the file is a pointer of git-lfs, not its content"
                yield EntryFinding(path, 0, "incomplete-model", text)


def _json(entry: Entry, path: str) -> dict[str, Any]:
    """Return a JSON object of the entry, empty where there is none."""
    if entry.folder.sizes.get(path, _MAX_JSON + 1) > _MAX_JSON:
        return {}
    try:
        value = json.loads((entry.folder.root / path).read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
