"""What the kernel may keep of entries and of open files: one policy, which the kernel-facing code reads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Caching:
    """What the kernel may keep of an entry, or of a file that is open. How long is the mount's time to live."""

    keeps_attributes: bool = True
    """Whether it may keep name and attributes: not while the value is being written."""
    changes_elsewhere: bool = True
    """Whether writing under another name changes the entry, so that the kernel does not learn of it by itself."""
    never_expires: bool = False
    """Whether the entry holds no answers: a directory that asks for each name when it is looked up."""
    uses_pages: bool = True
    """Whether its bytes go through the page cache: not where the size is a guess, or the pages are those of another version."""
    pages_expire: bool = False
    """Whether pages of the same version expire too: the version is that of the metadata and does not cover the elements."""


DEFAULT: Final = Caching()
KEY: Final = Caching(changes_elsewhere=False)
"""A key's file, or a directory that nothing but its own name changes."""
CHANGING_KEY: Final = Caching(changes_elsewhere=False, keeps_attributes=False)
"""A key that is being written."""
CHANGING: Final = Caching(keeps_attributes=False)
"""A decoded file that is being written."""
PATH: Final = Caching(never_expires=True)
"""A directory that passes each look-up on."""
FIXED_PATH: Final = Caching(never_expires=True, changes_elsewhere=False)
"""Such a directory, which only its own names change."""
UNCACHED: Final = Caching(uses_pages=False)
"""A file whose bytes are made anew each time it is opened."""
DECODED: Final = Caching(pages_expire=True)
"""An open file of decoded elements."""
