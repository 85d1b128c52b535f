"""The help of every command: what it says, in one style."""

from __future__ import annotations

import argparse
import math
import re
from pathlib import Path

import pytest

import zarrcore
from tests.command import run_inside
from zarrcore.cli.main import command_parser

COMMANDS = re.findall(r"^    (\w+) +\w", command_parser().format_help().split("COMMAND\n")[-1], re.MULTILINE)


def test_there_are_commands() -> None:
    assert {"tree", "mount", "serve", "browse"} <= set(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_the_usage_names_only_what_a_command_needs(command: str) -> None:
    told = run_inside(command, "--help").text
    assert told.startswith(f"usage: zarrscope {command} [options]")
    usage = told.split("\n\n")[0]
    assert "--" not in usage
    for word in re.findall(r"[A-Z]{2,}", usage):  # what the usage names is explained
        assert re.search(rf"\b{word}\b", told.removeprefix(usage), re.IGNORECASE), word


@pytest.mark.parametrize("command", COMMANDS)
def test_defaults_are_told_in_one_way(command: str) -> None:
    told = " ".join(run_inside(command, "--help").text.split())
    bare = re.findall(r"\((?:\d+[KMGT]?|main|warning|default)\)|; default:", told)
    assert bare == []


def test_a_required_option_is_in_the_usage() -> None:
    assert run_inside("reference", "--help").text.startswith(
        "usage: zarrscope reference [options] -o DEST SOURCE [PATH]\n"
    )


def test_the_defaults_of_create_are_those_of_its_help(tmp_path: Path) -> None:
    told = " ".join(run_inside("create", "--help").text.split())
    assert "the codecs as JSON (default: zstd:3)" in told
    assert "none for no shards (default: none)" in told
    assert "a whole dimension (default: chunks of 2 to 4 MiB)" in told
    run_inside("create", tmp_path / "a.zarr", "x", "--shape", "3000,3000", "--dtype", "float32")
    array = zarrcore.open_hierarchy(tmp_path / "a.zarr")["x"]
    assert [codec.name for codec in array.metadata.codecs] == ["bytes", "zstd"]
    assert array.metadata.codecs[1].configuration["level"] == 3
    assert 2 << 20 <= math.prod(array.chunk_shape) * 4 <= 4 << 20


def test_diff_explains_the_names_of_its_usage() -> None:
    told = run_inside("diff", "--help").text
    usage, _, arguments = told.partition("positional arguments:\n")
    explained = re.findall(r"^  ([A-Z]+) ", arguments, re.MULTILINE)
    assert explained == ["A", "B", "VERSION"]
    assert set(explained) <= set(usage.split())


def test_store_options_have_a_help_of_their_own() -> None:
    assert "--anonymous  " not in run_inside("tree", "--help").text
    for command in ("tree", "mount", "serve", "browse", "copy"):
        told = run_inside(command, "--help-store")
        assert told.status == 0
        assert told.text.startswith("store options, of all commands that open a store:\n  --anonymous  ")


def test_options_stand_anywhere_and_are_whole_words(tmp_path: Path) -> None:
    hierarchy = zarrcore.create(tmp_path / "a.zarr")
    hierarchy["g/x"] = hierarchy["y"] = [1]
    for words in (
        ("set", tmp_path / "a.zarr", "g", "--dry-run", "a=1", "b=2"),
        ("set", "--dry-run", tmp_path / "a.zarr", "g", "a=1", "b=2"),
    ):
        assert run_inside(*words).text == "+ a = 1\n+ b = 2\n"
    assert run_inside("rm", tmp_path / "a.zarr", "g/x", "-y", "y").status == 0
    assert [*zarrcore.open_group(tmp_path / "a.zarr")] == ["g"]
    for word, hint in (
        ("--dep", ": did you mean '--depth'?"),
        ("--jsn=1", ": did you mean '--json'?"),
        ("--xyz", ""),
    ):
        refused = run_inside("tree", tmp_path / "a.zarr", word)
        assert refused.status == 2
        assert refused.stderr.startswith("usage: zarrscope tree [options] SOURCE [PATH]\n")
        assert refused.stderr.endswith(f"zarrscope tree: error: unrecognized arguments: {word}{hint}\n")


def test_a_node_is_named_by_a_word_after_the_source_not_by_an_option() -> None:
    for name, parser in _parsers().items():
        options = {option for action in parser._actions for option in action.option_strings}
        assert "-p" not in options
        assert ("--path" in options) == (name == "find"), "where it is a condition"
        words = [action.metavar for action in parser._actions if not action.option_strings]
        assert "PATH" not in words[2:], name


@pytest.mark.parametrize("command", COMMANDS)
def test_the_options_of_each_command_stand_anywhere_and_are_whole_words(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    parser = _parsers()[command]
    words = [next(iter(each.choices or ["x"])) for each in parser._actions if not each.option_strings]
    words += [
        f"{each.option_strings[-1]}=x" for each in parser._actions if each.option_strings and each.required
    ]
    flags = [action for action in parser._actions if isinstance(action, argparse._StoreTrueAction)]
    assert "debug" in [flag.dest for flag in flags]
    for flag in flags:
        option = flag.option_strings[-1]
        for position in range(len(words) + 1):
            found = parser.parse_args([*words[:position], option, *words[position:]])
            assert getattr(found, flag.dest) is True
        with pytest.raises(SystemExit):
            parser.parse_args([*words, option[:-1]])
        assert f"unrecognized arguments: {option[:-1]}" in capsys.readouterr().err


def test_debug_is_understood_on_both_sides_of_the_command(tmp_path: Path) -> None:
    for words in (
        ("--debug", "tree", tmp_path),
        ("tree", "--debug", tmp_path),
        ("tree", tmp_path, "--debug"),
    ):
        assert "Traceback" in run_inside(*words).stderr
    assert "Traceback" not in run_inside("tree", tmp_path).stderr


def _parsers() -> dict[str, argparse.ArgumentParser]:
    return {
        name: parser
        for action in command_parser()._actions
        if isinstance(action.choices, dict)
        for name, parser in action.choices.items()
    }


def test_unknown_commands_name_the_nearest_one() -> None:
    assert run_inside("tre", "x").stderr.endswith("error: unknown command 'tre': did you mean 'tree'?\n")
    assert run_inside("xyz").stderr.endswith("error: unknown command 'xyz': zarrscope --help lists all\n")
