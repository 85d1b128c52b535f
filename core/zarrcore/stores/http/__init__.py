"""Directories on web servers, through obstore and httpx.

obstore fetches values: it is fast, and needs no interpreter lock. httpx does all other requests: pages that list, answers that
obstore does not hand out, servers that ignore ranges or compress unasked, and repeats. See `values` and `client`.
"""
