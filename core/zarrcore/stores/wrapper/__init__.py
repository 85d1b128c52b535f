"""Stores that stand in front of another store: read-only, below a prefix, counting requests."""
