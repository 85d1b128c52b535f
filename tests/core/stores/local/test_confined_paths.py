"""Opening files strictly beneath a directory: neither ``..`` nor a link leads out of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.core.stores.local.test_links import OUTSIDE, make_links
from zarrcore.errors import StoreError
from zarrcore.stores import LocalStore
from zarrcore.stores.local import confined_paths as beneath
from zarrcore.stores.local import store as local_module


@pytest.mark.parametrize("opener", [beneath._open_checked, beneath.open_by_kernel])
def test_without_proc_no_key_counts_as_absent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opener: Callable[[int, str, int], int]
) -> None:
    def readlink(path: str) -> str:
        raise FileNotFoundError(2, "No such file or directory", path)

    monkeypatch.setattr(local_module, "open_beneath", opener)
    store = LocalStore(make_links(tmp_path))
    monkeypatch.setattr(os, "readlink", readlink)
    for read in (store.get, store.stat):
        with pytest.raises(StoreError, match="/proc is not mounted"):
            read("absolute/x")


Open = Callable[[int, str, int], int]


@pytest.fixture(params=[beneath.open_by_kernel, beneath._open_checked], ids=["openat2", "checked"])
def open_beneath(request: pytest.FixtureRequest) -> Open:
    """Both ways of opening: the second is used where a sandbox forbids the first."""
    return request.param


@pytest.fixture
def directory(tmp_path: Path) -> Iterator[int]:
    """A descriptor of a directory with links."""
    descriptor = os.open(make_links(tmp_path), beneath.DIRECTORY)
    yield descriptor
    os.close(descriptor)


@pytest.mark.parametrize("path", ["a/x", "relative/x", "absolute/x", "a/../a/x", "a/../absolute/x"])
def test_paths_that_stay_inside_are_opened(directory: int, open_beneath: Open, path: str) -> None:
    descriptor = open_beneath(directory, path, beneath.READ)
    try:
        assert os.read(descriptor, 10) == b"inside"
        assert not os.get_inheritable(descriptor)
    finally:
        os.close(descriptor)


@pytest.mark.parametrize("path", [*OUTSIDE, "../secret", "a/../../secret", "..", "relative/../../secret"])
def test_paths_that_lead_out_are_refused_and_leave_no_descriptor(
    directory: int, open_beneath: Open, path: str
) -> None:
    before = set(os.listdir("/proc/self/fd"))
    for flags in (beneath.READ, beneath.LOOK):
        with pytest.raises(beneath.OutsideError, match="a symbolic link leads out"):
            open_beneath(directory, path, flags)
    assert set(os.listdir("/proc/self/fd")) <= before, "objects of earlier tests may close theirs at any time"


@pytest.mark.parametrize(
    ("path", "error"),
    [("a/absent", FileNotFoundError), ("a/x/y", NotADirectoryError), ("dangling", FileNotFoundError)],
)
def test_other_failures_are_those_of_the_operating_system(
    directory: int, open_beneath: Open, path: str, error: type[OSError]
) -> None:
    with pytest.raises(error) as caught:
        open_beneath(directory, path, beneath.READ)
    assert caught.value.filename == path


def test_a_named_pipe_does_not_block_the_reader(directory: int, open_beneath: Open, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "root" / "pipe")
    os.close(open_beneath(directory, "pipe", beneath.READ))


def test_links_are_followed_anywhere_on_request(directory: int) -> None:
    descriptor = beneath.open_following(directory, "relative-out", beneath.READ)
    assert os.read(descriptor, 10) == b"secret"
    os.close(descriptor)
