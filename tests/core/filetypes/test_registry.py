"""The registry of file types: every entry works, and the documentation agrees with it."""

from __future__ import annotations

import io
import subprocess
import sys
from importlib import import_module

import numpy as np
import pytest

import zarrcore
from tests.core.filetypes.table_of_file_types import DOCUMENT, with_table
from zarrcore.errors import SelectionError, UnsupportedError
from zarrcore.filetypes import (
    FILE_TYPES,
    SUFFIXES,
    TEXT_SUFFIXES,
    FileType,
    file_type,
    file_type_of,
    supported_suffixes,
)


def test_the_table_in_the_documents_is_up_to_date() -> None:
    text = DOCUMENT.read_text("utf-8")
    assert text == with_table(text), "run: python -m tests.core.filetypes.table_of_file_types"


def test_no_two_file_types_share_a_name() -> None:
    names = [name for kind in FILE_TYPES for name in {kind.suffix, kind.name, *kind.other_names}]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("kind", FILE_TYPES, ids=lambda kind: kind.suffix)
def test_each_file_type_is_found_by_its_names(kind: FileType) -> None:
    for name in (kind.suffix, kind.name, *kind.other_names):
        assert file_type(name) is kind
        assert file_type_of(f"some.name.{name}") is kind
    for maker in filter(None, (kind.arrays, kind.groups)):
        module, _, name = maker.partition(":")
        assert callable(getattr(import_module(f"zarrcore.filetypes.{module}"), name))


@pytest.mark.parametrize("suffix", [kind.suffix for kind in FILE_TYPES])
def test_a_file_of_an_array_has_the_suffix_of_its_entry(suffix: str) -> None:
    array = zarrcore.create("memory://").create_array("/a", shape=(4, 5), dtype="uint8", chunks=(4, 5))
    kind = file_type(suffix)
    if kind.is_text:
        assert suffix in TEXT_SUFFIXES
        with pytest.raises(UnsupportedError, match="is text, which values_as_text makes"):
            kind.of_array(array)
        return
    file = kind.of_array(array)
    assert file.size > 0
    assert file.suffix == suffix or not kind.takes_selection
    assert (suffix in SUFFIXES) == kind.takes_selection


def test_the_error_for_an_unknown_file_type_names_the_known_ones() -> None:
    with pytest.raises(UnsupportedError, match=r"bmp.*raw, npy, png.*hdf5, netcdf"):
        file_type("bmp")
    assert file_type_of("picture.bmp") is None


def test_a_group_that_is_not_an_image_has_no_ome_tiff() -> None:
    group = zarrcore.create("memory://").create_group("/g")
    with pytest.raises(SelectionError, match="not a multiscale image"):
        file_type("ome.tiff").of_group(group)
    with pytest.raises(UnsupportedError, match="holds arrays, not groups"):
        file_type("npy").of_group(group)


def test_a_command_line_reads_the_registry_without_numpy() -> None:
    program = "import sys, zarrcore.filetypes; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_supported_suffixes_are_those_of_types_that_can_hold_the_array(arrays: zarrcore.Hierarchy) -> None:
    assert supported_suffixes(arrays["float"]) == ("raw", "npy", "tiff", "tif", "nrrd", "ome.tiff")
    assert supported_suffixes(arrays["float"], 0) == ("raw", "npy", "png", "tiff", "tif", "nrrd", "ome.tiff")
    assert supported_suffixes(arrays["bool"], 0) == ("raw", "npy", "png", "tiff", "tif", "nrrd", "ome.tiff")
    assert supported_suffixes(arrays["one"]) == ("raw", "npy", "tiff", "tif", "nrrd")
    assert supported_suffixes(arrays["scalar"]) == ("raw", "npy", "tiff", "tif", "ome.tiff")
    assert supported_suffixes(arrays["empty"]) == ("raw", "npy")
    for name in ("scalar", "empty"):
        reread = np.load(io.BytesIO(zarrcore.virtual_file(arrays[name], suffix="npy").read(0, 9999)))
        assert np.array_equal(reread, arrays[name][...])
    with pytest.raises(
        UnsupportedError,
        match=r"file type 'jpg' is unknown; known are raw, npy, png, tiff, tif, nrrd, ome\.tiff",
    ):
        zarrcore.virtual_file(arrays["one"], suffix="jpg")
    with pytest.raises(SelectionError):
        zarrcore.virtual_file(arrays["one"], 5, "raw")


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_negative_offsets_are_refused(arrays: zarrcore.Hierarchy, suffix: str) -> None:
    with pytest.raises(SelectionError, match="no bytes at offset -5"):
        zarrcore.virtual_file(arrays["float"], 0, suffix).read(-5, 10)
