"""Completion of commands, options, values and node paths in bash, zsh and fish, by argcomplete.

``zarrscope completion SHELL`` prints the code for the shell. On each Tab, that code runs ``zarrscope`` with ``_ARGCOMPLETE`` set:
`main` then lets argcomplete answer from the parser, and completers answer for values that only the data know.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from itertools import islice
from typing import Any, Final

_SHELLS: Final = ("bash", "zsh", "fish")
_MOST: Final = 1000
"""The most paths to offer."""

Completer = Callable[..., Iterable[str]]
"""Called with ``prefix``, ``parsed_args`` and other keywords; returns possible values."""


def register(commands: Any) -> None:
    """Add the sub-command."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "completion",
        help="print the code that completes zarrscope's command lines in a shell",
        description="Print the code that completes commands, options, file types and paths of nodes in local hierarchies.",
        epilog='bash: eval "$(zarrscope completion bash)" in ~/.bashrc; zsh: the same in ~/.zshrc, after compinit;'
        " fish: zarrscope completion fish > ~/.config/fish/completions/zarrscope.fish",
        examples=(
            "completion bash",
            "completion zsh",
            "completion fish",
        ),
    )
    parser.add_argument("shell", choices=_SHELLS, help="the shell that reads the code")
    parser.set_defaults(run=run)


def run(namespace: argparse.Namespace) -> int:
    """Print the code."""
    from argcomplete.shell_integration import shellcode  # late: for a fast start

    print(shellcode(["zarrscope"], shell=namespace.shell))
    return 0


def answer_shell(parser: argparse.ArgumentParser) -> None:
    """If a shell asks for completions, answer it and exit."""
    if "_ARGCOMPLETE" in os.environ:
        import argcomplete  # late: for a fast start

        argcomplete.autocomplete(parser)


def complete_by(action: argparse.Action, completer: Completer) -> None:
    """Have argcomplete call ``completer`` for the values of an argument."""
    action.completer = completer  # type: ignore[attr-defined]  # the place where argcomplete looks


def node_paths(prefix: str, parsed_args: argparse.Namespace, **_: Any) -> list[str]:
    """Paths of nodes in a local SOURCE that begin with ``prefix``; groups end in ``/``. Empty if it cannot be read."""
    from zarrcore.errors import NodeNotFoundError, ZarrError
    from zarrcore.hierarchy import Group, open_hierarchy
    from zarrcore.stores import open_store

    source = getattr(parsed_args, "source", None)
    if source is None or "://" in source or "#" in source:  # no request to a server at each Tab
        return []
    parent, slash, begun = prefix.rpartition("/")
    found = []
    with suppress(ZarrError, OSError):
        hierarchy = open_hierarchy(open_store(source), format=parsed_args.format)
        path = parent.strip("/")
        for name in islice(
            (name for name in hierarchy.child_names(f"/{path}") if name.startswith(begun)), _MOST
        ):
            with suppress(NodeNotFoundError):
                is_group = isinstance(hierarchy.node(f"/{path}/{name}"), Group)
                found.append(f"{parent}{slash}{name}{'/' if is_group else ''}")
    return found
