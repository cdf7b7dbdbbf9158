"""``entry check``: one small entry for every kind of finding, and what must stay silent."""

from __future__ import annotations

import inspect
import json
import os
import subprocess
import zipfile
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path

import pytest

from iolai.entry import DEFAULT_LIMITS, ENTRY_KINDS, FolderLimits, check_entry
from iolai.errors import InputError
from iolai.runners import pin_entry

#: What every sound entry does; the lines of an example follow it, from line 4 on.
SOUND = 'TEST = "/tmp/data/test.csv"\nOUT = "submission.csv"\n\n'
#: Where interpreters differ about the line of a syntax error.
ANY_LINE = -1
Files = Mapping[str, str | bytes]


def write(folder: Path, files: Files) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def script(code: str) -> Files:
    return {"script.py": SOUND + code}


def loading(value: str, name: str, before: str) -> Files:
    """An entry that loads a model whose name, ``value``, is reached in some way."""
    lines = f"open(OUT, 'w'); from transformers import AutoModel\n{before.format(value)}"
    return script(f"{lines}AutoModel.from_pretrained({name.format(value)})\n")


def ordered(code: str) -> Files:
    """An entry with a function that loads a model, in line 6, and one that writes the output."""
    return whole_model(
        {},
        "from transformers import AutoModelForCausalLM as M\n"
        "def load():\n    return M.from_pretrained('model')\n"
        f"def write():\n    with open(OUT, 'w') as f:\n        f.write('')\n{code}",
    )


def with_model(*names: str) -> Files:
    """An entry that loads a folder which has these files."""
    code = (
        "open(OUT, 'w'); from transformers import AutoModelForCausalLM as M, AutoTokenizer\n"
        "M.from_pretrained('model')\nAutoTokenizer.from_pretrained('./model/')\n"
    )
    return script(code) | {f"model/{name}": "{}" for name in names}


def whole_model(config: object, code: str = "") -> Files:
    """An entry that loads a complete folder with this configuration."""
    files = with_model("config.json", "model.safetensors", "tokenizer.json")
    files = {**files, **(script(code) if code else {})}
    return {**files, "model/config.json": json.dumps(config)}


def wheel(*names: str) -> bytes:
    data = BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name in names:
            archive.writestr(name, "")
    return data.getvalue()


