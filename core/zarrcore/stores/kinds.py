"""What a file, or a folder, is besides a directory of keys: recognized by its content.

A new kind of file is an entry in `FILE_KINDS`, a new kind of folder one in `FOLDER_KINDS`. Their modules are imported when
such a file or folder is opened. Other packages add theirs through the entry-point group ``zarrscope.kinds``: the entry's name
is the kind's, its object a `FileKind` or `FolderKind`.

Files on this machine are recognized when they are opened. A remote file is recognized by its suffix, without a request, or by
its content once no hierarchy was found.
"""

from __future__ import annotations

import importlib
import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property, partial
from typing import Any, Final

from zarrcore.errors import StoreError, StoreNotFoundError
from zarrcore.extensions import extension_names, load_extension
from zarrcore.stores.interface import ByteRange, BytesLike, ReadableStore
from zarrcore.threads import at_once

_log = logging.getLogger(__name__)

_EXTENSIONS: Final = "zarrscope.kinds"
HEAD_NBYTES: Final = 8192
DATABASE_HEAD_NBYTES: Final = 20
"""How much of a file shows whether it is a database."""
SQLITE: Final = b"SQLite format 3\0"
"""The first bytes of an SQLite file, which only its URL opens."""

_LMDB: Final = (b"\xde\xc0\xef\xbe", b"\xbe\xef\xc0\xde")
_LMDB_POSITIONS: Final = (16, 12)
"""Where LMDB's number is in a file, on machines of 64 and of 32 bits."""
_LMDB_FILE: Final = "data.mdb"
_ZIP: Final = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
_ARCHIVES: Final = {
    b"7z\xbc\xaf\x27\x1c": "a 7z archive",
    b"\x1f\x8b": "compressed by gzip",
    b"BZh": "compressed by bzip2",
    b"\xfd7zXZ\x00": "compressed by xz",
    b"\x28\xb5\x2f\xfd": "compressed by zstd",
}
_ICECHUNK: Final = "ICE🧊CHUNK".encode()
_HDF5: Final = b"\x89HDF\r\n\x1a\n"
_TIFF: Final = (b"II*\0", b"MM\0*", b"II+\0\x08\0\0\0", b"MM\0+\0\x08\0\0")
_USER_BLOCK_MAX: Final = 1 << 16
_TAR: Final = (257, b"ustar")

Read = Callable[[int, int], bytes]
"""Reads the bytes of a file from ``start`` to ``stop``; fewer at its end."""

Opener = Callable[[ReadableStore, str, str], ReadableStore]
"""Opens the file at a key of a store; the last argument is the URL to show. Closing the result closes the store."""


@dataclass(frozen=True, slots=True)
class FileKind:
    """A kind of file that holds a hierarchy."""

    name: str
    """Its name in pipelined URLs."""
    title: str
    suffixes: tuple[str, ...]
    """Remote files with these suffixes are opened as this kind without looking at them."""
    recognizes: Callable[[bytes, Read], bool]
    """Whether a file with these first bytes is one; it may read others."""
    opener: str
    """The module and name of its `Opener`."""
    is_listed: bool = True
    """Whether such files are children of the folder that they are in."""
    other_suffixes: tuple[str, ...] = ()
    """Further suffixes of remote files of this kind; such files are not listed, because most of them are something else."""

    def open(self, source: ReadableStore, key: str, url: str) -> ReadableStore:
        """The file at a key as a store. Remote files are not read yet.

        Raises:
            MissingExtraError: it needs a package that is not installed.
            StoreError: the file is broken.
        """
        store = _load(self.opener)(source, key, url)
        store.options = source.options
        return store


@dataclass(frozen=True, slots=True)
class FolderKind:
    """A kind of folder whose keys are not those of a hierarchy, but which holds one."""

    name: str
    """Its name in pipelined URLs."""
    title: str
    keys: tuple[str, ...]
    """One of these keys exists in each such folder."""
    recognizes: Callable[[str, bytes], bool]
    """Whether a folder with this key and value is one."""
    opener: str
    """The module and name of a function that opens the folder ``(store)``. Closing the result closes the store."""
    has_authority: bool = False
    """Whether pipelined URLs can name a part of it, ``name://authority/path``; the opener gets that, too."""
    head_nbytes: int = HEAD_NBYTES
    """How much of the value decides."""

    def open(self, source: ReadableStore, authority: str = "") -> ReadableStore:
        """The folder as a store of the keys of a hierarchy.

        Args:
            source: the folder.
            authority: the part of it that a pipelined URL names.

        Raises:
            As `FileKind.open`.
        """
        more = (authority,) if self.has_authority else ()
        store: ReadableStore = _load(self.opener)(source, *more)
        store.options = source.options
        return store


def _is_reference_document(head: bytes) -> bool:
    if not head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"{", b"\x1f\x8b", b"\x28\xb5\x2f\xfd")):
        return False
    from zarrcore.stores.reference.recognition import is_reference_document

    return is_reference_document(head)


