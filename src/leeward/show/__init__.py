"""Show: what every surface shares to show numbers, words, tables and pictures."""
