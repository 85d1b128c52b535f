"""``--json``: the schema, its page, and what commands print."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from jsonschema import Draft202012Validator, ValidationError

import zarrcore as zc
from tests.command import Run, run_inside
from tests.json_output import OBJECTS, SCHEMA, check_json
from zarrcore.cli.main import command_parser

DEFINITIONS: dict[str, Any] = SCHEMA["$defs"]
FIELDS: dict[str, Any] = DEFINITIONS["fields"]["$defs"]
PAGE = (Path(__file__).parents[3] / "core/docs/json.md").read_text("utf-8")
COMMANDS = [
    name
    for action in command_parser()._actions
    if isinstance(action.choices, dict)
    for name, parser in action.choices.items()
    if "--json" in parser._option_string_actions
]


def records(value: Any) -> Iterator[dict[str, Any]]:
    """The descriptions of objects in a schema that list their members."""
    if isinstance(value, dict):
        if "properties" in value:
            yield value
        for part in value.values():
            yield from records(part)
    elif isinstance(value, list):
        for part in value:
            yield from records(part)


def alternatives(name: str) -> list[dict[str, Any]]:
    found = DEFINITIONS[name]
    if "$ref" in found:
        return alternatives(found["$ref"].rpartition("/")[2])
    return found.get("anyOf", [found])


def test_the_schema_is_one_and_defines_all_commands() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    assert set(COMMANDS) <= DEFINITIONS.keys()
    assert set(COMMANDS) > OBJECTS


def test_a_field_means_the_same_everywhere_and_each_is_used() -> None:
    used = set()
    for record in records(DEFINITIONS):
        assert record["additionalProperties"] is False
        assert set(record["required"]) <= record["properties"].keys()
        for name, described in record["properties"].items():
            assert described == {"$ref": f"#/$defs/fields/$defs/{name}"}
            used.add(name)
    assert used == FIELDS.keys()


def test_the_page_describes_each_field_as_the_schema_does() -> None:
    fields = PAGE.partition("## Fields")[2]
    told = dict(re.findall(r"^\| `(\w+)` \| (.+) \|$", fields, re.MULTILINE))
    assert told == {name: field["description"] for name, field in FIELDS.items()}


@pytest.mark.parametrize("command", COMMANDS)
def test_the_page_lists_the_fields_of_each_command(command: str) -> None:
    row = re.search(rf"^\| `{command}` \| (.+) \| (.+) \|$", PAGE, re.MULTILINE)
    assert row is not None
    assert row[1] == ("one object" if command in OBJECTS else "a line each")
    listed = [
        ", ".join(f"`{name}`" + ("" if name in one["required"] else "?") for name in one["properties"])
        for one in alternatives(command)
    ]
    assert row[2] == ("as `tree`" if command in ("find", "create") else "; or ".join(listed))


@pytest.fixture(scope="module")
def _place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tmp_path = tmp_path_factory.mktemp("json")
    with zc.create(tmp_path / "a.zarr") as made:
        made.create_array("/im/0", shape=(2, 30, 40), dtype="int32", dimension_names=("z", "y", "x"))[...] = 1
        made.create_array("/texts", shape=(2,), dtype="string")[...] = np.array(["a", "b"], "T")
        made.create_array("/sharded", shape=(8,), chunks=(2,), shards=(4,), dtype="int8")[...] = 1
        made.create_array("/empty", shape=(3,), dtype="int8")
    (tmp_path / "a.zarr/odd").mkdir()
    (tmp_path / "a.zarr/odd/zarr.json").write_text('{"zarr_format": 3, "node_type": "array"}')
    (tmp_path / "a.zarr/stray").write_text("x")
    zc.create(tmp_path / "v2.zarr", format="v2")["x"] = [1, 2]
    shutil.copytree(tmp_path / "a.zarr", tmp_path / "b.zarr")
    zc.open_hierarchy(tmp_path / "b.zarr", "r+")["sharded"][1] = 7
    run_inside("rm", tmp_path / "b.zarr", "empty", "--yes")
    listed = run_inside("checksum", tmp_path / "a.zarr").text
    (tmp_path / "sums").write_text(listed.replace("/texts", "/nothing"))
    if importlib.util.find_spec("icechunk"):
        from tests.core.stores.icechunk.repositories import write

        write(tmp_path / "repo")
    return tmp_path


@pytest.fixture
def place(_place: Path, tmp_path: Path) -> Path:
    return shutil.copytree(_place, tmp_path / "place")


LINES = (
    "tree a.zarr",
    "find a.zarr --kind array",
    "create a.zarr y --shape 3 --dtype int8",
    "create a.zarr y --group --dry-run",
    "info a.zarr",
    "info a.zarr odd",
    "info a.zarr texts --storage",
    "info a.zarr sharded --storage",
    "ls a.zarr",
    "ls a.zarr -r",
    "du a.zarr",
    "checksum a.zarr",
    "checksum a.zarr --check sums",
    "diff a.zarr b.zarr",
    "diff repo v1 main",
    "log repo",
    "copy a.zarr t.zarr --skip",
    "copy a.zarr#/im t.zarr --to icechunk",
    "reference a.zarr -o t.json --zarr-format 3 --skip",
    "set a.zarr texts a=1",
    "mv a.zarr texts t",
    "mv a.zarr texts t --dry-run",
    "rm a.zarr im -r --yes",
    "pyramid a.zarr im/0 --levels 2",
    "convert v2.zarr",
    "consolidate v2.zarr",
    "check a.zarr",
    "check a.zarr --advise",
    "doctor",
)


@pytest.mark.parametrize("line", LINES)
def test_what_a_command_prints_matches_the_schema(
    place: Path, zarrscope: Run, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(place)
    command, *words = line.split()
    if not {"repo", "icechunk"}.isdisjoint(words):
        pytest.importorskip("icechunk")
    outcome = zarrscope(command, *words, "--json")
    assert outcome.text, outcome.stderr
    check_json(command, outcome.text)


def test_every_command_is_tried() -> None:
    assert {line.split()[0] for line in LINES} == set(COMMANDS)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda told: told.pop("path"),
        lambda told: told.update(uri="x"),
        lambda told: told.update(shape="3"),
        lambda told: told.update(kind="thing"),
    ],
)
def test_what_does_not_match_is_found(place: Path, spoil: Callable[[dict[str, Any]], object]) -> None:
    told = json.loads(run_inside("find", place / "a.zarr", "--name", "sharded", "--json").text)
    assert (told["chunks"], told["shards"]) == ([2], [4])
    spoil(told)
    with pytest.raises(ValidationError):
        check_json("find", json.dumps(told))
