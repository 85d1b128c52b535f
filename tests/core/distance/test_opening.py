"""Requests to open a hierarchy, an array or a folder."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import zarrcore
from tests.core.distance.asked import AT_ROOT, FORMATS, await_requests, await_root
from tests.servers.distant import DistantServer
from zarrcore.stores import open_store
from zarrcore.stores.connection.reader import Reader
from zarrcore.stores.object.s3 import S3Store


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
