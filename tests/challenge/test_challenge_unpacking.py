"""Archives that mean harm are refused by name and rule, and leave nothing outside their folder."""

from __future__ import annotations

import gzip
import hashlib
import io
import lzma
import os
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from iolai.challenge.unpacking import RefusedError, UnpackLimits, unpack_archive
from iolai.entry import write_archive
from iolai.runners import pin_entry

SCRIPT = b"print('hello')\n"
Files = dict[str, bytes]


def make_zip(path: Path, files: Files) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


def make_tar(path: Path, files: Files, mode: str = "w:gz") -> Path:
    with tarfile.open(path, mode) as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size, info.mode = len(data), 0o755 if name.endswith(".sh") else 0o644
            archive.addfile(info, io.BytesIO(data))
    return path


MAKERS: dict[str, Callable[[Path, Files], Path]] = {
    "zip": make_zip,
    "tar": lambda path, files: make_tar(path, files, "w:"),
    "tar.gz": make_tar,
    "tar.xz": lambda path, files: make_tar(path, files, "w:xz"),
}


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "target"


def unpack(archive: Path, target: Path, **limits: float) -> Path:
    target.parent.mkdir(exist_ok=True)
    return unpack_archive(archive, target, UnpackLimits(**limits))  # type: ignore[arg-type]


def found_in(root: Path) -> Files:
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("prefix", ["", "./", "my-entry/"])
def test_every_kind_unpacks(kind: str, prefix: str, tmp_path: Path, target: Path) -> None:
    files = {"script.py": SCRIPT, "data/words.txt": b"x" * 70_000, "empty.txt": b"", "run.sh": b"#"}
    archive = MAKERS[kind](tmp_path / "a", {prefix + name: data for name, data in files.items()})
    root = unpack(archive, target)
    assert found_in(root) == files
    assert root == (target / "my-entry" if prefix == "my-entry/" else target)
    if kind != "zip":
        assert os.access(root / "run.sh", os.X_OK)
    assert not (root / "script.py").stat().st_mode & 0o111


@pytest.mark.parametrize("ending", [".zip", ".tar.gz"])
def test_what_entry_pack_writes_unpacks(ending: str, tmp_path: Path, target: Path) -> None:
    entry = tmp_path / "entry"
    entry.mkdir()
    (entry / "script.py").write_bytes(SCRIPT)
    write_archive(entry, pin_entry(entry).files, tmp_path / f"a{ending}")
    assert (unpack(tmp_path / f"a{ending}", target) / "script.py").read_bytes() == SCRIPT


def test_the_folder_of_an_archiver_is_passed_over(tmp_path: Path, target: Path) -> None:
    files = {"mine/script.py": SCRIPT, "__MACOSX/mine/._script.py": b"\0"}
    assert unpack(make_zip(tmp_path / "a", files), target) == target / "mine"


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("../out.txt", "leads out"),
        ("a/../../out.txt", "leads out"),
        ("/srv/out.txt", "leads out"),
        ("C:/out.txt", "leads out"),
        ("a\\..\\out.txt", "does not travel"),
        ("bell\x07.txt", "does not travel"),
        ("a\u202etxt.py", "does not travel"),
        ("d/" * 40 + "x", "stands in more than 32 folders"),
        ("script.py/x", "script.py, which is a file"),
        ("script.py", "script.py is there twice"),
        ("./script.py", "script.py is there twice"),
    ],
)
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_bad_name_is_refused(
    kind: str, name: str, rule: str, tmp_path: Path, target: Path
) -> None:
    class Twice(dict[str, bytes]):
        def items(self):  # type: ignore[no-untyped-def]
            return [("script.py", SCRIPT), (name, b"y")]

    archive = MAKERS[kind](tmp_path / "a", Twice())
    with pytest.raises(RefusedError, match=rule):
        unpack(archive, target)
    assert {path.name for path in tmp_path.iterdir()} == {"a", "deep"}
    assert [path.name for path in target.parent.iterdir()] == ["target"]


