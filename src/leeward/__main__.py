"""`python -m leeward`: the command line, where the `leeward` script is not on the path."""

from leeward.interface.commands import start

if __name__ == "__main__":
    start()
