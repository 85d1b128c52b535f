"""Keys of a bucket that are not paths: they are left out, named once, and never make their neighbours fail."""

import json
import logging
from collections.abc import Iterator
from urllib.parse import quote

import pytest

import zarrcore as zc
from tests.any_store import AnyStore, open_store
from tests.command import run_process
from tests.servers.s3 import S3Server
from zarrcore.operations.check import check
from zarrcore.stores.object.odd_keys import OddKeys

GROUP = b'{"zarr_format": 3, "node_type": "group", "attributes": {}}'
ARRAY = json.dumps(
    {
        "zarr_format": 3,
        "node_type": "array",
        "shape": [4],
        "data_type": "int8",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [4]}},
        "chunk_key_encoding": {"name": "default"},
        "fill_value": 5,
        "codecs": ["bytes"],
    }
).encode()

GOOD = {
    "zarr.json": GROUP,
    "b/zarr.json": GROUP,
    "b/x/zarr.json": ARRAY,
    "b/x/c/0": b"1234",
    "odd +%41name/é": b"1",
    "z": b"1",
}
ODD = ["b//x", "b/./x", "b/../x", "b/x/c/\t", "b/x/c//0", "//", "./x", "t\tab"]


@pytest.fixture(scope="module")
def bucket(s3: S3Server) -> str:
    s3.create_bucket("odd")
    for key, value in GOOD.items():
        s3.put(f"odd/{key}", value)
    for key in ODD:
        s3.request("PUT", f"odd/{quote(key, safe='').replace('.', '%2E')}", b"odd")
    return "s3://odd"


@pytest.fixture
def store(s3: S3Server, bucket: str) -> Iterator[AnyStore]:
    with open_store(bucket, **s3.options) as store:
        yield store


def test_listings_have_all_other_keys(store: AnyStore) -> None:
    assert sorted(entry.key for entry in store.list()) == sorted(GOOD)
    assert {entry.key: store.get(entry.key) for entry in store.list()} == GOOD
    sizes = {entry.key: entry.size for entry in store.list_prefix("b/")}
    assert sizes == {key: len(value) for key, value in GOOD.items() if key.startswith("b/")}
    assert all(entry.mtime_s and entry.etag for entry in store.list())


def test_each_level_has_all_other_names(store: AnyStore) -> None:
    assert sorted(entry.key for entry in store.list_dir("")) == ["b/", "odd +%41name/", "z", "zarr.json"]
    assert sorted(entry.key for entry in store.list_dir("b/")) == ["b/x/", "b/zarr.json"]
    assert [entry.key for entry in store.list_dir("b/x/c/")] == ["b/x/c/0"]
    assert store.has_prefix("b/x/")
    assert not store.has_prefix("nothing/")


def test_they_are_named_once(store: AnyStore, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            list(store.list())
            list(store.list_dir("b/"))
    told = [record.getMessage() for record in caplog.records]
    assert len(told) == 1
    assert told[0].startswith(
        f"s3://odd: keys that are not paths were left out ({len(store.skipped_keys())}): "
    )
    assert {"b//x", "t\tab"} <= set(store.skipped_keys())
    assert not set(store.skipped_keys()) & set(GOOD)


def test_a_prefix_of_the_bucket(s3: S3Server, bucket: str) -> None:
    with open_store(f"{bucket}/b", **s3.options) as store:
        assert sorted(entry.key for entry in store.list()) == ["x/c/0", "x/zarr.json", "zarr.json"]
        assert "/x" in store.skipped_keys()
        assert zc.open_hierarchy(store)["x"][...].tolist() == list(b"1234")


def test_check_names_them_and_nothing_else(s3: S3Server, bucket: str) -> None:
    found = list(check(zc.open_hierarchy(bucket, **s3.options)))
    assert {finding.what for finding in found if finding.severity != "note"} <= {"odd-key", "implicit-group"}
    assert {"b//", "t\tab"} <= {finding.key for finding in found if finding.what == "odd-key"}


@pytest.mark.parametrize("command", ["tree", "ls"])
def test_commands_end_and_show_the_neighbours(s3: S3Server, bucket: str, command: str) -> None:
    done = run_process(command, bucket, *s3.arguments)
    assert done.status == 0, done.stderr
    assert ("zarr.json" if command == "ls" else "x") in str(done.stdout)
    assert len(done.stdout.splitlines()) < 10
    assert "keys that are not paths were left out" in done.stderr


def test_keys_that_begin_with_a_slash_have_no_end(s3: S3Server) -> None:
    s3.create_bucket("slash")
    for key in ("a/zarr.json", "z"):
        s3.put(f"slash/{key}", GROUP)
    s3.request("PUT", "slash/%2Flead%2Fzarr.json", GROUP)
    with open_store("s3://slash", **s3.options) as store:
        assert [entry.key for entry in store.list_dir("")] == ["a/", "z"]
        assert [entry.key for entry in store.list()] == ["a/zarr.json", "z"]
        assert store.skipped_keys() == ["/"]
    done = run_process("tree", "s3://slash", *s3.arguments)
    assert done.stdout.count(b"\n") < 6
    assert "s3://slash: keys that are not paths were left out (1): '/'" in done.stderr


def test_an_ordinary_bucket_is_listed_as_before(s3: S3Server, caplog: pytest.LogCaptureFixture) -> None:
    s3.create_bucket("plain")
    for number in range(3):
        s3.put(f"plain/a/{number}", b"1")
    with open_store("s3://plain", **s3.options) as store:
        assert [entry.key for entry in store.list()] == ["a/0", "a/1", "a/2"]
        assert store.skipped_keys() == []
    assert not caplog.records


@pytest.mark.parametrize(
    ("name", "is_path"),
    [
        *[(key, False) for key in [*ODD, "/lead", "a/", "a/..", "..", "", "a\x7f", "a\ud800"]],
        *[(key, True) for key in [*GOOD, "...", ".a/b.", "a..b", "a b"]],
    ],
)
def test_what_is_a_path(name: str, is_path: bool) -> None:
    odd = OddKeys("s3://bucket")
    assert odd._is_path(name) == is_path
    assert [*odd.names] == ([] if is_path else [name])
