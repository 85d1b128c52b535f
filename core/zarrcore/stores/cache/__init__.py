"""A cache on disk in front of any store."""
