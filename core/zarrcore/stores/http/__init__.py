"""Directories on web servers, through httpx."""
