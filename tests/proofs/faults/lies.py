"""Readers that stay open while a service refuses and lies, in one way after another, and answers well in between.

Each fault has an array of its own, which no reader has in memory. The law: while the fault lasts, a reader gets all elements
right, or an error that says what the service did; never that something is absent. Afterwards the same reader gets all
elements, and the log of a mount has a few lines. Faults in spite of which everything must be read are in `THROUGH`.
"""

from __future__ import annotations

import errno
import gzip
import io
import random
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import fsspec
import h5py
import numpy as np
import xarray

import zarrcore as zc
from tests.command import run_inside
from tests.proofs.faults import hours
from tests.proofs.faults.hours import Answer, Cloud, Fault, cloud, refusal
from tests.servers.proxy import Change, Request, Trouble
from tests.zfs.conftest import Mount, mounting
from tests.zfs.http.serving import get, serving
from zarrcore.errors import ZarrError
from zarrcore.stores import MemoryStore, ReadableStore, WritableStore
from zarrfs.fuse.errnos import errno_of

_ELEMENTS: Final = np.arange(32 * 64, dtype="i4").reshape(32, 64)
_PATIENT: Final = {"timeout_s": 60.0, "retries": 10}
_HASTY: Final = {"timeout_s": 2.0, "retries": 1}
"""Connections that give up soon: nothing is won by waiting for a fault that lasts."""
_LINES_MAX: Final = 12
"""Lines in the log of a mount for one fault, whatever is read through it."""
_PAGE: Final = (
    b"<!DOCTYPE html><html><head><title>Log in</title></head><body><form>Password</form></body></html>"
)
_GOOD: Final = re.compile(rb"HTTP/1.1 20[06] ")

Read = Callable[[str], np.ndarray]
"""Reads an array by name. Raises an OSError, a ZarrError, or `Refused`."""


class Refused(Exception):
    """A server that serves the hierarchy, or a command, gives an error.

    Attributes:
        errno: that says the same.
    """

    def __init__(self, number: int | None, text: str) -> None:
        super().__init__(text)
        self.errno = number


# Answers, as bytes.


def _changed(answer: bytes, body: bytes | None = None, status: str = "", **headers: str) -> bytes:
    """An answer with another body, status or headers; a header that is given empty is removed."""
    head, _, old = answer.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    wanted = {name.replace("_", "-").lower(): value for name, value in headers.items()}
    if body is not None:
        wanted["content-length"] = str(len(body))
    kept = [line for line in lines if line.partition(":")[0].lower() not in wanted]
    lines = [
        f"HTTP/1.1 {status}" if status else first,
        *kept,
        *(f"{name}: {value}" for name, value in wanted.items() if value),
    ]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1") + (old if body is None else body)


def _body(answer: bytes) -> bytes:
    return answer.partition(b"\r\n\r\n")[2]


def _is_value(place: Cloud, request: Request) -> bool:
    """Whether a request is for a value, and not for a listing."""
    return "list-type" not in request.target and not request.target.partition("?")[0].endswith("/")


def _changing(change: Callable[[bytes], bytes]) -> Change:
    """Change what is not an error."""
    return Change(lambda answer: change(answer) if _GOOD.match(answer) else answer)


# Faults that end by themselves, or that a reader can ignore.


def ignored_range(place: Cloud, request: Request) -> Answer:
    """200 with the whole value, whatever part is requested."""
    if "range" not in request.headers or request.method != "GET":
        return None
    return Change(head=lambda head: re.sub(rb"(?i)\r\nrange:[^\r]*", b"", head))


def packed(place: Cloud, request: Request) -> Answer:
    """gzip, which was not requested."""
    if request.method != "GET" or "range" in request.headers or not _is_value(place, request):
        return None
    return _changing(lambda answer: _changed(answer, gzip.compress(_body(answer)), Content_Encoding="gzip"))


# Faults that last.


def unavailable(place: Cloud, request: Request) -> Answer:
    """503 to all requests."""
    return hours.without_body(request, refusal(503, "SlowDown"))


def denied(place: Cloud, request: Request) -> Answer:
    """403 to all requests."""
    return hours.without_body(request, refusal(403, "AccessDenied"))


def cut(place: Cloud, request: Request) -> Answer:
    """Each answer breaks off."""
    return Trouble.CUT, place.choice


