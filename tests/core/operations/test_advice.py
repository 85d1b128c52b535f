"""What data cost to read from a distance, compared with the requests of real reads, and what would help."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import zarr

import zarrcore as zc
from tests.command import Run, run_inside
from tests.core.array.counting_store import CountingStore
from zarrcore.operations.advice import requests


@pytest.mark.sampled(5)
@pytest.mark.parametrize("chunks", [(2, 128, 128), (4, 64, 128), (8, 32, 64)])
@pytest.mark.parametrize("shards", [None, (16, 128, 128), (8, 256, 256)])
def test_estimated_requests_are_those_of_a_read(
    tmp_path: Path, chunks: tuple[int, ...], shards: tuple[int, ...] | None
) -> None:
    elements = np.random.default_rng(1).integers(0, 1 << 62, (32, 256, 256))
    zc.create(tmp_path / "a").create_array("a", data=elements, chunks=chunks, shards=shards)
    store = CountingStore(tmp_path / "a", remote=True)
    for axes, selection in (([1, 2], np.s_[5]), ([0], np.s_[:, 100, 200]), ([2], np.s_[9, 100])):
        array = zc.open_array(store, "a")
        array.metadata  # noqa: B018 - its document is not of the chunks
        store.requests.clear()
        assert np.array_equal(array[selection], elements[selection])
        assert requests(array, axes) == len(store.chunk_requests()), (axes, store.requests)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A hierarchy with everything that is dear, and one array of each that is not."""
    root = zc.create(tmp_path / "a.zarr")
    root.create_array(
        "small", shape=(1100, 256, 256), dtype="u1", chunks=(1, 32, 32), dimension_names=["t", "y", "x"]
    )
    root.create_array(
        "good", shape=(2000, 512, 512), dtype="u1", chunks=(64, 128, 128), shards=(512, 512, 512)
    )
    root.create_array("huge", shape=(2, 8192, 8192), dtype="f4", chunks=(1, 8192, 8192), codecs=["bytes"])
    image = root.create_group("image", attributes={"ome": {"version": "0.5", "multiscales": []}})
    image.create_array("0", shape=(8192, 8192), dtype="u1", chunks=(1024, 1024))
    for number in range(20):
        root[f"scalars/{number}"] = 1.5
    return tmp_path / "a.zarr"


def test_advice(source: Path) -> None:
    found = [*zc.advise(source)]
    kinds = {(one.path, one.what) for one in found if one.severity == "advice"}
    assert kinds == {
        *(("/small", "small-chunks"), ("/small", "series")),
        *(("/huge", "large-chunks"), ("/huge", "uncompressed"), ("/huge", "no-pyramid")),
        ("/", "not-consolidated"),
    }
    told = {(one.path, one.what): one.sentence for one in found}
    assert told["/small", "cost"] == (
        "a plane of y and x takes 64 requests (64.0 KiB), a series along t at one point 1,100 requests (1.07 MiB)"
    )
    assert "--shards 1024,256,256'" in told["/small", "small-chunks"]
    assert "--chunks 64,32,32'" in told["/small", "series"]
    assert [one.path for one in zc.advise(zc.open_array(source, "good"))] == ["/good"]


def test_the_advice_helps(source: Path, tmp_path: Path) -> None:
    assert run_inside("consolidate", source).text == "the root holds the metadata of 27 nodes\n"
    assert "not-consolidated" not in [one.what for one in zc.advise(source)]
    members = zarr.open_consolidated(source).metadata.consolidated_metadata.flattened_metadata  # type: ignore[union-attr]
    assert len(members) == 26
    for (path, *words), cured in (
        (("small", "--shards", "1024,256,256"), "small-chunks"),
        (("huge", "--chunks", "1,1024,1024", "--codec", "zstd", "--memory", "2G"), "large-chunks"),
    ):
        words += ["--overwrite", "--quiet"]
        assert run_inside("copy", f"{source}#/{path}", tmp_path / "b.zarr", *words).status == 0
        assert cured not in [one.what for one in zc.advise(tmp_path / "b.zarr")]


def test_the_command(zarrscope: Run, source: Path) -> None:
    outcome = zarrscope("check", source, "huge", "--advise")
    assert outcome.status == 0
    assert [line.split()[0] for line in outcome.text.splitlines()] == ["note", "advice", "advice", "advice"]
    quiet = zarrscope("check", source, "huge", "--advise", "--quiet").text
    assert quiet.count("\n") == 3
    told = json.loads(zarrscope("check", source, "huge", "--advise", "--json").text)
    assert (told["error_count"], told["advice_count"], told["is_decoded"]) == (0, 3, False)
