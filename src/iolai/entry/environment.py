"""What can be imported where an entry runs: Python 3.10, and what ``environment.lock`` names."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path

from iolai.files import decode_utf8, read_text

__all__ = ["NEWER_NAMES", "PYTHON", "STANDARD_LIBRARY", "Environment", "read_environment"]

#: The version of Python in the challenge's sandbox.
PYTHON = (3, 10)

_CAME_LATER = frozenset({"annotationlib", "compression", "tomllib"})
# Gone from later versions of Python, present in 3.10 (PEP 594 and the notes on 3.12).
_WENT_LATER = frozenset(
    {
        "aifc",
        "asynchat",
        "asyncore",
        "audioop",
        "binhex",
        "cgi",
        "cgitb",
        "chunk",
        "crypt",
        "distutils",
        "imghdr",
        "imp",
        "lib2to3",
        "mailcap",
        "msilib",
        "nis",
        "nntplib",
        "ossaudiodev",
        "pipes",
        "smtpd",
        "sndhdr",
        "spwd",
        "sunau",
        "telnetlib",
        "uu",
        "xdrlib",
    }
)
STANDARD_LIBRARY = (frozenset(sys.stdlib_module_names) - _CAME_LATER) | _WENT_LATER

#: module -> names that it has only since Python 3.11 or later
NEWER_NAMES: dict[str, frozenset[str]] = {
    module: frozenset(names.split())
    for module, names in {
        "asyncio": "Barrier Runner TaskGroup timeout timeout_at",
        "builtins": "BaseExceptionGroup ExceptionGroup PythonFinalizationError",
        "contextlib": "chdir",
        "copy": "replace",
        "datetime": "UTC",
        "enum": "EnumCheck EnumType FlagBoundary ReprEnum StrEnum global_enum member nonmember "
        "property verify",
        "hashlib": "file_digest",
        "inspect": "BufferFlags getasyncgenstate getmembers_static markcoroutinefunction",
        "itertools": "batched",
        "logging": "getHandlerByName getHandlerNames getLevelNamesMapping",
        "math": "cbrt exp2 fma sumprod",
        "operator": "call is_none is_not_none",
        "os": "listdrives process_cpu_count",
        "queue": "ShutDown",
        "random": "binomialvariate",
        "re": "NOFLAG PatternError",
        "statistics": "kde kde_random",
        "sys": "exception monitoring",
        "threading": "setprofile_all_threads settrace_all_threads",
        "typing": "LiteralString Never NoDefault NotRequired ReadOnly Required Self TypeAliasType "
        "TypeIs TypeVarTuple Unpack assert_never assert_type clear_overloads dataclass_transform "
        "get_overloads get_protocol_members is_protocol override reveal_type",
        "warnings": "deprecated",
    }.items()
}

# What a library is imported as, where that is not its own name with "_" for "-".
_IMPORTED_AS = {
    "beautifulsoup4": "bs4",
    "llama-cpp-python": "llama_cpp",
    "opencv-python": "cv2",
    "pillow": "PIL",
    "protobuf": "google",
    "python-dateutil": "dateutil",
    "pyyaml": "yaml",
    "scikit-learn": "sklearn",
}
# What a library brings along: installed wherever it is, by its own list of requirements.
_BRINGS = {
    "accelerate": "huggingface_hub numpy packaging psutil yaml safetensors torch",
    "bitsandbytes": "numpy torch",
    "pandas": "dateutil numpy pytz tzdata",
    "torch": "filelock fsspec jinja2 mpmath networkx sympy triton typing_extensions",
    "transformers": "filelock huggingface_hub numpy packaging yaml regex requests safetensors "
    "tokenizers tqdm",
}
_BROUGHT_BY_ALL = {"requests": "certifi charset_normalizer idna urllib3", "dateutil": "six"}
_PINNED = re.compile(r"==\s*(\d+(?:\.\d+)*)")
_REQUIREMENT = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)")


@dataclass(frozen=True, slots=True)
class Environment:
    """The top names of the modules that can be imported beside the standard library.

    ``versions`` has the version of each library that the lock file pins, as numbers.
    """

    modules: frozenset[str]
    versions: dict[str, tuple[int, ...]] = field(default_factory=dict)


def read_environment(lock: Path) -> Environment:
    """Read a lock file (one ``name==version`` a line, ``#`` comments).

    Without such a file it is that of the IOL-AI Challenge 2026. Raises InputError where the file
    cannot be read.
    """
    if lock.is_file():
        text = read_text(lock)
    else:
        default = resources.files("iolai.entry") / "starters" / "environment.lock"
        text = decode_utf8(default.read_bytes(), lock.name)
    modules: set[str] = set()
    versions: dict[str, tuple[int, ...]] = {}
    for line in text.splitlines():
        if match := _REQUIREMENT.match(line.partition("#")[0]):
            name = re.sub(r"[-_.]+", "-", match[1]).lower()
            modules.add(_IMPORTED_AS.get(name, name.replace("-", "_")))
            modules.update(_BRINGS.get(name, "").split())
            if pinned := _PINNED.search(line):
                versions[name] = tuple(map(int, pinned[1].split(".")))
    for name in modules & set(_BROUGHT_BY_ALL):
        modules.update(_BROUGHT_BY_ALL[name].split())
    return Environment(frozenset(modules), versions)
