"""Request: which file is made synthetic, by which method, at which price; settled at birth."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path

from leeward.core.codebook import Codebook
from leeward.core.errors import InvalidParameter, raise_all, shown
from leeward.core.exact import positive
from leeward.core.mechanisms.parameters import Parameters
from leeward.core.privacy import Guarantee, WorkerOnly
from leeward.core.privacy.delta import largest_rho
from leeward.publishing.bundle.bundle_files import sha256
from leeward.publishing.release.paid import FileRequest
from leeward.systems.synth import aim, correlated, independent, nist, tree
from leeward.systems.synth.counting import Counts
from leeward.systems.synth.description import Fit
from leeward.systems.synth.domain import RANGES, Domain
from leeward.systems.synth.drawing import TRIED, some_possible
from leeward.systems.synth.measurer import Measurer

AUTO, RANDOM = "auto", "random"

FITS: Mapping[str, Callable[[Domain, Measurer, Guarantee], Fit]] = {
    "independent": independent.fit,
    "correlated": correlated.fit,
    "tree": tree.fit,
    "aim": aim.fit,
}
"""The methods that read rows; each is one module with one function."""

CORRELATED, NIST, AIM = "correlated", "nist", "aim"
"""Methods with a rule of their own; `nist` reads a public table too."""

METHODS = (AUTO, RANDOM, *FITS, NIST)

BEST = "tree"
"""What `auto` takes."""

MOST_DELTA = Fraction(1, 10**6)
MOST_ROWS = 10**9
MOST_RANGES = 1000
MOST_PARENTS = 5


@dataclass(frozen=True)
class TableRequest(FileRequest):
    """One table: everything that can be refused without the file has been.

    Without δ noise is Laplace and the promise pure ε; with one it is Gaussian, at the largest ρ
    that implies (ε, δ). `ranges` is the number of equal ranges of columns of real numbers,
    `parents` the most of a column of `correlated`, `public` the table that `nist` selects on.
    """

    codebook: Codebook
    method: str = AUTO
    epsilon: str | None = None
    delta: str | None = None
    _: KW_ONLY
    rows: int | None = None
    ranges: int = RANGES
    parents: int | None = None
    public: Path | None = None

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            step = f"Use {AUTO}."
            raise InvalidParameter.unknown("--method", self.method, METHODS, next_step=step)
        raise_all(self._misplaced())
        _ = self.price
        if not some_possible(self.domain).size:
            raise InvalidParameter(
                "codebook.impossible",
                rule=f"must leave more than one in {TRIED} combinations of values possible",
                value=f"{len(self.domain.impossible)} rules that leave less",
                next_step="Leave a rule out, or declare fewer codes.",
            )

    @property
    def free(self) -> bool:
        """Whether no row is read and nothing is spent."""
        return self.method == RANDOM

    @property
    def resolved(self) -> str:
        """The method by its own name."""
        return BEST if self.method == AUTO else self.method

    @cached_property
    def domain(self) -> Domain:
        """The columns and their values."""
        return Domain.of(self.codebook, self.ranges)

    @cached_property
    def price(self) -> Guarantee | None:
        """What one row may lose; None where nothing is read."""
        if self.free:
            return None
        epsilon = Parameters.read(None, self.epsilon, 0, 1, "tight").epsilon
        if self.delta is None:
            return Guarantee(WorkerOnly(), None, epsilon)
        delta = positive(self.delta, "--delta")
        if delta > MOST_DELTA:
            raise InvalidParameter(
                "--delta",
                rule="must be at most 1e-6: it is the probability that the promise fails",
                value=shown(self.delta),
                next_step="Give 1e-9, or leave it out for a promise without one.",
            )
        rho = largest_rho(epsilon, delta)
        return Guarantee(WorkerOnly(), None, 0, 0, rho, reading=delta)

    @property
    def decisive(self) -> Mapping[str, object]:
        """Columns with their values, method and price, and what it selects on."""
        return {
            "domain": self.domain.as_json(),
            "method": self.resolved,
            "epsilon": self.epsilon and str(Fraction(self.epsilon)),
            "delta": self.delta and str(Fraction(self.delta)),
            **({} if self.parents is None else {"parents": self.parents}),
            **({} if self.public is None else {"public": sha256(self.public)}),
        }

    def fit(self, measurer: Measurer, public: Counts | None = None) -> Fit:
        """What the method finds."""
        if self.price is None:
            raise AssertionError("a method that reads rows has a price")
        if len(self.domain.columns) == 1:
            return independent.fit(self.domain, measurer, self.price)
        if public is not None:
            return nist.fit(self.domain, measurer, self.price, public)
        if self.parents is not None:
            return correlated.fit(self.domain, measurer, self.price, self.parents)
        return FITS[self.resolved](self.domain, measurer, self.price)

    def _misplaced(self) -> Iterator[InvalidParameter]:
        """Options that the method does not have or lacks, and numbers out of their range."""
        method = f"--method {self.method}"
        yield from self._unpriced(method)
        for name, number, most in (
            ("--rows", self.rows, MOST_ROWS),
            ("--ranges", self.ranges, MOST_RANGES),
            ("--parents", self.parents, MOST_PARENTS),
        ):
            if number is not None and not 1 <= number <= most:
                step = "Give another number, or leave it out."
                yield InvalidParameter.not_whole(name, number, 1, most, next_step=step)
        if self.parents is not None and self.method != CORRELATED:
            yield InvalidParameter(
                "--parents",
                rule=f"is for the method {CORRELATED}",
                value=method,
                next_step="Leave it out.",
            )
        if (self.public is None) == (self.method == NIST):
            yield InvalidParameter.missing(
                "--public",
                where=f"with the method {NIST}, which selects on a public table, and with no other",
                value="nothing" if self.public is None else method,
                next_step="Give a file of the same columns that is public already, "
                "or take another method.",
            )
        if self.method == AIM and self.delta is None:
            yield InvalidParameter.missing(
                "--delta",
                where=f"with the method {AIM}: it divides a ρ over its rounds",
                next_step="Give 1e-9, or take tree or correlated.",
            )

    def _unpriced(self, method: str) -> Iterator[InvalidParameter]:
        """What a method that reads rows lacks, and one that reads none must not have."""
        if self.free and (self.epsilon is not None or self.delta is not None):
            yield InvalidParameter(
                "--epsilon, --delta",
                rule=f"are for methods that read rows: {RANDOM} reads none and spends nothing",
                value=method,
                next_step="Leave them out.",
            )
        if self.free and self.rows is None:
            yield InvalidParameter.missing(
                "--rows",
                where=f"with {RANDOM}: it releases no total",
                next_step="Give the number of rows that you want.",
            )
        if not self.free and self.epsilon is None:
            yield InvalidParameter(
                "--epsilon",
                rule="must be given: what the output may tell about one row",
                value="nothing",
                next_step="Give for example --epsilon 1.",
            )
