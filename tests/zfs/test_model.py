"""A mount compared with a model in memory after random steps: the store changes, programs list and read."""

from __future__ import annotations

import errno
import io
import json
import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)

import zarrcore as zc
from tests.hierarchies import values
from tests.zfs.conftest import Mount, Mounter, wait_until
from zarrcore.filetypes import PlainChunks
from zarrfs.trees.names import file_name

KEYS = ("blobs/one", "blobs/two", "blobs/in/three", "blobs/in/deep/er", "blobs/%2E", "blobs/größe 4")
NAMES = ("a", "b", "group/c")
TYPES = ("u1", "<i2", "<f4", "<c8", "S3")
SMALL = st.integers(1, 9)


class MountModel(RuleBasedStateMachine):
    """A local store and its mount.

    With a time to live of 0, changes are visible at once; with an endless one, after a refresh.
    """

    store: ClassVar[Path]
    mounted: ClassVar[Mount]
    is_kept: ClassVar[bool]
    moment_ns: ClassVar[int] = 10**18

    @initialize()
    def begin(self) -> None:
        self.blobs: dict[str, bytes] = {}
        self.arrays: dict[str, np.ndarray] = {}
        self.open: dict[int, bytes] = {}
        for item in self.store.iterdir():
            shutil.rmtree(item) if item.is_dir() else item.unlink()
        self.hierarchy = zc.create(self.store)
        self.hierarchy["/"].attributes = {"moment": "x" * (1 + self.moment_ns % 2)}
        self.hierarchy.create_group("/group")
        self.settle()

    def teardown(self) -> None:
        for descriptor in self.open:
            os.close(descriptor)

    def settle(self) -> None:
        """Make the mount show the current content of the store."""
        if not self.is_kept:
            return
        # The kernel forgets a moment later, one tree after the other: a changed size of a file shows that it has.
        files = [
            self.mounted.path / name
            for name in ("keys/zarr.json", "arrays/attributes.json", "zarr3/zarr.json")
        ]
        before = [file.stat().st_size for file in files]
        type(self).moment_ns += 1
        self.hierarchy["/"].attributes = {"moment": "x" * (1 + self.moment_ns % 2)}

        def is_refreshed() -> bool:
            # Repeated if needed: the kernel keeps a name that is being looked up at that moment.
            self.mounted.refresh()
            time.sleep(0.005)
            return all(file.stat().st_size != size for file, size in zip(files, before, strict=True))

        wait_until(is_refreshed, "the refresh")

    @rule(key=st.sampled_from(KEYS), content=st.binary(max_size=40), times=st.sampled_from([1, 1, 5000]))
    def put(self, key: str, content: bytes, times: int) -> None:
        file, new = self.store / key, self.store.parent / "new"
        new.write_bytes(content * times)
        type(self).moment_ns += 10**9
        os.utime(
            new, ns=(self.moment_ns, self.moment_ns)
        )  # two versions with one time could not be distinguished
        file.parent.mkdir(parents=True, exist_ok=True)
        os.replace(new, file)
        self.blobs[key] = content * times
        self.settle()

    @precondition(lambda self: self.blobs)
    @rule(data=st.data())
    def erase(self, data: st.DataObject) -> None:
        key = data.draw(st.sampled_from(sorted(self.blobs)))
        (self.store / key).unlink()
        del self.blobs[key]
        self.settle()

    @rule(
        name=st.sampled_from(NAMES),
        dtype=st.sampled_from(TYPES),
        lengths=st.lists(st.tuples(SMALL, SMALL, st.integers(1, 3)), max_size=3),
        sharded=st.booleans(),
    )
    def make(self, name: str, dtype: str, lengths: list[tuple[int, int, int]], sharded: bool) -> None:
        shape = tuple(length for length, _, _ in lengths)
        chunk = tuple(length for _, length, _ in lengths)
        shard = tuple(length * times for _, length, times in lengths) if sharded else None
        fill = values(dtype, (1,))[0]
        self.hierarchy.create_array(
            f"/{name}",
            shape=shape,
            data_type=np.dtype(dtype),
            chunk_shape=chunk,
            shard_shape=shard,
            fill_value=fill,
            overwrite=True,
        )
        self.arrays[name] = np.full(shape, fill, dtype)
        self.settle()

    @precondition(lambda self: self.arrays)
    @rule(data=st.data(), seed=st.integers(0, 99))
    def write(self, data: st.DataObject, seed: int) -> None:
        name = data.draw(st.sampled_from(sorted(self.arrays)))
        model = self.arrays[name]
        part = tuple(slice(*sorted(data.draw(st.tuples(SMALL, SMALL)))) for _ in model.shape) or ...
        model[part] = values(model.dtype, model[part].shape, seed)
        self.array(name)[part] = model[part]
        self.settle()

    @precondition(lambda self: self.arrays)
    @rule(data=st.data())
    def erase_array(self, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(sorted(self.arrays)))
        self.hierarchy.erase(f"/{name}")
        del self.arrays[name]
        self.settle()

    def array(self, name: str) -> zc.Array:
        array = self.hierarchy[name]
        assert isinstance(array, zc.Array)
        return array

    @rule(key=st.sampled_from(KEYS), offset=st.integers(0, 300_000), nbytes=st.integers(0, 100_000))
    def look(self, key: str, offset: int, nbytes: int) -> None:
        file = self.mounted.keys / shown(key)
        if key not in self.blobs:
            assert not file.exists()
            return
        content = self.blobs[key]
        assert file.stat().st_size == len(content)
        assert file.read_bytes() == content
        with file.open("rb", buffering=0) as opened:
            assert os.pread(opened.fileno(), nbytes, offset) == content[offset : offset + nbytes]

    @precondition(lambda self: self.blobs)
    @rule(data=st.data())
    def hold(self, data: st.DataObject) -> None:
        key = data.draw(st.sampled_from(sorted(self.blobs)))
        self.open[os.open(self.mounted.keys / shown(key), os.O_RDONLY)] = self.blobs[key]

    @precondition(lambda self: self.open)
    @rule(data=st.data(), offset=st.integers(0, 300_000))
    def read_on(self, data: st.DataObject, offset: int) -> None:
        """An open file stays one version, or gives ESTALE."""
        descriptor = data.draw(st.sampled_from(sorted(self.open)))
        found, number = None, None
        try:
            found = os.pread(descriptor, 1 << 20, offset)
        except OSError as error:
            number = error.errno
        assert number == errno.ESTALE or found == self.open[descriptor][offset:]

    @rule()
    def list_all(self) -> None:
        for folder, folders, files in os.walk(self.store):
            where = self.mounted.keys / shown(os.path.relpath(folder, self.store).removeprefix("."))
            assert sorted(os.listdir(where)) == sorted(map(file_name, folders + files))
        for tree, documents in (("arrays", {"metadata.json", "attributes.json"}), ("zarr3", {"zarr.json"})):
            # Any folder may be a group without a document; this is not tested here.
            found = {*os.listdir(self.mounted.path / tree)} - {"blobs"}
            assert found == {name for name in self.arrays if "/" not in name} | documents | {"group"}
            found = {*os.listdir(self.mounted.path / tree / "group")}
            assert found == {name[6:] for name in self.arrays if name.startswith("group/")} | documents

    @rule(name=st.sampled_from(NAMES), data=st.data(), uncached=st.booleans())
    def read(self, name: str, data: st.DataObject, uncached: bool) -> None:
        folder = self.mounted.arrays / name
        if name not in self.arrays:
            assert not (folder / "data.raw").exists()
            return
        model = self.arrays[name]
        assert json.loads((folder / "metadata.json").read_bytes())["shape"] == list(model.shape)
        for file, expected in self.files(name, data):
            assert file.stat().st_size == len(expected)
            descriptor = os.open(file, os.O_RDONLY)
            try:
                if uncached:
                    os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
                offset = data.draw(st.integers(0, len(expected)))
                assert os.pread(descriptor, 5000, offset) == expected[offset : offset + 5000], file
            finally:
                os.close(descriptor)

    def files(self, name: str, data: st.DataObject) -> Iterator[tuple[Path, bytes]]:
        """Files of an array, listed and not, and their content."""
        folder, model = self.mounted.arrays / name, self.arrays[name]
        yield folder / "data.raw", model.tobytes()
        yield folder / "data.npy", npy(model)
        if model.ndim:
            index = data.draw(st.integers(0, model.shape[0] - 1))
            yield folder / f"[{index}].npy", npy(model[index])
            backwards = "[::-1,...,-1].raw" if model.ndim > 1 else "[::-1].raw"
            yield folder / backwards, reverse(model).tobytes()
            if (folder / "slices").exists():
                yield folder / "slices" / f"{index}.raw", model[index].tobytes()
        plain = PlainChunks(self.array(name))
        index = tuple(data.draw(st.integers(0, length - 1)) for length in plain.grid_shape)
        yield self.mounted.path.joinpath("zarr3", name, "c", *map(str, index)), plain.encoded(index)


def shown(key: str) -> str:
    return "/".join(file_name(part) for part in key.split("/") if part)


def reverse(model: np.ndarray) -> np.ndarray:
    return model[::-1, ..., -1] if model.ndim > 1 else model[::-1]


def npy(model: np.ndarray | np.generic) -> bytes:
    stream = io.BytesIO()
    np.save(stream, model)
    return stream.getvalue()


@pytest.mark.parametrize("ttl", ["0", "forever"])
def test_a_mount_shows_what_the_store_holds(tmp_path: Path, mount: Mounter, ttl: str) -> None:
    (tmp_path / "h.zarr").mkdir()
    state: dict[str, Any] = {"store": tmp_path / "h.zarr", "is_kept": ttl == "forever"}
    state["mounted"] = mount(tmp_path / "h.zarr", "--metadata-ttl", ttl, "--cache-size", "1MiB")
    model = type("Model", (MountModel,), state)
    run_state_machine_as_test(
        model, settings=settings(max_examples=25, stateful_step_count=25, deadline=None)
    )
    for line in state["mounted"].log.read_text().splitlines():
        assert line.endswith("changed while it was open")
    assert set(state["mounted"].stats()["errors"]) <= {"ENOENT", "ESTALE"}
