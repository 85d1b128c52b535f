"""Through the mount: the same directory or server, mounted by zarrscope and by the peers, alternately.

Each task is done once in a new mount, so that caches of the kernel or a daemon do not help. The reader is a separate process,
like any program.
"""

from __future__ import annotations

import importlib.util
import os
import shlex
import shutil
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tests.benchmarks.fairness import chosen, turns
from tests.benchmarks.results import BARE_MOUNT, ONE_READER, OURS, Result
from tests.servers.distant import Distance, distant_process

NAME = "mount"
DELAY_S = 0.02
LISTED = 100_000
FILES = 2_000
ABSENT = 20_000
READERS = 64
KINDS = ("read", "user", "readers", "list", "open", "absent", "hdf5")
LONG_KINDS = ("memory", "idle")
"""Kinds that take minutes, measured only on request."""
ZARR_PYTHON = "zarr-python"
"""The peer without a mount: it reads the directory itself, if a program can."""
_GIB = 1 << 30
_DISTANT_NBYTES = 512 << 20
_W2_NBYTES = 512 << 20
_PARTS_NBYTES, _SAME_NBYTES = 256 << 20, 16 << 20
"""Decoded bytes that readers read at once: less than the cache of a mount holds."""
_MANY_CHUNKS = 5120
_IDLE_S = 60.0
_READY_MAX_S = 20.0
_ENOUGH_S = 300


@dataclass(frozen=True)
class Task:
    """One task below a mount point."""

    what: str
    describes: str
    target: str
    commands: dict[str, str]
    """Shell commands, run in the mount point; ``""`` if a peer lacks the file. If one prints a number, it is its seconds."""
    nbytes: int = 0
    count: int = 0
    against: str = ""
    is_distant: bool = False
    is_done_once: bool = False
    is_by_user: bool = False
    """Whether an ordinary user mounts and reads."""


def tasks() -> list[Task]:
    """The tasks."""
    raw = "arrays/w2/data.raw"
    keys, chunks = _Trees("cd keys; "), "cat distant/c/*/0/0 > /dev/null"
    absent = _python(
        f"import os; assert not sum(os.path.exists(f'small/absent{{i}}') for i in range({ABSENT}))"
    )
    small = _python(f"for i in range({FILES}): open(f'small/{{i}}', 'rb', 0).read()")
    whole, plane = (
        {
            OURS: _timed("import h5py", f"h5py.File('hdf5/w2.h5')['w2'][{selection}]"),
            ZARR_PYTHON: _timed(
                "import zarr", f"zarr.open_array(sys.argv[1] + '/w2', mode='r')[{selection}]"
            ),
        }
        for selection in ("...", "256")
    )
    return [
        Task(
            "read", "keys/, 1 GiB in sequence", "≥ 3 × rclone", keys.all(_read("big")), _GIB, against="rclone"
        ),
        Task("read", "w2 decoded, data.raw in sequence", "≥ 1,335 MiB/s", {OURS: _read(raw)}, _W2_NBYTES),
        Task(
            "user",
            "w2 decoded, data.raw in sequence, by an ordinary user",
            "≥ 954 MiB/s",
            {OURS: _read(raw)},
            _W2_NBYTES,
            is_by_user=True,
        ),
        Task(
            "readers",
            f"{_PARTS_NBYTES >> 20} MiB of data.raw by {READERS} readers at once, a part each",
            "≥ 0.83 × one reader of them",
            {OURS: _readers(raw, READERS, _PARTS_NBYTES), ONE_READER: _readers(raw, 1, _PARTS_NBYTES)},
            _PARTS_NBYTES,
            against=ONE_READER,
        ),
        Task(
            "readers",
            f"the same {_SAME_NBYTES >> 20} MiB of data.raw by {READERS} readers at once",
            "≥ 0.83 × one reader of them",
            {
                OURS: _readers(raw, READERS, _SAME_NBYTES, is_shared=True),
                ONE_READER: _readers(raw, 1, _SAME_NBYTES),
            },
            _SAME_NBYTES,
            against=ONE_READER,
        ),
        Task(
            "list",
            f"ls -f of {LISTED:,} files",
            "≥ 0.83 × bare pyfuse3",
            keys.all("ls -f names > /dev/null"),
            against=BARE_MOUNT,
        ),
        Task(
            "list",
            f"ls -l of {LISTED:,} files",
            "≥ 0.83 × bare pyfuse3",
            keys.all("ls -l names > /dev/null"),
            against=BARE_MOUNT,
        ),
        Task(
            "list",
            f"find -size over {LISTED:,} files",
            "≥ 5 × rclone",
            keys.all("find names -size +1M > /dev/null"),
            against="rclone",
        ),
        Task(
            "open",
            "small files: open, read and close",
            "≥ 2 × rclone",
            keys.all(small),
            count=FILES,
            against="rclone",
        ),
        Task(
            "absent",
            "look-ups of absent names",
            "≥ 18,000 /s",
            keys.all(absent),
            count=ABSENT,
            against=BARE_MOUNT,
        ),
        Task(
            "read",
            f"4 MiB chunks, a store that takes {DELAY_S * 1e3:.0f} ms per request (rclone: chunk by chunk, not decoded)",
            "≥ 400 MB/s",
            {OURS: _read("arrays/distant/data.raw"), "rclone": chunks},
            _DISTANT_NBYTES,
            against="rclone",
            is_distant=True,
        ),
        Task(
            "hdf5",
            "w2 whole: h5py in hdf5/ (zarr-python: the directory)",
            "",
            whole,
            _W2_NBYTES,
            against=ZARR_PYTHON,
        ),
        Task(
            "hdf5",
            "a plane of w2: h5py in hdf5/ (zarr-python: the directory)",
            "",
            plane,
            1 << 20,
            against=ZARR_PYTHON,
        ),
        Task(
            "memory",
            "20 GiB of zstd chunks, decoded in sequence",
            "≤ 150 MiB + 512 MiB of cache resident",
            {OURS: _read("arrays/many/data.raw")},
            _MANY_CHUNKS << 22,
            is_done_once=True,
        ),
    ]


