"""Palette: the colours of Okabe and Ito, which the colour-blind can tell apart, and its inks.

WINE is of the muted palette of Paul Tol, which has the same aim.
"""

BLACK = "#000000"
ORANGE = "#E69F00"
SKY = "#56B4E9"
GREEN = "#009E73"
BLUE = "#0072B2"
VERMILLION = "#D55E00"
PURPLE = "#CC79A7"
WINE = "#882255"
GREY = "#767676"
RED = "#B00020"

READABLE = 4.5
"""The contrast to white that text needs (WCAG 2.1, level AA)."""


def ink(colour: str) -> str:
    """The colour for text: the same hue, dark enough to be read on white."""
    channels = tuple(int(colour[at : at + 2], 16) for at in (1, 3, 5))
    shade = next(s for s in range(100, -1, -1) if contrast(_darker(channels, s)) >= READABLE)
    return "#" + "".join(f"{channel:02X}" for channel in _darker(channels, shade))


def contrast(channels: tuple[int, ...]) -> float:
    """The contrast of a colour to white, from 1 to 21."""
    light = [_linear(channel / 255) for channel in channels]
    return 1.05 / (0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2] + 0.05)


def _darker(channels: tuple[int, ...], percent: int) -> tuple[int, ...]:
    return tuple(channel * percent // 100 for channel in channels)


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.03928 else float(((channel + 0.055) / 1.055) ** 2.4)
