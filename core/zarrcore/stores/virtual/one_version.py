"""Reads of a remote file that all come from one version of it: another one may replace it at any time."""

from __future__ import annotations

from typing import Any

from zarrcore.errors import ChangedError
from zarrcore.stores.interface import ByteRange, BytesLike, ReadableStore, StoreStat
from zarrcore.stores.wrapper.interface import WrapperStore


class OneVersion(WrapperStore):
    """A store with a file whose reads fail once the file is another one. Other values are read as they are.

    Args:
        store: where the file is.
        key: of the file.
        url: of the file, to show.

    Attributes:
        version: of the file that may be read; None for any, also where the server names no versions.
    """

    def __init__(self, store: ReadableStore, key: str, url: str) -> None:
        super().__init__(store)
        self.version: str | None = None
        self.fills_buffers = False
        self._key, self._url = key, url

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.store, self._key, self._url)

    def get(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> BytesLike | None:
        if key != self._key or self.version is None:
            return super().get(key, byte_range, max_nbytes=max_nbytes)
        answer = self.get_with_stat(key, byte_range, max_nbytes=max_nbytes)
        return None if answer is None else answer[0]

    def get_with_stat(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> tuple[BytesLike, StoreStat] | None:
        answer = self.store.get_with_stat(key, byte_range, max_nbytes=max_nbytes)
        if answer is not None and key == self._key:
            check_version(self.version, answer[1], self._url, key)
        return answer


def check_version(expected: str | None, found: StoreStat, url: str, key: str) -> None:
    """Check that what was read is of the expected version; None is any.

    Both names of a version are compared, since a change that was recent when the file was opened is not later.

    Raises:
        ChangedError: it is of another one.
    """
    if expected is not None and expected not in (found.lasting_version, found.version):
        raise ChangedError(f"{url} changed while it was read", key=key, url=url)
