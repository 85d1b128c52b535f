"""Whether nodes hold to the conventions that they follow. Each finding names the attribute, the rule and its address."""

from zarrcore.operations.check.conventions.check import check_conventions

__all__ = ["check_conventions"]
