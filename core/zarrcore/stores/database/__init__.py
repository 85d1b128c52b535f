"""Databases that hold one value for each key: SQLite, LMDB, Redis."""
