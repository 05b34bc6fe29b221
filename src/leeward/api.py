"""Front: the main job from Python, which the command line does by the same functions.

    read_plan → predict → check → release → verify

Tables may be paths, addresses of a database, or frames in this process.
"""

import warnings
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from leeward.core.codebook.resources import Resources, read_encoding, read_engine, read_quotes
from leeward.core.codebook.wage_jobs import Quarter, WageColumns, WageJobs
from leeward.core.errors import LeewardError
from leeward.core.show.notebook import html_table
from leeward.core.show.progress import Silent
from leeward.publishing.bundle.bundle_files import RESULT, SYNTHETIC
from leeward.publishing.bundle.paid_folder import kind_of, read_folder, read_paid
from leeward.publishing.bundle.reader import Bundle, read_bundle
from leeward.publishing.ledger import Ledger
from leeward.publishing.plan.plan import Plan, read_plan
from leeward.publishing.plan.predicted import Prediction

if TYPE_CHECKING:
    from leeward.publishing.bundle.witness import PaidOutput
    from leeward.publishing.engines.wages import JobsFile
    from leeward.publishing.release.check import Checked
    from leeward.publishing.release.measuring import Progress

__all__ = [
    "Verification",
    "check",
    "find_jobs",
    "predict",
    "read_bundle",
    "read_plan",
    "release",
    "verify",
]


def find_jobs(  # noqa: PLR0913 (a parameter for each thing that may be asked)
    wages: object,
    *,
    quarter: str,
    out: Path | str,
    kind: str = "any",
    one: str | None = None,
    columns: Mapping[str, str] | None = None,
    engine: str | None = None,
    encoding: str | None = None,
    quotes: str | None = None,
) -> "JobsFile":
    """Write the jobs of a quarter that follow from wage records. The file is confidential.

    The database does the work. Records of one person, workplace and quarter are added up, and a
    job is what has positive pay in the quarter.

    Parameters
    ----------
    wages
        Wage records: a path, an address of a database, or a frame.
    quarter
        The quarter of the jobs, such as ``"2026Q2"``.
    out
        The Parquet file to write, with mode 0600; it must not exist.
    kind
        ``"any"``, or with pay in the quarter before (``"beginning"``), after (``"end"``) or both
        (``"full"``).
    one
        ``"primary"`` or ``"dominant"``: one job of each person; as `leeward jobs` has them.
    columns
        The names of columns, by ``worker``, ``workplace``, ``quarter``, ``earnings`` and
        ``employer``, where they are not those of the economy.
    engine
        ``"spark"`` for Parquet that Spark reads and tables of its catalog.
    encoding
        The encoding of a CSV file, such as ``"cp1252"``; left out, UTF-8.
    quotes
        ``"none"`` for a CSV file in which no value is in quotes; then no line can be rejected.

    Returns
    -------
    JobsFile
        Its `path`, and how many `jobs` it has, which is confidential. `missing` are neighbours of
        the quarter of which there are no wages; then the file has no column flow.

    Raises
    ------
    InvalidParameter, BadFile, BadData
        If something is named that there is not, or the records cannot be read.

    Examples
    --------
    >>> import pandas as pd
    >>> quarters = ["2026Q1", "2026Q2", "2026Q3"]
    >>> job = {"worker_id": 1, "workplace_id": 7, "earnings": 900_000}
    >>> wages = pd.DataFrame([job | {"quarter": one} for one in quarters])
    >>> found = leeward.find_jobs(wages, quarter="2026Q2", out=folder / "jobs.parquet")
    >>> pd.read_parquet(found.path).flow.tolist()
    ['11']
    """
    from leeward.publishing.engines.wages import write_jobs  # noqa: PLC0415 (loads a database)

    named = WageColumns.read(columns or {})
    wanted = WageJobs(Quarter.read(quarter), kind, one, named)
    reading = Resources(
        read_engine(engine),
        encoding=read_encoding(encoding, "encoding"),
        quotes=read_quotes(quotes, "quotes"),
    )
    return write_jobs(wages, wanted, Path(out), reading)


