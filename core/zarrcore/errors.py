"""Every error that leaves zarrcore.

The tree, each class beside the standard exception that a caller would expect::

    ZarrError
    ├── StoreError                  OSError                 the storage did not answer as it should
    │   ├── AccessDeniedError       PermissionError         401, 403, EACCES
    │   ├── StoreTimeoutError       TimeoutError            no answer within the deadline
    │   ├── UnreachableError        ConnectionError         refused, unknown host, 5xx after all retries
    │   ├── BrokenBodyError                                 a body shorter than announced, or not the requested one
    │   │   └── BodyTooLargeError                           a body larger than the caller allows
    │   ├── ChangedError                                    a value changed between two reads
    │   ├── BrokenReferenceError                            a value lies in another file, which is missing, shorter or not allowed
    │   ├── StoreFullError                                  no room for a value: a full disk, a quota
    │   │   └── ValueTooLargeError                          a value larger than the store can hold
    │   ├── StoreNotFoundError      FileNotFoundError       the directory, bucket or file does not exist
    │   ├── ListingUnsupportedError                         the store can be read but not listed
    │   └── InvalidKeyError         ValueError              a key that the store cannot hold
    │       └── KeyTooLongError                             a key with a longer name than the store can hold
    ├── NodeNotFoundError           KeyError                no node at this path
    ├── NodeKindError               TypeError               a group where an array is wanted, or the other way round
    ├── ChunkNotFoundError          LookupError             a chunk is missing, and must not read as fill values
    ├── HierarchyNotFoundError      ValueError              the store answers but holds no hierarchy
    │   └── WrongFormatError                                it holds one of another format than the named one
    ├── PlacedError                                         a document or a chunk, which it names, cannot be used
    │   ├── MetadataError           ValueError              a metadata document is broken
    │   ├── UnsupportedError        NotImplementedError     an unknown codec, data type or extension
    │   │   └── UnreadableNodeError                         a node of an HDF5, TIFF or other file that cannot be read as Zarr
    │   └── CodecError              ValueError              a chunk does not decode
    │       └── ChecksumError                               a checksum differs
    ├── SelectionError              IndexError              a selection outside the array, or an invalid one
    ├── ElementError                ValueError              values that cannot become elements of an array
    ├── NodeExistsError             FileExistsError         a new node would replace an existing one
    ├── ReadCancelledError                                  the caller stopped a read
    ├── ClusterError                RuntimeError            a cluster that works for this process failed
    ├── InternalError                                       zarrscope or a package that it uses failed, not the data
    ├── ReadOnlyError               PermissionError         a write to something that is read-only
    └── MissingExtraError           ImportError             an optional dependency is not installed

Programs decide by class and fields. The message is one sentence for people.
"""

from __future__ import annotations

import copy
from typing import Any, Final, Self

_MOST_CHARACTERS: Final = 2000


class ZarrError(Exception):
    """Base of all errors of zarrcore; ``str(error)`` is one sentence."""

    def __init__(self, message: str) -> None:
        # Messages of libraries contain line breaks, and so may stored names.
        message = " ".join(message.splitlines())
        if len(message) > _MOST_CHARACTERS:  # a stored name or number of any length is part of it
            message = f"{message[: _MOST_CHARACTERS // 2]} … {message[-_MOST_CHARACTERS // 4 :]}"
        super().__init__(message)
        self.message = message

    def __str__(self) -> str:
        # KeyError would print the repr of its argument, OSError its errno.
        return self.message

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (type(self), self.message, dict(self.__dict__))


def _restore(kind: type[ZarrError], message: str, fields: dict[str, Any]) -> ZarrError:
    error = kind.__new__(kind, message)
    error.args = (message,)
    error.__dict__.update(fields)
    return error


class PlacedError(ZarrError):
    """A document or a chunk cannot be used. Only those who requested it know its key, so they add it.

    Attributes:
        key: the document's or the chunk's key, or "" where it is not known yet.
    """

    def __init__(self, message: str, *, key: str = "") -> None:
        super().__init__(f"{key}: {message}" if key else message)
        self.key = key
        self._unplaced = message

    def at(self, key: str, url: str = "") -> Self:
        """The same error with the key; ``url`` is that of the store, if the key alone does not say which node it is."""
        placed = copy.copy(self)
        PlacedError.__init__(placed, self._unplaced, key=f"{key} in {url}" if key and url else key or url)
        placed.key = key
        return placed


