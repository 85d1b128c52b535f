"""Stores that wrap another store: read-only, below a prefix, counting requests."""
