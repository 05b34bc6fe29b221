"""Public layouts: columns and their order, what becomes of flags and noise, and what is refused."""

import csv
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from leeward.core.codebook import (
    Attribute,
    Dimension,
    Flag,
    Marginal,
    Mean,
    NumericRange,
    Percentiles,
    Published,
)
from leeward.core.codebook.cells import EMPTY
from leeward.core.codebook.totals import Totals
from leeward.core.errors import InvalidParameter, LeewardError
from leeward.derived.products.layouts import measure_of, write_layout
from leeward.publishing.bundle import BundleWriter
from leeward.publishing.bundle.table_statements import TotalsStatement
from tests.publishing.bundle.made_up import certificate, certified, dimension
from tests.publishing.bundle.made_up_pay import ENDS, paid

OK, NONE, ABSENT = int(Flag.OK), int(Flag.NO_NUMBER), int(Flag.NO_ESTABLISHMENT)

PSEO = (
    "agg_level_pseo inst_level institution degree_level cip_level cipcode grad_cohort "
    "grad_cohort_years geo_level geography ind_level industry"
)
PSEOE = (
    "y1_p25_earnings y1_p50_earnings y1_p75_earnings y1_grads_earn y5_p25_earnings "
    "y5_p50_earnings y5_p75_earnings y5_grads_earn y10_p25_earnings y10_p50_earnings "
    "y10_p75_earnings y10_grads_earn y1_ipeds_count y5_ipeds_count y10_ipeds_count "
    "status_y1_earnings status_y1_grads_earn status_y5_earnings status_y5_grads_earn "
    "status_y10_earnings status_y10_grads_earn status_y1_ipeds_count status_y5_ipeds_count "
    "status_y10_ipeds_count"
)
PSEOF = (
    "y1_grads_emp y1_grads_emp_instate y5_grads_emp y5_grads_emp_instate y10_grads_emp "
    "y10_grads_emp_instate y1_grads_nme y5_grads_nme y10_grads_nme status_y1_grads_emp "
    "status_y1_grads_emp_instate status_y5_grads_emp status_y5_grads_emp_instate "
    "status_y10_grads_emp status_y10_grads_emp_instate status_y1_grads_nme status_y5_grads_nme "
    "status_y10_grads_nme"
)
VEO_PAY = (
    "y1_p25_earnings y5_p25_earnings y10_p25_earnings y1_p50_earnings y5_p50_earnings "
    "y10_p50_earnings y1_p75_earnings y5_p75_earnings y10_p75_earnings"
)
VEOP = (
    f"cohort cohort_years paygrade_level paygrade y1_emp y5_emp y10_emp y1_nonemp y5_nonemp "
    f"y10_nonemp {VEO_PAY} status_y1_emp status_y5_emp status_y10_emp status_y1_nonemp "
    "status_y5_nonemp status_y10_nonemp status_y1_earn status_y5_earn status_y10_earn"
)
VEONS = (
    f"cohort cohort_years ind_level industry y1_emp y5_emp y10_emp {VEO_PAY} status_y1_emp "
    "status_y5_emp status_y10_emp status_y1_earn status_y5_earn status_y10_earn"
)
QWI = (
    "periodicity seasonadj geo_level geography ind_level industry ownercode sex agegrp race "
    "ethnicity education firmage firmsize year quarter agg_level"
)
INDICATORS = (
    "Emp EmpEnd EmpS EmpTotal EmpSpv HirA HirN HirR Sep HirAEnd SepBeg HirAEndRepl HirAEndR "
    "SepBegR HirAEndReplR HirAS HirNS SepS SepSnx TurnOvrS FrmJbGn FrmJbLs FrmJbC FrmJbGnS "
    "FrmJbLsS FrmJbCS EarnS EarnBeg EarnHirAS EarnHirNS EarnSepS Payroll"
)
UMETRICS = (
    "title sector years employment employment_low employment_high mean_earnings "
    "mean_earnings_low mean_earnings_high status_employment status_mean_earnings"
)
"""The columns in their order: LEHD public-use schema V4.14, and the headers of the VEO tables."""

INSTITUTION = dimension("institution", ["00106200", "00289500"])
DEGREE = dimension("degree", ["05"])
SECTOR = dimension("sector", ["52", "31-33"])
MEASURE = dimension("measure", ["Emp", "FrmJbC"], "jobs")
PERCENTILE = dimension("percentile", ["25", "50", "75"], "jobs")


def earnings(unit: str = "dollars", period: str = "year") -> Attribute:
    numbers = NumericRange(0, 900_000, unit, period, (("all", 900_000),), "a public scale")
    return Attribute("earnings", "jobs", "earnings", ("all",), ("all",), False, {}, numbers=numbers)


