"""Stores of other packages, found through the entry-point group ``zarrscope.stores``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import zarrcore
from tests.any_store import open_store
from tests.other_package import other_package
from zarrcore.errors import AccessDeniedError, StoreError

_MODULE = """
from zarrcore.errors import AccessDeniedError
from zarrcore.stores import ByteRange, ListableStore, ReadableStore, StoreEntry, StoreOptions

class ReversedStore(ReadableStore, ListableStore):
    def __init__(self, url: str, options: StoreOptions) -> None:
        self.url = url
        self.options = options
        self.values = {"zarr.json": b'{"zarr_format": 3, "node_type": "group"}', "a/b": b"321"}

    def get(self, key, byte_range=None, *, max_nbytes=None):
        value = self.values.get(key)
        return value if value is None or byte_range is None else value[slice(*byte_range.resolve(len(value)))]

    def list_prefix(self, prefix):
        return (StoreEntry(key) for key in self.values if key.startswith(prefix))

def refuse(url, options):
    raise AccessDeniedError("not today", url=url)

def fail(url, options):
    raise RuntimeError("bug")

def nothing(url, options):
    return 3
"""

_ENTRY_POINTS = """
[zarrscope.stores]
reversed = reversed_store:ReversedStore
refusing = reversed_store:refuse
failing = reversed_store:fail
wrong = reversed_store:nothing
missing = reversed_store:absent
memory = reversed_store:ReversedStore
"""


@pytest.fixture(autouse=True)
def _installed(tmp_path: Path) -> Iterator[None]:
    with other_package(tmp_path, {"reversed_store.py": _MODULE}, _ENTRY_POINTS):
        yield


def test_a_store_of_another_package_is_opened_by_its_scheme() -> None:
    store = open_store("REVERSED://Place/x?y=1", region="here")
    assert type(store).__name__ == "ReversedStore"
    assert store.url == "reversed://Place/x?y=1"
    assert store.options.region == "here"  # type: ignore[attr-defined] # a class that mypy does not see
    assert store.get("a/b") == b"321"
    assert [entry.key for entry in store.list_dir("")] == ["zarr.json", "a/"]
    assert store.read_only
    assert zarrcore.open("reversed://place").format is not None


def test_stores_of_zarrcore_have_precedence() -> None:
    assert type(open_store("memory://x")).__name__ == "MemoryStore"


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("failing://x", r"failing:// cannot be opened: the package that provides it fails \(RuntimeError\)"),
        (
            "missing://x",
            r"missing:// cannot be opened: the package that provides it fails \(AttributeError\)",
        ),
        (
            "wrong://x",
            "wrong:// cannot be opened: the package that provides it did not return a ReadableStore",
        ),
        ("unknown://x", "unknown store type unknown://: .*s3://.*, refusing://, reversed://"),
    ],
)
def test_failures_of_extensions_are_reported_in_one_sentence(url: str, reason: str) -> None:
    with pytest.raises(StoreError, match=reason):
        open_store(url)


def test_zarrcore_errors_of_extensions_are_passed_on() -> None:
    with pytest.raises(AccessDeniedError, match="not today"):
        open_store("refusing://x")