@dataclass(frozen=True)
class _Trees:
    """The folder of zarrscope's mount with the content that peers have at the mount point."""

    ours: str

    def all(self, command: str) -> dict[str, str]:
        """The command for each peer."""
        return {OURS: self.ours + command, "rclone": command, "bindfs": command, BARE_MOUNT: command}


def _python(code: str) -> str:
    return f'{sys.executable} -S -c "{code}"'


def _timed(importing: str, statement: str) -> str:
    """A Python program that prints the time of one statement."""
    code = (
        f"import sys, time; {importing}; t = time.perf_counter(); {statement}; print(time.perf_counter() - t)"
    )
    return f'{sys.executable} -c "{code}" "$SOURCE"'


def _read(path: str) -> str:
    return f"dd if={path} of=/dev/null bs=1M status=none"


_READING = """
import os, sys, threading, time
path, readers, nbytes, shared = sys.argv[1], *map(int, sys.argv[2:])
def read(start, stop):
    buffer = memoryview(bytearray(1 << 20))
    with open(path, 'rb', 0) as file:
        while start < stop:
            start += os.preadv(file.fileno(), [buffer[: stop - start]], start)
part = nbytes if shared else nbytes // readers
places = [0 if shared else number * part for number in range(readers)]
threads = [threading.Thread(target=read, args=(start, start + part)) for start in places]
begun_s = time.perf_counter()
for thread in threads: thread.start()
for thread in threads: thread.join()
print(time.perf_counter() - begun_s)
"""


def _readers(path: str, count: int, nbytes: int, is_shared: bool = False) -> str:
    """A program whose threads read the beginning of a file at once: a part each, or all of them the same bytes."""
    code = shlex.quote(_READING)
    return f"{sys.executable} -S -c {code} {path} {count} {nbytes} {int(is_shared)}"


