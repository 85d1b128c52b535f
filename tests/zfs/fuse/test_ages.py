"""S11: the age of answers, from the store to the caches of the kernel, which is played here with a clock of its own."""

from __future__ import annotations

import errno
import json
import os
import random
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyfuse3
import pytest
import trio

from tests.waiting import wait_until
from tests.zfs.conftest import Mounter
from tests.zfs.fuse.serving import NO_CONTEXT
from tests.zfs.trees.entries import Clock, Remote
from zarrcore.stores import ByteRange, BytesLike, StoreEntry, StoreStat
from zarrfs.fuse.inodes.inode_table import ROOT
from zarrfs.mount.mount import Mount
from zarrfs.mount.options import MountOptions
from zarrfs.mount.outcome import Outcome
from zarrfs.trees.freshness import Freshness
from zarrfs.trees.opening import hierarchy_opener

TTL_S = 10.0
BEGIN_S = 100
GROUP = {"zarr_format": 3, "node_type": "group"}


def array(length: int) -> dict[str, Any]:
    return {
        "zarr_format": 3,
        "node_type": "array",
        "shape": [length],
        "data_type": "float64",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [length]}},
        "chunk_key_encoding": {"name": "default"},
        "fill_value": 0,
        "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
    }


class Timed(Remote):
    """A store whose content shows when it was requested: sizes, shapes, elements, and the keys that exist."""

    def __init__(self, clock: Clock, is_consolidated: bool) -> None:
        super().__init__({})
        self.clock = clock
        self.is_consolidated = is_consolidated

    def now(self) -> None:
        second = int(self.clock.s)
        nodes = {"x": array(second), "g": GROUP, "g/y": array(4), "t": GROUP, f"t/{second}": GROUP}
        told = {"kind": "inline", "must_understand": False, "metadata": nodes}
        root = {**GROUP, **({"consolidated_metadata": told} if self.is_consolidated else {})}
        documents = {"zarr.json": root} | {f"{path}/zarr.json": node for path, node in nodes.items()}
        self.values = {key: json.dumps(document).encode() for key, document in documents.items()}
        self.values["g/y/c/0"] = np.full(4, self.clock.s).tobytes()
        self.values["k"] = bytes(second)
        self.values |= {f"new/{number}": b"" for number in range(max(BEGIN_S, second - 40), second + 1)}

    def get(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> BytesLike | None:
        self.now()
        return super().get(key, byte_range)

    def stat(self, key: str) -> StoreStat | None:
        self.now()
        return super().stat(key)

    def list_prefix(self, prefix: str) -> Iterator[StoreEntry]:
        self.now()
        return iter([*super().list_prefix(prefix)])

    def has_prefix(self, prefix: str) -> bool:
        self.now()
        self.asked.append(("has", prefix))
        return any(key.startswith(prefix) for key in self.values)


class Kernel:
    """Names, attributes and pages, as long as the daemon allows."""

    def __init__(self, operations: Any, clock: Clock) -> None:
        self.operations = operations
        self.clock = clock
        self.names: dict[tuple[int, str], tuple[int, float]] = {}
        self.attributes: dict[int, tuple[int, float]] = {}
        self.pages: dict[int, bytes] = {}

    def keep(self, parent: int, name: str, told: Any) -> int:
        self.names[parent, name] = told.st_ino, self.clock.s + told.entry_timeout
        self.attributes[told.st_ino] = told.st_size, self.clock.s + told.attr_timeout
        return int(told.st_ino)

    async def number(self, path: str) -> int:
        """The number of a path; 0 if it does not exist."""
        number = ROOT
        for name in path.split("/"):
            known, until_s = self.names.get((number, name), (0, 0.0))
            if self.clock.s < until_s:
                number = known
            else:
                try:
                    told = await self.operations.lookup(number, name.encode(), NO_CONTEXT)
                except pyfuse3.FUSEError as error:
                    if error.errno != errno.ENOENT:
                        raise
                    return 0
                number = self.keep(number, name, told)
            if not number:
                return 0
        return number

    async def size(self, path: str) -> int:
        number = await self.number(path)
        size, until_s = self.attributes[number]
        if self.clock.s < until_s:
            return size
        try:
            told = await self.operations.getattr(number, NO_CONTEXT)
        except pyfuse3.FUSEError as error:
            if error.errno != errno.ESTALE:
                raise
            above, _, name = path.rpartition("/")
            del self.names[await self.number(above), name]
            return await self.size(path)
        self.attributes[number] = told.st_size, self.clock.s + told.attr_timeout
        return int(told.st_size)

    async def read(self, path: str) -> bytes:
        number = await self.number(path)
        opened = await self.operations.open(number, os.O_RDONLY, NO_CONTEXT)
        if not opened.keep_cache:
            self.pages.pop(number, None)
        if number not in self.pages:
            self.pages[number] = bytes(await self.operations.read(opened.fh, 0, 1 << 20))
        await self.operations.release(opened.fh)
        return self.pages[number]

    async def list(self, path: str) -> list[str]:
        number = await self.number(path)
        handle = await self.operations.opendir(number, NO_CONTEXT)
        token: Any = []
        await self.operations.readdir(handle, 0, token)
        await self.operations.releasedir(handle)
        for name, told in token:
            self.keep(number, name, told)
        return [name for name, _ in token]

    async def find(self, path: str) -> None:
        for name in await self.list(path):
            below = f"{path}/{name}"
            await self.size(below)
            if (await self.operations.getattr(await self.number(below), NO_CONTEXT)).st_mode & 0o40000:
                await self.find(below)


class Told:
    """The fields of a reply, which the daemon uses again for the next one."""

    def __init__(self, attributes: Any) -> None:
        for name in ("st_ino", "st_size", "entry_timeout", "attr_timeout"):
            setattr(self, name, getattr(attributes, name))


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(time, "monotonic", clock)
    monkeypatch.setattr(Freshness.__init__, "__defaults__", (clock,))

    def reply(token: list[Any], name: bytes, attributes: Any, next_id: int) -> bool:
        token.append((name.decode(), Told(attributes)))
        return True

    monkeypatch.setattr(pyfuse3, "readdir_reply", reply)
    return clock


def mounted(clock: Clock, store: Timed, test: Callable[[Kernel], Awaitable[None]], **options: Any) -> None:
    session = Mount(
        store, hierarchy_opener(None), MountOptions(mountpoint="/", ttl_s=TTL_S, **options), Outcome()
    )

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            session._workers.nursery = nursery
            await test(Kernel(session._operations, clock))
            nursery.cancel_scope.cancel()

    trio.run(main)


@pytest.mark.sampled
@pytest.mark.parametrize("is_consolidated", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_no_answer_is_older_than_the_time_to_live(clock: Clock, seed: int, is_consolidated: bool) -> None:
    steps = random.Random(seed)

    async def act(kernel: Kernel) -> None:
        async def key() -> None:
            assert await kernel.size("keys/k") >= int(clock.s - TTL_S)

        async def shape() -> None:
            assert await kernel.size("arrays/x/data.raw") >= 8 * int(clock.s - TTL_S)

        async def elements() -> None:
            begin = steps.randrange(3)  # several files of parts of one chunk, which is kept for them
            read = np.frombuffer(await kernel.read(f"arrays/g/y/[{begin}:{begin + 2}].raw"))
            assert len(read) == 2
            assert min(read) >= clock.s - TTL_S

        async def document() -> None:
            await kernel.size("zarr3/x/zarr.json")
            told = json.loads(await kernel.read("zarr3/x/zarr.json"))
            assert told["shape"][0] >= int(clock.s - TTL_S)

        async def absence() -> None:
            number = int(clock.s) + steps.randrange(-20, 3)
            is_there = await kernel.number(f"keys/new/{number}") > 0
            if number <= clock.s - TTL_S:
                assert is_there or number < BEGIN_S
            assert not is_there or number <= clock.s

        async def listing() -> None:
            listed = [int(name) for name in await kernel.list("keys/new")]
            assert max(listed) >= int(clock.s - TTL_S)

        async def nodes() -> None:
            names = await kernel.list("arrays/t")
            assert max(int(name) for name in names if name.isdecimal()) >= int(clock.s - TTL_S)

        for _ in range(500):
            clock.s += steps.choice([0.0, 0.1, 1.0, 2.0, 3.0, 6.0])
            await steps.choice([key, shape, *[elements] * 3, document, absence, listing, *[nodes] * 2])()

    mounted(clock, Timed(clock, is_consolidated), act)


@pytest.mark.parametrize("is_consolidated", [False, True])
@pytest.mark.parametrize("tree", ["keys", "arrays", "zarr3"])
def test_within_the_time_to_live_nothing_is_requested_again(
    clock: Clock, tree: str, is_consolidated: bool
) -> None:
    store = Timed(clock, is_consolidated)

    async def act(kernel: Kernel) -> None:
        async def asked() -> Counter[tuple[str, str]]:
            store.asked.clear()
            await kernel.find(tree)
            return Counter(store.asked)

        assert await asked()
        clock.s += 0.98 * TTL_S
        assert not await asked()
        rounds = []
        for _ in range(2):
            clock.s += TTL_S
            rounds.append(await asked())
            clock.s += 0.98 * TTL_S
            assert not await asked()
        assert rounds[0]
        assert max(rounds[0].values()) == 1
        assert sum(rounds[0].values()) == sum(rounds[1].values())

    store.now()
    mounted(clock, store, act)


def test_a_mount_shows_a_change_after_the_time_to_live_and_not_before(tmp_path: Path, mount: Mounter) -> None:
    """S11: "An answer may be as old as `--metadata-ttl` (60 s) and no older"."""
    key = tmp_path / "store" / "k"
    key.parent.mkdir()
    key.write_bytes(b"old")
    file = mount(key.parent, "--metadata-ttl", "2").keys / "k"
    absent = file.with_name("later")
    begun_s = time.monotonic()
    assert file.stat().st_size == 3
    assert not absent.exists()
    key.write_bytes(b"newer")
    key.with_name("later").touch()
    sizes = []
    while time.monotonic() < begun_s + 2.5 or not sizes:
        asked_s = time.monotonic() - begun_s
        sizes.append((asked_s, file.stat().st_size, absent.exists()))
        time.sleep(0.02)
    for asked_s, size, is_there in sizes:
        if asked_s > 2.1:
            assert (size, is_there) == (5, True)
    # On a slow machine, the first answers may come late.
    early = [(size, is_there) for asked_s, size, is_there in sizes if asked_s < 1.5]
    assert set(early) <= {(3, False)}
    wait_until(lambda: file.read_bytes() == b"newer", "the new value")
