"""Independent readers of each format: what the arrays of a file hold."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import h5py
import hdf5plugin  # noqa: F401 - before netCDF4, whose import hides these filters from h5py
import netCDF4
import nibabel
import nrrd
import numpy as np
import rasterio
import tifffile
import zarr
from PIL import Image

from tests.core.stores.tiff.files import as_shown
from zarrcore.typing import AnyArray

MOST_ELEMENTS = 1 << 24
"""Of a larger array, both ends are compared."""


class Expected(NamedTuple):
    """An array as an independent reader sees it."""

    shape: tuple[int, ...]
    read: Callable[[Any], AnyArray]
    """Its elements in a selection; objects are what JSON has for them."""


Reader = Callable[[Path, ExitStack], Iterator[tuple[str, Expected]]]
"""Yields the arrays of a file with their paths; the stack closes it."""


def reader_of(path: Path) -> Reader:
    """The reader for the first bytes of a file."""
    if path.is_dir() or path.suffix == ".zip":
        return read_zarr
    with path.open("rb") as file:
        head = file.read(2056)
    if any(head.startswith(b"\x89HDF\r\n\x1a\n", at) for at in (0, 512, 1024, 2048)):
        return read_hdf5
    readers = {b"CDF": read_netcdf3, b"NRRD": read_nrrd}
    readers |= dict.fromkeys((b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"), read_tiff)
    return next((reader for start, reader in readers.items() if head.startswith(start)), read_nifti)


def held(elements: AnyArray) -> Expected:
    """An array that was read as a whole."""
    return Expected(elements.shape, lambda selection: elements[selection])


def read_hdf5(path: Path, stack: ExitStack) -> Iterator[tuple[str, Expected]]:
    """Each dataset once, named and as long as the NetCDF library shows it."""
    file = stack.enter_context(h5py.File(path))
    found: dict[str, h5py.Dataset] = {}
    file.visititems(lambda name, item: found.update({name: item} if isinstance(item, h5py.Dataset) else {}))
    for stored, dataset in found.items():
        try:
            dataset.dtype  # noqa: B018 - numpy lacks a few types
        except (TypeError, ValueError, KeyError):
            yield f"/{stored}", Expected(dataset.shape, dataset.__getitem__)
            continue
        if bytes(dataset.attrs.get("NAME", b"")).startswith(b"This is a netCDF dimension but not"):
            continue
        name = stored.replace("_nc4_non_coord_", "")
        is_netcdf = "DIMENSION_LIST" in dataset.attrs or dataset.attrs.get("CLASS") == b"DIMENSION_SCALE"
        if dataset.shape is None:
            yield f"/{name}", held(np.zeros(0, "u1"))
        elif is_netcdf and None in dataset.maxshape and dataset.dtype.kind in "iuf":
            variable = netcdf4_variable(path, name, stack)
            yield f"/{name}", Expected(variable.shape, variable.__getitem__)
        else:
            yield f"/{name}", Expected(hdf5_shape(dataset), partial(hdf5_elements, file, dataset))


def netcdf4_variable(path: Path, name: str, stack: ExitStack) -> Any:
    try:
        file = stack.enter_context(netCDF4.Dataset(path))
        file.set_auto_maskandscale(False)
        file.set_auto_chartostring(False)
        return file[name]
    except (OSError, IndexError):  # it has dimension scales, and is not of NetCDF
        return stack.enter_context(h5py.File(path))[name]


def hdf5_shape(dataset: h5py.Dataset) -> tuple[int, ...]:
    shape, dtype = dataset.shape, dataset.dtype
    while dtype.subdtype:
        shape, dtype = (*shape, *dtype.subdtype[1]), dtype.subdtype[0]
    return tuple(shape)


def hdf5_elements(file: h5py.File, dataset: h5py.Dataset, selection: Any) -> AnyArray:
    if dataset.dtype.kind == "V" and not dataset.dtype.names and not dataset.dtype.subdtype:
        opaque = np.empty(dataset.shape, dataset.dtype)  # h5py wants to convert it, for which HDF5 has no way
        dataset.id.read(h5py.h5s.ALL, h5py.h5s.ALL, opaque, mtype=dataset.id.get_type())
        return opaque
    if isinstance(selection, tuple):
        elements = np.asarray(dataset[selection[: dataset.ndim]])[..., *selection[dataset.ndim :]]
    else:
        elements = np.asarray(dataset[selection])
    if not elements.dtype.hasobject:
        return elements
    told = np.empty(elements.shape, object)
    for place, element in np.ndenumerate(elements):
        told[place] = as_json(file, element)
    return told


def as_json(file: h5py.File, element: Any) -> Any:
    """An element without a fixed length, in the way in which zarrscope makes a text of it."""
    match element:
        case bytes():
            try:
                return element.decode()
            except UnicodeDecodeError:
                return element.decode("latin-1")
        case h5py.RegionReference():
            return f"{file[element].name}[" if element else ""
        case h5py.Reference():
            return file[element].name if element else ""
        case np.void() if element.dtype.names:
            return [as_json(file, element[name]) for name in element.dtype.names]
        case np.ndarray():
            return [as_json(file, item) for item in element]
        case np.generic():
            return as_json(file, element.item())
    return element


def read_netcdf3(path: Path, stack: ExitStack) -> Iterator[tuple[str, Expected]]:
    file = stack.enter_context(netCDF4.Dataset(path))
    file.set_auto_maskandscale(False)
    file.set_auto_chartostring(False)
    for name, variable in file.variables.items():
        yield f"/{name}", Expected(variable.shape, variable.__getitem__)


def read_nrrd(path: Path, stack: ExitStack) -> Iterator[tuple[str, Expected]]:
    elements, _ = nrrd.read(str(path), index_order="C")
    yield "/0", held(elements)


def read_nifti(path: Path, stack: ExitStack) -> Iterator[tuple[str, Expected]]:
    """The stored values, the last axis first; also of CIFTI, which nibabel would show otherwise."""
    image: Any = nibabel.load(path)
    if isinstance(image, nibabel.Cifti2Image):
        image = nibabel.Nifti2Image.from_filename(path)
    yield "/0", held(np.asarray(image.dataobj.get_unscaled()).T)


def read_zarr(path: Path, stack: ExitStack) -> Iterator[tuple[str, Expected]]:
    store, root = str(path), ""
    if path.is_file():
        store = stack.enter_context(zarr.storage.ZipStore(path))
        documents = [
            name for name in zipfile.ZipFile(path).namelist() if name.endswith((".zgroup", ".zarray"))
        ]
        root = min(documents, key=len, default="").rpartition("/")[0]
    opened = zarr.open(store, path=root, mode="r")
    arrays = [("", opened)] if isinstance(opened, zarr.Array) else opened.members(max_depth=None)
    for name, member in arrays:
        if isinstance(member, zarr.Array):
            yield "/" + f"{root}/{name}".strip("/"), Expected(member.shape, member.__getitem__)


def read_tiff(path: Path, stack: ExitStack) -> Iterator[tuple[str, Expected]]:
    """The levels of images that tifffile finds, with the elements that libtiff decodes, if it can."""
    file = stack.enter_context(tifffile.TiffFile(path))
    for number, series in enumerate(file.series):
        group = f"/{number}" if len(file.series) > 1 else ""
        for level, pages in enumerate(series.levels):
            shape = as_shown(np.broadcast_to(np.zeros(1, "u1"), pages.shape), pages.axes).shape
            yield f"{group}/{level}", Expected(shape, partial(tiff_selection, path, pages))


def tiff_selection(path: Path, level: Any, selection: Any) -> AnyArray:
    elements: AnyArray = as_shown(tiff_elements(path, level), level.axes)[selection]
    return elements


def tiff_elements(path: Path, level: Any) -> AnyArray:
    if (
        level.keyframe.photometric == tifffile.PHOTOMETRIC.SEPARATED and level.dtype == "u1"
    ):  # which GDAL converts
        with Image.open(path) as image:
            return np.asarray(image).reshape(level.shape)
    try:
        if level.keyframe.photometric == tifffile.PHOTOMETRIC.SEPARATED:
            raise ValueError("GDAL converts it, and Pillow halves its bits")
        samples_first = "S" in level.axes and level.axes.index("S") < level.axes.index("Y")
        planes = [gdal_page(path, page.offset, samples_first) for page in level.pages]
        return np.stack(planes).reshape(level.shape)
    except (rasterio.errors.RasterioIOError, ValueError, AttributeError):
        pass  # compressed in a way of which libtiff has no part, or several planes in a page
    elements: AnyArray = level.asarray()
    return elements


def gdal_page(path: Path, offset: int, samples_first: bool) -> AnyArray:
    """The page of a TIFF file at an offset."""
    with rasterio.open(f"GTIFF_DIR:off:{offset}:{path}") as page:
        samples: AnyArray = page.read()
        return samples if samples_first else np.moveaxis(samples, 0, -1)
