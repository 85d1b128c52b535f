"""The directories that a mount shows. Nothing here knows FUSE."""
