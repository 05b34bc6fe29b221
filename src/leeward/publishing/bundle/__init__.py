"""The bundle: the published folder, how it is written, read and checked."""

from leeward.publishing.bundle.bundle_files import CERTIFICATE, REPORT
from leeward.publishing.bundle.certificate import FORMAT, Certificate, certificate_schema
from leeward.publishing.bundle.certified_table import CertifiedTable
from leeward.publishing.bundle.promise_statements import (
    FirmLoss,
    FirmStatement,
    JobsStatement,
    PromiseStatement,
    establishment_promise,
    firm_promise,
    make_up_promise,
    odds_statement,
    worker_promise,
)
from leeward.publishing.bundle.reader import Bundle, read_bundle
from leeward.publishing.bundle.statements import (
    BudgetStatement,
    DataStatement,
    FileStatement,
    LedgerStatement,
    LeftStatement,
    ReleaseGuarantee,
    RowsStatement,
    SoftwareStatement,
    TableGuarantee,
)
from leeward.publishing.bundle.table_statements import MarginStatement
from leeward.publishing.bundle.table_writer import TableWriter
from leeward.publishing.bundle.verify import verify_bundle
from leeward.publishing.bundle.writer import BundleWriter

__all__ = [
    "CERTIFICATE",
    "FORMAT",
    "REPORT",
    "BudgetStatement",
    "Bundle",
    "BundleWriter",
    "Certificate",
    "CertifiedTable",
    "DataStatement",
    "FileStatement",
    "FirmLoss",
    "FirmStatement",
    "JobsStatement",
    "LedgerStatement",
    "LeftStatement",
    "MarginStatement",
    "PromiseStatement",
    "ReleaseGuarantee",
    "RowsStatement",
    "SoftwareStatement",
    "TableGuarantee",
    "TableWriter",
    "certificate_schema",
    "establishment_promise",
    "firm_promise",
    "make_up_promise",
    "odds_statement",
    "read_bundle",
    "verify_bundle",
    "worker_promise",
]