#: kind -> files of an entry and the one finding in it: file, line, part of the text
GOLDEN: dict[str, list[tuple[Files, str, int, str]]] = {
    "no-script": [({"main.py": SOUND}, "script.py", 0, "")],
    "old-output": [
        ({"script.py": SOUND, "submission.csv": "id,pred\n"}, "submission.csv", 0, "earlier"),
    ],
    "secret": [
        (script('KEY = "hf_' + "a1B2" * 9 + '"\n'), "script.py", 4, "hf_a…"),
        ({"script.py": SOUND, "notes.txt": "x\ntoken: ghp_" + "Ab1" * 12}, "notes.txt", 2, "ghp_…"),
        (script("K = 'sk-proj-Ab3" + "xY_9" * 6 + "'\n"), "script.py", 4, "sk-p…"),
        (
            {"script.py": SOUND, "id_rsa": "-----BEGIN OPENSSH PRIVATE KEY-----\n"},
            "id_rsa",
            1,
            "a private key",
        ),
    ],
    "not-utf-8": [
        ({"script.py": (SOUND + "a = 'x'\n# caf\xe9").encode("latin-1")}, "script.py", 5, "0xe9")
    ],
    "byte-order-mark": [({"script.py": "\ufeff" + SOUND}, "script.py", 1, "U+FEFF")],
    "line-ends": [({"script.py": SOUND + "a = 1\r\nb = 2\r\n"}, "script.py", 4, "Windows")],
    "syntax": [
        (script("def f(:\n"), "script.py", 4, "invalid"),
        (script("try:\n    pass\nexcept* ValueError:\n    pass\n"), "script.py", ANY_LINE, "3.11"),
        (script("print(f'{x['a']}')\n"), "script.py", 4, "f-string"),
        (script("print(f\"{'\\n'.join(x)}\")\n"), "script.py", 4, "f-string"),
        (script("!pip install numpy\n"), "script.py", 4, "invalid"),
        ({"script.py": "# -*- coding: nonsense -*-\n" + SOUND}, "script.py", 1, "encoding"),
        (script("import helper\n") | {"helper.py": "if True\n"}, "helper.py", 1, "expected"),
    ],
    "newer-python": [
        (script("from enum import StrEnum\n"), "script.py", 4, "enum has no StrEnum"),
        (script("import datetime as d\nnow = d.UTC\n"), "script.py", 5, "datetime has no UTC"),
        (script("raise ExceptionGroup('x', [])\n"), "script.py", 4, "no ExceptionGroup"),
        (script("import re\nx = re.compile(r'a*+b')\n"), "script.py", 5, "possessive"),
    ],
    "missing-module": [
        (script("import scipy.stats\n"), "script.py", 4, "scipy"),
        (script("import tomllib\n"), "script.py", 4, "tomllib"),
        (script("from . import x\n") | {"x.py": ""}, "script.py", 4, "relatively"),
        (script("import importlib\nimportlib.import_module('nltk')\n"), "script.py", 5, "nltk"),
        (
            script("import numpy\n") | {"environment.lock": "transformers==4.44.1  # no more\n"},
            "",
            0,
            "",
        ),
        (script("import numpy\n") | {"environment.lock": "rich\n"}, "script.py", 4, "numpy"),
        (script("import scipy\n") | {"vendor/scipy/__init__.py": ""}, "script.py", 4, "scipy"),
        (
            whole_model({"model_type": "qwen3"}),
            "model/config.json",
            0,
            "transformers 4.44.1 knows no qwen3",
        ),
        (
            whole_model({"quantization_config": {"quant_method": "awq"}}),
            "model/config.json",
            0,
            "weights of the kind awq need awq",
        ),
        (
            script("f(attn_implementation='flash_attention_2')\n"),
            "script.py",
            4,
            "flash_attn",
        ),
        (script("import lib.a\n") | {"lib/a.py": "import scipy\n"}, "lib/a.py", 1, "scipy"),
    ],
    "wheel": [
        (
            {"script.py": SOUND, "w/scipy-1.0-cp312-cp312-manylinux_2_17_x86_64.whl": b""},
            "w/scipy-1.0-cp312-cp312-manylinux_2_17_x86_64.whl",
            0,
            "another Python",
        ),
        (
            {"script.py": SOUND, "w/a-1-cp310-cp310-macosx_11_0_arm64.whl": wheel("a.py")},
            "w/a-1-cp310-cp310-macosx_11_0_arm64.whl",
            0,
            "machine",
        ),
        (
            {"script.py": SOUND, "a-1-cp311-abi3-manylinux_2_17_x86_64.whl": wheel("a.py")},
            "a-1-cp311-abi3-manylinux_2_17_x86_64.whl",
            0,
            "another Python",
        ),
        (
            {"script.py": SOUND, "a-1-py2-none-any.whl": wheel("a.py")},
            "a-1-py2-none-any.whl",
            0,
            "",
        ),
        ({"script.py": SOUND, "a-1-py3-none-any.whl": b"no zip"}, "a-1-py3-none-any.whl", 0, "no"),
    ],
    "missing-file": [
        (script("open('words.txt')\n"), "script.py", 4, "words.txt"),
        (script("open('Words.txt')\n") | {"words.txt": "x"}, "script.py", 4, "case counts"),
        (script("import pandas as pd\npd.read_csv('d/x.csv')\n"), "script.py", 5, "d/x.csv"),
        (
            script(
                "from pathlib import Path\nHERE = Path(__file__).parent\n"
                "(HERE / 'data' / 'x.json').read_text()\n"
            ),
            "script.py",
            6,
            "data/x.json",
        ),
        (script("open('../key.csv')\n"), "script.py", 4, "../key.csv"),
        (
            script("import os\nD = os.path.join(os.path.dirname(__file__), 'm')\nos.listdir(D)\n"),
            "script.py",
            6,
            "m is opened",
        ),
        (
            script("import a.b\n")
            | {
                "a/b.py": "from pathlib import Path\n"
                "t = Path(__file__).with_name\n"
                "p = Path(__file__).parent / 'x.txt'\np.read_text()\n"
            },
            "a/b.py",
            4,
            "a/x.txt",
        ),
    ],
    "absolute-path": [
        (script("D = '/content/drive/model'\n"), "script.py", 4, "/content/drive"),
        (script("D = r'C:\\models\\x'\n"), "script.py", 4, "C:"),
        (script("D = f'/kaggle/input/{OUT}'\n"), "script.py", 4, "/kaggle"),
    ],
    "home-folder": [
        (script("D = '~/models'\n"), "script.py", 4, "~/models"),
        (script("D = '/root/.cache'\n"), "script.py", 4, "/root"),
        (script("D = '/Users/ann/x'\n"), "script.py", 4, "/Users"),
        (script("from pathlib import Path as P\nD = P.home()\n"), "script.py", 5, "Path.home"),
    ],
    "environment": [
        (script("import os\nT = os.environ['HF_TOKEN']\n"), "script.py", 5, "HF_TOKEN"),
        (script("from os import environ\nT = environ['X']\n"), "script.py", 5, "'X'"),
    ],
    "network": [
        (script("import requests\n"), "script.py", 4, "requests"),
        (script("def f():\n    from urllib.request import urlopen\n"), "script.py", 5, "urllib"),
        (script("from urllib import request\n"), "script.py", 4, "urllib.request"),
        (
            script("from huggingface_hub import snapshot_download as get\nget('a/b')\n"),
            "script.py",
            5,
            "snapshot_download",
        ),
        (script("import os\nos.system('wget http://x.invalid/y')\n"), "script.py", 5, "wget"),
    ],
    "hub-id": [
        (
            script(
                "open(OUT, 'w'); from transformers import AutoModel as A\n"
                "A.from_pretrained('org/name')\n"
            ),
            "script.py",
            5,
            "'org/name'",
        ),
        (
            script(
                "open(OUT, 'w'); import transformers as t\nM = 'gpt2'\n"
                "t.pipeline('text-generation', model=M)\n"
            ),
            "script.py",
            6,
            "'gpt2'",
        ),
        (
            with_model("adapter_config.json", "adapter_model.safetensors", "tokenizer.json")
            | {"model/adapter_config.json": '{"base_model_name_or_path": "org/base"}'},
            "model/adapter_config.json",
            0,
            "'org/base'",
        ),
        (loading("'org/name'", "M", "M = {}\n"), "script.py", 6, "'org/name'"),
        (loading("'org/name'", "C.M", "class C:\n    M = {}\n"), "script.py", 7, "'org/name'"),
        (loading("'org/name'", "c().M", "class c:\n    M: str = {}\n"), "script.py", 7, "org"),
        (
            loading("'org/name'", "os.environ.get('MODEL', {})", "import os\n"),
            "script.py",
            6,
            "'org/name'",
        ),
        (
            script(
                "open(OUT, 'w'); from transformers import AutoModel\n"
                "def load(name='org/name', *, other=1):\n"
                "    return AutoModel.from_pretrained(name)\nload(other=2)\n"
            ),
            "script.py",
            6,
            "'org/name'",
        ),
        (
            loading("", "MODEL", "from settings import MODEL\n")
            | {"settings.py": "BASE = 'org/'\nMODEL = BASE + 'name'\n"},
            "script.py",
            6,
            "'org/name'",
        ),
        (
            loading("", "p.conf.MODEL", "import p.conf\n")
            | {"p/conf.py": "MODEL = 'org/name'\n", "p/__init__.py": ""},
            "script.py",
            6,
            "'org/name'",
        ),
    ],
    "install": [
        (
            script(
                "import subprocess, sys\n"
                "subprocess.run([sys.executable, '-m', 'pip', 'install', 'x'])\n"
            ),
            "script.py",
            5,
            "pip install",
        ),
        (script("import os\nos.system('apt-get install -y jq')\n"), "script.py", 5, "install"),
    ],
    "no-test-set": [({"script.py": "OUT = 'submission.csv'\n"}, "script.py", 0, "/tmp/data")],  # noqa: S108
    "no-output": [({"script.py": "T = '/tmp/data/test.csv'\n"}, "script.py", 0, "submission")],
    "other-output": [
        (script("open('answers.csv', 'w')\n"), "script.py", 4, "answers.csv"),
        (script("open('new.txt', 'x')\n"), "script.py", 4, "new.txt"),
        (script("open(mode='a', file='../x')\n"), "script.py", 4, "../x"),
        (script("import pandas as p\np.DataFrame().to_csv('out.csv')\n"), "script.py", 5, "out"),
        (script("from pathlib import Path\nPath('a').write_text('')\n"), "script.py", 5, "a is"),
    ],
    "decoding": [
        (
            {
                "script.py": SOUND,
                "m/generation_config.json": '{\n "top_k": 50,\n "repetition_penalty": 1.05\n}',
            },
            "m/generation_config.json",
            3,
            "repetition_penalty is 1.05",
        ),
        (
            {
                "script.py": SOUND + "f(repetition_penalty=1.0)\n",
                "generation_config.json": '{"repetition_penalty": 1.05, "temperature": 0.6}',
            },
            "generation_config.json",
            1,
            "temperature is 0.6",
        ),
    ],
    "late-output": [
        (ordered("load()\nwrite()\n"), "script.py", 6, "a model is loaded before"),
        (ordered("def main():\n    m = load()\n    write()\nmain()\n"), "script.py", 6, "a model"),
        (
            ordered("class A:\n    def __init__(self):\n        load()\nA()\nwrite()\n"),
            "script.py",
            6,
            "a model",
        ),
        (
            script(
                "import transformers\np = transformers.pipeline('x', model='.')\n"
                "open(OUT, 'w').write(p('x'))\n"
            ),
            "script.py",
            5,
            "a model",
        ),
    ],
    "incomplete-model": [
        (with_model("config.json", "tokenizer.json"), "script.py", 5, "model has no file of w"),
        (with_model("model.safetensors", "vocab.txt"), "script.py", 5, "has no config.json"),
        (with_model("config.json", "a.bin"), "script.py", 6, "model has no file of a tokenizer"),
        (
            with_model("config.json", "model-1.safetensors", "tokenizer.json")
            | {
                "model/model.safetensors.index.json": json.dumps(
                    {"weight_map": {"a": "model-1.safetensors", "b": "model-2.safetensors"}}
                )
            },
            "model/model.safetensors.index.json",
            0,
            "1 of 2 parts of the weights are missing, as model-2.safetensors",
        ),
        (
            {
                "script.py": SOUND,
                "w.gguf": "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n",
            },
            "w.gguf",
            0,
            "pointer",
        ),
    ],
    "not-json": [
        (
            {"script.py": SOUND, "m/generation_config.json": "{"},
            "m/generation_config.json",
            0,
            "Expecting",
        ),
    ],
}
CASES = [(kind, *case) for kind, cases in GOLDEN.items() for case in cases]