@pytest.mark.parametrize(
    "kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE]
)
def test_a_tar_holds_files_only(kind: bytes, tmp_path: Path, target: Path) -> None:
    with tarfile.open(tmp_path / "a", "w") as archive:
        info = tarfile.TarInfo("evil")
        info.type, info.linkname = kind, "/etc/passwd"
        archive.addfile(info)
    with pytest.raises(RefusedError, match="evil is a link or a device"):
        unpack(tmp_path / "a", target)
    assert not list(target.iterdir())


def test_a_file_through_a_link_is_refused_at_the_link(tmp_path: Path, target: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    with tarfile.open(tmp_path / "a", "w") as archive:
        link = tarfile.TarInfo("d")
        link.type, link.linkname = tarfile.SYMTYPE, str(outside)
        archive.addfile(link)
        archive.addfile(tarfile.TarInfo("d/x"))
    with pytest.raises(RefusedError, match="d is a link"):
        unpack(tmp_path / "a", target)
    assert not list(outside.iterdir())


def test_a_link_in_a_zip_is_refused(tmp_path: Path, target: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a", "w") as archive:
        info = zipfile.ZipInfo("evil")
        info.create_system, info.external_attr = 3, 0o120777 << 16
        archive.writestr(info, "/etc/passwd")
    with pytest.raises(RefusedError, match="evil is a link or a device"):
        unpack(tmp_path / "a", target)


def test_a_method_other_than_deflate_is_refused(tmp_path: Path, target: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a", "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("script.py", SCRIPT)
    with pytest.raises(RefusedError, match="a method that is not deflate"):
        unpack(tmp_path / "a", target)


@pytest.mark.parametrize("kind", ["zip", "tar.gz", "tar.xz"])
def test_a_bomb_is_stopped_by_its_ratio(kind: str, tmp_path: Path, target: Path) -> None:
    archive = MAKERS[kind](tmp_path / "a", {"script.py": SCRIPT, "zeros": bytes(66 << 20)})
    assert archive.stat().st_size < 100_000
    with pytest.raises(RefusedError, match="more than 200 times its size"):
        unpack(archive, target)
    assert sum(map(len, found_in(target).values())) <= 64 << 20


@pytest.mark.parametrize("kind", MAKERS)
def test_size_and_count_are_limited(kind: str, tmp_path: Path, target: Path) -> None:
    files = {"script.py": SCRIPT} | {f"f{n}": os.urandom(1 << 17) for n in range(12)}
    archive = MAKERS[kind](tmp_path / "a", files)
    with pytest.raises(RefusedError, match="more than 1 MiB"):
        unpack(archive, target, max_bytes=1 << 20)
    with pytest.raises(RefusedError, match="more than 12 files"):
        unpack(archive, target.with_name("second"), max_files=12)
    assert len(found_in(unpack(archive, target.with_name("third"), max_files=13))) == 13


def test_a_size_that_lies_is_not_believed(tmp_path: Path, target: Path) -> None:
    """A directory that gives a large file as small: no more than what it says is written."""
    archive = make_zip(tmp_path / "a", {"script.py": SCRIPT, "zeros": bytes(30 << 20)})
    data = bytearray(archive.read_bytes())
    at = data.rindex(b"PK\x01\x02") + 24
    assert struct.unpack_from("<L", data, at)[0] == 30 << 20
    struct.pack_into("<L", data, at, 10)
    archive.write_bytes(data)
    with pytest.raises(RefusedError, match="damaged"):
        unpack(archive, target)
    assert sum(map(len, found_in(target).values())) < 1000


def test_a_long_header_is_not_taken_into_memory(tmp_path: Path, target: Path) -> None:
    """A name of 512 MiB in a header would be read whole by a reader that trusts it."""
    info = tarfile.TarInfo("././@LongLink")
    info.type, info.size = tarfile.GNUTYPE_LONGNAME, 512 << 20
    with gzip.open(tmp_path / "a", "wb", compresslevel=1) as stream:
        stream.write(info.tobuf(tarfile.GNU_FORMAT))
        stream.write(bytes(4 << 20))
    with pytest.raises(RefusedError, match="a header is too long"):
        unpack(tmp_path / "a", target)


def test_many_headers_without_a_file_are_refused(tmp_path: Path, target: Path) -> None:
    info = tarfile.TarInfo("././@LongLink")
    info.type, info.size = tarfile.GNUTYPE_LONGNAME, 512
    block = info.tobuf(tarfile.GNU_FORMAT) + b"x" * 511 + b"\0"
    with gzip.open(tmp_path / "a", "wb", compresslevel=1) as stream:
        stream.write(block * 4000)
    with pytest.raises(RefusedError, match=r"too long|damaged"):
        unpack(tmp_path / "a", target)


def test_an_xz_that_wants_much_memory_is_refused(tmp_path: Path, target: Path) -> None:
    packed = lzma.LZMACompressor(lzma.FORMAT_XZ, filters=[{"id": lzma.FILTER_LZMA2, "preset": 0}])
    data = bytearray(packed.compress(bytes(2048)) + packed.flush())
    # The dictionary's size stands in the block header's filter properties: say 4 GiB, mend the CRC.
    header = data[12 : 12 + (data[12] + 1) * 4]
    at = header.index(b"\x21\x01") + 2
    header[at] = 40
    header[-4:] = struct.pack("<L", zlib.crc32(header[:-4]))
    data[12 : 12 + len(header)] = header
    (tmp_path / "a").write_bytes(data)
    with pytest.raises(RefusedError, match=r"damaged.*[Mm]emory"):
        unpack(tmp_path / "a", target)


@pytest.mark.parametrize("kind", ["zip", "tar.gz", "tar.xz", "tar"])
def test_a_torn_archive_is_refused(kind: str, tmp_path: Path, target: Path) -> None:
    files = {"script.py": SCRIPT, "noise": os.urandom(200_000)}
    whole = MAKERS[kind](tmp_path / "a", files).read_bytes()
    (tmp_path / "a").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(RefusedError, match="damaged"):
        unpack(tmp_path / "a", target)


@pytest.mark.parametrize("data", [b"", b"just text", b"\x1f\x8b", b"PK\x03\x04", b"\xfd7zXZ\x00x"])
def test_what_is_no_archive_is_refused(data: bytes, tmp_path: Path, target: Path) -> None:
    (tmp_path / "a").write_bytes(data)
    with pytest.raises(RefusedError, match="damaged or of no known kind"):
        unpack(tmp_path / "a", target)


@pytest.mark.parametrize(
    "files", [{"other.py": b""}, {"a/script.py": b"", "b/script.py": b""}, {"a/b/script.py": b""}]
)
def test_the_script_is_at_the_top_or_in_one_folder(
    files: Files, tmp_path: Path, target: Path
) -> None:
    with pytest.raises(RefusedError, match=r"no script\.py at the top"):
        unpack(make_tar(tmp_path / "a", files), target)


def manifest(files: Files) -> bytes:
    lines = (f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in files.items())
    return "".join(lines).encode()


@pytest.mark.parametrize(
    ("listed", "rule"),
    [
        ({"script.py": SCRIPT}, None),
        ({"script.py": b"other"}, r"script\.py is not what its hash"),
        ({}, r"script\.py is not in MANIFEST"),
        ({"script.py": SCRIPT, "gone.txt": b""}, r"gone\.txt is in MANIFEST.* and not in"),
    ],
)
def test_a_manifest_is_held_to(
    listed: Files, rule: str | None, tmp_path: Path, target: Path
) -> None:
    files = {"e/script.py": SCRIPT, "e/MANIFEST.sha256": manifest(listed)}
    archive = make_tar(tmp_path / "a", files)
    if rule is None:
        assert unpack(archive, target) == target / "e"
    else:
        with pytest.raises(RefusedError, match=rule):
            unpack(archive, target)


def test_a_manifest_that_is_none_is_refused(tmp_path: Path, target: Path) -> None:
    archive = make_tar(tmp_path / "a", {"script.py": SCRIPT, "MANIFEST.sha256": b"nonsense\n"})
    with pytest.raises(RefusedError, match="no hash and path"):
        unpack(archive, target)
