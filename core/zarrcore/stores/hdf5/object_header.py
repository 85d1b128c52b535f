"""Object headers: the messages of a group, dataset or committed type.

HDF5 File Format Specification, "Data Object Headers", versions 1 and 2, "Superblock Extension", "Shared Message Table Message",
"Shared Object Header Message Table". The file's table has types, shapes and attributes that many objects have.
"""

from __future__ import annotations

from functools import lru_cache
from struct import Struct
from typing import Final, NamedTuple
from weakref import WeakKeyDictionary

from zarrcore.stores.hdf5.heaps.fractal_heap import FractalHeap
from zarrcore.stores.virtual.file_reader import UNDEFINED, BrokenFileError, FileReader, unsigned

DATASPACE: Final = 0x01
LINK_INFO: Final = 0x02
DATATYPE: Final = 0x03
OLD_FILL_VALUE: Final = 0x04
FILL_VALUE: Final = 0x05
LINK: Final = 0x06
EXTERNAL_FILES: Final = 0x07
LAYOUT: Final = 0x08
FILTERS: Final = 0x0B
ATTRIBUTE: Final = 0x0C
_SHARED_MESSAGE_TABLE: Final = 0x0F
_CONTINUATION: Final = 0x10
SYMBOL_TABLE: Final = 0x11
ATTRIBUTE_INFO: Final = 0x15

_HEAD_2: Final = Struct("<BHB")
"""The kind, size and flags of a message in an object header of version 2."""
_KINDS: Final = frozenset(range(0x19)) - {0x09}
"""The kinds of messages that the specification has, and the cache image; 0x09 stands for one that no reader knows."""
_SHARED_FLAG: Final = 2
_MUST_UNDERSTAND_FLAG: Final = 0x80
"""Who does not know the kind of the message must not open the object, not even for reading."""
_MAX_MESSAGES: Final = 1 << 16
_MAX_CHAIN: Final = 8
_TABLE_ENTRY_NBYTES: Final = 30
_MAX_INDEXES: Final = 8

_known: WeakKeyDictionary[FileReader, dict[int, FractalHeap]] = WeakKeyDictionary()
"""The heaps of the shared messages of a file, by kind of message."""


class Message(NamedTuple):
    """One message."""

    kind: int
    flags: int
    data: bytes


class ObjectHeader:
    """The messages of the object at an address; those that another object shares are read there.

    Raises:
        BrokenFileError: there is no object header, or it is broken.
    """

    def __init__(self, reader: FileReader, address: int, depth: int = 0) -> None:
        if depth > _MAX_CHAIN:
            raise BrokenFileError("shared messages lead to one another in a loop")
        self.address = address
        self._reader = reader
        self._depth = depth
        start = reader.up_to(address, 64)
        self.messages = self._version_2(start) if start[:4] == b"OHDR" else self._version_1(start)
        self._kinds = frozenset(message.kind for message in self.messages)
        if not self._kinds <= _KINDS:
            self._check_unknown()

    def _check_unknown(self) -> None:
        for message in self.messages:
            if message.kind not in _KINDS and message.flags & _MUST_UNDERSTAND_FLAG:
                raise BrokenFileError(
                    f"its header has a message of the unknown type {message.kind}, which a reader must understand"
                )

    def all(self, kind: int) -> list[bytes]:
        """The data of all messages of a kind."""
        return [self._resolved(message) for message in self.messages if message.kind == kind]

    def first(self, kind: int) -> bytes | None:
        """The data of the first message of a kind; None if there is none."""
        return next(iter(self.all(kind)), None)

    def has(self, kind: int) -> bool:
        """Whether there is a message of a kind."""
        return kind in self._kinds

    def _resolved(self, message: Message) -> bytes:
        return shared(self._reader, message, self._depth) if message.flags & _SHARED_FLAG else message.data

    def _version_1(self, start: bytes) -> list[Message]:
        if len(start) < 16 or start[0] != 1:
            raise BrokenFileError(f"no object header is at byte {self._reader.base + self.address:,}")
        count = unsigned(start, 2, 2)
        pending = [(self.address + 16, unsigned(start, 8, 4))]
        found: list[Message] = []
        seen: set[int] = set()
        while pending and len(found) < count:
            address, nbytes = pending.pop(0)
            if address in seen:
                raise BrokenFileError("the parts of an object header form a loop")
            seen.add(address)
            data, offset = self._reader.read(address, nbytes, "an object header"), 0
            while offset + 8 <= nbytes and len(found) < count:
                kind, size = unsigned(data, offset, 2), unsigned(data, offset + 2, 2)
                body = data[offset + 8 : offset + 8 + size]
                if len(body) < size:
                    raise BrokenFileError("a message ends beyond its object header")
                found.append(Message(kind, data[offset + 4], body))
                if kind == _CONTINUATION:
                    pending.append((unsigned(body, 0, 8), unsigned(body, 8, 8)))
                offset += 8 + size
        return found

    def _version_2(self, start: bytes) -> list[Message]:
        if len(start) < 8 or start[4] != 2:
            raise BrokenFileError(f"an object header has version {start[4:5].hex()}")
        flags, offset = start[5], 6
        offset += 16 if flags & 0x20 else 0
        offset += 4 if flags & 0x10 else 0
        width = 1 << (flags & 3)
        nbytes = unsigned(start, offset, width)
        before = offset + width
        data = self._reader.read_checked(self.address, before + nbytes + 4, "an object header")[before:]
        has_order = bool(flags & 4)
        pending, seen = [data], {self.address}
        found: list[Message] = []
        while pending:
            data = pending.pop(0)
            for message in _messages_2(data, has_order):
                found.append(message)
                if message.kind != _CONTINUATION:
                    continue
                address, nbytes = unsigned(message.data, 0, 8), unsigned(message.data, 8, 8)
                if address in seen or len(found) > _MAX_MESSAGES:
                    raise BrokenFileError("the parts of an object header form a loop")
                seen.add(address)
                part = self._reader.read_checked(address, nbytes, "an object header")
                if part[:4] != b"OCHK":
                    raise BrokenFileError("an object header continues with something else")
                pending.append(part[4:])
        return found


