"""A hierarchy compared with a dictionary of NumPy arrays after random steps of two writers."""

from __future__ import annotations

import math
import shutil
import tempfile
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
import zarr
from hypothesis import assume
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import zarrcore as zc
from tests.proofs.models.engine import run_machine
from zarrcore.errors import NodeExistsError, NodeNotFoundError, UnsupportedError, ZarrError
from zarrcore.hierarchy import ArrayNode

RUNS, STEPS = 40, 50
FORMATS = ("v3", "v2", "n5")
PATHS = ("/a", "/b", "/g", "/g/a", "/g/h", "/g/h/b")
TYPES = ("uint8", "int16", "float32", "float64")
CODECS = (None, "gzip", "zstd", "blosc")
SMALL = st.integers(1, 9)
NAMES = st.sampled_from(["one", "two", "größe"])
ATTRIBUTES = st.dictionaries(
    NAMES,
    st.one_of(st.none(), st.booleans(), st.integers(-9, 9), st.text(max_size=3), st.lists(st.floats(0, 1))),
)


@dataclass
class Model:
    """What a node holds; a group has no elements."""

    attributes: dict[str, Any]
    elements: np.ndarray | None = None
    fill: Any = 0
    blocks: tuple[int, ...] = field(default=())
    """The shape of what is stored under one key."""


