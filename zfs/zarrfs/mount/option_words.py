"""Options in the form ``-o word,word=value,…`` of mount(8) and fstab(5)."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from typing import Any, Final

_IGNORED: Final = frozenset(
    [
        "_netdev",
        "auto",
        "async",
        "atime",
        "defaults",
        "dev",
        "diratime",
        "dirsync",
        "exec",
        "group",
        "iversion",
        "lazytime",
        "loud",
        "mand",
        "noatime",
        "noauto",
        "nodev",
        "nodiratime",
        "noexec",
        "nofail",
        "noiversion",
        "nolazytime",
        "nomand",
        "norelatime",
        "nostrictatime",
        "nosymfollow",
        "nosuid",
        "nouser",
        "owner",
        "relatime",
        "rw",
        "silent",
        "strictatime",
        "suid",
        "sync",
        "user",
        "users",
    ]
)
"""Words that mount(8) and fstab(5) use themselves."""
_IGNORED_BEGINNINGS: Final = ("x-", "X-", "comment=", "helper=", "uhelper=", "user=")
_WORD: Final = re.compile(r'(?:\\,|"[^"]*"|[^,])+')
"""A comma in a value is written ``\\,``, or the value is in quotes, as for mount(8)."""


class OptionWords(argparse.Action):
    """``-o word,word=value,…``: each word is one of the long options, without its dashes.

    Words that only mount(8) understands are ignored, so that an fstab line works. After ``sloppy`` (its -s), unknown
    words are ignored, too.
    """

    def __init__(self, *arguments: Any, words: argparse.ArgumentParser, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self._words = words

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        for word in _WORD.findall(str(values)):
            text = word.replace("\\,", ",").strip()
            if not text or text in _IGNORED or text.startswith(_IGNORED_BEGINNINGS):
                continue
            if text == "remount":
                parser.error("-o remount: a mount's options cannot be changed; unmount it and mount it again")
            if text == "sloppy":
                namespace.sloppy = True
                continue
            self._take(parser, namespace, text)

    def _take(self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, text: str) -> None:
        name, equals, value = text.partition("=")
        if len(value) > 1 and value[0] == value[-1] == '"':
            value = value[1:-1]
        for spelling in (name, name.replace("_", "-")):
            try:
                _, unknown = self._words.parse_known_args([f"--{spelling}{equals}{value}"], namespace)
            except argparse.ArgumentError as error:
                parser.error(f"-o {text}: {error}")
            if not unknown:
                return
        if "sloppy" in namespace:
            return
        parser.error(f"-o {text}: no such option")
