"""A file of a tree, open for fsspec."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fsspec.spec import AbstractBufferedFile

from zarrfs.trees.entry import OpenFile

if TYPE_CHECKING:  # the file system makes these files
    from zarrfs.fsspec.filesystem import ZarrscopeFileSystem


class ZarrscopeFile(AbstractBufferedFile):  # type: ignore[misc]
    """An open file. It stays the version that was opened.

    Args:
        filesystem: where it is.
        path: its path there.
        opened: the open file of the tree.
        block_size: the unit of the cache, in bytes.
        cache_type: fsspec's name of the cache.
        cache_options: the options of the cache.
    """

    def __init__(
        self,
        filesystem: ZarrscopeFileSystem,
        path: str,
        opened: OpenFile,
        block_size: int,
        cache_type: str,
        cache_options: dict[str, Any] | None,
    ) -> None:
        self._opened = opened
        super().__init__(
            filesystem,
            path,
            "rb",
            block_size,
            cache_type=cache_type,
            cache_options=cache_options,
            size=opened.size,
        )

    def _fetch_range(self, start: int, end: int) -> bytes:
        return bytes(self._opened.read(start, end - start, True))

    def close(self) -> None:
        if not self.closed:
            self._opened.close()
        super().close()
