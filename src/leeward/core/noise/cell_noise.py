"""CellNoise: what readers know of the noise of a cell, as certificates state it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from leeward.core.noise.law import Law, PiecewiseLaw, read_law
from leeward.core.noise.quartic import QuarticLaw

NORMAL, QUARTIC, PIECES = "normal", "quartic", "pieces"
"""The laws of Z in a certificate: standard normal, density ∝ 1/(1+z⁴), or pieces."""


@dataclass(frozen=True)
class Clip:
    """Clipping in a class of workplace cells; `establishments` is its largest number of them.

    The logarithm of the largest establishment over its noisy number is noise of scale `spread`;
    jobs are taken away where it is above `room`.
    """

    establishments: int
    spread: float
    room: float


@dataclass(frozen=True)
class CellNoise:
    """What a reader knows of the noise of a cell from what is published, in float64.

    The noise is scale·Z, rounded to whole jobs, and the scale is at least `least` jobs. It is taken
    to be `share` times the cell's margin: at this scale the margin of the cell is just wide enough,
    so it allows for what is not known of the scale. Where no establishment is larger than its cell,
    it is at most `slope` times the released value, which allows for the noise of that value; with a
    share of 0 it is just that. With `shared` = k the worker cells of a workplace cell have Z = L/H,
    L Laplace and one H ~ Gamma(k). `law` None is a standard normal Z. `relative`: the scale is that
    of the released value, the noise Z/(1+Z).

    Rounding moves the mean of the noise by at most `lean` jobs, whatever its scale; 0 where it does
    not, or where the scale is public. Where an interval has ends, its lower one stands for the
    margin. `clips` tells of clipping, the class of fewest establishments first; the last one is for
    all that have more.
    """

    law: Law | None
    share: float
    least: float
    shared: int | None = None
    relative: bool = False
    slope: float | None = None
    clips: tuple[Clip, ...] = ()
    lean: float = 0.0

    def stated(self) -> dict[str, Any]:
        """The same as plain numbers, for a certificate; what does not apply is None."""
        pieces = self.law.stated() if isinstance(self.law, PiecewiseLaw) else None
        return {
            "law": PIECES if pieces else NORMAL if self.law is None else QUARTIC,
            "pieces": pieces,
            "share": self.share,
            "least": self.least,
            "shared": self.shared,
            "relative": self.relative or None,
            "per_job": self.slope,
            "clips": [vars(one) for one in self.clips] or None,
            "lean": self.lean or None,
        }

    @classmethod
    def read(cls, stated: Mapping[str, Any]) -> "CellNoise":
        """The noise that numbers state: what a reader of a certificate has."""
        laws: dict[str, Law | None] = {NORMAL: None, QUARTIC: QuarticLaw()}
        pieces = stated["pieces"]
        return cls(
            laws[stated["law"]] if pieces is None else read_law(pieces),
            stated["share"],
            stated["least"],
            shared=stated["shared"],
            relative=bool(stated["relative"]),
            slope=stated["per_job"],
            clips=tuple(Clip(**one) for one in stated["clips"] or ()),
            lean=stated["lean"] or 0.0,
        )