def predict(plan: Plan, *, ledger: Ledger | Path | str | None = None) -> Prediction:
    """What a plan promises, costs and errs. Reads no data and spends nothing.

    Parameters
    ----------
    plan
        The plan, from `read_plan`.
    ledger
        The ledger, to see what is left of the plan's account.

    Returns
    -------
    Prediction
        `tables` have name, mechanism, epsilon and mean absolute error; `to_dict()` is what
        ``leeward plan --json`` prints; it shows itself in a notebook.

    Raises
    ------
    BadFile, Damaged
        If the ledger cannot be read, or is not what was written.
    InvalidParameter
        If the ledger lacks the account of the plan.

    Examples
    --------
    >>> leeward.predict(plan).tables[0].mechanism
    'staircase'
    """
    if ledger is None:
        return Prediction(plan)
    with opened(ledger) as book:
        return Prediction(plan, book.account(plan.request.account))


def check(
    plan: Plan,
    *,
    workplaces: object = None,
    workers: object = None,
    jobs: object = None,
    engine: str | None = None,
    progress: Callable[[str], None] | None = None,
) -> "Checked":
    """Look at every row of the data. CONFIDENTIAL: for whoever may see the data.

    Parameters
    ----------
    plan
        The plan, from `read_plan`.
    workplaces, workers, jobs
        Tables in place of those that the plan names: paths, addresses, or frames.
    engine
        ``"spark"`` for Parquet that Spark reads and tables of its catalog.
    progress
        Called with a few words when a step begins.

    Returns
    -------
    Checked
        `findings` with numbers of rows and examples, `refused` those that refuse a release.

    Raises
    ------
    BadFile, BadData
        If a table cannot be read, or lacks a column.

    Examples
    --------
    >>> leeward.check(plan, **tables).refused
    ()
    """
    from leeward.publishing.release.check import check_rows, open_data  # noqa: PLC0415 (loads a database)

    plan = plan.reading(engine=engine, workplaces=workplaces, workers=workers, jobs=jobs)
    with open_data(plan, frank=True) as opened_data:
        return check_rows(plan, opened_data, progress)


def release(  # noqa: PLR0913 (a parameter for each table and choice)
    plan: Plan,
    *,
    out: Path | str,
    ledger: Ledger | Path | str,
    workplaces: object = None,
    workers: object = None,
    jobs: object = None,
    engine: str | None = None,
    again: bool = False,
    corrects: int | None = None,
    same_establishments: str | None = None,
    unchecked: str | None = None,
    report: bool = True,
    progress: "Progress | None" = None,
) -> Bundle:
    """Charge the ledger, tabulate, add noise, and write a bundle that may be published.

    Everything that can be refused is refused before the charge. What is charged stays charged,
    whatever happens.

    Parameters
    ----------
    plan
        The plan, from `read_plan`.
    out
        The folder of the bundle, which must not exist.
    ledger
        The ledger, or its path; it must have the account of the plan.
    workplaces, workers, jobs
        Tables in place of those that the plan names: paths, addresses such as
        ``postgres://user@host/db#schema.jobs``, or frames: anything that streams Arrow (pandas,
        Polars, Arrow, relations of DuckDB) and tables of Ibis. Frames are copied into a private
        database that is removed afterwards.
    engine
        ``"spark"`` for Parquet that Spark reads and tables of its catalog.
    again, corrects, same_establishments
        As `leeward release` has them.
    unchecked
        Why these data are released although no `check` of them has ended; the ledger keeps the
        reason. It is needed only then.
    report
        Whether to add report.html for those who decide about the publication.
    progress
        A callback with `step(words)` and `cells(table, done, of)`.

    Returns
    -------
    Bundle
        The published folder; `bundle[name]` is a table.

    Raises
    ------
    LeewardError
        If something is refused; nothing was charged then.
    FailedAfterCharge
        If it broke off after the charge, which stays.

    Examples
    --------
    >>> bundle = leeward.release(plan, out=folder / "bundle", ledger=own, **tables)
    >>> list(bundle)
    ['by_place']
    """
    from leeward.publishing.release.run import ReleaseOptions, release_plan  # noqa: PLC0415 (loads a database)

    plan = plan.reading(engine=engine, workplaces=workplaces, workers=workers, jobs=jobs)
    book = ledger.path if isinstance(ledger, Ledger) else Path(ledger)
    chosen = ReleaseOptions(again, corrects, same_establishments, unchecked)
    done = release_plan(plan, Path(out), book, progress or Silent(), chosen)
    bundle = read_bundle(done.bundle)
    missing = add_report(bundle) if report else ""
    if missing:
        warnings.warn(missing, stacklevel=2)
    return bundle