Rows = Sequence[Sequence[int]]


def counts(
    name: str, by: Sequence[Dimension], rows: Rows, flags: Sequence[int] = ()
) -> tuple[Marginal, Published]:
    """A table of counts with a margin of 5; the last dimension is of jobs if it is."""
    worker = tuple(one for one in by if one.attribute.table != "workplaces")
    workplace = tuple(one for one in by if one not in worker)
    marginal = Marginal(name, workplace, worker, complete=ABSENT in flags)
    values = np.array(rows, np.int64)
    names = ("margin", "block_margin") if marginal.worker_cells > 1 else ("margin",)
    status = np.array(flags or [OK] * len(values), np.int64)
    margins = {one: np.full_like(values, 5) for one in names}
    return marginal, Published(np.arange(len(values)), values, status, margins)


def pay(
    name: str, by: Sequence[Dimension], rows: Rows, count: Rows, of: Attribute
) -> tuple[Marginal, Published]:
    """Percentiles if the last dimension is one, else means; each within 100 of its number."""
    last = by[-1].name == "percentile"
    worker, workplace = (by[-1:], by[:-1]) if last else ((), by)
    statistic = Percentiles(of, (0, 900_000), (25, 50, 75)) if last else Mean(of)
    marginal = Marginal(name, tuple(workplace), tuple(worker), statistic=statistic)
    values = np.array(rows, np.int64)
    low, high = (np.where(values == EMPTY, EMPTY, values + off) for off in (-100, 100))
    flags = np.where(values == EMPTY, NONE, OK)
    beside = dict(zip(ENDS, (low, high, np.array(count, np.int64)), strict=True))
    return marginal, Published(np.arange(len(values)), values, flags, beside)


def write(target: Path, *tables: tuple[Marginal, Published], **changes: object) -> Path:
    """A sealed bundle of such tables."""
    with BundleWriter(target) as bundle:
        done = []
        for marginal, published in tables:
            with bundle.table(marginal, margins=tuple(published.margins)) as writer:
                writer.write(published)
            counted = marginal.statistic.counts
            where = {one.name: list(one.codes) for one in marginal.filters} or None
            made = certified(writer) if counted else paid(writer, marginal)
            done.append(made.model_copy(update={"where": where}))
        bundle.seal(certificate(target.name, done, **changes))
    return target


def table(path: Path) -> tuple[str, list[dict[str, str]]]:
    """The header of a file, and its rows."""
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    return " ".join(rows[0]), rows


def some(row: dict[str, str], names: str) -> str:
    """Numbers and codes of a row; a dot where there is none."""
    return " ".join(row[name] or "." for name in names.split())


def percentiles(
    name: str = "y1_earnings", of: Attribute | None = None
) -> tuple[Marginal, Published]:
    """Two institutions, one of which has no number at 25 %."""
    rows = [[30_000, 40_000, 55_000], [EMPTY, 25_000, 30_000]]
    by = (INSTITUTION, DEGREE, PERCENTILE)
    return pay(name, by, rows, [[80, 80, 80], [-2, -2, -2]], of or earnings())


def test_pseoe_has_its_columns_percentiles_and_flags(tmp_path: Path) -> None:
    one = write(tmp_path / "one", percentiles())
    ten = write(tmp_path / "ten", percentiles("y10_earnings_by_degree"))
    (path,) = write_layout([one, ten], "pseoe", tmp_path / "out")
    header, rows = table(path)
    assert header == f"{PSEO} {PSEOE}"
    assert some(rows[0], PSEO) == "38 I 00106200 05 A 00 0000 0 N 00 A 00"
    assert (
        some(rows[0], "y1_p25_earnings y1_p75_earnings y1_grads_earn y10_p50_earnings")
        == "30000 55000 80 40000"
    )
    flags = "status_y1_earnings status_y5_earnings status_y10_grads_earn status_y1_ipeds_count"
    assert some(rows[0], flags) == "1 -1 1 3"
    assert some(rows[1], f"y1_p50_earnings y1_grads_earn {flags}") == ". 0 -1 -1 1 3"
    assert "Below 0, and written as 0: 2 numbers" in (tmp_path / "out" / "about.txt").read_text()
    assert (tmp_path / "out" / "version_pseo.txt").read_text() == (
        "PSEO XX 00 0000-0000 V4.14 R2026Q4 leeward_one\n"
    )


