"""Copying and checking arrays: zarrscope, copiers of files and libraries of arrays alternately.

Each figure comes from a process of its own, which has copied a small array before the clock starts, so that modules are loaded. A
command is measured from its start. zarrscope verifies what it has written, as the copy command does by default.
"""

from __future__ import annotations

import importlib.util
import json
import multiprocessing
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Container, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from tests.benchmarks.fairness import back_memory, chosen, turns
from tests.benchmarks.readers import FUSED, is_installed, open_tensorstore, open_zarr_python
from tests.benchmarks.results import OURS, Result
from tests.benchmarks.workloads import WORKLOADS

NAME = "copy"
KINDS = ("files", "rechunk", "bucket", "check")
NEEDED = ("w2", "w3", "w7")
"""The workloads whose arrays are copied."""

_BUCKETS = ("bucket", "other")
_REGION = "us-east-1"
_KEYS = {"AWS_ACCESS_KEY_ID": "testing-key", "AWS_SECRET_ACCESS_KEY": "testing-secret"}
_TRANSFERS = 64

Act = Callable[[str, str], None]
"""Copies the array at one place to another, or reads the first."""


@dataclass(frozen=True)
class Task:
    """One task with the array of a workload."""

    what: str
    describes: str
    workload: str
    acts: dict[str, Act]


def tasks() -> Iterator[Task]:
    """The tasks; peers are those that are installed."""
    describes = {workload.name: f"{workload.name} {workload.describes}" for workload in WORKLOADS}
    # zarr-python takes ten times as long for small chunks.
    for name, left_out in (("w2", (FUSED,)), ("w7", (FUSED, "zarrs"))):
        acts = {OURS: _copy, f"{OURS} (command)": _copy_by_command, **_rclone(_copy_by_rclone)}
        acts |= {peer: act for peer, act in _libraries().items() if peer not in left_out}
        yield Task("files", f"{describes[name]}: the same chunks and codecs", name, acts)
    for shape in ((128, 128, 128), (16, 512, 512)):
        acts = {OURS: partial(_copy, chunk_shape=shape), **_libraries(shape)}
        acts[f"{OURS} unverified"] = partial(_copy, chunk_shape=shape, verify=False)
        text = "×".join(map(str, shape))
        yield Task("rechunk", f"{describes['w2']}: to chunks of {text}", "w2", acts)
    acts = {OURS: _copy_in_s3, f"{OURS} (command)": _copy_in_s3_by_command, **_rclone(_copy_in_s3_by_rclone)}
    yield Task("bucket", f"{describes['w2']}: to another bucket of the service", "w2", acts)
    for name in ("w2", "w3", "w7"):
        readers: dict[str, Act] = {OURS: _check, f"{OURS} (command)": _check_by_command}
        readers |= _readers()
        yield Task("check", f"{describes[name]}: all chunks", name, readers)


def measure(folder: Path, rounds: int, only: Container[str], peers: bool) -> Iterator[Result]:
    """Time all libraries and programs for each task; an extra round, not counted, compares the copies with the source."""
    for task in tasks():
        if task.what in only:
            with _places(task, folder) as place_of:
                yield _alternate(task, folder, rounds, peers, place_of)


def _alternate(
    task: Task, folder: Path, rounds: int, peers: bool, place_of: Callable[[str], tuple[str, str, str]]
) -> Result:
    acts = chosen(task.acts, peers)
    seconds: dict[str, list[float]] = {name: [] for name in acts}
    array = folder / task.workload / "array.zarr"
    nbytes = 0
    for turn, name in turns(rounds, acts):
        source, tiny, target = place_of(f"{turn}-{name.replace(' ', '-')}")
        taken_s = _in_new_process(acts[name], (tiny, f"{target}-tiny"), (source, target))
        if turn:
            seconds[name].append(taken_s)
        elif name == OURS:
            nbytes = _values(array).nbytes
        if task.what != "check":
            _finish(target, None if turn else array)
    return Result(NAME, task.describes, task.what, nbytes, seconds)


@contextmanager
def _places(task: Task, folder: Path) -> Iterator[Callable[[str], tuple[str, str, str]]]:
    """A function that returns the places of the array, a tiny one like it, and a copy by a name."""
    array = folder / task.workload / "array.zarr"
    tiny = _tiny(array, folder / NAME / task.workload)
    with tempfile.TemporaryDirectory(dir=folder) as copies, _server(task) as url:
        if url is None:
            yield lambda name: (str(array), str(tiny), f"{copies}/{name}")
            return
        for path in (array, tiny):
            _upload(url, path, f"{_BUCKETS[0]}/{path.stem}")
        bucket, other = (f"{url}#{bucket}" for bucket in _BUCKETS)
        yield lambda name: (f"{bucket}/{array.stem}", f"{bucket}/{tiny.stem}", f"{other}/{name}")


