"""Without pandas: an import hook that keeps PyArrow from loading pandas.

Nothing here uses pandas. But PyArrow imports it, if it is installed, to find out what a list is:
half a second of every command.
"""

import sys
from importlib.abc import MetaPathFinder


class WithoutPandas(MetaPathFinder):
    """Makes `import pandas` fail as if it were not installed."""

    def find_spec(self, fullname: str, *_: object) -> None:
        """Refuse pandas; leave every other module to the next finder."""
        if fullname == "pandas":
            raise ModuleNotFoundError(fullname, name=fullname)


def block_pandas() -> None:
    """Block pandas in this process, until a driver needs it."""
    sys.meta_path.insert(0, WithoutPandas())


def unblock_pandas() -> None:
    """Allow pandas again, for a driver that needs it."""
    sys.meta_path[:] = [one for one in sys.meta_path if not isinstance(one, WithoutPandas)]
