"""Reports of tables of pay: the unit, the cap, and what is missing."""

from pathlib import Path

from leeward.interface.report.document import report
from leeward.interface.report.summary import summarise
from leeward.publishing.bundle import read_bundle
from tests.interface.report.scene import Page
from tests.publishing.bundle.made_up_pay import write_pay


def test_the_report_tells_the_unit_the_cap_and_what_is_missing(tmp_path: Path) -> None:
    bundle = read_bundle(write_pay(tmp_path / "pay"))
    means = summarise(bundle, bundle["means"].about)
    assert (means.statuses, means.cells, means.unbounded) == ({1: 3, -1: 1, -2: 1}, 3, 2)
    text = Page(report(bundle)).text
    for words in (
        "means place: mean of earnings, in cents per month 5",
        "counts place 5",
        "payroll counted up to 1,500,000 cents a job",
        "1 of 4 cells (25.0 %): status −1.",
        "cells with both ends have a margin of at most 35,000 cents per month",
        "In 2 of 3 cells (66.7 %) there is no margin: low or high is empty.",
        "Status Meaning Rows 1 a number in cents per month, with noise 3 −1 no number",
        "Margin in jobs",
        "−1 says that what was measured gives no number",
    ):
        assert words in text, words