class StoreError(ZarrError, OSError):
    """The storage did not answer as it should. An absent key is never an error.

    Attributes:
        key: the requested key, or None if the fault concerns the whole store.
        url: the store's URL, without credentials.
    """

    def __init__(self, message: str, *, key: str | None = None, url: str | None = None) -> None:
        super().__init__(message)
        self.key = key
        self.url = url


class AccessDeniedError(StoreError, PermissionError):
    """The store refused: wrong or missing credentials, or a file that may not be read."""


class StoreTimeoutError(StoreError, TimeoutError):
    """The store gave no answer within the deadline."""


class UnreachableError(StoreError, ConnectionError):
    """The store cannot be reached, or answers with server errors after all retries.

    Attributes:
        retry_after_s: the pause in seconds that a service asked for; None if it asked for none.
        may_pass: whether a later attempt may succeed: not if the server's certificate is at fault, for example.
    """

    retry_after_s: float | None = None
    may_pass: bool = True


class BrokenBodyError(StoreError):
    """The store answered with fewer bytes than it announced, or with something that was not requested."""


class BodyTooLargeError(BrokenBodyError):
    """A value is larger than the caller allows. It was not fetched.

    Attributes:
        size: the bytes of the value.
        limit: the bytes that the caller allows.
    """

    def __init__(self, size: int, limit: int, *, key: str, url: str) -> None:
        super().__init__(
            f"{key} in {url}: it has {size} bytes; at most {limit} can be right",
            key=key,
            url=url,
        )
        self.size = size
        self.limit = limit


class ChangedError(StoreError):
    """A value changed between two reads, so that the parts do not belong together. Reading again helps."""


class BrokenReferenceError(StoreError):
    """A value lies in another file, which is missing, shorter than expected, of another version, or not allowed.

    Or consolidated metadata include an array that was deleted.

    Attributes:
        allow: the prefix for ``allow_targets`` that allows it, if that is what it lacks.
    """

    allow: str | None = None


class StoreFullError(StoreError):
    """The store has no room for a value: the disk is full, or a quota is reached."""


class ValueTooLargeError(StoreFullError):
    """A value is larger than any that the store can hold."""


class StoreNotFoundError(StoreError, FileNotFoundError):
    """The directory, file, bucket or container does not exist."""


class ListingUnsupportedError(StoreError):
    """The store can be read by key, but cannot list its keys."""


class InvalidKeyError(StoreError, ValueError):
    """A key that this store cannot hold, for instance one with a ``..`` segment."""


class KeyTooLongError(InvalidKeyError):
    """A key, or a segment of it, that is longer than this store can hold."""


class NodeNotFoundError(ZarrError, KeyError):
    """No node exists at this path.

    Attributes:
        path: the node's path, ``/foo/bar``.
        url: the store's URL.
    """

    def __init__(self, path: str, url: str, hint: str = "") -> None:
        super().__init__(f"no node {path} in {url}{hint}")
        self.path = path
        self.url = url


class NodeKindError(ZarrError, TypeError):
    """A node is a group where an array is wanted, or an array where a group is wanted.

    Attributes:
        path: the node's path, ``/foo/bar``.
        url: the store's URL.
        kind: what it is: "array", "group" or "collection".
    """

    def __init__(self, path: str, url: str, kind: str) -> None:
        what = {"array": "an array, not a group: open_array"}.get(kind, f"a {kind}, not an array: open_group")
        super().__init__(f"{path} in {url} is {what} opens it")
        self.path = path
        self.url = url
        self.kind = kind


class ChunkNotFoundError(ZarrError, LookupError):
    """A chunk is missing, and its array was opened with ``missing="error"``.

    Attributes:
        key: the chunk's key.
        url: the store's URL.
    """

    def __init__(self, key: str, url: str, what: str = "the chunk") -> None:
        """``what`` is missing: the chunk, or an inner chunk of it."""
        super().__init__(f"{key} in {url}: {what} is missing, and is not to be read as fill values")
        self.key = key
        self.url = url


class HierarchyNotFoundError(ZarrError, ValueError):
    """The store can be read, but holds no hierarchy of a known format.

    Attributes:
        url: the store's URL.
        tried: the keys that were looked for.
    """

    def __init__(self, url: str, tried: tuple[str, ...], hint: str = "") -> None:
        missing = f"none of {', '.join(tried)} is there" if len(tried) != 1 else f"{tried[0]} is not there"
        super().__init__(f"{url} holds no hierarchy: {missing}{hint}")
        self.url = url
        self.tried = tried