def half(place: Cloud, request: Request) -> Answer:
    """Half of each value, whose length agrees with it, and the facts of the whole one from HEAD."""
    if request.method == "HEAD" or not _is_value(place, request):
        return None
    return _changing(lambda answer: _changed(answer, _body(answer)[: len(_body(answer)) // 2]))


def login_page(place: Cloud, request: Request) -> Answer:
    """200 with a page to log in, to all requests."""
    answer = _changed(b"HTTP/1.1 200 OK\r\n\r\n", _PAGE, Content_Type="text/html")
    return answer.partition(_PAGE)[0] if request.method == "HEAD" else answer


def other_part(place: Cloud, request: Request) -> Answer:
    """Status 206 with bytes that begin one later than requested, as Content-Range says; also if the whole value was requested."""

    def shifted(answer: bytes) -> bytes:
        body = _body(answer)
        match = re.search(rb"Content-Range: bytes (\d+)-(\d+)/(\d+)", answer, re.IGNORECASE)
        if not body:
            return answer
        first, last, size = map(int, match.groups()) if match else (0, len(body) - 1, len(body))
        return _changed(
            answer, body[1:] + b"\0", "206 Partial Content",
            Content_Range=f"bytes {first + 1}-{last + 1}/{size + 1}",
        )  # fmt: skip

    return _changing(shifted) if request.method == "GET" and _is_value(place, request) else None


def other_head(place: Cloud, request: Request) -> Answer:
    """HEAD says another size and version than GET."""

    def changed(answer: bytes) -> bytes:
        size = re.search(rb"Content-Length: (\d+)", answer, re.IGNORECASE)
        assert size is not None
        return _changed(answer, Content_Length=str(2 * int(size[1]) + 1), ETag='"other"')

    return _changing(changed) if request.method == "HEAD" else None


def same_page(place: Cloud, request: Request) -> Answer:
    """A listing whose first page comes again and again."""
    if _is_value(place, request):
        return None
    more = (
        b"<IsTruncated>true</IsTruncated><NextContinuationToken>%d</NextContinuationToken></ListBucketResult>"
    )

    def repeated(answer: bytes) -> bytes:
        body = re.sub(rb"<(IsTruncated|NextContinuationToken)>.*?</\1>", b"", _body(answer))
        # Another name for the next page each time: only what is in the pages shows that they are one.
        return _changed(answer, body.replace(b"</ListBucketResult>", more % place.choice.getrandbits(64)))

    return Change(repeated, lambda head: re.sub(rb"&?continuation-token=[^& ]*", b"", head))


@dataclass(frozen=True)
class Case:
    """One fault and what it may lead to."""

    fault: Fault
    errnos: frozenset[int] = frozenset()
    """The errors that may be given while it lasts."""
    scheme: str = ""
    """Of the only service that it concerns."""

    @property
    def name(self) -> str:
        return self.fault.__name__


_LATE: Final = frozenset({errno.ETIMEDOUT})
"""Any answer may be, on a busy machine."""
_IO: Final = _LATE | {errno.EIO}
THROUGH: Final = [
    Case(hours.slow_down),
    Case(hours.overloaded),
    Case(hours.wait_seconds),
    Case(hours.resets),
    Case(hours.restart),
    Case(hours.idle),
    Case(hours.new_certificate, scheme="https"),
    Case(ignored_range),
    Case(packed),
    Case(hours.expired_profile, scheme="s3"),
]
LASTING: Final = [
    Case(unavailable, _IO),
    Case(denied, _LATE | {errno.EACCES}),
    Case(cut, _IO),
    Case(half, _IO | {errno.ESTALE}),
    Case(login_page, _IO),
    Case(other_part, _IO),
    Case(other_head, _IO | {errno.ESTALE}),
    Case(same_page, _IO, scheme="s3"),
]


# Readers. Each is opened once.


@contextmanager
def _library(place: Cloud) -> Iterator[Read]:
    with zc.open_hierarchy(place.open()) as found:
        yield lambda name: found[name][...]


@contextmanager
def _xarray(place: Cloud) -> Iterator[Read]:
    def read(name: str) -> np.ndarray:
        with xarray.open_dataset(place.source, engine="zarrscope", storage_options=place.options) as dataset:
            return dataset[name].values

    yield read


@contextmanager
def _fsspec(place: Cloud) -> Iterator[Read]:
    files = fsspec.filesystem(
        "zarrscope", source=place.source, skip_instance_cache=True, metadata_ttl=0, **place.options
    )
    yield lambda name: _raw(files.cat_file(f"arrays/{name}/data.raw"))


@contextmanager
def _copy(place: Cloud) -> Iterator[Read]:
    """The same command again resumes a copy that failed."""
    copied = set[str]()
    with tempfile.TemporaryDirectory() as folder:

        def read(name: str) -> np.ndarray:
            dest = Path(folder) / f"{name}.zarr"
            if name in copied:  # and resumed otherwise
                shutil.rmtree(dest)
            done = run_inside("copy", f"{place.source}#/{name}", dest, "--quiet", *place.words())
            if done.status:
                raise Refused(None, done.stderr)
            copied.add(name)
            return _whole(dest)

        yield read


@contextmanager
def _serve(place: Cloud) -> Iterator[Read]:
    with serving(place.open(), ttl_s=0.0) as server:

        def read(name: str) -> np.ndarray:
            answer = get(f"{server.url}/arrays/{name}/data.raw")
            if answer.status_code != 200:
                assert answer.status_code in (500, 502, 503, 504), answer
                raise Refused(None, f"{answer}: {answer.text}")
            return _raw(answer.content)

        yield read


def _raw(data: bytes) -> np.ndarray:
    return np.frombuffer(data, "<i4").reshape(_ELEMENTS.shape)


def _of_keys(path: Path, right: MemoryStore) -> Read:
    def read(name: str) -> np.ndarray:
        place = path / "keys" / name
        assert {file.name for file in place.iterdir()} == {"zarr.json", "c"}
        for entry in right.list_prefix(f"{name}/"):
            assert (path / "keys" / entry.key).read_bytes() == right.get(entry.key)
        return zc.open_hierarchy(right)[name][...]

    return read


def _of_zarr3(path: Path, _: ReadableStore) -> Read:
    return lambda name: _whole(path / "zarr3" / name)


def _whole(path: Path) -> np.ndarray:
    with zc.open_hierarchy(path) as found:
        return found["/"][...]


def _of_arrays(path: Path, _: ReadableStore) -> Read:
    return lambda name: _raw((path / "arrays" / name / "data.raw").read_bytes())


def _of_hdf5(path: Path, _: ReadableStore) -> Read:
    def read(name: str) -> np.ndarray:
        # Before HDF5 sees it, which would hold Python's lock while the proxy of this process must answer.
        data = (path / "hdf5" / f"{name}.h5").read_bytes()
        with h5py.File(io.BytesIO(data)) as file:
            return file[name][...]

    return read


OPENED: Final = {"library": _library, "xarray": _xarray, "fsspec": _fsspec, "copy": _copy, "serve": _serve}
TREES: Final = {"keys": _of_keys, "arrays": _of_arrays, "zarr3": _of_zarr3, "hdf5": _of_hdf5}


@contextmanager
def _mounted(place: Cloud) -> Iterator[Mount]:
    with tempfile.TemporaryDirectory() as folder, mounting(Path(folder)) as mount:
        made = mount(place.source, "--metadata-ttl", "0", *place.words())
        daemon = made.daemon()
        yield made
        assert made.daemon() == daemon
        assert "Traceback" not in made.log.read_text()
        ended = made.umount()
        assert ended.status == 0, ended.stderr


def live_through(scheme: str, cases: list[Case], seed: int, lasts_s: float) -> None:
    """All readers at once through one fault after another."""
    cases = [case for case in cases if case.scheme in ("", scheme)]

    def write(store: WritableStore) -> None:
        hierarchy = zc.create(store)
        for number, case in enumerate(cases):
            # Shards are read by parts.
            hierarchy.create_array(
                case.name, shape=_ELEMENTS.shape, dtype="int32", chunks=(16, 32), shards=(32, 32),
                codecs=[{"name": "crc32c"}],
            )[...] = _ELEMENTS + number  # fmt: skip

    renewed = hours.expired_profile if any(case.fault is hours.expired_profile for case in cases) else cut
    write(right := MemoryStore())
    with ExitStack() as stack:
        place = stack.enter_context(cloud(scheme, renewed, random.Random(seed), lasts_s, write))
        place.options |= _HASTY if cases[0].errnos else _PATIENT
        readers = {name: stack.enter_context(opened(place)) for name, opened in OPENED.items()}
        mount = stack.enter_context(_mounted(place))
        readers |= {name: tree(mount.path, right) for name, tree in TREES.items()}
        pool = stack.enter_context(ThreadPoolExecutor(len(readers)))
        for number, case in enumerate(cases):
            before = len(mount.log.read_text().splitlines())
            place.fault, place.asked = case.fault, 0
            place.begin()
            reads = {name: pool.submit(read, case.name) for name, read in readers.items()}
            for name, one in reads.items():
                _check(f"{name} during {case.name}", one.result, _ELEMENTS + number, case.errnos)
            if case.fault is hours.idle and scheme == "https":
                assert place.front.resumed
            place.end()
            lines = mount.log.read_text().splitlines()[before:]
            assert len(lines) <= _LINES_MAX, "\n".join(lines)
            reads = {name: pool.submit(read, case.name) for name, read in readers.items()}
            for name, one in reads.items():
                _check(f"{name} after {case.name}", one.result, _ELEMENTS + number, frozenset())


def _check(what: str, read: Callable[[], np.ndarray], right: np.ndarray, errnos: frozenset[int]) -> None:
    """Read, and find the right elements, or one of the errors."""
    try:
        found = read()
    except (OSError, ZarrError, Refused) as error:
        number = errno_of(error) if isinstance(error, ZarrError) else error.errno
        allowed = number in errnos or (number is None and isinstance(error, Refused) and errnos)
        if not allowed:
            raise AssertionError(f"{what}: {error!r}") from error
    else:
        assert np.array_equal(found, right), what
