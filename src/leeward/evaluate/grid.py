"""Grid: which α, ε, θ and how many trials an evaluation goes through."""

from dataclasses import dataclass, replace
from fractions import Fraction

from leeward.errors import InvalidParameter, shown

MOST_TRIALS = 1000


def exact(*numbers: str) -> tuple[Fraction, ...]:
    """Numbers as people write them."""
    return tuple(Fraction(one) for one in numbers)


@dataclass(frozen=True)
class Grid:
    """The points of a figure. `further` are values of ε for whole tables of worker cells only."""

    alphas: tuple[Fraction, ...] = exact("0.01", "0.05", "0.1", "0.2")
    epsilons: tuple[Fraction, ...] = exact("0.25", "0.5", "0.67", "1", "2", "4")
    further: tuple[Fraction, ...] = exact("8", "16")
    delta: Fraction = Fraction(1, 20)
    """Of Smooth Laplace alone; with it the papers' condition first holds at ε = 0.67 for
    α = 0.1, a value that the papers' own grid has."""
    thetas: tuple[int, ...] = (10, 100, 1_000, 10_000)
    trials: int = 20

    def with_trials(self, trials: int) -> "Grid":
        """The same grid, drawn more or less often."""
        if not 2 <= trials <= MOST_TRIALS:
            raise InvalidParameter(
                "trials",
                rule=f"must be a whole number from 2 to {MOST_TRIALS}",
                value=shown(trials),
                next_step="Leave it out for what the preset has.",
            )
        return replace(self, trials=trials)

    def with_alpha(self, alpha: Fraction | None) -> "Grid":
        """The same grid and one α more, which a plan has chosen."""
        if alpha is None:
            return self
        return replace(self, alphas=tuple(sorted({*self.alphas, alpha})))
