"""Plan: what will be released, how, and at what price. Pure: nothing confidential is read."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import astuple, dataclass, field, replace
from fractions import Fraction
from functools import partial
from hashlib import sha256
from pathlib import Path

from leeward.core.codebook import (
    TABLES,
    Attribute,
    Codebook,
    EveryJob,
    Gains,
    JobsRule,
    Marginal,
    NumericRange,
    PrimaryJob,
    most_rows,
)
from leeward.core.codebook.codebook import read_codebook
from leeward.core.codebook.legal_passages import Law, read_law
from leeward.core.codebook.resources import Resources, read_engine, read_resources
from leeward.core.codebook.size_profile import TYPICAL, SizeProfile, read_profile
from leeward.core.errors import InvalidParameter, LeewardError, NotCovered, raise_all, shown
from leeward.core.exact import number_text
from leeward.core.mechanisms.choice import AUTO, choose, named
from leeward.core.mechanisms.measurement import Measurement
from leeward.core.noise.scales import public_seed
from leeward.core.privacy import Guarantee, Person, sequential
from leeward.core.privacy.job_sentences import most_jobs
from leeward.core.privacy.odds_of_suspicion import odds
from leeward.core.privacy.pay_sentences import PayRead, about_pay
from leeward.core.privacy.sentences import worker
from leeward.core.privacy.words import Sentence, amount_text, of_unit
from leeward.core.show.notebook import html_table
from leeward.core.show.numbers import crossed
from leeward.publishing.bundle.bundle_files import TABLE_NAME
from leeward.publishing.plan.reading import (
    Gathering,
    read_jobs,
    read_marginal,
    read_margins,
    read_per,
    read_protection,
    read_rows,
    read_shares,
    require_limit,
)
from leeward.publishing.plan.request import (
    PLACEHOLDERS,
    TO_TYPE,
    Request,
    WrittenData,
    WrittenTable,
    read_request,
)
from leeward.publishing.plan.sql import by_hand

MOST_DIGITS = 1500
"""Maximum number of digits of a numerator or denominator; a certificate reads up to 1800."""


MOST_LISTED_BYTES = 1 << 27
"""Maximum size of all codes and labels in bytes; a reader stops at certificates of 2^30 bytes."""

MOST_KIND_CHARACTERS = 10_000
"""Maximum length in characters of the list of attributes that make kinds; a sentence has 20,000."""

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")


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
        charge = charge if person_rows is None else charge.for_person(person_rows)
        return cls(marginal, written, measurement, charge, why, person_rows)

    @property
    def name(self) -> str:
        """The table's name, which is its file's name."""
        return self.marginal.name


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
            (
                one.name,
                shown_by(one.marginal),
                one.measurement.name,
                number_text(one.charge.amount),
            )
            for one in self.tables
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
        given = {name: _from_here(one) for name, one in tables.items() if one is not None}
        chosen = read_engine(engine) or self.resources.engine
        resources = replace(self.resources, engine=chosen)
        return replace(self, given={**self.given, **given}, resources=resources)

    @property
    def sources(self) -> dict[str, object]:
        """Where each of the three tables is."""
        data = self.request.data
        return {name: self.given.get(name, getattr(data, name)) for name in TABLES}

    @property
    def context(self) -> "Context":
        """What its tables have in common."""
        per = read_per(self.jobs, self.codebook)
        return Context(self.codebook, self.asked, self.profile, self.jobs, per)

    @property
    def predicted_cells(self) -> str:
        """The cells that errors are predicted for, in words."""
        return of_unit(self.profile.words, self.asked.unit)

    @property
    def charge(self) -> Guarantee:
        """What all tables cost together."""
        return sequential(*(table.charge for table in self.tables))

    @property
    def by_cell(self) -> bool:
        """Whether every worker table pays for each of its cells by itself."""
        counted = [table for table in self.tables if not table.marginal.counts_every_job]
        return all(table.measurement.by_cell for table in counted)

    @property
    def rule(self) -> str:
        """Which jobs count, as the ledger keeps it: charges under one rule alone add up."""
        return self.jobs.words if self.strict or isinstance(self.jobs, EveryJob) else (
            f"{self.jobs.words}, total"
        )  # fmt: skip

    @property
    def codebook_digest(self) -> str:
        """SHA-256 of what the codebook says, wherever its lists are kept."""
        said = {name: [one.table, one.column, one.public, one.codes, dict(one.recode),
                       one.unlisted, one.missing,
                       *_said(one.numbers),
                       *(() if one.total is None else ("total", one.total)),
                       *(("nulls", one.nulls) if one.nulls else ())]
                for name, one in self.codebook.attributes.items()}  # fmt: skip
        ruled_out = [dict(one) for one in self.codebook.impossible]
        return _digest({"keys": self.codebook.keys.as_json(), "attributes": said,
                        **({"impossible": ruled_out} if ruled_out else {})})  # fmt: skip

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
        return tuple(n for n, one in self.codebook.attributes.items() if not one.of_workplaces)


def _said(numbers: NumericRange | None) -> tuple[object, ...]:
    """What a codebook says of numbers; where no source of the cap is named, nothing of it."""
    if numbers is None:
        return ()
    *said, cap_from = astuple(numbers)
    return (*said, *(() if cap_from is None else ("cap_from", cap_from)))


def shown_by(marginal: Marginal) -> str:
    """The attributes of a table, or of each table of a product, for a person."""
    parts = (crossed(one.name for one in part.worker) for part in marginal.breakdowns)
    broken = ", ".join(parts)
    by = crossed(one.name for one in marginal.dimensions)
    return f"{by}, broken down by {broken}" if broken else by


def digest_of(request: Request, codebook_digest: str) -> str:
    """SHA-256 of a plan and its codebook.

    Another title makes no other plan: else it would let the same tables be paid for twice.
    """
    return _digest([request.charged(), codebook_digest])


def _digest(content: object) -> str:
    text = json.dumps(content, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return sha256(text.encode()).hexdigest()


def _from_here(table: object) -> object:
    """A path made absolute; addresses of databases and frames stay as they are."""
    if isinstance(table, str) and not table.startswith("#") and "://" not in table:
        table = Path(table)
    return str(table.absolute()) if isinstance(table, Path) else table


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
    found = Gathering()
    path = Path("plan.yaml" if isinstance(source, Mapping) else source)
    request, found.problems[:] = read_request(source if isinstance(source, Mapping) else path)
    made = None if request is None else found.attempt(lambda: make_plan(request, path))
    raise_all(found.problems)
    if made is None:
        raise AssertionError("what could not be read was not refused")
    return made


def make_plan(request: Request, path: Path) -> Plan:
    """Look everything up that a request names; all that is wrong is refused at once."""
    found = Gathering()
    strict = found.attempt(lambda: read_rows(request.rows)) or False
    context = Context.read(request, path, found, strict=strict)
    resources = found.attempt(lambda: read_resources(request.data.model_dump(), path.parent))
    law = found.attempt(lambda: read_law(request.law, path.parent))
    shares = found.attempt(lambda: read_shares(request.tables))
    found.problems.extend((*_missing_tables(request.data), *_name_problems(request)))
    equal = (Fraction(1, len(request.tables)),) * len(request.tables)
    tables = [
        found.attempt(partial(context.table, written, share), f"tables[{number}]")
        for number, (written, share) in enumerate(zip(request.tables, shares or equal, strict=True))
    ]
    found.problems.extend(_clashes([table for table in tables if table is not None]))
    raise_all(found.problems)
    kept = tuple(table for table in tables if table is not None)
    asked, codebook, jobs = context.asked, context.codebook, context.jobs
    if asked is None or codebook is None or jobs is None or resources is None:
        raise AssertionError("what could not be read was not refused")
    request = request.model_copy(update={"tables": [table.written for table in kept]})
    profile = context.profile
    made = Plan(path, request, codebook, asked, jobs, strict, resources, profile, kept, law)
    raise_all(_unwritable(made))
    _require_promise(made)
    return made


@dataclass(frozen=True)
class Context:
    """What all tables of a plan have in common; None is what could not be read."""

    codebook: Codebook | None
    asked: Guarantee | None
    profile: SizeProfile
    jobs: JobsRule | None
    per: Attribute | None = None
    """The attribute that the jobs rule names."""

    @classmethod
    def read(
        cls, request: Request, path: Path, found: Gathering, *, strict: bool = False
    ) -> "Context":
        """Read it; what is refused is kept in `found`, so that tables are looked at anyway."""
        files = Gathering()
        codebook = files.attempt(lambda: _codebook(request.codebook, path.parent))
        profile = files.attempt(lambda: read_profile(request.sizes, path.parent))
        asked = found.attempt(lambda: read_protection(request.protect), "protect")
        found.problems.extend(files.problems)
        made = cls(codebook, asked, profile or TYPICAL, None)
        return found.attempt(lambda: made._with_jobs(request, strict=strict)) or made

    def _with_jobs(self, request: Request, *, strict: bool) -> "Context":
        """The same with the rule that says which jobs of a person count."""
        jobs = read_jobs(request.jobs, strict=strict)
        if self.asked is not None:
            require_limit(self.asked.policy, jobs)
        if self.asked is not None and self.asked.policy.name == "weak" and self.codebook:
            self.codebook.require_lists()  # the kinds of workers are those of all attributes
        per = None if self.codebook is None else read_per(jobs, self.codebook)
        return replace(self, jobs=jobs, per=per)

    def table(self, written: WrittenTable, share: Fraction) -> PlannedTable | None:
        """A table with a mechanism for its share of the budget."""
        margins = read_margins(written.margins)
        if self.codebook is None:
            return None
        written = written if written.sql is None else by_hand(written, self.codebook)
        marginal = read_marginal(written, self.codebook)
        if self.asked is None:
            return None
        rows = self._person_rows(marginal)
        part = part_of(self.asked, share, rows)
        if written.mechanism == AUTO:
            made = choose(marginal, part, margins, self.profile)
        else:
            made = named(written.mechanism, marginal, part, margins), "named in the plan"
        _require_kinds(written, part, made[0])
        return PlannedTable.priced(marginal, written, made, part, rows)

    def _person_rows(self, marginal: Marginal) -> int | None:
        """Under the person policy, how many rows of a person the table counts at most.

        Its mechanism hides each of them at that part of the share, and the person pays the share.
        """
        if self.asked is None or self.asked.policy.name != Person.name:
            return None
        found = None if self.jobs is None else most_rows(self.jobs, marginal, self.per)
        return found or 1  # a plan without a limit is refused as a whole


def part_of(asked: Guarantee, share: Fraction, person_rows: int | None) -> Guarantee:
    """The budget of a table; under the person policy that of each of a person's rows in it."""
    part = asked.share(share)
    return part if person_rows is None else part.for_each_row(person_rows)


