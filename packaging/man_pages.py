"""Write the man pages of zarrscope and of each command, from the parsers of the command line.

    python packaging/man_pages.py FOLDER

writes FOLDER/man1/zarrscope.1, FOLDER/man1/zarrscope-tree.1, … and FOLDER/man1/zarrbrowser.1.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from importlib.metadata import version
from typing import Any

from argparse_manpage.manpage import Manpage

from zarrcore.cli.main import command_parser

_COMMENTS = ".SH COMMENTS\n"


def write(folder: str) -> list[str]:
    """Write all pages; returns their paths."""
    place = os.path.join(folder, "man1")
    os.makedirs(place, exist_ok=True)
    paths = []
    for name, parser, description in pages():
        parser.man_short_description = description  # type: ignore[attr-defined] # Manpage reads it
        page = Manpage(
            parser,
            format="single-commands-section",
            _data={
                "project_name": name,
                "version": version("zarrscope"),
                "manual_title": "zarrscope",
                "prog": parser.prog,
            },
        )
        path = os.path.join(place, f"{name}.1")
        with open(path, "w", encoding="utf-8") as file:
            # The title and the name before the dash must be the page's name: a command has a blank in its own.
            text = str(page).replace(f".TH {parser.prog.upper()} ", f".TH {name.upper()} ", 1)
            file.write(with_examples(text.replace(f"\n{parser.prog} \\- ", f"\n{name} \\- ", 1)))
        paths.append(path)
    return paths


def with_examples(text: str) -> str:
    """The examples, which are the last lines of the help, as lines of a section."""
    above, found, lines = text.partition("examples:\n")
    if not found:
        return text
    return f"{above.removesuffix(_COMMENTS)}\n.SH EXAMPLES\n.nf\n{lines.rstrip()}\n.fi\n"


def pages() -> Iterator[tuple[str, argparse.ArgumentParser, str]]:
    """Name, parser and short description of each page."""
    parser = command_parser()
    yield "zarrscope", parser, "see inside any Zarr hierarchy, wherever it is stored"
    # argparse has no public way to its commands.
    actions: list[Any] = parser._actions  # noqa: SLF001
    commands = next(action for action in actions if action.dest == "command")
    for choice in commands._choices_actions:  # noqa: SLF001
        command = commands.choices[choice.dest]
        yield f"zarrscope-{choice.dest}", command, choice.help or ""
        if choice.dest == "browse":
            yield "zarrbrowser", command, choice.help or ""


if __name__ == "__main__":
    print(*write(sys.argv[1]), sep="\n")