def _tiny(array: Path, folder: Path) -> Path:
    """An array of eight chunks with the type, the codecs and the chunk shape of another."""
    path = folder / "tiny.zarr"
    if not path.exists():
        document = json.loads((array / "zarr.json").read_text())
        chunk_shape = document["chunk_grid"]["configuration"]["chunk_shape"]
        document["shape"] = [2 * length for length in chunk_shape]
        path.mkdir(parents=True)
        (path / "zarr.json").write_text(json.dumps(document))
        for index in product(map(str, range(2)), repeat=len(chunk_shape)):
            chunk = path.joinpath("c", *index)
            chunk.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(array.joinpath("c", *index), chunk)
    return path


def _in_new_process(act: Act, warm_up: tuple[str, str], places: tuple[str, str]) -> float:
    """The seconds of ``act`` in a process that has done it before with a tiny array."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_run, args=(theirs, act, warm_up, places))
    process.start()
    theirs.close()
    try:
        seconds: float = ours.recv()
    except EOFError:
        raise SystemExit(f"a process ended with status {process.exitcode}") from None
    process.join()
    return seconds


def _run(pipe: Any, act: Act, warm_up: tuple[str, str], places: tuple[str, str]) -> None:
    os.environ.update(_KEYS)
    act(*warm_up)
    back_memory()
    begun_s = time.perf_counter()
    act(*places)
    pipe.send(time.perf_counter() - begun_s)


# zarrscope


def _copy(
    source: str, target: str, *, chunk_shape: tuple[int, ...] | None = None, verify: bool = True
) -> None:
    import zarrcore
    from zarrcore.operations.copy import Layout, execute, plan_copy
    from zarrcore.stores import open_store

    hierarchy = zarrcore.open_hierarchy(source)
    plan = plan_copy(hierarchy, layout=Layout(chunk_shape))
    with open_store(target, create=True) as destination:
        execute(plan, hierarchy, destination, verify=verify)


def _copy_by_command(source: str, target: str) -> None:
    _run_command(sys.executable, "-m", "zarrcore.cli.main", "copy", source, target, "--quiet")


def _copy_in_s3(source: str, target: str) -> None:
    import zarrcore
    from zarrcore.operations.copy import execute, plan_copy
    from zarrcore.stores import open_store

    (url, _, source), (_, _, target) = source.partition("#"), target.partition("#")
    options: Any = {"endpoint_url": url, "region": _REGION}
    hierarchy = zarrcore.open_hierarchy(f"s3://{source}", **options)
    plan = plan_copy(hierarchy)
    with open_store(f"s3://{target}", create=True, **options) as destination:
        execute(plan, hierarchy, destination)


def _copy_in_s3_by_command(source: str, target: str) -> None:
    (url, _, source), (_, _, target) = source.partition("#"), target.partition("#")
    options = ("--endpoint-url", url, "--region", _REGION, "--quiet")
    command = (sys.executable, "-m", "zarrcore.cli.main", "copy", f"s3://{source}", f"s3://{target}")
    _run_command(*command, *options)


def _check(source: str, _: str) -> None:
    import zarrcore
    from zarrcore.operations.check import check

    for finding in check(zarrcore.open_hierarchy(source)):
        raise SystemExit(f"unexpected finding: {finding}")


def _check_by_command(source: str, _: str) -> None:
    _run_command(sys.executable, "-m", "zarrcore.cli.main", "check", source, "--quiet")


# rclone


def _rclone(act: Callable[[str, str, str], None]) -> dict[str, Act]:
    """What rclone does, if it is installed; the function takes its path first."""
    found = shutil.which("rclone", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    return {} if found is None else {"rclone": partial(act, found)}


def _copy_by_rclone(rclone: str, source: str, target: str) -> None:
    _run_command(rclone, "--config", os.devnull, "copy", source, target)


def _copy_in_s3_by_rclone(rclone: str, source: str, target: str) -> None:
    (url, _, source), (_, _, target) = source.partition("#"), target.partition("#")
    remote = f":s3,provider=Other,env_auth,region={_REGION},endpoint='{url}':"
    command = (rclone, "--config", os.devnull, "copy", "--transfers", str(_TRANSFERS))
    # It need not look if the bucket exists.
    _run_command(*command, "--s3-no-check-bucket", remote + source, remote + target)


def _run_command(*command: str) -> None:
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: {done.stderr}")


# The libraries of arrays


def _libraries(chunk_shape: tuple[int, ...] | None = None) -> dict[str, Act]:
    acts: dict[str, Act] = {}
    if importlib.util.find_spec("tensorstore"):
        acts["tensorstore"] = partial(_copy_by_tensorstore, chunk_shape=chunk_shape)
    for name, package, pipeline in _PIPELINES:
        if is_installed(name, package):
            acts[name] = partial(_copy_by_zarr, chunk_shape=chunk_shape, pipeline=pipeline)
    return acts


_PIPELINES = (
    ("zarrs", "zarrs", "zarrs.ZarrsCodecPipeline"),
    (FUSED, "zarr", "zarr.core.codec_pipeline.FusedCodecPipeline"),
)


def _copy_by_tensorstore(source: str, target: str, *, chunk_shape: tuple[int, ...] | None) -> None:
    import tensorstore

    document = json.loads(Path(source, "zarr.json").read_text())
    if chunk_shape is not None:
        document["chunk_grid"]["configuration"]["chunk_shape"] = chunk_shape
    Path(target).mkdir(parents=True)
    Path(target, "zarr.json").write_text(json.dumps(document))
    found = tensorstore.open({"driver": "zarr3", "kvstore": f"file://{source}/"}).result()
    # By default it synchronises each file with the disk, unlike all other programs here.
    kvstore = {"driver": "file", "path": f"{target}/", "file_io_sync": False}
    tensorstore.open({"driver": "zarr3", "kvstore": kvstore}).result().write(found).result()


def _copy_by_zarr(source: str, target: str, *, chunk_shape: tuple[int, ...] | None, pipeline: str) -> None:
    import zarr

    _take_pipeline(pipeline)
    zarr.from_array(target, data=zarr.open_array(source, mode="r"), chunks=chunk_shape or "keep")


def _take_pipeline(pipeline: str) -> None:
    import zarr

    if pipeline.startswith("zarrs."):
        import zarrs  # noqa: F401 - importing registers its pipeline
    zarr.config.set({"codec_pipeline.path": pipeline})


def _readers() -> dict[str, Act]:
    acts: dict[str, Act] = {}
    if importlib.util.find_spec("tensorstore"):
        acts["tensorstore"] = _read_by_tensorstore
    for name, package, pipeline in _PIPELINES:
        if is_installed(name, package):
            acts[name] = partial(_read_by_zarr, pipeline=pipeline)
    return acts


def _read_by_tensorstore(source: str, _: str) -> None:
    open_tensorstore(Path(source), 3)(...)


def _read_by_zarr(source: str, _: str, *, pipeline: str) -> None:
    _take_pipeline(pipeline)
    open_zarr_python(Path(source), 3, pipeline)(...)


# Copies, compared with the source and removed


def _values(path: Path) -> np.ndarray:
    return open_zarr_python(path, 3)(...)


def _finish(target: str, array: Path | None) -> None:
    """Compare a copy with its source, if there is one, and free its space."""
    url, _, place = target.partition("#")
    if place:
        bucket, _, name = place.partition("/")
        _finish_in_s3(url, bucket, name, array)
        return
    if array is not None and not np.array_equal(_values(Path(target)), _values(array)):
        raise SystemExit(f"the copy {Path(target).name} has different values")
    for file in _files(Path(target)):
        # For some minutes after files were deleted, ext4 passes over their inodes when it creates a file.
        os.truncate(file, 0)


def _finish_in_s3(url: str, bucket: str, name: str, array: Path | None) -> None:
    client = _client(url, bucket)
    for chunk in _files(array / "c") if array else ():
        key = f"{name}/{chunk.relative_to(array or '')}"
        if client.get(key).bytes() != chunk.read_bytes():
            raise SystemExit(f"{key} in the bucket {bucket} differs")
    for page in client.list(f"{name}/"):
        client.delete([facts["path"] for facts in page])


def _files(folder: Path) -> Iterator[Path]:
    return (file for file in folder.rglob("*") if file.is_file())


def _client(url: str, bucket: str) -> Any:
    from obstore.store import S3Store

    key, secret = _KEYS.values()
    options: Any = {"allow_http": True}
    keys = {"access_key_id": key, "secret_access_key": secret}
    return S3Store(bucket, endpoint=url, region=_REGION, client_options=options, **keys)


def _upload(url: str, array: Path, place: str) -> None:
    bucket, _, name = place.partition("/")
    client = _client(url, bucket)
    for file in _files(array):
        client.put(f"{name}/{file.relative_to(array)}", file.read_bytes())


def _server(task: Task) -> AbstractContextManager[str | None]:
    """The address of an S3 service with two buckets, if the task needs one."""
    return _s3_process() if task.what == "bucket" else nullcontext(None)


@contextmanager
def _s3_process() -> Iterator[str]:
    """The S3 service of the tests in a process of its own."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs,))
    process.start()
    theirs.close()
    try:
        yield ours.recv()
    finally:
        ours.send(None)
        process.join()


def _serve(pipe: Any) -> None:
    from tests.servers.s3 import s3_server

    with s3_server() as server:
        for bucket in _BUCKETS:
            server.create_bucket(bucket)
        pipe.send(server.endpoint_url)
        pipe.recv()
