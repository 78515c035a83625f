"""How likely several draws of a case all pass. Pure."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache


@lru_cache(maxsize=1_024)
def pass_hat(passing: int, n: int) -> tuple[Fraction, ...]:
    """Return pass^1 to pass^n: the chance that k draws, taken from these without putting back, all pass.

    pass^k is C(c, k) / C(n, k), an unbiased estimate of the probability that k fresh draws all pass, for draws that are
    independent of one another. pass^1 is the share that passes, pass^n is 1 or 0, and none is above the one before.

    Args:
        passing: draws that pass their own checks (c), 0 to n.
        n: draws, 1 or more, none of them missing.

    Returns:
        The chances for k = 1 to n, exact, 0 to 1.

    Raises:
        ValueError: an argument is out of its range.

    Source: S. Yao, N. Shinn, P. Razavi and K. Narasimhan, "tau-bench: a benchmark for tool-agent-user interaction in
    real-world domains", arXiv:2406.12045 (2024), section 3.
    """
    if not 0 <= passing <= n or n < 1:
        raise ValueError(f"no pass^k for {passing} of {n}")
    return tuple(Fraction(math.comb(passing, k), math.comb(n, k)) for k in range(1, n + 1))
