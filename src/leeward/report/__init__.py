"""The report of a bundle, and what else is read from bundles to be shown.

Everything here is post-processing: a bundle is read, nothing confidential is near. Modules are
imported by name, so that only those who make a report load the templates.
"""
