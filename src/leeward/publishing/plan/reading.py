"""Reading: the numbers and rules of a plan, from what people write to exact values."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from typing import TypeVar

from leeward.core.codebook import (
    COUNT,
    LEFT_OUT,
    STATISTICS,
    Attribute,
    BoundedJobs,
    Breakdown,
    Classes,
    Codebook,
    Dimension,
    EveryJob,
    Flows,
    Gains,
    JobsRule,
    Marginal,
    Pay,
    Percentiles,
    PrimaryJob,
    SingleJob,
    Statistic,
)
from leeward.core.codebook.flow_classes import FLOW_CODES
from leeward.core.codebook.statistic import MOST_JOBS, MOST_PAY, OF_CLASSES, OF_FLOWS
from leeward.core.codebook.totals import families
from leeward.core.errors import InvalidParameter, LeewardError, Problems, nearest, raise_all, shown
from leeward.core.exact import positive, rational
from leeward.core.mechanisms.choice import AUTO, Share
from leeward.core.mechanisms.parameters import MOST_CELLS
from leeward.core.privacy import Guarantee, Person
from leeward.core.privacy.local_privacy import NOT_OF_PLANS, Local
from leeward.core.privacy.policy import POLICIES, Policy, with_plus, with_unit
from leeward.publishing.plan.bins import read_classes, read_percentiles
from leeward.publishing.plan.request import ALL, WrittenJobs, WrittenProtection, WrittenTable

OFFERED = ("strong", "weak", "worker", "person", "proportional")
"""Policies of plans: no table that is of use protects whole establishments."""

MOST_JOBS_PER_WORKER = 1000
MOST_PER_TEXTS = 1000
"""Maximum number of texts that the codebook lists for the attribute `jobs.per`."""

LONGEST_COLUMN = 200
"""Maximum length of a column name in characters; a certificate holds as many."""


def read_number(written: str, parameter: str) -> Fraction:
    """A number as people write it in a plan, exactly; the advice is for them."""
    try:
        return rational(written, parameter)
    except InvalidParameter:
        comma = "Write a decimal point in place of the comma."
        raise InvalidParameter(
            parameter,
            rule="must be a number such as 4, 0.1 or 1/10",
            value=shown(written) if written else "nothing",
            next_step=comma if "," in written else "Write it in plain digits.",
        ) from None


def read_protection(written: WrittenProtection) -> Guarantee:
    """The promise of the whole plan."""
    asked = _policy(written.policy)
    alpha = None if written.alpha is None else read_number(written.alpha, "alpha")
    if asked.uses_alpha and alpha is None:
        raise InvalidParameter(
            "alpha",
            rule=f"must be given under the {asked.name} policy",
            value="nothing",
            next_step="Give the protected growth of an establishment, such as 0.1.",
        )
    asked = asked if written.plus is None else with_plus(asked, read_number(written.plus, "plus"))
    asked = with_unit(asked, written.unit)
    if (written.epsilon is None) == (written.rho is None):
        raise InvalidParameter(
            "epsilon",
            rule="must be given, or rho in its place",
            value="neither" if written.epsilon is None else "both",
            next_step="Write epsilon: 4, or rho: 0.2 with delta: 1e-9, at which rho is read.",
        )
    delta = read_number(written.delta, "delta")
    if written.rho is not None:
        rho = positive(read_number(written.rho, "rho"), "rho")
        return Guarantee(asked, alpha, 0, rho=rho, reading=_reading(delta))
    epsilon = positive(read_number(written.epsilon or "", "epsilon"), "epsilon")
    return Guarantee(asked, alpha, epsilon, delta)


def _reading(delta: Fraction) -> Fraction:
    """The δ at which ρ is told as an ε: nothing is spent of it, and none is left out."""
    if not 0 < delta < 1:
        raise InvalidParameter(
            "delta",
            rule="must be above 0 and below 1 beside rho: it is where rho is read as an epsilon",
            value=shown(delta),
            next_step="Give a small probability, such as 1e-9. The tables spend none of it.",
        )
    return delta


def _policy(written: str) -> Policy:
    """The policy of this name; to whoever writes another, those of plans are offered."""
    if written in POLICIES:
        return POLICIES[written]
    near = nearest(written, OFFERED)
    hint = f"Did you mean {near!r}?" if near else "Write one of these names."
    raise InvalidParameter(
        "policy",
        rule=f"must be one of {', '.join(OFFERED)} (of an account also establishment)",
        value=shown(written),
        next_step=NOT_OF_PLANS if written == Local.name else hint,
    )


def read_rows(written: str | None) -> bool:
    """Whether wrong rows of workers and jobs refuse a release, instead of falling under a rule."""
    if written not in (None, "strict"):
        raise InvalidParameter(
            "rows",
            rule="must be strict, or left out",
            value=shown(written),
            next_step="Leave it out: every row then falls under a rule, and none refuses a "
            "release.",
        )
    return written == "strict"


def read_jobs(written: WrittenJobs | None, *, strict: bool = False) -> JobsRule:
    """The rule for workers with several jobs."""
    if written is None:
        return SingleJob() if strict else EveryJob()
    if (written.primary is None) == (written.max_per_worker is None):
        raise InvalidParameter(
            "jobs",
            rule="must be either {primary: column} or {max_per_worker: number}",
            value="neither" if written.primary is None else "both",
            next_step="Leave jobs out if every worker holds one job.",
        )
    if written.primary is not None and written.per is not None:
        raise InvalidParameter(
            "jobs.per",
            rule="must stand beside max_per_worker: it says under which codes that many jobs count",
            value=shown(written.per),
            next_step="Leave it out, or write jobs: {max_per_worker: 1, per: ATTRIBUTE}.",
        )
    if written.primary is not None:
        return PrimaryJob(_column(written.primary))
    most = read_number(written.max_per_worker or "", "jobs.max_per_worker")
    if most.denominator != 1 or not 1 <= most <= MOST_JOBS_PER_WORKER:
        raise InvalidParameter(
            "jobs.max_per_worker",
            rule=f"must be a whole number from 1 to {MOST_JOBS_PER_WORKER}",
            value=shown(most),
            next_step="A worker's loss is this number times epsilon, or its square times rho: keep "
            "it small.",
        )
    return BoundedJobs(int(most), written.per)


def read_per(rule: JobsRule, codebook: Codebook) -> Attribute | None:
    """The attribute under each code of which a number of jobs counts; None without one.

    Rows without a listed code must count nowhere: where several kinds of texts become one code, a
    database might take some of them for another text than the limit does.
    """
    if not isinstance(rule, BoundedJobs) or rule.per is None:
        return None
    found = codebook.attribute(rule.per, "jobs.per")
    problem = {
        "an attribute of jobs": found.table == "jobs",
        f"an attribute of at most {MOST_PER_TEXTS} listed texts": (
            len(found.recode) <= MOST_PER_TEXTS
        ),
        "an attribute without other and null_as: a row without a listed code counts nowhere": (
            {found.unlisted, found.missing} <= {None, LEFT_OUT}
        ),
    }
    for rule_words, holds in problem.items():
        if not holds:
            raise InvalidParameter(
                "jobs.per",
                rule=f"must name {rule_words}",
                value=shown(rule.per),
                next_step="Declare such an attribute in the codebook, for instance the years of "
                "the jobs, and name it here.",
            )
    return found


def require_limit(policy: Policy, rule: JobsRule) -> None:
    """A person is protected whose rows are limited; `per` limits them for this policy alone."""
    per = rule.per if isinstance(rule, BoundedJobs) else None
    if policy.name == Person.name and isinstance(rule, EveryJob):
        raise InvalidParameter(
            "jobs",
            rule="must be given under the person policy: of a person with any number of rows "
            "nothing can be hidden",
            value="nothing",
            next_step="Write jobs: {max_per_worker: 1, per: ATTRIBUTE}, with the attribute of jobs "
            "that tells periods apart, or jobs: {primary: COLUMN}.",
        )
    if policy.name != Person.name and per is not None:
        raise InvalidParameter(
            "jobs.per",
            rule=f"has no meaning under the {policy.name} policy, which protects single jobs",
            value=shown(per),
            next_step="Leave per out, or write policy: person.",
        )


def _column(name: str) -> str:
    if not 1 <= len(name) <= LONGEST_COLUMN or not name.isprintable():
        raise InvalidParameter(
            "jobs.primary",
            rule="must name the column of the jobs table whose largest value is the primary job",
            value=shown(name) if name else "nothing",
            next_step="Write a column such as earnings.",
        )
    return name


def read_margins(written: str | None) -> Share:
    """The share of a table's budget that pays for margins, 0 for free ones; None: no margins."""
    if written is None:
        return AUTO
    if written in ("none", "free"):
        return None if written == "none" else Fraction(0)
    try:
        share = rational(written, "margins")
    except InvalidParameter:
        share = Fraction(0)  # what is no number is no share either
    if not 0 < share < 1:
        raise InvalidParameter(
            "margins",
            rule="must be none, free, or the share of the table's budget that pays for margins, "
            "between 0 and 1",
            value=shown(written),
            next_step="Leave it out: a share is then chosen.",
        )
    return share


