"""Tidy: what follows from published numbers alone, at no further cost."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from leeward.tidy.derived import Derived, derive

__all__ = ["Derived", "derive"]


def __getattr__(name: str) -> object:
    if name in __all__:
        from leeward.tidy import derived  # noqa: PLC0415 (loaded when a name is used)

        return getattr(derived, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
