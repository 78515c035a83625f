"""How much the draws of a case disagree. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction


def disagreement(counts: Sequence[int], n: int) -> Fraction | None:
    """Return the share of pairs of draws that differ, 1 - Σ c(c - 1) / (n(n - 1)).

    Unlike the flip rate it can be compared across different n: its expectation is the probability that
    two draws differ, whatever n is.

    Args:
        counts: draws of each distinct answer.
        n: draws, none of them missing; those in no count are unreadable, and each is a class of its own.

    Returns:
        The share, exact, 0 to 1; None for n < 2, where there is no pair.

    Source: the Gini-Simpson index in its unbiased form (E. H. Simpson, "Measurement of diversity", Nature 163
    (1949), 688).
    """
    pairs = n * (n - 1)
    return 1 - Fraction(sum(count * (count - 1) for count in counts), pairs) if n > 1 else None