def read_shares(tables: list[WrittenTable]) -> tuple[Fraction, ...]:
    """The shares of the budget: as written, or equal if none is."""
    if all(table.share is None for table in tables):
        return (Fraction(1, len(tables)),) * len(tables)
    for number, table in enumerate(tables):
        if table.share is None:
            raise InvalidParameter(
                f"tables[{number}].share",
                rule="must be given for all tables or for none (then they are equal)",
                value="nothing",
                next_step="Add it.",
            )
    shares = tuple(_share(table, f"tables[{n}].share") for n, table in enumerate(tables))
    if sum(shares) > 1:
        raise InvalidParameter(
            "tables.share",
            rule="must add up to at most 1",
            value=shown(sum(shares, Fraction(0))),
            next_step="Lower some shares.",
        )
    return shares


def _share(table: WrittenTable, parameter: str) -> Fraction:
    return positive(read_number(table.share or "", parameter), parameter)


Value = TypeVar("Value")

PROTECT = ("policy", "alpha", "plus", "unit", "epsilon", "rho", "delta")
"""What a table is refused for although it stands elsewhere in the plan."""


class Gathering:
    """Tries one thing after another and keeps what was refused."""

    def __init__(self, known: Iterable[LeewardError] = ()) -> None:
        self.problems: list[LeewardError] = list(known)

    def attempt(self, make: Callable[[], Value], within: str = "") -> Value | None:
        """The value, or None if it was refused; `within` says where in the plan it stands."""
        try:
            return make()
        except Problems as several:
            self._keep(several.problems, within)
        except LeewardError as problem:
            self._keep((problem,), within)
        return None

    def _keep(self, problems: Iterable[LeewardError], within: str) -> None:
        """What all tables have in common is told once."""
        told = {str(problem) for problem in self.problems}
        placed = (inside(problem, within) for problem in problems)
        self.problems.extend(problem for problem in placed if str(problem) not in told)


