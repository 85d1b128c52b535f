"""The error of an operation that ends at a node, and the reason of a node that is left out."""

from __future__ import annotations

import pytest

import zarrcore as zc
from zarrcore.operations.refused_nodes import refuse
from zarrcore.stores.memory import MemoryStore


@pytest.fixture
def hierarchy() -> zc.Hierarchy:
    made = zc.create(MemoryStore())
    made.create_array("a", shape=(3,), dtype="int8")
    return made


@pytest.mark.parametrize(("path", "kind"), [("/a", "array"), ("/", "node")])
def test_an_unsupported_node_is_named_with_the_option(hierarchy: zc.Hierarchy, path: str, kind: str) -> None:
    cause = zc.UnsupportedError("codec", "mine")
    with pytest.raises(zc.UnsupportedError) as caught:
        refuse(hierarchy.node(path), "cannot be copied", cause, "copy --skip", skip=False)
    told = f"{kind} '{path}' cannot be copied: codec 'mine' is not supported (copy --skip leaves it out)"
    assert str(caught.value) == told
    assert caught.value.__cause__ is cause


def test_another_error_keeps_its_class_and_fields(hierarchy: zc.Hierarchy) -> None:
    cause = zc.MetadataError("is wrong", key="a/zarr.json", member="shape")
    with pytest.raises(zc.MetadataError) as caught:
        refuse(hierarchy.node("/a"), "cannot be copied", cause, "copy --skip", skip=False)
    assert str(caught.value) == "a/zarr.json: shape: is wrong (copy --skip leaves it out)"
    assert (caught.value.key, caught.value.member, caught.value.reason) == (
        "a/zarr.json",
        "shape",
        "is wrong",
    )
    assert str(cause) == "a/zarr.json: shape: is wrong", "the error of the node is kept for others"


def test_a_node_that_may_be_left_out_has_a_reason(hierarchy: zc.Hierarchy) -> None:
    error = zc.UnsupportedError("codec", "mine")
    assert refuse(hierarchy.node("/a"), "cannot be copied", error, "copy --skip", skip=True) == str(error)


@pytest.mark.parametrize("kind", [zc.UnreachableError, zc.StoreTimeoutError, zc.ChangedError])
def test_a_failure_of_the_store_says_nothing_about_the_node(
    hierarchy: zc.Hierarchy, kind: type[zc.StoreError]
) -> None:
    with pytest.raises(kind, match=r"^away$"):
        refuse(hierarchy.node("/a"), "cannot be copied", kind("away"), "copy --skip", skip=True)
