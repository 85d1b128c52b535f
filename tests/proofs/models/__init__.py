"""State machines: random steps on a part of zarrscope and on a model of it, which must agree after each."""
