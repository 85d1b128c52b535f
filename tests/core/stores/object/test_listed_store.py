"""Listings that break off, and that obstore can make although our own requests fail."""

from __future__ import annotations

import re

import pytest

from tests.any_store import open_store
from tests.core.stores.object.test_listing import page
from tests.memory import forget_peak, peak_nbytes
from tests.servers import FaultServer
from tests.servers.hostile import hostile_server
from tests.waiting import recorded_pauses
from zarrcore.errors import StoreError


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses before repeats, which take no time."""
    return recorded_pauses(monkeypatch)


def test_a_listing_that_breaks_off_continues_after_the_last_key(
    faults: FaultServer, options: dict[str, object], pauses: list[float]
) -> None:
    names = [f"c/{number:04}" for number in range(2500)]
    failures = iter([503, "reset"])

    class Pages(dict[str, bytes]):
        def __getitem__(self, key: str) -> bytes:
            target = faults.requests[-1][1]
            token = re.search(r"continuation-token=(\d+)", target)
            after = re.search(r"start-after=c%2F(\d+)", target)
            start = int(token[1]) if token else int(after[1]) + 1 if after else 0
            stop = min(start + 1000, len(names))
            return page(names[start:stop], str(stop) if stop < len(names) else "")

    class Faults(dict[str, object]):
        def get(self, key: str, default: object = None) -> object:  # type: ignore[override]
            return next(failures, None) if "continuation-token" in faults.requests[-1][1] else None

    faults.values = Pages(bucket=b"")
    faults.faults = Faults()  # type: ignore[assignment]
    store = open_store("s3://bucket", anonymous=True, **{**options, "retries": 5})
    assert [entry.key for entry in store.list_prefix("c/")] == names
    assert len(pauses) == 2


def test_a_service_that_ignores_levels_is_listed_by_level(
    faults: FaultServer, options: dict[str, object]
) -> None:
    faults.values = {"bucket": page(["a/b/zarr.json", "a/c", "b"])}
    store = open_store("s3://bucket", anonymous=True, **options)
    assert [entry.key for entry in store.list_dir("")] == ["a/", "b"]
    assert [entry.key for entry in store.list_dir("a/")] == ["a/b/", "a/c"]


def test_a_page_without_end_takes_no_more_memory_than_a_page(options: dict[str, object]) -> None:
    """obstore would read it whole."""
    with hostile_server({}) as server:
        where = {**options, "endpoint_url": f"{server.url}/endless-document/h.zarr/a", "retries": 0}
        store = open_store("s3://bucket", anonymous=True, **where)
        before = forget_peak()
        with pytest.raises(StoreError, match="a page that is too large"):
            list(store.list())
        assert peak_nbytes() - before < 100 << 20
