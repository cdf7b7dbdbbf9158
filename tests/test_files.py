"""Files are written whole: what is there is replaced, written to, or refused."""

from __future__ import annotations

import os
import socket
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from iolai.errors import InputError, OutputError
from iolai.files import is_stream, read_text, replaced_whole, write_whole


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_is_replaced_with_its_mode_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    out = tmp_path / "a" / "out"
    write_whole(out, "old")
    out.chmod(0o640)
    write_whole(out, "new")
    assert out.read_text() == "new"
    assert stat.S_IMODE(out.stat().st_mode) == 0o640
    assert _names(out.parent) == ["out"]


def test_a_block_that_raises_leaves_the_old_file(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.write_text("old")

    def write_half() -> None:
        with replaced_whole(out) as stream:
            stream.write(b"half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        write_half()
    assert out.read_text() == "old"
    assert _names(tmp_path) == ["out"]


def test_the_longest_name_that_a_folder_takes(tmp_path: Path) -> None:
    write_whole(tmp_path / ("\u1234" * 85), "x")
    assert _names(tmp_path) == ["\u1234" * 85]


@pytest.mark.parametrize("exists", [True, False])
def test_a_symlink_stays_and_the_file_it_leads_to_is_replaced(tmp_path: Path, exists: bool) -> None:
    target, link, second = tmp_path / "there" / "real", tmp_path / "link", tmp_path / "second"
    target.parent.mkdir()
    if exists:
        target.write_text("old")
    link.symlink_to(Path("there", "real"))
    second.symlink_to(link)
    write_whole(second, "new")
    assert link.is_symlink()
    assert second.is_symlink()
    assert target.read_text() == "new"
    assert _names(target.parent) == ["real"]


def test_a_loop_of_symlinks_and_an_impossible_path_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    for path in (tmp_path / "a", tmp_path / "a\0b", tmp_path / ("x" * 5000)):
        with pytest.raises(OutputError):
            write_whole(path, "x")
    assert _names(tmp_path) == ["a", "b"]
    assert (tmp_path / "a").is_symlink()


def test_a_pipe_is_written_to_and_stays(tmp_path: Path) -> None:
    pipe, read = tmp_path / "pipe", []
    os.mkfifo(pipe)
    assert is_stream(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()), daemon=True)
    reader.start()
    write_whole(pipe, "a\u00e9")
    reader.join(timeout=10)
    assert read == ["a\u00e9".encode()]
    assert pipe.is_fifo()
    assert _names(tmp_path) == ["pipe"]


@pytest.fixture
def device(tmp_path: Path) -> Path:
    """A device node of our own that swallows what it gets, as /dev/null does."""
    path = tmp_path / "device"
    try:
        os.mknod(path, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
        path.write_bytes(b"")
    except OSError:
        pytest.skip("device nodes cannot be made or used here")
    return path


def test_a_device_is_written_to_and_stays(device: Path) -> None:
    write_whole(device, "x")
    assert device.is_char_device()
    assert _names(device.parent) == ["device"]


def test_a_block_device_is_refused(tmp_path: Path) -> None:
    try:
        os.mknod(tmp_path / "disk", 0o666 | stat.S_IFBLK, os.makedev(250, 250))
    except OSError:
        pytest.skip("device nodes cannot be made here")
    with pytest.raises(OutputError, match="no ordinary file"):
        write_whole(tmp_path / "disk", "x")
    assert (tmp_path / "disk").is_block_device()


def test_a_socket_and_a_folder_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # the name of a socket is short
    with socket.socket(socket.AF_UNIX) as made:
        made.bind("s")
        with pytest.raises(OutputError, match="no ordinary file"):
            write_whole(tmp_path / "s", "x")
    (tmp_path / "f").mkdir()
    for folder in (tmp_path / "f", Path()):
        with pytest.raises(OutputError, match="is a folder"):
            write_whole(folder, "x")
    assert _names(tmp_path) == ["f", "s"]


def test_a_read_only_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "out"
    out.write_text("old")
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)  # root may do all
    with pytest.raises(OutputError, match="read-only"):
        write_whole(out, "new")
    assert out.read_text() == "old"


def _python(code: str, **streams: int) -> subprocess.CompletedProcess[bytes]:
    script = f"from pathlib import Path\nfrom iolai.files import *\n{code}"
    return subprocess.run([sys.executable, "-c", script], check=True, timeout=60, **streams)


_TO_STDOUT = "print('before')\nwrite_whole(Path('/dev/stdout'), 'x' * 10)\nprint('after')"
_WHOLE = b"before\nxxxxxxxxxxafter\n"


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="this system has no /dev/stdout")
def test_standard_output_is_written_to_in_order(tmp_path: Path) -> None:
    assert _python(_TO_STDOUT, stdout=subprocess.PIPE).stdout == _WHOLE
    for mode, before in (("wb", b""), ("ab", b"kept\n")):
        (tmp_path / "log").write_bytes(b"kept\n")
        with (tmp_path / "log").open(mode) as log:
            _python(_TO_STDOUT, stdout=log.fileno())
        assert (tmp_path / "log").read_bytes() == before + _WHOLE


def test_a_current_folder_that_is_gone_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    with pytest.raises(InputError, match="there is no file") as caught:
        read_text(Path("a"))
    assert "no more" in caught.value.hint
    with pytest.raises(OutputError):
        write_whole(Path("a"), "x")