def _is_nifti(head: bytes) -> bool:
    from zarrcore.stores.nifti.store import is_nifti

    return is_nifti(head)


def _is_precomputed(_: str, info: bytes) -> bool:
    from zarrcore.stores.precomputed.info import is_info

    return is_info(info)


def _is_hdf5(head: bytes, read: Read) -> bool:
    """Whether the signature of HDF5 is at the start, or at byte 512, 1024, 2048 …, after a block of the user's."""
    position = 0
    while position <= _USER_BLOCK_MAX:
        stop = position + len(_HDF5)
        found = head[position:stop] if stop <= HEAD_NBYTES else read(position, stop)
        if found == _HDF5:
            return True
        if len(found) < len(_HDF5):
            return False
        position = position * 2 or 512
    return False


def _load(opener: str) -> Callable[..., ReadableStore]:
    module, _, name = opener.partition(":")
    return getattr(importlib.import_module(module), name)  # type: ignore[no-any-return]


ZIP_SUFFIXES: Final = (".zip", ".ozx")
"""The suffixes of zip files; ``.ozx`` is from OME-NGFF (RFC 9)."""

FILE_KINDS: Final[tuple[FileKind, ...]] = (
    FileKind(
        "zip",
        "zip file",
        ZIP_SUFFIXES,
        lambda head, _: head.startswith(_ZIP),
        "zarrcore.stores.zip.store:ZipStore",
    ),
    FileKind(
        "hdf5",
        "HDF5 file",
        (".h5", ".hdf5", ".he5", ".h5ad", ".nc4", ".mat"),
        _is_hdf5,
        "zarrcore.stores.hdf5.store:Hdf5Store",
    ),
    FileKind(
        "netcdf",
        "NetCDF file",
        (".nc", ".cdf"),
        lambda head, _: head.startswith((b"CDF\1", b"CDF\2", b"CDF\5")),
        "zarrcore.stores.netcdf3.store:open_netcdf",
    ),
    FileKind(
        "nifti",
        "NIfTI file",
        (".nii", ".nii.gz"),
        lambda head, _: _is_nifti(head),
        "zarrcore.stores.nifti.store:NiftiFile",
        other_suffixes=(".hdr", ".hdr.gz"),
    ),
    FileKind(
        "nrrd",
        "NRRD file",
        (".nrrd", ".nhdr"),
        lambda head, _: head.startswith(b"NRRD000"),
        "zarrcore.stores.nrrd.store:NrrdSource",
    ),
    FileKind(
        "tiff",
        "TIFF file",
        (".tif", ".tiff", ".btf", ".tf8", ".tf2", ".svs"),
        lambda head, _: head.startswith(_TIFF),
        "zarrcore.stores.tiff.store:TiffStore",
        is_listed=False,  # folders have thousands of plain images
    ),
    FileKind(
        "reference",
        "reference document",
        (".refs.json", ".refs.json.gz", ".refs.json.zst"),
        lambda head, _: _is_reference_document(head),
        "zarrcore.stores.reference.store:open_document",
        other_suffixes=(".json", ".json.gz", ".json.zst"),
    ),
)

FOLDER_KINDS: Final[tuple[FolderKind, ...]] = (
    FolderKind(
        "icechunk",
        "Icechunk repository",
        # Of format 2, and of format 1, where this branch always exists.
        ("repo", "refs/branch.main/ref.json"),
        lambda key, value: value.startswith(_ICECHUNK if key == "repo" else b'{"snapshot"'),
        "zarrcore.stores.icechunk.open:open_repository",
        has_authority=True,
    ),
    FolderKind(
        "reference-parquet",
        "folder of references",
        (".zmetadata",),
        lambda _, value: b'"record_size"' in value,
        "zarrcore.stores.reference.partitions:open_folder",
        head_nbytes=256 << 20,  # the member that decides follows all metadata
    ),
    FolderKind(
        "neuroglancer-precomputed",
        "Neuroglancer volume",
        ("info",),
        _is_precomputed,
        "zarrcore.stores.precomputed.store:open_volume",
        head_nbytes=16 << 20,  # all of it: its members have no order
    ),
)


@cache
def known_kinds() -> tuple[FileKind | FolderKind, ...]:
    """All kinds: those of zarrcore, then those of other packages by name. The log names packages that fail."""
    ours: tuple[FileKind | FolderKind, ...] = (*FILE_KINDS, *FOLDER_KINDS)
    names = {kind.name for kind in ours}
    others = (_kind_of_package(name) for name in extension_names(_EXTENSIONS) if name not in names)
    return (*ours, *(kind for kind in others if kind is not None))


def _kind_of_package(name: str) -> FileKind | FolderKind | None:
    try:
        found = load_extension(_EXTENSIONS, name)
    except Exception as error:  # noqa: BLE001 - a broken package must not hide what others recognize
        _log.warning("the package that provides %s fails (%s)", name, type(error).__name__)
        return None
    if isinstance(found, FileKind | FolderKind):
        return found
    _log.warning("%s is registered with %r, which is not a kind of file or folder", name, found)
    return None


