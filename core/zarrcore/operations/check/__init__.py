"""Checking a hierarchy: every document, every chunk, every key."""

from zarrcore.operations.check.check import check
from zarrcore.operations.check.finding import Finding, Severity
from zarrcore.operations.check.level import check_level

__all__ = ["Finding", "Severity", "check", "check_level"]
