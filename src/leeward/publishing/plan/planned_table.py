"""Planned table: a table of a plan with the mechanism that will release it, and its price."""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from leeward.core.codebook import Attribute, Codebook, Dimension, JobsRule, Marginal, most_rows
from leeward.core.codebook.size_profile import SizeProfile
from leeward.core.errors import InvalidParameter, NotCovered, shown
from leeward.core.mechanisms.choice import choose
from leeward.core.mechanisms.measurement import Measurement
from leeward.core.mechanisms.parameters import AUTO
from leeward.core.mechanisms.table_measurement import named
from leeward.core.privacy import Guarantee, Person, Policy
from leeward.core.privacy.loss_curve import CurvePoint, loss_curve
from leeward.core.privacy.public_parts import Kept, PricedTables, PublicParts, separating
from leeward.core.show.numbers import crossed
from leeward.publishing.plan.reading import read_margins
from leeward.publishing.plan.request import WrittenTable, as_list
from leeward.publishing.plan.sql import by_hand
from leeward.publishing.plan.table_reading import read_marginal

NEARLY = Fraction(1, 10**6)
"""A table whose floor was found for a cap is charged the cap: what it costs is less by this."""


@dataclass(frozen=True)
class PlannedTable:
    """A table with the mechanism that will release it."""

    marginal: Marginal
    written: WrittenTable
    measurement: Measurement
    charge: Guarantee
    why: str
    person_rows: int | None = None
    """Under the person policy, how many rows of one person it counts at most."""

    @classmethod
    def priced(
        cls,
        marginal: Marginal,
        written: WrittenTable,
        made: tuple[Measurement, str],
        part: Guarantee,
        person_rows: int | None,
    ) -> "PlannedTable":
        """A table with what its measurement costs; `part` is its part of the budget, for a row."""
        measurement, why = made
        cost = measurement.guarantee(part.policy, table=marginal.kind)
        charge = replace(cost, reading=part.reading)
        if part.has_job_losses and charge.epsilon_job > part.epsilon_job:
            raise InvalidParameter(
                "epsilon_job",
                rule=f"must be at least {shown(charge.epsilon_job)}, what one job costs in table "
                f"{marginal.name} by {measurement.name}",
                value=shown(part.epsilon_job),
                next_step="Leave mechanism out for auto, or raise protect.epsilon_job or the "
                "table's share.",
            )
        if part.has_job_losses and charge.epsilon_job > part.epsilon_job * (1 - NEARLY):
            charge = charge.with_job(part.epsilon_job, charge.rho_job)  # a number of few digits
        charge = charge if person_rows is None else charge.for_person(person_rows)
        return cls(marginal, written, measurement, charge, why, person_rows)

    @property
    def name(self) -> str:
        """The table's name, which is its file's name."""
        return self.marginal.name


def kept_codes(written: WrittenTable, attributes: Container[str]) -> Kept:
    """The codes that a table keeps of these attributes, whether it is by them or not."""
    return {
        name: frozenset(as_list(codes))
        for name, codes in written.where.items()
        if name in attributes
    }


def parts_of(policy: Policy, tables: Iterable[WrittenTable], codebook: Codebook) -> PublicParts:
    """The public parts of tables, by all attributes of the codebook that separate them."""
    homes, known = separating(policy), codebook.attributes.items()
    apart = {name for name, attribute in known if attribute.table in homes}
    return PublicParts.of(policy, [kept_codes(written, apart) for written in tables])


def priced_tables(
    policy: Policy, tables: Sequence[PlannedTable], codebook: Codebook
) -> PricedTables:
    """Tables of a plan with what they cost together."""
    parts = parts_of(policy, [table.written for table in tables], codebook)
    charges = tuple(table.charge for table in tables)
    return PricedTables(parts, tuple(table.name for table in tables), charges)


def shown_by(marginal: Marginal) -> str:
    """The attributes of a table, or of each table of a product, for a person."""
    parts = (crossed(one.name for one in part.worker) for part in marginal.breakdowns)
    broken = ", ".join(parts)
    by = crossed(dimension.name for dimension in marginal.dimensions)
    return f"{by}, broken down by {broken}" if broken else by