@pytest.mark.parametrize(("kind", "files", "file", "line", "text"), CASES)
def test_it_finds_this_and_nothing_else(
    tmp_path: Path, kind: str, files: Files, file: str, line: int, text: str
) -> None:
    findings = check_entry(write(tmp_path, files))
    if not file:
        assert findings == ()
        return
    assert [(f.kind, f.file) for f in findings] == [(kind, file)], findings
    assert line in (findings[0].line, ANY_LINE)
    assert text in findings[0].text
    assert findings[0].hint == ENTRY_KINDS[kind]


def test_links_and_odd_files_are_found(tmp_path: Path) -> None:
    folder = write(tmp_path / "entry", {"script.py": SOUND, "a.txt": "a", "d/b.txt": "b"})
    (folder / "inside").symlink_to("d/b.txt")
    (folder / "out").symlink_to("/etc/hostname")
    (folder / "folder").symlink_to("d")
    (folder / "gone").symlink_to("nothing")
    os.mkfifo(folder / "pipe")
    (folder / "two\nlines").write_text("")
    found = {(f.kind, f.file) for f in check_entry(folder)}
    assert found == {
        ("link", "out"),
        ("link", "folder"),
        ("link", "gone"),
        ("odd-file", "pipe"),
        ("odd-file", "two\\nlines"),
    }


