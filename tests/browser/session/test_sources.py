"""Typed addresses, and recent sources."""

from __future__ import annotations

from zarrbrowser.session.sources import RecentSources, SourceRequest


def test_typed_addresses_are_parsed_and_recent_ones_kept() -> None:
    assert SourceRequest.typed("file:///data/a%20b.zarr").address == "/data/a b.zarr"
    assert SourceRequest.typed("/data/x.zarr#/raw/0/").path == "/raw/0"
    assert not SourceRequest.typed("~/x").address.startswith("~")
    recent = RecentSources()
    for number in [*range(20), 5]:
        recent.add(SourceRequest(str(number)))
    assert recent.addresses[0] == "5"
    assert len(recent.addresses) == len(set(recent.addresses)) == 12
