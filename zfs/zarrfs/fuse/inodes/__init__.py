"""Inode numbers and the entries that they stand for."""
