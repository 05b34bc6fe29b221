"""Protections in use today, none with a guarantee: what provable privacy is compared with."""
