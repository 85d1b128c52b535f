"""Coverage-guided fuzzing of each parser, by Atheris.

A target is a module in ``targets`` with two functions. ``check(data)`` gives bytes to a parser, and raises what contradicts
zarrscope's promises: the result is an error of ours, or a value equal to an independent reader's. ``examples()`` gives valid
inputs, from which the fuzzer makes others. ``WORDS`` may name words of the input's language, or ``MAX_LENGTH`` the
longest useful input of a target that changes documents: its inputs only choose the changes.

``packaging/prove --keep fuzz-NAME`` chooses, from what the fuzzer has found, the inputs that the tests replay.
"""
