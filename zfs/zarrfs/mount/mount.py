"""One mount from start to end: trees, pyfuse3, the event loop, signals."""

from __future__ import annotations

import errno
import gc
import logging
import os
import signal
import string
import time
from collections.abc import Callable
from typing import Any, Final
from urllib.parse import quote

import pyfuse3
import trio

from zarrcore.stores import ReadableStore
from zarrfs.fuse.attributes import CommonAttributes
from zarrfs.fuse.counters import Counters
from zarrfs.fuse.operations import Operations
from zarrfs.fuse.prefetch import Budget
from zarrfs.fuse.receiving import received_at_once
from zarrfs.fuse.workers import Workers
from zarrfs.fuse.writing import WritingOperations
from zarrfs.fuse.xattrs import OperationsWithXattrs, WritingOperationsWithXattrs
from zarrfs.mount.metadata_prefetch import MetadataPrefetch
from zarrfs.mount.mountpoints import MountError, raise_read_ahead
from zarrfs.mount.options import MountOptions
from zarrfs.mount.outcome import Outcome
from zarrfs.mount.signals import recorded_signals
from zarrfs.mount.stderr import captured_stderr
from zarrfs.mount.walk_ahead import WalkAhead
from zarrfs.trees.entry import NAME_MAX
from zarrfs.trees.freshness import Freshness, Remembered
from zarrfs.trees.root import TreeName, WithControl
from zarrfs.trees.store_trees import Opener, StoreTrees, TreeOptions

_log = logging.getLogger(__name__)

_OPERATIONS: Final = {
    (False, False): Operations,
    (False, True): OperationsWithXattrs,
    (True, False): WritingOperations,
    (True, True): WritingOperationsWithXattrs,
}
"""The class of operations by ``--read-write`` and ``--xattr``."""

_AHEAD_MAX: Final = 128 << 20
_WRITTEN_MAX: Final = 64 << 20
"""Memory for values that are being written, in bytes; the rest is on disk."""
_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_AGAIN_S: Final = 0.2
_LACKED_S: Final = 60.0
"""The least interval between two log messages about missing memory."""
_OBJECTS_BETWEEN_COLLECTIONS: Final = 20_000
_GRACE_S: Final = 3.0
"""How long requests that still wait for a store may delay unmounting."""