def inside(problem: LeewardError, within: str) -> LeewardError:
    """The same refusal with its place in the plan before the parameter's name.

    One of the codebook has its place already.
    """
    if not within or problem.parameter.startswith("codebook."):
        return problem
    place = "protect" if problem.parameter in PROTECT else within
    return type(problem)(
        f"{place}.{problem.parameter}",
        rule=problem.rule,
        value=problem.value,
        next_step=problem.next_step,
    )


MOST_WORKPLACE_CELLS = 2**40
MOST_COMPLETE_ROWS = 10**9
MOST_COMPLETE_TOTALS = 10**8
MOST_TOTALS = 6
"""Maximum number of attributes with totals."""

MOST_DRAWN_TOTALS = 1 << 15
"""Maximum number of totals whose draws are in memory together, 8,000 bytes each."""


def read_marginal(written: WrittenTable, codebook: Codebook) -> Marginal:
    """Look up the attributes and codes; refuses the undeclared, the private and the unlisted."""
    found = Gathering()
    found.problems.extend((*_shape_problems(written), *_breakdown_problems(written)))
    broken = _breakdowns(written, codebook, found)
    statistic = found.attempt(lambda: _statistic(written, codebook)) or COUNT
    found.problems.extend(_only_counts(written, statistic))
    by = _attributes(written.by, "by", codebook, found)
    where = _attributes(list(written.where), "where", codebook, found)
    kept = {
        name: found.attempt(lambda name=name: _kept(where[name], written.where[name]))  # type: ignore[misc]
        for name in where
    }
    raise_all(found.problems)
    dimensions = [Dimension(one, kept.get(one.name) or _all(one)) for one in by.values()]
    if isinstance(statistic, Classes | Percentiles):
        dimensions.append(Dimension(statistic.of, _all(statistic.of)))
    if isinstance(statistic, Flows | Gains):
        dimensions.append(Dimension(statistic.of, _kept(statistic.of, [*statistic.tabulated])))
    marginal = Marginal(
        written.name,
        workplace=tuple(d for d in dimensions if d.attribute.of_workplaces),
        worker=tuple(d for d in dimensions if not d.attribute.of_workplaces),
        filters=tuple(
            Dimension(one, kept[name] or ()) for name, one in where.items() if name not in by
        ),
        complete=written.complete,
        statistic=statistic,
        establishments=written.establishments,
        totals=_totals(written, by),
        breakdowns=broken,
    )
    raise_all((*_too_large(marginal), *_total_problems(marginal, margins=written.margins)))
    return marginal


