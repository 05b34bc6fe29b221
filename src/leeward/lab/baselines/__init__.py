"""Protections in use today, none with a guarantee for employers: what ours is compared with."""
