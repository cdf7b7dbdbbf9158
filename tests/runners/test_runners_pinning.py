"""Pinning: the same files give the same revision, and what cannot travel is refused."""

from __future__ import annotations

import hashlib
import os
import socket
from pathlib import Path

import pytest

from iolai.errors import InputError
from iolai.runners import pin_entry


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "entry"
    (place / "model").mkdir(parents=True)
    (place / "script.py").write_text("print(1)\n", encoding="utf-8")
    (place / "model/weights.bin").write_bytes(bytes(1000))
    return place


def test_files_are_hashed_in_the_order_of_their_paths(folder: Path) -> None:
    entry = pin_entry(folder)
    assert [file.path for file in entry.files] == ["model/weights.bin", "script.py"]
    assert entry.files[0].sha256 == hashlib.sha256(bytes(1000)).hexdigest()
    assert entry.n_bytes == 1009


def test_the_revision_changes_with_content_name_and_mode(folder: Path) -> None:
    revisions = {pin_entry(folder).revision}
    assert pin_entry(folder).revision in revisions
    (folder / "script.py").write_text("print(2)\n", encoding="utf-8")
    revisions.add(pin_entry(folder).revision)
    (folder / "script.py").rename(folder / "other.py")
    revisions.add(pin_entry(folder).revision)
    (folder / "other.py").chmod(0o755)
    revisions.add(pin_entry(folder).revision)
    assert len(revisions) == 4


def test_an_older_output_is_left_out(folder: Path) -> None:
    before = pin_entry(folder)
    (folder / "submission.csv").write_text("id,pred\n1,x\n", encoding="utf-8")
    assert pin_entry(folder) == before
    (folder / "model/submission.csv").touch()
    assert len(pin_entry(folder).files) == 3


def test_a_link_to_a_file_inside_is_that_file(folder: Path) -> None:
    (folder / "model/same.bin").symlink_to("weights.bin")
    files = {file.path: file for file in pin_entry(folder).files}
    assert files["model/same.bin"].sha256 == files["model/weights.bin"].sha256


@pytest.mark.parametrize("target", ["/etc/passwd", "../outside", "model", "nowhere", "loop"])
def test_other_links_are_refused(folder: Path, target: str) -> None:
    (folder.parent / "outside").write_text("x", encoding="utf-8")
    (folder / "loop").symlink_to(target)
    with pytest.raises(InputError, match="loop is a link that does not lead to a file inside"):
        pin_entry(folder)


def test_fifos_and_sockets_are_refused(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    with pytest.raises(InputError, match="pipe is a device, a FIFO or a socket"):
        pin_entry(folder)
    (folder / "pipe").unlink()
    with socket.socket(socket.AF_UNIX) as server:
        os.chdir(folder)
        server.bind("pipe")
    with pytest.raises(InputError, match="a socket"):
        pin_entry(folder)


@pytest.mark.parametrize(
    "name",
    [b"new\nline", b"tab\t", b"\xff", b"\x1b[31m", b"back\\slash", b" space", b"\xe2\x80\xaex"],
)
def test_odd_names_are_refused(folder: Path, name: bytes) -> None:
    (folder / os.fsdecode(name)).touch()
    with pytest.raises(InputError, match="characters that do not travel"):
        pin_entry(folder)


def test_names_in_other_scripts_are_welcome(folder: Path) -> None:
    (folder / "данные ʻōlelo.txt").touch()
    assert len(pin_entry(folder).files) == 3


def test_too_large_and_too_many(folder: Path) -> None:
    os.truncate(folder / "model/weights.bin", 3 << 20)
    with pytest.raises(InputError, match=r"model/weights.bin goes past"):
        pin_entry(folder, max_gib=2 / 1024)
    with pytest.raises(InputError, match="more than 1 files"):
        pin_entry(folder, max_files=1)
    assert pin_entry(folder, max_gib=4 / 1024, max_files=2).n_bytes == (3 << 20) + 9


def test_no_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no folder"):
        pin_entry(tmp_path / "absent")
