"""Arrays in a mount: made and written from outside and through the mount, and read in each of their files."""

from __future__ import annotations

import errno
import io
import json
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

import zarrcore as zc
from tests.hierarchies import values
from tests.proofs.models.handles import errno_of
from tests.proofs.models.mount_keys import KeysModel
from zarrcore.filetypes import PlainChunks

ARRAYS = ("a", "b", "c")
TYPES = ("u1", "<i2", "<f4", "<c8", "S3")
SMALL = st.integers(1, 9)


class MountModel(KeysModel):
    """Keys and arrays."""

    def node(self, name: str) -> zc.Array:
        node = self.hierarchy[f"/{self.group}/{name}"]
        assert isinstance(node, zc.Array)
        return node

    @rule(
        name=st.sampled_from(ARRAYS),
        dtype=st.sampled_from(TYPES),
        lengths=st.lists(st.tuples(SMALL, SMALL, st.integers(1, 3)), max_size=3),
        sharded=st.booleans(),
    )
    def make_array(self, name: str, dtype: str, lengths: list[tuple[int, int, int]], sharded: bool) -> None:
        self.assume_outside(f"array {name}")
        shape = tuple(length for length, _, _ in lengths)
        fill = values(dtype, (1,))[0]
        self.hierarchy.create_array(
            f"/{self.group}/{name}",
            shape=shape,
            dtype=np.dtype(dtype),
            chunks=tuple(length for _, length, _ in lengths),
            shards=tuple(length * times for _, length, times in lengths) if sharded else None,
            fill_value=fill,
            overwrite=True,
        )
        self.arrays[name] = np.full(shape, fill, dtype)
        self.settle(always=True)

    @precondition(lambda self: self.arrays)
    @rule(data=st.data(), number=st.integers(0, 99))
    def write_array_outside(self, data: st.DataObject, number: int) -> None:
        name = data.draw(st.sampled_from(sorted(self.arrays)))
        self.assume_outside(f"array {name}")
        model = self.arrays[name]
        if self.ttl_s:
            self.former.setdefault(name, []).append(model.copy())
        part = tuple(slice(*sorted(data.draw(st.tuples(SMALL, SMALL)))) for _ in model.shape) or ...
        model[part] = values(model.dtype, model[part].shape, number)
        self.node(name)[part] = model[part]

    @precondition(lambda self: self.place.is_writable and self.arrays)
    @rule(data=st.data(), suffix=st.sampled_from(["raw", "npy"]), number=st.integers(0, 99))
    def write_array(self, data: st.DataObject, suffix: str, number: int) -> None:
        """S34: in place; "All who have the file open see what was written at once"."""
        self.settle()
        name = data.draw(st.sampled_from(sorted(self.arrays)))
        model = self.arrays[name]
        file = self.place.mounted.arrays / self.group / name / f"data.{suffix}"
        start = len(npy(model)) - model.nbytes if suffix == "npy" else 0
        offset = data.draw(st.integers(0, model.nbytes))
        nbytes = data.draw(st.integers(0, model.nbytes - offset))
        content = np.random.default_rng(number).bytes(nbytes)
        if model.dtype.kind == "f":
            content = bytes(nbytes)  # no two NaN that differ
        elements = bytearray(model.tobytes())
        elements[offset : offset + nbytes] = content
        if model.dtype.kind in "fc":
            elements = bytearray(np.nan_to_num(np.frombuffer(elements, model.dtype)).tobytes())
            content = bytes(elements[offset : offset + nbytes])
            elements[:] = model.tobytes()
            elements[offset : offset + nbytes] = content
        writer, reader = os.open(file, os.O_RDWR), os.open(file, os.O_RDONLY)
        try:
            assert os.pwrite(writer, content, start + offset) == nbytes
            for descriptor in (writer, reader):
                assert os.pread(descriptor, 1 << 20, start) == elements
            assert errno_of(lambda: os.ftruncate(writer, start + len(elements) + 1))[0] == errno.EPERM
        finally:
            os.close(writer)
            os.close(reader)
        model[...] = np.frombuffer(bytes(elements), model.dtype).reshape(model.shape)
        self.check_array(name)

    @precondition(lambda self: self.place.is_writable)
    @rule(name=st.sampled_from(ARRAYS), number=st.integers(0, 99), lengths=st.lists(SMALL, max_size=3))
    def make_array_inside(self, name: str, number: int, lengths: list[int]) -> None:
        """S35: "A file X.npy written into a group becomes the array X when it is closed"."""
        assume(name not in self.arrays)
        self.settle()
        model = values("<i2", tuple(lengths), number)
        (self.place.mounted.arrays / self.group / f"{name}.npy").write_bytes(npy(model))
        self.arrays[name] = np.array(model)
        self.check_array(name)

    def check_array(self, name: str) -> None:
        """The store holds the elements of the model, which were written through the mount."""
        self.mine.add(f"array {name}")
        self.place.store.refresh()
        array = zc.open_hierarchy(self.place.store)[f"/{self.group}/{name}"]
        assert isinstance(array, zc.Array)
        assert np.asarray(array[...]).tobytes() == self.arrays[name].tobytes()

    @precondition(lambda self: self.arrays)
    @rule(data=st.data())
    def erase_array(self, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(sorted(self.arrays)))
        self.assume_outside(f"array {name}")
        self.hierarchy.erase(f"/{self.group}/{name}")
        del self.arrays[name]
        self.settle(always=True)

    @rule(name=st.sampled_from(ARRAYS), data=st.data(), uncached=st.booleans())
    def read_array(self, name: str, data: st.DataObject, uncached: bool) -> None:
        folder = self.place.mounted.arrays / self.group / name
        if name not in self.arrays:
            assert not (folder / "data.raw").exists()
            return
        former = self.former.get(name)
        if former is not None:  # each chunk is of any time since the last refresh, or of the time to live
            found = np.frombuffer((folder / "data.raw").read_bytes(), self.arrays[name].dtype)
            known = np.array([part.reshape(-1) for part in (self.arrays[name], *former)])
            assert (known == found).any(axis=0).all()
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
        mounted, model = self.place.mounted, self.arrays[name]
        folder = mounted.arrays / self.group / name
        yield folder / "data.raw", model.tobytes()
        yield folder / "data.npy", npy(model)
        if model.ndim:
            index = data.draw(st.integers(0, model.shape[0] - 1))
            part = model[index, ...]  # a scalar would lose the trailing zeros of fixed-length bytes
            yield folder / f"[{index}].npy", npy(part)
            backwards = "[::-1,...,-1].raw" if model.ndim > 1 else "[::-1].raw"
            yield folder / backwards, reverse(model).tobytes()
            if (folder / "slices").exists():
                yield folder / "slices" / f"{index}.raw", part.tobytes()
        plain = PlainChunks(self.node(name))
        index = tuple(data.draw(st.integers(0, length - 1)) for length in plain.grid_shape)
        yield mounted.path.joinpath("zarr3", self.group, name, "c", *map(str, index)), plain.encoded(index)

    @rule()
    def list_nodes(self) -> None:
        self.settle()
        for tree, documents in (("arrays", {"metadata.json", "attributes.json"}), ("zarr3", {"zarr.json"})):
            found = {*os.listdir(self.place.mounted.path / tree / self.group)}
            assert found == self.arrays.keys() | documents


def reverse(model: np.ndarray) -> np.ndarray:
    return model[::-1, ..., -1] if model.ndim > 1 else model[::-1]


def npy(model: np.ndarray | np.generic) -> bytes:
    stream = io.BytesIO()
    np.save(stream, model)
    return stream.getvalue()
