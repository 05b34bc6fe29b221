"""Regress: lines of y on x by cell, from one file; private methods charge a ledger first."""
