"""The kernel's requests, answered from the trees: the only folder that knows FUSE."""
