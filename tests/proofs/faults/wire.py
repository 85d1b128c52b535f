"""Real servers behind a proxy that spoils their answers: S3 for reading and writing, and a web server with listing pages."""

from __future__ import annotations

import atexit
import os
import random
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeVar
from unittest.mock import patch

import numpy as np

import zarrcore as zc
from tests.any_store import AnyStore, open_store
from tests.proofs.faults.hierarchies import CHUNK, SHAPE, Truth, random_selection
from tests.servers import S3_ENVIRONMENT, S3_UNWANTED, environment, nginx_server, s3_server
from tests.servers.proxy import Proxy, Request, Trouble, proxy
from zarrcore.errors import BodyTooLargeError, StoreTimeoutError, ZarrError
from zarrcore.hierarchy import ArrayNode
from zarrcore.operations.check import check
from zarrcore.operations.copy import execute, plan_copy
from zarrcore.stores import ByteRange, MemoryStore
from zarrcore.stores.connection import retries

T = TypeVar("T")

OPERATIONS = 150
CAMPAIGNS = 4
TIMEOUT_S, RETRIES = 0.5, 1
STEPS_MAX = 12
"""The most requests of one operation, not counting repeats: reading facts, value and facts, five times."""
SLACK_S = 60.0
"""A busy machine is slow."""

_ATTEMPTS = 20

_HARMLESS = frozenset({Trouble.DRIPS, Trouble.REORDERED})
_TROUBLES = (
    *(Trouble.REFUSED, Trouble.RESET, Trouble.CUT, Trouble.HANGS, Trouble.DRIPS, Trouble.ENDLESS),
    *(
        Trouble.LONG,
        Trouble.STATUS,
        Trouble.LOST,
        Trouble.STALE,
        Trouble.DUPLICATED,
        Trouble.REORDERED,
        Trouble.FLIPPED,
    ),
)
_KEYS = ("a", "b/c", "b/d", "b/e/f", "x y/ü", "zarr.json")


def trial(seed: int, kind: str, operations: int = OPERATIONS, campaigns: int = CAMPAIGNS) -> int:
    """Several campaigns at once, as most of their time is waiting; each does so many operations on a prefix of its own."""
    serve, begin = {"s3": (shared_s3, _on_s3), "http": (shared_web, _on_http)}[kind]
    serve()

    def run(number: int) -> int:
        with begin(random.Random(number), number) as campaign:
            for _ in range(operations):
                campaign.step()
            campaign.end()
        return operations

    with patch.object(retries, "FIRST_PAUSE_S", 0.005), ThreadPoolExecutor(campaigns) as pool:
        return sum(pool.map(run, range(seed * campaigns, (seed + 1) * campaigns)))


@contextmanager
def _on_s3(choice: random.Random, seed: int) -> Iterator[Campaign]:
    url, options = shared_s3()
    with proxy(url) as spoiled:
        place = f"s3://bucket/{seed}-{os.getpid()}"
        direct = open_store(place, endpoint_url=url, **options)
        yield Campaign(choice, spoiled, direct, open_store(place, **_options(spoiled), **options))
        direct.erase_prefix("")


@contextmanager
def _on_http(choice: random.Random, seed: int) -> Iterator[Campaign]:
    root, url = shared_web()
    with proxy(url) as spoiled:
        folder = root / f"{seed}-{os.getpid()}"
        direct = open_store(folder, create=True)
        options = {name: value for name, value in _options(spoiled).items() if name != "endpoint_url"}
        if choice.random() < 0.5:
            options["headers"] = {"X-Token": "1"}  # such a header is sent through httpx only
        yield Campaign(choice, spoiled, direct, open_store(f"{spoiled.url}/{folder.name}", **options))
        direct.erase_prefix("")


def _options(spoiled: Proxy) -> dict[str, Any]:
    return {"endpoint_url": spoiled.url, "timeout_s": TIMEOUT_S, "retries": RETRIES}


_kept = ExitStack()
"""Servers that live as long as this process."""
atexit.register(_kept.close)


@cache
def shared_s3() -> tuple[str, dict[str, Any]]:
    """An S3 service that lives as long as this process: its address, and options."""
    os.environ["MOTO_S3_DEFAULT_MAX_KEYS"] = "3"  # small pages
    _kept.enter_context(environment(S3_ENVIRONMENT, S3_UNWANTED))
    return _kept.enter_context(s3_server()).endpoint_url, {"region": "us-east-1"}


