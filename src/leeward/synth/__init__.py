"""Synthetic tables: one file of rows is counted, measured with noise, and drawn again."""
