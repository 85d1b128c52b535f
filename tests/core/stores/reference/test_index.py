"""Many references in little memory."""

from __future__ import annotations

import tracemalloc

import pytest

from zarrcore.stores.reference import index as module
from zarrcore.stores.reference.index import Reference, ReferenceIndex, TooManyError


def test_chunks_take_few_bytes_each() -> None:
    count = 50_000
    tracemalloc.start()
    index = ReferenceIndex()
    for start in range(0, count, 10_000):
        index.add_chunks(
            ("a/", f"{n // 100}.{n % 100}", f"f{n // 1000}", str(n * 5000), "4000")
            for n in range(start, start + 10_000)
        )
    index.finish()
    kept = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert len(index) == count
    assert index.find("a/499.99") == Reference("f49", (count - 1) * 5000, 4000)
    assert kept < 30 * count


def test_nested_keys_are_listed_folder_by_folder() -> None:
    index = ReferenceIndex()
    for key in ("a/0/0", "a/0/10", "a/2/1", "a/b/0.0", "c"):
        index.add(key, Reference("x", 0, 5))
    index.add("a/zarr.json", b"{}")
    index.finish()

    def names(prefix: str) -> list[str]:
        return sorted(entry.key for entry in index.list_dir(prefix))

    assert names("") == ["a/", "c"]
    assert names("a/") == ["a/0/", "a/2/", "a/b/", "a/zarr.json"]
    assert names("a/0/") == ["a/0/0", "a/0/10"]
    assert names("a/1/") == names("a/2/1/") == names("a/9/") == names("x/") == []


def test_only_numbers_are_first_indices_of_chunks() -> None:
    index = ReferenceIndex()
    for key in ("a/0/0/0", "a//0/1", "a/0.1/x", "a/0/zarr.json"):
        index.add(key, Reference("x", 0, 5))
    index.finish()

    def keys(prefix: str) -> list[str]:
        entries = list(index.list_dir(prefix))
        below = [key for entry in entries if entry.is_prefix for key in keys(entry.key)]
        return sorted([entry.key for entry in entries if not entry.is_prefix] + below)

    assert keys("") == sorted(("a/0/0/0", "a//0/1", "a/0.1/x", "a/0/zarr.json"))
    assert keys("a/0.1/") == ["a/0.1/x"]
    assert keys("a//") == keys("a//0/") == ["a//0/1"]


@pytest.mark.parametrize(
    ("limit", "value"),
    [("MAX_REFERENCES", 3), ("MAX_ODD_KEYS", 3), ("MAX_INLINE_NBYTES", 5), ("MAX_URL_NBYTES", 100)],
)
def test_too_many_are_refused(monkeypatch: pytest.MonkeyPatch, limit: str, value: int) -> None:
    monkeypatch.setattr(module, limit, value)
    index = ReferenceIndex()

    def fill() -> None:
        for number in range(9):
            index.add(f"a/{number}", Reference(f"x{number}", 0, None))
            index.add(f"a/b{number}", b"12")

    with pytest.raises(TooManyError):
        fill()
