"""Encodings of chunks of HDF5 files. Internal names, never written to a store."""
