"""Reads and writes of arrays that the engine (`zarrcore.native`) executes."""
