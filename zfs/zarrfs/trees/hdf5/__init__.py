"""`hdf5/`: nodes as HDF5 and NetCDF-4 files."""
