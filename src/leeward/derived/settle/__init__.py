"""Settle: published tables that add up, are whole and are not negative."""
