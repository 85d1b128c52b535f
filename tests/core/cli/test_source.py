"""SOURCE, PATH and --format: the arguments that most commands share."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest
import zarr

from zarrcore.cli.source import add_source_arguments, node_path, open_source, source_store
from zarrcore.errors import StoreNotFoundError, ZarrError
from zarrcore.stores import split_uri


def parse(*words: str, path: bool = True) -> argparse.Namespace:
    parser = argparse.ArgumentParser(exit_on_error=False)
    add_source_arguments(parser, path=path)
    return parser.parse_args(words)


@pytest.fixture
def source(tmp_path: Path) -> str:
    root = zarr.create_group(tmp_path / "a#b.zarr", zarr_format=2)
    root.create_array("g/x", shape=(2,), dtype="i1")
    return str(tmp_path / "a#b.zarr")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("s",), "/"),
        (("s", "x/y"), "/x/y"),
        (("s", "/x//y/"), "/x/y"),
        (("s#/a",), "/a"),
        (("s#/a", "x"), "/a/x"),
    ],
)
def test_the_path_continues_the_node_that_the_source_names(words: tuple[str, ...], expected: str) -> None:
    assert node_path(parse(*words)) == expected


def test_a_path_that_leads_upwards_is_refused() -> None:
    with pytest.raises(ZarrError, match=r"'\.\.'"):
        node_path(parse("s", "../x"))


def test_a_hash_without_a_slash_belongs_to_the_name_of_the_store(source: str) -> None:
    assert split_uri(source) == (source, None)
    assert source_store(parse(source)).url == source_store(parse(f"{source}#/g")).url


def test_the_hierarchy_is_opened_in_the_format_that_is_named(source: str) -> None:
    assert open_source(parse(f"{source}#/g", "x"))["g/x"].path == "/g/x"
    for name in ("v2", "v3"):
        assert open_source(parse(source, "--format", name)).format.name == name


def test_a_source_that_does_not_exist_is_an_error_of_the_store() -> None:
    with pytest.raises(StoreNotFoundError):
        source_store(parse("/absent/a.zarr"))


def test_a_command_without_a_path_takes_only_a_source() -> None:
    assert not hasattr(parse("s", path=False), "path")
