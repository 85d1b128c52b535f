"""What is asked of a store that is far away: how many requests, and how many at once. Nothing here is timed."""

from __future__ import annotations

import itertools
import os
import shutil
import time
import tracemalloc
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qs

import numpy as np
import pytest

import zarrcore
from tests.command import Run
from tests.servers.distant import DistantServer, distant_server
from zarrcore.cli.main import main
from zarrcore.errors import BrokenBodyError
from zarrcore.operations.check import check
from zarrcore.operations.copy.destination import prepare
from zarrcore.operations.marker import MARKER_KEY
from zarrcore.stores import open_store
from zarrcore.stores.connection.reader import Reader
from zarrcore.stores.interface import StoreEntry
from zarrcore.stores.memory import MemoryStore
from zarrcore.stores.object.s3 import S3Store
from zarrcore.stores.wrapper.interface import writable

GROUPS, ARRAYS = 4, 20
NODES = 1 + GROUPS * (1 + ARRAYS)
PLANE = np.arange(4 * 64 * 64, dtype="u2").reshape(4, 64, 64)

FORMATS = ("v3", "v2")
NUMBERS = itertools.count()


def _write(path: Path, format_: str) -> None:
    hierarchy = zarrcore.create(path, format=format_)
    for group, array in itertools.product(range(GROUPS), range(ARRAYS)):
        hierarchy.create_array(
            f"g{group}/a{array:02}", shape=(4,), dtype="u1", chunks=(2,), attributes={"n": array}
        )
    hierarchy["g0/a00"][...] = 1
    hierarchy.create_array("plane", shape=PLANE.shape, dtype="u2", chunks=(1, 8, 8))[...] = PLANE


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder ``bucket`` with a hierarchy of each format, with and without consolidated metadata, and with shards."""
    root = tmp_path_factory.mktemp("distant")
    for format_ in FORMATS:
        _write(root / "bucket" / format_, format_)
        shutil.copytree(root / "bucket" / format_, root / "bucket" / f"{format_}-all")
        zarrcore.open_hierarchy(root / "bucket" / f"{format_}-all", "r+").consolidate()
    shards = zarrcore.create(root / "bucket/shards").create_array(
        "plane", shape=(64, 256, 256), dtype="u2", chunks=(8, 64, 64), shards=(64, 128, 128)
    )
    shards[...] = np.random.default_rng(0).integers(0, 60000, shards.shape, "u2")
    return root


@pytest.fixture(scope="module")
def _server(root: Path) -> Iterator[DistantServer]:
    with distant_server(root) as server:
        yield server


@pytest.fixture
def server(_server: DistantServer) -> Iterator[DistantServer]:
    """The server, which has been asked for nothing."""
    _server.forget()
    yield _server
    _server.delay_s, _server.lists, _server.in_waves = 0.0, True, False


@pytest.fixture(params=["http", "s3"])
def source(request: pytest.FixtureRequest, server: DistantServer) -> Callable[[str], list[str]]:
    """The arguments of the command line that name a hierarchy on the server."""
    if request.param == "http":
        return lambda name: [f"{server.url}/bucket/{name}"]
    options = ["--endpoint-url", server.url, "--region", "us-east-1", "--anonymous"]
    return lambda name: [f"s3://bucket/{name}", *options]


AT_ROOT = [".zarray", ".zattrs", ".zgroup", ".zmetadata", "attributes.json", "zarr.json"]
"""What is asked of a place, together, to open it whatever its format."""


OLD = ["meta", "meta/root.array", "meta/root.group"]
"""What is also asked of a place, to make a hierarchy there."""


def await_root(server: DistantServer, name: str, *, is_new: bool = False) -> None:
    """Wait until all that is asked of a place has arrived: what turned out not to matter is not waited for."""
    asked = {f"/bucket/{name}/{key}" for key in (AT_ROOT + OLD * is_new)}
    deadline_s = time.monotonic() + 30
    while not asked <= {target for _, target in server.requests}:
        assert time.monotonic() < deadline_s, server.requests
        time.sleep(0.005)


def await_requests(server: DistantServer, count: int) -> None:
    """Wait until this many requests have arrived, and see that these are all."""
    deadline_s = time.monotonic() + 30
    while len(server.requests) < count:
        assert time.monotonic() < deadline_s, server.requests
        time.sleep(0.005)
    assert len(server.requests) == count


def keys(server: DistantServer) -> list[str]:
    """The keys whose values were requested, without the bucket."""
    return [
        target[len("/bucket/") :] for _, target in server.requests if "?" not in target and target[-1] != "/"
    ]


class TestTree:
    @pytest.mark.parametrize("format_", FORMATS)
    def test_requests_each_document_and_listing_once(
        self,
        server: DistantServer,
        source: Callable[[str], list[str]],
        zarrscope: Run,
        format_: str,
        root: Path,
    ) -> None:
        shown = zarrscope("tree", *source(format_))
        assert shown.text == zarrscope("tree", root / "bucket" / format_).text
        assert len(set(server.requests)) == len(server.requests)
        listings = [target for _, target in server.requests if "?" in target or target.endswith("/")]
        # Of a bucket all keys below a prefix are asked for first, and what stands directly below it where there are many.
        assert 1 + GROUPS <= len(listings) <= 2 * (1 + GROUPS)
        documents = {"v3": NODES + 1, "v2": 3 * (1 + GROUPS) + 2 * (NODES - GROUPS)}[format_]
        assert len(server.requests) - len(listings) <= documents + len(AT_ROOT)

    @pytest.mark.parametrize("format_", FORMATS)
    def test_requests_only_consolidated_metadata(
        self,
        server: DistantServer,
        source: Callable[[str], list[str]],
        zarrscope: Run,
        format_: str,
        root: Path,
    ) -> None:
        shown = zarrscope("tree", *source(f"{format_}-all"))
        assert shown.text == zarrscope("tree", root / "bucket" / format_).text
        await_root(server, f"{format_}-all")
        assert len(server.requests) == len(AT_ROOT)

    def test_waits_for_many_answers_at_once(self, server: DistantServer, zarrscope: Run) -> None:
        server.delay_s = 0.05
        assert zarrscope("tree", f"{server.url}/bucket/v3").status == 0
        in_flight = open_store(server.url).requests_in_flight
        assert in_flight // 8 < server.most_at_once <= in_flight

    def test_looks_no_deeper_than_it_shows(self, server: DistantServer, zarrscope: Run) -> None:
        assert zarrscope("tree", f"{server.url}/bucket/v3", "--depth", "1").status == 0
        await_root(server, "v3")
        assert len(server.requests) == len(AT_ROOT) + 1 + GROUPS + 1


@pytest.mark.parametrize("format_", FORMATS)
def test_a_walk_after_the_time_limit_takes_a_listing_and_what_changed(
    server: DistantServer, format_: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """217 nodes, of which one has changed."""
    path = server.root / f"bucket/again-{format_}"
    local = zarrcore.create(path, format=format_)
    for group, number in itertools.product(range(8), range(26)):
        made = local.create_array(f"g{group}/a{number:02}", shape=(4,), dtype="u1", attributes={"n": 0})
        made[...] = 1
    later_s = [0.0]
    clock = SimpleNamespace(monotonic=lambda: time.monotonic() + later_s[0])
    for module in ("listings", "node_loader", "kept_nodes", "revalidated"):
        monkeypatch.setattr(f"zarrcore.hierarchy.{module}.time", clock)
    name = f"s3://bucket/again-{format_}"
    hierarchy = zarrcore.open_hierarchy(name, metadata_max_age_s=60, **server.s3_options)
    assert sum(1 for _ in hierarchy.walk()) == 217
    await_root(server, f"again-{format_}")
    local["g3/a07"].attributes["n"] = 1
    server.forget()
    later_s[0] = 61.0
    found = {node.path: node.attributes.get("n") for node in hierarchy.walk()}
    assert len(found) == 217
    assert [path for path, n in found.items() if n] == ["/g3/a07"]
    # Those of the root are needed before it is known that a walk begins, in v2 also .zmetadata.
    of_root, changed = {"v3": (1, "zarr.json"), "v2": (4, ".zattrs")}[format_]
    assert listings(server) == 1, "a page of it"
    assert [key for key in keys(server) if "/a07/" in key] == [f"again-{format_}/g3/a07/{changed}"]
    assert len(server.requests) == 1 + 1 + of_root


def listings(server: DistantServer) -> int:
    """The number of listings that were requested."""
    return sum("list-type" in target for _, target in server.requests)


class TestManyArrays:
    """A hierarchy of 80 small arrays, of which one has chunks."""

    def test_a_copy_lists_once_what_it_copies(
        self, server: DistantServer, zarrscope: Run, tmp_path: Path
    ) -> None:
        source = ["s3://bucket/v3", "--endpoint-url", server.url, "--region", "us-east-1", "--anonymous"]
        assert zarrscope("tree", *source).status == 0
        walked = listings(server)
        server.forget()
        server.delay_s = 0.05
        assert zarrscope("copy", source[0], tmp_path / "copy.zarr", *source[1:]).status == 0
        assert listings(server) == walked + 1
        assert server.round_trips <= 20, "not one for each array"
        np.testing.assert_array_equal(zarrcore.open_hierarchy(tmp_path / "copy.zarr")["plane"][...], PLANE)

    def test_a_copy_reads_back_only_what_the_bucket_does_not_attest(
        self, server: DistantServer, root: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def copied() -> int:
            """The number of chunks that were read back."""
            bucket = f"attested{next(NUMBERS)}"
            store = open_store(f"s3://{bucket}/inside", create=True, **server.s3_options)  # type: ignore[arg-type]
            zarrcore.copy(zarrcore.open_hierarchy(root / "bucket/v3"), store)
            np.testing.assert_array_equal(
                zarrcore.open_hierarchy(root / bucket / "inside")["plane"][...], PLANE
            )
            return sum(method == "GET" and "/c/" in target for method, target in server.requests)

        assert copied() == 0
        monkeypatch.setattr(server, "attests", False)
        assert copied() == 2 + 256
        monkeypatch.setattr(server, "attests", True)
        monkeypatch.setattr(server, "received", lambda body: body[:-1] + b"-" if len(body) < 400 else body)
        with pytest.raises(BrokenBodyError, match="does not read back as it was written"):
            copied()

    def test_small_arrays_are_checked_together(self, server: DistantServer) -> None:
        hierarchy = zarrcore.open_hierarchy("s3://bucket/v3", **server.s3_options)
        server.delay_s = 0.05
        found = [finding.path for finding in check(hierarchy)]
        assert found == sorted(found), "in the order of the walk"
        assert f"/g{GROUPS - 1}/a{ARRAYS - 1:02}" in found, "an array without chunks"
        assert server.round_trips <= NODES, "not two for each array"


class TestOpening:
    @pytest.mark.parametrize(("format_", "count"), [("v3", 1), ("v2", 3)])
    def test_an_array(self, server: DistantServer, format_: str, count: int) -> None:
        hierarchy = zarrcore.open_hierarchy(f"{server.url}/bucket/{format_}")
        assert hierarchy["g3/a07"].attributes == {"n": 7}
        await_root(server, format_)
        await_requests(server, len(AT_ROOT) + count)
        server.forget()
        assert hierarchy["g3/a07"].shape == (4,)
        assert server.requests == []

    def test_an_array_of_consolidated_metadata(self, server: DistantServer) -> None:
        hierarchy = zarrcore.open_hierarchy("s3://bucket/v3-all", **server.s3_options)
        assert hierarchy["g3/a07"].attributes == {"n": 7}
        assert [node.path for node in hierarchy["g3"].children()][:2] == ["/g3/a00", "/g3/a01"]
        await_root(server, "v3-all")
        assert len(server.requests) == len(AT_ROOT)

    @pytest.mark.parametrize("format_", FORMATS)
    def test_takes_one_round_trip(self, server: DistantServer, format_: str) -> None:
        server.delay_s, server.in_waves = 0.5, True
        zarrcore.open_hierarchy(f"{server.url}/bucket/{format_}-all")["g3/a07"]
        await_root(server, f"{format_}-all")
        assert server.most_at_once == len(AT_ROOT) == len(server.requests)

    def test_the_coordinates_of_a_dataset_take_one_round_trip(self, server: DistantServer) -> None:
        xarray = pytest.importorskip("xarray")
        coordinates = {name: np.arange(4.0) for name in ("time", "lat", "lon")}
        coordinates["time"] = np.datetime64("2020-01-01", "ns") + np.arange(4) * np.timedelta64(1, "D")
        dataset = xarray.Dataset({"t": (("time", "lat", "lon"), np.zeros((4, 4, 4)))}, coordinates)
        dataset.to_zarr(server.root / "bucket/dataset", zarr_format=2, consolidated=True)
        server.delay_s, server.in_waves = 0.5, True
        found = xarray.open_dataset(
            "s3://bucket/dataset", engine="zarrscope", storage_options=server.s3_options
        )
        await_requests(server, len(AT_ROOT) + 3)
        assert server.round_trips == 2
        xarray.testing.assert_identical(found[["time", "lat", "lon"]], dataset[["time", "lat", "lon"]])
        found["lat"].to_numpy()
        assert len(server.requests) == len(AT_ROOT) + 3

    def test_a_version_of_an_icechunk_repository(self, server: DistantServer) -> None:
        """The documents of all formats; those of old ones and of the kinds of folders; then icechunk's: three to open the
        repository, the branch, the snapshot."""
        icechunk = pytest.importorskip("icechunk")
        zarr = pytest.importorskip("zarr")
        place = str(server.root / "bucket/icechunk")
        session = icechunk.Repository.create(icechunk.local_filesystem_storage(place)).writable_session(
            "main"
        )
        zarr.create_group(session.store).create_array("x", shape=(4,), dtype="u1")
        session.commit("first")
        server.delay_s, server.in_waves = 0.5, True
        assert zarrcore.open_hierarchy("s3://bucket/icechunk", **server.s3_options)["x"].shape == (4,)
        assert server.round_trips <= 6

    def test_makes_the_clients_that_it_needs_once(
        self, server: DistantServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Each client reads the certificates that it trusts, and has connections of its own."""
        made = []

        def reader(*arguments: Any) -> Reader:
            made.append("reader")
            time.sleep(0.1)  # while other threads ask for it
            return Reader(*arguments)

        monkeypatch.setattr("zarrcore.stores.object.listed_store.Reader", reader)
        monkeypatch.setattr(S3Store, "_make_client", lambda *_: made.append("obstore"))
        zarrcore.open_hierarchy("s3://bucket/v3", **server.s3_options)["plane"]
        await_root(server, "v3")
        assert made == ["reader"]

    def test_values_are_sent_by_one_client(
        self, server: DistantServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        made, make = [], S3Store._make_client

        def client(*arguments: Any) -> Any:
            made.append("client")
            time.sleep(0.1)
            return make(*arguments)

        monkeypatch.setattr(S3Store, "_make_client", client)
        (server.root / "bucket/sent").mkdir()
        store: Any = open_store("s3://bucket/sent", create=True, **server.s3_options)
        with ThreadPoolExecutor(8) as threads:
            list(threads.map(lambda number: store.set(f"{number}", b"-"), range(8)))
        assert made == ["client"] * 2, "one that reads, one that sends"


class TestCreating:
    """Each answer is delayed, so that requests at once count as one round trip."""

    place: str
    """The folder of the test in the bucket. Requests of an earlier test may arrive late."""

    @pytest.fixture
    def make(self, server: DistantServer) -> Iterator[Callable[..., zarrcore.Hierarchy]]:
        """Makes or opens a hierarchy in a new bucket whose store has been used, with counts from then on."""
        server.delay_s, server.in_waves = 0.5, True
        self.place = f"new{next(NUMBERS)}"
        folder = server.root / "bucket" / self.place

        def make(mode: Any = "w-", format_: str | None = None, **options: Any) -> zarrcore.Hierarchy:
            folder.mkdir(exist_ok=True)
            store = open_store(f"s3://bucket/{self.place}", create=True, **server.s3_options)  # type: ignore[arg-type]
            store.get("used")
            writable(store).erase("used")  # what is imported to send takes longer than a wave
            server.forget()
            return zarrcore.open_hierarchy(store, mode, format_, **options)

        yield make
        shutil.rmtree(folder, ignore_errors=True)

    def requests(self, server: DistantServer) -> tuple[list[str], list[str], list[str]]:
        """The keys that were requested and the prefixes that were listed, sorted, and the keys that were stored, in order."""
        got, put = (
            [
                target.removeprefix(f"/bucket/{self.place}/")
                for method, target in server.requests
                if method == wanted and "?" not in target and target.startswith(f"/bucket/{self.place}/")
            ]
            for wanted in ("GET", "PUT")
        )
        queries = (parse_qs(target.partition("?")[2]) for _, target in server.requests if "?" in target)
        place = f"{self.place}/"
        prefixes = [
            query["prefix"][0].removeprefix(place)
            for query in queries
            if query["prefix"][0].startswith(place)
        ]
        return sorted(got), sorted(prefixes), put

    @pytest.mark.parametrize(
        ("format_", "document"), [("v3", "zarr.json"), ("v2", ".zgroup"), ("n5", "attributes.json")]
    )
    @pytest.mark.parametrize("mode", ["w-", "w"])
    def test_a_hierarchy_takes_a_look_and_a_document(
        self,
        server: DistantServer,
        make: Callable[..., zarrcore.Hierarchy],
        mode: str,
        format_: str,
        document: str,
    ) -> None:
        make(mode, format_)
        await_root(server, self.place, is_new=True)
        assert self.requests(server) == (sorted(AT_ROOT + OLD), [""], [document])
        assert server.round_trips <= 2

    def test_a_hierarchy_unless_there_is_one(
        self, server: DistantServer, make: Callable[..., zarrcore.Hierarchy]
    ) -> None:
        make("a")
        await_root(server, self.place, is_new=True)
        assert self.requests(server) == (sorted(AT_ROOT + OLD), [""], ["zarr.json"])
        assert server.round_trips <= 3, "it lists only if there are no documents"
        make("a")
        await_root(server, self.place, is_new=True)
        assert self.requests(server) == (sorted(AT_ROOT + OLD), [], [])
        assert server.round_trips == 1
        make("r+")
        await_root(server, self.place)
        assert self.requests(server) == (sorted(AT_ROOT), [], [])
        assert server.round_trips == 1

    @pytest.mark.parametrize(
        ("format_", "documents", "group", "array"),
        [
            ("v3", ["zarr.json"], "zarr.json", "zarr.json"),
            ("v2", [".zarray", ".zattrs", ".zgroup"], ".zgroup", ".zarray"),
            ("n5", ["attributes.json"], "attributes.json", "attributes.json"),
        ],
    )
    def test_nodes(
        self,
        server: DistantServer,
        make: Callable[..., zarrcore.Hierarchy],
        format_: str,
        documents: list[str],
        group: str,
        array: str,
    ) -> None:
        hierarchy = make("w-", format_)
        await_root(server, self.place, is_new=True)
        copy = [".zmetadata"] if format_ == "v2" else []

        def looked(*paths: str) -> list[str]:
            return sorted([*copy, *(path + name for path in ("", *paths) for name in documents)])

        server.forget()
        hierarchy.create_array("x", shape=(4,), dtype="u1")
        assert self.requests(server) == (looked("x/"), ["x/"], [f"x/{array}"])
        assert server.round_trips <= 2
        server.forget()
        hierarchy.create_array("a/b/x", shape=(4,), dtype="u1")
        got, listed, stored = self.requests(server)
        assert (got, listed) == (looked("a/", "a/b/", "a/b/x/"), ["a/b/x/"])
        assert sorted(stored[:2]) == sorted([f"a/{group}", f"a/b/{group}"])
        assert stored[2:] == [f"a/b/x/{array}"], "after the groups above"
        assert server.round_trips <= 3
        server.forget()
        hierarchy.create_group("a/c")
        assert self.requests(server) == (looked("a/", "a/c/"), [], [f"a/c/{group}"])
        assert server.round_trips <= 2
        assert sorted(node.path for node in hierarchy.walk()) == ["/", "/a", "/a/b", "/a/b/x", "/a/c", "/x"]

    def test_a_node_is_decided_on_what_is_stored_now(
        self, server: DistantServer, make: Callable[..., zarrcore.Hierarchy]
    ) -> None:
        hierarchy = make()
        hierarchy.create_group("g")
        assert hierarchy["g"].kind == "group"
        other = make("r+")
        other.create_array("x", shape=(4,), dtype="u1")
        document = (server.root / "bucket" / self.place / "x/zarr.json").read_bytes()
        (server.root / "bucket" / self.place / "g/zarr.json").write_bytes(document)
        for path, reason in (
            ("x", "already exists, as an array"),
            ("g/y", "is an array: /g/y cannot be below it"),
        ):
            with pytest.raises(zarrcore.NodeExistsError, match=reason):
                hierarchy.create_group(path)

    def test_a_copy_looks_at_its_place_at_once(
        self, server: DistantServer, make: Callable[..., zarrcore.Hierarchy], root: Path
    ) -> None:
        plan: Any = SimpleNamespace(fingerprint="1", source_url="here")
        (server.root / "bucket" / self.place).mkdir()
        store = open_store(f"s3://bucket/{self.place}", **server.s3_options)  # type: ignore[arg-type]
        server.delay_s, server.in_waves = 0.5, True
        assert not prepare(plan, open_store(root / "bucket/v3"), store, overwrite=False)
        await_root(server, self.place, is_new=True)
        got, listed, stored = self.requests(server)
        assert (got, listed, stored) == (sorted([MARKER_KEY, *AT_ROOT, *OLD]), [""], [])
        assert server.round_trips <= 3


class TestReading:
    @pytest.mark.parametrize("format_", FORMATS)
    def test_a_plane_requests_its_chunks(self, server: DistantServer, format_: str) -> None:
        array: Any = zarrcore.open_hierarchy(f"{server.url}/bucket/{format_}")["plane"]
        await_root(server, format_)
        server.forget()
        server.delay_s = 0.05
        np.testing.assert_array_equal(array[2], PLANE[2])
        chunks = [key for key in keys(server) if not key.endswith("/.zgroup")]  # which may arrive late
        assert len(set(chunks)) == len(chunks) == 64
        assert server.most_at_once > array.store.requests_in_flight // 8

    def test_a_sharded_plane_requests_indices_and_inner_chunks(
        self, server: DistantServer, root: Path
    ) -> None:
        array: Any = zarrcore.open_hierarchy(f"{server.url}/bucket/shards")["plane"]
        local: Any = zarrcore.open_hierarchy(root / "bucket/shards")["plane"]
        await_root(server, "shards")
        server.forget()
        np.testing.assert_array_equal(array[10], local[10])
        assert len(keys(server)) == 2 * 4, "an index and a run of inner chunks for each shard"
        stored = sum(
            file.stat().st_size for file in (root / "bucket/shards/plane/c").rglob("*") if file.is_file()
        )
        inner = stored / (4 * 32)
        assert server.sent < 4 * (4 * 1.05 * inner + 16 * 32 + 4), "four of the 32 inner chunks of each"

    def test_a_sharded_element_requests_an_index_and_an_inner_chunk(self, server: DistantServer) -> None:
        array: Any = zarrcore.open_hierarchy(
            f"{server.url}/bucket/shards", chunk_cache=zarrcore.ChunkCache(1 << 24)
        )["plane"]
        await_root(server, "shards")
        server.forget()
        element = array[5, 100, 200]
        assert len(server.requests) == 2
        assert array[5, 100, 200] == element
        assert len(server.requests) == 2
        _ = array[50, 100, 200]
        assert len(server.requests) == 3, "the index is kept"


class TestConsolidatedMetadata:
    def test_are_used_for_remote_stores_only(self, tmp_path: Path, server: DistantServer) -> None:
        root = server.root / "bucket/stale"
        hierarchy = zarrcore.create(root)
        hierarchy.create_array("x", shape=(4,), dtype="u1")
        hierarchy.consolidate()
        document = (root / "x/zarr.json").read_bytes()
        (root / "x/zarr.json").write_bytes(document.replace(b"4", b"6", 1))
        (root / "later").mkdir()
        (root / "later/zarr.json").write_bytes(document)
        remote = zarrcore.open_hierarchy(f"{server.url}/bucket/stale")
        assert zarrcore.open_hierarchy(root)["x"].shape == (6,)
        assert remote["x"].shape == (4,)
        assert [node.path for node in remote.walk()] == ["/", "/x"]
        assert remote["later"].shape == (4,), "what they do not tell of is asked for itself"
        own = zarrcore.open_hierarchy(f"{server.url}/bucket/stale", believe_consolidated=False)
        assert own["x"].shape == (6,)
        assert [node.path for node in own.walk()] == ["/", "/later", "/x"]
        stale = [finding.path for finding in check(remote) if finding.what == "stale-consolidated"]
        assert stale == ["/later", "/x"]

    def test_nodes_are_as_old_as_the_consolidated_metadata(
        self, server: DistantServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        now_s = [0.0]
        for module in ("collections.collection", "listings", "node_loader", "kept_nodes"):
            monkeypatch.setattr(
                f"zarrcore.hierarchy.{module}.time", SimpleNamespace(monotonic=lambda: now_s[0])
            )
        hierarchy = zarrcore.open_hierarchy(f"{server.url}/bucket/v3-all", metadata_max_age_s=60)
        assert hierarchy["g0/a00"].shape == (4,)
        await_root(server, "v3-all")
        server.forget()
        now_s[0] = 50.0
        assert hierarchy["g0/a01"].shape == (4,)
        assert server.requests == []
        now_s[0] = 70.0
        assert hierarchy["g0/a01"].shape == (4,)
        assert keys(server) == ["v3-all/zarr.json"], "what is known of it is older than 60 s"

    def test_are_not_used_if_broken(self, server: DistantServer) -> None:
        root = server.root / "bucket/broken"
        zarrcore.create(root, format="v2").create_array("x", shape=(4,), dtype="u1")
        (root / ".zmetadata").write_bytes(b"no JSON")
        assert [node.path for node in zarrcore.open_hierarchy(f"{server.url}/bucket/broken").walk()] == [
            "/",
            "/x",
        ]


class TestKeys:
    def test_listing_streams(self, server: DistantServer) -> None:
        folder = server.root / "bucket/many"
        folder.mkdir()
        for number in range(2500):
            (folder / f"{number:05}").touch()
        (folder / "00000").write_bytes(b"-")
        store: Any = open_store("s3://bucket/many", **server.s3_options)
        entries = store.list_prefix("")
        assert next(entries).key == "00000"
        assert len(server.requests) == 1
        assert sum(1 for _ in entries) == 2499
        assert len(server.requests) == 3

    def test_are_printed_as_they_are_listed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        class Many(MemoryStore):
            def list_dir(self, prefix: str) -> Iterator[StoreEntry]:
                return (StoreEntry(f"{number:07}", 1) for number in range(100_000))

        monkeypatch.setattr("zarrcore.cli.ls.source_store", lambda namespace: Many())
        with open(os.devnull, "w", encoding="utf-8") as nowhere:
            monkeypatch.setattr("sys.stdout", nowhere)
            tracemalloc.start()
            try:
                assert main(["ls", "memory://many"]) == 0
                _, peak = tracemalloc.get_traced_memory()
            finally:
                tracemalloc.stop()
        assert peak < 4 << 20, "not even the names"

    def test_a_store_that_cannot_list(self, server: DistantServer, zarrscope: Run) -> None:
        server.lists = False
        told = zarrscope("ls", f"{server.url}/bucket/v3")
        assert told.status == 1
        assert "shows no directory listings" in told.stderr
        told = zarrscope("tree", f"{server.url}/bucket/v3")
        assert told.status == 1
        assert "cannot be listed and has no consolidated metadata: name the path of a node" in told.stderr
        assert zarrscope("tree", f"{server.url}/bucket/v3-all").status == 0
