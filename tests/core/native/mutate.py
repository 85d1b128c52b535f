"""Read mutated chunks with an engine that was compiled with sanitizers: run by `test_job`, also by hand.

python -m tests.core.native.mutate LIBRARY FOLDER SEED COUNT
"""

from __future__ import annotations

import os
import sys
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from tests.core.array.native.chains import CHAINS, DTYPES, values_of
from tests.core.native.hdf5_chunks import bitshuffled, lz4_blocks
from zarrcore.codecs import ArraySpec, Pipeline
from zarrcore.metadata import NamedConfiguration
from zarrcore.native import Engine, Job, JobAxis


class Directory:
    """An open directory."""

    def __init__(self, path: Path) -> None:
        self.descriptor = os.open(path, os.O_RDONLY)


def mutated(content: bytes, rng: np.random.Generator) -> bytes:
    """Some bytes changed, cut, doubled or set to what headers may hold."""
    bytes_ = bytearray(content)
    for _ in range(int(rng.integers(1, 6))):
        at = int(rng.integers(0, max(1, min(len(bytes_), 40 if rng.random() < 0.6 else len(bytes_)))))
        kind = rng.integers(0, 5)
        if kind == 0:
            del bytes_[at:]
        elif kind == 1:
            bytes_[at : at + 1] = rng.bytes(1)
        elif kind == 2:
            bytes_[at:at] = rng.bytes(int(rng.integers(1, 9)))
        elif kind == 3:
            word = int(rng.choice([0, 1, 16, 255, 2**16, 2**31 - 1, 2**31, 2**32 - 1, len(content)]))
            bytes_[at : at + 4] = word.to_bytes(4, "little")
        else:
            bytes_ += bytes_[at:]
    return bytes(bytes_)


def pipelines() -> list[tuple[Pipeline, bytes]]:
    """Each chain, and a chunk that it encoded."""
    found = []
    for number, codecs in enumerate(CHAINS):
        dtype = np.dtype(DTYPES[number % len(DTYPES)])
        named = [
            NamedConfiguration(codec)
            if isinstance(codec, str)
            else NamedConfiguration(codec["name"], codec["configuration"])
            for codec in codecs
        ]
        if not any(codec.name in ("bytes", "transpose") for codec in named):
            named.insert(0, NamedConfiguration("bytes", {"endian": "little"}))
        pipeline = Pipeline(named, ArraySpec((8, 16, 16), dtype, np.zeros((), dtype)))
        found.append((pipeline, bytes(pipeline.encode(values_of(dtype.str)[:8, :16, :16]))))
    values = values_of("<u2")[:8, :16, :16].copy()
    filtered: list[tuple[str, dict[str, Any], bytes]] = [("hdf5.lz4", {}, lz4_blocks(values.tobytes(), 1000))]
    for compression in ("none", "lz4", "zstd"):
        configuration = {"elementsize": 2, "blocksize": 256, "compression": compression}
        filtered.append(
            ("hdf5.bitshuffle", configuration, bitshuffled(values.tobytes(), 2, 512, compression))
        )
    spec = ArraySpec(values.shape, values.dtype, np.zeros((), "<u2"))
    for name, configuration, chunk in filtered:
        named = [NamedConfiguration("bytes", {"endian": "little"}), NamedConfiguration(name, configuration)]
        found.append((Pipeline(named, spec), chunk))
    tags = {"258": [16], "259": [8], "317": [2], "322": [16], "323": [16], "32998": [8]}
    segment = NamedConfiguration("tiff.segment", {"byteorder": "little", "tags": tags})
    differences = np.diff(values, axis=2, prepend=values.dtype.type(0))
    found.append((Pipeline([segment], spec), zlib.compress(differences.tobytes())))
    return found