def test_links_in_a_circle_and_a_script_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    (tmp_path / "script.py").symlink_to("script.py")
    assert {(f.kind, f.file) for f in check_entry(tmp_path)} == {
        ("no-script", "script.py"),
        ("link", "script.py"),
        ("link", "a"),
        ("link", "b"),
    }
    (tmp_path / "script.py").unlink()
    os.mkfifo(tmp_path / "script.py")
    assert ("odd-file", "script.py") in {(f.kind, f.file) for f in check_entry(tmp_path)}


def test_folders_deep_inside_each_other(tmp_path: Path) -> None:
    write(tmp_path, {"script.py": SOUND})
    place = os.open(tmp_path, os.O_RDONLY)
    for _ in range(1500):
        os.mkdir("d", dir_fd=place)
        deeper = os.open("d", os.O_RDONLY, dir_fd=place)
        os.close(place)
        place = deeper
    os.close(place)
    (finding,) = check_entry(tmp_path)
    subprocess.run(["rm", "-r", tmp_path / "d"], check=True)  # too deep for Python's own rmtree
    assert (finding.kind, finding.text) == ("odd-file", "the path is longer than 1024 bytes")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_what_cannot_be_read_is_told_once(tmp_path: Path) -> None:
    write(tmp_path, {"script.py": SOUND, "d/x": ""})
    (tmp_path / "script.py").chmod(0)
    (tmp_path / "d").chmod(0)
    found = [(f.kind, f.file) for f in check_entry(tmp_path)]
    (tmp_path / "d").chmod(0o755)
    assert found == [("unreadable", "d"), ("unreadable", "script.py")]


