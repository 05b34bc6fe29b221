"""Import hooks: what PyArrow and Ibis would load at the start of every command, and need not.

PyArrow imports pandas, if it is installed, to find out what a list is: half a second. Nothing here
uses pandas.
`ibis.backends.sql.compilers` imports the compilers and SQL dialects of twenty databases: a tenth
of a second or more. With the hook the package imports a compiler when it is used, and everything
else of it when a name is asked for that is not a module.
"""

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType

PACKAGE = "ibis.backends.sql.compilers"


class WithoutPandas(MetaPathFinder):
    """Makes `import pandas` fail as if it were not installed."""

    def find_spec(self, fullname: str, *_: object) -> None:
        """Reject pandas; leave every other module to the next finder."""
        if fullname == "pandas":
            raise ModuleNotFoundError(fullname, name=fullname)


def block_pandas() -> None:
    """Block pandas in this process, until a driver needs it."""
    sys.meta_path.insert(0, WithoutPandas())


def unblock_pandas() -> None:
    """Allow pandas again, for a driver that needs it."""
    sys.meta_path[:] = [hook for hook in sys.meta_path if not isinstance(hook, WithoutPandas)]


class LazyPackage(Loader):
    """Imports the modules of a package one by one instead of running its `__init__`."""

    def __init__(self, whole: Loader) -> None:
        self._whole = whole

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._whole.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        """Prepare the package; a module is imported when its name is used."""

        def load(name: str) -> object:
            if name.startswith("__"):
                raise AttributeError(name)
            try:
                return import_module(f"{module.__name__}.{name}")
            except ModuleNotFoundError:
                del module.__dict__["__getattr__"]
                self._whole.exec_module(module)
                return getattr(module, name)

        module.__dict__["__getattr__"] = load


class LazyCompilers(MetaPathFinder):
    """Finds the package of compilers as a lazy one."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, _: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The package of compilers; every other module is left to the next finder."""
        spec = PathFinder.find_spec(fullname, path) if fullname == PACKAGE else None
        if spec is not None and spec.loader is not None:
            spec.loader = LazyPackage(spec.loader)
        return spec


def import_compilers_lazily() -> None:
    """Let this process import compilers of Ibis when they are used."""
    sys.meta_path.insert(0, LazyCompilers())
