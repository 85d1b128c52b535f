"""The encodings of chunks of Neuroglancer, format "precomputed". Internal names, never written to a store."""