class Mount:
    """A store at a mount point.

    Args:
        store: the store to show.
        open_hierarchy: opens the hierarchy in it.
        options: how to show it.
        outcome: the path at which the daemon reports its end; `stats.json` names it.
    """

    def __init__(
        self,
        store: ReadableStore,
        open_hierarchy: Opener,
        options: MountOptions,
        outcome: Outcome,
    ) -> None:
        self._options = options
        self._outcome = outcome
        self._early: set[int] = set()
        self._lacked_memory: Remembered[None, None] = Remembered(Freshness(_LACKED_S), 1)
        self._counters = Counters()
        ahead = min(_AHEAD_MAX, options.cache_bytes // 4)
        self._trees = StoreTrees(
            store, open_hierarchy, _tree_options(options, ahead), lambda: self._numbers_freshness.expire()
        )
        self._numbers_freshness = Freshness(self._trees.ttl_s)
        self._prefetch = MetadataPrefetch(self._trees.arrays)
        self._walk = WalkAhead(self._trees.arrays)
        if options.metadata_prefetch is None and store.is_remote and self._trees.ttl_s > 0:
            self._trees.arrays.when_listed = self._walk.listed
        started_s = time.time()
        self._workers = Workers(options.threads, self._counters)
        control = self._trees.control(self._stats, self.refresh)
        self._operations = _OPERATIONS[options.read_write, options.xattr](
            WithControl(self._trees.root(started_s), control),
            self._numbers_freshness,
            CommonAttributes(
                os.getuid() if options.uid is None else options.uid,
                os.getgid() if options.gid is None else options.gid,
                options.umask,
                started_s,
                min(NAME_MAX, store.name_max or NAME_MAX),
                options.read_write,
            ),
            self._workers,
            self._counters,
            Budget(ahead, self._numbers_freshness),
        )

    def _stats(self) -> dict[str, Any]:
        return {
            **self._trees.stats(),
            "mountpoint": self._options.mountpoint,
            "outcome": self._outcome.path,
            **self._counters.snapshot(),
            "inodes": len(self._operations.inodes),
            "open_files": self._operations.handles.open_files,
            "open_directories": self._operations.handles.open_directories,
            "read_ahead_bytes": self._operations.ahead.used,
            "metadata_prefetch": self._prefetch.stats(),
            "walked_ahead": self._walk.nodes,
        }

    def refresh(self) -> None:
        """Drop everything that is remembered."""
        self._trees.refresh()
        self._numbers_freshness.refresh()
        self._operations.kernel.forget_all()
        self._workers.start(self._forget_again)

    async def _forget_again(self) -> None:
        """Forget a second time: the first time misses names whose lookup was in progress."""
        await trio.sleep(_AGAIN_S)
        self._operations.kernel.forget_all()

    def run(self, ready: Callable[[], None]) -> None:
        """Mount, answer requests until the mount is unmounted or a signal arrives, and leave nothing mounted.

        Args:
            ready: called when the mount answers.

        Raises:
            MountError: it cannot be mounted.
        """
        # There may be many records of names, and they never form cycles. Searching them costs 10 % of a listing.
        gc.freeze()
        gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS, 20, 20)
        # Without this, a signal that arrives before the daemon handles signals would leave a dead mount.
        with recorded_signals(_SIGNALS) as self._early:
            self._init()
            try:
                with received_at_once(self._is_busy):
                    trio.run(self._serve, ready)
            except BaseException as error:  # noqa: BLE001 - raised again, without the groups around it
                _log.critical("the mount at %s failed", self._options.mountpoint, exc_info=True)
                raise sole(error) from None
            finally:
                try:
                    for path in self._operations.unstored():
                        _log.error("%s is still open, and the data written to it is not stored", path)
                finally:
                    self._walk.stop()
                    pyfuse3.close(unmount=True)

    def _is_busy(self) -> bool:
        """Whether tasks have to run before the next request is received: a request is in progress, or a call is."""
        return self._counters.in_progress > 0 or self._workers.is_busy

    def _init(self) -> None:
        with captured_stderr() as read_stderr:
            try:
                pyfuse3.init(self._operations, self._options.mountpoint, self._words())
            except RuntimeError as error:
                raise MountError(f"cannot mount at {self._options.mountpoint}: {read_stderr()}") from error

    def _words(self) -> set[str]:
        """The options for libfuse, which takes ASCII only and splits at commas."""
        options = self._options
        source = (options.fsname or self._trees.store.url).replace("\\", "\\\\").replace(",", "\\,")
        words = {f"fsname={quote(source, safe=string.printable)}", "subtype=zarrscope"}
        # If other users have access, the kernel must check the permissions that files show.
        wanted = {
            "default_permissions": options.default_permissions or options.allow_other,
            "allow_other": options.allow_other,
            "auto_unmount": options.auto_unmount,
            "ro": options.read_only,
        }
        return words | {word for word, is_wanted in wanted.items() if is_wanted}

    async def _serve(self, ready: Callable[[], None]) -> None:
        async with trio.open_nursery() as nursery:
            self._workers.nursery = nursery
            nursery.start_soon(self._await_signals, nursery)
            nursery.start_soon(self._operations.completing.until_cancelled)
            nursery.start_soon(self._announce, ready)
            while not await self._answered_all():
                self._trees.chunks.clear()
                await trio.sleep(_AGAIN_S)
            nursery.cancel_scope.cancel()

    async def _answered_all(self) -> bool:
        """Answer requests until the mount is gone; False if there was no memory to receive a request, which then waits."""
        try:
            await pyfuse3.main()
        except BaseExceptionGroup as errors:
            error = sole(errors)
            if isinstance(error, ConnectionAbortedError):
                return True  # it was unmounted while the kernel was still sending requests
            if not isinstance(error, OSError) or error.errno != errno.ENOMEM:
                raise
            if self._lacked_memory.get(None) is None:
                _log.error("out of memory while receiving a request: cached data is dropped")
            self._lacked_memory.put(None, None, self._lacked_memory.freshness.now())
            return False
        return True

    async def _announce(self, ready: Callable[[], None]) -> None:
        """Send the mount a request as any program would: when it is answered, the mount works."""
        mountpoint = self._options.mountpoint
        try:
            await trio.to_thread.run_sync(os.stat, mountpoint, abandon_on_cancel=True)
        except OSError as error:
            # It was unmounted in the meantime.
            _log.warning("%s does not answer: %s", mountpoint, error)
            return
        # The kernel also reads ahead around a page of a mapped file: over a network, that costs more than it saves.
        if self._trees.store.is_remote or not raise_read_ahead(mountpoint):
            self._operations.kernel.pushes = not self._options.read_write
        ready()
        await self._prefetch_metadata()

    async def _prefetch_metadata(self) -> None:
        """Fetch metadata in advance, if that was wanted and saves requests."""
        options = self._options
        is_useful = self._trees.store.is_remote and options.ttl_s > 0 and options.view != TreeName.KEYS
        if not options.metadata_prefetch or not is_useful:
            return
        try:
            await self._workers.run_ahead(self._prefetch.walk)
        except MemoryError as error:
            _log.info("the metadata of %s are not fetched in advance: %s", self._trees.store.url, error)
        finally:
            # The thread of a mount that has ended may still wait for a request; it must not send another one.
            self._prefetch.stop()

    async def _await_signals(self, nursery: trio.Nursery) -> None:
        with trio.open_signal_receiver(*_SIGNALS) as arrivals:
            for number in self._early:
                signal.raise_signal(number)
            # Keep receiving: the default action for a second signal would kill the process.
            async for number in arrivals:
                if number == signal.SIGHUP:
                    self.refresh()
                    continue
                pyfuse3.terminate()
                # Requests in progress get a moment to finish; one that hangs must not keep the mount alive.
                scope = nursery.cancel_scope
                scope.deadline = min(scope.deadline, trio.current_time() + _GRACE_S)


def _tree_options(options: MountOptions, ahead: int) -> TreeOptions:
    """How the trees show the store; ``ahead`` bytes of the memory are for read-ahead."""
    written = min(_WRITTEN_MAX, options.cache_bytes // 8) if options.read_write else None
    return TreeOptions(
        options.view,
        options.show,
        options.cache_bytes - ahead - (written or 0),
        options.spill_bytes,
        options.ttl_s,
        written_bytes=written,
    )


def sole(error: BaseException) -> BaseException:
    """Unwrap exception groups that hold a single error, so that its message is reported."""
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error
