"""``entry pack``: the same bytes everywhere, hashes that hold, nothing that does not belong."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from iolai.entry import MANIFEST, is_left_out, verify_archive, write_archive
from iolai.errors import InputError, OutputError
from iolai.evaluation import pack_entry
from iolai.runners import pin_entry

KINDS = ("tar.gz", "zip")
FILES = {
    "script.py": b"print('x')\n",
    "run.sh": b"#!/bin/sh\n",
    "model/weights.bin": bytes(range(256)) * 1024,
    "model/empty": b"",
    "data/" + "long-name-" * 15 + ".txt": "ŋ\n".encode(),
    "data/ŋäme with spaces.txt": b"x",
}
#: Of the archives of FILES: the promise that they are the same on every machine and Python.
SHA256 = {
    "tar.gz": "5284b6a878de167ab31fe1521d70e7456f6dd5791e582f3f189d87f291acd0a9",
    "zip": "4ac5ded9b4c28e3b1d426d3a56077fb64a1ad2dab2c00c3309ba644936ad1bac",
}


def make(folder: Path) -> Path:
    for name, content in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    (folder / "run.sh").chmod(0o755)
    return folder


@pytest.fixture
def entry(tmp_path: Path) -> Path:
    return make(tmp_path / "entry")


@pytest.mark.parametrize("kind", KINDS)
def test_the_bytes_are_the_same_on_every_machine(entry: Path, tmp_path: Path, kind: str) -> None:
    out = tmp_path / f"a.{kind}"
    _, digest = pack_entry(entry, out)
    assert digest == hashlib.sha256(out.read_bytes()).hexdigest() == SHA256[kind]


@pytest.mark.parametrize("kind", KINDS)
def test_neither_time_nor_umask_nor_order_nor_place_matter(tmp_path: Path, kind: str) -> None:
    pack_entry(make(tmp_path / "one"), tmp_path / f"one.{kind}")
    mask = os.umask(0o077)
    try:
        for name in reversed(FILES):
            (tmp_path / "two" / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / "two" / name).write_bytes(FILES[name])
            os.utime(tmp_path / "two" / name, (1, 1))
        (tmp_path / "two/run.sh").chmod(0o700)
        pack_entry(tmp_path / "two", tmp_path / f"other-name.{kind}")
    finally:
        os.umask(mask)
    assert (tmp_path / f"one.{kind}").read_bytes() == (tmp_path / f"other-name.{kind}").read_bytes()


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_unpacked_is_what_was_packed(entry: Path, tmp_path: Path, kind: str) -> None:
    out = tmp_path / f"a.{kind}"
    packed, _ = pack_entry(entry, out)
    there = tmp_path / "there"
    if kind == "zip":
        subprocess.run([sys.executable, "-m", "zipfile", "-e", out, there], check=True)
        (there / "run.sh").chmod(0o755)  # Python's own unzip leaves modes aside
    else:
        there.mkdir()
        subprocess.run(["tar", "-xzf", out, "-C", there], check=True)
    for name, content in FILES.items():
        assert (there / name).read_bytes() == content
    assert os.access(there / "run.sh", os.X_OK)
    assert not os.access(there / "script.py", os.X_OK)
    subprocess.run(["sha256sum", "--quiet", "--check", MANIFEST], cwd=there, check=True)
    assert pin_entry(there, leave_out=is_left_out).revision == packed.revision
    pack_entry(there, tmp_path / f"again.{kind}")
    assert (tmp_path / f"again.{kind}").read_bytes() == out.read_bytes()


def test_the_order_in_which_files_are_named_does_not_matter(entry: Path, tmp_path: Path) -> None:
    files = pin_entry(entry).files
    first = write_archive(entry, files, tmp_path / "a.zip")
    assert write_archive(entry, files[::-1], tmp_path / "b.zip") == first


def test_what_is_no_part_of_an_entry_stays_out(entry: Path, tmp_path: Path) -> None:
    pack_entry(entry, tmp_path / "before.zip")
    for name in (
        "submission.csv",
        "__pycache__/script.cpython-310.pyc",
        "model/__pycache__/x",
        ".git/HEAD",
        ".venv/lib/site.py",
        "a.pyc",
        MANIFEST,
    ):
        (entry / name).parent.mkdir(parents=True, exist_ok=True)
        (entry / name).write_bytes(b"?")
    (entry / ".venv/python").symlink_to("/usr/bin/python3")
    (entry / "model/deep").mkdir()
    pack_entry(entry, tmp_path / "after.zip")
    assert (tmp_path / "before.zip").read_bytes() == (tmp_path / "after.zip").read_bytes()


@pytest.mark.parametrize("path", ["data/submission.csv", "git", "venv.txt", ".env", "my.venv/x"])
def test_what_only_looks_like_it_stays_in(path: str) -> None:
    assert not is_left_out(path)


def test_a_link_inside_is_packed_as_its_file(entry: Path, tmp_path: Path) -> None:
    (entry / "link").symlink_to("model/weights.bin")
    pack_entry(entry, tmp_path / "a.tar.gz")
    with tarfile.open(tmp_path / "a.tar.gz") as archive:
        assert all(member.isreg() for member in archive)
        assert archive.getmember("link").size == len(FILES["model/weights.bin"])


@pytest.mark.parametrize("kind", ["link", "fifo", "no script"])
def test_what_cannot_travel_is_refused(entry: Path, tmp_path: Path, kind: str) -> None:
    if kind == "link":
        (entry / "key").symlink_to("/etc/hostname")
    elif kind == "fifo":
        os.mkfifo(entry / "pipe")
    else:
        (entry / "script.py").unlink()
    with pytest.raises(InputError):
        pack_entry(entry, tmp_path / "a.zip")
    assert not (tmp_path / "a.zip").exists()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("new", [b"print('y')\n", b"", b"print('x')\n#", None])
def test_a_file_that_changes_meanwhile_is_noticed(
    entry: Path, tmp_path: Path, kind: str, new: bytes | None
) -> None:
    out = tmp_path / f"a.{kind}"
    out.write_bytes(b"older")
    pinned = pin_entry(entry)
    if new is None:
        (entry / "script.py").unlink()
    else:
        (entry / "script.py").write_bytes(new)
    with pytest.raises(InputError, match=r"script\.py changed"):
        write_archive(entry, pinned.files, out)
    assert out.read_bytes() == b"older"
    assert sorted(p.name for p in tmp_path.iterdir()) == [out.name, "entry"]


def test_an_archive_goes_neither_inside_nor_under_another_name(entry: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="inside"):
        pack_entry(entry, entry / "a.zip")
    with pytest.raises(InputError, match="no known kind") as caught:
        pack_entry(entry, tmp_path / "a.rar")
    assert ".tar.gz or .zip" in caught.value.hint
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError):
        pack_entry(entry, tmp_path / "file" / "a.zip")


@pytest.mark.parametrize("kind", KINDS)
def test_a_sound_archive_is_verified(entry: Path, tmp_path: Path, kind: str) -> None:
    _, digest = pack_entry(entry, tmp_path / f"a.{kind}")
    shutil.rmtree(entry)
    found = verify_archive(tmp_path / f"a.{kind}")
    assert found.faults == ()
    assert (found.n_files, found.sha256) == (len(FILES), digest)
    assert found.n_bytes == sum(map(len, FILES.values()))


def tar(*members: tuple[tarfile.TarInfo, bytes]) -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as archive:
        for member, content in members:
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return data.getvalue()


def hashed(name: str, content: bytes) -> str:
    return f"{hashlib.sha256(content).hexdigest()}  {name}\n"


def link(name: str) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type, member.linkname = tarfile.SYMTYPE, "/etc/passwd"
    return member


MANIFEST_TEXT = (hashed("script.py", b"A") + hashed("b", b"B")).encode()
A, B = (tarfile.TarInfo("script.py"), b"A"), (tarfile.TarInfo("b"), b"B")


@pytest.mark.parametrize(
    ("members", "faults"),
    [
        ((A, B), []),
        ((A,), ["b: missing"]),
        ((A, (tarfile.TarInfo("b"), b"C")), ["b: not what its hash says"]),
        ((A, B, (tarfile.TarInfo("c"), b"")), [f"c: not in {MANIFEST}"]),
        ((A, B, B), ["b: there twice"]),
        ((A, B, (tarfile.TarInfo("../c"), b"")), ["../c: no path inside a folder"]),
        ((A, B, (tarfile.TarInfo("/c"), b"")), ["/c: no path inside a folder"]),
        ((A, B, (tarfile.TarInfo("d/./c"), b"")), ["d/./c: no path inside a folder"]),
        ((A, (link("b"), b"")), ["b: a folder, a link or a device"]),
    ],
)
def test_what_is_not_as_its_hashes_say_is_named(
    tmp_path: Path, members: tuple[tuple[tarfile.TarInfo, bytes], ...], faults: list[str]
) -> None:
    path = tmp_path / "a.tar.gz"
    path.write_bytes(tar((tarfile.TarInfo(MANIFEST), MANIFEST_TEXT), *members))
    assert list(verify_archive(path).faults) == faults


def test_an_archive_without_a_script_is_no_entry(tmp_path: Path) -> None:
    path = tmp_path / "a.tar.gz"
    path.write_bytes(tar((tarfile.TarInfo(MANIFEST), hashed("b", b"B").encode()), B))
    assert verify_archive(path).faults == ("script.py: there is none",)


def test_a_zip_with_a_link_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(MANIFEST, hashed("script.py", b"/etc/passwd"))
        member = zipfile.ZipInfo("script.py")
        member.external_attr = 0o120777 << 16
        archive.writestr(member, "/etc/passwd")
    assert verify_archive(path).faults == ("script.py: a folder, a link or a device",)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"PK\x05\x06" + b"\0" * 18,
        gzip.compress(b"no tar"),
        tar(A, B),
        tar((tarfile.TarInfo(MANIFEST), b"no hashes\n")),
        tar((tarfile.TarInfo(MANIFEST), b"\xff\n")),
        tar((tarfile.TarInfo(MANIFEST), b"\0" * 5000)),
        tar((link(MANIFEST), b"")),
        tar((tarfile.TarInfo(MANIFEST), MANIFEST_TEXT), A, B)[:-30],
        tar((tarfile.TarInfo(MANIFEST), MANIFEST_TEXT), A, B)[:-1],
        tar((tarfile.TarInfo(MANIFEST), MANIFEST_TEXT), A, B) + gzip.compress(b"more"),
    ],
    ids=[
        "empty",
        "empty zip",
        "no tar",
        "no manifest",
        "no hashes",
        "no text",
        "no lines",
        "link",
        "cut",
        "a byte short",
        "more",
    ],
)
def test_what_is_no_archive_of_an_entry_is_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a").write_bytes(data)
    with pytest.raises(InputError, match="no archive of an entry"):
        verify_archive(tmp_path / "a")


def test_pipes_and_devices_are_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.zip")
    for place in (tmp_path / "pipe.zip", Path("/dev/zero"), tmp_path):
        with pytest.raises(InputError, match="no ordinary file"):
            verify_archive(place)


@pytest.mark.parametrize("share", [0.3, 0.5, 0.9])
def test_a_flipped_bit_of_a_file_is_noticed(entry: Path, tmp_path: Path, share: float) -> None:
    """The zip's own checksum, or else the hash, tells."""
    path = tmp_path / "a.zip"
    pack_entry(entry, path)
    data = bytearray(path.read_bytes())
    start = bytes(data).index(FILES["model/weights.bin"])
    data[start + int(share * len(FILES["model/weights.bin"]))] ^= 1
    path.write_bytes(bytes(data))
    with pytest.raises(InputError, match="no archive of an entry"):
        verify_archive(path)


def test_the_archive_is_gzip_that_others_read(entry: Path, tmp_path: Path) -> None:
    pack_entry(entry, tmp_path / "a.tar.gz")
    subprocess.run(["gzip", "-t", tmp_path / "a.tar.gz"], check=True)
    data = gzip.decompress((tmp_path / "a.tar.gz").read_bytes())
    assert data[: len(MANIFEST)] == MANIFEST.encode()
