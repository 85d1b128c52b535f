"""OME-Zarr zip files (``.ozx``): the order of their members, and their comment.

OME-NGFF, RFC 9, "Single-file OME-Zarr": the root's document first, other documents next in breadth-first order, nothing
compressed, ZIP64, and a comment that says so.
"""

from __future__ import annotations

import json
import struct
import zipfile
from collections.abc import Callable, Collection, Iterator
from typing import Any, Final

from zarrcore.stores.interface import BytesLike

SUFFIX: Final = ".ozx"
DOCUMENT: Final = "zarr.json"

_END: Final = struct.Struct("<4s4H2LH")
_END_64: Final = struct.Struct("<4sQ2H2L4Q")
_LOCATOR_64: Final = struct.Struct("<4sLQL")
_END_SIGNATURE: Final = b"PK\x05\x06"
_END_64_SIGNATURE: Final = b"PK\x06\x06"
_LOCATOR_64_SIGNATURE: Final = b"PK\x06\x07"
_VERSION_64: Final = 45


def rank(name: str) -> tuple[int, int, str]:
    """The sort key of a member: documents from the root down, then everything else.

    >>> sorted(["c/0", "b/zarr.json", "a/x/zarr.json", "zarr.json", "a/c/0"], key=rank)
    ['zarr.json', 'b/zarr.json', 'a/x/zarr.json', 'a/c/0', 'c/0']
    """
    if name == DOCUMENT or name.endswith("/" + DOCUMENT):
        return 0, name.count("/"), name
    return 1, 0, name


def ome_version(document: bytes) -> str | None:
    """The version of OME-Zarr in the root's document; None if it is not OME-Zarr.

    >>> ome_version(b'{"attributes": {"ome": {"version": "0.5"}}}')
    '0.5'
    """
    version = _member(_parsed(document), "attributes", "ome", "version")
    return version if isinstance(version, str) else None


def comment_of(version: str) -> bytes:
    """The comment of a file whose documents come first.

    >>> comment_of("0.5")
    b'{"ome": {"version": "0.5", "zipFile": {"centralDirectory": {"jsonFirst": true}}}}'
    """
    return json.dumps(
        {"ome": {"version": version, "zipFile": {"centralDirectory": {"jsonFirst": True}}}}
    ).encode()


def without_order(comment: bytes) -> bytes:
    """A comment without the statement that documents come first, for a file that is being changed.

    >>> without_order(comment_of("0.5")), without_order(b"from a camera")
    (b'{"ome": {"version": "0.5"}}', b'from a camera')
    """
    told = _parsed(comment)
    if _member(told, "ome", "zipFile") is None:
        return comment
    del told["ome"]["zipFile"]
    return json.dumps(told).encode()


def is_arranged(comment: bytes) -> bool:
    """Whether a comment is that of an OME-Zarr zip file."""
    return _member(_parsed(comment), "ome", "version") is not None


def with_zip64(directory: bytes, position: int) -> bytes:
    """A directory that begins at a position of the file, with the end records of ZIP64 (APPNOTE 4.3.14, 4.3.15)."""
    end = directory.rindex(_END_SIGNATURE)
    if directory[end - _LOCATOR_64.size : end].startswith(_LOCATOR_64_SIGNATURE):
        return directory
    _, _, _, _, count, nbytes, offset, _ = _END.unpack_from(directory, end)
    record = _END_64.pack(
        _END_64_SIGNATURE,
        _END_64.size - 12,
        _VERSION_64,
        _VERSION_64,
        0,
        0,
        count,
        count,
        nbytes,
        offset,
    )
    locator = _LOCATOR_64.pack(_LOCATOR_64_SIGNATURE, 0, position + end, 1)
    return directory[:end] + record + locator + directory[end:]


def deviations(
    members: Collection[zipfile.ZipInfo],
    comment: bytes,
    is_zip64: bool,
    get: Callable[[str], BytesLike | None],
) -> Iterator[str]:
    """What RFC 9 demands or recommends and a zip file does not do, one sentence each.

    Args:
        members: in the order of the directory.
        comment: the file's comment.
        is_zip64: whether it has the end records of ZIP64.
        get: gets the value of a member.
    """
    names = [member.filename for member in members if not member.filename.endswith("/")]
    root = get(DOCUMENT)
    if root is None:
        yield f"the root has no {DOCUMENT}, which must be in the root of the zip file"
        return
    version = ome_version(bytes(root))
    if version is None:
        yield f"the root's {DOCUMENT} has no attribute ome.version: this is not OME-Zarr 0.5 or newer"
    ranks = [rank(name)[:2] for name in names]
    positions = [member.header_offset for member in members]
    in_order = ranks == sorted(ranks)
    told = _parsed(comment)
    if not in_order or names[0] != DOCUMENT:
        claim = _member(told, "ome", "zipFile", "centralDirectory", "jsonFirst") is True
        wrong = ", although the comment says so (jsonFirst)" if claim else ""
        yield f"the documents are not first in the directory, from the root down{wrong}"
    elif positions != sorted(positions):
        yield "the documents are first in the directory, but not in the file"
    packed = next((member for member in members if member.compress_type != zipfile.ZIP_STORED), None)
    if packed is not None:
        yield f"{packed.filename} is compressed by zip, so that parts of it cannot be read alone"
    if not is_zip64:
        yield "it does not have the end records of ZIP64"
    found = _member(told, "ome", "version")
    if found is None:
        yield "the comment of the zip file does not name the version of OME-Zarr"
    elif version is not None and found != version:
        yield f"the comment of the zip file says OME-Zarr {found}, the root's {DOCUMENT} says {version}"


def _parsed(text: bytes) -> Any:
    try:
        return json.loads(text.rstrip(b"\0"))
    except (ValueError, RecursionError):
        return None


def _member(value: Any, *names: str) -> Any:
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value
