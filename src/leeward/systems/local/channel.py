"""Channel: how one answer becomes one report, and how many reports become counts of answers.

All randomness of a channel is a few comparisons "word below T" of 64 random bits and uniform
whole numbers by rejection (`word_draws`); `matrix` states the law that thresholds really have.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields
from fractions import Fraction
from itertools import pairwise
from typing import Any, ClassVar, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leeward.core.errors import InvalidParameter, shown
from leeward.core.exact import whole_number
from leeward.core.mechanisms.checked_columns import whole_numbers
from leeward.core.privacy.local_privacy import LocalEpsilon
from leeward.core.randomness import SecretBits
from leeward.systems.local.word_draws import Answers, Reports, parts

Counts: TypeAlias = NDArray[np.float64]
Matrix: TypeAlias = tuple[tuple[Fraction, ...], ...]

MOST_ANSWERS = 1 << 40
MOST_IN_MATRIX = 16
CHOICES = 16
"""Random choices of a client whose report is one number, about."""


class Channel(Protocol):
    """One mechanism of local privacy for one question: frozen, valid at birth."""

    name: ClassVar[str]

    @property
    def domain(self) -> int:
        """The number of answers, which are 0, 1, …, domain − 1."""

    @property
    def epsilon(self) -> LocalEpsilon:
        """The loss of one report."""

    def encode(self, answers: ArrayLike, bits: SecretBits) -> Reports:
        """One report for each client."""

    def counts(self, reports: Reports) -> Counts:
        """Unbiased estimates of how many clients have each answer."""

    def variance(self, n: float, f: float, squares: float = 0.0) -> float:
        """Of the estimate for an answer that f of n clients have.

        `squares` is the sum of the squared counts of the other answers: only where answers share
        a counter (cohorts of hashing, sketch) does it matter.
        """

    def variances(self, reports: Reports, counts: Counts) -> Counts:
        """Of the estimates from these reports, each at the estimate itself."""

    def variance_range(self, n: int, counts: Counts) -> tuple[Counts, Counts]:
        """The least and the largest variances that n reports with these estimates can have."""

    @property
    def most_moved(self) -> float:
        """By how much one false report can move a count."""

    def matrix(self) -> Matrix:
        """P(report | answer), exactly: a row for each of at most 16 answers."""

    def public(self) -> dict[str, Any]:
        """What another program needs to draw the same law; whole numbers as text."""

    def as_json(self, report: Reports) -> int | list[int]:
        """One report as it is sent."""

    def from_json(self, value: object) -> Reports:
        """One report as it was sent, refused where no client can have made it."""


@dataclass(frozen=True, slots=True)
class Support:
    """An answer is supported by its own clients' reports with chance p, by others' with q.

    Wang, Blocki, Li and Jha 2017 call such a protocol pure: a count of supporting reports C
    estimates f by (C − nq)/(p − q).
    """

    p: Fraction
    q: Fraction

    @property
    def gap(self) -> float:
        """p − q."""
        return float(self.p - self.q)

    def estimates(self, supporting: NDArray[np.number], n: int) -> Counts:
        """The estimated counts of answers."""
        counts: Counts = (supporting.astype(np.float64) - n * float(self.q)) / self.gap
        return counts

    @property
    def rare(self) -> Fraction:
        """The variance for an answer that nobody has, over the number of clients."""
        return self.q * (1 - self.q) / (self.p - self.q) ** 2

    def variance(self, n: float, f: float) -> float:
        """n·q(1−q)/(p−q)² + f(1−p−q)/(p−q)."""
        return n * float(self.rare) + f * float((1 - self.p - self.q) / (self.p - self.q))

    @property
    def most_moved(self) -> float:
        """1/(p−q): a report that supports an answer in place of one that does not."""
        return 1 / self.gap


class Supported:
    """A channel whose reports support answers: error and influence follow from p and q."""

    @property
    def support(self) -> Support:
        """The chances p and q."""
        raise NotImplementedError

    def variance(self, n: float, f: float, squares: float = 0.0) -> float:
        """Of the estimate for an answer that f of n clients have; `squares` is not used."""
        return self.support.variance(n, f)

    @property
    def most_moved(self) -> float:
        """By how much one false report can move a count."""
        return self.support.most_moved


def at_estimates(
    variance: Callable[[float, float, float], float], n: int, counts: Counts
) -> Counts:
    """A variance that is linear in f and in the squares, at estimates between 0 and n."""
    inside = np.clip(counts, 0, n)
    none = variance(n, 0.0, 0.0)
    slope, of_squares = variance(n, 1.0, 0.0) - none, variance(n, 0.0, 1.0) - none
    variances: Counts = none + slope * inside + of_squares * (inside @ inside - inside**2)
    return variances


@dataclass(frozen=True)
class ChannelDesign:
    """What every channel has: the number of its answers, the loss of a report, and its numbers.

    The numbers come after these two: sizes, and the threshold of a chance over 2^64.
    """

    name: ClassVar[str]

    domain: int
    epsilon: LocalEpsilon

    def read(self, answers: ArrayLike) -> Answers:
        """One answer for each client, as numbers from 0."""
        return read_answers(answers, self.domain)

    @property
    def few(self) -> range:
        """The answers of a channel whose law can be written out."""
        if self.domain > MOST_IN_MATRIX:
            raise InvalidParameter(
                "domain",
                rule=f"must be at most {MOST_IN_MATRIX} for the law of every report",
                value=self.domain,
                next_step="Ask for the matrix of a channel with fewer answers and the same "
                "epsilon.",
            )
        return range(self.domain)

    def variance(self, n: float, f: float, squares: float = 0.0) -> float:
        """Of the estimate for an answer that f of n clients have."""
        raise NotImplementedError

    def variances(self, reports: Reports, counts: Counts) -> Counts:
        """Of the estimates from these reports, each at the estimate itself."""
        return at_estimates(self.variance, len(reports), counts)

    def variance_range(self, n: int, counts: Counts) -> tuple[Counts, Counts]:
        """They follow from the estimates."""
        estimates = at_estimates(self.variance, n, counts)
        return estimates, estimates

    def public(self) -> dict[str, Any]:
        """What a browser needs, beside a public hash."""
        numbers = {field.name: str(getattr(self, field.name)) for field in fields(self)}
        return {"kind": self.name} | {
            key: text for key, text in numbers.items() if key != "epsilon"
        }


class OneNumber:
    """A channel whose report is one whole number below `outputs`."""

    domain: int

    @property
    def outputs(self) -> int:
        """The number of reports that there are."""
        raise NotImplementedError

    def _draw(self, own: Answers, bits: SecretBits) -> Answers:
        """The reports of some clients."""
        raise NotImplementedError

    def encode(self, answers: ArrayLike, bits: SecretBits) -> Reports:
        """One number for each client."""
        own = read_answers(answers, self.domain)
        reports = np.empty(len(own), dtype=np.uint64)
        for part in parts(len(own), CHOICES):
            reports[part] = self._draw(own[part], bits)
        return reports

    def as_json(self, report: Reports) -> int:
        """One report as it is sent."""
        return int(report)

    def from_json(self, value: object) -> Reports:
        """One report as it was sent, refused where no client can have made it."""
        return np.array(read_whole(value, self.outputs), dtype=np.uint64)


def read_answers(answers: ArrayLike, domain: int) -> Answers:
    """One answer for each client, as numbers from 0; a refusal shows none of them."""
    column = whole_numbers(answers, "answers", domain - 1)
    if column.ndim != 1:
        raise InvalidParameter(
            "answers",
            rule="must be one column",
            value=f"an array of {column.ndim} dimensions",
            next_step="Give one answer for each client.",
        )
    return column


def read_domain(domain: int, most: int = MOST_ANSWERS) -> int:
    """The number of answers."""
    if not whole_number(domain) or not 2 <= domain <= most:
        raise InvalidParameter(
            "domain",
            rule=f"must be a whole number of answers from 2 to {most}",
            value=shown(domain),
            next_step="Give the number of answers that a person can choose from.",
        )
    return int(domain)


def read_whole(value: object, bound: int) -> int:
    """A report that is one whole number below `bound`."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < bound:
        raise refused_report(f"must be a whole number from 0 to {bound - 1}", value)
    return value


def read_rising(value: object, bound: int) -> list[int]:
    """A report that is a list of whole numbers below `bound`, each above the one before."""
    if not isinstance(value, list):
        raise refused_report("must be a list of whole numbers", value)
    numbers = [read_whole(number, bound) for number in value]
    if any(left >= right for left, right in pairwise(numbers)):
        raise refused_report("must have its numbers in rising order, each once", value)
    return numbers


def refused_report(rule: str, value: object) -> InvalidParameter:
    """A report that no client of this survey can have made."""
    return InvalidParameter(
        "report",
        rule=rule,
        value=shown(value),
        next_step="Take the report out, or look for the survey that it belongs to.",
    )
