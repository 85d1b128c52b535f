"""HDF5 and NetCDF-4: metadata written by zarrcore, followed by the elements at known offsets."""

from zarrcore.filetypes.hdf5.contents import documents_version, nodes_of
from zarrcore.filetypes.hdf5.elements import stored
from zarrcore.filetypes.hdf5.file import HDF5File
from zarrcore.filetypes.hdf5.skeleton import file_size

__all__ = ["HDF5File", "documents_version", "file_size", "nodes_of", "stored"]
