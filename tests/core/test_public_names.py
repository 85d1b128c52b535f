"""What `zarrcore` exports is a promise: adding is cheap, taking away breaks programs."""

import inspect
import pickle

import pytest

import zarrcore
from zarrcore import errors


def test_exported_names() -> None:
    names = vars(zarrcore)["__all__"]
    assert sorted(names) == names
    expected = {
        "Array",
        "ChunkCache",
        "Format",
        "Group",
        "Hierarchy",
        "VirtualFile",
        "open",
        "open_array",
        "open_group",
        "open_store",
        "virtual_file",
    }
    assert expected <= set(names)
    for name in names:
        assert hasattr(zarrcore, name)


def test_every_function_has_an_example_that_runs_as_a_test() -> None:
    functions = {name: getattr(zarrcore, name) for name in vars(zarrcore)["__all__"]}
    functions = {name: value for name, value in functions.items() if inspect.isfunction(value)}
    assert {"open", "create", "check", "pyramid"} <= set(functions)
    for kind, methods in (
        (zarrcore.ArrayNode, ("read", "write", "append", "resize")),
        (zarrcore.Group, ("create_array", "create_group")),
    ):
        functions |= {f"{kind.__name__}.{name}": getattr(kind, name) for name in methods}
    assert [name for name, value in functions.items() if ">>> " not in (value.__doc__ or "")] == []


def test_every_error_is_exported_and_documented() -> None:
    kinds = {
        name: kind
        for name, kind in vars(errors).items()
        if isinstance(kind, type) and issubclass(kind, errors.ZarrError)
    }
    assert set(kinds) <= set(vars(zarrcore)["__all__"])
    for name in kinds:
        assert name in (errors.__doc__ or "")


@pytest.mark.parametrize(
    "error",
    [
        errors.StoreError("gone", key="a/b", url="s3://bucket"),
        errors.AccessDeniedError("refused", key="a"),
        errors.NodeNotFoundError("/a", "memory://"),
        errors.NodeKindError("/a", "memory://", "array"),
        errors.HierarchyNotFoundError("memory://", ("zarr.json",)),
        errors.MetadataError("wrong", member="shape", key="zarr.json"),
        errors.WrongFormatError("memory://", ("zarr.json",), ("v3", "Zarr v3"), ("n5", "N5")),
        errors.UnsupportedError("codec", "x").at("a/zarr.json"),
        errors.UnreadableNodeError("the soft link leads to /x, which does not exist").at("/y", "a.h5"),
        errors.ChecksumError("differs", codec="crc32c", key="c/0"),
        errors.MissingExtraError("the mount", "fuse"),
    ],
)
def test_errors_pickle_with_their_fields(error: errors.ZarrError) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert str(again) == str(error)
    assert again.__dict__ == error.__dict__


def test_errors_are_the_standard_ones_too() -> None:
    assert issubclass(errors.AccessDeniedError, PermissionError)
    assert issubclass(errors.StoreTimeoutError, TimeoutError)
    assert issubclass(errors.NodeNotFoundError, KeyError)
    assert issubclass(errors.NodeKindError, TypeError)
    assert issubclass(errors.SelectionError, IndexError)
    assert str(errors.NodeNotFoundError("/a", "memory://")) == "no node /a in memory://"
