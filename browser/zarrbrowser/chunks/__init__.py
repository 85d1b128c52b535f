"""The chunks of an array: where they are, and which are stored. Without Qt."""
