"""A command that greets."""

from __future__ import annotations

import argparse
from typing import Any


def register(commands: Any) -> None:
    parser: argparse.ArgumentParser = commands.add_parser("greet", help="greet a person")
    parser.add_argument("person")
    parser.set_defaults(run=run)


def run(namespace: argparse.Namespace) -> int:
    print(f"Hello, {namespace.person}")
    return 0
