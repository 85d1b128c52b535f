"""Values that are parts of values of other stores."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarrcore.errors import BodyTooLargeError, BrokenReferenceError
from zarrcore.stores import ByteRange, BytesLike, MemoryStore, ReadableStore, StoreEntry
from zarrcore.stores.virtual.store import Part, VirtualStore

WHOLE = bytes(range(200))


class Shown(VirtualStore):
    """Some values in memory, others in parts of one value."""

    presents = "test file"

    def __init__(self, source: ReadableStore, values: dict[str, bytes | Part]) -> None:
        super().__init__(source, "file", "memory://file")
        self.values = values

    def find(self, key: str) -> BytesLike | Part | None:
        return self.values.get(key)

    def list_dir(self, prefix: str) -> Iterator[StoreEntry]:
        names = {key[len(prefix) :].partition("/")[:2] for key in self.values if key.startswith(prefix)}
        return (StoreEntry(prefix + "".join(name)) for name in sorted(names))


def shown(**values: bytes | tuple[int, int | None]) -> Shown:
    source = MemoryStore(values={"file": WHOLE})
    return Shown(
        source,
        {
            key.replace("_", "/"): value if isinstance(value, bytes) else Part(source, "file", *value)
            for key, value in values.items()
        },
    )


@given(
    st.integers(0, 200),
    st.integers(0, 200),
    st.none() | st.tuples(st.integers(-210, 210), st.none() | st.integers(0, 210)),
)
def test_ranges_of_a_part_are_those_of_its_bytes(start: int, nbytes: int, wanted: tuple | None) -> None:
    stop = min(200, start + nbytes)
    store = shown(part=(start, stop - start))
    expected = MemoryStore(values={"part": WHOLE[start:stop]})
    byte_range = None if wanted is None else ByteRange(*wanted)
    assert store.get("part", byte_range) == expected.get("part", byte_range)
    buffer = memoryview(bytearray(210))
    found = store.get_into("part", buffer, byte_range)
    assert buffer[:found] == expected.get("part", byte_range)


@given(st.integers(0, 9), st.integers(0, 9), st.none() | st.tuples(st.integers(-20, 20), st.integers(0, 20)))
def test_zeros_follow_a_part(nbytes: int, zeros: int, wanted: tuple | None) -> None:
    store = shown()
    store.values["part"] = Part(store.source, "file", 10, nbytes, zeros)
    expected = MemoryStore(values={"part": WHOLE[10 : 10 + nbytes] + bytes(zeros)})
    byte_range = None if wanted is None else ByteRange(*wanted)
    assert store.get("part", byte_range) == expected.get("part", byte_range)
    buffer = memoryview(bytearray(b"x" * 20))
    assert buffer[: store.get_into("part", buffer, byte_range)] == expected.get("part", byte_range)
    assert store.stat("part").size == nbytes + zeros
    with pytest.raises(BodyTooLargeError):
        store.get("part", max_nbytes=nbytes + zeros - 1)


def test_a_part_without_a_length_ends_with_the_value() -> None:
    store = shown(part=(150, None))
    assert store.get("part") == WHOLE[150:]
    assert store.stat("part").size == 50


@pytest.mark.parametrize("part", [(190, 20), (300, None)])
def test_a_part_beyond_the_end_is_an_error_and_never_absent(part: tuple[int, int | None]) -> None:
    store = shown(part=part)
    with pytest.raises(
        BrokenReferenceError, match=r"part of memory://file is at the bytes .* ends at byte 200"
    ):
        store.get("part")
    with pytest.raises(BrokenReferenceError):
        store.get_into("part", memoryview(bytearray(400)))


def test_a_part_far_beyond_the_end_does_not_tell_a_wrong_end() -> None:
    store = shown(part=(300, 20))
    for read in (
        lambda: store.get("part"),
        lambda: store.get("part", ByteRange(0, 5)),
        lambda: store.get_into("part", memoryview(bytearray(20))),
    ):
        with pytest.raises(BrokenReferenceError, match=r"which ends at byte 300 or earlier$"):
            read()


def test_a_missing_file_is_an_error_and_an_unknown_key_is_absent() -> None:
    store = shown(part=(0, 10))
    store.source.erase("file")  # type: ignore[attr-defined]
    with pytest.raises(BrokenReferenceError, match=r"file in memory://.*, which does not exist"):
        store.get("part")
    assert store.get("other") is None
    assert store.stat("other") is None


def test_values_larger_than_allowed_are_not_fetched() -> None:
    store = shown(part=(0, 100), made=b"12345")
    for key in ("part", "made"):
        with pytest.raises(BodyTooLargeError):
            store.get(key, max_nbytes=4)
    assert store.get("made", ByteRange(1, 3), max_nbytes=2) == b"23"


def test_all_keys_are_listed() -> None:
    store = shown(**{"zarr.json": b"{}", "a_zarr.json": b"{}", "a_c_0": (0, 1)})
    assert [entry.key for entry in store.list()] == ["a/c/0", "a/zarr.json", "zarr.json"]
    assert store.has_prefix("a/")
    assert not store.has_prefix("b/")
