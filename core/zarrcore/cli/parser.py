"""The parsers of the command line: whole words, options anywhere, and a brief usage line."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Iterable, Sequence
from typing import Any, Final, NoReturn

from zarrcore.cli.store_arguments import STORE_OPTIONS_TITLE
from zarrcore.printable import did_you_mean

_EXAMPLES: Final = "\n\nexamples:"
_NO_OPTION: Final = re.compile(r" |^-\d+$|^-\d*\.\d+$")
"""Words that argparse takes for arguments, although they begin with a minus sign."""


class _BriefHelp(argparse.HelpFormatter):
    """Help with a usage line of what a command needs: the options follow below. Lines of examples stay lines."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        words, examples, lines = text.partition(_EXAMPLES)
        return super()._fill_text(words, width, indent) + (examples if words else examples.lstrip()) + lines

    def _format_usage(
        self,
        usage: str | None,
        actions: Iterable[argparse.Action],
        groups: Iterable[Any],
        prefix: str | None,
    ) -> str:
        if usage is not None:
            return super()._format_usage(usage, actions, groups, prefix)
        program = self._prog
        needed = [action for action in actions if action.required or not action.option_strings]
        self._prog = f"{program} [options]"
        try:
            return super()._format_usage(None, needed, [], prefix)
        finally:
            self._prog = program


class Parser(argparse.ArgumentParser):
    """A parser of whole words, which raises an error if it cannot write its help; argparse's own ignores that."""

    def __init__(self, **keywords: Any) -> None:
        super().__init__(**{"allow_abbrev": False, **keywords})

    def _print_message(self, message: str, file: Any = None) -> None:
        print(message, end="", file=file or sys.stderr)


def add_debug_argument(parser: argparse.ArgumentParser) -> None:
    """Add ``--debug``, before and after the command: neither parser may set what the other has found."""
    parser.add_argument(
        "--debug",
        action="store_true",
        default=argparse.SUPPRESS,
        help="show where in the program an error arose",
    )


class CommandParser(Parser):
    """The parser of one command. Options may stand between its arguments.

    Args:
        examples: command lines, without the program.
        keywords: as `argparse.ArgumentParser`.
    """

    def __init__(self, *, examples: Sequence[str] = (), **keywords: Any) -> None:
        super().__init__(**{"formatter_class": _BriefHelp, **keywords})
        add_debug_argument(self)
        if examples:
            lines = (f"  zarrscope {example}" for example in examples)
            self.epilog = "\n".join([(self.epilog or "") + _EXAMPLES, *lines])

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """As argparse, but options come first, and unknown ones are refused here, where the known ones are."""
        if "_ARGCOMPLETE" in os.environ:  # which parses in its own way
            return super().parse_known_args(args, namespace)
        namespace, unknown = super().parse_known_args(self._options_first(args), namespace)
        if unknown:
            self._refuse(unknown)
        return namespace, []

    def _options_first(self, words: Sequence[str]) -> list[str]:
        """The options with their values, ``--``, and the other words.

        The value of an option is the next word, also if that begins with a minus sign, unless it is an option itself. Argparse
        would take it for an option, and several of its versions differ in what they do with words on both sides of ``--``.
        """
        options: list[str] = []
        others: list[str] = []
        waiting = [*reversed(words)]
        while waiting and (word := waiting.pop()) != "--":
            if not self._is_option(word):
                others.append(word)
                continue
            options.append(word)
            count = self._count_values(word, len(waiting))
            while count and waiting and waiting[-1] != "--" and not self._is_known(waiting[-1]):
                value = waiting.pop()
                count -= 1
                if value.startswith("-") and options[-1] == word:
                    options[-1] += f"={value}" if word.startswith("--") else value
                else:
                    options.append(value)
        others += reversed(waiting)
        return [*options, "--", *others] if others else options

    def _is_option(self, word: str) -> bool:
        """Whether this word, which is not a value, is an option. Unknown ones are refused."""
        if self._is_known(word):
            return True
        if word.startswith("-") and word != "-" and not _NO_OPTION.search(word):
            self._refuse([word])
        return False

    def _is_known(self, word: str) -> bool:
        known = self._option_string_actions
        return word.partition("=")[0] in known or (not word.startswith("--") and word[:2] in known)

    def _count_values(self, option: str, most: int) -> int:
        """How many of the next words are values of this option, at most."""
        action = self._option_string_actions.get(option)
        if action is None and not option.startswith("--"):
            # Several of one letter, of which the last may have a value; or one and its value.
            letters = (self._option_string_actions.get(f"-{letter}") for letter in option[1:-1])
            if all(one is not None and one.nargs == 0 for one in letters):
                action = self._option_string_actions.get(f"-{option[-1]}")
        if action is None:
            return 0
        return 1 if action.nargs in (None, "?") else action.nargs if isinstance(action.nargs, int) else most

    def _refuse(self, unknown: Sequence[str]) -> NoReturn:
        hint = did_you_mean(unknown[0].partition("=")[0], self._option_string_actions)
        self.error(f"unrecognized arguments: {' '.join(unknown)}{hint}")

    def format_help(self) -> str:
        """The help without the options of stores, which most commands have."""
        groups = self._action_groups
        self._action_groups = [group for group in groups if group.title != STORE_OPTIONS_TITLE]
        try:
            return super().format_help()
        finally:
            self._action_groups = groups
