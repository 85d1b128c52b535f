"""``--xattr``: facts about nodes and keys as extended attributes, ``user.zarr.NAME``.

Without the option, the kernel learns from the first reply that extended attributes are not supported, and sends no more requests.
Each request has a cost, and ``ls -l`` makes several for every file. Therefore these handlers are a separate class.
"""

from __future__ import annotations

import errno
import json
from typing import Any, Final

import pyfuse3

from zarrfs.fuse.guard import guarded
from zarrfs.fuse.operations import Operations
from zarrfs.fuse.writing import WritingOperations
from zarrfs.trees.arrays.node_metadata import ATTRIBUTES

_PREFIX: Final = b"user.zarr."
# Limits of Linux: xattr(7).
_NAME_MAX: Final = 255
_VALUE_MAX: Final = 65_536
_LIST_MAX: Final = 65_536


@guarded
class OperationsWithXattrs(Operations):
    """The operations of a mount with ``--xattr``."""

    async def getxattr(self, inode: int, name: bytes, ctx: pyfuse3.RequestContext) -> bytes:
        # Programs often ask for other attributes, such as those of SELinux and of access control lists.
        value = (await self._xattrs(inode)).get(name) if name.startswith(_PREFIX) else None
        if value is None:
            raise pyfuse3.FUSEError(pyfuse3.ENOATTR)
        return value

    async def listxattr(self, inode: int, ctx: pyfuse3.RequestContext) -> list[bytes]:
        names, room = [], _LIST_MAX
        for name in await self._xattrs(inode):
            room -= len(name) + 1
            if room < 0:
                break
            names.append(name)
        return names

    async def setxattr(self, inode: int, name: bytes, value: bytes, ctx: pyfuse3.RequestContext) -> None:
        await self._set(inode, name, value)

    async def removexattr(self, inode: int, name: bytes, ctx: pyfuse3.RequestContext) -> None:
        await self._set(inode, name, None)

    async def _set(self, inode: int, name: bytes, value: bytes | None) -> None:
        entry = await self._current(inode)
        fact = name.removeprefix(_PREFIX).decode("utf-8", "surrogatepass")
        if entry.is_writable and not name.startswith(_PREFIX):
            raise pyfuse3.FUSEError(errno.EOPNOTSUPP)
        await self._workers.run(entry.set_metadata, fact, value)

    async def _xattrs(self, inode: int) -> dict[bytes, bytes]:
        entry = await self._current(inode)
        return encoded(await self._ask(entry.metadata))


class WritingOperationsWithXattrs(OperationsWithXattrs, WritingOperations):
    """The operations of a mount with both ``--read-write`` and ``--xattr``."""


def encoded(facts: dict[str, Any]) -> dict[bytes, bytes]:
    """Names and values as bytes, without those that exceed the limits of Linux.

    >>> encoded({"kind": "array", "shape": [2, 3], "attributes.units": "m"})[b"user.zarr.shape"]
    b'[2, 3]'
    """
    xattrs = {}
    for name, value in facts.items():
        key = _PREFIX + name.encode("utf-8", "surrogatepass")
        text = _text(name, value)
        if len(key) <= _NAME_MAX and b"\0" not in key and len(text) <= _VALUE_MAX:
            xattrs[key] = text
    return xattrs


def _text(name: str, value: Any) -> bytes:
    """Text as it is, other values as JSON; the user's attributes always as JSON."""
    is_plain = isinstance(value, str) and not name.startswith(ATTRIBUTES)
    text = value if is_plain else json.dumps(value, ensure_ascii=False, default=dict)
    return text.encode("utf-8", "surrogatepass")
