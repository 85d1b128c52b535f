"""The file systems of fsspec that zarrcore does not support itself."""

from zarrcore.stores.fsspec.store import FsspecStore

__all__ = ["FsspecStore"]
