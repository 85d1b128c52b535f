"""A check finds what is wrong, and nothing where nothing is."""

from __future__ import annotations

import json
import shutil
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr

import zarrcore as zc
from tests.conftest import Written
from zarrcore.formats import format_named
from zarrcore.operations.check import Finding, check
from zarrcore.operations.copy import execute, plan_copy
from zarrcore.stores.interface import ByteRange, ReadableStore
from zarrcore.stores.local.atomic_files import temporary_name
from zarrcore.stores.local.store import LocalStore

DATA = np.arange(1, 101, dtype="i4").reshape(10, 10)


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings(
        action="ignore", category=UserWarning
    ):  # zarr-python's, about consolidated metadata
        yield


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A group with an array of 4 × 3 chunks, ``a``, and one of 2 × 2 shards, ``s``."""
    group = zarr.create_group(tmp_path / "x.zarr")
    group.create_array("a", data=DATA, chunks=(3, 4))
    group.create_array("s", data=DATA, chunks=(1, 5), shards=(5, 5))
    return tmp_path / "x.zarr"


def findings(root: Path | ReadableStore, path: str = "/", **options: Any) -> list[Finding]:
    return list(check(zc.open(root), path, **options))


def kinds(root: Path | ReadableStore, path: str = "/", **options: Any) -> set[tuple[str, str, str]]:
    return {(finding.severity, finding.what, finding.path) for finding in findings(root, path, **options)}


def test_hierarchies_of_zarr_python_have_no_findings(hierarchy: Written) -> None:
    wrong = [finding for finding in findings(hierarchy.path) if finding.severity != "note"]
    # Its fixture has old documents in which codecs are not told.
    assert [finding for finding in wrong if finding.what != "codecs-not-named"] == []


def test_a_whole_hierarchy_without_fault(root: Path) -> None:
    done: dict[str, tuple[int, int]] = {}
    found = list(
        check(zc.open(root), progress=lambda path, done_, total: done.update({path: (done_, total)}))
    )
    assert found == []
    assert done == {"/a": (12, 12), "/s": (4, 4)}


@pytest.mark.parametrize(
    ("key", "change"),
    [
        ("a/c/0/0", lambda value: value[:-3]),
        ("a/c/3/2", lambda value: b""),
        ("a/c/1/1", lambda value: b"no zstd frame at all"),
        ("a/c/1/1", lambda value: bytes(100_000)),
        ("s/c/0/1", lambda value: value[:-1] + bytes([value[-1] ^ 1])),
        ("s/c/1/1", lambda value: b"short"),
        ("s/c/1/0", lambda value: bytes([value[0] ^ 255]) + value[1:]),
    ],
)
def test_broken_chunks(root: Path, key: str, change: Any) -> None:
    file = root / key
    file.write_bytes(change(file.read_bytes()))
    (found,) = findings(root)
    assert (found.severity, found.what, found.key) == ("error", "broken-chunk", key)
    assert key not in found.sentence, "it stands beside it"
    assert findings(root, decode=False) == []


def test_an_uncompressed_edge_chunk_of_a_wrong_size(tmp_path: Path) -> None:
    """Of which a read would fetch only the part within the array."""
    zarr.create_array(tmp_path / "x.zarr", data=DATA, chunks=(6, 8), compressors=None, filters=None)
    file = tmp_path / "x.zarr/c/1/1"
    file.write_bytes(file.read_bytes() + b"more")
    assert kinds(tmp_path / "x.zarr") == {("error", "broken-chunk", "/")}


def test_a_wrong_checksum(tmp_path: Path) -> None:
    zarr.create_array(tmp_path / "x.zarr", data=DATA, chunks=(6, 8), compressors=[zarr.codecs.Crc32cCodec()])
    file = tmp_path / "x.zarr/c/0/0"
    value = bytearray(file.read_bytes())
    value[5] ^= 1
    file.write_bytes(value)
    (found,) = findings(tmp_path / "x.zarr")
    assert "checksum" in found.sentence.lower() or "crc32c" in found.sentence.lower()


def test_missing_chunks_give_a_note(root: Path) -> None:
    (root / "a/c/0/0").unlink()
    (root / "a/c/3/2").unlink()
    (found,) = findings(root)
    assert (found.severity, found.what, found.count) == ("note", "missing-chunks", 2)
    assert "2 of 12" in found.sentence


def test_keys_that_are_not_chunks_are_reported(root: Path) -> None:
    for key in ("a/c/4/0", "a/c/00/1", "a/notes.txt", "a/c/0/1.4f3a.partial", "b.txt", "more/x"):
        (root / key).parent.mkdir(parents=True, exist_ok=True)
        (root / key).write_bytes(b"x")
    found = {(finding.what, finding.key) for finding in findings(root, decode=False)}
    assert ("outside-the-grid", "a/c/4/0") in found
    assert ("stray-key", "a/notes.txt") in found
    assert ("stray-key", "a/c/00/1") in found
    assert ("temporary-key", "a/c/0/1.4f3a.partial") in found
    assert ("stray-key", "b.txt") in found


def test_many_stray_keys_make_few_findings(root: Path) -> None:
    for number in range(50):
        (root / f"a/stray{number}").write_bytes(b"")
    found = findings(root, decode=False)
    assert len(found) == 11
    assert found[-1].count == 40
    assert sum(finding.count for finding in found) == 50


def test_chunks_left_by_shrinking(root: Path) -> None:
    document = json.loads((root / "a/zarr.json").read_text())
    (root / "a/zarr.json").write_text(json.dumps({**document, "shape": [3, 10]}))
    assert kinds(root) == {("warning", "outside-the-grid", "/a")}


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


def test_a_document_without_codecs_gives_a_warning(root: Path) -> None:
    zarr.create_array(root / "old", data=DATA, chunks=(5, 5), compressors=None)
    document = json.loads((root / "old/zarr.json").read_text())
    del document["codecs"]
    (root / "old/zarr.json").write_text(json.dumps(document))
    assert kinds(root) == {("warning", "codecs-not-named", "/old")}


def test_documents_of_two_formats(root: Path) -> None:
    zarr.open_group(root, mode="a")
    (root / ".zgroup").write_text('{"zarr_format": 2}')
    (root / "a/.zarray").write_text('{"zarr_format": 2}')
    assert kinds(root) == {("warning", "several-formats", "/"), ("warning", "several-formats", "/a")}


def test_an_array_and_a_group_at_one_path(tmp_path: Path) -> None:
    zarr.create_group(tmp_path / "x.zarr", zarr_format=2).create_array("a", data=DATA, chunks=(5, 5))
    (tmp_path / "x.zarr/a/.zgroup").write_text('{"zarr_format": 2}')
    assert kinds(tmp_path / "x.zarr") == {("warning", "array-and-group", "/a")}


def test_names_that_differ_in_case_only(root: Path) -> None:
    zarr.open_group(root, mode="a").create_group("A")
    assert kinds(root) == {("warning", "equal-but-for-case", "/a")}


def test_a_group_without_a_document(root: Path) -> None:
    shutil.copytree(root / "a", root / "implied/b")
    assert kinds(root) == {("warning", "implicit-group", "/implied")}


def test_a_group_of_version_2_without_a_document(tmp_path: Path) -> None:
    zarr.create_group(tmp_path / "x.zarr", zarr_format=2)
    zarr.create_array(tmp_path / "x.zarr/implied/b", data=DATA, chunks=(5, 5), zarr_format=2)
    assert [(finding.severity, finding.what, finding.key) for finding in findings(tmp_path / "x.zarr")] == [
        ("warning", "implicit-group", "implied/")
    ]


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


class Unlistable(ReadableStore):
    """A store that can be read by key and no more."""

    def __init__(self, root: Path) -> None:
        self.store = LocalStore(root)
        self.url = self.store.url

    def get(self, key: str, byte_range: ByteRange | None = None, **options: Any) -> Any:
        return self.store.get(key, byte_range, **options)


def test_a_store_that_cannot_be_listed(root: Path) -> None:
    (root / "a/c/0/0").write_bytes(b"broken")
    (root / "a/c/1/0").unlink()
    (root / "a/stray").write_bytes(b"")
    found = findings(Unlistable(root), "/a")
    assert [(finding.severity, finding.what) for finding in found] == [
        ("note", "not-checked"),
        ("error", "broken-chunk"),
        ("note", "missing-chunks"),
    ]
    assert kinds(Unlistable(root)) == {("note", "not-checked", "/")}, "its children are not known"
    zarr.consolidate_metadata(root)
    assert {what for _, what, _ in kinds(Unlistable(root))} == {
        "not-checked",
        "broken-chunk",
        "missing-chunks",
    }


def test_a_failing_store_does_not_end_the_check(root: Path) -> None:
    class Failing(LocalStore):
        asked = 0

        def get(self, key: str, byte_range: ByteRange | None = None, **options: Any) -> Any:
            if "/c/" in key:
                self.asked += 1
                raise zc.UnreachableError("the line is cut", key=key)
            return super().get(key, byte_range, **options)

    zarr.create_array(root / "many", data=np.ones(500, "u1"), chunks=(1,))
    store = Failing(root)
    found = findings(store)
    assert {finding.path for finding in found if finding.what == "unreadable"} == {"/a", "/s", "/many"}
    assert ("error", "not-checked", "/many") in {(f.severity, f.what, f.path) for f in found}
    assert store.asked < 400


def test_files_of_our_own_interrupted_writers_are_reported(root: Path) -> None:
    name = temporary_name()
    (root / "a/c" / name).write_bytes(b"half")
    (found,) = findings(root)
    assert (found.what, found.key) == ("temporary-key", f"a/c/{name}")


@pytest.mark.parametrize("to", ["v2", "n5"])
def test_hierarchies_of_ours_have_no_findings(root: Path, tmp_path: Path, to: str) -> None:
    source = zc.open(root)
    execute(plan_copy(source, to=format_named(to)), source, LocalStore(tmp_path / "t", create=True))
    assert findings(tmp_path / "t") == []


def test_an_unfinished_copy(root: Path) -> None:
    (root / ".zarrscope-copy.json").write_text("{}")
    assert ("error", "unfinished-copy", "/") in kinds(root)


def test_a_broken_root_is_reported_once(root: Path) -> None:
    (root / "zarr.json").write_text("{")
    assert [finding.what for finding in findings(root)] == ["broken-document"]
