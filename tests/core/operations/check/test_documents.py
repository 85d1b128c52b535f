"""Checks of documents and of consolidated metadata."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import tensorstore
import zarr

import zarrcore as zc
from tests.core.operations.check.findings import DATA, findings, kinds
from zarrcore.stores import ByteRange, LocalStore, StoreEntry


def test_broken_documents(root: Path) -> None:
    for name, document in {"b1": "{", "b2": '{"zarr_format": 3, "node_type": "array"}'}.items():
        (root / name).mkdir()
        (root / name / "zarr.json").write_text(document)
    document = json.loads((root / "a/zarr.json").read_text())
    document["codecs"][-1]["name"] = "unheard-of"
    (root / "a/zarr.json").write_text(json.dumps(document))
    assert kinds(root) == {
        ("error", "broken-document", "/b1"),
        ("error", "broken-document", "/b2"),
        ("error", "unsupported", "/a"),
    }


def test_an_internal_error_is_not_a_broken_document(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def surprise(document: object) -> None:
        raise KeyError("numcodecs")

    monkeypatch.setattr("zarrcore.formats.v3.format.parse_node", surprise)
    found = [finding for finding in findings(root) if finding.severity == "error"]
    assert {finding.what for finding in found} == {"internal-error"}
    assert all("the data may be in order" in finding.sentence for finding in found)


def test_a_document_without_codecs_gives_a_warning(root: Path) -> None:
    zarr.create_array(root / "old", data=DATA, chunks=(5, 5), compressors=None)
    document = json.loads((root / "old/zarr.json").read_text())
    del document["codecs"]
    (root / "old/zarr.json").write_text(json.dumps(document))
    assert kinds(root) == {("warning", "codecs-not-named", "/old")}


@pytest.mark.parametrize("member", ["chunk_key_encoding", "fill_value"])
def test_a_document_without_a_member_that_others_need_gives_a_warning(tmp_path: Path, member: str) -> None:
    root = tmp_path / "x.zarr"
    zarr.create_array(root, data=DATA, chunks=(5, 5))
    document = json.loads((root / "zarr.json").read_text())
    assert kinds(root) == set()
    del document[member]
    (root / "zarr.json").write_text(json.dumps(document))
    assert kinds(root) == {("warning", "member-not-named", "/")}
    with pytest.raises(KeyError, match=member):
        zarr.open_array(root, mode="r")


def opened_by_tensorstore(root: Path) -> tensorstore.TensorStore:
    return tensorstore.open({"driver": "zarr3", "kvstore": root.as_uri()}).result()


@pytest.mark.parametrize("in_shards", [False, True])
@pytest.mark.parametrize("dtype", ["i4", "u1"])
def test_a_codec_without_byte_order_gives_a_warning(tmp_path: Path, dtype: str, in_shards: bool) -> None:
    root = tmp_path / "x.zarr"
    shards = {"shards": (5, 10)} if in_shards else {}
    zarr.create_array(root, data=DATA.astype(dtype), chunks=(5, 5), compressors=None, **shards)
    document = json.loads((root / "zarr.json").read_text())
    codecs = document["codecs"][0]["configuration"]["codecs"] if in_shards else document["codecs"]
    codecs[0].pop("configuration", None)
    (root / "zarr.json").write_text(json.dumps(document))
    if dtype == "u1":
        assert kinds(root) == set()
        opened_by_tensorstore(root)
    else:
        assert kinds(root) == {("warning", "byte-order-not-named", "/")}
        with pytest.raises(ValueError, match="endian"):
            opened_by_tensorstore(root)


def test_an_index_without_byte_order_gives_a_warning(tmp_path: Path) -> None:
    zarr.create_array(tmp_path / "x.zarr", data=DATA, chunks=(5, 5), shards=(5, 10))
    document = json.loads((tmp_path / "x.zarr/zarr.json").read_text())
    document["codecs"][0]["configuration"]["index_codecs"] = ["bytes"]
    (tmp_path / "x.zarr/zarr.json").write_text(json.dumps(document))
    assert ("warning", "byte-order-not-named", "/") in kinds(tmp_path / "x.zarr")


def test_documents_of_two_formats(root: Path) -> None:
    zarr.open_group(root, mode="a")
    (root / ".zgroup").write_text('{"zarr_format": 2}')
    (root / "a/.zarray").write_text('{"zarr_format": 2}')
    assert kinds(root) == {("warning", "several-formats", "/"), ("warning", "several-formats", "/a")}


def test_an_array_and_a_group_at_one_path(tmp_path: Path) -> None:
    zarr.create_group(tmp_path / "x.zarr", zarr_format=2).create_array("a", data=DATA, chunks=(5, 5))
    (tmp_path / "x.zarr/a/.zgroup").write_text('{"zarr_format": 2}')
    assert kinds(tmp_path / "x.zarr") == {("warning", "array-and-group", "/a")}


@pytest.mark.parametrize("named", [False, True])
def test_version_2_keys_with_slashes(tmp_path: Path, named: bool) -> None:
    root = tmp_path / "x.zarr"
    zarr.create_array(
        root, data=DATA, chunks=(5, 5), zarr_format=2, chunk_key_encoding={"name": "v2", "separator": "/"}
    )
    if not named:
        document = json.loads((root / ".zarray").read_text())
        del document["dimension_separator"]
        (root / ".zarray").write_text(json.dumps(document))
    found = {finding.what for finding in findings(root)}
    assert ("separator-not-named" in found) is not named


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_consolidated_metadata(tmp_path: Path, zarr_format: Any) -> None:
    root = tmp_path / "x.zarr"
    group = zarr.create_group(root, zarr_format=zarr_format)
    for name in ("same", "changed", "gone"):
        group.create_array(name, data=DATA, chunks=(5, 5))
    zarr.consolidate_metadata(root, zarr_format=zarr_format)
    assert kinds(root) == set()
    plain = zarr.open_group(root, mode="a", zarr_format=zarr_format, use_consolidated=False)
    plain["changed"].attrs["unit"] = "mm"
    plain.create_group("new")
    shutil.rmtree(root / "gone")
    assert kinds(root) == {
        ("warning", "stale-consolidated", f"/{name}") for name in ("changed", "gone", "new")
    }


def test_nodes_that_could_not_be_read_are_not_called_missing(root: Path) -> None:
    zarr.open_group(root, mode="a").create_group("g").create_array("x", data=DATA)
    zarr.consolidate_metadata(root)

    class Failing(LocalStore):
        def get(self, key: str, byte_range: ByteRange | None = None, **options: Any) -> Any:
            if key.startswith("a/"):
                raise zc.UnreachableError("the line is cut", key=key)
            return super().get(key, byte_range, **options)

        def list_dir(self, prefix: str) -> Iterator[StoreEntry]:
            if prefix == "g/":
                raise zc.UnreachableError("the line is cut", key=prefix)
            return super().list_dir(prefix)

    found = kinds(Failing(root))
    assert {("error", "unreadable", "/a"), ("error", "unreadable", "/g")} <= found
    assert not [one for one in found if one[1] == "stale-consolidated"]
