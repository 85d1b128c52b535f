"""Zip files, wherever they are stored; local ones can be changed in place."""