def _statistic(written: WrittenTable, codebook: Codebook) -> Statistic:
    """What a table publishes, and of which numeric column."""
    name = written.statistic
    if name not in STATISTICS:
        raise InvalidParameter(
            "statistic",
            rule=f"must be one of {', '.join(STATISTICS)}",
            value=shown(name),
            next_step="Leave it out to count jobs.",
        )
    if name == COUNT.name:
        _without("of", written.of, name)
    if name not in OF_CLASSES:
        _without("bins", written.bins, name)
    if name != Percentiles.name:
        _without("at", written.at, name)
    if name == COUNT.name:
        return COUNT
    if name in OF_FLOWS:
        flow = _flow(written, codebook)
        raise_all(_class_problems(written, flow))
        return Flows(flow) if name == Flows.name else Gains(flow)
    of = _numeric(written, codebook)
    if name in OF_CLASSES:
        raise_all(_class_problems(written, of))
        return (read_classes if name == Classes.name else read_percentiles)(written, of)
    _require_cap(of)
    return Pay("mean" if name == "mean" else "payroll", of)


def _class_problems(written: WrittenTable, of: Attribute) -> Iterator[LeewardError]:
    """What cannot stand beside classes of a column, and beside percentiles of it."""
    for key, names in {"by": written.by, "where": written.where}.items():
        if of.name in names:
            yield InvalidParameter(
                key,
                rule=f"must not name the column of which {written.statistic} are published",
                value=shown(of.name),
                next_step=f"Leave it out of {key}: its classes are in the table already.",
            )
    if written.statistic == Percentiles.name and written.complete:
        yield InvalidParameter(
            "complete",
            rule="must be left out of a table of percentiles: there is none without a job",
            value="true",
            next_step="Leave complete out.",
        )


def _only_counts(written: WrittenTable, statistic: Statistic) -> Iterator[LeewardError]:
    """What tables of counts alone may have: pay of several cells does not add up."""
    if statistic.counts:
        return
    asked = {"totals": written.totals, "breakdowns": written.breakdowns}
    for key, given in asked.items():
        if given:
            yield InvalidParameter(
                key,
                rule=f"must be left out of a table whose statistic is {statistic.name}",
                value=shown(given),
                next_step=f"Leave {key} out, or give the coarser numbers a table of their own.",
            )


def _without(key: str, given: object, statistic: str) -> None:
    if given is not None:
        raise InvalidParameter(
            key,
            rule=f"must be left out of a table whose statistic is {statistic}",
            value=shown(given),
            next_step=f"Leave {key} out, or write another statistic.",
        )


def _numeric(written: WrittenTable, codebook: Codebook) -> Attribute:
    """The numeric column that a statistic is of."""
    listed = {one.name: one for one in codebook.numeric if one.origin is None}
    one = listed.get(written.of or "")
    if one is None or one.numbers is None or one.of_workplaces:
        offered = ", ".join(name for name, held in listed.items() if not held.of_workplaces)
        raise InvalidParameter(
            "of",
            rule=f"must name a numeric column of workers or jobs for statistic {written.statistic}",
            value="nothing" if written.of is None else shown(written.of),
            next_step=f"Write one of {offered}."
            if offered
            else "Declare the column in the "
            "codebook with type: integer, unit, cap, cap_from and classes.",
        )
    return one


def _flow(written: WrittenTable, codebook: Codebook) -> Attribute:
    """The attribute that says whether a job was paid in the quarters before and after."""
    one = None if written.of is None else codebook.attribute(written.of, "of")
    if one is None or one.of_workplaces or {*one.codes} != {*FLOW_CODES}:
        raise InvalidParameter(
            "of",
            rule=f"must name an attribute of jobs with the codes {', '.join(FLOW_CODES)} for "
            f"statistic {written.statistic}: paid in the quarter before, paid in the one after",
            value="nothing" if written.of is None else shown(written.of),
            next_step='Declare flow: {table: jobs, codes: ["11", "10", "01", "00"]} in the '
            "codebook and write of: flow. `leeward jobs` makes the column from wage records.",
        )
    return one


