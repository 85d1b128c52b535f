"""Codecs bytes → bytes, one file per codec."""
