"""A mount with 16 random readers and 4 writers, and a window, both beside a store that changes.

Their figures are written to .artefacts/proofs/soak each minute.
"""

from __future__ import annotations

import contextlib
import csv
import random
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import zarrcore as zc
from tests.any_store import AnyStore, open_store
from tests.proofs.models.places import daemon_of, s3_process
from tests.proofs.soak.figures import WARM_S, Sample, growing, process_figures
from tests.proofs.soak.programs import SoakError, program
from tests.proofs.soak.users import ARRAYS, CHUNKS, KEYS, SHAPE, value_of
from tests.proofs.trials import ROOT
from tests.servers import S3_ENVIRONMENT, S3_UNWANTED, environment
from tests.zfs.conftest import Mount

PLACE = ROOT / ".artefacts" / "proofs" / "soak"
DEFAULT_S = 120.0
CACHE_MB = 64
PATHS = ("/a", "/", "/group", "/group/b")


@contextlib.contextmanager
def _store(kind: str, folder: Path) -> Iterator[tuple[str, list[str], AnyStore]]:
    if kind == "local":
        yield str(folder / "store.zarr"), [], open_store(folder / "store.zarr", create=True)
        return
    with environment(S3_ENVIRONMENT, S3_UNWANTED), s3_process() as server:
        cache = ["--cache-dir", str(folder / "cache"), "--cache-dir-size", f"{CACHE_MB}M"]
        url = "s3://bucket/soak"
        yield url, [*server.arguments, *cache], open_store(url, **server.options)


class Changer:
    """Another program that changes the store."""

    def __init__(self, store: AnyStore, seed: int) -> None:
        self.store, self.random = store, random.Random(seed)
        self.hierarchy = zc.create(store)
        for name in ARRAYS:
            self.hierarchy.create_array(name, shape=SHAPE, chunks=CHUNKS, dtype="uint16")[...] = 1
        for key in KEYS:
            store.set(key, value_of(self.random.randrange(1, 1 << 30)))

    def act(self) -> None:
        match self.random.randrange(4):
            case 0:
                self.store.set(self.random.choice(KEYS), value_of(self.random.randrange(1, 1 << 30)))
            case 1:
                self.store.erase(self.random.choice(KEYS))
            case 2:
                node: Any = self.hierarchy[self.random.choice(ARRAYS)]
                start = [self.random.randrange(n // c) * c for n, c in zip(SHAPE, CHUNKS, strict=True)]
                part = tuple(slice(first, first + c) for first, c in zip(start, CHUNKS, strict=True))
                node[part] = self.random.randrange(1 << 16)
            case _:
                self.hierarchy[self.random.choice(ARRAYS)].attributes = {"n": self.random.randrange(99)}


def _sample(began_s: float, mounted: Mount, daemon: int, window: int, cache: Path) -> Sample:
    stats = mounted.stats()
    files = [path for path in cache.rglob("*") if path.is_file()] if cache.exists() else []
    return {
        "second": round(time.monotonic() - began_s, 1),
        **{f"mount {name}": value for name, value in process_figures(daemon).items()},
        **{f"window {name}": value for name, value in process_figures(window).items()},
        "mount inodes": stats["inodes"],
        "open files of the mount": stats["open_files"],
        "chunk cache MB": stats["chunk_cache"]["bytes"] / 1e6,
        "cache files": len(files),  # which may grow until the budget is reached
        "cache MB": sum(path.stat().st_size for path in files if path.exists()) / 1e6,
        "operations": sum(stats["requests"].values())
        if isinstance(stats["requests"], dict)
        else stats["requests"],
    }


def trial(seed: int, seconds: str = str(DEFAULT_S)) -> int:
    """Use everything for some time; returns the seconds.

    Raises:
        SoakError: a program ended or read what was never written, or a figure grows over the second half.
    """
    kind, lasting_s = ("local", "s3")[seed % 2], float(seconds)
    each_s = min(60.0, lasting_s / 24)
    samples: list[Sample] = []
    PLACE.mkdir(parents=True, exist_ok=True)
    table = PLACE / f"{kind}-{time.strftime('%Y%m%d-%H%M%S')}.csv"
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        url, words, store = stack.enter_context(_store(kind, folder))
        changer = Changer(store, seed)
        options = ["--read-write", "--metadata-ttl", "2", "--cache-size", "32M"]
        mounted, _ = stack.enter_context(daemon_of(url, folder, [*words, *options]))
        daemon = mounted.daemon()
        source = str(mounted.keys) if kind == "s3" else url
        users = stack.enter_context(program("users", str(mounted.path), str(seed)))
        window = stack.enter_context(
            program("window", str(seed), "100", *(f"{source}#{path}" for path in PATHS))
        )
        with table.open("w", newline="") as file:
            began_s = next_s = time.monotonic()
            while time.monotonic() < began_s + lasting_s:
                if users.poll() is not None or window.poll() is not None:
                    break  # their ends are told below
                changer.act()
                if time.monotonic() >= next_s:
                    next_s += each_s
                    samples.append(_sample(began_s, mounted, daemon, window.pid, folder / "cache"))
                    writer = csv.DictWriter(file, list(samples[0]))
                    if len(samples) == 1:
                        writer.writeheader()
                    writer.writerow(samples[-1])
                    file.flush()
                time.sleep(0.02)
        text = mounted.log.read_text()
        if "Traceback" in text:
            raise SoakError(f"an unforeseen error: {text[-3000:]}")
    if any(sample["cache MB"] > 1.5 * CACHE_MB for sample in samples):
        raise SoakError(f"the cache on disk exceeds its budget: see {table}")
    if lasting_s >= WARM_S and (found := growing(samples)):
        raise SoakError(f"{'; '.join(found)}: see {table}")
    return int(lasting_s)
