"""Every writable store compared with a dictionary, over thousands of random operations."""

from __future__ import annotations

import contextlib
import pickle
import shutil
import tempfile
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from tests.campaigns import ALL
from zarrcore.errors import BodyTooLargeError, ReadOnlyError
from zarrcore.stores import (
    ByteRange,
    LocalStore,
    MemoryStore,
    PrefixStore,
    ReadOnlyStore,
    WritableStore,
    open_store,
)

# Only metadata ends in .json, so no key is a prefix of another, which would be impossible for files.
_GROUPS = st.lists(st.sampled_from(["a", "ab", "ö ü", "c"]), max_size=3)
KEYS = st.builds(
    lambda groups, name: "/".join([*groups, name]), _GROUPS, st.sampled_from(["zarr.json", "0", "1.2", "x#?"])
)
PREFIXES = _GROUPS.map(lambda names: "".join(f"{name}/" for name in names))
VALUES = st.binary(max_size=300)
RANGES = st.one_of(
    st.none(),
    st.builds(ByteRange, st.integers(0, 400), st.one_of(st.none(), st.integers(0, 400))),
    st.builds(ByteRange, st.integers(-400, -1)),
)


class StoreModel(RuleBasedStateMachine):
    """The behaviour of a store, modelled by a dictionary."""

    make: ClassVar[Callable[[], contextlib.AbstractContextManager[WritableStore]]]

    def __init__(self) -> None:
        super().__init__()
        self._stack = contextlib.ExitStack()
        self.store: Any = self._stack.enter_context(type(self).make())
        self.values: dict[str, bytes] = {}

    def teardown(self) -> None:
        self.store.close()
        self._stack.close()

    @rule(key=KEYS, value=VALUES, if_absent=st.booleans())
    def set(self, key: str, value: bytes, if_absent: bool) -> None:
        stored = not (if_absent and key in self.values)
        assert self.store.set(key, value, if_absent=if_absent) is stored
        if stored:
            self.values[key] = value

    @rule(parts=st.lists(st.tuples(KEYS, st.integers(0, 400), VALUES), max_size=3))
    def set_partial_values(self, parts: list[tuple[str, int, bytes]]) -> None:
        self.store.set_partial_values(parts)
        for key, start, value in parts:
            old = self.values.get(key, b"")
            self.values[key] = old[:start].ljust(start, b"\0") + value + old[start + len(value) :]

    @rule(key=KEYS)
    def erase(self, key: str) -> None:
        self.store.erase(key)
        self.values.pop(key, None)

    @rule(keys=st.lists(KEYS, max_size=4))
    def erase_values(self, keys: list[str]) -> None:
        self.store.erase_values(keys)
        for key in keys:
            self.values.pop(key, None)

    @rule(prefix=PREFIXES)
    def erase_prefix(self, prefix: str) -> None:
        self.store.erase_prefix(prefix)
        self.values = {key: value for key, value in self.values.items() if not key.startswith(prefix)}

    @rule(key=KEYS, byte_range=RANGES)
    def get(self, key: str, byte_range: ByteRange | None) -> None:
        expected = self.values.get(key)
        if expected is not None and byte_range is not None:
            start, stop = byte_range.resolve(len(expected))
            expected = expected[start:stop]
        got = self.store.get(key, byte_range)
        assert (got if got is None else bytes(got)) == expected

    @rule(key=KEYS, byte_range=RANGES, most=st.integers(0, 300))
    def get_at_most(self, key: str, byte_range: ByteRange | None, most: int) -> None:
        start, stop = (byte_range or ByteRange(0)).resolve(len(self.values.get(key, b"")))
        try:
            got = self.store.get(key, byte_range, max_nbytes=most)
        except BodyTooLargeError:
            assert stop - start > most
        else:
            assert stop - start <= most
            assert (got if got is None else len(got)) == (stop - start if key in self.values else None)

    @rule(prefix=PREFIXES)
    def list_dir(self, prefix: str) -> None:
        inside = [key[len(prefix) :] for key in self.values if key.startswith(prefix)]
        expected = {prefix + name + slash for name, slash, _ in (key.partition("/") for key in inside)}
        listed = [entry.key for entry in self.store.list_dir(prefix)]
        assert len(listed) == len(set(listed))
        assert set(listed) == expected
        assert self.store.has_prefix(prefix) or not expected

    @rule(prefix=PREFIXES)
    def list_prefix(self, prefix: str) -> None:
        listed = {entry.key: entry.size for entry in self.store.list_prefix(prefix)}
        assert listed == {key: len(value) for key, value in self.values.items() if key.startswith(prefix)}

    @rule()
    def reopen(self) -> None:
        self.store.close()
        self.store = pickle.loads(pickle.dumps(self.store))

    @invariant()
    def sizes_are_told(self) -> None:
        for key in list(self.values)[:2]:
            assert self.store.stat(key).size == len(self.values[key])