def measure(folder: Path, rounds: int, kinds: Sequence[str], peers: bool) -> Iterator[Result]:
    """The results of some kinds; the last one is the time until each was ready, over all its mounts."""
    mounters = chosen(_installed(), peers)
    known = [task for task in tasks() if task.what in kinds and (not task.is_by_user or _users_may_mount())]
    place = _place(folder)
    ready: dict[str, list[float]] = {name: [] for name in mounters}
    with distant_process(place, Distance(DELAY_S)) as url:
        for task in known:
            names = [name for name in mounters if task.commands.get(name)]
            seconds: dict[str, list[float]] = {name: [] for name in names}
            resident: dict[str, int] = {}
            for turn, name in [(1, OURS)] if task.is_done_once else turns(rounds, names):
                source = mounters[name](url if task.is_distant else str(place / "bucket"))
                with _mounted(source, task.is_by_user) as mount:
                    taken_s = _done(task, name, mount.path, place / "bucket")
                    resident[name] = max(resident.get(name, 0), mount.resident())
                if turn:  # an extra round, not counted, brings the files into the page cache
                    seconds[name].append(taken_s)
                    ready[name].append(mount.ready_s)
            yield Result(
                NAME,
                task.describes,
                task.what,
                task.nbytes,
                seconds,
                target=task.target,
                count=task.count,
                resident_bytes=resident,
                against=task.against,
            )
    if "idle" in kinds:
        with _mounted(_zarrscope(str(place / "bucket"))) as mount:
            before_s = mount.processor_s()
            time.sleep(_IDLE_S)
            seconds = {OURS: [mount.processor_s() - before_s]}
        yield Result(
            NAME, f"processor time in {_IDLE_S:.0f} s without requests", "idle", 0, seconds, {}, "≤ 50 ms"
        )
    unmounted = (BARE_MOUNT, ZARR_PYTHON, ONE_READER)
    ready = {name: times for name, times in ready.items() if times and name not in unmounted}
    if ready:
        fewest = min(map(len, ready.values()))
        seconds = {name: times[:fewest] for name, times in ready.items()}
        yield Result(
            NAME,
            "from the command to the first answer",
            "ready",
            0,
            seconds,
            target="≤ 0.6 s",
            against="rclone",
        )


def _done(task: Task, name: str, path: str, source: Path) -> float:
    environment = {**os.environ, "SOURCE": str(source)}
    begun_s = time.perf_counter()
    done = subprocess.run(
        [*(_AS_USER if task.is_by_user else ()), "sh", "-c", f"cd {path}; {task.commands[name]}"],
        env=environment,
        check=True,
        timeout=_ENOUGH_S,
        stdout=subprocess.PIPE,
    )
    return float(done.stdout or time.perf_counter() - begun_s)


