"""The files that a file names, and which of them may be read."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest

import zarrcore
from tests.servers.distant import distant_server
from zarrcore.errors import BrokenReferenceError, UnsupportedError, ZarrError
from zarrcore.stores import LocalStore
from zarrcore.stores.hdf5.elements import UnshownError
from zarrcore.stores.hdf5.elsewhere.files import OtherFiles, within
from zarrcore.stores.hdf5.file import Hdf5File
from zarrcore.stores.virtual.file_reader import FileReader


def write(path: Path, source: str) -> None:
    """A virtual dataset of one source."""
    path.parent.mkdir(exist_ok=True)
    with h5py.File(path, "w") as file:
        layout = h5py.VirtualLayout((3,), "i8")
        layout[:] = h5py.VirtualSource(source, "d", (3,))
        file.create_virtual_dataset("v", layout, fillvalue=-1)


def write_source(path: Path) -> None:
    path.parent.mkdir(exist_ok=True)
    with h5py.File(path, "w") as file:
        file["d"] = np.arange(3)


@pytest.fixture
def files(tmp_path: Path) -> OtherFiles:
    write(tmp_path / "a" / "v.h5", "s.h5")
    return Hdf5File(FileReader(LocalStore(tmp_path / "a"), "v.h5", str(tmp_path / "a/v.h5"))).others


def test_names_are_looked_up_beside_the_file(files: OtherFiles, tmp_path: Path) -> None:
    for name in ("a/s.h5", "a/below/s.h5", "s.h5"):
        write_source(tmp_path / name)
    for name in ("s.h5", "below/s.h5", "../s.h5", f"{tmp_path}/s.h5", "/elsewhere/of/others/s.h5"):
        opened = files.hdf5(name)
        assert opened is not None
        assert opened.dataset("d") is not None
        assert opened.dataset("/d") is not None
        assert opened.dataset("e") is None
        assert files.hdf5(name) is opened
    assert files.hdf5("none.h5") is None
    assert files.hdf5("/none.h5") is None
    own = files.hdf5(".")
    assert files.hdf5("v.h5") is own
    files.close()


def test_addresses_are_not_names(files: OtherFiles) -> None:
    with pytest.raises(BrokenReferenceError, match="which is not a path"):
        files.hdf5("http://127.0.0.1/s.h5")


def test_a_remote_file_reads_local_files_only_if_allowed(tmp_path: Path) -> None:
    write_source(tmp_path / "secret/s.h5")
    write(tmp_path / "bucket/v.h5", str(tmp_path / "secret/s.h5"))
    write(tmp_path / "bucket/above.h5", "../secret/s.h5")
    with distant_server(tmp_path / "bucket") as server:
        for name in ("v", "above"):
            with (
                zarrcore.open_hierarchy(f"{server.url}/{name}.h5") as hierarchy,
                pytest.raises(ZarrError) as caught,
            ):
                hierarchy["v"][...]
            assert "s.h5" in str(caught.value)
        with zarrcore.open_hierarchy(
            f"{server.url}/v.h5", allow_targets=(str(tmp_path / "secret"),)
        ) as hierarchy:
            assert hierarchy["v"][...].tolist() == [0, 1, 2]
        # Absolute names are those of the machine that wrote the file: the file of that name beside it counts.
        write_source(tmp_path / "bucket/s.h5")
        with zarrcore.open_hierarchy(f"{server.url}/v.h5") as hierarchy:
            assert hierarchy["v"][...].tolist() == [0, 1, 2]


def test_a_source_that_is_not_hdf5_or_broken_is_one_line(tmp_path: Path) -> None:
    write(tmp_path / "v.h5", "s.h5")
    for content in (b"something else" * 100, b"\x89HDF\r\n\x1a\n" + bytes(200)):
        (tmp_path / "s.h5").write_bytes(content)
        with (
            zarrcore.open_hierarchy(tmp_path / "v.h5") as hierarchy,
            pytest.raises((ZarrError, UnsupportedError)) as caught,
        ):
            hierarchy["v"][...]
        assert "s.h5" in str(caught.value)
        assert "\n" not in str(caught.value)


def test_what_leads_to_itself_is_noticed() -> None:
    with within("a"), within("b"), pytest.raises(UnshownError, match="leads to itself"), within("a"):
        pass
    with within("a"):
        pass
