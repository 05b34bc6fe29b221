"""Picture: a drawn chart, and the packages that draw it."""

from dataclasses import dataclass

from leeward.core.errors import BadFile
from leeward.core.installation import hint

FONT = "Liberation Sans, Arial, Helvetica, sans-serif"
"""The first is part of vl-convert, so that pixels are the same on every machine."""

PNG_SCALE = 2
"""Pixels of a PNG for one of the SVG: sharp on screens of today."""


@dataclass(frozen=True)
class Picture:
    """A chart as SVG text, with what a page says beside it or in place of it."""

    svg: str
    title: str
    description: str

    def png(self) -> bytes:
        """The same picture in pixels."""
        require_pictures()
        import vl_convert  # noqa: PLC0415 (an optional extra, and slow to load)

        return vl_convert.svg_to_png(self.svg, scale=PNG_SCALE)


def require_pictures() -> None:
    """Refuse where the packages are missing that draw; called before long work, not after it."""
    try:
        import altair  # noqa: F401, PLC0415 (an optional extra, and slow to load)
        import vl_convert  # noqa: F401, PLC0415 (as above)
    except ImportError as missing:
        raise BadFile(
            "pictures",
            rule="need the packages altair and vl-convert-python",
            value=f"no {missing.name}",
            next_step=hint("pictures"),
        ) from None