def axes_of(form: Any, shape: tuple[int, ...], rng: np.random.Generator, is_wild: bool) -> list[JobAxis]:
    """A random part of a chunk; if it is wild, with numbers that may be anything."""
    axes = []
    for length, stride in zip(shape, form.strides, strict=True):
        first, step = int(rng.integers(0, length)), int(rng.integers(1, 4))
        row = [0, first, (length - 1 - first) // step + 1, step, 0]
        if is_wild and rng.random() < 0.5:
            row[int(rng.integers(0, 5))] = int(rng.choice([-1, 0, 1, length, 2**31, 2**62, 2**63 - 1]))
        axes.append(JobAxis(length, stride, np.array([row], np.int64)))
    return axes


def some_fill(pipeline: Pipeline, rng: np.random.Generator) -> bytes | None:
    """An element for missing units, or none."""
    return rng.bytes(pipeline.spec.dtype.itemsize) if rng.random() < 0.4 else None


def from_memory(engine: Engine, pipeline: Pipeline, content: bytes, rng: np.random.Generator) -> str:
    """Read units that are listed, each with a random part of a chunk, from bytes in memory."""
    form = pipeline.native_form()
    assert form is not None
    count, shape, own = 3, pipeline.spec.shape, rng.random() < 0.5
    several = [axes_of(form, shape, rng, is_wild=rng.random() < 0.1) for _ in range(count)]
    axes = [
        JobAxis(length, stride, np.concatenate([axes[d].crossings for axes in several]))
        for d, (length, stride) in enumerate(zip(shape, form.strides, strict=True))
    ]
    if rng.random() < 0.1:
        axes[0] = JobAxis(axes[0].chunk_length, axes[0].chunk_stride, axes[0].crossings[:2])
    arrays = [np.empty(shape, pipeline.spec.dtype) for _ in range(count if own else 1)]
    limit, most = pipeline.max_encoded_nbytes, len(content)
    options = {"is_listed": True, "arrays": arrays if own else None, "fill": some_fill(pipeline, rng)}
    job = Job(engine, arrays[0], axes, form.codecs, form.swap_nbytes, limit, **options)
    places = [0, 0, 1, 4, most, most, most // 2, 2**63 - 1, 2**64 - 1]
    parts = np.array([[places[i] for i in rng.integers(0, len(places), 2)] for _ in range(count)], np.uint64)
    parts[0] = 0, most
    if not job.read_memory(memoryview(content), parts):
        return "invalid"
    return "refused" if 0 in job.run(0, count) else "read"


def points(engine: Engine, pipeline: Pipeline, directory: Directory, rng: np.random.Generator) -> str:
    """Read single elements of the chunk ``c0.0.0``, which is listed twice."""
    form = pipeline.native_form()
    assert form is not None
    several = [axes_of(form, pipeline.spec.shape, rng, is_wild=rng.random() < 0.05) for _ in range(2)]
    axes = [
        JobAxis(one.chunk_length, one.chunk_stride, np.concatenate([one.crossings, other.crossings]))
        for one, other in zip(*several, strict=True)
    ]
    for axis in axes:
        axis.crossings[:, 4] = 0
    counts = rng.integers(0, 5, 2)
    numbers = np.concatenate(
        [
            sum(axis.chunk_stride * (axis.crossings[unit, 1] + rng.integers(0, 2, count)) for axis in axes)
            for unit, count in enumerate(counts)
        ]
    ).astype(np.int64)
    bounds = np.array([0, counts[0], counts.sum()], np.int64)
    for values in (numbers, bounds):
        if len(values) and rng.random() < 0.1:
            values[rng.integers(0, len(values))] = rng.choice([-1, 0, 7, 2**20, 2**62, -(2**63), 2**63 - 1])
    gathered = np.empty(max(1, int(counts.sum())), pipeline.spec.dtype)
    target = np.broadcast_to(gathered[:1], pipeline.spec.shape)
    limit = pipeline.max_encoded_nbytes
    options = {"is_listed": True, "fill": some_fill(pipeline, rng)}
    job = Job(engine, target, axes, form.codecs, form.swap_nbytes, limit, **options)
    job.read_points(gathered, numbers, bounds)
    if not job.use_files(directory, False, "c", ".", False):
        return "invalid"
    return "refused" if job.run(0, 2) else "read"


def main(library: str, folder: str, seed: str, count: str) -> None:
    """Mutate and read."""
    engine, rng, root = Engine(library), np.random.default_rng(int(seed)), Path(folder)
    directory, cases, outcomes = Directory(root), pipelines(), {"read": 0, "refused": 0, "invalid": 0}
    for number in range(int(count)):
        pipeline, chunk = cases[number % len(cases)]
        form = pipeline.native_form()
        assert form is not None
        content = mutated(chunk, rng) if rng.random() < 0.9 else chunk
        file = root / "c0.0.0"
        file.write_bytes(content)
        axes = axes_of(form, pipeline.spec.shape, rng, is_wild=rng.random() < 0.2)
        shape = [int(min(max(axis.crossings[0][2], 1), 16)) for axis in axes]
        array = np.empty(shape, pipeline.spec.dtype)
        if rng.random() < 0.3:
            outcomes[from_memory(engine, pipeline, content, rng)] += 1
            continue
        if rng.random() < 0.1:
            outcomes[points(engine, pipeline, directory, rng)] += 1
            continue
        limit, fill = pipeline.max_encoded_nbytes, some_fill(pipeline, rng)
        job = Job(engine, array, axes, form.codecs, form.swap_nbytes, limit, fill=fill)
        if rng.random() < 0.1:
            file.unlink()
        elif rng.random() < 0.3:
            facts = file.stat()
            places = [0, 1, 4, len(content), len(content) // 2, 2**63 - 1, 2**64 - 1]
            place = [places[int(at)] for at in rng.integers(0, len(places), 2)]
            parts = np.array([place if rng.random() < 0.5 else [0, len(content)]], np.uint64)
            version = (facts.st_mtime_ns, facts.st_size, facts.st_ino)
            accepted = job.read_parts(directory, False, file.name, parts, version)
            outcomes["invalid" if not accepted else "refused" if job.run(0, 1) else "read"] += 1
            continue
        accepted = job.use_files(directory, False, "c", ".", False, lambda: True)
        outcomes["invalid" if not accepted else "refused" if job.run(0, 1) else "read"] += 1
    assert outcomes["read"] > int(count) // 20
    assert outcomes["refused"] > int(count) // 4
    print(outcomes)


if __name__ == "__main__":
    main(*sys.argv[1:])
