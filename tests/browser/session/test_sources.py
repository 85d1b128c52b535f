"""Typed addresses, and recent sources."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import h5py
import pytest

from tests.core.conventions.nexus.files import opened as nexus_file
from zarrbrowser.session.connection import Connection
from zarrbrowser.session.sources import RecentSources, SourceRequest, open_source
from zarrcore.errors import ZarrError


def test_typed_addresses_are_parsed_and_recent_ones_kept() -> None:
    assert SourceRequest.typed("file:///data/a%20b.zarr").address == "/data/a b.zarr"
    assert SourceRequest.typed("/data/x.zarr#/raw/0/").path == "/raw/0"
    assert not SourceRequest.typed("~/x").address.startswith("~")
    recent = RecentSources()
    for number in [*range(20), 5]:
        recent.add(SourceRequest(str(number)))
    assert recent.addresses[0] == "5"
    assert len(recent.addresses) == len(set(recent.addresses)) == 12


@pytest.mark.parametrize("text", ["~\0/a", "file://[", "file://a]/b#/c", "file:///%00", "\udc80"])
def test_typed_text_that_is_no_address_is_only_refused_when_it_is_opened(text: str) -> None:
    request = SourceRequest.typed(text)
    assert request.place
    with pytest.raises(ZarrError):
        open_source(request)


def test_a_typed_address_uses_the_options_of_last_time() -> None:
    recent, connection = RecentSources(), Connection(anonymous=True)
    recent.add(SourceRequest("s3://bucket/a.zarr", format="v2", options=connection))
    assert recent.known(SourceRequest("s3://bucket/a.zarr/", "/x")) == SourceRequest(
        "s3://bucket/a.zarr/", "/x", "v2", connection
    )
    other = SourceRequest("s3://bucket/a.zarr", options=Connection(region="x"))
    assert recent.known(other) is other
    assert recent.known(SourceRequest("s3://bucket/b.zarr")).options is None


@pytest.mark.parametrize("address", ["memory://", "s3://bucket"])
def test_the_first_opening_imports_nothing_more(address: str) -> None:
    code = f"""
import sys
from zarrbrowser.session.sources import load_stores
load_stores()
loaded = set(sys.modules)
import zarrcore
from zarrcore.conventions import recognise
from zarrcore.stores import StatisticsStore
StatisticsStore(zarrcore.open_store({address!r}, anonymous=True, region="us-east-1"))
print(*sorted(set(sys.modules) - loaded))
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.strip() == ""


@pytest.mark.parametrize(
    ("default", "path", "expected"),
    [
        ("entry", "/", "/entry/data/counts"),
        ("entry", "/entry", ""),
        ("nothing", "/", ""),
        ("entry/broken", "/", ""),
    ],
)
def test_what_the_root_names_is_shown_first(tmp_path: Path, default: str, path: str, expected: str) -> None:
    nexus_file(tmp_path / "a.nxs", {"signal": "counts"}, counts=(3, 4)).close()
    with h5py.File(tmp_path / "a.nxs", "a") as file:
        file.attrs["default"] = default
        broken = file["entry"].create_group("broken")
        broken.attrs.update({"NX_class": "NXdata", "signal": "link"})
        broken["link"] = h5py.SoftLink("/nowhere")
    source = open_source(SourceRequest(str(tmp_path / "a.nxs"), path))
    assert source.first == expected
