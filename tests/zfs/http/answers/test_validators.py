"""Validators: when a client's copy is still right."""

from __future__ import annotations

import math
import os
import time
from pathlib import Path

import pytest

import zarrcore as zc
from tests.zfs.trees.entries import Clock
from zarrfs.http.answers.validators import Validators, validators
from zarrfs.trees.freshness import Freshness
from zarrfs.trees.opening import open_trees
from zarrfs.trees.paths import open_file
from zarrfs.trees.store_trees import TreeOptions


@pytest.fixture
def source(tmp_path: Path) -> Path:
    array = zc.create(tmp_path / "a.zarr").create_array("x", shape=(4, 5, 6), dtype="int16")
    array[...] = 1
    return tmp_path / "a.zarr"


def of(source: Path, path: str, freshness: Freshness) -> Validators:
    trees = open_trees(source, TreeOptions(ttl_s=0.0))
    found = open_file(trees.root(), path.split("/"))
    assert found is not None
    return validators(path, *found, freshness)


def test_the_bytes_of_a_key_have_a_strong_tag_and_a_time(source: Path) -> None:
    freshness = Freshness(15.0, Clock())
    first = of(source, "keys/x/zarr.json", freshness)
    assert first.etag is not None
    assert first.etag.startswith('"')
    assert first.modified_s == int((source / "x/zarr.json").stat().st_mtime)
    assert of(source, "keys/x/zarr.json", freshness) == first
    os.utime(source / "x/zarr.json", ns=(0, 1_000_000_001))
    assert of(source, "keys/x/zarr.json", freshness).etag != first.etag


def test_a_document_has_a_strong_tag_of_its_content(source: Path) -> None:
    freshness = Freshness(15.0, Clock())
    first = of(source, "arrays/x/attributes.json", freshness)
    zc.open_hierarchy(source, "r+")["x"].attributes = {"a": 1}
    second = of(source, "arrays/x/attributes.json", freshness)
    assert first.etag != second.etag
    assert second.etag is not None
    assert second.etag.startswith('"')


@pytest.mark.parametrize(
    "path", ["arrays/x/data.raw", "arrays/x/slices/1.npy", "zarr3/x/c/0/0/0", "hdf5/x.h5"]
)
def test_elements_have_a_weak_tag_that_changes_with_time(source: Path, path: str) -> None:
    clock = Clock()
    freshness = Freshness(15.0, clock)
    clock.s = 30.0
    first = of(source, path, freshness)
    assert first.etag is not None
    assert first.etag.startswith('W/"')
    assert first.modified_s is None
    clock.s = 44.0
    assert of(source, path, freshness) == first
    clock.s = 45.0
    assert of(source, path, freshness) != first
    clock.s = 44.0
    freshness.refresh()
    assert of(source, path, freshness) != first


def test_elements_have_no_tag_if_the_store_is_always_asked_and_a_strong_one_if_it_never_changes(
    source: Path,
) -> None:
    assert of(source, "arrays/x/data.raw", Freshness(0.0)).etag is None
    forever = Freshness(math.inf)
    tags = [of(source, f"arrays/x/slices/{name}", forever).etag for name in ("0.raw", "1.raw", "0.npy")]
    assert len({*tags}) == 3
    assert all(tag is not None and tag.startswith('"') for tag in tags)


STRONG, WEAK, NONE = Validators('"a"', 1000), Validators('W/"a"'), Validators()
EARLIER, SAME = "Thu, 01 Jan 1970 00:16:39 GMT", "Thu, 01 Jan 1970 00:16:40 GMT"


def test_a_copy_is_right_if_a_tag_is_the_same_weakly_or_nothing_was_stored_since() -> None:
    for known in (STRONG, WEAK):
        for header in ('"a"', 'W/"a"', '"x", W/"a"', "*"):
            assert known.is_unchanged(header, None), header
        for header in ('"x"', "a", "", '"a', None):
            assert not known.is_unchanged(header, None), header
    assert STRONG.is_unchanged(None, SAME)
    assert not STRONG.is_unchanged(None, EARLIER)
    assert not STRONG.is_unchanged('"x"', SAME)  # the tag decides
    assert not STRONG.is_unchanged(None, "yesterday")
    assert STRONG.is_unchanged(None, "Thursday, 01-Jan-70 00:16:40 GMT")
    assert not WEAK.is_unchanged(None, SAME)
    assert not NONE.is_unchanged('"a"', SAME)


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Pacific/Pago_Pago"])
def test_a_date_without_a_zone_is_in_utc(zone: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        assert STRONG.is_unchanged(None, "Thu Jan  1 00:16:40 1970")
        assert not STRONG.is_unchanged(None, "Thu Jan  1 00:16:39 1970")
    finally:
        monkeypatch.undo()
        time.tzset()


def test_conditions_need_a_strong_tag() -> None:
    assert STRONG.meets('"x", "a"', None)
    assert not STRONG.meets('"x"', None)
    assert not STRONG.meets('W/"a"', None)
    assert not STRONG.meets('"x", W/"a"', None)
    assert STRONG.meets('W/"a", "a"', None)
    assert not WEAK.meets('"a"', None)
    assert not WEAK.meets('W/"a"', None)
    assert STRONG.meets('"a"', EARLIER)  # the tag decides
    assert not STRONG.meets('"x"', SAME)
    assert WEAK.meets("*", None)
    assert STRONG.meets(None, SAME)
    assert not STRONG.meets(None, EARLIER)
    assert NONE.meets(None, EARLIER)


def test_a_part_fits_to_other_parts_only_by_a_strong_tag() -> None:
    assert STRONG.permits_range(None)
    assert STRONG.permits_range('"a"')
    assert not STRONG.permits_range('"x"')
    for other in (SAME, 'W/"a"', '"a", "b"', "*", ""):
        assert not STRONG.permits_range(other), other
    assert not WEAK.permits_range('W/"a"')
    assert not NONE.permits_range('"a"')
