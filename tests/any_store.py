"""The type of a store for tests, which know what their store can do: `open_store` promises only that it can be read."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import zarrcore
from zarrcore.stores import ListableStore, ReadableStore, WritableStore


class AnyStore(ReadableStore, ListableStore, WritableStore):
    """A store with all methods. For annotations only: the stores of zarrcore do not derive from it."""


open_store = cast("Callable[..., AnyStore]", zarrcore.open_store)
"""`zarrcore.open_store`, for tests that list or write what they open."""
