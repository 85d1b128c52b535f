"""The contract of every store. The tests of each kind subclass `StoreTests` and provide a filled store."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.any_store import AnyStore
from tests.campaigns import ALL
from zarrcore.errors import BodyTooLargeError, InvalidKeyError, ReadOnlyError, StoreError
from zarrcore.stores import (
    ByteRange,
    ListableStore,
    MemoryStore,
    PrefixStore,
    ReadableStore,
    ReadOnlyStore,
    Renaming,
    WritableStore,
    writable,
)

CHUNK = bytes(range(256)) * 40
ODD_KEY = "größe/日本 語/x%20y#?&+.bin"

VALUES = {
    "zarr.json": b'{"zarr_format": 3}',
    "a/zarr.json": b"{}",
    "a/c/0/0": CHUNK,
    "a/c/0/1": b"",
    "ab/x": b"1",
    ODD_KEY: b"odd",
}
"""The content of the filled store: an empty value, prefixes with a common beginning, characters of all kinds."""


class StoreTests:
    """The contract of readable and listable stores.

    A subclass, or its module, defines a fixture ``store`` with exactly `VALUES`.
    """

    path_like = True
    """Whether keys are paths or object names, which cannot contain segments such as ``..``."""
    tells_sizes = True
    """Whether listings contain sizes."""
    tells_mtime = True
    """Whether stat returns modification times."""

    @pytest.mark.parametrize("key", VALUES)
    def test_get_returns_the_whole_value(self, store: ReadableStore, key: str) -> None:
        value = store.get(key)
        assert isinstance(value, bytes | memoryview)
        assert value == VALUES[key]

    def test_changing_a_value_that_was_read_does_not_change_the_store(self, store: ReadableStore) -> None:
        for byte_range in (None, ByteRange(0, 5)):
            value = memoryview(store.get("a/zarr.json", byte_range) or b"")
            if not value.readonly:
                value[:2] = b"!!"
            assert store.get("a/zarr.json", byte_range) == VALUES["a/zarr.json"]

    @pytest.mark.sampled
    @pytest.mark.parametrize(
        "byte_range",
        [
            ByteRange(0, 10),
            ByteRange(10, 300),
            ByteRange(0),
            ByteRange(10_000),
            ByteRange(-7),
            ByteRange(-20_000),
            ByteRange(10_230, 20_000),
            ByteRange(10_240, 10_250),
            ByteRange(20_000, 20_001),
            ByteRange(20_000),
            ByteRange(5, 5),
        ],
        ids=str,
    )
    @pytest.mark.parametrize("key", ["a/c/0/0", "a/c/0/1"])
    def test_get_returns_the_part_in_the_range(
        self, store: ReadableStore, key: str, byte_range: ByteRange
    ) -> None:
        start, stop = byte_range.resolve(len(VALUES[key]))
        value = store.get(key, byte_range)
        assert value is not None
        assert bytes(value) == VALUES[key][start:stop]

    @pytest.mark.sampled
    @pytest.mark.parametrize(
        "byte_range", [None, ByteRange(2, 5), ByteRange(3), ByteRange(-3), ByteRange(4, 4)]
    )
    @pytest.mark.parametrize(
        "key", ["b", "a/c/0/2", "a/c/0", "a", "a/zarr.json/x", "zarr.jso", "A/zarr.json"]
    )
    def test_an_absent_key_is_none(
        self, store: ReadableStore, key: str, byte_range: ByteRange | None
    ) -> None:
        assert store.get(key, byte_range) is None

    @pytest.mark.parametrize(
        ("byte_range", "size"),
        [(None, 10_240), (ByteRange(5, 100), 95), (ByteRange(10_000), 240), (ByteRange(-7), 7)],
    )
    def test_a_value_larger_than_allowed_is_refused(
        self, store: ReadableStore, byte_range: ByteRange | None, size: int
    ) -> None:
        value = store.get("a/c/0/0", byte_range, max_nbytes=size)
        assert value is not None
        assert len(value) == size
        with pytest.raises(BodyTooLargeError) as caught:
            store.get("a/c/0/0", byte_range, max_nbytes=size - 1)
        assert caught.value.limit == size - 1
        assert caught.value.size >= size
        assert (caught.value.key or "").endswith("a/c/0/0")
        assert store.get("absent", byte_range, max_nbytes=0) is None
        assert store.get("a/c/0/1", byte_range, max_nbytes=0) == b""

    @pytest.mark.sampled
    @pytest.mark.parametrize(
        "byte_range",
        [None, ByteRange(10, 300), ByteRange(10_000), ByteRange(-7), ByteRange(20_000), ByteRange(5, 5)],
    )
    @pytest.mark.parametrize("key", ["a/c/0/0", "a/c/0/1"])
    def test_a_value_comes_with_its_facts(
        self, store: ReadableStore, key: str, byte_range: ByteRange | None
    ) -> None:
        found = store.get_with_stat(key, byte_range)
        assert found is not None
        assert found[0] == store.get(key, byte_range)
        assert found[1] == store.stat(key)
        assert store.get_with_stat("absent", byte_range) is None
        if len(found[0]) > 0:
            with pytest.raises(BodyTooLargeError):
                store.get_with_stat(key, byte_range, max_nbytes=len(found[0]) - 1)

    def test_get_partial_values_keeps_the_order(self, store: ReadableStore) -> None:
        asked = [("a/c/0/0", ByteRange(3, 9)), ("b", None), ("zarr.json", None), ("a/c/0/0", ByteRange(-2))]
        got = store.get_partial_values(asked)
        expected = [CHUNK[3:9], None, VALUES["zarr.json"], CHUNK[-2:]]
        assert [None if value is None else bytes(value) for value in got] == expected

    @pytest.mark.parametrize("key", VALUES)
    def test_stat_returns_size_and_time(self, store: ReadableStore, key: str) -> None:
        found = store.stat(key)
        assert found is not None
        assert found.size == len(VALUES[key])
        if self.tells_mtime:
            assert found.mtime_s is not None
            assert found.mtime_s > 3e8

    @pytest.mark.parametrize("key", ["b", "a", "a/c", "a/zarr.json/x"])
    def test_stat_of_an_absent_key_is_none(self, store: ReadableStore, key: str) -> None:
        assert store.stat(key) is None

    def test_list_returns_every_key_once(self, store: ListableStore) -> None:
        entries = list(store.list())
        assert sorted(entry.key for entry in entries) == sorted(VALUES)
        assert not any(entry.is_prefix for entry in entries)
        if self.tells_sizes:
            assert {entry.key: entry.size for entry in entries} == {key: len(VALUES[key]) for key in VALUES}

    @pytest.mark.parametrize("prefix", ["a/", "a/c/", "ab/", "größe/", "absent/", "a/absent/", "zarr.json/"])
    def test_list_prefix_returns_the_keys_beneath(self, store: ListableStore, prefix: str) -> None:
        expected = sorted(key for key in VALUES if key.startswith(prefix))
        assert sorted(entry.key for entry in store.list_prefix(prefix)) == expected

    @pytest.mark.parametrize(
        ("prefix", "expected"),
        [
            ("", ["a/", "ab/", "größe/", "zarr.json"]),
            ("a/", ["a/c/", "a/zarr.json"]),
            ("a/c/0/", ["a/c/0/0", "a/c/0/1"]),
            ("ab/", ["ab/x"]),
            ("größe/", ["größe/日本 語/"]),
            ("größe/日本 語/", [ODD_KEY]),
            ("absent/", []),
            ("a/absent/", []),
        ],
    )
    def test_list_dir_returns_keys_and_prefixes_once(
        self, store: ListableStore, prefix: str, expected: list[str]
    ) -> None:
        assert sorted(entry.key for entry in store.list_dir(prefix)) == expected

    def test_list_dir_returns_sizes_only_for_keys(self, store: ListableStore) -> None:
        sizes = {entry.key: entry.size for entry in store.list_dir("a/")}
        assert sizes["a/c/"] is None
        assert sizes["a/zarr.json"] == (2 if self.tells_sizes else None)

    def test_a_listing_can_be_stopped_early(self, store: ListableStore) -> None:
        assert next(iter(store.list_prefix("a/"))).key.startswith("a/")

    @pytest.mark.parametrize("key", ["", "a/", "/"])
    def test_an_invalid_key_is_refused(self, store: ReadableStore, key: str) -> None:
        with pytest.raises(InvalidKeyError):
            store.get(key)
        with pytest.raises(InvalidKeyError):
            store.stat(key)

    @pytest.mark.parametrize(
        "key", ["../x", "a/../zarr.json", "a/..", "..", ".", "a/./zarr.json", "/zarr.json", "a\0b"]
    )
    def test_a_key_that_leads_elsewhere_is_refused(self, store: ReadableStore, key: str) -> None:
        if not self.path_like:
            assert store.get(key) is None
            return
        with pytest.raises(InvalidKeyError):
            store.get(key)

    def test_a_prefix_ends_in_a_slash(self, store: ListableStore) -> None:
        with pytest.raises(InvalidKeyError):
            list(store.list_prefix("a"))
        with pytest.raises(InvalidKeyError):
            list(store.list_dir("a"))

    def test_it_pickles(self, store: ReadableStore) -> None:
        assert store.get("ab/x") == b"1"
        again = pickle.loads(pickle.dumps(store))
        assert again.url == store.url
        assert again.get("ab/x") == b"1"
        assert sorted(entry.key for entry in again.list_dir("a/")) == ["a/c/", "a/zarr.json"]
        again.close()

    def test_eight_threads_read_concurrently(self, store: ReadableStore) -> None:
        def read(number: int) -> bool:
            start = number % 97
            part = store.get("a/c/0/0", ByteRange(start, start + 1000))
            return part == CHUNK[start : start + 1000] and store.get("zarr.json") == VALUES["zarr.json"]

        with ThreadPoolExecutor(8) as pool:
            assert all(pool.map(read, range(80 if ALL else 24)))

    def test_closing_twice_is_harmless_and_reading_opens_again(self, store: ReadableStore) -> None:
        store.close()
        store.close()
        assert store.get("ab/x") == b"1"


class ReadOnlyStoreTests:
    """The contract of read-only stores; ``store`` contains `VALUES`, as in `StoreTests`."""

    def test_every_write_is_refused_in_one_sentence(self, store: ReadableStore) -> None:
        assert store.read_only
        if not isinstance(store, WritableStore):
            return
        for write in (
            lambda: store.set("a/x", b"1"),
            lambda: store.set("zarr.json", b"1", if_absent=True),
            lambda: store.set_attested("zarr.json", b"1"),
            lambda: store.set_partial_values([("zarr.json", 0, b"1")]),
            lambda: store.set_file("a/x", 0),
            lambda: store.rename("zarr.json", "a/x"),
            lambda: store.link("zarr.json", "a/x"),
            lambda: store.clone(store, "zarr.json", "a/x"),
            lambda: store.erase("zarr.json"),
            lambda: store.erase("absent"),
            lambda: store.erase_values(["zarr.json"]),
            lambda: store.erase_prefix("a/"),
            lambda: store.erase_prefix(""),
            lambda: writable(store),
        ):
            with pytest.raises(ReadOnlyError, match=" cannot be written: ") as caught:
                write()
            assert "\n" not in str(caught.value)
        assert store.get("zarr.json") == VALUES["zarr.json"]


class WritableStoreTests:
    """The contract of writable stores; the fixture ``empty`` is a new store without keys."""

    writers_of_one_key = 4
    """Threads that set and read one key concurrently."""

    rounds = 200
    """The number of concurrent writes and erases."""

    def test_a_stored_value_is_read_back(self, empty: AnyStore) -> None:
        empty.set("a/b/c", b"one")
        empty.set("a/b/c", memoryview(b"two!"))
        assert empty.get("a/b/c") == b"two!"
        assert [entry.key for entry in empty.list()] == ["a/b/c"]

    def test_changing_the_buffer_later_does_not_change_the_stored_value(self, empty: AnyStore) -> None:
        buffer = bytearray(b"one")
        empty.set("a", memoryview(buffer))
        assert empty.get("a") == b"one"
        buffer[:] = b"two"
        assert empty.get("a") == b"one"

    def test_the_etag_changes_with_the_value(self, empty: AnyStore) -> None:
        empty.set("a", b"one")
        first = empty.stat("a").etag
        empty.set("a", b"two")
        assert first != empty.stat("a").etag

    def test_an_erased_key_is_absent(self, empty: AnyStore) -> None:
        empty.set("a/b", b"1")
        empty.set("a/c/d", b"2")
        empty.erase("a/b")
        empty.erase("a/b")
        empty.erase("nothing/here")
        assert empty.get("a/b") is None
        assert [entry.key for entry in empty.list()] == ["a/c/d"]
        empty.erase_values(["a/c/d", "x"])
        assert list(empty.list_dir("")) == []

    def test_a_prefix_is_erased_as_a_whole_segment(self, empty: AnyStore) -> None:
        for key in ("a/b", "a/c/d", "ab/x"):
            empty.set(key, b"1")
        empty.erase_prefix("a/")
        assert [entry.key for entry in empty.list()] == ["ab/x"]
        empty.erase_prefix("")
        assert list(empty.list()) == []

    def test_readers_see_the_old_or_the_new_value(self, empty: AnyStore) -> None:
        whole = {bytes([number]) * 100_000 for number in range(20)}
        empty.set("a/x", b"\0" * 100_000)

        def write(value: bytes) -> bool:
            empty.set("a/x", value)
            return bytes(empty.get("a/x")) in whole

        with ThreadPoolExecutor(self.writers_of_one_key) as pool:
            assert all(pool.map(write, sorted(whole)))

    def test_writers_and_erasers_of_one_prefix_do_not_disturb_each_other(self, empty: AnyStore) -> None:
        def work(number: int) -> None:
            empty.set(f"a/b/{number}", b"1")
            empty.erase(f"a/b/{number}")

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(work, range(self.rounds)))
        assert list(empty.list()) == []

    @pytest.mark.parametrize("key", ["", "a/"])
    def test_an_invalid_key_is_refused(self, empty: AnyStore, key: str) -> None:
        with pytest.raises(InvalidKeyError):
            empty.set(key, b"")
        with pytest.raises(InvalidKeyError):
            empty.erase(key)

    def test_a_writable_store_is_not_read_only(self, empty: AnyStore) -> None:
        assert not empty.read_only
        assert writable(empty) is empty

    def test_set_returns_whether_it_stored(self, empty: AnyStore) -> None:
        assert empty.set("a/x", b"1") is True
        assert empty.set("a/x", b"2") is True
        assert empty.set("a/x", b"3", if_absent=True) is False
        assert empty.get("a/x") == b"2"
        assert empty.set("a/y", b"4", if_absent=True) is True
        assert empty.get("a/y") == b"4"
        empty.erase("a/y")
        assert empty.set("a/y", b"5", if_absent=True) is True
        assert empty.get("a/y") == b"5"

    def test_an_attested_value_is_stored_like_others(self, empty: AnyStore) -> None:
        empty.set("a/x", b"1")
        assert empty.get("a/x") == b"1"
        empty.set_attested("a/x", memoryview(bytearray(b"23")))
        assert empty.get("a/x") == b"23"

    def test_one_of_several_writers_finds_the_key_absent(self, empty: AnyStore) -> None:
        with ThreadPoolExecutor(8) as pool:
            stored = list(pool.map(lambda n: empty.set("a/x", b"%d" % n, if_absent=True), range(8)))
        assert stored.count(True) == 1
        assert empty.get("a/x") == b"%d" % stored.index(True)

    def test_a_value_is_replaced_only_as_it_was_seen(self, empty: AnyStore) -> None:
        empty.set("a/x", b"1")
        seen = empty.stat("a/x")
        assert seen is not None
        assert empty.replace("a/x", b"22", seen) is True
        assert empty.replace("a/x", b"333", seen) is False
        assert bytes(empty.get("a/x")) == b"22"
        assert empty.replace("a/y", b"1", seen) is False
        assert empty.get("a/y") is None

    @pytest.mark.parametrize("size", [0, 1, 100_000])
    def test_values_of_all_sizes_read_back(self, empty: AnyStore, size: int) -> None:
        value = (CHUNK * 10)[:size]
        for number, given in enumerate((value, memoryview(value), memoryview(bytearray(value)))):
            empty.set(f"a/{number}", given)
            assert empty.get(f"a/{number}") == value
            assert empty.stat(f"a/{number}").size == size
        assert {entry.size for entry in empty.list_dir("a/")} == {size}

    @pytest.mark.parametrize("size", [0, 100_000, 9_000_000])
    def test_the_bytes_of_a_file_read_back(self, empty: AnyStore, size: int, tmp_path: Path) -> None:
        value = (CHUNK * (size // len(CHUNK) + 1))[:size]
        with open(tmp_path / "file", "w+b") as file:
            file.write(value)
            file.flush()
            assert empty.set_file("a/x", file.fileno()) is True
            assert empty.get("a/x") == value
            assert empty.set_file("a/x", file.fileno(), if_absent=True) is False
            assert empty.set_file("a/y", file.fileno(), if_absent=True) is True
        assert empty.get("a/x") == empty.get("a/y") == value

    def test_a_clone_is_a_copy(self, empty: AnyStore) -> None:
        empty.set("a/x y", b"first")
        for source in (empty, ReadOnlyStore(empty), PrefixStore(empty, "a/")):
            key = "x y" if isinstance(source, PrefixStore) else "a/x y"
            assert empty.clone(source, "absent", "c/d") is False
            if empty.clone(source, key, "c/d"):
                assert empty.get("c/d") == b"first"
                empty.set("c/d", b"changed")
                assert empty.get("a/x y") == b"first"
            else:
                assert empty.get("c/d") is None
        assert empty.clone(MemoryStore(values={"k": b"1"}), "k", "e") is False

    def test_renaming_and_linking_keep_the_value(self, empty: AnyStore) -> None:
        for key in ("a/x", "b", "taken"):
            empty.set(key, key.encode())
        assert empty.link("absent", "c") is empty.rename("absent", "c") is Renaming.NOT_POSSIBLE
        assert empty.link("a/x", "taken") in {Renaming.NOT_POSSIBLE, Renaming.KEY_TAKEN}
        assert empty.rename("a/x", "taken", if_absent=True) in {Renaming.NOT_POSSIBLE, Renaming.KEY_TAKEN}
        expected = {"a/x": b"a/x", "b": b"b", "taken": b"taken"}
        assert empty.rename("a/x", "a/x") in {Renaming.NOT_POSSIBLE, Renaming.DONE}
        if empty.link("a/x", "c/d/e"):
            expected["c/d/e"] = b"a/x"
            assert empty.rename("c/d/e", "a/x") is Renaming.DONE
            del expected["c/d/e"]
        for if_absent in (False, True):
            if empty.rename("a/x", "e/f", if_absent=if_absent):
                expected["e/f"] = expected.pop("a/x")
                assert empty.rename("e/f", "a/x") is Renaming.DONE
                expected["a/x"] = expected.pop("e/f")
        if empty.rename("b", "taken"):
            expected["taken"] = expected.pop("b")
        assert {entry.key: empty.get(entry.key) for entry in empty.list()} == expected

    def test_renaming_a_prefix_moves_all_its_keys_or_none(self, empty: AnyStore) -> None:
        for key in ("a/x", "a/c/0/1", "ab/x", "d/x"):
            empty.set(key, key.encode())
        assert empty.rename_prefix("absent/", "e/") is Renaming.NOT_POSSIBLE
        assert empty.rename_prefix("a/", "a/b/") is Renaming.NOT_POSSIBLE
        assert empty.rename_prefix("a/", "d/") in {Renaming.NOT_POSSIBLE, Renaming.KEY_TAKEN}
        assert {entry.key for entry in empty.list()} == {"a/x", "a/c/0/1", "ab/x", "d/x"}
        place = "e/f/" if empty.rename_prefix("a/", "e/f/") else "a/"
        expected = {f"{place}x": b"a/x", f"{place}c/0/1": b"a/c/0/1", "ab/x": b"ab/x", "d/x": b"d/x"}
        assert {entry.key: empty.get(entry.key) for entry in empty.list()} == expected

    def test_values_of_wider_elements_are_stored_as_bytes(self, empty: AnyStore) -> None:
        wide = memoryview(bytearray(range(24))).cast("I", (2, 3))
        empty.set("a", wide)
        assert empty.get("a") == bytes(range(24))

    def test_unusual_keys_read_back(self, empty: AnyStore) -> None:
        for key in (ODD_KEY, "a b/%2F", "x.zarr/..c", "~/-", "Ä" * 40):
            empty.set(key, key.encode())
            assert empty.get(key) == key.encode()
        assert len(list(empty.list())) == 5

    def test_parts_are_written(self, empty: AnyStore) -> None:
        empty.set("a/x", b"0123456789")
        empty.set("a/y", b"abc")
        empty.set_partial_values(
            [("a/x", 2, b"AB"), ("a/y", 5, memoryview(b"Z")), ("a/x", 9, b"CD"), ("b", 1, b"Q")]
        )
        assert empty.get("a/x") == b"01AB45678CD"
        assert empty.get("a/y") == b"abc\0\0Z"
        assert empty.get("b") == b"\0Q"
        with pytest.raises(StoreError, match="begin at byte -1"):
            empty.set_partial_values([("a/x", -1, b"1")])

    def test_parts_written_by_several_threads_are_all_kept(self, empty: AnyStore) -> None:
        empty.set("a", bytes(40))
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda n: empty.set_partial_values([("a", n, b"x")]), range(40)))
        assert empty.get("a") == b"x" * 40

    def test_several_keys_are_erased_present_or_absent(self, empty: AnyStore) -> None:
        for number in range(30):
            empty.set(f"a/{number}", b"1")
        empty.set("a/c/x", b"1")
        empty.erase_values(f"a/{number}" for number in range(0, 60, 2))
        left = sorted(entry.key for entry in empty.list())
        assert left == sorted(["a/c/x", *(f"a/{number}" for number in range(1, 30, 2))])
        empty.erase_values([])
        assert empty.erase("a/c") is None
        assert empty.get("a/c/x") == b"1"

    def test_an_erased_prefix_leaves_no_keys(self, empty: AnyStore) -> None:
        for number in range(40):
            empty.set(f"a/c/{number % 5}/{number}", b"1")
        empty.erase_prefix("absent/")
        empty.erase_prefix("a/c/3/")
        assert {entry.key for entry in empty.list_dir("a/c/")} == {"a/c/0/", "a/c/1/", "a/c/2/", "a/c/4/"}
        empty.erase_prefix("a/c/")
        assert not empty.has_prefix("a/")
        assert list(empty.list_dir("")) == []

    def test_a_prefix_ends_in_a_slash_when_it_is_erased(self, empty: AnyStore) -> None:
        empty.set("ab/x", b"1")
        with pytest.raises(InvalidKeyError):
            empty.erase_prefix("a")
        assert empty.get("ab/x") == b"1"

    def test_erasing_during_a_listing_misses_no_key(self, empty: AnyStore) -> None:
        for number in range(count := 60 if ALL else 21):
            empty.set(f"a/{number % 3}/{number}", b"1")
        seen = set()
        for entry in empty.list_prefix("a/"):
            seen.add(entry.key)
            empty.erase(entry.key)
        assert len(seen) == count
        assert list(empty.list()) == []

    def test_values_outlive_a_pickled_store(self, empty: AnyStore) -> None:
        empty.set("a/x", b"1")
        empty.close()
        again = pickle.loads(pickle.dumps(empty))
        assert again.get("a/x") == b"1"
        assert again.set("a/y", b"2")
        assert again.get("a/y") == b"2"
        again.close()

    @pytest.mark.parametrize("key", ["a\ud800", "a/\udfff/b"])
    def test_half_a_surrogate_pair_is_refused_or_kept(self, empty: AnyStore, key: str) -> None:
        try:
            empty.set(key, b"1")
        except InvalidKeyError:
            assert list(empty.list()) == []
        else:
            assert empty.get(key) == b"1"
