"""Made-up bundles: public by construction, the same in every run."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from leeward.core.codebook import Attribute, Dimension, EveryJob, Flag, Marginal, Published
from leeward.core.codebook.marginal import margin_columns
from leeward.core.privacy import Guarantee
from leeward.publishing.bundle import (
    BudgetStatement,
    BundleWriter,
    Certificate,
    CertifiedTable,
    DataStatement,
    JobsStatement,
    LedgerStatement,
    LeftStatement,
    MarginStatement,
    ReleaseGuarantee,
    RowsStatement,
    SoftwareStatement,
    TableGuarantee,
    TableWriter,
    establishment_promise,
    firm_promise,
    make_up_promise,
    odds_statement,
    worker_promise,
)

GUARANTEE = Guarantee("strong", "1/10", 4)
BUDGET = BudgetStatement(
    cap=TableGuarantee.of(Guarantee("strong", "1/10", 16)),
    paid=TableGuarantee.of(GUARANTEE),
    spent=TableGuarantee.of(Guarantee("strong", "1/10", Fraction(13, 2))),
    left=LeftStatement(epsilon="19/2", delta="0"),
)


SOFTWARE = SoftwareStatement(
    leeward="0.1.0",
    commit=None,
    wheel="d4" * 32,
    numpy="2.4.0",
    duckdb="1.4.0",
    python_flint="0.8.0",
    python="3.11.7",
)


def dimension(name: str, codes: Sequence[str], table: str = "workplaces") -> Dimension:
    listed = tuple(codes)
    attribute = Attribute(
        name=name,
        table=table,  # type: ignore[arg-type] # tests name the three tables only
        column=name,
        codes=listed,
        labels=tuple(f"label of {code}" for code in listed),
        public=True,
        recode={code: position for position, code in enumerate(listed)},
    )
    return Dimension(attribute, tuple(range(len(listed))))


PLACE = dimension("place", ["01001", "01,003", '01"005', "Łódź", "05"])
SECTOR = dimension("sector", ["11", "21", "31-33"])
SEX = dimension("sex", ["M", "F"], "workers")
SCHOOL = dimension("school", ["E1", "E2, more"], "workers")

WORKER_TABLE = Marginal("by_sex", (PLACE, SECTOR), (SEX, SCHOOL))
WORKPLACE_TABLE = Marginal("by_place", (PLACE, SECTOR), (), complete=True)
TOTAL = Marginal("total", (), ())


def cells(marginal: Marginal, keys: Sequence[int], *, margins: bool) -> Published:
    """Numbers that depend on the key alone; in a complete table every third cell is empty."""
    numbers = np.array(keys, dtype=np.int64)
    empty = marginal.complete & (numbers % 3 == 2)
    flags = np.where(empty, Flag.NO_ESTABLISHMENT, Flag.OK).astype(np.int64)
    kinds = np.arange(marginal.worker_cells)
    values = (numbers[:, None] * 37 + kinds * 11) % 101 - 20
    values[empty] = 0
    wide = {"margin": values % 7 + 1, "block_margin": values % 7 + 3}
    return Published(numbers, values, flags, wide if margins else {})


def columns(marginal: Marginal, *, margins: bool = True) -> tuple[str, ...]:
    """The columns of margins of a table."""
    return margin_columns(ends=False, block=marginal.worker_cells > 1) if margins else ()


def certified(
    writer: TableWriter, *, margins: bool = True, changes: Mapping[str, object] | None = None
) -> CertifiedTable:
    facts: dict[str, Any] = {
        "where": None,
        "mechanism": "slope",
        "parameters": {"alpha": "1/10", "epsilon": "18/5"},
        "guarantee": TableGuarantee.of(Guarantee("strong", "1/10", Fraction(4, 3))),
        "margins": MarginStatement(
            method="spent" if margins else "none",
            coverage="9/10" if margins else None,
            block_coverage="9/10" if "block_margin" in writer.columns else None,
            epsilon="2/15" if margins else None,
            note="A tenth of the budget was spent on the margins." if margins else "None asked.",
        ),
        "bias": None,
    }
    return CertifiedTable(**(writer.facts() | facts | dict(changes or {})))


def certificate(name: str, tables: Sequence[CertifiedTable], **changes: object) -> Certificate:
    facts: dict[str, Any] = {
        "format": 3,
        "name": name,
        "leeward": "0.1.0",
        "software": SOFTWARE,
        "created": "2026-11-15T10:20:30Z",
        "period": "2026Q2",
        "account": "lodes-2026",
        "plan": {
            "account": "lodes-2026",
            "period": "2026Q2",
            "tables": [{"name": table.name} for table in tables],
        },
        "plan_digest": "a1" * 32,
        "codebook_digest": "b2" * 32,
        "guarantee": ReleaseGuarantee.of(GUARANTEE, EveryJob(), strict=False),
        "worker": worker_promise(GUARANTEE, EveryJob()),
        "establishment": establishment_promise(GUARANTEE, EveryJob()),
        "make_up": make_up_promise(GUARANTEE, None, by_cell=False),
        "odds": odds_statement(GUARANTEE, EveryJob()),
        "firm": firm_promise(GUARANTEE),
        "weak_attributes": None,
        "jobs": JobsStatement.of(GUARANTEE, EveryJob()),
        "rows": RowsStatement.of(strict=False),
        "data": DataStatement(fingerprint="c3" * 32, keyed="Keyed with the ledger's secret."),
        "ledger": LedgerStatement(id="ledger-1", account="lodes-2026", entry=7, head="3f" * 32),
        "budget": BUDGET,
        "corrects": None,
        "tables": tuple(tables),
    }
    return Certificate(**(facts | changes))


def write_demo(target: Path) -> str:
    """A sealed bundle of three tables; the checksum of its certificate."""
    with BundleWriter(target) as bundle:
        done = []
        chosen = {WORKER_TABLE: (0, 1, 4, 7, 14), WORKPLACE_TABLE: tuple(range(15)), TOTAL: (0,)}
        for marginal, keys in chosen.items():
            margins = marginal is not TOTAL
            with bundle.table(marginal, margins=columns(marginal, margins=margins)) as writer:
                writer.write(cells(marginal, keys, margins=margins))
            done.append(certified(writer, margins=margins))
        return bundle.seal(certificate(target.name, done))
