"""Directories on web servers, through obstore and httpx.

obstore fetches values: it is fast and does not hold the GIL. httpx makes all other requests: listing pages, answers that
obstore does not return, servers that ignore ranges or compress without being asked, and repeats. See `values` and `client`.
"""
