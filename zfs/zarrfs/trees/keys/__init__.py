"""`keys/`: the keys of a store as files, byte for byte."""
