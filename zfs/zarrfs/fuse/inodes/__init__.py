"""Inode numbers and their entries."""
