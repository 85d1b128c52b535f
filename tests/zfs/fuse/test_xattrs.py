"""``--xattr``: extended attributes of nodes and keys, which exist only with the option."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import pytest
import zarr

from tests.zfs.conftest import Mount, Mounter
from zarrfs.fuse.xattrs import encoded

ATTRIBUTES = {"title": "é", "long": "x" * 70_000, "n" * 300: 1, "nested": {"a": [1, None]}, "nul\0": 1}


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("xattrs") / "a.zarr"
    group = zarr.open_group(path, mode="w", attributes=ATTRIBUTES)
    group.create_array("a", shape=(3, 4), chunks=(2, 2), dtype="f4", fill_value=float("nan"))
    group.create_group("many", attributes={f"{n:0200}": n for n in range(1000)})
    return path


@pytest.fixture(scope="module")
def mounted(source: Path, mounter: Mounter) -> Mount:
    return mounter(source, "--xattr")


def told(path: Path) -> dict[str, str]:
    return {name.removeprefix("user.zarr."): os.getxattr(path, name).decode() for name in os.listxattr(path)}


def test_nodes_have_extended_attributes(mounted: Mount) -> None:
    facts = told(mounted.arrays / "a")
    assert (facts["kind"], facts["format"], facts["data_type"]) == ("array", "v3", "float32")
    assert (json.loads(facts["shape"]), json.loads(facts["chunk_shape"])) == ([3, 4], [2, 2])
    assert (facts["numpy_dtype"], facts["fill_value"]) == ("float32", "NaN")
    assert told(mounted.arrays / "a" / "data.npy") == {}
    assert told(mounted.path) == {}


def test_attributes_beyond_the_limits_of_linux_are_omitted(mounted: Mount) -> None:
    facts = told(mounted.arrays)
    assert facts == {
        "kind": "group",
        "format": "v3",
        "attributes.title": '"é"',
        "attributes.nested": '{"a": [1, null]}',
    }
    many = os.listxattr(mounted.arrays / "many")
    assert 200 < len(many) < 1000
    assert os.getxattr(mounted.arrays / "many", f"user.zarr.attributes.{999:0200}") == b"999"


def test_other_attributes_are_absent_and_writing_is_refused(mounted: Mount) -> None:
    folder = mounted.arrays / "a"
    for name in ("user.zarr.nothing", "user.other", "user.zarr.attributes.title"):
        with pytest.raises(OSError, match=os.strerror(errno.ENODATA)):
            os.getxattr(folder, name)
    with pytest.raises(OSError, match=os.strerror(errno.EROFS)):
        os.setxattr(folder, "user.zarr.attributes.title", b'"x"')
    with pytest.raises(OSError, match=os.strerror(errno.EROFS)):
        os.removexattr(folder, "user.zarr.shape")


def test_without_the_option_the_kernel_sends_no_requests(source: Path, mounter: Mounter) -> None:
    mounted = mounter(source)
    with pytest.raises(OSError, match=os.strerror(errno.ENOTSUP)):
        os.getxattr(mounted.arrays / "a", "user.zarr.shape")
    assert "getxattr" not in mounted.stats()["requests"]


def test_texts_are_plain_and_attributes_are_json() -> None:
    assert encoded({"data_type": "int8", "fill_value": 0, "attributes.a": "b", "attributes.": None}) == {
        b"user.zarr.data_type": b"int8",
        b"user.zarr.fill_value": b"0",
        b"user.zarr.attributes.a": b'"b"',
        b"user.zarr.attributes.": b"null",
    }
