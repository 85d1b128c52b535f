"""Elements of variable length in global heaps."""

from __future__ import annotations

import io
from random import Random

import h5py
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import zarrcore
from tests.core.stores.hdf5.written import node, opened, written
from zarrcore.hierarchy.collections.collection import open_place
from zarrcore.stores import MemoryStore
from zarrcore.stores.hdf5.heaps.global_heaps import GlobalHeaps
from zarrcore.stores.hdf5.store import Hdf5Store
from zarrcore.stores.virtual.file_reader import BrokenFileError


def test_texts_beyond_what_is_kept_are_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zarrcore.stores.hdf5.heaps.global_heaps._KEPT_NBYTES", 1)
    texts = [f"{number}" * 500 for number in range(100)]
    file = written(lambda file: file.create_dataset("a", data=np.array(texts, object)))
    dataset = node(file, "a").dataset
    assert dataset.chunk((0,)) == dataset.chunk((0,))
    assert all(text.encode() in dataset.chunk((0,)) for text in texts)


def test_no_heap_is_one_sentence() -> None:
    file = written(lambda file: file.create_dataset("a", data=np.arange(100)))
    with pytest.raises(BrokenFileError, match="heap is at byte 0"):
        GlobalHeaps(file.reader).object(0, 1)


def test_texts_of_a_chunk_that_take_too_much_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zarrcore.stores.hdf5.dataset._MAX_VARIABLE_NBYTES", 2 << 20)
    texts = ["a" * (1 << 20)] * 3
    file = written(lambda file: file.create_dataset("a", data=np.array(texts, object)))
    with pytest.raises(BrokenFileError, match="the elements of a chunk take more than 2 MiB"):
        node(file, "a").dataset.chunk((0,))


@given(
    st.lists(
        st.text(st.characters(exclude_characters="\0", codec="utf-8"), max_size=9), min_size=1, max_size=40
    ),
    st.integers(1, 200),
    st.integers(1, 120),
    st.randoms(use_true_random=False),
)
@settings(max_examples=60)
def test_texts_are_those_of_h5py(texts: list[str], count: int, chunk: int, random: Random) -> None:
    """In runs, with gaps, and with objects that were written again."""
    values = np.array([texts[i % len(texts)] * (1 + i // 50) for i in range(count)], object)
    memory = io.BytesIO()
    with h5py.File(memory, "w") as file:
        made = file.create_dataset("a", (count,), h5py.string_dtype(), chunks=(min(chunk, count),))
        made[...] = values
        for _ in range(random.choice((0, 0, 3))):
            at = random.randrange(count)
            values[at : at + 5] = made[at : at + 5] = random.choice(texts)
    hierarchy: zarrcore.Hierarchy = open_place(
        Hdf5Store(MemoryStore("", {"a.h5": memory.getvalue()}), "a.h5", "memory://a.h5")
    )
    with h5py.File(memory) as file:
        assert hierarchy["a"][...].tolist() == file["a"].asstr()[...].tolist() == values.tolist()


def test_runs_of_texts_end_where_their_heads_say_otherwise() -> None:
    """A number or size of an object that is changed in the file: the others are read, or it is an error."""
    texts = [f"text {number}" for number in range(100)]
    file = written(lambda file: file.create_dataset("a", data=np.array(texts, object)))
    content = bytearray(file.reader.read(0, file.reader.nbytes, "it"))
    expected = node(file, "a").dataset.chunk((0,))
    at = content.index(b"text 50") - 16
    for place, value in ((at, 99), (at + 8, 3)):
        changed = bytearray(content)
        changed[place] = value
        with pytest.raises(BrokenFileError):
            node(opened(bytes(changed)), "a").dataset.chunk((0,))
    content[at + 8] = 8  # longer than the reference says, as a program may write it
    assert node(opened(bytes(content)), "a").dataset.chunk((0,)) == expected


def test_texts_end_at_their_first_nul() -> None:
    texts = np.array([b"a\0b", b"c\0", b"d"] * 10, object)
    kind = h5py.vlen_dtype(np.dtype("u1"))
    file = written(
        lambda file: file.create_dataset("a", data=[np.frombuffer(text, "u1") for text in texts], dtype=kind)
    )
    content = bytearray(file.reader.read(0, file.reader.nbytes, "it"))
    as_text = written(lambda file: file.create_dataset("a", data=np.array(["x"] * 30, object)))
    dataset, expected = node(as_text, "a").dataset, [text.partition(b"\0")[0] for text in texts]
    with h5py.File(io.BytesIO(content)) as opened_file:
        place = opened_file["a"].id.get_offset()
    dataset._heaps = GlobalHeaps(file.reader)
    dataset.chunk_shape = (30,)
    encoded = dataset._value(bytes(content[place : place + 480]))
    assert encoded == (30).to_bytes(4, "little") + b"".join(
        len(text).to_bytes(4, "little") + text for text in expected
    )


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
