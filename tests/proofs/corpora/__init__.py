"""Test files of other projects, which packaging/corpora.py fetches: each is read as independent readers read it."""
