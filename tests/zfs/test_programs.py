"""Programs that do not know Zarr use a mount like a disk."""

from __future__ import annotations

import filecmp
import hashlib
import mmap
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
import zarr
from PIL import Image

from tests.zfs.conftest import Mount, Mounter

CUBE = np.random.default_rng(2).integers(0, 9, (5, 300, 400)).astype("<u2")
PIXELS = np.random.default_rng(3).integers(0, 256, (4, 30, 50), np.uint8)
TREES = ("keys", "arrays", "zarr3", "hdf5")


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("programs") / "h.zarr"
    group = zarr.open_group(path, mode="w")
    group.create_array("cube", data=CUBE, chunks=(2, 128, 128))
    group.create_array("sub/pixels", data=PIXELS, chunks=(1, 30, 50))
    (path / "größe %2E").write_bytes(b"text\n" * 1000)
    return path


@pytest.fixture(scope="module")
def mounted(source: Path, mounter: Mounter) -> Mount:
    return mounter(source)


def run(command: str, **words: object) -> str:
    """The output of a shell command, which must succeed without warnings."""
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", command.format(**words)],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, ""), command
    return done.stdout


def files_below(folder: Path) -> list[Path]:
    return sorted(Path(root, name) for root, _, names in os.walk(folder) for name in names)


def assert_same(copied: Path, original: Path) -> None:
    names = [file.relative_to(original) for file in files_below(original)]
    assert [file.relative_to(copied) for file in files_below(copied)] == names
    assert len(names) >= 2
    for name in names:
        assert filecmp.cmp(copied / name, original / name, shallow=False), name


@pytest.mark.sampled(8)
@pytest.mark.parametrize("tree", TREES)
@pytest.mark.parametrize(
    "command",
    [
        "cp -r {tree} {to}",
        "cp -a --sparse=always {tree} {to}",
        "rsync -a {tree}/ {to}/",
        "mkdir {to}; tar -C {tree} -cf - . | tar -C {to} -xf -",
        "mkdir {to}; tar -C {tree} --sparse -cf - . | tar -C {to} -xf -",
    ],
)
def test_programs_copy_trees(mounted: Mount, tmp_path: Path, tree: str, command: str) -> None:
    run(command, tree=mounted.path / tree, to=tmp_path / "to")
    assert_same(tmp_path / "to", mounted.path / tree)


def test_rsync_finds_nothing_new(mounted: Mount, tmp_path: Path) -> None:
    run("rsync -a {tree}/ {to}/", tree=mounted.keys, to=tmp_path)
    assert run("rsync -an --itemize-changes {tree}/ {to}/", tree=mounted.keys, to=tmp_path) == ""
    assert run("rsync -anc --itemize-changes {tree}/ {to}/", tree=mounted.keys, to=tmp_path) == ""


@pytest.mark.parametrize("tree", TREES)
def test_find_and_du_report_sizes(mounted: Mount, tree: str) -> None:
    folder = mounted.path / tree
    files = files_below(folder)
    found = run("find {tree} -type f -printf '%s %p\\n' | sort -k 2", tree=folder).splitlines()
    assert sorted(found) == sorted(f"{file.stat().st_size} {file}" for file in files)
    large = run("find {tree} -type f -size +100k", tree=folder).splitlines()
    assert sorted(large) == sorted(str(file) for file in files if file.stat().st_size > 100 << 10)
    sizes = [file.stat().st_size for file in files]
    assert int(run("du -sb --apparent-size {tree} | cut -f 1", tree=folder)) == sum(sizes)
    assert int(run("du -s --block-size=512 {tree} | cut -f 1", tree=folder)) == sum(
        -(-size // 512) for size in sizes
    )


def test_checksums_and_parts_of_files_are_right(mounted: Mount) -> None:
    file, content = mounted.arrays / "cube" / "data.raw", CUBE.tobytes()
    assert run("md5sum {file} | cut -c -32", file=file).strip() == hashlib.md5(content).hexdigest()
    assert run("sha256sum < {file} | cut -c -64", file=file).strip() == hashlib.sha256(content).hexdigest()
    for flags, skip, count in (("", 7, 90_000), ("iflag=skip_bytes,count_bytes", 1001, 654_321)):
        part = run("dd if={file} {flags} skip={skip} count={count} status=none | md5sum", **locals())
        unit = 1 if flags else 512
        expected = content[skip * unit : (skip + count) * unit]
        assert part.split()[0] == hashlib.md5(expected).hexdigest()
    direct = run("dd if={file} iflag=direct bs=1M status=none | md5sum", file=file)
    assert direct.split()[0] == hashlib.md5(content).hexdigest()
    assert run("tail -c 10 {file} | od -An -tx1", file=file).split() == [f"{b:02x}" for b in content[-10:]]
    assert run("grep -c text '{file}'", file=mounted.keys / "größe %2E") == "1000\n"


@pytest.mark.parametrize("flags", [mmap.MAP_SHARED, mmap.MAP_PRIVATE])
def test_files_can_be_mapped(mounted: Mount, flags: int) -> None:
    content = CUBE.tobytes()
    with open(mounted.arrays / "cube" / "data.raw", "rb") as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        with mmap.mmap(file.fileno(), 0, flags, mmap.PROT_READ) as mapped:
            assert len(mapped) == len(content)
            for start in (len(content) - 5, 4096 * 17 - 3, 0, len(content) // 2):
                assert mapped[start : start + 9000] == content[start : start + 9000]
            assert mapped[:] == content


def test_pillow_reads_planes(mounted: Mount) -> None:
    for index, expected in enumerate(PIXELS):
        with Image.open(mounted.arrays / "sub" / "pixels" / "slices" / f"{index}.png") as image:
            np.testing.assert_array_equal(np.asarray(image), expected)
    with Image.open(mounted.arrays / "sub" / "pixels" / "[2,::-1].tiff") as image:
        np.testing.assert_array_equal(np.asarray(image), PIXELS[2, ::-1])