def _messages_2(data: bytes, has_order: bool) -> list[Message]:
    found, offset, head = [], 0, 6 if has_order else 4
    while offset + head <= len(data):
        kind, size, flags = _HEAD_2.unpack_from(data, offset)
        start = offset + head
        offset = start + size
        if offset > len(data):
            raise BrokenFileError("a message ends beyond its object header")
        found.append(Message(kind, flags, data[start:offset]))
    return found


def shared(reader: FileReader, message: Message, depth: int = 0) -> bytes:
    """The data of a message that is stored elsewhere: in the file's table, or in another object, as committed types are.

    Raises:
        BrokenFileError: it is broken.
    """
    version, kind = unsigned(message.data, 0, 1), unsigned(message.data, 1, 1)
    if version not in (1, 2, 3):
        raise BrokenFileError(f"a shared message has version {version}")
    if version == 3 and kind == 1:
        return shared_message(reader, message.kind, message.data[2:10])
    # In version 1, six reserved bytes and a length come first. The specification omits the length.
    address = unsigned(message.data, 16 if version == 1 else 2, 8)
    found = ObjectHeader(reader, address, depth + 1).first(message.kind)
    if found is None:
        raise BrokenFileError("a shared message is not where it should be")
    return found


def shared_message(reader: FileReader, kind: int, identifier: bytes) -> bytes:
    """The data of a message of a kind, by its identifier in the heap of that kind.

    Raises:
        BrokenFileError: there is none.
    """
    heaps = _known.get(reader)
    if heaps is None:
        heaps = _known[reader] = _heaps(reader)
    heap = heaps.get(FILL_VALUE if kind == OLD_FILL_VALUE else kind)
    if heap is None:
        raise BrokenFileError(f"the file has no shared messages of type {kind}")
    return heap.object(identifier)


def _heaps(reader: FileReader) -> dict[int, FractalHeap]:
    """The heaps of shared messages, by the kinds of messages that they have."""
    head = reader.read(0, 48, "the superblock")
    extension = unsigned(head, 20, 8) if head[8] >= 2 else UNDEFINED
    message = None if extension == UNDEFINED else ObjectHeader(reader, extension).first(_SHARED_MESSAGE_TABLE)
    if message is None:
        return {}
    count = unsigned(message, 9, 1)
    if not 0 < count <= _MAX_INDEXES:
        raise BrokenFileError(f"the table of shared messages has {count} indexes")
    nbytes = 4 + _TABLE_ENTRY_NBYTES * count + 4
    table = reader.read_checked(unsigned(message, 1, 8), nbytes, "the table of shared messages")
    if table[:4] != b"SMTB":
        raise BrokenFileError("the file has no table of shared messages")
    found = {}
    for at in range(4, 4 + _TABLE_ENTRY_NBYTES * count, _TABLE_ENTRY_NBYTES):
        kinds, heap = unsigned(table, at + 2, 2), unsigned(table, at + 22, 8)
        if heap != UNDEFINED:
            objects = FractalHeap(reader, heap)
            found.update({kind: objects for kind in range(16) if kinds >> kind & 1})
    return found


@lru_cache(maxsize=256)
def dataspace(data: bytes) -> tuple[int, ...] | None:
    """The shape that a dataspace message says; None for one without elements (a null dataspace).

    Raises:
        BrokenFileError: it is broken.
    """
    version, ndim = unsigned(data, 0, 1), unsigned(data, 1, 1)
    if version not in (1, 2) or ndim > 32:
        raise BrokenFileError(f"a dataspace has version {version} and {ndim} dimensions")
    if version == 2 and unsigned(data, 3, 1) == 2:
        return None
    first = 8 if version == 1 else 4
    shape = tuple(unsigned(data, first + 8 * place, 8) for place in range(ndim))
    if any(length >= 2**63 for length in shape):
        raise BrokenFileError(f"a dataspace has the shape {shape}")
    if unsigned(data, 2, 1) & 1:
        maximum = tuple(unsigned(data, first + 8 * (ndim + place), 8) for place in range(ndim))
        if any(length > most for length, most in zip(shape, maximum, strict=True)):
            raise BrokenFileError(f"a dataspace has the shape {shape}, beyond its maximum {maximum}")
    return shape
