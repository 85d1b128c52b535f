"""Every array that zarr-python wrote reads bit for bit: whole, by chunks, by any basic selection, by the command."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import basic_indices

import zarrcore
from tests.command import Outcome
from tests.conftest import Written
from tests.hierarchies import ATTRIBUTES


@pytest.fixture(scope="module")
def opened(hierarchy: Written) -> zarrcore.Hierarchy:
    return zarrcore.open_hierarchy(hierarchy.path)


@pytest.fixture(scope="module")
def opened_with_cache(hierarchy: Written) -> zarrcore.Hierarchy:
    """With a cache that holds some chunks and must drop others all the time."""
    return zarrcore.open_hierarchy(hierarchy.path, chunk_cache=zarrcore.ChunkCache(5000))


def difference(found: np.ndarray, expected: np.ndarray) -> str:
    """In what two arrays differ, or an empty text; NaNs are compared by their bits."""
    for what in ("dtype", "shape"):
        if getattr(found, what) != getattr(expected, what):
            return f"{what} {getattr(found, what)}, expected {getattr(expected, what)}"
    if found.tobytes() != expected.tobytes():
        return f"elements\n{found!r}\nexpected\n{expected!r}"
    return ""


def check_all(
    written: Written, read: Callable[[str, np.ndarray], Iterator[tuple[np.ndarray, np.ndarray]]]
) -> None:
    """Compare what ``read(path, expected)`` yields for each array, and show all that are wrong at once."""
    wrong = {}
    for path, expected in written.expected.items():
        try:
            differences = [text for pair in read(path, expected) if (text := difference(*pair))]
        except zarrcore.ZarrError as error:
            differences = [f"{type(error).__name__}: {error}"]
        if differences:
            wrong[path] = differences[0]
    assert not wrong, "\n".join(f"{path}: {text}" for path, text in wrong.items())


def test_walking_finds_every_array_and_nothing_broken(hierarchy: Written, opened: zarrcore.Hierarchy) -> None:
    nodes = list(opened.walk())
    assert [(node.path, str(node.error)) for node in nodes if isinstance(node, zarrcore.BrokenNode)] == []
    assert {node.path for node in nodes if isinstance(node, zarrcore.Array)} == set(hierarchy.expected)
    assert "/names/empty-group" in {node.path for node in nodes if isinstance(node, zarrcore.Group)}


def test_every_array_as_a_whole(hierarchy: Written, opened: zarrcore.Hierarchy) -> None:
    check_all(hierarchy, lambda path, expected: iter([(np.asarray(opened[path]), expected)]))


def test_every_array_chunk_by_chunk(hierarchy: Written, opened: zarrcore.Hierarchy) -> None:
    def read(path: str, expected: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        array = opened[path]
        for index in np.ndindex(*array.chunk_grid_shape):
            lengths = zip(index, array.chunk_shape, strict=True)
            part = expected[(..., *(slice(i * length, (i + 1) * length) for i, length in lengths))]
            yield array.read_chunk(index), part

    check_all(hierarchy, read)


def test_every_array_into_a_buffer_with_gaps(hierarchy: Written, opened: zarrcore.Hierarchy) -> None:
    def read(path: str, expected: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        padded = np.zeros((*expected.shape, 2), expected.dtype)
        opened[path].read(..., out=padded[..., 1])
        yield padded[..., 1], expected
        yield padded[..., 0], np.zeros_like(expected)

    check_all(hierarchy, read)


@pytest.mark.parametrize("cached", [False, True])
@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_any_basic_selection(
    hierarchy: Written,
    opened: zarrcore.Hierarchy,
    opened_with_cache: zarrcore.Hierarchy,
    cached: bool,
    data: st.DataObject,
) -> None:
    path = data.draw(st.sampled_from(sorted(hierarchy.expected)))
    expected = hierarchy.expected[path]
    selections = (
        basic_indices(expected.shape, allow_newaxis=False) if expected.shape else st.sampled_from([(), ...])
    )
    selection = data.draw(selections)
    array = (opened_with_cache if cached else opened)[path]
    found, wanted = array[selection], expected[selection]
    assert type(found) is type(wanted)
    assert difference(np.asarray(array.read(selection)), np.asarray(wanted, expected.dtype)) == ""


def test_fill_values_keep_their_bits(hierarchy: Written, opened: zarrcore.Hierarchy) -> None:
    for path, expected in hierarchy.expected.items():
        if path.startswith("/fill/"):
            fill = np.asarray(opened[path].fill_value, expected.dtype)
            assert difference(fill, expected[-1, -1:].reshape(())) == "", path


def test_attributes_are_those_written(hierarchy: Written, opened: zarrcore.Hierarchy) -> None:
    assert opened["/"].attributes == ATTRIBUTES
    assert opened["/names/attributes"].attributes == ATTRIBUTES
    assert opened["/names/empty-group"].attributes == {"only": "attributes"}


def test_dimension_names_are_those_written(v3_hierarchy: Written) -> None:
    opened = zarrcore.open_hierarchy(v3_hierarchy.path)
    assert opened["/names/dimensions"].dimension_names == ("time", None, "x")
    assert opened["/names/attributes"].dimension_names is None


FIRST_USE = """
import sys, threading, zarrcore
start, arrays = threading.Barrier(len(sys.argv) - 2), []
def read(path):
    start.wait()
    arrays.append(zarrcore.open_hierarchy(sys.argv[1])[path][...])
threads = [threading.Thread(target=read, args=(path,)) for path in sys.argv[2:]]
for thread in threads: thread.start()
for thread in threads: thread.join()
sys.exit(len(threads) - len(arrays))
"""


def test_codecs_used_first_in_several_threads_at_once(v3_hierarchy: Written) -> None:
    """Their libraries are imported at first use, which must not collide: so in a process that has used none."""
    paths = ("/codecs/blosc-lz4-shuffle", "/codecs/zstd", "/codecs/gzip", "/codecs/crc32c", "/shards/end")
    command = [sys.executable, "-c", FIRST_USE, v3_hierarchy.path, *paths]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, [line for line in done.stderr.splitlines() if "Error" in line]


def test_cat_prints_the_bytes_of_every_array(hierarchy: Written, zarrscope: Callable[..., Outcome]) -> None:
    wrong = []
    for path, expected in hierarchy.expected.items():
        outcome = zarrscope("cat", hierarchy.path, path, "--as", "raw")
        if outcome.status or outcome.stdout != expected.tobytes():
            wrong.append((path, outcome.status, outcome.stderr))
    assert wrong == []


@pytest.mark.sampled
@pytest.mark.parametrize("path", ["/types/complex128", "/shapes/volume", "/names/größe"])
def test_cat_prints_a_selection_from_a_process_of_its_own(
    hierarchy: Written, zarrscope_process: Callable[..., Outcome], path: str
) -> None:
    outcome = zarrscope_process("cat", hierarchy.path, path, "--select", "1:5,...,-1", "--as", "raw")
    assert (outcome.status, outcome.stderr) == (0, "")
    assert outcome.stdout == hierarchy.expected[path][1:5, ..., -1].tobytes()
