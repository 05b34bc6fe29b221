"""Linking: a plan is released, its tables are tidied, and rows are made that reproduce them.

Nothing but the release and the public frame is read after the charge, so the guarantee of the rows
is that of the release. Whether rows appear, and how many, depends on released numbers alone.
"""

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from leeward.core.errors import BadFile, InvalidParameter, LeewardError, raise_all
from leeward.core.noise.scales import public_seed
from leeward.core.show.progress import Silent
from leeward.derived.settle.noisy_table import outlines
from leeward.derived.settle.tidying import not_shrinkable, tidy
from leeward.publishing.bundle import (
    Bundle,
    BundleWriter,
    read_bundle,
    verify_bundle,
)
from leeward.publishing.bundle.bundle_files import CERTIFICATE, sha256
from leeward.publishing.ledger import Ledger
from leeward.publishing.plan.plan import Plan, read_plan
from leeward.publishing.release.certify import Draft
from leeward.publishing.release.run import ReleaseOptions, release_plan
from leeward.systems.synth.assignment import PublicFrame, assigned, placed
from leeward.systems.synth.junction import Junction
from leeward.systems.synth.linked_folder import (
    SyntheticStatement,
    seal,
    source_of,
    write_jobs,
    write_texts,
    write_workplaces,
)
from leeward.systems.synth.linked_model import LinkedModel

MEASURED, TIDY = "measured", "tidy"

MADE_UP = (
    "How many jobs an establishment has is made up: the jobs of a workplace cell are spread "
    "evenly over its establishments. Sizes of single synthetic establishments carry no "
    "information, nor does who works beside whom. Establishments are numbered anew."
)
ONE_EACH = (
    "Every job has a worker of its own: nobody has two jobs, and nobody is followed over time."
)
EXACT = (
    "Rows reproduce the tidy value of every table that is listed as reproduced, to the last job. "
    "Beyond these tables codes of a job are independent of each other"
)
GUIDED = ", but for pairs of tables that a guide ties, which rows follow as far as the tables allow"
BAD_AT = (
    "Rows are bad at what was not measured: combinations of three attributes and more, small "
    "groups, and standard errors. Margins are in the release, not in the rows."
)


def says(release: str, *, tied: bool) -> tuple[str, ...]:
    """What is said of the rows of a release."""
    source = (
        f"These rows follow from the release {release} and the public frame alone, so what it "
        "promises and what was paid for it hold for them."
    )
    return (source, f"{EXACT}{GUIDED if tied else ''}.", MADE_UP, ONE_EACH, BAD_AT)


class LinkingProgress(Protocol):
    """What is told of the progress."""

    def step(self, words: str) -> None:
        """A new step begins."""

    def cells(self, table: str, done: int, of: int) -> None:
        """`done` of `of` workplace cells of a table are finished."""

    def part(self, words: str, done: int, of: int) -> None:
        """`done` of `of` parts are finished."""


@dataclass(frozen=True)
class Synthetic:
    """The folder of synthetic rows, what it says, and the release in it."""

    path: Path
    statement: SyntheticStatement
    measured: Bundle
    tidy: Bundle


def linked(  # noqa: PLR0913 (a parameter for each table and choice)
    plan: Plan | Path | str,
    out: Path | str,
    ledger: Ledger | Path | str | None = None,
    *,
    measured: Path | str | None = None,
    workplaces: object = None,
    workers: object = None,
    jobs: object = None,
    engine: str | None = None,
    again: bool = False,
    unchecked: str | None = None,
    progress: LinkingProgress | None = None,
) -> Synthetic:
    """Release a plan and write workplaces, workers and jobs that reproduce its tidy tables.

    The ledger is charged first, for the release. Everything that can be refused is refused before.

    Parameters
    ----------
    plan
        The plan or its path. Its finest workplaces have the tables that rows reproduce; tables by
        coarser workplaces may cross attributes of two of them, which rows then follow.
    out
        The folder to write, which must not exist.
    ledger
        The ledger, or its path; it must have the account of the plan.
    measured
        In place of a ledger, a release of this plan: nothing is charged, and the confidential
        tables are not read.
    workplaces, workers, jobs, engine, again, unchecked
        As `leeward.release` has them.
    progress
        A callback with `step(words)`, `cells(table, done, of)` and `part(words, done, of)`.

    Returns
    -------
    Synthetic
        `path`, `statement` (what the folder says about itself), `measured` and `tidy`.

    Raises
    ------
    LeewardError
        If something is refused; nothing was charged then.
    FailedAfterCharge
        If the release broke off after the charge, which stays.

    Examples
    --------
    >>> made = linked("plan.yaml", "rows", "ledger.sqlite")  # doctest: +SKIP
    >>> made.statement.reproduced  # doctest: +SKIP
    ('wac_total', 'wac_age', 'wac_sex')
    """
    planned = plan if isinstance(plan, Plan) else read_plan(plan)
    reading = planned.reading(engine=engine, workplaces=workplaces, workers=workers, jobs=jobs)
    options, target = ReleaseOptions(again, unchecked=unchecked), Path(out)
    request = LinkedRequest(reading, target, ledger, measured, options)
    return request.write(progress or Silent())


