"""Nodes that an operation refuses: the error that ends it, unless the caller lets the operation leave them out."""

from __future__ import annotations

import copy

from zarrcore.errors import ChangedError, StoreTimeoutError, UnreachableError, UnsupportedError, ZarrError
from zarrcore.hierarchy import AnyNode, ArrayNode

_PASSING = (ChangedError, StoreTimeoutError, UnreachableError)
"""Failures of a store, which say nothing about the node."""


def refuse(node: AnyNode, what: str, error: ZarrError, command: str, *, skip: bool) -> str:
    """Why a node is left out, if it may be.

    Args:
        node: the node.
        what: what is refused: ``cannot be copied``.
        error: why; any but an `UnsupportedError` is shown with the place that it has.
        command: the command line with the option that leaves the node out; empty if no option does.
        skip: whether the caller chose that option.

    Raises:
        ZarrError: the caller did not choose the option; the error names the node and the option.
        StoreError: the store failed. The node itself may be intact.
    """
    error = error.with_traceback(None)
    if isinstance(error, _PASSING):
        raise error
    # The path of the node is shown beside it.
    reason = str(error.at("") if isinstance(error, UnsupportedError) else error)
    if skip:
        return reason
    hint = f" ({command} leaves it out)" if command else ""
    if isinstance(error, UnsupportedError):
        kind = "array" if isinstance(node, ArrayNode) else "node"
        raise UnsupportedError(kind, node.path, f"{what}: {reason}{hint}") from error
    told = copy.copy(error)
    told.message += hint
    raise told from error
