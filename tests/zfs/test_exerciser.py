"""``--read-write``: random reads, writes, truncations and mappings by several handles act as on an ordinary file."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.zfs.conftest import Mount, Mounter
from tests.zfs.exerciser import exercise_array, exercise_key, make_store

OPERATIONS = 150


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory, mounter: Mounter) -> tuple[Path, Mount]:
    store = tmp_path_factory.mktemp("exerciser") / "store.zarr"
    make_store(store)
    return store, mounter(store, "--read-write")


@pytest.mark.sampled
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("suffix", ["raw", "npy"])
def test_the_file_of_an_array_acts_like_an_ordinary_file(
    place: tuple[Path, Mount], tmp_path: Path, suffix: str, seed: int
) -> None:
    """S34: "All handles of the file see written data at once"."""
    store, mounted = place
    exercise_array(mounted, store, tmp_path / "plain", suffix, seed, OPERATIONS)


@pytest.mark.parametrize("seed", range(10))
def test_the_file_of_a_key_acts_like_an_ordinary_file(
    place: tuple[Path, Mount], tmp_path: Path, seed: int
) -> None:
    """S31: "All writers of one key in a mount share one value, as with any file"."""
    store, mounted = place
    exercise_key(mounted, store, tmp_path / "plain", seed, OPERATIONS)
