"""Local, global and fractal heaps."""

from __future__ import annotations

import io

import h5py
import numpy as np
import pytest

from tests.core.stores.hdf5.written import node, written
from zarrcore.stores.hdf5.heaps import FractalHeap, GlobalHeaps, LocalHeap
from zarrcore.stores.virtual.file_reader import BrokenFileError


def test_objects_of_all_sizes_of_a_fractal_heap() -> None:
    sizes = (1, 10, 1000, 5000, 60_000, 200_000)

    def write(file: h5py.File) -> None:
        for number in range(40):
            file.attrs[f"small {number}"] = number
        for size in sizes:
            file.attrs[f"of {size}"] = np.full(size, size % 251, "u1")

    file = written(write, libver="latest")
    found = node(file, "").attributes
    for size in sizes:
        assert found[f"of {size}"].data[:size] == bytes((size % 251,)) * size


def test_texts_beyond_what_is_kept_are_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zarrcore.stores.hdf5.heaps._KEPT_NBYTES", 1)
    texts = [f"{number}" * 500 for number in range(100)]
    file = written(lambda file: file.create_dataset("a", data=np.array(texts, object)))
    dataset = node(file, "a").dataset
    assert dataset.chunk((0,)) == dataset.chunk((0,))
    assert all(text.encode() in dataset.chunk((0,)) for text in texts)


@pytest.mark.parametrize(
    "kind", [LocalHeap, FractalHeap, lambda reader, at: GlobalHeaps(reader).object(at, 1)]
)
def test_no_heap_is_one_sentence(kind: object) -> None:
    file = written(lambda file: file.create_dataset("a", data=np.arange(100)))
    with pytest.raises(BrokenFileError, match="heap is at byte 0"):
        kind(file.reader, 0)


def test_texts_of_a_chunk_that_take_too_much_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zarrcore.stores.hdf5.dataset._MAX_VARIABLE_NBYTES", 2 << 20)
    texts = ["a" * (1 << 20)] * 3
    file = written(lambda file: file.create_dataset("a", data=np.array(texts, object)))
    with pytest.raises(BrokenFileError, match="the elements of a chunk take more than 2 MiB"):
        node(file, "a").dataset.chunk((0,))


def test_references_to_texts_are_followed_or_refused() -> None:
    texts = ["one", "", "three"]
    file = written(lambda file: file.create_dataset("a", data=np.array(texts, object)))
    with h5py.File(io.BytesIO(file.reader.read(0, file.reader.nbytes, "it"))) as opened:
        place = opened["a"].id.get_offset()
    stored = file.reader.read(place, 48, "the references")
    heaps = GlobalHeaps(file.reader)
    assert list(heaps.texts(stored, 3)) == [b"one", b"", b"three"]
    assert list(heaps.texts(stored[32:] + stored[:16], 2)) == [b"three", b"one"]
    assert list(heaps.texts((2).to_bytes(4, "little") + stored[4:], 1)) == [b"on"]
    with pytest.raises(BrokenFileError, match="ends early"):
        list(heaps.texts(stored[:-1], 3))
    with pytest.raises(BrokenFileError, match="has no object 999"):
        list(heaps.texts(stored[:12] + (999).to_bytes(4, "little"), 1))
    with pytest.raises(BrokenFileError, match="longer than its object"):
        list(heaps.texts((99).to_bytes(4, "little") + stored[4:], 1))