@cache
def shared_web() -> tuple[Path, str]:
    """A web server that lives as long as this process: its root, and its address."""
    work = Path(_kept.enter_context(tempfile.TemporaryDirectory()))
    (root := work / "root").mkdir()
    return root, _kept.enter_context(nginx_server(root, work)).url


def chosen(choice: random.Random, possible: list[Trouble]) -> Trouble:
    """One of the troubles. Those that take all the time of a request are rarer, so that there is time for the others."""
    weights = [0.25 if trouble in (Trouble.HANGS, Trouble.ENDLESS) else 1.0 for trouble in possible]
    return choice.choices(possible, weights)[0]


def settle(spoiled: Proxy) -> None:
    """Wait for requests that the client gave up: the server may still carry them out."""
    while spoiled.at_the_server:
        time.sleep(0.001)


def patiently(act: Callable[[], T]) -> T:
    """The result of what may time out, because the machine is busy."""
    for _ in range(_ATTEMPTS - 1):
        with suppress(TimeoutError):
            return act()
    return act()


class Campaign:
    """Operations on a store behind the proxy, and what it holds."""

    def __init__(self, choice: random.Random, spoiled: Proxy, direct: AnyStore, store: AnyStore) -> None:
        self._choice = choice
        self._spoiled = spoiled
        self._direct = direct
        self._store = store
        self._writes = not store.read_only
        self._rate = choice.choice([0.03, 0.1, 0.25])
        self._kinds: frozenset[Trouble] = frozenset(_TROUBLES)
        self._place = direct.url.rpartition("/")[2]
        self._seed = choice.getrandbits(32)
        self._asked: Counter[str] = Counter()
        self._longs = False
        self._history: dict[str, list[bytes | None]] = {key: [None] for key in _KEYS}
        array = zc.create(direct).create_array(
            "n/crc", shape=SHAPE, dtype="int32", chunks=CHUNK, codecs=[{"name": "crc32c"}]
        )
        self._truth = Truth(np.arange(130, dtype="i4").reshape(SHAPE))
        array[...] = self._truth.now
        self._history["zarr.json"].append(self._there("zarr.json"))
        for key in _KEYS[:3]:
            self._change(key, self._value())
        self._spoiled.script = self._script
        self._steps: list[Callable[[], None]] = [
            *3 * [self._get],
            *2 * [self._read_array],
            *(self._stat, self._list, self._list_dir, self._get_with_stat, self._has_prefix, self._open),
        ]
        if self._writes:
            self._steps += [
                *2 * [self._set],
                self._erase,
                self._erase_several,
                self._set_if_absent,
                self._write_array,
            ]
        else:
            self._steps += [self._change_behind]

    def _script(self, request: Request) -> tuple[Trouble, random.Random] | None:
        """What goes wrong follows from the request and how often it was made: threads send theirs in any order."""
        name = f"{request.method} {request.target.partition(self._place)[2]} {request.headers.get('range')}"
        self._asked[name] += 1
        choice = random.Random(f"{self._seed} {name} {self._asked[name]}")
        if choice.random() >= self._rate:
            return None
        possible = [kind for kind in _TROUBLES if kind in self._kinds]
        if request.method != "GET" or "/c/" not in request.target or request.target.endswith("/"):
            possible = [kind for kind in possible if kind is not Trouble.FLIPPED]
        return chosen(choice, possible), choice

    def step(self) -> None:
        """One random operation; some are larger."""
        if self._choice.random() < 0.03:
            self._choice.choice([self._check, self._copy])()
        else:
            self._choice.choice(self._steps)()

    def end(self) -> None:
        """Without faults all is as it should be."""
        self._rate = 0.0
        for key in _KEYS:
            found, right = _bytes(patiently(partial(self._store.get, key))), self._history[key][-1]
            assert found == right, f"{key} is {found!r}, not {right!r}"
        elements = patiently(lambda: self._array()[...])
        self._truth.check_read(elements, (slice(None), slice(None)), CHUNK, stale=False)

    def _array(self) -> ArrayNode:
        array = zc.open_hierarchy(self._store, "r+" if self._writes else "r", "v3")["n/crc"]
        assert isinstance(array, ArrayNode)
        return array

    def _value(self) -> bytes:
        return self._choice.randbytes(self._choice.choice([0, 1, 10, 3000]))

    def _there(self, key: str) -> bytes | None:
        return _bytes(self._direct.get(key))

    def _change(self, key: str, value: bytes | None) -> None:
        """Behind the proxy's back."""
        if value is None:
            self._direct.erase(key)
        else:
            self._direct.set(key, value)
        self._history[key].append(value)

    def _try(self, act: Callable[[], T]) -> tuple[T | None, bool, bool]:
        """The result, whether an earlier one is right too, and whether it failed, as it may only after a trouble."""
        self._spoiled.given.clear()
        before, begun_s = self._spoiled.requests, time.monotonic()
        failed, found = False, None
        try:
            found = act()
        except StoreTimeoutError:
            failed = True  # the machine may be busy
        except ZarrError as error:
            failed = True
            if set(self._spoiled.given) <= _HARMLESS and not self._longs:
                raise AssertionError(f"an error without a trouble: {error}") from error
        # Bytes that are too many may spoil the next answer on the same connection.
        self._longs = Trouble.LONG in self._spoiled.given or self._longs
        took_s, asked = time.monotonic() - begun_s, self._spoiled.requests - before
        assert took_s < (asked + 1) * (TIMEOUT_S + 0.1) + SLACK_S, f"{took_s:.1f} s for {asked} requests"
        return found, Trouble.STALE in self._spoiled.given, failed

    def _small(self, act: Callable[[], T]) -> tuple[T | None, bool, bool]:
        """The same for an operation of few requests."""
        before = self._spoiled.requests
        found = self._try(act)
        asked = self._spoiled.requests - before
        assert asked <= STEPS_MAX * (RETRIES + 1), f"{asked} requests"
        return found

    def _right(self, key: str, stale: bool) -> list[bytes | None]:
        return self._history[key][:] if stale else self._history[key][-1:]

    def _get(self) -> None:
        key = self._choice.choice(_KEYS)
        part = self._choice.choice(
            [None, None, ByteRange(0, 5), ByteRange(3), ByteRange(-4), ByteRange(7, 7), ByteRange(2900, 4000)]
        )
        limit = self._choice.choice([None, None, 20])

        def get() -> bytes | None:
            try:
                return _bytes(self._store.get(key, part, max_nbytes=limit))
            except BodyTooLargeError as error:
                assert error.size > 20  # noqa: PT017
                return b"too large"

        found, stale, failed = self._small(get)
        if failed:
            return
        parts = [_part(value, part) for value in self._right(key, stale)]
        right = [b"too large" if limit and one and len(one) > limit else one for one in parts]
        assert found in right, f"{key} {part}: {found!r} is not in {right!r}"

    def _get_with_stat(self) -> None:
        key = self._choice.choice(_KEYS)
        found, stale, failed = self._small(lambda: self._store.get_with_stat(key))
        if failed:
            return
        value = None if found is None else bytes(found[0])
        assert value in self._right(key, stale)
        assert found is None or found[1].size == len(found[0])

    def _stat(self) -> None:
        key = self._choice.choice(_KEYS)
        found, stale, failed = self._small(lambda: self._store.stat(key))
        if not failed:
            size = None if found is None else found.size
            assert size in [None if value is None else len(value) for value in self._right(key, stale)]

    def _names(self, stale: bool) -> set[str]:
        return {key for key in _KEYS if any(value is not None for value in self._right(key, stale))}

    def _list(self) -> None:
        prefix = self._choice.choice(["b/", "x y/", "absent/", "b/e/"])
        found, stale, failed = self._small(lambda: [entry.key for entry in self._store.list_prefix(prefix)])
        if failed or found is None:
            return
        wanted = {key for key in self._names(stale) if key.startswith(prefix)}
        self._check_listing(found, wanted, stale)

    def _list_dir(self) -> None:
        prefix = self._choice.choice(["b/", "", "absent/"])
        found, stale, failed = self._small(lambda: [entry.key for entry in self._store.list_dir(prefix)])
        if failed or found is None:
            return
        below = [key[len(prefix) :] for key in self._names(stale) if key.startswith(prefix)]
        wanted = {prefix + "/".join(key.split("/")[:1] + [""] * ("/" in key)) for key in below}
        if not prefix:
            wanted.add("n/")
        self._check_listing(found, wanted, stale)

    def _check_listing(self, found: list[str], wanted: set[str], stale: bool) -> None:
        assert set(found) <= wanted if stale else set(found) == wanted, f"{found} is not {wanted}"
        # What a server lists twice, a store lists twice: a hierarchy and a mount do not.
        assert len(found) == len(set(found)) or Trouble.DUPLICATED in self._spoiled.given or stale

    def _has_prefix(self) -> None:
        prefix = self._choice.choice(["b/", "absent/", "x y/"])
        found, stale, failed = self._small(lambda: self._store.has_prefix(prefix))
        if not failed and not stale:
            assert found == any(key.startswith(prefix) for key in self._names(stale=False))

    def _open(self) -> None:
        """A new store knows nothing yet of its server."""
        self._store.close()

    def _change_behind(self) -> None:
        key = self._choice.choice(_KEYS[:-1])
        self._change(key, self._choice.choice([None, self._value()]))

    def _write(self, changes: dict[str, bytes | None], act: Callable[[], T]) -> tuple[T | None, bool]:
        """Try a write; afterwards each key has its old or its new value, and the new one if there was no error."""
        self._kinds = frozenset(_TROUBLES) - {Trouble.STALE}
        found, _, failed = self._small(act)
        self._kinds = frozenset(_TROUBLES)
        settle(self._spoiled)
        for key, new in changes.items():
            there = self._there(key)
            assert there == new or (failed and there == self._history[key][-1]), (
                f"{key} is {there!r}, not {new!r}"
            )
            self._history[key].append(there)
        return found, failed

    def _set(self) -> None:
        key, value = self._choice.choice(_KEYS[:-1]), self._value()
        self._write({key: value}, lambda: self._store.set(key, value))

    def _set_if_absent(self) -> None:
        key, value = self._choice.choice(_KEYS[:-1]), self._value()
        before = self._history[key][-1]
        new = value if before is None else before
        stored, failed = self._write({key: new}, lambda: self._store.set(key, value, if_absent=True))
        # After a lost answer, a value that is equal to the new one may be the new one.
        unsure = before == value and bool(self._spoiled.given)
        assert failed or unsure or stored == (before is None), f"{key}: {stored} is said to be stored"

    def _erase(self) -> None:
        key = self._choice.choice(_KEYS[:-1])
        self._write({key: None}, lambda: self._store.erase(key))

    def _erase_several(self) -> None:
        keys = self._choice.sample(_KEYS[:-1], 3)
        self._write(dict.fromkeys(keys), lambda: self._store.erase_values(keys))

    def _read_array(self) -> None:
        selection = random_selection(self._choice, SHAPE)
        found, stale, failed = self._try(lambda: self._array()[selection])
        if not failed and found is not None:
            self._truth.check_read(found, selection, CHUNK, stale=stale)

    def _write_array(self) -> None:
        selection = random_selection(self._choice, SHAPE)
        new = self._truth.now.copy()
        new[selection] = self._choice.randrange(1000)
        self._kinds = frozenset(_TROUBLES) - {Trouble.STALE}
        _, _, failed = self._try(lambda: self._array().write(selection, new[selection]))
        self._kinds = frozenset(_TROUBLES)
        settle(self._spoiled)
        there = zc.open_hierarchy(self._direct)["n/crc"]
        assert isinstance(there, ArrayNode)
        self._truth.check_write(there[...], new, CHUNK, failed=failed)

    def _check(self) -> None:
        self._try(lambda: [*check(zc.open_hierarchy(self._store))])

    def _copy(self) -> None:
        self._kinds = frozenset(_TROUBLES) - {Trouble.STALE}
        target = MemoryStore()

        def copy() -> bool:
            source = zc.open_hierarchy(self._store)
            execute(plan_copy(source), source, target)
            return True

        copied, _, _ = self._try(copy)
        self._kinds = frozenset(_TROUBLES)
        if copied:
            array = zc.open_hierarchy(target)["n/crc"]
            assert isinstance(array, ArrayNode)
            assert np.array_equal(array[...], self._truth.now)


def _bytes(value: Any) -> bytes | None:
    return None if value is None else bytes(value)


def _part(value: bytes | None, part: ByteRange | None) -> bytes | None:
    return value if value is None or part is None else value[slice(*part.resolve(len(value)))]
