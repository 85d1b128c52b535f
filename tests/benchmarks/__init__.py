"""Benchmarks: zarrscope and the installed peers, measured alternately in one run, as ratios.

python -m tests.benchmarks --help
"""
