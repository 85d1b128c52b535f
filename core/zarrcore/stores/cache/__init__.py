"""A cache for any store, on disk or in another store."""
