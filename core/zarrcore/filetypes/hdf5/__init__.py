"""HDF5 and NetCDF-4: a skeleton of metadata, and arrays' elements at known places in it."""

from zarrcore.filetypes.hdf5.file import HDF5File

__all__ = ["HDF5File"]
