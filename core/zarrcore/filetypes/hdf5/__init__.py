"""HDF5 and NetCDF-4: metadata written by zarrcore, followed by the elements at known offsets."""

from zarrcore.filetypes.hdf5.elements import stored
from zarrcore.filetypes.hdf5.file import HDF5File

__all__ = ["HDF5File", "stored"]
