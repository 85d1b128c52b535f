"""All file systems that fsspec knows and this package does not."""

from zarrcore.stores.fsspec.store import FsspecStore

__all__ = ["FsspecStore"]
