"""Keys in a mount compared with files in a plain directory, and with what the store holds, after random steps.

Programs create, write, truncate, map, rename, link and remove files of ``keys/`` through several handles, and do the same in a
plain directory. Other programs change the store meanwhile. Time passes by a clock that the model moves.
"""

from __future__ import annotations

import contextlib
import errno
import itertools
import mmap
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import zarrcore as zc
from tests.proofs.models.handles import Reader, Working, Writer, errno_of
from tests.proofs.models.places import Place
from tests.waiting import wait_until
from tests.zfs.stress import disagreements
from zarrfs.trees.names import segment

TTL_S = 60.0
NEVER_CHANGED = "kept"
"""A key in the folder of each run, so that the folder exists."""
FILES = ("one", "two", "größe 4", "%252E", "in/three", "in/four", "in/deep/er", "other/five")
FOLDERS = ("in", "in/deep", "in/deep/deeper", "other", "one")
CONTENT = st.builds(
    lambda data, times: data * times, st.binary(max_size=40), st.sampled_from([1, 1, 1, 5000])
)
OFFSETS = st.one_of(st.integers(0, 60), st.integers(0, 200_000))
HANDLES_MAX = 6


class KeysModel(RuleBasedStateMachine):
    """See the module. With a time to live of 0, changes show at once; with others, after it, or after a refresh."""

    place: ClassVar[Place]
    ttl_s: ClassVar[float]
    numbers: ClassVar[Iterator[int]] = itertools.count()
    moments: ClassVar[Iterator[int]] = itertools.count(1)
    taken: ClassVar[list[int]]

    # Beginning and end

    @initialize()
    def begin(self) -> None:
        number = next(self.numbers)
        self.folder, self.group = f"blobs{number}", f"group{number}"
        self.plain = Path(tempfile.mkdtemp())
        self.seen = self.place.mounted.keys / self.folder
        self.stored: dict[str, bytes] = {}
        self.versions: dict[str, int] = {}
        self.doubtful: dict[str, list[bytes | None]] = {}
        self.touched: set[str] = set()
        self.writers: list[Writer] = []
        self.readers: list[Reader] = []
        self.working: dict[int, Working] = {}
        self.arrays: dict[str, np.ndarray] = {}
        self.former: dict[str, list[np.ndarray]] = {}
        self.mine: set[str] = set()
        store = self.place.store
        store.refresh()
        self.hierarchy = (
            zc.open_hierarchy(store, "r+") if store.get("zarr.json") is not None else zc.create(store)
        )
        self.hierarchy.create_group(f"/{self.group}")
        store.set(self.key(NEVER_CHANGED), b"1")
        (self.plain / NEVER_CHANGED).write_bytes(b"1")
        self.stored[NEVER_CHANGED] = b"1"
        self.settle(always=True)

    def teardown(self) -> None:
        if not hasattr(self, "plain"):
            return
        try:
            while self.writers:
                self.close_writer(self.writers[-1])
            self.check_names()
            prefix = self.key("")
            found = {entry.key.removeprefix(prefix) for entry in self.place.store.list_prefix(prefix)}
            assert found == {self.key(path).removeprefix(prefix) for path in self.stored}
            for path, content in self.stored.items():
                assert bytes(self.place.store.get(self.key(path)) or b"") == content, path
                assert (self.seen / path).read_bytes() == content, path
        finally:
            descriptors = [writer.descriptor for writer in self.writers]
            for descriptor in (*descriptors, *(reader.descriptor for reader in self.readers)):
                with contextlib.suppress(OSError):
                    os.close(descriptor)
            for writer in self.writers:
                os.close(writer.twin)
            shutil.rmtree(self.plain)

    @invariant()
    def the_store_holds_what_was_stored(self) -> None:
        self.taken[0] += 1
        store = self.place.store
        if self.touched:
            store.refresh()
        for path in self.touched:
            found = store.get(self.key(path))
            assert (None if found is None else bytes(found)) == self.stored.get(path), path
            if not self.doubtful and (self.plain / path).parent.is_dir():
                listed = os.listdir((self.seen / path).parent)
                assert (Path(path).name in listed) == (self.plain / path).exists(), path
        self.touched.clear()

    def key(self, path: str) -> str:
        return "/".join((self.folder, *map(segment, path.split("/")))) if path else f"{self.folder}/"

    # Freshness

    def settle(self, *, always: bool = False) -> None:
        """Make the mount show what the store holds."""
        if not (self.doubtful or self.former or always):
            return
        self.doubtful.clear()
        self.former.clear()
        if self.ttl_s == 0:
            return
        if self.place.is_clocked:
            self.place.control.call("advance", self.ttl_s + 1)
            return
        # The kernel forgets a moment later, one tree after the other: a changed size of a file shows that it has.
        mounted = self.place.mounted
        names = ("keys/zarr.json", "arrays/attributes.json", "zarr3/zarr.json")
        files = [mounted.path / name for name in names]
        before = [file.stat().st_size for file in files]
        self.hierarchy["/"].attributes = {"moment": "x" * (1 + next(self.moments) % 2)}

        def is_refreshed() -> bool:
            # Repeated if needed: the kernel keeps a name that is being looked up at that moment.
            mounted.refresh()
            time.sleep(0.005)
            return all(file.stat().st_size != size for file, size in zip(files, before, strict=True))

        wait_until(is_refreshed, "the refresh")

    @rule()
    def wait(self) -> None:
        self.settle()

    @precondition(lambda self: self.place.is_clocked)
    @rule(seconds=st.sampled_from([1.0, 16.0, 59.0]))
    def let_time_pass(self, seconds: float) -> None:
        """Less than the time to live: any answer of that time is right."""
        self.place.control.call("advance", seconds)

    def changed_outside(self, path: str, content: bytes | None) -> None:
        """Note what another program stored."""
        if self.ttl_s:
            self.doubtful.setdefault(path, []).append(self.stored.get(path))
        self.note(path, content)

    def changed(self, path: str, content: bytes | None) -> None:
        """Note what the mount stored."""
        self.mine.add(path)
        self.note(path, content)

    def assume_outside(self, path: str) -> None:
        """Leave to the mount what it stored, if it would report another change as a loss."""
        assume(not (self.place.reports_losses and path in self.mine))

    def note(self, path: str, content: bytes | None) -> None:
        self.versions[path] = self.versions.get(path, 0) + 1
        self.touched.add(path)
        if content is None:
            self.stored.pop(path, None)
        else:
            self.stored[path] = content

    # Other programs

    def is_free(self, path: str) -> bool:
        """Whether a store that has names of files can hold this key."""
        names = self.plain / path
        return not names.is_dir() and not any(
            above.exists() and not above.is_dir() for above in names.parents if above != self.plain
        )

    def worker(self, path: str) -> Working | None:
        """The value that is being written under a name."""
        return next((working for working in self.working.values() if working.path == path), None)

    @rule(path=st.sampled_from(FILES), content=CONTENT)
    def put_outside(self, path: str, content: bytes) -> None:
        self.assume_outside(path)
        assume(self.is_free(path))
        working = self.worker(path)
        assume(working is None or (working.begins == "empty" and working.is_dirty and path in self.stored))
        self.place.store.set(self.key(path), content)
        self.changed_outside(path, content)
        if working is None:
            (self.plain / path).parent.mkdir(parents=True, exist_ok=True)
            (self.plain / path).write_bytes(content)

    @precondition(lambda self: len(self.stored) > 1)
    @rule(data=st.data())
    def erase_outside(self, data: st.DataObject) -> None:
        path = data.draw(st.sampled_from(sorted({*self.stored} - {NEVER_CHANGED})))
        self.assume_outside(path)
        assume(self.worker(path) is None)
        self.place.store.erase(self.key(path))
        self.changed_outside(path, None)
        self.gone_outside(path)

    def gone_outside(self, path: str) -> None:
        """Remove a name; a directory that had only that may stay or vanish."""
        place = self.plain / path
        place.unlink()
        for above in place.parents:
            if above == self.plain or any(above.iterdir()):
                return
            self.settle(always=True)
            if not (self.seen / above.relative_to(self.plain)).is_dir():
                above.rmdir()

    @precondition(lambda self: any(self.is_contestable(writer.working) for writer in self.writers))
    @rule(data=st.data(), content=st.one_of(st.none(), CONTENT))
    def contest(self, data: st.DataObject, content: bytes | None) -> None:
        """S31: "A value that was changed in place, and also changed outside the mount, gives ESTALE at close"."""
        candidates = [writer for writer in self.writers if self.is_contestable(writer.working)]
        working = candidates[data.draw(st.integers(0, len(candidates) - 1))].working
        path = working.path
        assert path is not None
        self.assume_outside(path)
        assume(content != self.stored[path])
        if content is None:
            self.place.store.erase(self.key(path))
        else:
            self.place.store.set(self.key(path), content)
        self.changed_outside(path, content)
        for writer in [writer for writer in self.writers if writer.working is working]:
            assert errno_of(lambda writer=writer: os.fsync(writer.descriptor))[0] == errno.ESTALE
            assert errno_of(lambda writer=writer: os.close(writer.descriptor))[0] == errno.ESTALE
            self.forget(writer)
        if content is None:
            self.gone_outside(path)
        else:
            (self.plain / path).write_bytes(content)
        self.settle(always=True)

    def is_contestable(self, working: Working) -> bool:
        return working.path is not None and working.begins == "copied" and working.is_dirty

    # Programs that use the mount

    def same(self, inside: Callable[[Path], Any], *, mapped: Callable[[Path], Any] | None = None) -> Any:
        """Make a call in the mount and in the plain directory; returns both results if they agree on success."""
        expected, there = errno_of(lambda: (mapped or inside)(self.plain))
        found, here = errno_of(lambda: inside(self.seen))
        if found != expected:
            names = [None if number is None else errno.errorcode[number] for number in (found, expected)]
            raise AssertionError(f"{names[0]}, and {names[1]} in a plain directory")
        return None if found is not None else (here, there)

    @precondition(lambda self: self.place.is_writable and len(self.writers) < HANDLES_MAX)
    @rule(
        path=st.sampled_from((*FILES, *FOLDERS)),
        flags=st.sampled_from(
            [
                os.O_CREAT,
                os.O_CREAT,
                os.O_CREAT | os.O_TRUNC,
                os.O_CREAT | os.O_EXCL,
                0,
                os.O_TRUNC,
                os.O_APPEND,
                os.O_CREAT | os.O_APPEND,
            ]
        ),
    )
    def open_writer(self, path: str, flags: int) -> None:
        self.settle()
        before = (self.plain / path).stat().st_size if (self.plain / path).is_file() else None
        opened = self.same(lambda folder: os.open(folder / path, os.O_RDWR | flags, 0o644))
        if opened is None:
            return
        descriptor, twin = opened
        number = os.fstat(twin).st_ino
        working = self.working.get(number)
        if working is None:
            anew = before is None or bool(flags & os.O_TRUNC)
            working = self.working[number] = Working(path, "empty" if anew else "stored", anew)
        elif flags & os.O_TRUNC and before:
            self.resized(working, 0)
        working.users += 1
        self.writers.append(Writer(descriptor, twin, working))

    def resized(self, working: Working, nbytes: int) -> None:
        if working.begins == "stored":
            working.begins = "copied" if nbytes else "empty"
        working.is_dirty = working.path is not None

    def written(self, working: Working) -> None:
        self.resized(working, 1)

    def stores(self, writer: Writer) -> None:
        """Note that a descriptor was closed or synchronized."""
        working = writer.working
        if working.is_dirty and working.path is not None:
            self.changed(working.path, self.content(writer))
            working.is_dirty = False

    def content(self, writer: Writer) -> bytes:
        return os.pread(writer.twin, 1 << 30, 0)

    def drawn_writer(self, data: st.DataObject) -> Writer:
        return self.writers[data.draw(st.integers(0, len(self.writers) - 1))]

    @precondition(lambda self: self.writers)
    @rule(data=st.data(), offset=OFFSETS, content=CONTENT)
    def write(self, data: st.DataObject, offset: int, content: bytes) -> None:
        writer = self.drawn_writer(data)
        for descriptor in (writer.descriptor, writer.twin):
            assert os.pwrite(descriptor, content, offset) == len(content)
        if content:
            self.written(writer.working)
        self.check_writer(writer, offset)

    def check_writer(self, writer: Writer, offset: int = 0) -> None:
        expected = os.pread(writer.twin, 300_000, offset)
        assert os.pread(writer.descriptor, 300_000, offset) == expected
        assert os.fstat(writer.descriptor).st_size == os.fstat(writer.twin).st_size

    @precondition(lambda self: self.writers)
    @rule(data=st.data(), offset=OFFSETS)
    def read_writer(self, data: st.DataObject, offset: int) -> None:
        self.check_writer(self.drawn_writer(data), offset)

    @precondition(lambda self: self.writers)
    @rule(data=st.data(), nbytes=OFFSETS)
    def truncate_open(self, data: st.DataObject, nbytes: int) -> None:
        writer = self.drawn_writer(data)
        before = os.fstat(writer.twin).st_size
        for descriptor in (writer.descriptor, writer.twin):
            os.ftruncate(descriptor, nbytes)
        if nbytes != before:
            self.resized(writer.working, nbytes)
        self.check_writer(writer)

    @precondition(lambda self: self.place.is_writable)
    @rule(path=st.sampled_from((*FILES, *FOLDERS)), nbytes=OFFSETS)
    def truncate(self, path: str, nbytes: int) -> None:
        self.settle()
        before = (self.plain / path).stat().st_size if (self.plain / path).is_file() else None
        if self.same(lambda folder: os.truncate(folder / path, nbytes)) is None:
            return
        working = self.worker(path)
        if working is None:
            self.changed(path, (self.plain / path).read_bytes())
        elif nbytes != before:
            self.resized(working, nbytes)

    @precondition(lambda self: self.writers)
    @rule(data=st.data(), offset=OFFSETS, content=CONTENT)
    def write_mapped(self, data: st.DataObject, offset: int, content: bytes) -> None:
        writer = self.drawn_writer(data)
        size = os.fstat(writer.twin).st_size
        part = content[: max(0, size - offset)]
        assume(part)
        with mmap.mmap(writer.descriptor, 0) as mapped, mmap.mmap(writer.twin, 0) as plain:
            for memory in (mapped, plain):
                memory[offset : offset + len(part)] = part
                memory.flush()
            assert mapped[:] == plain[:] == self.content(writer)
        self.written(writer.working)
        self.stores(writer)  # Python's mapping has its own descriptor, and closes it

    @precondition(lambda self: self.writers)
    @rule(data=st.data())
    def synchronize(self, data: st.DataObject) -> None:
        writer = self.drawn_writer(data)
        os.fsync(writer.descriptor)
        self.stores(writer)

    @precondition(lambda self: self.writers)
    @rule(data=st.data())
    def close_copy(self, data: st.DataObject) -> None:
        """S30: "each one, including a copy that a child process inherits"."""
        writer = self.drawn_writer(data)
        os.close(os.dup(writer.descriptor))
        self.stores(writer)

    @precondition(lambda self: self.writers)
    @rule(data=st.data())
    def close(self, data: st.DataObject) -> None:
        self.close_writer(self.drawn_writer(data))

    def close_writer(self, writer: Writer) -> None:
        self.stores(writer)
        descriptor, writer.descriptor = writer.descriptor, -1
        self.forget(writer)
        os.close(descriptor)

    def forget(self, writer: Writer) -> None:
        number = os.fstat(writer.twin).st_ino
        os.close(writer.twin)
        self.writers.remove(writer)
        writer.working.users -= 1
        if not writer.working.users:
            del self.working[number]

    @precondition(lambda self: len(self.readers) < HANDLES_MAX)
    @rule(path=st.sampled_from(FILES))
    def open_reader(self, path: str) -> None:
        self.settle()
        number, descriptor = errno_of(lambda: os.open(self.seen / path, os.O_RDONLY))
        if path in self.stored:
            assert number is None, errno.errorcode[number]
            reader = Reader(descriptor, path, self.stored[path], self.versions.get(path, 0))
            self.readers.append(reader)
        elif (self.plain / path).is_dir():
            assert number is None
            os.close(descriptor)
        else:
            expected = errno_of(lambda: os.stat(self.plain / path))[0]
            assert number == (errno.ENOENT if expected is None else expected)

    @precondition(lambda self: self.readers)
    @rule(data=st.data(), offset=OFFSETS, uncached=st.booleans(), closes=st.booleans())
    def read_on(self, data: st.DataObject, offset: int, uncached: bool, closes: bool) -> None:
        """S13: "reading gives ESTALE, never a mix of versions"."""
        reader = self.readers[data.draw(st.integers(0, len(self.readers) - 1))]
        if uncached:
            os.posix_fadvise(reader.descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        number, found = errno_of(lambda: os.pread(reader.descriptor, 300_000, offset))
        expected = reader.content[offset : offset + 300_000]
        if self.versions.get(reader.path, 0) == reader.version:
            assert number is None, errno.errorcode[number]
            assert found == expected
        else:
            # Bytes that the kernel had of the old version, and then the error.
            assert number == errno.ESTALE or (found is not None and expected.startswith(found))
            assert number == errno.ESTALE or found or not expected
        assert os.fstat(reader.descriptor).st_size == len(reader.content)
        if closes:
            self.readers.remove(reader)
            os.close(reader.descriptor)

    @rule(path=st.sampled_from(FILES))
    def look(self, path: str) -> None:
        """Read a whole value; with doubts, each answer since the last refresh, or of the time to live, is right."""
        allowed = [self.stored.get(path), *self.doubtful.get(path, [])]
        doubts = bool(self.doubtful)
        number, found = errno_of((self.seen / path).read_bytes)
        if number is None:
            assert found in allowed, f"{len(found)} bytes, expected {[v and len(v) for v in allowed]}"
            return
        if number == errno.ESTALE:
            assert len(allowed) > 1
        elif number == errno.ENOENT:
            assert None in allowed or doubts
        else:
            assert number in {errno.ENOTDIR, errno.EISDIR}
            assert None in allowed
            if not doubts:
                assert number == errno_of((self.plain / path).read_bytes)[0]

    @rule(path=st.sampled_from((*FILES, *FOLDERS)))
    def stat(self, path: str) -> None:
        self.settle()
        attributes = self.same(lambda folder: os.stat(folder / path))
        if attributes is None:
            return
        found, expected = attributes
        assert stat.S_IFMT(found.st_mode) == stat.S_IFMT(expected.st_mode)
        if not stat.S_ISDIR(found.st_mode):
            sizes = {expected.st_size}
            if self.worker(path) is not None and path in self.stored:
                sizes.add(len(self.stored[path]))
            assert found.st_size in sizes

    @rule()
    def list_names(self) -> None:
        self.settle()
        self.check_names()

    @precondition(lambda self: not self.writers and not self.readers)
    @rule()
    def look_in_all_ways(self) -> None:
        """S32: "While no program writes a file, `stat`, a listing and an open file report the same inode number"."""
        self.settle()
        wait_until(lambda: self.place.mounted.stats()["open_files"] == 0, "the end of all handles")
        assert not [*disagreements(self.seen)]

    def check_names(self) -> None:
        self.settle()
        for folder, folders, files in os.walk(self.plain):
            listed = os.listdir(self.seen / os.path.relpath(folder, self.plain))
            assert sorted(listed) == sorted(folders + files)

    @precondition(lambda self: self.place.is_writable)
    @rule(path=st.sampled_from(FOLDERS))
    def mkdir(self, path: str) -> None:
        self.settle()
        self.same(lambda folder: os.mkdir(folder / path))

    @precondition(lambda self: self.place.is_writable)
    @rule(path=st.sampled_from((*FOLDERS, *FILES)))
    def rmdir(self, path: str) -> None:
        self.settle()
        self.same(lambda folder: os.rmdir(folder / path))

    @precondition(lambda self: self.place.is_writable)
    @rule(path=st.sampled_from((*FILES, *FOLDERS)))
    def unlink(self, path: str) -> None:
        self.settle()
        working = self.worker(path)
        if self.same(lambda folder: os.unlink(folder / path)) is None:
            return
        self.removed(path, working)

    def removed(self, path: str, working: Working | None) -> None:
        self.changed(path, None)
        if working is not None:
            working.path, working.is_dirty = None, False
            if working.begins == "stored":
                working.begins = "copied"

    @precondition(lambda self: self.place.is_writable)
    @rule(path=st.sampled_from((*FILES, *FOLDERS)), new=st.sampled_from((*FILES, *FOLDERS)))
    def rename(self, path: str, new: str) -> None:
        self.settle()
        source, target = self.plain / path, self.plain / new
        moved, replaced = self.worker(path), self.worker(new)
        if source.is_dir() and any(source.iterdir()) and path != new:
            # S32: "A directory with keys cannot be renamed (EXDEV: `mv` then copies)".
            had_target = target.exists()
            expected = errno_of(lambda: os.rename(source, target))[0]
            if expected is None:
                os.rename(target, source)
                if had_target:
                    target.mkdir()
            found = errno_of(lambda: os.rename(self.seen / path, self.seen / new))[0]
            assert found == errno.EXDEV or (expected is not None and found == expected), (found, expected)
            return
        was_file, existed = source.is_file(), target.is_file()
        if self.same(lambda folder: os.rename(folder / path, folder / new)) is None or path == new:
            return
        if not was_file:
            return
        content = (self.plain / new).read_bytes()
        self.changed(path, None)
        if existed:
            self.removed(new, replaced)
        self.changed(new, content)
        if moved is not None:
            moved.path, moved.is_dirty = new, False

    @precondition(lambda self: self.place.is_writable)
    @rule(path=st.sampled_from((*FILES, *FOLDERS)), new=st.sampled_from(FILES))
    def link(self, path: str, new: str) -> None:
        """S32: "A hard link, which needs a free name, is a copy"."""
        self.settle()
        found = errno_of(lambda: os.link(self.seen / path, self.seen / new))[0]
        expected = errno_of(lambda: os.link(self.plain / path, self.plain / new))[0]
        is_open = self.worker(path) is not None
        if expected is None:
            (self.plain / new).unlink()  # which another inode gets below, as a copy
        if found != expected:
            assert (is_open, found, expected) == (True, errno.EPERM, None)  # the value being written
            return
        if found is None:
            (self.plain / new).write_bytes(self.stored[path])
            self.changed(new, self.stored[path])
