"""Zip files in any store; local zip files can be changed in place."""