def test_size_and_number_of_files_are_limited(tmp_path: Path) -> None:
    write(tmp_path, {"script.py": SOUND, "big": b"\0" * 3000, "small": b"\0"})
    limits = FolderLimits(max_gib=2048 / (1 << 30), max_files=2)
    found = {f.kind: f.text for f in check_entry(tmp_path, limits)}
    assert set(found) == {"too-large", "too-many-files"}
    assert "big" in found["too-large"]
    assert found["too-many-files"].startswith("3 files, 2")
    assert check_entry(tmp_path, FolderLimits(max_gib=1, max_files=3)) == ()


def test_every_kind_has_a_golden_entry() -> None:
    elsewhere = {"unreadable", "link", "odd-file", "settings", "too-large", "too-many-files"}
    assert set(GOLDEN) | elsewhere == set(ENTRY_KINDS)


def test_the_limits_are_those_of_pinning() -> None:
    parameters = inspect.signature(pin_entry).parameters
    assert parameters["max_gib"].default == DEFAULT_LIMITS.max_gib
    assert parameters["max_files"].default == DEFAULT_LIMITS.max_files


SILENT: dict[str, Files] = {
    "an import that may fail": script(
        "try:\n    import scipy\nexcept ImportError:\n    scipy = 0\n"
    ),
    "an import for types alone": script(
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import scipy\n"
    ),
    "what another version would do": script(
        "import sys\nif sys.version_info >= (3, 11):\n    import tomllib\n"
        "    from enum import StrEnum\nelse:\n    import tomli as tomllib\n"
    ),
    "a test set that is put together": {
        "script.py": "from pathlib import Path\nD = Path('/tmp') / 'data'\n"
        "t = (D / 'test.csv').read_text()\nopen('submission.csv', 'w')\n"
    },
    "a style that looks like a key": script("CSS = '.sk-estimator-doc-link-text-repr {}'\n"),
    "what a library brings along": script("import tokenizers, huggingface_hub, tqdm, yaml\n"),
    "a module of its own": script("import helper, pack.sub\nfrom pack import sub\n")
    | {"helper.py": "from pack.sub import x\n", "pack/__init__.py": "", "pack/sub.py": "x = 1\n"},
    "a module under vendor": script("import sys\nsys.path.insert(0, 'vendor')\nimport scipy\n")
    | {"vendor/scipy/__init__.py": ""},
    "a module in a wheel": script("import scipy\n")
    | {"wheels/scipy-1.0-cp310-cp310-manylinux_2_17_x86_64.whl": wheel("scipy/__init__.py")},
    "a stable wheel of an older Python": script("import rust_thing\n")
    | {"w/rust_thing-1-cp38-abi3-manylinux2014_x86_64.whl": wheel("rust_thing.so")},
    "a file that is there": script("open('data/../words.txt')\n")
    | {"words.txt": "x"}
    | {"data/a": ""},
    "a file that the script made": script("open('/tmp/x', 'w')\nopen('/tmp/x')\n"),
    "a file that is asked for first": script("import os\nif os.path.exists('x'):\n    open('x')\n"),
    "a name that is bound twice": script("N = TEST\nN = 'a'\nopen(N)\n"),
    "a name that is an argument too": script("N = 'a'\ndef f(N):\n    return open(N)\n"),
    "a file in a folder that is asked for": script(
        "import os\nif os.path.isdir('c'):\n    open('c/x.txt')\n"
    ),
    "an atomic replacement": script(
        "import os\nopen(OUT + '.part', 'w')\nos.replace(OUT + '.part', OUT)\n"
    ),
    "a text in a comment or a docstring": script('"""See /Users/ann/notes."""\n# ~/x /root/y\n'),
    "a tilde, a ratio, a phoneme": script("A = ['~', 'a/b', 'C: x', '/ka/', 'see /home now']\n"),
    "a local model": script(
        "def f(m):\n    m.from_pretrained('./model')\n    m.from_pretrained('model')\n"
    )
    | {"model/config.json": "{}"},
    "placeholders before a model": ordered("write()\nload()\n"),
    "placeholders by a method": ordered(
        "class A:\n    def run(self):\n        self.first()\n        load()\n"
        "    def first(self):\n        write()\nA().run()\n"
    ),
    "placeholders by a thread": ordered(
        "import threading\nt = threading.Thread(target=write)\nt.start()\nt.join()\nload()\n"
    ),
    "placeholders by another module": ordered("from own import first\nfirst()\nload()\n")
    | {"own.py": "def first():\n    open('submission.csv', 'w')\n"},
    "placeholders by an imported module": ordered("import own\nload()\n")
    | {"own.py": "open('submission.csv', 'w')\n"},
    "placeholders by another program": ordered(
        "import subprocess\nsubprocess.run(['./first'])\nload()\n"
    ),
    "something written, who knows where": ordered("open(f'{OUT}', 'w')\nload()\n"),
    "placeholders handed on": ordered("import csv\ncsv.writer(OUT)\nload()\n"),
    "a model that is never loaded": ordered("write()\n"),
    "a whole model": whole_model({"model_type": "qwen2"}),
    "a later model with its own code": whole_model({"model_type": "qwen3", "auto_map": {}}),
    "a later model with a later library": whole_model({"model_type": "qwen3"})
    | {"environment.lock": "transformers==4.51.3\n"},
    "quantised weights with their library": whole_model(
        {"quantization_config": {"quant_method": "awq"}}
    )
    | {"wheels/autoawq-1-py3-none-any.whl": wheel("awq/__init__.py")},
    "weights in one file beside an old list of parts": whole_model({})
    | {"model/model.safetensors.index.json": '{"weight_map": {"a": "model-1.safetensors"}}'},
    "a model in another format": script(
        "open(OUT, 'w'); from transformers import AutoModelForCausalLM as M\n"
        "M.from_pretrained('model', gguf_file='w.gguf')\n"
    )
    | {"model/w.gguf": ""},
    "names of models that may be others": script(
        "open(OUT, 'w'); from transformers import AutoModel as A\nimport os\n"
        "def f(x='org/a'):\n    A.from_pretrained(x)\nf('model')\n"
        "def g(y='org/a'):\n    A.from_pretrained(y)\n"
        "class C:\n    m = 'org/a'\nC.m = 'model'\nA.from_pretrained(C.m)\n"
        "class D:\n    n = 'org/a'\n    def __init__(self, n='org/b'):\n        self.n = n\n"
        "A.from_pretrained(D('model').n)\nA.from_pretrained(os.environ.get('HOME', 'org/a'))\n"
        "class E:\n    o: str = 'org/a'\nA.from_pretrained(E(o='model').o)\n"
    ),
    "a variable with a way out": script(
        "import os\nA = os.environ.get('X')\nB = os.environ['HOME']\n"
    ),
    "a file that the script never reaches": script("") | {"train.py": "import wandb, scipy\n"},
    "regular expressions of old": script("import re\nre.compile(r'[*+]+\\++x+(?:a)+[^]*+]')\n"),
    "a setting that is named": script("kw = {'temperature': 0.5}\n")
    | {"generation_config.json": json.dumps({"temperature": 0.7, "do_sample": False})},
    "caches and environments": script("")
    | {"__pycache__/x.pyc": "hf_" + "a1B2" * 9}
    | {".venv/a.py": "import scipy", ".git/config": "hf_" + "a1B2" * 9},
    "nested quotes of old": script("print(f\"{x['a']} {f'{y}'}\", '\\n', f'a\\n{x}')\n"),
}

