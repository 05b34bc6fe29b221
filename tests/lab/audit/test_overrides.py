"""A twin changes released code: what it defines takes the place of something that runs."""

import inspect
from importlib import import_module
from pkgutil import iter_modules

import pytest

import leeward.lab.audit
from leeward.core.mechanisms.clipping import Clipping
from leeward.lab.audit.controls import OneWay

MODULES = [import_module(f"leeward.lab.audit.{module.name}")
           for module in iter_modules(leeward.lab.audit.__path__)]  # fmt: skip
TWINS = [
    value
    for module in MODULES
    for value in vars(module).values()
    if inspect.isclass(value)
    and value.__module__ == module.__name__
    and any(base.__module__.startswith("leeward.core.") for base in value.__mro__)
]


def without_effect(twin: type) -> list[str]:
    """What a class defines that no class above it has, and that it does not use itself."""
    source = inspect.getsource(twin)
    return [
        name
        for name, value in vars(twin).items()
        if (callable(value) or isinstance(value, property))
        and not any(hasattr(base, name) for base in twin.__mro__[1:])
        and f"self.{name}" not in source
    ]


@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.__name__)
def test_what_a_twin_defines_takes_the_place_of_something(twin: type) -> None:
    assert without_effect(twin) == []


def test_a_twin_of_a_name_that_is_gone_is_found() -> None:
    class Stale(Clipping):
        @property
        def gone(self) -> int:
            return 1

    assert OneWay in TWINS
    assert without_effect(Stale) == ["gone"]
