"""Benchmarks: ours and the peers that are installed, alternately in one run, as ratios.

python -m tests.benchmarks --help
"""
