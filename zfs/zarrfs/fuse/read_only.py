"""The replies of a read-only mount to requests for changes, and the capacity that it shows."""

from __future__ import annotations

import errno
from typing import Any

import pyfuse3

from zarrfs.fuse.attributes import CommonAttributes
from zarrfs.fuse.counters import Counters
from zarrfs.fuse.guard import Completing, guarded
from zarrfs.trees.freshness import Remembered


@guarded
class ReadOnlyOperations(pyfuse3.Operations):
    """Requests that do not need the tree."""

    supports_dot_lookup = False
    attributes: CommonAttributes
    completing: Completing
    counters: Counters
    warned: Remembered[str, int]

    async def _refuse(self, *_: Any) -> Any:
        raise pyfuse3.FUSEError(errno.EROFS)

    mknod = mkdir = symlink = link = create = _refuse  # type: ignore[assignment]
    unlink = rmdir = rename = _refuse  # type: ignore[assignment]

    async def statfs(self, ctx: pyfuse3.RequestContext) -> pyfuse3.StatvfsData:
        return self._statfs()

    def _statfs(self) -> pyfuse3.StatvfsData:
        facts = pyfuse3.StatvfsData()
        facts.f_bsize = facts.f_frsize = 4096
        facts.f_blocks = facts.f_bfree = facts.f_bavail = 0
        facts.f_files = facts.f_ffree = facts.f_favail = 0
        facts.f_namemax = self.attributes.name_max
        return facts