def _require_cap(one: Attribute) -> None:
    """Pay is counted from 0 up to a public cap that says where it comes from."""
    if one.numbers is None:
        raise TypeError(f"{one.name} is no numeric column")
    if one.numbers.low < 0:
        raise InvalidParameter(
            "of",
            rule="must name a column whose low is 0 or more: pay below 0 has no proof",
            value=f"{shown(one.name)} from {one.numbers.low}",
            next_step=f"Write low: 0 for {one.name} in the codebook.",
        )
    if one.numbers.cap > MOST_PAY:
        raise InvalidParameter(
            "of",
            rule=f"must name a column whose cap is at most {MOST_PAY}: the pay of {MOST_JOBS} jobs "
            "must fit into 64 bits",
            value=f"{shown(one.name)} with cap {one.numbers.cap}",
            next_step=f"Write a lower cap for {one.name}, or give the column in a larger unit.",
        )
    if not one.numbers.cap_from:
        raise InvalidParameter(
            "of",
            rule="must name a column whose cap_from says where its public cap comes from",
            value=f"{shown(one.name)} with cap {one.numbers.cap}",
            next_step=f"Write cap_from for {one.name} in the codebook. A cap that was computed "
            "from these data is not public.",
        )


def _breakdown_problems(written: WrittenTable) -> Iterator[LeewardError]:
    """What cannot stand beside breakdowns."""
    if not written.breakdowns:
        return
    for key, given in {
        "where": written.where,
        "statistic": written.statistic != COUNT.name,
        "totals": written.totals is not None,
    }.items():
        if given:
            yield InvalidParameter(
                key,
                rule="must be left out beside breakdowns: all jobs of a workplace cell are counted",
                value="given",
                next_step=f"Leave {key} out, or write a table of its own.",
            )


def _breakdowns(
    written: WrittenTable, codebook: Codebook, found: Gathering
) -> tuple[Breakdown, ...]:
    """The tables of a product; each attribute is of workers or jobs, and `by` of workplaces."""
    if not written.breakdowns:
        return ()
    names = [[one] if isinstance(one, str) else one for one in written.breakdowns]
    for name in written.by:
        found.attempt(lambda name=name: _of_workplaces(codebook, name))  # type: ignore[misc]
    parts = []
    for listed in names:
        kinds = _attributes(listed, "breakdowns", codebook, found)
        for one in kinds.values():
            found.attempt(lambda one=one: _of_workers(one))  # type: ignore[misc]
        parts.append(Breakdown(tuple(Dimension(one, _all(one)) for one in kinds.values())))
        if not listed or len(set(listed)) < len(listed):
            found.problems.append(_repeated(", ".join(listed) or "no attribute"))
    labels = [one.name for one in parts]
    repeated = {one for one in labels if labels.count(one) > 1}
    found.problems.extend(_repeated(one) for one in sorted(repeated))
    return tuple(parts)


def _of_workplaces(codebook: Codebook, name: str) -> None:
    one = codebook.attributes.get(name)
    if one is not None and not one.of_workplaces:
        raise InvalidParameter(
            "by",
            rule="must name attributes of workplaces alone beside breakdowns",
            value=shown(name),
            next_step=f"Move {name} to breakdowns.",
        )


def _of_workers(attribute: Attribute) -> None:
    if attribute.of_workplaces:
        raise InvalidParameter(
            "breakdowns",
            rule="must name attributes of workers or jobs",
            value=shown(attribute.name),
            next_step=f"Move {attribute.name} to by.",
        )


def _repeated(value: str) -> InvalidParameter:
    return InvalidParameter(
        "breakdowns",
        rule="must name each table once, by attributes that differ",
        value=value,
        next_step="List each attribute once; write [a, b] for a table of two attributes crossed.",
    )


def _totals(written: WrittenTable, by: Mapping[str, Attribute]) -> tuple[str, ...]:
    """The attributes with totals; refuses those that are not in `by` or have no total code."""
    named = written.by if written.totals == ALL else written.totals or ()
    if isinstance(named, str):
        named = [named]
    for name in named:
        if name not in by:
            raise InvalidParameter(
                "totals",
                rule=f"must be {ALL}, or a list of attributes in by: {', '.join(written.by)}",
                value=shown(name),
                next_step="Name an attribute of the table, or leave it out.",
            )
        if by[name].total is None:
            raise InvalidParameter(
                "totals",
                rule="must name attributes with a total code in the codebook",
                value=f"{name}, which has none",
                next_step='Add total: "00", or another code, to the attribute in the codebook.',
            )
    return tuple(name for name in written.by if name in named)