@dataclass(frozen=True)
class LinkedRequest:
    """A plan, the folder of its rows, and the ledger that pays or a release that is paid."""

    plan: Plan
    target: Path
    ledger: Ledger | Path | str | None
    measured: Path | str | None
    options: ReleaseOptions

    def write(self, progress: LinkingProgress) -> Synthetic:
        """The release, then its rows; everything that can be refused is refused before."""
        plan, target = self.plan, self.target
        tables = Draft.of(plan).tables
        unusable = (
            InvalidParameter(
                "tables",
                rule="must be counts of all jobs: no filter, pay or classes of the plan",
                value=table.name,
                next_step="Release it by a plan of its own.",
            )
            for table in tables
            if not table.counts or table.where or table.statistic is not None
        )
        raise_all([*unusable, *BundleWriter.check_target(target)])
        junction = Junction.of(outlines(tables), plan.codebook.impossible)
        frame = PublicFrame.read(plan)
        target.mkdir(mode=0o755)
        try:
            source = self._release(progress)
        except BaseException:
            if not any(target.iterdir()):
                target.rmdir()
            raise
        try:
            return _LinkedRows(plan, junction, frame, source, target).write(progress)
        except (Exception, KeyboardInterrupt) as error:
            reason = str(error) if isinstance(error, LeewardError) else type(error).__name__
            raise BadFile(
                "--out",
                rule="could not be finished after the release was published, which is paid and "
                "sound",
                value=reason,
                next_step=f"Run the command again with another --out, and --measured {source.path} "
                "in place of --ledger: nothing more is charged.",
            ) from error

    def _release(self, progress: LinkingProgress) -> Bundle:
        """The release inside the folder: made and paid now, or copied."""
        ledger, target = self.ledger, self.target
        if (ledger is None) == (self.measured is None):
            raise InvalidParameter(
                "--ledger, --measured",
                rule="must be given, one of the two",
                value="both" if ledger else "nothing",
                next_step="Give the ledger that pays, or a release that is paid.",
            )
        if self.measured is None:
            book = ledger.path if isinstance(ledger, Ledger) else Path(str(ledger))
            path = target / f"{target.name}-{MEASURED}"
            return read_bundle(release_plan(self.plan, path, book, progress, self.options).bundle)
        source = Path(self.measured)
        bundle, findings = read_bundle(source), verify_bundle(source)
        certificate = bundle.certificate
        if findings or certificate.made_from or certificate.plan_digest != self.plan.digest:
            raise InvalidParameter(
                "--measured",
                rule="must be a sound release of this plan",
                value=f"{str(source)!r}{f', of which {findings[0]}' if findings else ''}",
                next_step="Give the plan that it was released by, or see what `leeward verify` "
                "finds.",
            )
        return read_bundle(shutil.copytree(source, target / certificate.name))


@dataclass(frozen=True)
class _LinkedRows:
    """The rows that follow from a release."""

    plan: Plan
    junction: Junction
    frame: PublicFrame
    measured: Bundle
    target: Path

    def write(self, progress: LinkingProgress) -> Synthetic:
        """Tidy tables, then rows, then what is said of them."""
        release, frame = self.measured.certificate, self.frame
        progress.step("tidying")
        shrink = not any(True for _ in not_shrinkable(release.tables))
        name = f"{release.name.removesuffix(f'-{MEASURED}')}-{TIDY}"
        bundle = tidy(self.measured.path, self.target / name, shrink=shrink, progress=progress)
        progress.step("raking")
        seed = public_seed(sha256(self.measured.path / CERTIFICATE), "rows")
        model = LinkedModel.of(self.junction, bundle, self.measured, seed)
        combinations, cells = frame.in_cells(model.total)
        own = [attribute for attribute in frame.attributes if attribute.origin is None]
        at = {attribute.name: frame.positions[attribute.name][combinations] for attribute in own}
        write_workplaces(self.target, own, at, len(combinations))
        attributes = [self.plan.codebook.attributes[name] for name in self.junction.worker]
        progress.step("writing rows")
        jobs = placed(assigned(model.totals, model.parts, seed), model.totals, cells)
        rows = write_jobs(self.target, attributes, jobs)
        columns = (*own, *attributes)
        write_texts(self.target, self.plan.codebook, columns, self.plan.request.public())
        guides = {guide.name for guide in self.junction.guides}
        stated = {
            "measured": source_of(self.measured.path),
            "tidy": source_of(bundle.path),
            "seed": str(seed),
            "jobs": rows,
            "workplaces": len(combinations),
            "reproduced": tuple(table.name for table in release.tables if table.name not in guides),
            "guides": model.guides,
            "says": says(release.name, tied=any(guide.followed for guide in model.guides)),
        }
        return Synthetic(self.target, seal(self.target, release, stated), self.measured, bundle)
