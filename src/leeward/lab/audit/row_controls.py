"""Row controls: known-bad releases of rows, by regressions, synthetic tables and homes."""

from dataclasses import replace
from fractions import Fraction

from leeward.core.mechanisms.moments import RADIUS, UNIT, EmployerMoments, Establishments, Moments
from leeward.core.mechanisms.row_choice import RowChoice
from leeward.core.mechanisms.theil_sen import TheilSen
from leeward.core.noise.noise_source import Noise
from leeward.core.noise.scales import Integers
from leeward.core.privacy import Guarantee
from leeward.core.privacy.local_privacy import Local
from leeward.lab.audit.audit_line import EPSILON, Control
from leeward.lab.audit.homes_exam import as_many_as_workers, half_the_prior
from leeward.lab.audit.local_exam import LOCAL_LINES, rounded_up
from leeward.lab.audit.loss import PrivacyLoss
from leeward.lab.audit.neighbours import Depth
from leeward.lab.audit.regression_exam import (
    REPLACEMENT,
    examine_employers,
    examine_medians,
    examine_moments,
)
from leeward.lab.audit.report_exam import MANY_NUMBERS, kept_words
from leeward.lab.audit.row_exam import counts_at, examine_counts, own_margins
from leeward.lab.baselines.dirichlet import NOTICE


def short_rows(depth: Depth) -> PrivacyLoss:
    """Laplace noise for rows of L1 norm 4; one at a corner has 4.5."""
    return examine_moments(replace(Moments.calibrated("1"), radius=Fraction(4)), depth)


def near_rows(depth: Depth) -> PrivacyLoss:
    """Clipped sums with the norm of a row in place of the distance of two."""
    employers = EmployerMoments.calibrated("0.1", "1")
    return examine_employers(replace(employers, diameter=RADIUS), depth)


class CountedSizes(EmployerMoments):
    """Establishments are as large as their rows in the sums; those left out are forgotten."""

    def _release(self, forces: Establishments, noise: Noise) -> tuple[Integers, Integers]:
        return super()._release(replace(forces, sizes=forces.sums[:, 0] // UNIT), noise)


def counted_sizes(depth: Depth) -> PrivacyLoss:
    """Rows left out do not make an establishment larger."""
    employers = EmployerMoments.calibrated("0.1", "1")
    return examine_employers(CountedSizes(**vars(employers)), depth)


def hasty_medians(depth: Depth) -> PrivacyLoss:
    """Medians with weights e^(−rank·ε/2)."""
    medians = TheilSen.calibrated("1")
    return examine_medians(replace(medians, rate=2 * medians.rate), depth)


def half_the_sets(depth: Depth) -> PrivacyLoss:
    """Noise for half of the sets of columns that are counted."""
    counts = counts_at(Guarantee("worker", None, EPSILON))
    return examine_counts(replace(counts, parts=tuple(2 * part for part in counts.parts)), depth)


SYNTHETIC = (
    Control("noise for half of the sets", "row_counts", half_the_sets, "worker"),
    Control(
        "the data's own margins in the score",
        "row_choice",
        lambda _: own_margins(RowChoice(Guarantee("worker", None, EPSILON))),
        "worker",
    ),
)

REGRESSIONS = (
    Control("rows taken for 4 long", "moments", short_rows, "worker"),
    Control("rows taken for 4.5 apart", "employer_moments", near_rows),
    Control("sizes without the rows left out", "employer_moments", counted_sizes),
    Control("a rank for ε/2", "theil_sen", hasty_medians, "worker"),
)

HOMES = (
    Control("half the prior", "dirichlet", half_the_prior, REPLACEMENT, detail=NOTICE),
    Control(
        "as many synthetic homes as workers",
        "dirichlet",
        as_many_as_workers,
        "worker",
        detail=NOTICE,
    ),
)

LOCAL = (
    *(
        Control(
            "p rounded up",
            local_line.mechanism,
            rounded_up(local_line.make),
            Local.name,
            detail=local_line.detail,
        )
        for local_line in {line.mechanism: line for line in LOCAL_LINES}.values()
    ),
    *(
        Control(
            "numbers of 16 bits, none rejected",
            line.mechanism,
            line.from_few_bits,
            Local.name,
            detail=line.detail,
        )
        for line in MANY_NUMBERS
    ),
    Control("whole numbers without rejection", "subset_selection", kept_words, Local.name),
)
