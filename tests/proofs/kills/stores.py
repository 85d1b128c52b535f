"""Writers of directories, zip files and databases."""

from __future__ import annotations

import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import zarrcore as zc
from tests.any_store import AnyStore, open_store
from tests.proofs.kills.trials import choice_of, litter, make_old
from zarrcore.operations.check import check as findings_of

_FILES = {"local": "a.zarr", "zip": "a.zip", "sqlite": "a.sqlite"}
CHUNK_NBYTES = 20_000
CHUNKS = [f"a/c/{row}/{number}" for row in range(2) for number in range(3)]
_OTHER = "a/other"
_STEPS = 12

Values = dict[str, bytes | None]
Step = tuple[str, str, str, bytes]
"""What is done, to which key, with which other key and value."""


def path_of(root: Path, variant: str) -> Path:
    """The store of a variant."""
    return root / _FILES[variant.split()[0]]


def _steps(variant: str) -> list[Step]:
    choice = choice_of(variant)
    steps: list[Step] = []
    for number in range(_STEPS):
        what = choice.choice(["set", "set", "set", "set if absent", "erase", "rename", "set file", "reopen"])
        key, other = choice.sample(CHUNKS, 2)
        steps.append((what, key, other, bytes([number + 1]) * CHUNK_NBYTES))
    return steps


def _after(values: Values, step: Step) -> Values:
    what, key, other, value = step
    match what:
        case "set" | "set file":
            return {**values, key: value}
        case "set if absent":
            return values if values[key] is not None else {**values, key: value}
        case "erase":
            return {**values, key: None}
        case "rename":
            return values if values[key] is None else {**values, key: None, other: values[key]}
    return values


def prepare(root: Path, variant: str) -> None:
    """An array of which some chunks are stored."""
    with open_store(path_of(root, variant), create=True) as store:
        zc.create(store).create_array(
            "a", shape=(2, 3 * CHUNK_NBYTES), dtype="uint8", chunks=(1, CHUNK_NBYTES), codecs=[]
        )
        for key in CHUNKS[::2]:
            store.set(key, bytes(CHUNK_NBYTES - 1) + b"1")


def first() -> Values:
    """What `prepare` stores."""
    old = bytes(CHUNK_NBYTES - 1) + b"1"
    return {key: old if number % 2 == 0 else None for number, key in enumerate(CHUNKS)}


def work(root: Path, variant: str, tell: Callable[[str], object]) -> None:
    """Write; tell each step that is done."""
    path = path_of(root, variant)
    store: AnyStore = open_store(path)
    for step in _steps(variant):
        what, key, other, value = step
        if what == "set":
            store.set(key, value)
        elif what == "set if absent":
            store.set(key, value, if_absent=True)
        elif what == "erase":
            store.erase(key)
        elif what == "rename":
            _rename(store, key, other)
        elif what == "set file":
            with tempfile.TemporaryFile(dir="/dev/shm") as file:
                file.write(value)
                file.flush()
                store.set_file(key, file.fileno())
        else:
            store.close()
            store = open_store(path)
        tell("done")
    store.close()
    tell("closed")


def _rename(store: AnyStore, key: str, other: str) -> None:
    """As the mount does where the store cannot."""
    if store.get(key) is not None and not store.rename(key, other):
        value = store.get(key)
        assert value is not None
        store.set(other, bytes(value))
        store.erase(key)


def check(root: Path, variant: str, told: list[str], killed: bool) -> None:
    """Each value is old or new, what was told done is done, and nothing is left after a day."""
    path = path_of(root, variant)
    check_values(path, first(), _steps(variant), _after, told.count("done"), killed)
    check_clean(root, path)


def check_values(
    path: Path,
    values: Values,
    steps: list[Step],
    after: Callable[[Values, Step], Values],
    done: int,
    killed: bool,
) -> None:
    """The stored values are those after ``done`` steps, or in part those after one more if it was killed."""
    for step in steps[:done]:
        values = after(values, step)
    following = after(values, steps[done]) if killed and done < len(steps) else values
    with open_store(path) as store:
        for key in values:
            found = store.get(key)
            right = [values[key], following[key]]
            assert (None if found is None else bytes(found)) in right, f"{key} is neither old nor new"
        if killed and done < len(steps) and steps[done][0] == "rename" and following != values:
            _, key, other, _ = steps[done]
            there = [store.get(name) for name in (key, other)]
            assert values[key] in [None if value is None else bytes(value) for value in there], (
                "neither name has the value"
            )
        findings = [
            found
            for found in findings_of(zc.open_hierarchy(store))
            if found.what not in ("temporary-key", "missing-chunks")
        ]
        assert not findings, findings


def check_clean(root: Path, path: Path) -> None:
    """Another writer, two days later, leaves nothing that a killed one left."""
    make_old(root)
    with open_store(path) as store:
        for key in [*CHUNKS, _OTHER]:
            store.set(key, bytes(CHUNK_NBYTES))
        store.erase(_OTHER)
        store.set("zarr.json", bytes(store.get("zarr.json") or b""))
    kept = [] if path.is_dir() else [path.name]
    assert not litter(root, *kept), litter(root, *kept)
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            assert archive.testzip() is None
    with open_store(path) as store:
        assert not [*findings_of(zc.open_hierarchy(store))]