@dataclass(frozen=True)
class Context:
    """What all tables of a plan have in common; None is what could not be read."""

    codebook: Codebook | None
    asked: Guarantee | None
    profile: SizeProfile
    jobs: JobsRule | None
    per: Attribute | None = None
    """The attribute that the jobs rule names."""

    part: Dimension | None = None
    """The part of the frame that all tables read."""

    @staticmethod
    def read_part(written: Mapping[str, str] | None, codebook: Codebook | None) -> Dimension | None:
        """The part of the frame that a plan reads: one code of a public attribute of workplaces."""
        if written is None or codebook is None:
            return None
        name, code = next(iter(written.items()), ("", ""))
        attribute = codebook.attribute(name, "part") if name else None
        if len(written) != 1 or attribute is None or not attribute.of_workplaces:
            raise InvalidParameter(
                "part",
                rule="must name one public attribute of workplaces with one code",
                value=shown(", ".join(written)) if written else "nothing",
                next_step='Write such as part: {state: "44"}, or leave it out to read all of the '
                "frame.",
            )
        if code not in attribute.codes:
            raise InvalidParameter(
                f"part.{name}",
                rule="must be a code of the codebook",
                value=shown(code),
                next_step=f"Its codes begin {', '.join(attribute.codes[:5])}.",
            )
        return Dimension.keeping(attribute, (code,))

    def table(self, written: WrittenTable, share: Fraction) -> PlannedTable | None:
        """A table with a mechanism for its share of the budget."""
        margins = read_margins(written.margins)
        if self.codebook is None:
            return None
        written = written if written.sql is None else by_hand(written, self.codebook)
        marginal = read_marginal(written, self.codebook)
        if self.part is not None:
            marginal = within_part(self.part, marginal, written)
        if self.asked is None:
            return None
        rows = None
        if self.asked.policy.name == Person.name:
            # The mechanism hides each row of a person at that part of the share, and the person
            # pays the share. A plan without a limit is refused as a whole.
            rows = (None if self.jobs is None else most_rows(self.jobs, marginal, self.per)) or 1
        part = part_of(self.asked, share, rows)
        if written.mechanism == AUTO:
            made = choose(marginal, part, margins, self.profile)
        else:
            made = named(written.mechanism, marginal, part, margins), "named in the plan"
        if written.bins is not None and part.policy.name == "weak" and made[0].by_cell:
            # Noise of each cell by itself hides kinds of workers, which are cells of the codebook.
            raise NotCovered(
                "bins",
                rule=f"must be left out of a table by {made[0].name} under the weak policy, which "
                "protects kinds of workers by the classes of the codebook",
                value="given",
                next_step="Declare these classes in the codebook, use clipped or vector_pareto, or "
                "write policy: strong.",
            )
        return PlannedTable.priced(marginal, written, made, part, rows)


def curve_of(charge: Guarantee, tables: Iterable[PlannedTable]) -> tuple[CurvePoint, ...]:
    """The loss curve of tables that cost this together: their losses add up."""
    listed = tuple(tables)

    def between(small: int, large: int) -> Fraction:
        lost = (table.measurement.loss(small, large) for table in listed)
        return sum(lost, Fraction(0))

    return loss_curve(charge, between)


def within_part(part: Dimension, marginal: Marginal, written: WrittenTable) -> Marginal:
    """A table of the part of the frame that the plan reads."""
    if part.name in written.where:
        raise InvalidParameter(
            f"where.{part.name}",
            rule="must be left out beside part, which keeps one code in all tables",
            value=", ".join(as_list(written.where[part.name])),
            next_step="Leave it out, or leave part out of the plan.",
        )
    return marginal.within(part)


def part_of(asked: Guarantee, share: Fraction, person_rows: int | None) -> Guarantee:
    """The budget of a table; under the person policy that of each of a person's rows in it."""
    part = asked.share(share)
    return part if person_rows is None else part.for_each_row(person_rows)
