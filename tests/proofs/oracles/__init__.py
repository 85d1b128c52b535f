"""Other implementations as oracles: they read what zarrscope writes, and the other way round, for random arrays."""
