"""What the kernel may cache of entries and open files: one policy, which the FUSE layer applies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Caching:
    """What the kernel may cache of an entry, or of an open file. The mount's time to live says for how long."""

    keeps_attributes: bool = True
    """Whether it may cache name and attributes: not while the value is being written."""
    changes_elsewhere: bool = True
    """Whether writing under another name changes the entry, which the kernel does not notice by itself."""
    never_expires: bool = False
    """Whether the entry never gets stale: a directory that passes each lookup on and holds no answers itself."""
    uses_pages: bool = True
    """Whether its bytes go through the page cache: not if the size is a guess, or if the pages are of another version."""
    pages_expire: bool = False
    """Whether pages of the same version expire, too: the version of metadata does not cover the elements."""


DEFAULT: Final = Caching()
KEY: Final = Caching(changes_elsewhere=False)
"""A key's file, or a directory that only changes under its own name."""
CHANGING_KEY: Final = Caching(changes_elsewhere=False, keeps_attributes=False)
"""A key that is being written."""
CHANGING: Final = Caching(keeps_attributes=False)
"""A decoded file that is being written."""
PATH: Final = Caching(never_expires=True)
"""A directory that passes each lookup on."""
FIXED_PATH: Final = Caching(never_expires=True, changes_elsewhere=False)
"""A directory that passes each lookup on, and only changes under its own names."""
UNCACHED: Final = Caching(uses_pages=False)
"""A file whose bytes are made each time it is opened."""
DECODED: Final = Caching(pages_expire=True)
"""An open file of decoded elements."""
