"""Sheet: what surrounds the marks of a plain picture, so that it is one image with a name."""

from collections.abc import Iterable

from leeward.errors import InvalidParameter
from leeward.pictures.picture import FONT, Picture
from leeward.pictures.plain.letters import cleaned, escaped
from leeward.pictures.plain.mark import place, words

NARROWEST = 280
WIDE = 480
"""From here on labels stand beside what they name; below, above it."""


def checked(width: int) -> int:
    """The width, refused where no chart fits."""
    if width < NARROWEST:
        raise InvalidParameter(
            "width",
            rule=f"a picture is at least {NARROWEST} units wide",
            value=width,
            next_step=f"Give a width of {NARROWEST} or more.",
        )
    return width


def at_most(limit: int, given: int, what: str) -> None:
    """Refuse more than a picture can show."""
    if given > limit:
        raise InvalidParameter(
            what,
            rule=f"a picture shows at most {limit} {what}",
            value=given,
            next_step="Choose those to show.",
        )


def finished(
    parts: Iterable[str], size: tuple[int, float], *, title: str, description: str
) -> Picture:
    """The picture of these marks."""
    wide, high = size
    name = f'role="img" aria-label="{escaped(title)}" class="picture picture-{_kind(wide)}"'
    shape = f'width="{wide}" height="{place(high)}" viewBox="0 0 {wide} {place(high)}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {name} {shape} font-family="{FONT}">'
    told = f"<title>{escaped(title)}</title><desc>{escaped(description)}</desc>"
    svg = head + told + "".join(parts) + "</svg>"
    return Picture(svg, cleaned(title), cleaned(description))


def _kind(width: int) -> str:
    """The class that keeps a page from blowing its letters up."""
    if width < WIDE:
        return "narrow"
    return "middle" if width < 600 else "wide"


def empty(title: str, width: int) -> Picture:
    """A picture that says that there is nothing to show."""
    text = words("Nothing to show.", (width / 2, 34), "soft", anchor="middle")
    return finished([text], (width, 60), title=title, description="Nothing to show.")
