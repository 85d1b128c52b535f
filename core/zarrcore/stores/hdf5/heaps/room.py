"""How much memory the values of one object may take."""

from __future__ import annotations

from zarrcore.stores.virtual.file_reader import BrokenFileError


class Room:
    """What the values of one object or chunk may still take: a small file can refer to the same long value many times.

    Args:
        nbytes: the most that they may take.
        what: they, in the plural, for the error.
    """

    def __init__(self, nbytes: int, what: str) -> None:
        self._nbytes, self._left, self._what = nbytes, nbytes, what

    def take(self, nbytes: int) -> None:
        """Note one more value.

        Raises:
            BrokenFileError: they take too much.
        """
        self._left -= nbytes
        if self._left < 0:
            raise BrokenFileError(f"{self._what} take more than {self._nbytes >> 20} MiB")
