"""Databases with one value per key: SQLite, LMDB, Redis."""
