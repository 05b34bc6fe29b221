"""Thrift: pandas is loaded only where a database's driver needs it.

Nothing here uses it. But PyArrow loads it, if it is installed, to ask what a list is, which takes
longer than many a query.
"""

import sys
from importlib.abc import MetaPathFinder


class WithoutPandas(MetaPathFinder):
    """Says that there is no pandas."""

    def find_spec(self, fullname: str, *_: object) -> None:
        """Found nothing; for pandas at once."""
        if fullname == "pandas":
            raise ModuleNotFoundError(fullname, name=fullname)


def withhold_pandas() -> None:
    """Do without pandas in this process, as long as nobody needs it."""
    sys.meta_path.insert(0, WithoutPandas())


def allow_pandas() -> None:
    """From here on pandas may be loaded."""
    sys.meta_path[:] = [one for one in sys.meta_path if not isinstance(one, WithoutPandas)]
