"""Checking a hierarchy: every document, every chunk, every key."""

from zarrcore.operations.check.check import check
from zarrcore.operations.check.finding import Finding, Severity

__all__ = ["Finding", "Severity", "check"]