def _require_kinds(written: WrittenTable, asked: Guarantee, made: Measurement) -> None:
    """Noise of each cell by itself hides kinds of workers, which are cells of the codebook."""
    if written.bins is not None and asked.policy.name == "weak" and made.by_cell:
        raise NotCovered(
            "bins",
            rule=f"must be left out of a table by {made.name} under the weak policy, which "
            "protects kinds of workers by the classes of the codebook",
            value="given",
            next_step="Declare these classes in the codebook, use clipped or vector_pareto, or "
            "write policy: strong.",
        )


def _codebook(written: str | dict[str, object], folder: Path) -> Codebook:
    return read_codebook(folder / written if isinstance(written, str) else written, folder)


def _require_promise(plan: Plan) -> None:
    """What cannot be promised to a worker with all jobs is refused before it is charged."""
    plan.charge.for_jobs(most_jobs(plan.jobs))
    worker(plan.charge, plan.jobs)
    odds(plan.charge)
    _ = plan.pay


def _unwritable(plan: Plan) -> Iterator[LeewardError]:
    """What a certificate could not hold is refused with the plan, before anything is paid."""
    losses = (loss for one in (plan.charge, *(t.charge for t in plan.tables)) for loss in
              (one.epsilon, one.delta, one.rho))  # fmt: skip
    if max(max(loss.numerator, loss.denominator) for loss in losses) >= 10**MOST_DIGITS:
        yield InvalidParameter(
            "tables.share",
            rule=f"must share the budget in fractions of at most {MOST_DIGITS} digits",
            value="a longer fraction",
            next_step="Write shares with fewer digits.",
        )
    yield from _unnamed_employers(plan)
    yield from _primary_by_pay(plan)
    yield from _gains_of_employers(plan)
    kinds = len(", ".join(plan.weak_attributes or ()))
    if kinds > MOST_KIND_CHARACTERS:
        yield InvalidParameter(
            "protect.policy",
            rule="must not be weak where the names of all attributes of workers and jobs, which a "
            f"sentence lists, have more than {MOST_KIND_CHARACTERS} characters together",
            value=f"{kinds} characters",
            next_step="Leave attributes that no table uses out of the codebook, or shorten names.",
        )
    listed = sum(_listed_bytes(table.marginal) for table in plan.tables)
    if listed > MOST_LISTED_BYTES:
        yield InvalidParameter(
            "plan",
            rule=f"must list at most {MOST_LISTED_BYTES} bytes of codes and labels in its tables",
            value=f"{listed} bytes",
            next_step="Release fewer tables at once, or with coarser attributes.",
        )


