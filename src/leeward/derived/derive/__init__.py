"""Derive: sums, shares, changes and ranks of published tables, with intervals."""