WITH_MODEL = """
import gc, json, os, time
from pathlib import Path

os.environ["TOKENIZERS_PARALLELISM"] = "false"
import pandas as pd
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, BitsAndBytesConfig

HERE = Path(__file__).resolve().parent
MODEL = HERE / "models" / "small"
PROMPTS = json.loads((HERE / "prompts.json").read_text(encoding="utf-8"))
device = "cuda" if torch.cuda.is_available() else "cpu"


def load(path=MODEL):
    tokenizer = AutoTokenizer.from_pretrained(str(path), local_files_only=True)
    config = BitsAndBytesConfig(load_in_4bit=True)
    return tokenizer, AutoModelForCausalLM.from_pretrained(path, quantization_config=config)


def main():
    table = pd.read_csv("/tmp/data/test.csv", dtype=str).fillna("")
    table["pred"] = "[]"
    table[["id", "pred"]].to_csv("submission.csv", index=False)
    tokenizer, model = load()
    model.generate(do_sample=False, temperature=1.0, top_p=1.0, repetition_penalty=1.0)
    with open("/tmp/log.txt", "a") as log:
        log.write(f"{time.time()}: done")
    tmp = Path("submission.csv.tmp")
    table.to_csv(tmp)
    tmp.replace("submission.csv")


main()
"""
SILENT["a whole entry with a language model"] = {
    "script.py": WITH_MODEL,
    "prompts.json": "{}",
    "models/small/config.json": "{}",
    "models/small/model.safetensors": "",
    "models/small/tokenizer.json": "{}",
    "models/small/generation_config.json": json.dumps(
        {"do_sample": True, "repetition_penalty": 1.05, "temperature": 0.7, "top_p": 0.8}
    ),
}