def add_report(bundle: Bundle) -> str:
    """Add the report to a published bundle; why there is none, where that failed."""
    try:
        from leeward.interface.report.writing import write_report  # noqa: PLC0415 (loads templates)

        write_report(bundle)
    except Exception as error:  # noqa: BLE001 (the bundle is published all the same)
        reason = error if isinstance(error, LeewardError) else f"{type(error).__name__}."
        return f"{bundle.path} is published without a report: {reason} `leeward report` adds it."
    return ""


@dataclass(frozen=True)
class Verification:
    """Whether a bundle is what was sealed, and what speaks against it.

    `notes` say what this version could not compare.
    """

    path: Path
    problems: tuple[str, ...]
    notes: tuple[str, ...] = ()

    @property
    def sound(self) -> bool:
        """Whether nothing speaks against it."""
        return not self.problems

    def __bool__(self) -> bool:
        return self.sound

    def _repr_html_(self) -> str:
        title = f"{self.path.name} is {'sound' if self.sound else 'NOT sound'}"
        return html_table(title, ("problem",), [(problem,) for problem in self.problems])


def verify(
    path: Path | str,
    *,
    ledger: Ledger | Path | str | None = None,
    source: Path | str | None = None,
) -> Verification:
    """Whether a bundle is what was sealed; with the ledger also whether its entry confirms it.

    What follows from other parts of a certificate is computed again and must be the same: sums,
    sentences, README.txt, descriptions and report. Synthetic rows are counted again, and must have
    the numbers of the tidy tables beside them. Of the result of a survey the digest and the
    thresholds are computed again.

    Parameters
    ----------
    path
        The folder of the bundle, of synthetic rows, of a regression, or of the result of a survey.
    ledger
        The ledger of its publisher, or its path. It knows what was paid for: of a bundle that was
        made of a release, it confirms the release.
    source
        The release that the bundle was made of, to compare what it holds of it.

    Returns
    -------
    Verification
        `sound`, `problems` in plain words, and `notes`: what could not be compared because another
        version of Leeward made the bundle.

    Raises
    ------
    BadFile
        If the ledger cannot be read. What is wrong with the bundle is in `problems`.

    Examples
    --------
    >>> leeward.verify(bundle.path, ledger=ledger).sound
    True
    """
    from leeward.publishing.release.ledger_check import entry_findings  # noqa: PLC0415 (as above)

    folder = Path(path)
    sealed = kind_of(folder) is not None
    findings, bundles = _findings(folder)
    if not findings and sealed and source is not None:
        findings = ("it is not made from a release: no --source belongs to it",)
    if not findings and not sealed and is_result(folder) and (ledger or source) is not None:
        findings = ("it is the result of a survey: no ledger and no release belong to it",)
    if not findings and ledger is not None:
        book = ledger.path if isinstance(ledger, Ledger) else Path(ledger)
        findings = (*entry_findings(paid_in(folder), book),)
    if not findings and source is not None:
        from leeward.publishing.bundle.verify import source_findings  # noqa: PLC0415 (as above)

        findings = source_findings(folder, Path(source))
    notes = []
    if not findings and not sealed:
        from leeward.publishing.bundle.software import not_compared  # noqa: PLC0415 (as above)

        notes = [not_compared(bundle.certificate) for bundle in bundles]
        if is_result(folder):
            from leeward.systems.local.result_folder import result_not_compared  # noqa: PLC0415 (as above)

            notes.append(result_not_compared(folder))
    each_once = dict.fromkeys(note for note in notes if note is not None)
    return Verification(folder, findings, (*each_once,))


