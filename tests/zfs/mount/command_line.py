"""Parsing the command line of a mount."""

from __future__ import annotations

import argparse

from zarrfs.cli import register_mount


def parse(*arguments: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    register_mount(parser.add_subparsers())
    return parser.parse_args(["mount", *arguments, "--", "source", "/mnt"])