@pytest.mark.parametrize("files", SILENT.values(), ids=SILENT)
def test_it_stays_silent(tmp_path: Path, files: Files) -> None:
    assert check_entry(write(tmp_path, files)) == ()


def test_it_reads_what_the_script_starts(tmp_path: Path) -> None:
    files = script("import subprocess\nsubprocess.run(['python', './worker.py'])\n")
    write(tmp_path, files | {"worker.py": "import requests\n"})
    assert [(f.file, f.kind) for f in check_entry(tmp_path)] == [("worker.py", "network")]


def test_it_follows_relative_imports(tmp_path: Path) -> None:
    files = script("import a.b.c\n") | {
        "a/__init__.py": "",
        "a/b/__init__.py": "",
        "a/b/c.py": "from .. import d\nfrom .e import x\n",
        "a/d.py": "import scipy\n",
        "a/b/e.py": "import nltk\n",
    }
    found = {(f.file, f.kind) for f in check_entry(write(tmp_path, files))}
    assert found == {("a/d.py", "missing-module"), ("a/b/e.py", "missing-module")}


def test_nothing_of_the_entry_is_run(tmp_path: Path) -> None:
    trap = "import helper\nraise SystemExit(3)\n"
    mark = tmp_path / "mark"
    write(tmp_path / "entry", script(trap) | {"helper.py": f"open({str(mark)!r}, 'w')\n1 / 0\n"})
    check_entry(tmp_path / "entry")
    assert not mark.exists()


@pytest.mark.parametrize(
    "code",
    [
        "(" * 5000,
        "a = " + "-" * 100_000 + "1",
        "x" + ".a" * 20_000,
        "\0",
        "\\",
        "'''",
        "a = 9" * 5000,
    ],
    ids=["brackets", "signs", "attributes", "nul", "backslash", "open text", "digits"],
)
def test_hostile_sources_do_no_harm(tmp_path: Path, code: str) -> None:
    write(tmp_path, {"script.py": SOUND + code})
    findings = check_entry(tmp_path)
    assert {f.kind for f in findings} <= {"syntax"}


def test_names_that_lead_in_circles_do_no_harm(tmp_path: Path) -> None:
    write(tmp_path, script("A = B\nB = A\nopen(A)\nC = C + 'x'\nopen(C)\nimport script\n"))
    assert check_entry(tmp_path) == ()


def test_a_token_is_never_shown(tmp_path: Path) -> None:
    token = "hf_" + "Qx7" * 12
    write(tmp_path, script(f"T = '{token}'\n"))
    assert token[4:12] not in str(check_entry(tmp_path))


def test_what_is_no_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no folder"):
        check_entry(tmp_path / "nothing")
