"""Qt models over the session: they hold no I/O, workers bring them what they show."""
