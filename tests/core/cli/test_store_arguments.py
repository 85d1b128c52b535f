"""The options of stores as arguments of a command line."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

import pytest

from zarrcore.cli.store_arguments import add_store_arguments, store_options
from zarrcore.stores import StoreOptions


def parse(*arguments: str) -> StoreOptions:
    parser = argparse.ArgumentParser(exit_on_error=False)
    add_store_arguments(parser)
    return store_options(parser.parse_args(arguments))


def test_the_command_line_gives_the_same_options(tmp_path: Path) -> None:
    assert parse() == StoreOptions()
    (tmp_path / "secret").write_text("Bearer geheim\n")
    options = parse(
        *(
            "--anonymous",
            "--endpoint-url",
            "http://x",
            "--region",
            "r",
            "--profile",
            "p",
            "--header",
            "A: b: c",
        ),
        *(
            "--header",
            f"Authorization: @{tmp_path}/secret",
            "--ca-bundle",
            "f",
            "--requester-pays",
            "--timeout",
            "2.5",
        ),
        *("--retries", "0", "--follow-links", "--treat-403-as-missing"),
        *("--allow-targets", "s3://b/", "--allow-targets", "data"),
    )
    assert options == StoreOptions(
        anonymous=True,
        endpoint_url="http://x",
        region="r",
        profile="p",
        headers={"A": "b: c", "Authorization": "Bearer geheim"},
        ca_bundle="f",
        requester_pays=True,
        timeout_s=2.5,
        retries=0,
        follow_links=True,
        allow_targets=("s3://b/", os.path.abspath("data")),
        treat_403_as_missing=True,
    )
    assert "geheim" not in repr(options)


@pytest.mark.parametrize(
    "arguments",
    [
        ("--timeout", "0"),
        ("--timeout", "nan"),
        ("--timeout", "soon"),
        ("--timeout", "inf"),
        ("--retries", "-1"),
        ("--retries", "1.5"),
        ("--header", "no colon"),
        ("--header", ": value"),
        ("--header", f"A: @{os.devnull}/absent"),
        ("--header", "A B: geheim"),
        ("--header", "A: geheim日本"),
        ("--header", f"A: @{sys.executable}"),
        ("--endpoint-url", "http://geheim:99999"),
        ("--allow-targets", ""),
        ("--allow-targets", "https://"),
    ],
)
def test_wrong_options_are_refused(arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    parser = argparse.ArgumentParser()
    add_store_arguments(parser)
    with pytest.raises(SystemExit) as caught:
        parser.parse_args(arguments)
    assert caught.value.code == 2
    said = capsys.readouterr().err
    assert "geheim" not in said
    assert "invalid _" not in said