def _findings(folder: Path) -> tuple[tuple[str, ...], tuple[Bundle, ...]]:
    """What is wrong with a folder by itself; and the bundles in it, where it is sound."""
    from leeward.derived.settle.tidy_statements import restated_findings  # noqa: PLC0415 (mechanisms)
    from leeward.publishing.bundle.verify import verify_bundle  # noqa: PLC0415 (reads every table)

    kind = kind_of(folder)
    if kind is not None:  # a synthetic table or a regression, as it was paid for and sealed
        from leeward.publishing.release.ledger_check import price_findings  # noqa: PLC0415 (as above)

        if kind == "regression":
            from leeward.systems.regress.answer import regression_findings as sealed_findings  # noqa: PLC0415 (numpy)
        else:
            from leeward.systems.synth.output import table_findings as sealed_findings  # noqa: PLC0415 (draws rows)
        return sealed_findings(folder) or (*price_findings(read_folder(folder)),), ()
    if (folder / SYNTHETIC).is_file():
        from leeward.systems.synth.recount import synthetic_findings  # noqa: PLC0415 (counts rows)

        findings = synthetic_findings(folder)
    elif is_result(folder):
        from leeward.systems.local.result_check import result_findings  # noqa: PLC0415 (as above)

        findings = result_findings(folder)
    else:
        findings = (*verify_bundle(folder),) or report_findings(folder)
    try:
        bundles = () if findings else bundles_in(folder)
        restated = (finding for bundle in bundles for finding in restated_findings(bundle))
        return findings or tuple(restated), bundles
    except LeewardError as refusal:  # it was changed in the meantime
        return (refusal.rule,), ()


def paid_in(folder: Path) -> "PaidOutput":
    """The certificate that states the charge of a folder: of synthetic rows, of their release."""
    return read_paid(release_in(folder))


def is_result(folder: Path) -> bool:
    """Whether a folder is the result of a survey, which no ledger knows."""
    return (folder / RESULT).is_file()


def release_in(folder: Path) -> Path:
    """The bundle with the release's certificate: of synthetic rows, the release inside."""
    if not (folder / SYNTHETIC).is_file():
        return folder
    from leeward.systems.synth.linked_folder import read_statement  # noqa: PLC0415 (as above)

    return folder / read_statement(folder).measured.name


def bundles_in(folder: Path) -> tuple[Bundle, ...]:
    """The bundles of a sound folder: of synthetic rows a release and its tidy tables."""
    if is_result(folder):
        return ()
    if not (folder / SYNTHETIC).is_file():
        return (read_bundle(folder),)
    from leeward.systems.synth.linked_folder import read_statement  # noqa: PLC0415 (as above)

    stated = read_statement(folder)
    return tuple(
        read_bundle(folder / statement.name) for statement in (stated.measured, stated.tidy)
    )


def report_findings(bundle: Path) -> tuple[str, ...]:
    """What is wrong with the report of a bundle that has one."""
    from leeward.publishing.bundle.bundle_files import REPORT  # noqa: PLC0415 (light, as is what follows)

    if not (bundle / REPORT).exists():
        return ()
    from leeward.interface.report import writing  # noqa: PLC0415 (without a report no templates are needed)

    return writing.report_findings(bundle)


def opened(ledger: Ledger | Path | str) -> "Ledger | nullcontext[Ledger]":
    """A ledger to be read: one that is given stays open, one by its path is closed afterwards."""
    return nullcontext(ledger) if isinstance(ledger, Ledger) else Ledger.open(ledger)
