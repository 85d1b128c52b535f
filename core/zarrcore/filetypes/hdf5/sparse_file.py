"""A file in memory that holds what was written to it, and no more: what was skipped is zero and takes no room."""

from __future__ import annotations

import hashlib
import io

_PAGE_NBYTES = 4096
_ZEROS = bytes(_PAGE_NBYTES)


class SparseFile:
    """What h5py demands of a Python object that is a file, of any size.

    Attributes:
        size: bytes from the beginning to the end, with all that was skipped.

    >>> file = SparseFile()
    >>> file.seek(1 << 60), file.write(b"far away"), file.size - (1 << 60)
    (1152921504606846976, 8, 8)
    """

    def __init__(self) -> None:
        self.size = 0
        self._position = 0
        self._pages: dict[int, bytearray] = {}

    @property
    def nbytes(self) -> int:
        """Memory that the contents take."""
        return len(self._pages) * _PAGE_NBYTES

    def digest(self) -> str:
        """A text that is the same for the same content."""
        digest = hashlib.blake2b(self.size.to_bytes(8, "little"), digest_size=16)
        for page, content in sorted(self._pages.items()):
            if content != _ZEROS:
                digest.update(page.to_bytes(8, "little"))
                digest.update(content)
        return digest.hexdigest()

    def read_at(self, offset: int, buffer: memoryview) -> None:
        """Fill ``buffer`` with the bytes from ``offset`` on; what lies after the end is zero."""
        done = 0
        while done < len(buffer):
            page, within = divmod(offset + done, _PAGE_NBYTES)
            length = min(_PAGE_NBYTES - within, len(buffer) - done)
            found = self._pages.get(page)
            buffer[done : done + length] = found[within : within + length] if found else bytes(length)
            done += length

    def write(self, data: bytes | memoryview) -> int:
        """Write at the position, which moves on."""
        given = memoryview(data).cast("B")
        done = 0
        while done < len(given):
            page, within = divmod(self._position + done, _PAGE_NBYTES)
            length = min(_PAGE_NBYTES - within, len(given) - done)
            part = given[done : done + length]
            kept = self._pages.get(page)
            if kept is None and any(part):  # zeros are there already
                kept = self._pages[page] = bytearray(_PAGE_NBYTES)
            if kept is not None:
                kept[within : within + length] = part
            done += length
        self._position += done
        if done:
            self.size = max(self.size, self._position)
        return done

    def readinto(self, buffer: memoryview) -> int:
        """Read at the position, which moves on."""
        given = memoryview(buffer).cast("B")[: max(0, self.size - self._position)]
        self.read_at(self._position, given)
        self._position += len(given)
        return len(given)

    def read(self, nbytes: int = -1) -> bytes:
        """At most ``nbytes`` bytes at the position, which moves on."""
        there = max(0, self.size - self._position)
        buffer = bytearray(there if nbytes < 0 else min(nbytes, there))
        self.readinto(memoryview(buffer))
        return bytes(buffer)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Move the position; returns it."""
        self._position = (
            offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self.size}[whence]
        )
        return self._position

    def tell(self) -> int:
        """The position."""
        return self._position

    def truncate(self, size: int | None = None) -> int:
        """Let the file end at ``size``; what lay after it is gone."""
        self.size = self._position if size is None else size
        last, within = divmod(self.size, _PAGE_NBYTES)
        for page in [page for page in self._pages if page > last or (page == last and not within)]:
            del self._pages[page]
        if last in self._pages:
            self._pages[last][within:] = bytes(_PAGE_NBYTES - within)
        return self.size

    def flush(self) -> None:
        """Nothing to do."""