def _unnamed_employers(plan: Plan) -> Iterator[LeewardError]:
    """Whose establishments count as one must be in the data."""
    if plan.asked.unit == "employer" and plan.codebook.keys.workplaces.employer is None:
        yield InvalidParameter(
            "protect.unit",
            rule="must be establishment where the codebook does not name the employer's column",
            value="employer",
            next_step="Add the column to the codebook, tables: {workplaces: {employer: …}}, or "
            "leave unit out.",
        )


def _gains_of_employers(plan: Plan) -> Iterator[LeewardError]:
    """Gains are of establishments, which that unit merges before anything is counted."""
    gains = [one.name for one in plan.tables if isinstance(one.marginal.statistic, Gains)]
    if plan.asked.unit == "employer" and gains:
        yield InvalidParameter(
            "protect.unit",
            rule="must be establishment where a table has the statistic gains, which are those of "
            "establishments",
            value=f"employer, with {shown(gains[0])}",
            next_step="Leave unit out, or publish flows, which are sums of jobs.",
        )


def _primary_by_pay(plan: Plan) -> Iterator[LeewardError]:
    """A raise must not decide which job of a person counts where raises are one step."""
    if plan.asked.policy.name == "proportional" and isinstance(plan.jobs, PrimaryJob):
        yield InvalidParameter(
            "jobs.primary",
            rule="must be left out under the proportional policy: a raise of all, one step of it, "
            "may change which job of each of them counts",
            value=shown(plan.jobs.column),
            next_step="Leave jobs out, write jobs: {max_per_worker: …}, or plan under strong.",
        )


