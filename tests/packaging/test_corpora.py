"""The script that fetches test files of other projects keeps those that zarrscope claims to read."""

from __future__ import annotations

import io
import runpy
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import tifffile

SCRIPT: dict[str, Any] = runpy.run_path(str(Path(__file__).parents[2] / "packaging" / "corpora.py"))


def file(name: str, directory: Path) -> bytes:
    """What an independent writer writes, or a text."""
    path = directory / name
    if name.startswith("hdf5"):
        with h5py.File(path, "w", userblock_size=512) as made:
            made["a"] = np.arange(3)
    elif name.startswith("tiff"):
        tifffile.imwrite(path, np.zeros((4, 5), "u1"), bigtiff=True)
    elif name.endswith("zip"):
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("a.zarr/.zgroup" if name == "zarr.zip" else "a.txt", "{}")
    else:
        path.write_text("text")
    return path.read_bytes()


def archive_of(contents: dict[str, bytes], path: Path) -> Path:
    with tarfile.open(path, "w:gz") as archive:
        for name, content in contents.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return path


def test_what_has_the_ending_or_the_signature_is_kept(tmp_path: Path) -> None:
    kept = ["hdf5.dat", "tiff_without_ending", "broken.nii.gz", "zarr.zip"]
    contents = {f"a-1/x/{name}": file(name, tmp_path) for name in (*kept, "other.zip", "readme.txt")}
    contents |= {f"a-1/h/{name}": b"{}" for name in (".zgroup", "b/.zarray", "b/0.0")}
    SCRIPT["unpack"](archive_of(contents, tmp_path / "a.tar.gz"), tmp_path / "out")
    found = {path.relative_to(tmp_path / "out") for path in (tmp_path / "out").rglob("*") if path.is_file()}
    assert found == {Path("x") / name for name in kept} | {
        Path("h") / name for name in (".zgroup", "b/.zarray", "b/0.0")
    }
    assert (tmp_path / "out/x/hdf5.dat").read_bytes() == contents["a-1/x/hdf5.dat"]


def test_nothing_is_unpacked_outside(tmp_path: Path) -> None:
    archive = archive_of({"a-1/../../b.h5": b"x"}, tmp_path / "a.tar.gz")
    with pytest.raises(ValueError, match="outside"):
        SCRIPT["unpack"](archive, tmp_path / "out")
    assert not [*tmp_path.rglob("b.h5")]
