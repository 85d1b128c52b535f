"""Heaps of HDF5 files: places of names, of many links and attributes, and of elements of variable length."""
