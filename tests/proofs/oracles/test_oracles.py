"""The short form of ``packaging/prove oracle-…``."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from tests.campaigns import ALL
from tests.proofs.oracles import exchange, strategies
from tests.proofs.oracles.peers import PEERS
from zarrcore.typing import AnyArray

_SEED = 0
_EXAMPLES = exchange.EXAMPLES if ALL else 10


@pytest.mark.parametrize("name", PEERS)
def test_both_read_what_both_wrote(name: str) -> None:
    if name == "z5py" and importlib.util.find_spec(name) is None:
        pytest.skip("no z5py, which has packages for one kind of processor only")
    assert exchange.trial(_SEED, name, _EXAMPLES) == 2 * _EXAMPLES


def test_arrays_of_the_strategies_of_zarr_python_read() -> None:
    assert strategies.trial(_SEED, _EXAMPLES) == _EXAMPLES


def test_a_wrong_element_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a peer that changes one bit."""
    read = PEERS["tensorstore"].read

    def read_wrongly(path: Path, format_name: str) -> AnyArray:
        found = np.array(read(path, format_name))
        found.reshape(-1).view("u1")[:1] ^= 1
        return found

    monkeypatch.setattr(type(PEERS["tensorstore"]), "read", staticmethod(read_wrongly))
    with pytest.raises(AssertionError, match="the peer"):
        exchange.trial(_SEED, "tensorstore", 5)
