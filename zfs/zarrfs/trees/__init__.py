"""The trees that a mount shows, as plain objects: nothing here knows FUSE, all of it is tested without a kernel."""