class HierarchyModel(RuleBasedStateMachine):
    """Two writers take turns; a new reader sees what both wrote, and so does zarr-python."""

    format: ClassVar[str]
    taken: ClassVar[list[int]]

    @initialize(cached=st.booleans())
    def begin(self, cached: bool) -> None:
        self.place = Path(tempfile.mkdtemp())
        zc.create(self.place / "h", format=self.format).close()
        self.options: dict[str, Any] = {"chunk_cache": zc.ChunkCache(3000)} if cached else {}
        self.writers = [self.opened(), self.opened()]
        self.last = self.writers[0]
        self.nodes: dict[str, Model] = {}
        self.is_consolidated = False

    def opened(self) -> zc.Hierarchy:
        return zc.open_hierarchy(self.place / "h", "r+", **self.options)

    def teardown(self) -> None:
        if hasattr(self, "place"):
            self.check_all()
            shutil.rmtree(self.place)

    @invariant()
    def count(self) -> None:
        self.taken[0] += 1

    def writer(self, number: int) -> zc.Hierarchy:
        """One of the writers, which has to read again what the other one has changed."""
        writer = self.writers[number]
        if writer is not self.last:
            writer.refresh()
            self.last = writer
        return writer

    def array(self, number: int, path: str) -> ArrayNode:
        node = self.writer(number)[path]
        assert isinstance(node, ArrayNode)
        return node

    def names(self) -> list[str]:
        return sorted(path for path, node in self.nodes.items() if node.elements is not None)

    def made(self, path: str, model: Model, make: Callable[[], object], overwrite: bool) -> None:
        """Make a node, or be refused as the model says."""
        above = [str(parent) for parent in Path(path).parents if str(parent) != "/"]
        is_blocked = any(parent in self.nodes and self.nodes[parent].elements is not None for parent in above)
        if is_blocked or (path in self.nodes and not overwrite and not self.gives_way(path, model)):
            with pytest.raises(NodeExistsError):
                make()
            return
        make()
        self.is_consolidated = False
        self.nodes = {
            known: node for known, node in self.nodes.items() if not f"{known}/".startswith(f"{path}/")
        }
        for parent in above:
            self.nodes.setdefault(parent, Model({}))
        self.nodes[path] = model

    def gives_way(self, path: str, model: Model) -> bool:
        """Whether an array takes the place of a group: nothing is lost."""
        known = self.nodes[path]
        is_empty_group = known.elements is None and not known.attributes
        has_nodes = any(other.startswith(f"{path}/") for other in self.nodes)
        return model.elements is not None and is_empty_group and not has_nodes

    @rule(
        number=st.integers(0, 1), path=st.sampled_from(PATHS), attributes=ATTRIBUTES, overwrite=st.booleans()
    )
    def create_group(self, number: int, path: str, attributes: dict[str, Any], overwrite: bool) -> None:
        writer = self.writer(number)
        self.made(
            path,
            Model(attributes),
            lambda: writer.create_group(path, attributes=attributes, overwrite=overwrite),
            overwrite,
        )

    @rule(
        number=st.integers(0, 1),
        path=st.sampled_from(PATHS),
        data_type=st.sampled_from(TYPES),
        lengths=st.lists(st.tuples(st.integers(0, 12), SMALL, st.integers(1, 3)), min_size=1, max_size=3),
        sharded=st.booleans(),
        codec=st.sampled_from(CODECS),
        fill=st.integers(0, 3),
        attributes=ATTRIBUTES,
        overwrite=st.booleans(),
    )
    def create_array(
        self,
        number: int,
        path: str,
        data_type: str,
        lengths: list[tuple[int, int, int]],
        sharded: bool,
        codec: str | None,
        fill: int,
        attributes: dict[str, Any],
        overwrite: bool,
    ) -> None:
        fill = 0 if self.format == "n5" else fill
        shape, chunks = (tuple(length[axis] for length in lengths) for axis in (0, 1))
        shards = (
            tuple(chunk * times for _, chunk, times in lengths) if sharded and self.format == "v3" else None
        )
        options: dict[str, Any] = {} if codec is None else {"codecs": [{"name": codec}]}
        if codec is not None and self.format != "n5" and sharded:
            options = {}
        writer = self.writer(number)
        self.made(
            path,
            Model(attributes, np.full(shape, fill, data_type), fill, shards or chunks),
            lambda: writer.create_array(
                path, shape=shape, dtype=data_type, chunks=chunks, shards=shards, fill_value=fill,
                attributes=attributes, overwrite=overwrite, **options,
            ),
            overwrite,
        )  # fmt: skip

    @rule(number=st.integers(0, 1), path=st.sampled_from(PATHS))
    def erase(self, number: int, path: str) -> None:
        writer = self.writer(number)
        if path not in self.nodes:
            with pytest.raises(NodeNotFoundError):
                writer.erase(path)
            return
        writer.erase(path)
        self.is_consolidated = False
        self.nodes = {
            known: node for known, node in self.nodes.items() if not f"{known}/".startswith(f"{path}/")
        }

    @precondition(lambda self: self.nodes)
    @rule(number=st.integers(0, 1), data=st.data(), attributes=ATTRIBUTES)
    def set_attributes(self, number: int, data: st.DataObject, attributes: dict[str, Any]) -> None:
        path = data.draw(st.sampled_from(sorted(self.nodes)))
        self.writer(number)[path].attributes = attributes
        self.is_consolidated = False
        self.nodes[path].attributes = attributes

    @precondition(lambda self: self.names())
    @rule(number=st.integers(0, 1), data=st.data())
    def resize(self, number: int, data: st.DataObject) -> None:
        path = data.draw(st.sampled_from(self.names()))
        model = self.nodes[path]
        assert model.elements is not None
        shape = tuple(data.draw(st.integers(0, 14)) for _ in model.elements.shape)
        self.array(number, path).resize(shape)
        self.is_consolidated = False
        kept = tuple(slice(0, min(pair)) for pair in zip(shape, model.elements.shape, strict=True))
        elements = np.full(shape, model.fill, model.elements.dtype)
        elements[kept] = model.elements[kept]
        model.elements = elements

    def drawn_part(self, data: st.DataObject, shape: tuple[int, ...]) -> tuple[slice, ...]:
        return tuple(
            slice(
                *sorted(data.draw(st.tuples(st.integers(0, n), st.integers(0, n)))),
                data.draw(st.integers(1, 3)),
            )
            for n in shape
        )

    @precondition(lambda self: self.names())
    @rule(number=st.integers(0, 1), data=st.data(), seed=st.integers(0, 99), empty=st.booleans())
    def write(self, number: int, data: st.DataObject, seed: int, empty: bool) -> None:
        path = data.draw(st.sampled_from(self.names()))
        model = self.nodes[path]
        assert model.elements is not None
        part = self.drawn_part(data, model.elements.shape)
        shape = model.elements[part].shape
        content = np.random.default_rng(seed).integers(0, 4, shape).astype(model.elements.dtype)
        self.array(number, path).write(part, content, write_empty_chunks=empty)
        model.elements[part] = content

    @precondition(lambda self: self.names())
    @rule(data=st.data(), seed=st.integers(0, 99))
    def write_at_once(self, data: st.DataObject, seed: int) -> None:
        """Both writers write to one array, to different chunks (shards)."""
        path = data.draw(st.sampled_from(self.names()))
        model = self.nodes[path]
        assert model.elements is not None
        rows, block = model.elements.shape[0], model.blocks[0]
        assume(rows > block)
        middle = data.draw(st.integers(1, math.ceil(rows / block) - 1)) * block
        arrays = [self.array(number, path) for number in (0, 1)]
        content = (
            np.random.default_rng(seed).integers(0, 4, model.elements.shape).astype(model.elements.dtype)
        )
        parts = (slice(0, middle), slice(middle, rows))
        failures: list[BaseException] = []

        def write(number: int) -> None:
            try:
                arrays[number][parts[number]] = content[parts[number]]
            except BaseException as error:  # noqa: BLE001 - raised below
                failures.append(error)

        threads = [threading.Thread(target=write, args=(number,)) for number in (0, 1)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if failures:
            raise failures[0]
        model.elements[...] = content
        for writer in self.writers:
            writer.refresh()

    @precondition(lambda self: self.names())
    @rule(data=st.data())
    def make_at_once(self, data: st.DataObject) -> None:
        """Both writers make a node with one name: one succeeds, the other is refused.

        Zarr v2 has attributes in a document of their own, which may thus be that of the other writer.
        """
        path = data.draw(st.sampled_from(PATHS))
        assume(path not in self.nodes)
        above = str(Path(path).parent)
        assume(above == "/" or (above in self.nodes and self.nodes[above].elements is None))
        for writer in self.writers:
            writer.refresh()
        results: list[object] = []
        data_types = ("int16", "uint16")

        def make(writer: zc.Hierarchy, number: int) -> None:
            try:
                results.append(
                    # One shape for both: what Hypothesis draws later must not depend on who succeeds.
                    writer.create_array(path, shape=(2,), dtype=data_types[number], attributes={"by": number})
                )
            except ZarrError as error:
                results.append(error)

        threads = [threading.Thread(target=make, args=(writer, i)) for i, writer in enumerate(self.writers)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for writer in self.writers:
            writer.refresh()
        winners = [result for result in results if isinstance(result, zc.Array)]
        assert len(winners) == 1, results
        assert all(isinstance(result, zc.Array | NodeExistsError) for result in results), results
        self.is_consolidated = False
        number = data_types.index(winners[0].data_type.name)
        elements = np.zeros(2, data_types[number])
        attributes = {"by": number}
        if self.format == "v2":
            attributes = dict(self.writers[0][path].attributes)
            assert attributes in ({"by": 0}, {"by": 1})
        self.nodes[path] = Model(attributes, elements, 0, winners[0].chunk_shape)

    @rule(number=st.integers(0, 1))
    def consolidate(self, number: int) -> None:
        if self.format == "n5":
            with pytest.raises(UnsupportedError):
                self.writer(number).consolidate()
            return
        self.writer(number).consolidate()
        self.is_consolidated = True

    @rule(number=st.integers(0, 1))
    def reopen(self, number: int) -> None:
        self.writers[number].close()
        self.writers[number] = self.last = self.opened()

    @precondition(lambda self: self.names())
    @rule(number=st.integers(0, 1), data=st.data())
    def read(self, number: int, data: st.DataObject) -> None:
        path = data.draw(st.sampled_from(self.names()))
        model = self.nodes[path].elements
        assert model is not None
        part = self.drawn_part(data, model.shape)
        np.testing.assert_array_equal(self.array(number, path)[part], model[part])

    @rule()
    def check_all(self) -> None:
        """A new reader sees each node and no other."""
        with zc.open_hierarchy(self.place / "h") as reader:
            found = {node.path: node for node in reader.walk() if node.path != "/"}
            assert found.keys() == self.nodes.keys()
            for path, model in self.nodes.items():
                node = found[path]
                assert dict(node.attributes) == model.attributes, path
                assert isinstance(node, zc.Array) == (model.elements is not None)
                if model.elements is not None:
                    assert node.dtype == model.elements.dtype
                    np.testing.assert_array_equal(node[...], model.elements)

    @precondition(lambda self: self.format != "n5")
    @rule()
    def check_with_zarr_python(self) -> None:
        group = zarr.open_group(
            self.place / "h",
            mode="r",
            zarr_format=int(self.format[1]),
            use_consolidated=self.is_consolidated or None,
        )
        found = dict(group.members(max_depth=None))
        assert {f"/{path}" for path in found} == self.nodes.keys()
        for path, node in found.items():
            model = self.nodes[f"/{path}"]
            assert dict(node.attrs) == model.attributes
            if model.elements is not None:
                np.testing.assert_array_equal(node[...], model.elements)


def trial(seed: int, runs: int = RUNS, steps: int = STEPS, *, shrinks: bool = True) -> int:
    """Run the model on a new hierarchy; returns the number of steps."""
    taken = [0]
    members = {"format": FORMATS[seed % len(FORMATS)], "taken": taken}
    run_machine(type("Model", (HierarchyModel,), members), seed, runs, steps, shrinks=shrinks)
    return taken[0]
