"""Derived: what follows from published bundles, at no further cost."""
