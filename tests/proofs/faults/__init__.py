"""Faults of a store, below everything that reads and writes it.

The law: an answer is right or an error of ours; no write is half seen; what was reported stored is stored; the daemon lives; a
request ends within its timeout.

Some faults cannot be detected, so they are given only where something can detect them:

- A flipped bit is detected by a checksum: crc32c, the checksums of gzip, zlib and zstd, the index of a shard, the directory
  of a zip file. Documents have none, nor have chunks of plain bytes, nor the header of an N5 block: there a flipped bit gives
  another value.
- A value that is too short or too long is detected by the codec, the document's syntax, or the server's announcement.
- An old answer is a value that was once right. A reader may get it; an element is then one of its earlier values. A writer that
  replaces a part of a chunk reads the rest first, so over such a store it may bring back the old rest.
- A listing that lacks an entry, without an error, is the list of a store without that key.
- An error after a write does not tell whether the value is stored: it is the old or the new one.
"""
