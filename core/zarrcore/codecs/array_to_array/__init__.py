"""Codecs array → array, one file per codec."""
