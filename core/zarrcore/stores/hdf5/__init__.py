"""HDF5 and NetCDF-4 files as hierarchies. Their structure is parsed here, without the HDF5 library."""
