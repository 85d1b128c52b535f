"""A trial of exchange: another implementation and zarrscope write to the same arrays in turns, and both read the result."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import basic_indices

import zarrcore as zc
from tests.proofs.oracles import zarrscope
from tests.proofs.oracles.description import Description, descriptions, writes
from tests.proofs.oracles.peers import PEERS, Peer
from zarrcore.typing import AnyArray

EXAMPLES: Final = 25
"""Arrays in each direction."""

Array = AnyArray
_READS_PLAIN: Final = "zarr-python"
"""The peer that reads ``zarr3/``."""


def trial(trial_seed: int, name: str, examples: int = EXAMPLES) -> int:
    """Exchange random arrays with a peer; returns their number.

    Raises:
        AssertionError: the two do not read the same elements.
    """
    peer = PEERS[name]

    @examples_of(trial_seed, examples)
    @given(data=st.data())
    def exchange_arrays(data: st.DataObject) -> None:
        description = data.draw(descriptions(peer.knowledge))
        for is_ours in (False, True):
            with tempfile.TemporaryDirectory() as folder:
                _exchange(peer, description, is_ours, data, Path(folder))

    exchange_arrays()
    return 2 * examples


def examples_of(trial_seed: int, count: int) -> Callable[[Callable[[], None]], Callable[[], None]]:
    """Make Hypothesis try that many examples, which follow from the seed."""
    phases = (Phase.generate, Phase.shrink)
    checks = list(HealthCheck)
    options = settings(
        max_examples=count, database=None, deadline=None, phases=phases, suppress_health_check=checks
    )
    return lambda test: seed(trial_seed)(options(test))


def _exchange(peer: Peer, description: Description, is_ours: bool, data: st.DataObject, folder: Path) -> None:
    name = "a"
    zc.create(folder / "x", format=description.format)
    path = folder / "x" / name
    if is_ours:
        zarrscope.create(folder / "x", name, description)
    else:
        peer.create(path, description)
    expected = np.full(description.shape, description.fill_value, description.dtype)
    for number in range(data.draw(st.integers(0, 3))):
        by_us = is_ours == (number % 2 == 0)
        whole_edges = not by_us and peer.knowledge[description.format].whole_edges
        change = data.draw(writes(description, whole_edges))
        if by_us:
            zarrscope.write(folder / "x", name, description, change)
        else:
            peer.write(path, description, change)
        expected[change.region] = change.values(description)

    check_same(peer.read(path, description.format), expected, "the peer")
    check_read(folder / "x", name, expected, data)


def check_read(folder: Path, path: str, expected: Array, data: st.DataObject) -> None:
    """Read an array by the library, by a selection, and by other programs through the trees of the mount.

    Raises:
        AssertionError: one of them finds other elements.
    """
    array = zarrscope.opened(folder, path)
    check_same(array[...], expected, "the library")
    if expected.shape:
        selection = data.draw(basic_indices(expected.shape, allow_newaxis=False))
        check_same(array[selection], np.asarray(expected[selection]), f"the library for {selection}")
    with tempfile.TemporaryDirectory() as temporary:
        plain = Path(temporary) / "plain"
        zarrscope.export_zarr3(folder, path, plain)
        check_same(PEERS[_READS_PLAIN].read(plain, "v3"), expected, "zarr3/")
    if expected.dtype.kind in "biufc":
        check_same(zarrscope.read_hdf5(folder, path), expected, "hdf5/")


def check_same(found: Any, expected: Array, reader: str) -> None:
    """Compare bits; a number of the other byte order is the same.

    Raises:
        AssertionError: something differs.
    """
    found = np.asarray(found)
    found = found.astype(found.dtype.newbyteorder("="))
    assert found.dtype == expected.dtype, f"{reader}: {found.dtype}"
    assert found.shape == expected.shape, f"{reader}: {found.shape}"
    assert found.tobytes() == expected.tobytes(), f"{reader}:\n{found}\nexpected\n{expected}"
