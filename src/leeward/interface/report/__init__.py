"""The report of a bundle: one HTML file for the board that decides about a release.

Everything here is post-processing of a published bundle. Modules are imported by name, so that
only commands that make a report load the templates.
"""
