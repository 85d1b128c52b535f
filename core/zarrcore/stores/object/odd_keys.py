"""Keys of a bucket that are not paths, such as ``a//b``: they are left out of listings, counted and named once."""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass, field, replace
from typing import Final

from zarrcore.stores.object.own_requests import Page

_log = logging.getLogger(__name__)

_ODD: Final = re.compile(r"(?:^|/)\.{0,2}(?:/|$)|[\x00-\x1f\x7f\ud800-\udfff]")
"""An empty segment, ``.`` or ``..``; a control character; what is not UTF-8."""

_NAMED_AT_MOST: Final = 1000


@dataclass(slots=True)
class OddKeys:
    """The keys that were left out so far."""

    url: str
    """The bucket."""
    are_there: bool | None = None
    """Whether there are some; None if unknown."""
    names: dict[str, None] = field(default_factory=dict)
    """The first of them; of a folder of them, only its name."""
    _reported: bool = False

    def without(self, page: Page) -> Page:
        """A page without them. As in obstore, prefixes and empty objects that mark a folder do not end in ``/``."""
        objects = []
        for facts in page.objects:
            name = facts["path"].removesuffix("/") if facts["size"] == 0 else facts["path"]
            if self._is_path(name):
                objects.append({**facts, "path": name})
        prefixes = [
            name.removesuffix("/") for name in page.prefixes if self._is_path(name.removesuffix("/"), name)
        ]
        return replace(page, objects=objects, prefixes=prefixes)

    def _is_path(self, name: str, shown: str = "") -> bool:
        if not _ODD.search(name):
            return True
        if len(self.names) < _NAMED_AT_MOST and not self._knows(shown or name):
            self.names[shown or name] = None
        return False

    def _knows(self, name: str) -> bool:
        """Whether a key is in a folder that was named, or a folder has a key that was."""
        if name.endswith("/"):
            return any(known.startswith(name) for known in self.names)
        return any(known.endswith("/") and name.startswith(known) for known in self.names)

    def report(self) -> None:
        """Log them, once."""
        if self.names and not self._reported:
            self._reported = True
            shown = ", ".join(map(repr, [*self.names][:3]))
            _log.warning(
                "%s: keys that are not paths were left out (%d): %s%s",
                self.url,
                len(self.names),
                shown,
                "" if len(self.names) <= 3 else ", …",
            )
