"""Long runs against random input, faults and other projects' harnesses, by ``packaging/prove``.

Each suite also has a short run among the tests. A suite is a function of a seed: the same seed does the same.
"""
