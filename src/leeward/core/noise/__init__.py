"""Exact laws of whole-number noise, and draws from them with the bits of the system."""
