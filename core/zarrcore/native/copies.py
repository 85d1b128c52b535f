"""Files that the engine copies."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zarrcore.native.library import Engine
from zarrcore.native.structures import NativeCopyJob


def copy_files(
    engine: Engine,
    source: tuple[Any, bool, Sequence[str]],
    destination: tuple[Any, bool, Sequence[str]],
    *,
    max_nbytes: int,
    verify: bool,
) -> NDArray[np.int32]:
    """Copy files as they are. Each gets its name when it is whole, and replaces a file of this name.

    Args:
        engine: copies them.
        source: an open directory with a ``descriptor``, whether links may lead out of it, and the files' names beneath it.
        destination: the same for the copies.
        max_nbytes: larger files are not copied.
        verify: read each copy, and compare, before it gets its name.

    Returns:
        The status of each file.
    """
    names, new_names = (os.fsencode("".join(f"{name}\0" for name in one[2])) for one in (source, destination))
    statuses = np.empty(len(source[2]), np.int32)
    job = NativeCopyJob(
        count=len(statuses),
        root=source[0].descriptor,
        follows_links=source[1],
        new_root=destination[0].descriptor,
        new_follows_links=destination[1],
        names=names,
        new_names=new_names,
        names_nbytes=len(names),
        new_names_nbytes=len(new_names),
        max_nbytes=max_nbytes,
        verifies=verify,
    )
    engine.copy(ctypes.addressof(job), statuses.ctypes.data)
    return statuses
