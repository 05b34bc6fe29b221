"""Plan: what will be released, how, and at what price. Pure: nothing confidential is read."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, partial
from pathlib import Path

from leeward.core.codebook import TABLES, Attribute, Codebook, EveryJob, JobsRule
from leeward.core.codebook.codebook import read_codebook
from leeward.core.codebook.legal_passages import Law, read_law
from leeward.core.codebook.resources import Resources, read_engine, read_resources
from leeward.core.codebook.size_profile import TYPICAL, SizeProfile, read_profile
from leeward.core.errors import raise_all
from leeward.core.exact import number_text
from leeward.core.noise.scales import public_seed
from leeward.core.privacy import Guarantee
from leeward.core.privacy.pay_sentences import PayRead, about_pay
from leeward.core.privacy.public_parts import PricedTables
from leeward.core.privacy.words import Sentence, amount_text, of_unit
from leeward.core.show.notebook import html_table
from leeward.publishing.plan.plan_problems import (
    clashes,
    plan_problems,
    request_problems,
    require_promise,
    share_problems,
)
from leeward.publishing.plan.planned_table import Context, PlannedTable, priced_tables, shown_by
from leeward.publishing.plan.reading import (
    Gathering,
    read_jobs,
    read_per,
    read_protection,
    read_rows,
    read_shares,
    require_limit,
)
from leeward.publishing.plan.request import Request, digest_of, digest_of_codebook, read_request


@dataclass(frozen=True, repr=False)
class Plan:
    """Everything that a release needs but the data and the ledger; made by `read_plan`.

    It was checked when it was made: what a later step would refuse of it was refused then.

    Attributes
    ----------
    path
        The file; of a plan from a mapping, `plan.yaml` in the folder of this process.
    request
        What is written in it.
    codebook
        The attributes and their codes.
    asked
        The guarantee that all tables share.
    jobs, strict
        Which jobs of a person count, and whether every row must fit.
    resources
        The engine, and how much memory it may use.
    profile
        The sizes of establishments that errors are predicted for.
    tables
        Each table with its mechanism and its price.
    law
        What the law of the office asks, for the report; None if the plan names none.
    given
        Tables that `reading` has put in place of those of the request. CONFIDENTIAL.

    Examples
    --------
    >>> [(table.name, table.measurement.name) for table in plan.tables]
    [('by_place', 'staircase')]
    >>> plan.charge.epsilon
    Fraction(4, 1)
    """

    path: Path
    request: Request
    codebook: Codebook
    asked: Guarantee
    jobs: JobsRule
    strict: bool
    resources: Resources
    profile: SizeProfile
    tables: tuple[PlannedTable, ...]
    law: Law | None = None
    given: Mapping[str, object] = field(default_factory=dict, repr=False, compare=False)

    def __repr__(self) -> str:
        names = ", ".join(table.name for table in self.tables)
        return f"Plan({self.request.period}, {amount_text(self.asked)}: {names})"

    def _repr_html_(self) -> str:
        rows = [
            (each.name, shown_by(each.marginal), each.measurement.name, number_text(paid.amount))
            for each, paid in zip(self.tables, self.priced.charges, strict=True)
        ]
        title = f"Plan for {self.request.period}, account {self.request.account}"
        note = self.charge.sentence(self.jobs)
        heads = ("table", "by", "mechanism", self.charge.currency)
        return html_table(title, heads, rows, note=note)

    def reading(self, *, engine: str | None = None, **tables: object) -> "Plan":
        """The same plan on other tables: paths, addresses or frames in place of its own.

        Parameters
        ----------
        engine
            ``"duckdb"`` or ``"spark"``; left out, it stays that of the plan.
        **tables
            `workplaces`, `workers` and `jobs`; None leaves a table as it is. A relative path is
            one from the folder of this process.

        Returns
        -------
        Plan
            A new plan; this one stays as it is.

        Raises
        ------
        InvalidParameter
            If there is no such engine.

        Examples
        --------
        >>> plan.reading(jobs="jobs.parquet")
        Plan(2026Q2, epsilon 4: by_place)
        """
        given = dict[str, object]()
        for name, table in tables.items():
            address = isinstance(table, str) and (table.startswith("#") or "://" in table)
            if isinstance(table, Path | str) and not address:
                given[name] = str(Path(table).absolute())
            elif table is not None:  # addresses of databases and frames stay as they are
                given[name] = table
        resources = replace(self.resources, engine=read_engine(engine) or self.resources.engine)
        return replace(self, given={**self.given, **given}, resources=resources)

    @property
    def sources(self) -> dict[str, object]:
        """Where each of the three tables is."""
        return {name: self.given.get(name, getattr(self.request.data, name)) for name in TABLES}

    @property
    def context(self) -> "Context":
        """What its tables have in common."""
        per = read_per(self.jobs, self.codebook)
        part = Context.read_part(self.request.part, self.codebook)
        return Context(self.codebook, self.asked, self.profile, self.jobs, per, part)

    @property
    def predicted_cells(self) -> str:
        """The cells that errors are predicted for, in words."""
        return of_unit(self.profile.words, self.asked.unit)

    @cached_property
    def priced(self) -> PricedTables:
        """Its tables with their price together, and how that follows."""
        return priced_tables(self.asked.policy, self.tables, self.codebook)

    @property
    def charge(self) -> Guarantee:
        """The price of all tables together."""
        return self.priced.price

    @property
    def by_cell(self) -> bool:
        """Whether every worker table pays for each of its cells by itself."""
        counted = [table for table in self.tables if not table.marginal.counts_every_job]
        return all(table.measurement.by_cell for table in counted)

    @property
    def rule(self) -> str:
        """Which jobs count, as the ledger keeps it: charges under one rule alone add up."""
        total = "" if self.strict or isinstance(self.jobs, EveryJob) else ", total"
        return f"{self.jobs.words}{total}"

    @property
    def codebook_digest(self) -> str:
        """SHA-256 of what the codebook says, wherever its lists are kept."""
        return digest_of_codebook(self.codebook)

    @property
    def digest(self) -> str:
        """SHA-256 of the plan and its codebook: the same plan again has the same digest."""
        return digest_of(self.request, self.codebook_digest)

    def seed(self, table: str) -> int:
        """The public seed of the draws behind the margins of a table's totals."""
        return public_seed(self.digest, table)

    @property
    def pay(self) -> tuple[Sentence, ...]:
        """What is promised about pay and what is not; none where nothing is to be said of it."""
        read = PayRead.of(table.marginal for table in self.tables)
        return about_pay(self.charge, self.jobs, read)

    @property
    def weak_attributes(self) -> tuple[str, ...] | None:
        """Under the weak policy, the attributes whose cells are the kinds of workers."""
        if self.asked.policy.name != "weak":
            return None
        return tuple(
            n for n, attribute in self.codebook.attributes.items() if not attribute.of_workplaces
        )