def test_pseof_takes_counts_by_sector_and_leaves_the_rest_empty(tmp_path: Path) -> None:
    year = dimension("year", ["2010"])
    label = replace(year.attribute, labels=("2010-2012",))
    by = (INSTITUTION, DEGREE, Dimension(label, (0,)), SECTOR)
    source = write(tmp_path / "one", counts("y5_flows", by, [[7], [-4], [0], [9]]))
    (path,) = write_layout([source], "pseof", tmp_path / "out")
    header, rows = table(path)
    assert header == f"{PSEO} {PSEOF}"
    assert some(rows[0], PSEO) == "92 I 00106200 05 A 00 2010 3 N 00 S 31-33"
    wanted = "y5_grads_emp status_y5_grads_emp status_y5_grads_nme status_y1_grads_emp"
    assert [some(row, wanted) for row in rows[:2]] == ["0 1 -1 -1", "7 1 -1 -1"]


def test_veo_has_a_file_for_each_group(tmp_path: Path) -> None:
    grade = dimension("pay_grade", ["E1-E5", "E6"])
    source = write(
        tmp_path / "one",
        counts("y1_emp", (grade,), [[12], [30]]),
        counts("y10_nonemp", (grade,), [[3], [4]]),
        pay("y5_earnings", (SECTOR, PERCENTILE), [[1, 2, 3]] * 2, [[8] * 3] * 2, earnings()),
    )
    grades, sectors = write_layout([source], "veo", tmp_path / "out")
    header, rows = table(grades)
    assert (grades.name, header) == ("veop_one.csv", VEOP)
    assert (
        some(rows[0], "cohort cohort_years paygrade_level paygrade y1_emp y10_nonemp")
        == "0000 0 E E6 30 4"
    )
    assert rows[1]["paygrade_level"] == "G"
    header, rows = table(sectors)
    assert (sectors.name, header) == ("veons_one.csv", VEONS)
    wanted = "y5_emp y5_p75_earnings status_y5_emp status_y5_earn status_y1_earn"
    assert some(rows[0], wanted) == "8 3 1 1 -1"


def stable(means: tuple[Marginal, Published], codes: Sequence[str]) -> tuple[Marginal, Published]:
    return replace(means[0], filters=(dimension("flow", codes, "jobs"),)), means[1]


def test_qwi_has_a_row_for_each_quarter_and_dollars_of_a_month(tmp_path: Path) -> None:
    place, cents = dimension("place", ["03", "07001"]), earnings("cents", "quarter")
    flows = counts("flows", (place, MEASURE), [[50, -7], [-2, 3]])
    means = pay("earn_s", (place,), [[900_150], [EMPTY]], [[9], [0]], cents)
    first = write(tmp_path / "first", flows, stable(means, ["11"]))
    empty = counts("flows", (place, MEASURE), [[1, 1], [0, 0]], [OK, ABSENT])
    second = write(tmp_path / "second", empty, period="2026Q3")
    (path,) = write_layout([first, second], "qwi", tmp_path / "out")
    header, rows = table(path)
    flags = " ".join(f"s{name}" for name in INDICATORS.split())
    assert header == f"{QWI} {INDICATORS} {flags}"
    county, later, region = rows[:3]
    assert some(region, QWI) == "Q U S 03 A 00 A00 0 A00 A0 A0 E0 0 0 2026 2 ."
    assert some(county, "geo_level geography year quarter") == "C 07001 2026 2"
    assert some(region, "Emp FrmJbC EarnS sEmp sEarnS sPayroll") == "50 -7 3001 1 1 -1"
    assert some(county, "Emp FrmJbC EarnS sEarnS") == "0 3 . -1"
    assert some(later, "quarter Emp sEmp sEarnS") == "3 . -2 -1"
    about = (tmp_path / "out" / "about.txt").read_text()
    assert "earn_s, place, flow in 11: earn_s, by pay_centred" in about
    assert (tmp_path / "out" / "version_qwi.txt").read_text() == (
        "QWI_F XX 00 2026:2-2026:3 V4.14 R2026Q4 leeward_first\n"
    )


def test_umetrics_has_a_file_for_each_institution(tmp_path: Path) -> None:
    title, sector = dimension("title", ["staff"]), dimension("sector", ["academia"])
    by = (INSTITUTION, title, sector)
    means = pay("y10_earnings", by, [[50_000], [60_000]], [[40], [50]], earnings())
    both = pay("y2_earnings", by, [[40_000], [0]], [[99], [99]], earnings())
    source = write(tmp_path / "one", counts("y2_emp", by, [[30], [2]]), means, both)
    first, second = write_layout([source], "umetrics", tmp_path / "out")
    header, rows = table(first)
    assert (first.name, second.name, header) == (
        *("umetrics_00106200.csv", "umetrics_00289500.csv", UMETRICS),
    )
    assert [list(row.values()) for row in rows] == [
        ["staff", "academia", "2", "30", "25", "35", "40000", "39900", "40100", "1", "1"],
        ["staff", "academia", "10", "40", "", "", "50000", "49900", "50100", "1", "1"],
    ]
    assert some(table(second)[1][0], "employment employment_low") == "2 0"


