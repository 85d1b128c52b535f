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
- After a lost answer, a writer that must not replace a value cannot tell its own value from an equal one of another writer.
- Writing to a part of a shard keeps the bytes of its other inner chunks as they were read. A bit that flipped on the way is then
  stored; the checksum of that inner chunk tells it from then on.
- A store lists twice what its server lists twice. Hierarchies and mounts show each name once.
- The age of a cached answer is measured by the clock, which other processes share: an answer whose time is in the future does not
  count, but does again when the clock has passed it. A refresh does not depend on the clock.
- A transfer that goes on, however slowly, may take ten times the timeout.
"""
