"""NetCDF-3 files as hierarchies: the classic format, that with 64-bit offsets, and CDF-5."""