def file_kinds() -> tuple[FileKind, ...]:
    """The kinds of files, as `known_kinds`."""
    return tuple(kind for kind in known_kinds() if isinstance(kind, FileKind))


@cache
def listed_suffixes() -> tuple[str, ...]:
    """The suffixes of files that are children of the folder that they are in."""
    return tuple(suffix for kind in file_kinds() if kind.is_listed for suffix in kind.suffixes)


def kind_by_suffix(name: str) -> FileKind | None:
    """The kind that a file of this name should have.

    >>> kind_by_suffix("plate.ozx").name, kind_by_suffix("plate.zarr")
    ('zip', None)
    """
    lower = name.lower()
    kinds = (kind for kind in file_kinds() if lower.endswith(kind.suffixes + kind.other_suffixes))
    return next(kinds, None)


def kind_by_content(store: ReadableStore, key: str) -> FileKind | None:
    """The kind of the file at a key; None if it is not of a known kind.

    Raises:
        StoreError: the store failed, or the file is an archive that must be unpacked first.
    """
    read = partial(_read, store, key)
    head = read(0, HEAD_NBYTES)
    for kind in file_kinds():
        if _recognizes(kind, head, read):
            return kind
    _refuse_archive(head, store, key)
    return None


def _recognizes(kind: FileKind | FolderKind, *about: Any) -> bool:
    """Whether a kind recognizes a file or folder. The log names a package that fails.

    Raises:
        StoreError: the store failed.
    """
    try:
        return bool(kind.recognizes(*about))
    except StoreError:
        raise
    except Exception as error:
        if kind in FILE_KINDS or kind in FOLDER_KINDS:
            raise
        _log.warning("the package that provides %s fails (%s: %s)", kind.name, type(error).__name__, error)
        return False


def _read(store: ReadableStore, key: str, start: int, stop: int) -> bytes:
    return bytes(store.get(key, ByteRange(start, stop)) or b"")


def _refuse_archive(head: bytes, store: ReadableStore, key: str) -> None:
    found = next((what for signature, what in _ARCHIVES.items() if head.startswith(signature)), None)
    if head[_TAR[0] :].startswith(_TAR[1]):
        found = "a tar archive"
    if found is not None:
        raise StoreError(
            f"{key} in {store.url} is {found}, whose parts cannot be read alone: unpack it, or make a zip file of its content",
            key=key,
            url=store.url,
        )


def refuse_database(head: bytes, place: str) -> None:
    """Refuse the path of a database: only its URL opens it.

    Args:
        head: the first bytes of the file.
        place: the path to show, of the file or of the folder that it makes a database.

    Raises:
        StoreNotFoundError: it is an SQLite file, or an LMDB database.
    """
    url = ""
    if head.startswith(SQLITE):
        url, title = f"sqlite://{place}", "SQLite file"
    elif any(head[at : at + 4] in _LMDB for at in _LMDB_POSITIONS):
        url, title = f"lmdb://{place}", "LMDB database"
    if url:
        raise StoreNotFoundError(f"{place} is an {title}: write {url}", url=place)


def refuse_database_folder(store: ReadableStore) -> None:
    """Refuse a folder of this machine that is an LMDB database.

    Raises:
        StoreNotFoundError: it is one.
        StoreError: the store failed.
    """
    from zarrcore.stores.local.store import LocalStore

    if isinstance(store, LocalStore):
        refuse_database(bytes(store.get(_LMDB_FILE, ByteRange(0, DATABASE_HEAD_NBYTES)) or b""), store.url)


class FolderLook:
    """A look at what kind of folder the root of a store is.

    Args:
        store: the store.
    """

    def __init__(self, store: ReadableStore) -> None:
        self._kinds = [
            (key, kind) for kind in known_kinds() if isinstance(kind, FolderKind) for key in kind.keys
        ]
        nbytes = {
            key: max(kind.head_nbytes for other, kind in self._kinds if other == key)
            for key, _ in self._kinds
        }
        self._store, self._keys = store, [*nbytes]
        self._head: Callable[[str], BytesLike | None] = cache(
            lambda key: store.get(key, ByteRange(0, nbytes[key]))
        )

    def begin(self) -> None:
        """Request the keys that decide, if the store is remote: then `kind` waits for nothing else."""
        if self._store.is_remote:
            self._head, self._keys = at_once(self._head, self._keys), []

    @cached_property
    def kind(self) -> FolderKind | None:
        """The kind; None if it is not a known one. Raises StoreError if the store failed."""
        if self._keys:
            self.begin()
        for key, kind in self._kinds:
            value = self._head(key)
            if value is not None and _recognizes(kind, key, bytes(value[: kind.head_nbytes])):
                return kind
        return None


def kind_of_folder(store: ReadableStore) -> FolderKind | None:
    """The kind of the folder at the root of a store; None if it is not of a known kind.

    Raises:
        StoreError: the store failed.
    """
    return FolderLook(store).kind