def _total_problems(marginal: Marginal, *, margins: str | None) -> Iterator[LeewardError]:
    """Totals that do not add up, are too many, or whose draws would not fit into memory."""
    kinds = [one.name for one in marginal.worker if one.name in marginal.totals]
    if isinstance(marginal.statistic, Gains) and kinds:
        yield InvalidParameter(
            "totals",
            rule="must not name attributes of workers or jobs in a table of gains: net changes of "
            "an establishment among kinds of workers do not add up to its net change",
            value=", ".join(kinds),
            next_step="Leave them out, and give the coarser numbers a table of their own.",
        )
    if len(marginal.totals) > MOST_TOTALS:
        yield InvalidParameter(
            "totals",
            rule=f"must name at most {MOST_TOTALS} attributes: each combination has rows",
            value=f"{len(marginal.totals)} attributes",
            next_step="Name fewer attributes.",
        )
        return
    made = families(marginal.published[0])
    waiting = sum(one.unfinished for one in made)
    if margins != "none" and waiting > MOST_DRAWN_TOTALS:
        yield InvalidParameter(
            "totals",
            rule=f"must have at most {MOST_DRAWN_TOTALS} rows in memory while a table with margins "
            "is written: the codes of the attributes after the first one with a total, multiplied",
            value=f"{waiting} rows",
            next_step="Name fewer attributes, put one with many codes first in by and without a "
            "total, or write margins: none.",
        )
    rows = sum(one.marginal.workplace_cells * one.marginal.worker_cells for one in made)
    if marginal.complete and rows > MOST_COMPLETE_TOTALS:
        yield InvalidParameter(
            "totals",
            rule=f"must have at most {MOST_COMPLETE_TOTALS} rows of a complete table",
            value=f"{rows} rows",
            next_step="Name fewer attributes, or leave complete out.",
        )


def _attributes(
    names: list[str], key: str, codebook: Codebook, found: Gathering
) -> dict[str, Attribute]:
    tried = {name: found.attempt(lambda n=name: codebook.attribute(n, key)) for name in names}  # type: ignore[misc]
    return {name: one for name, one in tried.items() if one is not None}


def _all(attribute: Attribute) -> tuple[int, ...]:
    return tuple(range(len(attribute.codes)))


def _kept(attribute: Attribute, codes: list[str] | str) -> tuple[int, ...]:
    """Positions of the named codes, in the order of the list."""
    wanted = [codes] if isinstance(codes, str) else codes
    places = {code: position for position, code in enumerate(attribute.codes)}
    unlisted = [code for code in wanted if code not in places]
    if unlisted or not wanted:
        raise InvalidParameter(
            f"where.{attribute.name}",
            rule="must name codes of the codebook",
            value=shown(unlisted[0]) if unlisted else "none",
            next_step=f"Its codes begin {', '.join(attribute.codes[:5])}.",
        )
    return tuple(sorted({places[code] for code in wanted}))


def _shape_problems(written: WrittenTable) -> Iterator[LeewardError]:
    if len(set(written.by)) < len(written.by):
        yield InvalidParameter(
            "by",
            rule="must name each attribute once",
            value=f"[{', '.join(written.by)}]",
            next_step="List the attributes of the table; [] is one total.",
        )


def _too_large(marginal: Marginal) -> Iterator[LeewardError]:
    limits: Mapping[str, tuple[int, int]] = {
        "worker": (marginal.worker_cells, MOST_CELLS),
        "workplace": (marginal.workplace_cells, MOST_WORKPLACE_CELLS),
    }
    rows = marginal.worker_cells * marginal.workplace_cells
    if marginal.complete and rows > MOST_COMPLETE_ROWS:
        yield InvalidParameter(
            "complete",
            rule=f"writes every combination of the codes, at most {MOST_COMPLETE_ROWS} rows",
            value=f"{rows} rows",
            next_step="Leave it out: combinations without an establishment are zeros anyway.",
        )
    for part, (cells, most) in limits.items():
        if cells > most:
            yield InvalidParameter(
                "by",
                rule=f"must have at most {most} combinations of its {part} part",
                value=f"{cells} combinations",
                next_step="Use fewer or coarser attributes, or a filter.",
            )
