"""Codecs array → bytes, one file per codec."""
