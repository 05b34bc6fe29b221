"""Core: what is promised, and the noise that keeps the promise."""
