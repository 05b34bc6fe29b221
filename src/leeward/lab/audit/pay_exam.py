"""Exams of pay: counts and payrolls of neighbouring databases, by what the released code asks for.

`examine_pay` is for mechanisms that add noise to cells, `examine_pay_clipped` for clipped sums,
whose index and sums are released one after the other. `by_raises` examines both on raises alone.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
from flint import arb

from leeward.core.codebook import Cells, Entries
from leeward.core.errors import NotCovered
from leeward.core.mechanisms.checked_columns import checked_entries
from leeward.core.mechanisms.parameters import Parameters
from leeward.core.noise.noise_source import Noise
from leeward.core.noise.scales import MOST, Integers
from leeward.core.privacy import Guarantee, Policy
from leeward.core.privacy.steps import RaiseAlpha
from leeward.core.privacy.workforces import Database, changed
from leeward.lab.audit.audit_line import CAP, ONE, UNIT_EMPLOYER, AuditLine, Options, code_line
from leeward.lab.audit.clipped_exam import around, worst_index
from leeward.lab.audit.exams import Exam, examined
from leeward.lab.audit.job_relation import JOB_QUESTIONS
from leeward.lab.audit.loss import PrivacyLoss, worst
from leeward.lab.audit.neighbours import DatabasePair, Depth
from leeward.lab.audit.paid_neighbours import Relation, paid_pairs
from leeward.lab.audit.pair_block import PairBlock, density_bounds, mass_loss, tops
from leeward.lab.audit.pay_code import LOG_CODE, PAY_CLIPPED_CODE, PAY_CODE
from leeward.lab.audit.recording import RecordingNoise, entries
from leeward.lab.audit.row import Grid
from leeward.lab.audit.table_exam import Part, part_loss, step

CLOSELY = 3
"""Number of pairs, in each direction, whose integer masses are computed: those of largest bound."""


class MechanismOfPay(Protocol):
    """What the auditor asks of a mechanism of pay."""

    @property
    def parameters(self) -> Parameters:
        """α, ε and the number of worker cells."""

    @property
    def cap(self) -> int:
        """The public cap of pay."""

    def guarantee(self, policy: Policy | str, *, table: str | None = None) -> Guarantee:
        """What it promises."""


class PayCellMechanism(MechanismOfPay, Protocol):
    """One that adds noise to cells."""

    def _release(self, cells: Cells, noise: Noise) -> Integers:
        """What is released, with given noise."""


class PayEntryMechanism(MechanismOfPay, Protocol):
    """One that clips establishments to a bound."""

    @property
    def bounds(self) -> Any:  # noqa: ANN401 (a mechanism that the clipped exam knows)
        """The mechanism of the noisy maximum; its lattice and headroom are used."""

    def _release(self, entries: Entries, noise: Noise) -> tuple[Integers, Integers]:
        """Pairs and the bound θ of each workplace cell, with given noise."""


Recorder = Callable[[Sequence[Integers]], RecordingNoise]
"""Makes the noise that records; controls spoil what it notes."""


@dataclass(frozen=True)
class Steps:
    """Neighbours with pay that a mechanism is examined on, and how their noise is recorded."""

    relation: Relation
    kinds: tuple[int, ...]
    recorder: Recorder = RecordingNoise
    merged: bool = False
    """Whether each part of an employer is two establishments, which both change."""

    def pairs(self, mechanism: MechanismOfPay, depth: Depth) -> Iterator[list[DatabasePair]]:
        """For each number of kinds of worker."""
        alpha = mechanism.parameters.growth
        for kinds in self.kinds:
            neighbours = paid_pairs(self.relation, alpha, mechanism.cap, kinds, depth)
            yield [pair.merged() if self.merged else pair for pair in neighbours]


def steps_of(mechanism: MechanismOfPay, name: str, *, merged: bool = False) -> Steps:
    """Those of a policy; with workers outside the table where the proof covers a filter."""
    kinds: tuple[int, ...] = (mechanism.parameters.cells,)
    try:
        mechanism.guarantee("strong" if name in JOB_QUESTIONS else name, table="worker_pay")
        kinds += (kinds[0] + 1,)
    except NotCovered:
        pass
    return Steps(examined(mechanism, name), kinds, merged=merged)


def by_steps(examine: Callable[[Any, Steps, Depth], PrivacyLoss], *, merged: bool = False) -> Exam:
    """The exam on the steps of a policy; `merged` by employer."""

    def exam(mechanism: MechanismOfPay, name: str, depth: Depth) -> PrivacyLoss:
        return examine(mechanism, steps_of(mechanism, name, merged=merged), depth)

    return exam


def by_raises(examine: Callable[[Any, Steps, Depth], PrivacyLoss]) -> Exam:
    """The same exam on raises, of which a step of the policies allows any."""

    def exam(mechanism: MechanismOfPay, _: str, depth: Depth) -> PrivacyLoss:
        cells = mechanism.parameters.cells
        return examine(mechanism, Steps(RaiseAlpha(), (cells, cells + 1)), depth)

    return exam


def pay_loss(mechanism: PayCellMechanism, steps: Steps, depth: Depth) -> PrivacyLoss:
    """The worst pair of neighbours: densities on all, integer masses where they differ most."""
    both = list[tuple[Part, Part]]()
    for neighbours in steps.pairs(mechanism, depth):
        databases = [database for pair in neighbours for database in pair.databases]
        released = released_pay(mechanism, databases, steps.recorder)
        both += zip(released[::2], released[1::2], strict=True)
    return largest(both, mechanism.parameters.epsilon)


def released_pay(
    mechanism: PayCellMechanism, databases: Sequence[Database], recorder: Recorder = RecordingNoise
) -> list[Part]:
    """The distribution of what is released of each database, a workplace cell of its own."""
    noise = recorder(())
    mechanism._release(entries(databases, mechanism.parameters.cells).as_cells(), noise)
    alone = [request.rounded(i) for request in noise.requests for i in range(request.true.size)]
    released: list[Part] = [*noise.pair_blocks, *noise.blocks, *alone]
    if len(released) != len(databases):
        raise TypeError("a mechanism of pay is examined by one draw a workplace cell")
    return released


def largest(both: Iterable[tuple[Part, Part]], claimed: Fraction) -> PrivacyLoss:
    """The worst of these pairs; those that agree in distances and scales are examined once."""
    seen = list({step(a, b): (a, b) for a, b in both}.values())
    losses = [part_loss(a, b, claimed) for a, b in seen]
    # Of equal ratios the widest noise shows most: rounding hides least.
    widths = [a.scales[0] if isinstance(a, PairBlock) else Fraction(0) for a, _ in seen]
    near = [seen[i] for i in tops(losses, CLOSELY, widths)]
    closer = [mass_loss(a, b, claimed) for a, b in near
              if isinstance(a, PairBlock) and isinstance(b, PairBlock)]  # fmt: skip
    if not closer:
        return worst(losses)
    masses, bound = worst(closer), worst(losses)
    return PrivacyLoss(masses.forward, masses.backward, bound.delta, bound.bound)


def pay_clipped_loss(mechanism: PayEntryMechanism, steps: Steps, depth: Depth) -> PrivacyLoss:
    """The worst pair of neighbours: index and sums jointly, over the indices that noise may give.

    Establishments that do not change are in the index alone, so pairs that agree in both indices
    and in the change are examined once.
    """
    seen = dict[object, DatabasePair]()
    for neighbours in steps.pairs(mechanism, depth):
        databases = [database for pair in neighbours for database in pair.databases]
        index = _run(mechanism, databases, steps.recorder)[0].requests[0].true.tolist()
        for pair, left, right in zip(neighbours, index[::2], index[1::2], strict=True):
            seen.setdefault((left, right, changed(*pair.databases)), pair)
    return worst(clipped_pair_loss(mechanism, pair, steps.recorder) for pair in seen.values())


def clipped_pair_loss(
    mechanism: PayEntryMechanism, pair: DatabasePair, recorder: Recorder = RecordingNoise
) -> PrivacyLoss:
    """The joint loss: over indices, that of the index plus that of the sums."""
    maxima = (
        int(_run(mechanism, [database], recorder)[0].requests[0].true[0])
        for database in pair.databases
    )
    indices = around(maxima, mechanism.bounds)
    runs = (_run(mechanism, [database], recorder, indices) for database in pair.databases)
    (before, theta), (after, other_theta) = runs

    def sums(i: int) -> PrivacyLoss:
        return PrivacyLoss(*density_bounds(before.pair_blocks[i], after.pair_blocks[i]), arb(0))

    drawn = (before.requests[0], theta), (after.requests[0], other_theta)
    return worst_index(indices, drawn, sums, mechanism.parameters.epsilon)


def _run(
    mechanism: PayEntryMechanism,
    databases: Sequence[Database],
    recorder: Recorder,
    indices: Sequence[int] = (),
) -> tuple[RecordingNoise, Integers]:
    """A release of each database as it is, or of one database once for each index."""
    noise = recorder([np.array(indices)] if indices else ())
    columns = entries(databases, mechanism.parameters.cells, max(1, len(indices)))
    checked = checked_entries(columns, MOST // mechanism.bounds.clipping.lattice)
    return noise, mechanism._release(checked, noise)[1]


# Lines: what is audited of counts and payrolls.

examine_pay, examine_pay_chains = by_steps(pay_loss), by_steps(pay_loss, merged=True)
examine_pay_clipped = by_steps(pay_clipped_loss)

PAY_GRID: Grid = (("0.01", "0.5"), ("0.1", "4"), ("1", "4"))

RAISES = "raises"
STRONG, PROPORTIONAL = ("strong",), ("proportional",)
PayLine = tuple[str, Exam, tuple[str, ...], Options]

PAY: tuple[PayLine, ...] = (
    ("pay_centred", examine_pay, STRONG, ()),
    ("pay_centred_radial", examine_pay, STRONG, ()),
    ("pay_pareto", examine_pay, STRONG + PROPORTIONAL, ()),
    ("pay_radial", examine_pay, STRONG + PROPORTIONAL, ()),
    ("pay_two_scales", examine_pay, PROPORTIONAL, ()),
    ("pay_clipped", examine_pay_clipped, STRONG + PROPORTIONAL, ()),
    ("log_pair", examine_pay, PROPORTIONAL, ()),
    ("payroll_pareto", examine_pay, STRONG, ()),
    ("payroll_pareto", examine_pay, PROPORTIONAL, (("by_payroll", True),)),
    ("payroll_radial", examine_pay, STRONG, ()),
    ("payroll_radial", examine_pay, PROPORTIONAL, (("by_payroll", True),)),
    ("payroll_slope", examine_pay, PROPORTIONAL, ()),
)
"""Mechanisms of pay; the full audit has them at several α and ε, and with a Δ above 1."""

PAY_CELLS: tuple[PayLine, ...] = (
    *(
        (name, examine_pay, STRONG, ())
        for name in ("pay_centred", "pay_centred_radial", "pay_pareto", "pay_radial")
    ),
    *(line for line in PAY if line[0] in ("payroll_pareto", "payroll_radial")),
)

PAY_RAISES: dict[Exam, tuple[str, ...]] = {
    by_raises(pay_loss): ("pay_pareto", "pay_radial", "payroll_pareto", "payroll_radial"),
    by_raises(pay_clipped_loss): ("pay_clipped",),
}
"""Those under which a changed pay is one step whatever the policy."""


def _pay_lines() -> Iterator[AuditLine]:
    for name, exam, policies, options in PAY:
        yield AuditLine(name, exam, policies, options=(CAP, *options), at=ONE)
        several = PAY_GRID[1:] if exam is examine_pay_clipped else PAY_GRID
        yield AuditLine(name, exam, policies, options=(CAP, *options), at=several, deep=True)
        wide = (CAP, *options, ("plus", 3))
        deep = name != "pay_two_scales"
        yield AuditLine(name, exam, policies[-1:], options=wide, at=ONE, deep=deep)
    for name, exam, policies, options in PAY_CELLS:
        both = (CAP, *options, ("cells", 2))
        yield AuditLine(name, exam, policies, options=both, at=ONE, deep=policies != STRONG)
        yield AuditLine(name, exam, policies, options=both, at=PAY_GRID[1:2], deep=True)
    both = (CAP, ("cells", 2))
    yield AuditLine("pay_clipped", examine_pay_clipped, options=both, at=ONE, deep=True)
    for exam, names in PAY_RAISES.items():
        for name in names:
            yield AuditLine(name, exam, options=(CAP,), at=ONE, detail=RAISES)
            yield AuditLine(name, exam, options=(CAP,), at=PAY_GRID[:1], detail=RAISES, deep=True)
    for options, at in (((CAP,), ONE), (both, ONE), ((CAP,), PAY_GRID[:2])):
        deep = at != ONE
        yield AuditLine("edge_pay", examine_pay, ("worker",), options=options, at=at, deep=deep)
    for name, policy_name in (("pay_centred", "strong"), ("pay_two_scales", "proportional")):
        yield AuditLine(
            name, examine_pay_chains, (policy_name,), options=(CAP,), at=ONE, detail=UNIT_EMPLOYER
        )


PAY_LINES = tuple(_pay_lines())

PAY_CODE_LINES = (
    *(
        code_line(name, exam, policy_name, options=(CAP,))
        for name, exam, policy_name in (
            ("pay_centred", PAY_CODE, "strong"),
            ("pay_centred_radial", PAY_CODE, "strong"),
            ("pay_pareto", PAY_CODE, "proportional"),
            ("pay_radial", PAY_CODE, "proportional"),
            ("pay_two_scales", PAY_CODE, "proportional"),
            ("pay_clipped", PAY_CLIPPED_CODE, "strong"),
            ("log_pair", LOG_CODE, "proportional"),
            ("payroll_pareto", PAY_CODE, "strong"),
            ("payroll_radial", PAY_CODE, "strong"),
            ("payroll_slope", PAY_CODE, "proportional"),
            ("edge_pay", PAY_CODE, "worker"),
        )
    ),
    code_line("pay_pareto", PAY_CODE, options=(CAP, ("cells", 2), ("plus", 3)), at=PAY_GRID[1:2]),
)
