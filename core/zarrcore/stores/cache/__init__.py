"""A cache on disk for any store."""
