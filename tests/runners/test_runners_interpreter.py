"""Which interpreter entries get, what of it they see, and what keeps them from it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from iolai.errors import InputError, MissingPartError
from iolai.runners import interpreter
from iolai.runners.interpreter import python_links, python_parts, python_roots, usable_python

IS_ROOT = os.geteuid() == 0


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    usable_python.cache_clear()
    yield
    usable_python.cache_clear()


def installation(folder: Path) -> Path:
    """Make what looks like an installation of Python; return its interpreter."""
    for name in ("bin", "lib/python3.12", "share"):
        (folder / name).mkdir(parents=True)
        (folder / name).chmod(0o755)
    (folder / "lib/python3.12/os.py").touch(0o644)
    (folder / "bin/python3.12").write_text("#!/bin/sh\n", encoding="utf-8")
    (folder / "bin/python3.12").chmod(0o755)
    for place in (folder, folder / "lib"):
        place.chmod(0o755)
    return folder / "bin/python3.12"


@pytest.mark.skipif(not IS_ROOT, reason="a plain user's own folders are readable to its runs")
@pytest.mark.parametrize("part", ["", "bin", "bin/python3.12", "lib", "lib/python3.12/os.py"])
def test_an_interpreter_that_only_its_owner_may_read(tmp_path: Path, part: str) -> None:
    """The folders above it do not matter: root mounts it. The installation's own modes do."""
    python = installation(tmp_path / "closed/python")
    (tmp_path / "closed").chmod(0o700)
    assert usable_python(python) == python
    usable_python.cache_clear()
    barred = tmp_path / "closed/python" / part
    barred.chmod(0o700)
    with pytest.raises(MissingPartError, match="cannot be used by the uid that runs it") as error:
        usable_python(python)
    assert f"chmod -R o+rX {barred} " in error.value.hint


def test_a_program_in_the_home_folder_does_not_show_it_all(tmp_path: Path) -> None:
    """Libraries that a user has installed below it do not make it an installation."""
    (tmp_path / "lib/python3.12/site-packages").mkdir(parents=True)
    python = tmp_path / "bin/python3"
    python.parent.mkdir()
    python.write_text("#!/bin/sh\n", encoding="utf-8")
    python.chmod(0o755)
    with pytest.raises(MissingPartError, match="would be shown to the entry"):
        usable_python(python)


@pytest.mark.parametrize("name", ["absent", "", "text.py"])
def test_what_is_no_interpreter(tmp_path: Path, name: str) -> None:
    (tmp_path / "text.py").write_text("print()", encoding="utf-8")
    with pytest.raises(InputError, match="no program that can be run") as error:
        usable_python(tmp_path / name)
    assert "Name an interpreter" in error.value.hint


def test_the_system_python_steps_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        interpreter, "_what_bars", lambda python: "/root" * (python.parts[1] != "usr")
    )
    monkeypatch.setattr("sys.executable", "/home/closed/bin/python")
    assert usable_python(None) == Path("/usr/bin/python3").resolve()


def test_the_folders_an_interpreter_needs(tmp_path: Path) -> None:
    base = tmp_path / "base"
    python = installation(base)
    shim = tmp_path / "home/bin/python"
    shim.parent.mkdir(parents=True)
    shim.symlink_to(python)
    venv = tmp_path / "venv"
    (venv / "bin").mkdir(parents=True)
    (venv / "bin/python").symlink_to(python)
    (venv / "pyvenv.cfg").write_text(f"home = {base / 'bin'}\nversion = 3.12\n", encoding="utf-8")
    assert python_roots(venv / "bin/python") == (venv, base)
    assert python_roots(Path("/usr/bin/python3")) == ()
    assert python_roots(shim) == (base,)
    assert python_parts(base) == ("bin", "lib")
    assert python_parts(venv) == ("bin", "pyvenv.cfg")
    assert python_links(venv / "bin/python") == ()


def test_a_link_on_the_way_is_shown_as_a_link(tmp_path: Path) -> None:
    """As where a base interpreter is a link in ``~/.local/bin``: the folder is not shown."""
    base = tmp_path / "share/python-3.12"
    python = installation(base)
    link = tmp_path / "bin/python3.12"
    link.parent.mkdir()
    link.symlink_to("../share/python-3.12/bin/python3.12")
    (tmp_path / "lib/python3.12/site-packages").mkdir(parents=True)
    venv = tmp_path / "venv"
    (venv / "bin").mkdir(parents=True)
    (venv / "bin/python").symlink_to(link)
    (venv / "pyvenv.cfg").write_text(f"home = {link.parent}\n", encoding="utf-8")
    assert python_roots(venv / "bin/python") == (venv, base)
    assert python_links(venv / "bin/python") == ((link, "../share/python-3.12/bin/python3.12"),)
    assert python.exists()