def _listed_bytes(marginal: Marginal) -> int:
    parts = marginal.published
    named = [one for part in parts for one in (*part.dimensions, *part.filters)]
    attributes = (one.attribute for one in named)
    texts = (text for one in attributes for text in (*one.codes, *one.labels))
    return sum(len(text.encode(errors="replace")) for text in texts)


def _missing_tables(data: WrittenData) -> Iterator[LeewardError]:
    """A plan names its three tables, or none: they are given with the release."""
    missing = [name for name in TABLES if not getattr(data, name)]
    for name in missing if len(missing) < len(TABLES) else ():
        yield InvalidParameter(
            f"data.{name}", rule="must be given", value="nothing", next_step="Add the key."
        )


def _clashes(tables: list[PlannedTable]) -> Iterator[LeewardError]:
    """Names of tables that a product writes, which are too long or taken."""
    written = [(one.name, part.name) for one in tables for part in one.marginal.published]
    taken = [part.lower() for _, part in written]
    for number, (product, part) in enumerate(written):
        if part == product:
            continue
        if not re.fullmatch(TABLE_NAME, part) or part.lower() in (
            *taken[:number],
            *taken[number + 1 :],
        ):
            yield InvalidParameter(
                "tables.name",
                rule="must give the tables of a product names of at most 63 characters that no "
                "other table has",
                value=f"{shown(product)}, which writes {shown(part)}",
                next_step="Change the name of one of the tables.",
            )


def _name_problems(request: Request) -> Iterator[LeewardError]:
    named = {"account": request.account, "period": request.period}
    for parameter, name in named.items():
        if name == PLACEHOLDERS[parameter]:
            yield InvalidParameter(
                parameter,
                rule=f"must name the {parameter}: a draft has this word in its place",
                value=shown(name),
                next_step=TO_TYPE[parameter],
            )
        if not NAME.fullmatch(name):
            yield InvalidParameter(
                parameter,
                rule="must be 1 to 64 letters, digits, dots, _ or -, a letter or digit first",
                value=shown(name),
                next_step="Change the name.",
            )
    for number, table in enumerate(request.tables):
        if not re.fullmatch(TABLE_NAME, table.name):
            yield InvalidParameter(
                f"tables[{number}].name",
                rule="must be 1 to 63 letters, digits, _ or -, and not begin with -",
                value=shown(table.name),
                next_step="Change the name.",
            )
    names = [table.name.lower() for table in request.tables]
    for number, name in enumerate(names):
        if name in names[:number]:
            yield InvalidParameter(
                f"tables[{number}].name",
                rule="must differ from the names of other tables, also without regard to case",
                value=shown(request.tables[number].name),
                next_step="Change the name.",
            )
