"""The command line: one thin file per command."""

from leeward.cli.app import main

__all__ = ["main"]