def read_plan(source: Path | str | Mapping[str, object]) -> Plan:
    """A plan from a YAML file and its codebook; all that is wrong is refused at once.

    Parameters
    ----------
    source
        The path of the file; or a mapping with the same keys, in which `codebook` may be a
        mapping too. Numbers of a mapping are read as they print: ``0.1`` is one tenth. Its
        relative paths are from the folder of this process.

    Returns
    -------
    Plan
        The plan with a mechanism for each table.

    Raises
    ------
    LeewardError
        Everything that is wrong with the plan, with a next step for each.

    Examples
    --------
    >>> leeward.read_plan(request)
    Plan(2026Q2, epsilon 4: by_place)
    """
    gathering = Gathering()
    path = Path("plan.yaml" if isinstance(source, Mapping) else source)
    request, gathering.problems[:] = read_request(source if isinstance(source, Mapping) else path)
    plan = None if request is None else gathering.attempt(lambda: make_plan(request, path))
    raise_all(gathering.problems)
    if plan is None:
        raise AssertionError("what could not be read was not refused")
    return plan


def read_context(
    request: Request, path: Path, gathering: Gathering, *, strict: bool = False
) -> Context:
    """What all tables have in common; what is rejected is gathered, and tables are read anyway."""
    files, folder, written = Gathering(), path.parent, request.codebook
    place = written if isinstance(written, dict) else folder / written
    codebook = files.attempt(lambda: read_codebook(place, folder))
    profile = files.attempt(lambda: read_profile(request.sizes, folder)) or TYPICAL
    guarantee = gathering.attempt(lambda: read_protection(request.protect), "protect")
    gathering.problems.extend(files.problems)

    def counted() -> tuple[JobsRule, Attribute | None]:
        """The rule that says which jobs of a person count, and the attribute that it names."""
        rule = read_jobs(request.jobs, strict=strict)
        if guarantee is not None:
            require_limit(guarantee.policy, rule)
            if guarantee.policy.name == "weak" and codebook is not None:
                codebook.require_lists()  # the kinds of workers are those of all attributes
        return rule, None if codebook is None else read_per(rule, codebook)

    jobs, per = gathering.attempt(counted) or (None, None)
    part = gathering.attempt(lambda: Context.read_part(request.part, codebook))
    return Context(codebook, guarantee, profile, jobs, per, part)


def make_plan(request: Request, path: Path) -> Plan:
    """Look everything up that a request names; all that is wrong is refused at once."""
    gathering, beside = Gathering(), Gathering()
    strict = gathering.attempt(lambda: read_rows(request.rows)) or False
    # Read with the codebook, whose room they are in; what is wrong with them is said after it.
    resources = beside.attempt(lambda: read_resources(request.data.model_dump(), path.parent))
    law = beside.attempt(lambda: read_law(request.law, path.parent))
    context = read_context(request, path, gathering, strict=strict)
    gathering.keep(beside.problems)
    shares = gathering.attempt(lambda: read_shares(request.tables))
    gathering.problems.extend(request_problems(request))
    equal = (Fraction(1, len(request.tables)),) * len(request.tables)
    tables = [
        gathering.attempt(partial(context.table, written, share), f"tables[{number}]")
        for number, (written, share) in enumerate(zip(request.tables, shares or equal, strict=True))
    ]
    kept = tuple(table for table in tables if table is not None)
    gathering.problems.extend(clashes(kept))
    gathering.problems.extend(share_problems(context, request.tables, tables, shares or equal))
    raise_all(gathering.problems)
    guarantee, codebook, jobs = context.asked, context.codebook, context.jobs
    if guarantee is None or codebook is None or jobs is None or resources is None:
        raise AssertionError("what could not be read was not refused")
    request = request.model_copy(update={"tables": [table.written for table in kept]})
    profile = context.profile
    plan = Plan(path, request, codebook, guarantee, jobs, strict, resources, profile, kept, law)
    raise_all(plan_problems(plan))
    require_promise(plan)
    return plan
