"""The file types: one entry each. Library, command line, mount, browser and documents read this table.

A new type needs a module that makes its files, and an entry here. Modules are named as text and imported when a file is made:
command lines read the table, and importing NumPy takes too long for them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from zarrcore.errors import UnsupportedError

if TYPE_CHECKING:  # for annotations; see above
    from zarrcore.array import Array, Selection
    from zarrcore.filetypes.interface import VirtualFile
    from zarrcore.hierarchy import ArrayNode, Group


@dataclass(frozen=True, slots=True)
class FileType:
    """A type of files for elements."""

    suffix: str
    """The ending of its file names, without the dot."""
    title: str
    """Its title."""
    media_type: str
    holds: str
    """A description of the arrays that it can hold."""
    arrays: str = ""
    """The maker of a file of an array and a selection, ``module:name``; empty for text, which is not readable at any offset."""
    groups: str = ""
    """The maker of a file of a group; empty if there is none."""
    option: str = ""
    """Its name on a command line; by default the suffix."""
    other_names: tuple[str, ...] = ()
    """Other endings of file names."""
    takes_selection: bool = True
    """Whether a part of an array can be a file."""
    facts: str = ""
    """The reader of what other nodes say about an array, ``module:name``; empty if its file depends on the array alone."""
    is_listed: bool = False
    """Whether directories of a mount list it by default; all types open by name."""
    is_editable: bool = False
    """Whether elements can be written in place: the file contains their plain bytes in order."""

    @property
    def name(self) -> str:
        """Its name on a command line."""
        return self.option or self.suffix

    @property
    def is_text(self) -> bool:
        """Whether it is made as a whole in memory, by `values_as_text`."""
        return not self.arrays

    reads_first: bool = False
    """Whether making a file may read elements, before the first byte is known."""

    def of_array(
        self,
        array: Array,
        selection: Selection = ...,
        facts: Any = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> VirtualFile:
        """A file of ``array[selection]``; of the whole array if the type takes no selection.

        Args:
            array: the array.
            selection: the selection.
            facts: what other nodes say, as `facts_of`; by default they are read if the array is in a hierarchy.
            cancelled: called between chunks if elements are read first.

        Raises:
            ReadCancelledError: ``cancelled`` returned True.
            UnsupportedError: the type cannot hold it.
            SelectionError: the selection is invalid or outside the array.
            StoreError: the store failed.
        """
        if self.is_text:
            raise UnsupportedError("file type", self.suffix, "is text, which values_as_text makes")
        arguments: tuple[Any, ...] = (selection,) if self.takes_selection else ()
        if self.facts:
            hierarchy = getattr(array, "hierarchy", None)
            if facts is None and hierarchy is not None:
                facts = self.facts_of(array, hierarchy.node)
            arguments = (*arguments, facts)
        return self._made(self.arrays, array, *arguments, **self._cancelling(cancelled))

    def facts_of(self, array: Array, find: Callable[[str], Any]) -> Any:
        """What other nodes say about an array; None if they do not matter for the type.

        Args:
            array: the array.
            find: returns the node at an absolute path of the array's hierarchy.

        Raises:
            StoreError: the store failed.
        """
        return _named(self.facts)(array, find) if self.facts else None

    def of_group(
        self, group: Group, *, cancelled: Callable[[], bool] | None = None, **keywords: Any
    ) -> VirtualFile:
        """A file of a group as a whole.

        Args:
            group: the group.
            cancelled: as `of_array`.
            keywords: passed on to the maker of the file.

        Raises:
            ReadCancelledError: ``cancelled`` returned True.
            UnsupportedError: the type cannot hold it.
            SelectionError: the group is not of a kind that the type can hold.
        """
        if not self.groups:
            raise UnsupportedError("file type", self.suffix, "holds arrays, not groups")
        return self._made(self.groups, group, **keywords, **self._cancelling(cancelled))

    def _cancelling(self, cancelled: Callable[[], bool] | None) -> dict[str, Any]:
        return {"cancelled": cancelled} if self.reads_first else {}

    def _made(
        self, maker: str, node: Array | ArrayNode | Group, *arguments: Any, **keywords: Any
    ) -> VirtualFile:
        file: VirtualFile = _named(maker)(node, *arguments, **keywords)
        return file


def _named(name: str) -> Any:
    """The function with a name ``module:name``."""
    module, _, function = name.partition(":")
    return getattr(import_module(f"zarrcore.filetypes.{module}"), function)


_NODES: Final = "an array with its coordinates, or a group with all below it"

FILE_TYPES: Final = (
    FileType(
        "raw",
        "Raw bytes",
        "application/octet-stream",
        "elements of fixed length, any shape",
        "raw:RawFile",
        is_listed=True,
        is_editable=True,
    ),
    FileType(
        "npy",
        "NumPy file",
        "application/x-npy",
        "elements of fixed length, any shape",
        "npy:NpyFile",
        is_listed=True,
        is_editable=True,
    ),
    FileType("png", "PNG picture", "image/png", "numbers, one plane (grey, RGB, RGBA)", "png:PngFile"),
    FileType(
        "tiff",
        "TIFF",
        "image/tiff",
        "numbers, a page for each plane",
        "tiff.pages:array_as_tiff",
        facts="tiff.pixel_size:pixel_sizes",
    ),
    FileType(
        "tif",
        "GeoTIFF",
        "image/tiff",
        "numbers, up to 1,024 planes as bands; a group that is a multiscale image",
        "tiff.geo_image:array_as_geotiff",
        "tiff.geo_image:group_as_geotiff",
        option="geotiff",
        facts="tiff.raster_facts:raster_facts",
    ),
    FileType(
        "nrrd",
        "NRRD",
        "application/octet-stream",
        "integers, `float32` and `float64`, 1 to 16 dimensions",
        "nrrd:NrrdFile",
    ),
    FileType(
        "ome.tiff",
        "OME-TIFF",
        "image/tiff",
        "numbers, up to X, Y, Z, channel and time; a group that is a multiscale image",
        "tiff.ome_image:array_as_ome_tiff",
        "tiff.ome_image:group_as_ome_tiff",
        option="ometiff",
        other_names=("ome.tif",),
        facts="tiff.ome_image:attributes_above",
    ),
    FileType("json", "JSON text", "application/json", "elements of any type, any shape"),
    FileType("csv", "CSV text", "text/csv", "elements of any type, up to 2 dimensions"),
    FileType(
        "h5",
        "HDF5",
        "application/x-hdf5",
        _NODES,
        "hdf5.file:hdf5_file",
        "hdf5.file:hdf5_file",
        option="hdf5",
        other_names=("h5ad", "nxs", "hdf"),
        takes_selection=False,
        is_listed=True,
        reads_first=True,
    ),
    FileType(
        "nc",
        "NetCDF-4",
        "application/x-netcdf",
        _NODES,
        "hdf5.file:netcdf_file",
        "hdf5.file:netcdf_file",
        option="netcdf",
        takes_selection=False,
        reads_first=True,
    ),
)

SUFFIXES: Final = tuple(kind.suffix for kind in FILE_TYPES if kind.takes_selection and not kind.is_text)
"""The endings of virtual files of selections."""

_NO_FACTS: Final[dict[str, Any]] = {}
"""For files of an array alone, which take no requests."""

TEXT_SUFFIXES: Final = tuple(kind.suffix for kind in FILE_TYPES if kind.is_text)
"""The endings of files of text."""

_BY_NAME: Final = {name: kind for kind in FILE_TYPES for name in (kind.suffix, kind.name, *kind.other_names)}


def file_type(name: str) -> FileType:
    """The type with a suffix, or with a name on the command line.

    Raises:
        UnsupportedError: the file type is unknown.

    >>> file_type("netcdf").suffix, file_type("ome.tif").title
    ('nc', 'OME-TIFF')
    """
    try:
        return _BY_NAME[name]
    except KeyError as error:
        known = ", ".join(kind.name for kind in FILE_TYPES)
        raise UnsupportedError("file type", name, f"is unknown; known are {known}") from error


def file_type_of(file_name: str) -> FileType | None:
    """The type of a file by the ending of its name; None if there is none.

    >>> file_type_of("a.nc") is file_type("nc"), file_type_of("a.txt")
    (True, None)
    """
    suffix = suffix_of(file_name, _BY_NAME)
    return _BY_NAME[suffix] if suffix else None


def virtual_file(array: Array, selection: Selection = ..., suffix: str = "npy") -> VirtualFile:
    """``array[selection]`` as a file of the type that ``suffix`` names.

    Raises:
        UnsupportedError: the file type is unknown, or cannot hold this selection.
        SelectionError: the selection is invalid or outside the array.

    >>> import io, numpy, zarrcore
    >>> file = virtual_file(zarrcore.create("memory://virtual-file").create_array("a", data=[1, 2, 3]), suffix="npy")
    >>> file.write_to(stream := io.BytesIO())
    >>> numpy.load(io.BytesIO(stream.getvalue())).tolist(), file.size
    ([1, 2, 3], 152)
    """
    if suffix not in SUFFIXES:
        raise UnsupportedError("file type", suffix, f"is unknown; known are {', '.join(SUFFIXES)}")
    return _BY_NAME[suffix].of_array(array, selection)


def suffix_of(name: str, known: Collection[str] = SUFFIXES) -> str:
    """The longest of the ``known`` suffixes that a file's name ends with; empty if it has none of them.

    >>> suffix_of("data.ome.tiff"), suffix_of("[...].tiff"), suffix_of("data.txt")
    ('ome.tiff', 'tiff', '')
    """
    return max((suffix for suffix in known if name.endswith(f".{suffix}")), key=len, default="")


def supported_suffixes(array: Array, selection: Selection = ...) -> tuple[str, ...]:
    """The file types that can hold ``array[selection]``.

    Raises:
        SelectionError: the selection is invalid or outside the array.
    """
    supported = []
    for suffix in SUFFIXES:
        try:
            _BY_NAME[suffix].of_array(array, selection, _NO_FACTS)
        except UnsupportedError:
            continue
        supported.append(suffix)
    return tuple(supported)