class WrongFormatError(HierarchyNotFoundError):
    """The store holds a hierarchy of another format than the one that was named.

    Attributes:
        named: the name of the format that was asked for.
        found: the name of the format that is there.
        url, tried: as `HierarchyNotFoundError`.
    """

    def __init__(
        self, url: str, tried: tuple[str, ...], named: tuple[str, str], found: tuple[str, str]
    ) -> None:
        """``named`` and ``found`` are names and titles."""
        super().__init__(url, tried)
        self.named, self.found = named[0], found[0]
        self.message = f"{url} is {found[1]}, not {named[1]}: name the format {found[0]}, or none"
        self.args = (self.message,)


class MetadataError(PlacedError, ValueError):
    """A metadata document that is not what its specification demands.

    Attributes:
        key: the document's key, or "" where it is not known yet.
        member: the member at fault, for instance ``chunk_grid.configuration.chunk_shape``.
        reason: what was expected and what was found.
    """

    def __init__(self, reason: str, *, member: str = "", key: str = "") -> None:
        super().__init__(f"{member}: {reason}" if member else reason, key=key)
        self.reason = reason
        self.member = member


class UnsupportedError(PlacedError, NotImplementedError):
    """Something that the format allows and zarrcore does not know.

    Attributes:
        kind: what it is: "codec", "data type", "chunk grid", …
        name: its name in the document.
        key: the key of the node's document, or of the chunk; "" where it is not known, or where a call names it.
    """

    def __init__(self, kind: str, name: str, why: str = "is not supported") -> None:
        super().__init__(f"{kind} {name!r} {why}")
        self.kind = kind
        self.name = name


class UnreadableNodeError(UnsupportedError):
    """A node of a file of another format, such as HDF5 or TIFF, that cannot be read as Zarr.

    Attributes:
        reason: why, in one sentence.
    """

    def __init__(self, reason: str) -> None:
        PlacedError.__init__(self, reason)
        self.kind = "node"
        self.name = ""
        self.reason = reason


class CodecError(PlacedError, ValueError):
    """A chunk's bytes do not decode.

    Attributes:
        codec: the codec that found the fault, or "".
        reason: what was expected and what was found.
        key: the chunk's key, or "" where it is not known yet.
    """

    def __init__(self, reason: str, *, codec: str = "", key: str = "") -> None:
        super().__init__(f"{codec}: {reason}" if codec else reason, key=key)
        self.reason = reason
        self.codec = codec


class ChecksumError(CodecError):
    """A chunk whose checksum differs from the stored one."""


class SelectionError(ZarrError, IndexError):
    """A selection that does not fit the array."""


class ElementError(ZarrError, ValueError):
    """Values that cannot become elements of an array: their type or shape does not fit."""


class NodeExistsError(ZarrError, FileExistsError):
    """A new node would replace an existing one.

    Attributes:
        path: the node's path, ``/foo/bar``.
        url: the store's URL.
    """

    def __init__(self, path: str, url: str, what: str) -> None:
        super().__init__(f"{path} in {url} {what}")
        self.path = path
        self.url = url


class ReadCancelledError(ZarrError):
    """The caller stopped the read."""


class ReadOnlyError(ZarrError, PermissionError):
    """A write to something that is read-only."""


class ClusterError(ZarrError, RuntimeError):
    """A cluster that works for this process failed, or one of its workers. The data are not at fault.

    Attributes:
        address: of the scheduler, or of the worker.
    """

    def __init__(self, message: str, address: str) -> None:
        super().__init__(message)
        self.address = address


class InternalError(ZarrError):
    """zarrscope or a package that it uses failed in a way that was not foreseen. The data may be in order."""

    def __init__(self, message: str) -> None:
        super().__init__(f"internal error, the data may be in order: {message}")


class MissingExtraError(ZarrError, ImportError):
    """An optional dependency of zarrscope is not installed.

    Attributes:
        extra: the name of the extra that installs it.
    """

    def __init__(self, what: str, extra: str) -> None:
        from zarrcore.installation import how_to_add  # late: most programs have what they need

        super().__init__(f"{what} needs an optional dependency: {how_to_add(extra)}")
        self.extra = extra
