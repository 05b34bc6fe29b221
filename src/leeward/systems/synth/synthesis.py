"""Run: a request is checked, its file counted, the ledger charged, and the output written.

Nothing is drawn before the entry of the charge is on disk. The number of rows of the output is the
released total or given; the true number reaches nothing but noise.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from leeward.core.errors import InvalidParameter, NotCovered
from leeward.core.noise.exact_selection import SECRET
from leeward.core.noise.noise_source import secret
from leeward.core.noise.tabulated import require_accuracy
from leeward.publishing.bundle.bundle_files import sha256
from leeward.publishing.bundle.paid_folder import marked
from leeward.publishing.bundle.witness import Witness
from leeward.publishing.bundle.writer import require_free
from leeward.publishing.engines.table_files import opened_file, opened_files
from leeward.publishing.ledger import TableCharge
from leeward.publishing.release.check import changed
from leeward.publishing.release.paid import Charge, Charged, Payer, Uncharged, required
from leeward.systems.synth.counting import NAME, Counts, FileCounts
from leeward.systems.synth.description import Description, Fit, Provenance, read_description
from leeward.systems.synth.independent import uniform
from leeward.systems.synth.measurer import Measurer
from leeward.systems.synth.output import require_seed, write_folder
from leeward.systems.synth.table_request import MOST_ROWS, TableRequest


@dataclass(frozen=True)
class TableFolder:
    """The folder, what is described in it, and how many rows it has."""

    folder: Path
    description: Description
    rows: int

    def as_json(self) -> dict[str, object]:
        """Plain values."""
        described = self.description
        provenance, charge = described.provenance, described.provenance.charge
        return {
            **marked(described.internal),
            "folder": str(self.folder),
            "internal": described.internal,
            "method": described.method,
            "rows": self.rows,
            "total": described.fit.total,
            "columns": list(described.domain.names),
            "charged": charge is not None,
            "entry": None if charge is None else charge.ledger.entry,
            "ledger": None if charge is None else charge.ledger.id,
            "uncharged": provenance.uncharged,
            "says": list(described.says),
            "warnings": list(described.fit.warnings),
        }


def synthesize(
    request: TableRequest, out: Path, payer: Payer | None = None, seed: int = 0
) -> TableFolder:
    """Describe a file with noise and draw synthetic rows into a new folder.

    Parameters
    ----------
    request
        `TableRequest(file, codebook, method, epsilon, delta, rows)`; valid at birth.
    out
        The folder, which must not exist.
    payer
        `Charged(ledger, name)`, charged before the first draw; or `Uncharged(reason)`, and the
        output is INTERNAL. Only the method `random`, which reads no row, takes neither.
    seed
        Of the rows, not of the noise.

    Returns
    -------
    Written
        `folder`, `description` and `rows`.

    Raises
    ------
    BadFile
        If the file cannot be read, or the folder not written.
    OverBudget, AlreadyReleased
        If the account cannot pay.
    """
    account = None if request.free else required(payer)
    require_seed(seed)
    require_free(out)
    if account is None:  # rows of a method that reads none: nobody pays, and they may be published
        if payer is not None:
            raise NotCovered(
                "--uncharged" if isinstance(payer, Uncharged) else "--ledger",
                rule="must be given for what is read, and this method reads nothing",
                value=f"--method {request.method}",
                next_step="Leave --ledger, --account and --uncharged out.",
            )
        described = _described(request, uniform(request.domain), Provenance())
        return _written(described, request, out, seed)[0]
    require_accuracy()  # a machine that draws nothing is charged nothing
    with _opened_public(request) as public, opened_file(request.file, NAME) as files:
        if isinstance(account, Charged):
            account.require_budget(_charge(request, account, out))
        digest = files.digest()
        if public is not None:
            public.require_other(digest)
        counts = FileCounts(files, request.domain)
        if not files.unchanged():
            raise changed()

        def written(paid: Witness | Uncharged) -> tuple[TableFolder, str]:
            return _written(describe(request, counts, paid, public), request, out, seed)

        if isinstance(account, Uncharged):
            return written(account)[0]
        return account.pay(_charge(request, account, out), digest, written)


@dataclass(frozen=True)
class Public:
    """The counts of a table that costs nothing to read, its digest as data, and its checksum."""

    counts: Counts
    digest: str
    checksum: str

    def require_other(self, digest: str) -> None:
        """Refuse the file itself as the public table."""
        if digest == self.digest:
            raise InvalidParameter(
                "--public",
                rule="must be another table than FILE, whose rows are protected",
                value="the same content",
                next_step="Give a table that is public already, or take --method tree.",
            )


@contextmanager
def _opened_public(request: TableRequest) -> Iterator[Public | None]:
    if request.public is None:
        yield None
        return
    with opened_files({NAME: request.public}, "--public") as files:
        counts = FileCounts(files, request.domain, parameter="--public")
        yield Public(counts, files.digest(), sha256(request.public))


def describe(
    request: TableRequest, counts: Counts, paid: Witness | Uncharged, public: Public | None = None
) -> Description:
    """What the method measures of these counts, with the system's bits."""
    if request.price is None:
        raise AssertionError("a method that reads rows has a price")
    measurer = Measurer(counts, secret(), SECRET)
    fit = request.fit(measurer, None if public is None else public.counts)
    provenance = Provenance(
        request.price,
        paid if isinstance(paid, Witness) else None,
        paid.reason if isinstance(paid, Uncharged) else None,
        None if public is None else public.checksum,
    )
    return _described(request, fit, provenance)


def _described(request: TableRequest, fit: Fit, provenance: Provenance) -> Description:
    return Description(request.resolved, request.domain, fit, provenance, provenance.sentences)


def generate(description: Path, out: Path, rows: int | None = None, seed: int = 0) -> TableFolder:
    """Draw rows of a description alone into a new folder, as many as wanted, at no further cost.

    The folder is sealed with the charge of the description; of an INTERNAL one it is INTERNAL.

    Parameters
    ----------
    description
        The file `description.json`.
    out
        The folder, which must not exist.
    rows
        How many; left out, the released total.
    seed
        The same seed gives the same rows.

    Returns
    -------
    Written
        `folder`, `description` and `rows`.

    Raises
    ------
    BadFile
        If it is no description, or the folder cannot be written.
    """
    require_seed(seed)
    require_free(out)
    described = read_description(description)
    wanted = described.rows if rows is None else rows
    if wanted is None or not 0 <= wanted <= MOST_ROWS:
        raise InvalidParameter(
            "--rows",
            rule=f"must be a whole number from 0 to {MOST_ROWS}, and given where the description "
            "has no total",
            value="nothing" if wanted is None else wanted,
            next_step="Give the number of rows that you want.",
        )
    write_folder(out, described, wanted, seed)
    return TableFolder(out, described, wanted)


def _written(
    description: Description, request: TableRequest, out: Path, seed: int
) -> tuple[TableFolder, str]:
    rows = description.rows if request.rows is None else request.rows
    digest = write_folder(out, description, rows or 0, seed)
    return TableFolder(out, description, rows or 0), digest


def _charge(request: TableRequest, payer: Charged, out: Path) -> Charge:
    if request.price is None:
        raise AssertionError("a method that reads rows has a price")
    table = TableCharge("synthetic rows", request.resolved, request.price)
    name = f"synthetic table {out.name}"
    return payer.charge("synth table", name, table, out, plan=request.digest)
