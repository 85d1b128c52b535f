"""Parsing the command line of a mount."""

from __future__ import annotations

import argparse

from zarrcore.cli.main import command_parser


def parse(*arguments: str) -> argparse.Namespace:
    return command_parser("mount").parse_args(["mount", *arguments, "--", "source", "/mnt"])
