"""HDF5 and NetCDF-4: metadata written by us, and the elements at known places among them."""

from zarrcore.filetypes.hdf5.elements import stored
from zarrcore.filetypes.hdf5.file import HDF5File

__all__ = ["HDF5File", "stored"]