@dataclass
class _Mount:
    path: str
    process: subprocess.Popen[bytes]
    ready_s: float

    def resident(self) -> int:
        """The peak memory of the daemon."""
        lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) << 10 for line in lines if line.startswith("VmHWM"))

    def processor_s(self) -> float:
        """The processor time of the daemon."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


Command = Callable[[str], list[str]]
"""The commands that mount a path or a distant server in the foreground; the mount point is appended."""


_USER = 65534
_AS_USER = (
    *("setpriv", f"--reuid={_USER}", f"--regid={_USER}", "--clear-groups"),
    # The interpreter and the data may be in a folder of root.
    *("--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"),
)


def _users_may_mount() -> bool:
    """Whether this process can mount as an ordinary user."""
    return os.geteuid() == 0 and bool(os.stat("/dev/fuse").st_mode & stat.S_IWOTH)


@contextmanager
def _mounted(command: list[str], is_by_user: bool = False) -> Iterator[_Mount]:
    user = _AS_USER if is_by_user else ()
    with tempfile.TemporaryDirectory() as path, tempfile.TemporaryFile() as said:
        if is_by_user:
            os.chown(path, _USER, _USER)
        begun_s = time.perf_counter()
        process = subprocess.Popen([*user, *command, path], stderr=said)
        try:
            while f" {path} " not in Path("/proc/self/mountinfo").read_text():
                if process.poll() is not None or time.perf_counter() - begun_s > _READY_MAX_S:
                    said.seek(0)
                    told = said.read().decode("utf-8", "replace").strip()
                    raise SystemExit(f"this command does not mount: {' '.join(command)} {path}\n{told}")
                time.sleep(0.002)
            subprocess.run([*user, "ls", path], check=True, capture_output=True)
            yield _Mount(path, process, time.perf_counter() - begun_s)
        finally:
            subprocess.run(_unmounting(path), check=False, capture_output=True)
            process.terminate()
            process.wait(20)


def _unmounting(path: str) -> list[str]:
    return ["umount", "--lazy", path] if os.geteuid() == 0 else ["fusermount3", "-u", "-z", path]


def _installed() -> dict[str, Command]:
    mounters: dict[str, Command] = {OURS: _zarrscope}
    rclone = shutil.which("rclone", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    if rclone is not None:
        mounters["rclone"] = lambda source: [rclone, "mount", "--read-only", *_rclone_source(source)]
    if shutil.which("bindfs") is not None:
        mounters["bindfs"] = lambda source: ["bindfs", "-f", "--no-allow-other", source]
    if importlib.util.find_spec("pyfuse3") is None:
        raise SystemExit("the mount needs pyfuse3: pip install zarrscope[fuse]")
    mounters[ZARR_PYTHON] = _zarrscope  # must exist, but is not used
    mounters[ONE_READER] = _zarrscope
    mounters[BARE_MOUNT] = lambda source: [sys.executable, "-m", "tests.benchmarks.bare_mount", source]
    return mounters


def _zarrscope(source: str) -> list[str]:
    command = [sys.executable, "-m", "zarrcore.cli.main", "mount", "-f"]
    if not source.startswith("http"):
        return [*command, source]
    options = ["--anonymous", "--endpoint-url", source, "--region", "us-east-1"]
    return [*command, *options, "s3://bucket"]


def _rclone_source(source: str) -> list[str]:
    # An empty file replaces the user's settings.
    command = ["--config", os.devnull]
    if not source.startswith("http"):
        return [*command, source]
    return [*command, f"--http-url={source}/bucket/", ":http:"]


def _place(folder: Path) -> Path:
    """The directory ``bucket`` with its content, written once."""
    place = folder / NAME
    if not (place / "done").exists():
        shutil.rmtree(place, ignore_errors=True)
        _write(place / "bucket", folder)
        (place / "done").touch()
    if not (place / "bucket" / "many").exists():
        _write_many(place / "bucket" / "many")
    return place


def _write(bucket: Path, folder: Path) -> None:
    import zarrcore

    hierarchy = zarrcore.create(bucket)
    values = np.random.default_rng(0).normal(0, 1, (128, 1024, 1024)).astype("f4")
    made = hierarchy.create_array(
        "distant", shape=values.shape, dtype="f4", chunks=(1, 1024, 1024), codecs=[]
    )
    made[...] = values
    shutil.copytree(folder / "w2" / "array.zarr", bucket / "w2")
    for name in ("names", "small"):
        (bucket / name).mkdir()
    for number in range(LISTED):
        (bucket / "names" / f"{number:06}").touch()
    for number in range(FILES):
        (bucket / "small" / str(number)).write_bytes(b"z" * 4096)
    block = values[:32].tobytes()
    with open(bucket / "big", "wb") as file:
        file.writelines(block for _ in range(_GIB // len(block)))


def _write_many(path: Path) -> None:
    """An array of many chunks that are hard links to one file."""
    import zarrcore

    values = np.random.default_rng(0).integers(0, 4, 4 << 20).astype("u1")
    array = zarrcore.create(path).create_array(
        "/", shape=(_MANY_CHUNKS, len(values)), dtype="u1", chunks=(1, len(values)), overwrite=True
    )
    array[0] = values
    for number in range(1, _MANY_CHUNKS):
        (path / "c" / str(number)).mkdir()
        os.link(path / "c/0/0", path / f"c/{number}/0")
