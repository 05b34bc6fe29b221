"""Plain pictures: charts as SVG that need no package to draw and follow the colours of a page.

The title is the name of the image and is not drawn: a page writes it in its own letters.
"""

from leeward.pictures.plain.bar_chart import Bar, Part, bars, budget, budget_parts
from leeward.pictures.plain.distributions import Band, Bin, histogram, noise
from leeward.pictures.plain.heat import heat_map
from leeward.pictures.plain.scatter_plot import Dot, scatter
from leeward.pictures.plain.style import STYLE

__all__ = [
    "STYLE",
    "Band",
    "Bar",
    "Bin",
    "Dot",
    "Part",
    "bars",
    "budget",
    "budget_parts",
    "heat_map",
    "histogram",
    "noise",
    "scatter",
]