def test_a_total_has_the_code_of_all(tmp_path: Path) -> None:
    sector = replace(SECTOR, attribute=replace(SECTOR.attribute, total="every"))
    marginal, cells = counts("y1_flows", (DEGREE, sector), [[7], [4]])
    marginal = replace(marginal, totals=("sector",))
    totals = Totals(marginal)
    totals.add(cells)
    with BundleWriter(tmp_path / "one") as bundle:
        with bundle.table(marginal, margins=("margin",)) as writer:
            writer.write(cells)
            for family, added in totals.rows():
                wide = {"margin": np.full_like(added.values, 9)}
                writer.write_totals(family, replace(added, margins=wide))
        said = TotalsStatement(codes={"sector": "every"}, rows=1, draws=9, seed=1, sentence="Sums.")
        bundle.seal(certificate("one", [certified(writer).model_copy(update={"totals": said})]))
    (path,) = write_layout([tmp_path / "one"], "pseof", tmp_path / "out")
    rows = [some(row, "ind_level industry y1_grads_emp") for row in table(path)[1]]
    assert rows == ["A 00 11", "S 31-33 4", "S 52 7"]


def test_names_begin_with_the_longest_measure() -> None:
    measures = ("y1_flows", "y1_flows_instate", "y1_earnings")
    assert measure_of("y1_flows_instate_all", measures) == "y1_flows_instate"
    assert measure_of("y1_flows_by_sector", measures) == "y1_flows"
    assert measure_of("y1_flowsy", measures) is None


PLACE = dimension("place", ["03"])
FLOWS = (PLACE, MEASURE)
MEANS = pay("earn_s", (PLACE,), [[5]], [[9]], earnings())
REFUSED = {
    "nothing": ("qwi", [counts("t", (PLACE,), [[1]])], "names begin with one of flows, gains"),
    "an identifier": (
        *("qwi", [counts("flows", (PLACE, dimension("age", ["A01"]), MEASURE), [[1, 2]])]),
        "needs tables by some of place, .*; got 'flows by place, age, measure'",
    ),
    "a code": (
        *("qwi", [counts("flows", (dimension("ownership", ["2"]), MEASURE), [[1, 2]])]),
        "needs codes of ownercode among 1, 5, A00, A01, A05; got '2'",
    ),
    "twice": (
        *("qwi", [counts("flows", FLOWS, [[1, 2]]), counts("flows_too", FLOWS, [[1, 2]])]),
        "needs each number of the layout from one table alone; got 'Emp of Q, U, S, 03",
    ),
    "other jobs": ("qwi", [MEANS], "needs earn_s to be of the jobs where: .*'11'"),
    "a statistic": (
        *("pseoe", [pay("y5_earnings", (INSTITUTION,), [[5], [5]], [[9], [9]], earnings())]),
        "needs y5_earnings to be of statistic: percentiles at 25, 50, 75; got 'mean of earnings'",
    ),
    "a unit": (
        *("pseoe", [percentiles(of=earnings("euro"))]),
        "needs pay in dollars or cents .*; got 'y1_earnings in euro per year'",
    ),
    "a name": (
        *("umetrics", [counts("y1_emp", (dimension("institution", ["../up"]),), [[1]])]),
        "needs codes for names of files",
    ),
    "a group": ("veo", [counts("y1_emp", (PLACE, SECTOR), [[1]])], "the group of one of its files"),
    "a form": ("wac", [counts("flows", FLOWS, [[1, 2]])], "must be one of pseoe, pseof, veo, qwi"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_does_not_fit_is_refused_before_anything_is_written(what: str, tmp_path: Path) -> None:
    form, tables, says = REFUSED[what]
    source = write(tmp_path / "one", *tables)
    with pytest.raises(InvalidParameter, match=says):
        write_layout([source], form, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_release_of_a_year_is_no_quarter_and_a_folder_must_be_new(tmp_path: Path) -> None:
    source = write(tmp_path / "one", counts("flows", FLOWS, [[1, 2]]), period="2026")
    with pytest.raises(InvalidParameter, match="releases of one quarter each, such as 2026Q2"):
        write_layout([source], "qwi", tmp_path / "out")
    with pytest.raises(LeewardError, match="must be a new folder"):
        write_layout([source], "qwi", tmp_path)