@contextlib.contextmanager
def _directory() -> Iterator[Path]:
    place = Path(tempfile.mkdtemp())
    try:
        yield place
    finally:
        shutil.rmtree(place)


@contextlib.contextmanager
def local() -> Iterator[LocalStore]:
    with _directory() as place:
        yield LocalStore(place)


@contextlib.contextmanager
def memory() -> Iterator[WritableStore]:
    yield MemoryStore()


@contextlib.contextmanager
def zipped() -> Iterator[WritableStore]:
    with _directory() as place, open_store(place / "x.zip", create=True) as store:
        yield store


@contextlib.contextmanager
def prefix() -> Iterator[WritableStore]:
    with local() as store:
        store.set("a/zarr.json", b"beside")
        yield PrefixStore(store, "p/q/")
        assert store.get("a/zarr.json") == b"beside"


def check(make: Callable[[], Any], examples: int, steps: int = 40) -> None:
    class Model(StoreModel):
        pass

    Model.make = staticmethod(make)
    run_state_machine_as_test(
        Model,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


@pytest.mark.parametrize("make", [memory, local, zipped, prefix])
def test_a_store_behaves_like_a_dictionary(make: Callable[[], Any]) -> None:
    check(make, 25 if ALL else 15)


@pytest.mark.parametrize(
    ("service", "url"), [("s3", "s3://bucket"), ("gcs", "gs://gcs"), ("azure", "az://container")]
)
def test_a_bucket_behaves_like_a_dictionary(request: pytest.FixtureRequest, service: str, url: str) -> None:
    check_bucket(url, request.getfixturevalue(service).options)


def check_bucket(url: str, options: dict[str, Any]) -> None:
    @contextlib.contextmanager
    def bucket() -> Iterator[WritableStore]:
        yield open_store(f"{url}/model/{uuid.uuid4()}", **options)

    check(bucket, 3, 20)


class ReadOnlyModel(StoreModel):
    """Every write is refused; reads return the values of the wrapped store."""

    make = staticmethod(memory)

    def __init__(self) -> None:
        super().__init__()
        self.beneath: Any = self.store
        self.store = _Refused(self.beneath)

    @rule()
    def reopen(self) -> None:
        self.store.close()


class _Refused:
    """Checks that every write is refused, then writes to the wrapped store."""

    def __init__(self, beneath: WritableStore) -> None:
        self._beneath = beneath
        self._store = ReadOnlyStore(beneath)

    def __getattr__(self, name: str) -> Any:
        if name.startswith(("set", "erase")):
            return lambda *values, **options: self._write(name, *values, **options)
        return getattr(self._store, name)

    def _write(self, name: str, *values: Any, **options: Any) -> Any:
        before = {entry.key: entry.size for entry in self._store.list()}
        with pytest.raises(ReadOnlyError):
            getattr(self._store, name)(*values, **options)
        assert {entry.key: entry.size for entry in self._store.list()} == before
        return getattr(self._beneath, name)(*values, **options)


def test_a_read_only_store_behaves_like_a_dictionary_without_writes() -> None:
    run_state_machine_as_test(
        ReadOnlyModel, settings=settings(max_examples=15, stateful_step_count=30, deadline=None)
    )
