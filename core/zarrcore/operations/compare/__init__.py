"""Comparing two hierarchies: their nodes, metadata and elements."""

from zarrcore.operations.compare.compare import compare
from zarrcore.operations.compare.difference import Difference, ElementExample, Wanted
from zarrcore.operations.compare.equality import Tolerance

__all__ = ["Difference", "ElementExample", "Tolerance", "Wanted", "compare"]
