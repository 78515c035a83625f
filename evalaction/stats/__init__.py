"""The figures: each with its formula and its source in the docstring of its function. Pure, and without SciPy."""
